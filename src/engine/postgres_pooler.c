/* postgres_pooler.c - is it the server itself that a connection leads to, and always to the same session of it?
**
** A pooler such as PgBouncer shares sessions of the server among its clients.  Where it gives a client one for as long as it is
** connected (pool_mode = session), nothing is different.  Where it gives one for a transaction only, the search path and the prepared statements of
** another client are found there: a statement would be run on another store's tables.  So each session is marked, and where there is a
** pooler every transaction looks for the mark first, in the message that begins it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/postgres_conn.h"

/* The last two values of the row that ST_POSTGRES_MARK ends.  Numbers of prepared statements begin somewhere else in each session, so that none of
** another client's is taken for ours. */
void st_postgres_marked(st_postgres *pg, const PGresult *row) {
  int last = PQnfields(row) - 1;
  snprintf(pg->mark_of_session, sizeof pg->mark_of_session, "%s", PQgetvalue(row, 0, last - 1));
  pg->pooled = atoi(PQgetvalue(row, 0, last)) != PQbackendPID(pg->link);
  if (pg->pooled) pg->last_name = (unsigned)strtoul(pg->mark_of_session, NULL, 16); /* the first digits of a UUID */
}

/* SHOW needs no snapshot: what a transaction locks first is locked before it sees anything. */
PGresult *st_postgres_send_begin(const st_postgres *pg, const char *begin) {
  char sql[200];
  if (!pg->pooled) return PQexec(pg->link, begin);
  snprintf(sql, sizeof sql, "%s; SHOW " ST_POSTGRES_SESSION, begin);
  return PQexec(pg->link, sql);
}

stele_status st_postgres_is_ours(st_postgres *pg, const PGresult *begun) {
  static const char unknown[] = "42704"; /* the session has no mark at all */
  const char *state = PQresultErrorField(begun, PG_DIAG_SQLSTATE);
  bool other = PQresultStatus(begun) == PGRES_TUPLES_OK && strcmp(PQgetvalue(begun, 0, 0), pg->mark_of_session) != 0;
  if (!pg->pooled || (!other && !(state && strcmp(state, unknown) == 0))) return STELE_OK;
  PQclear(PQexec(pg->link, "ROLLBACK"));
  pg->broken = true;
  return st_conn_fail(&pg->base, STELE_UNSUPPORTED, "a pooler gave the session away: it must be set to pool_mode = session");
}
