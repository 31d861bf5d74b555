-- Tenants: many users in one PostgreSQL database, each with a role and schemas of its own.
--
-- The handle's database names an administrator: a superuser, or a role that may create roles and schemas. A tenant's home names the
-- same database with its own role, and tenant=NAME: postgres://NAME:PASSWORD@HOST/DATABASE?tenant=NAME.

-- @method stele.create_tenant  many  admin
-- Make a tenant: its role, which may log in and do nothing outside its schemas, and its stores. A tenant that is there gets what it
-- lacks, the password and the limits.
-- @param  name         text               lower case letters, digits and _, a letter first, at most 40; the role has the same name
-- @param  password     text secret optional  of the role; absent: as it was, or none (the server knows its own ways to log in)
-- @param  timeout      duration(1..) = 60    longest time that a statement of the tenant's may take
-- @param  connections  int(1..10000) = 50    so many it may have at a time
-- @result store        text               a store
-- @result schema       text               its schema
-- @result version      int                its version
-- @native st_stele_create_tenant outside

-- @method stele.list_tenants  many  admin
-- The tenants of the database.
-- @result name         text   the tenant, and its role
-- @result active       bool   it may log in
-- @result connections  int    so many it has now
-- @result schemas      int    stores that it has
-- @result bytes        int    what they take
-- @native st_stele_list_tenants outside

-- @method stele.migrate_tenants  many  admin
-- Bring the stores of the tenants, or of one, to the version this library works with. Stores that it did not know are made.
-- @param  name     text optional  only this tenant
-- @result tenant   text   the tenant
-- @result store    text   a store
-- @result version  int    its version now
-- @native st_stele_migrate_tenants outside

-- @method stele.revoke_tenant  one  admin
-- Let a tenant log in no more, and end its connections. Its stores stay; stele.create_tenant lets it in again.
-- @param  name   text  the tenant
-- @result ended  int   connections that were ended
-- @native st_stele_revoke_tenant outside

-- @method stele.drop_tenant  one  admin
-- Delete a tenant with everything that it has. This cannot be undone.
-- @param  name      text  the tenant
-- @param  confirm   text  its name once more
-- @result schemas   int   stores that were deleted
-- @native st_stele_drop_tenant outside
