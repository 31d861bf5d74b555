/* doctor_postgres.c - lines of the checkup about a PostgreSQL server: its version, the role's rights, what holds it up. */
#include <stdio.h>

#include "engine/doctor.h"

#define OLDEST_VERSION 150000

static void end(st_call *call, st_inquiry *inquiry, const char *check) {
  st_inquiry_end(call, inquiry);
  if (inquiry->status == STELE_OK || !st_ok(call)) return;
  st_doctor_line(call, ST_HEALTH_FAIL, check, "the server does not tell: %s", inquiry->conn->problem);
  st_doctor_cause(call, "a statement that only reads the catalog failed");
  st_doctor_fix(call, "see to what the server says of it");
}

static void tell_version(st_call *call) {
  st_inquiry inquiry;
  st_inquire(&inquiry, call->store->conn,
             "SELECT current_setting('server_version_num')::bigint, current_setting('server_version'), "
             "(SELECT coalesce(string_agg(extname || ' ' || extversion, ', ' ORDER BY extname), 'none') "
             "FROM pg_catalog.pg_extension WHERE extname IN ('pg_trgm', 'vector'))", NULL);
  if (st_inquiry_next(&inquiry)) {
    bool old = st_inquiry_int(&inquiry, 0) < OLDEST_VERSION;
    st_doctor_line(call, old ? ST_HEALTH_FAIL : ST_HEALTH_OK, "postgres", "PostgreSQL %s; of pg_trgm and vector, which are not needed: %s",
                   st_inquiry_text(&inquiry, 1), st_inquiry_text(&inquiry, 2));
    if (old) st_doctor_cause(call, "Stele's statements need what PostgreSQL has since 15");
    if (old) st_doctor_fix(call, "move the database to a server of version 15 or later");
  }
  end(call, &inquiry, "postgres");
}

static void tell_rights(st_call *call, int64_t without, const char *first, const char *role) {
  const char *schema = call->store->schema;
  if (!without) {
    st_doctor_line(call, ST_HEALTH_OK, "rights", "role %s may read and write every table", role);
    return;
  }
  st_doctor_line(call, ST_HEALTH_FAIL, "rights", "role %s may not read and write %lld table%s: %s", role, (long long)without,
                 without == 1 ? "" : "s, the first", first);
  st_doctor_cause(call, "the tables belong to another role, which did not grant all of it");
  st_doctor_fix(call,
                "as their owner: GRANT USAGE ON SCHEMA \"%s\" TO \"%s\"; "
                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \"%s\" TO \"%s\"",
                schema, role, schema, role);
}

bool st_doctor_rights(st_call *call) {
  int64_t without = 0;
  st_inquiry inquiry;
  st_inquire(&inquiry, call->store->conn,
             "SELECT count(*), coalesce(min(c.relname::text), ''), current_user::text FROM pg_catalog.pg_class c "
             "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT ("
             "pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT') AND "
             "pg_catalog.has_table_privilege(c.oid, 'INSERT') AND pg_catalog.has_table_privilege(c.oid, 'UPDATE') AND pg_catalog.has_table_privilege(c.oid, 'DELETE'))",
             call->store->schema);
  if (st_inquiry_next(&inquiry)) {
    without = st_inquiry_int(&inquiry, 0);
    tell_rights(call, without, st_inquiry_text(&inquiry, 1), st_inquiry_text(&inquiry, 2));
  }
  end(call, &inquiry, "rights");
  return without == 0;
}

/* A transaction that stays open keeps VACUUM from clearing away what was deleted since it began. */
static void tell_held(st_call *call, int64_t idle, int64_t pid, int64_t prepared) {
  if (!idle && !prepared) {
    st_doctor_line(call, ST_HEALTH_OK, "sessions", "no forgotten transaction holds up VACUUM");
    return;
  }
  st_doctor_line(call, ST_HEALTH_WARN, "sessions", "%lld session%s idle in a transaction, %lld prepared transaction%s",
                 (long long)idle, idle == 1 ? "" : "s", (long long)prepared, prepared == 1 ? "" : "s");
  st_doctor_cause(call, "VACUUM cannot clear away what was deleted since they began: tables and indexes grow");
  if (idle)
    st_doctor_fix(call, "SELECT pg_terminate_backend(%lld), once it is clear whose it is (pg_stat_activity tells)", (long long)pid);
  else
    st_doctor_fix(call, "pg_prepared_xacts names them: COMMIT PREPARED or ROLLBACK PREPARED each");
}

static void tell_sessions(st_call *call, double patience) {
  char seconds[40];
  st_inquiry inquiry;
  snprintf(seconds, sizeof seconds, "%.3f", patience);
  st_inquire(&inquiry, call->store->conn,
             "SELECT count(*), coalesce(min(pid), 0)::bigint, (SELECT count(*) FROM pg_catalog.pg_prepared_xacts "
             "WHERE database = current_database()) FROM pg_catalog.pg_stat_activity WHERE datname = current_database() "
             "AND state LIKE 'idle in transaction%' AND state_change <= now() - $1::double precision * interval '1 second'",
             seconds);
  if (st_inquiry_next(&inquiry))
    tell_held(call, st_inquiry_int(&inquiry, 0), st_inquiry_int(&inquiry, 1), st_inquiry_int(&inquiry, 2));
  end(call, &inquiry, "sessions");
}

void st_doctor_postgres(st_call *call, double patience) {
  tell_version(call);
  st_doctor_rights(call);
  tell_sessions(call, patience);
}
