/* tenant_name.h - many users in one database: each is a tenant, with a role and a schema for each of its stores. */
#ifndef ST_TENANT_NAME_H
#define ST_TENANT_NAME_H

#include <stdbool.h>

#include "engine/registry.h"

#define ST_TENANT_MAX 40 /* with the name of a store behind it, it is still an identifier of PostgreSQL */

/* Lower case letters, digits and _, a letter first, and not what PostgreSQL keeps for itself. */
bool st_tenant_is_name(const char *text);

/* The schema of a tenant's store (st_free): its name, _ and the store's.  Names of stores have no _, so that no two tenants
** share one.  NULL: out of memory. */
char *st_tenant_schema(const char *tenant, const st_store *store);

#endif
