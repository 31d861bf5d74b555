/* postgres_standby.c - reading from a standby: how far the primary was written, and how far the standby has come. */
#include <stdlib.h>

#include "engine/postgres_conn.h"

static uint64_t place_in(const PGresult *result) {
  if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1) return ST_POSTGRES_UNKNOWN;
  return strtoull(PQgetvalue(result, 0, 0), NULL, 10);
}

/* Both statements go together, and their answers come together. */
PGresult *st_postgres_commit_marked(st_postgres *pg) {
  static const char sql[] = "COMMIT; SELECT pg_catalog.pg_current_wal_insert_lsn() - '0/0'::pg_catalog.pg_lsn";
  uint64_t place = ST_POSTGRES_UNKNOWN;
  if (!PQsendQuery(pg->link, sql)) return NULL;
  PGresult *commit = PQgetResult(pg->link), *next = commit;
  while (next && (next = PQgetResult(pg->link)) != NULL) {
    place = place_in(next);
    PQclear(next);
  }
  if (PQresultStatus(commit) == PGRES_COMMAND_OK) st_postgres_written_raise(pg->mark, place);
  return commit;
}

/* A standby that was promoted, or the primary in its place, has everything. */
static uint64_t replayed(st_postgres *pg) {
  static const char sql[] =
      "SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn() - '0/0'::pg_catalog.pg_lsn"
      " ELSE 18446744073709551615 END";
  PGresult *result = PQexec(pg->link, sql);
  uint64_t place = st_postgres_check(pg, result) == STELE_OK ? place_in(result) : 0;
  PQclear(result);
  return place;
}

bool st_postgres_is_current(st_conn *conn) {
  st_postgres *pg = st_postgres_of(conn);
  uint64_t wanted = atomic_load(pg->mark);
  pg->may_reconnect = true;
  bool ready = st_postgres_ready(pg) == STELE_OK;
  pg->may_reconnect = false;
  if (!ready) return false;
  if (pg->replayed < wanted) pg->replayed = replayed(pg);
  return pg->replayed >= wanted;
}
