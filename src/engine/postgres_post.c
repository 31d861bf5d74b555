/* postgres_post.c - statements whose outcome nobody waits for: they go to the server together, in pipeline mode, and what
** became of them is learned when the link is next used.  A thousand rows then cost ten round trips. */
#include <stdio.h>

#include "engine/postgres_conn.h"

#define MOST 100 /* under way: their answers fit into what a socket holds, so that neither side waits for the other to read */

bool st_postgres_post_is_full(const st_postgres *pg) { return pg->posted >= MOST; }

static void keep_failure(st_postgres *pg, stele_status status) {
  if (pg->post_status != STELE_OK) return;
  pg->post_status = status;
  snprintf(pg->post_problem, sizeof pg->post_problem, "%s", pg->base.problem);
}

stele_status st_postgres_post_send(st_postgres *pg, const char *name, int count, const char *const *values, const int *lengths,
                                   const int *formats) {
  if (!pg->piped && !PQenterPipelineMode(pg->link)) return st_postgres_check(pg, NULL);
  pg->piped = true;
  if (!PQsendQueryPrepared(pg->link, name, count, values, lengths, formats, 0)) return st_postgres_check(pg, NULL);
  pg->posted++;
  return STELE_OK;
}

/* A statement that another process's migration has made stale is prepared again in a new session. */
static void take(st_postgres *pg, PGresult *result) {
  if (PQresultStatus(result) == PGRES_PIPELINE_ABORTED) return; /* an earlier one failed */
  stele_status status = st_postgres_check(pg, result);
  if (status == STELE_OK) {
    pg->post_changes += st_postgres_changed(result);
  } else if (st_postgres_is_stale(result)) {
    pg->broken = true;
    keep_failure(pg, st_conn_fail(&pg->base, STELE_CONFLICT, "another process has just changed the store's format"));
  } else {
    keep_failure(pg, status);
  }
}

/* Behind each statement's result comes a NULL, and behind them all the mark that was sent last. */
void st_postgres_post_settle(st_postgres *pg) {
  bool ended = false;
  if (!pg->piped) return;
  pg->piped = false;
  if (!PQpipelineSync(pg->link)) keep_failure(pg, st_postgres_check(pg, NULL));
  for (int nulls = 0; !ended && !st_postgres_lost(pg) && nulls <= pg->posted;) {
    PGresult *result = PQgetResult(pg->link);
    ended = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
    if (result && !ended) take(pg, result);
    nulls += result == NULL;
    PQclear(result);
  }
  pg->posted = 0;
  if (!ended || !PQexitPipelineMode(pg->link)) pg->broken = true;
  if (!ended) keep_failure(pg, st_conn_fail(&pg->base, STELE_UNAVAILABLE, "the connection to PostgreSQL was lost, and the transaction with it"));
}

stele_status st_postgres_posted(st_conn *conn, int64_t *changes) {
  st_postgres *pg = st_postgres_of(conn);
  stele_status status = st_postgres_ready(pg);
  *changes = pg->post_changes;
  pg->post_changes = 0;
  return status;
}
