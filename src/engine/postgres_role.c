/* postgres_role.c - the role that confined statements run as.  See confine.h.
**
** SET ROLE would not hold them: a statement can take it back with set_config('role', ...), and a function that runs a
** text as SQL then has all rights again.  So they run inside a function that belongs to the role and has its rights
** (SECURITY DEFINER); there PostgreSQL refuses any change of role.  The role may use the store's tables but the
** hidden ones, and nothing else; it may not call that function, nor make anything in the schema.  No view is open to it: a
** view reads with the rights of its owner.
**
** What was made is looked at before every use.  If a table has come since, or the function or the role is not what it
** must be (somebody restored a dump, or granted too much), everything is put right, or nothing is run. */
#include <stdio.h>
#include <string.h>

#include "engine/confine.h"
#include "engine/postgres_conn.h"

#define NAME_ROOM 64 /* of an identifier, with its NUL */

/* $1: the schema, $2: what is hidden. */
#define TABLES                                                                                                        \
  "SELECT c.oid, c.relname, c.relkind NOT IN ('r', 'p') OR EXISTS (SELECT 1 FROM pg_catalog.unnest($2::text[]) h "    \
  "WHERE pg_catalog.lower(c.relname) = h OR (pg_catalog.right(h, 1) = '*' "                                           \
  "AND pg_catalog.starts_with(pg_catalog.lower(c.relname), pg_catalog.left(h, -1)))) AS hidden "                      \
  "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname = $1 "           \
  "WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')"

/* The role's name is of this database and schema: roles are the whole server's. */
#define ROLE "'stele_raw_' || pg_catalog.left(pg_catalog.md5(pg_catalog.current_database() || '/' || $1::text), 16)"

typedef struct role {
  st_postgres *pg;
  char name[NAME_ROOM];
  char user[NAME_ROOM]; /* whose session it is */
  bool exists;
  bool ready;     /* role, function and rights are what they must be */
  char hidden[400]; /* as an array */
} role;

static stele_status look(role *r) {
  static const char sql[] =
      "WITH t AS (" TABLES "), r AS (SELECT * FROM pg_catalog.pg_roles WHERE rolname = " ROLE "), "
      "f AS (SELECT p.oid, p.pronamespace FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace "
      "JOIN r ON r.oid = p.proowner WHERE n.nspname = $1 AND p.proname = 'stele_confined' AND p.prosecdef "
      "AND p.prosrc = $3) "
      "SELECT " ROLE ", current_user, EXISTS (SELECT 1 FROM r), EXISTS (SELECT 1 FROM r, f "
      "WHERE NOT (r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolcanlogin) "
      "AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_auth_members m WHERE m.member = r.oid) "
      "AND NOT pg_catalog.has_schema_privilege(r.oid, f.pronamespace, 'CREATE') "
      "AND pg_catalog.has_schema_privilege(r.oid, f.pronamespace, 'USAGE') "
      "AND NOT pg_catalog.has_function_privilege(r.oid, f.oid, 'EXECUTE') "
      "AND pg_catalog.has_function_privilege(f.oid, 'EXECUTE') "
      "AND NOT EXISTS (SELECT 1 FROM t WHERE hidden AND (pg_catalog.has_any_column_privilege(r.oid, t.oid, "
      "'SELECT, INSERT, UPDATE, REFERENCES') OR pg_catalog.has_table_privilege(r.oid, t.oid, 'DELETE, TRUNCATE, TRIGGER'))) "
      "AND NOT EXISTS (SELECT 1 FROM t WHERE NOT hidden AND NOT (pg_catalog.has_table_privilege(r.oid, t.oid, 'SELECT') "
      "AND pg_catalog.has_table_privilege(r.oid, t.oid, 'INSERT') AND pg_catalog.has_table_privilege(r.oid, t.oid, 'UPDATE') "
      "AND pg_catalog.has_table_privilege(r.oid, t.oid, 'DELETE'))))";
  PGresult *result;
  stele_status status = st_postgres_query(r->pg, sql, 3, (const char *const[]){r->pg->schema, r->hidden, ST_CONFINED_BODY}, &result);
  if (status != STELE_OK) return status;
  snprintf(r->name, sizeof r->name, "%s", PQgetvalue(result, 0, 0));
  snprintf(r->user, sizeof r->user, "%s", PQgetvalue(result, 0, 1));
  r->exists = PQgetvalue(result, 0, 2)[0] == 't';
  r->ready = PQgetvalue(result, 0, 3)[0] == 't';
  PQclear(result);
  return STELE_OK;
}

/* What makes role, function and rights, or puts them right, in order.  $3: the body of the function. */
static const char make_sql[] =
    "WITH t AS (" TABLES ") SELECT pg_catalog.format(s.sql, " ROLE ", $1::text, $3::text) FROM pg_catalog.unnest(ARRAY["
    "'GRANT %1$I TO CURRENT_USER', "
    "'GRANT USAGE, CREATE ON SCHEMA %2$I TO %1$I', "
    "'CREATE OR REPLACE FUNCTION %2$I.stele_confined(run text) RETURNS SETOF record LANGUAGE plpgsql SECURITY DEFINER AS %3$L', "
    "'ALTER FUNCTION %2$I.stele_confined(text) OWNER TO %1$I', "
    "'REVOKE ALL ON FUNCTION %2$I.stele_confined(text) FROM PUBLIC, %1$I', "
    "'GRANT EXECUTE ON FUNCTION %2$I.stele_confined(text) TO CURRENT_USER', "
    "'REVOKE CREATE ON SCHEMA %2$I FROM %1$I', "
    "'REVOKE ALL ON ALL TABLES IN SCHEMA %2$I FROM %1$I']) WITH ORDINALITY AS s(sql, place) "
    "WHERE s.place > 1 OR NOT pg_catalog.pg_has_role(" ROLE ", 'MEMBER') "
    "UNION ALL "
    "SELECT pg_catalog.format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %I', "
    "pg_catalog.string_agg(pg_catalog.format('%I.%I', $1::text, t.relname), ', '), " ROLE ") "
    "FROM t WHERE NOT t.hidden HAVING count(*) > 0";

/* Not everybody may make roles.  Who may not is told what somebody else has to do. */
static stele_status make_role(role *r) {
  char sql[NAME_ROOM + 40];
  if (r->exists) return STELE_OK;
  snprintf(sql, sizeof sql, "CREATE ROLE %s NOLOGIN", r->name); /* its name is made of letters and digits */
  stele_status status = st_postgres_query(r->pg, sql, 0, NULL, NULL);
  if (status != STELE_DENIED) return status;
  return st_conn_fail(&r->pg->base, STELE_DENIED,
                      "raw SQL runs as a role of its own, which \"%s\" may not make: let an administrator run "
                      "CREATE ROLE %s NOLOGIN; GRANT %s TO \"%s\"",
                      r->user, r->name, r->name, r->user);
}

static stele_status make(role *r) {
  PGresult *todo = NULL;
  stele_status status = st_postgres_lock(r->pg);
  if (status == STELE_OK) status = make_role(r);
  if (status == STELE_OK)
    status = st_postgres_query(r->pg, make_sql, 3, (const char *const[]){r->pg->schema, r->hidden, ST_CONFINED_BODY}, &todo);
  for (int i = 0; status == STELE_OK && i < PQntuples(todo); i++)
    status = st_postgres_query(r->pg, PQgetvalue(todo, i, 0), 0, NULL, NULL);
  PQclear(todo);
  if (status == STELE_OK) status = look(r);
  if (status != STELE_OK || r->ready) return status;
  return st_conn_fail(&r->pg->base, STELE_DENIED,
                      "the role %s has rights that raw SQL must not have, and they cannot be taken back: "
                      "see which with \\du and \\dp in psql", r->name);
}

static stele_status make_alone(role *r) {
  const st_driver *driver = r->pg->base.driver;
  stele_status status = driver->begin(&r->pg->base, true);
  if (status != STELE_OK) return status;
  status = make(r);
  if (status == STELE_OK) return driver->commit(&r->pg->base);
  driver->rollback(&r->pg->base);
  return status;
}

stele_status st_postgres_confinable(st_conn *conn, const char *const *hidden) {
  role r = {.pg = st_postgres_of(conn)};
  size_t used = 0;
  for (size_t i = 0; hidden[i] && used < sizeof r.hidden; i++) /* names of ours: nothing in them needs a quote */
    used += (size_t)snprintf(r.hidden + used, sizeof r.hidden - used, "%c%s", i ? ',' : '{', hidden[i]);
  if (used + 2 > sizeof r.hidden) return st_conn_fail(conn, STELE_INTERNAL, "too many hidden tables");
  memcpy(r.hidden + used, "}", 2);
  stele_status status = look(&r);
  if (status != STELE_OK || r.ready) return status;
  if (r.pg->readonly)
    return st_conn_fail(conn, STELE_READONLY, "the role of raw SQL is to be made or put right first: use it once through a handle "
                                              "that may write");
  return r.pg->in_transaction ? make(&r) : make_alone(&r);
}
