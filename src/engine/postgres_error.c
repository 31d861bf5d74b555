/* postgres_error.c - what a failure of PostgreSQL means to a caller of Stele. */
#include <stdio.h>
#include <string.h>

#include "engine/postgres_conn.h"

/* SQLSTATE, or its beginning, to status; the first that fits counts.  What is not listed is a fault
** of ours: wrong SQL. */
static const struct {
  const char *state;
  stele_status status;
} states[] = {
    {"40001", STELE_CONFLICT}, /* serialization_failure */
    {"40P01", STELE_CONFLICT}, /* deadlock_detected */
    /* Two processes create or migrate one schema at once: the later one finds the other's work,
    ** and finds it finished when it starts over. */
    {"42P06", STELE_CONFLICT}, /* duplicate_schema */
    {"42P07", STELE_CONFLICT}, /* duplicate_table, and index */
    {"42701", STELE_CONFLICT}, /* duplicate_column */
    {"42710", STELE_CONFLICT}, /* duplicate_object */
    {"42723", STELE_CONFLICT}, /* duplicate_function */
    {"55P03", STELE_BUSY},     /* lock_not_available */
    {"55006", STELE_BUSY},     /* object_in_use */
    {"57014", STELE_BUSY},     /* query_canceled: a timeout, or an operator */
    {"53100", STELE_FULL},     /* disk_full */
    {"53400", STELE_FULL},     /* configuration_limit_exceeded: temporary files */
    {"53200", STELE_NOMEM},
    {"53300", STELE_UNAVAILABLE}, /* too_many_connections */
    {"08", STELE_UNAVAILABLE},
    {"57P", STELE_UNAVAILABLE},   /* shutdown, crash, not started yet */
    {"25P03", STELE_UNAVAILABLE}, /* the server ended an idle transaction, and the session with it */
    {"25P04", STELE_UNAVAILABLE},
    {"25006", STELE_READONLY},
    {"42501", STELE_DENIED},
    {"28", STELE_DENIED},
    {"3F000", STELE_NOTFOUND}, /* the schema was dropped */
    {"42602", STELE_INVALID},  /* invalid_name */
    {"42939", STELE_INVALID},  /* reserved_name: a schema pg_... */
    {"22", STELE_INVALID},     /* data the server cannot take: bad UTF-8, a number out of range */
    {"23", STELE_INVALID},     /* a constraint */
    {"44000", STELE_INVALID},  /* a view's check */
    {"54", STELE_INVALID},     /* too large: an index entry, a value */
    {"58", STELE_IO},
    {"STH01", STELE_HELD}, /* raised by a trigger of the feature holds */
    {"XX001", STELE_CORRUPT},
    {"XX002", STELE_CORRUPT},
};

static stele_status status_of(const PGresult *result, const char *state) {
  /* A unique index of the catalog itself: another process is creating the same thing. */
  const char *schema = PQresultErrorField(result, PG_DIAG_SCHEMA_NAME);
  if (strcmp(state, "23505") == 0 && schema && strcmp(schema, "pg_catalog") == 0) return STELE_CONFLICT;
  for (size_t i = 0; i < sizeof states / sizeof *states; i++)
    if (strncmp(state, states[i].state, strlen(states[i].state)) == 0) return states[i].status;
  return STELE_INTERNAL;
}

void st_postgres_first_line(const char *message, char *out, size_t size) {
  if (!message) message = "";
  message += strspn(message, " \t\r\n");
  int length = (int)strcspn(message, "\r\n");
  snprintf(out, size, "%.*s", length, message);
}

/* The line for people: the server's primary message if it sent one. */
static void describe(const st_postgres *pg, const PGresult *result, char *line, size_t size) {
  const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  if (!message) message = result ? PQresultErrorMessage(result) : PQerrorMessage(pg->link);
  st_postgres_first_line(message, line, size);
  if (!line[0]) snprintf(line, size, "no reason was given");
}

stele_status st_postgres_refused(st_postgres *pg, const char *line) {
  if (!pg->wrote && !pg->wants_primary) return st_conn_fail(&pg->base, STELE_READONLY, "%s", line);
  pg->broken = true; /* on to the server that is the primary now */
  return st_conn_fail(&pg->base, STELE_UNAVAILABLE, "the server takes no writes any more: %s", line);
}

stele_status st_postgres_check(st_postgres *pg, const PGresult *result) {
  char line[300];
  switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_SINGLE_TUPLE:
    case PGRES_EMPTY_QUERY: return STELE_OK;
    case PGRES_BAD_RESPONSE:
    case PGRES_FATAL_ERROR: break;
    default: /* COPY: nobody would feed or drain it */
      pg->broken = true;
      return st_conn_fail(&pg->base, STELE_INTERNAL, "a statement began a COPY");
  }
  describe(pg, result, line, sizeof line);
  if (st_postgres_lost(pg))
    return st_conn_fail(&pg->base, STELE_UNAVAILABLE, "the connection to PostgreSQL was lost: %s", line);

  const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  if (!state) { /* libpq's own: it could not send or receive, or had no memory to keep the answer */
    pg->broken = true;
    return st_conn_fail(&pg->base, result ? STELE_INTERNAL : STELE_NOMEM, "%s", line);
  }
  stele_status status = status_of(result, state);
  if (status == STELE_CORRUPT) pg->base.stopped = true;
  if (status == STELE_READONLY && pg->in_transaction && pg->writing) return st_postgres_refused(pg, line);
  if (status == STELE_INTERNAL) return st_conn_fail(&pg->base, status, "%s (SQLSTATE %s)", line, state);
  return st_conn_fail(&pg->base, status, "%s", line);
}

bool st_postgres_is_stale(const PGresult *result) {
  const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char *where = PQresultErrorField(result, PG_DIAG_SOURCE_FUNCTION);
  if (!state) return false;
  if (strcmp(state, "26000") == 0) return true; /* no such statement: somebody ran DEALLOCATE or DISCARD */
  /* "cached plan must not change result type" shares its state with much else, and its text is
  ** translated; the function that raises it is neither. */
  return strcmp(state, "0A000") == 0 && where && strcmp(where, "RevalidateCachedQuery") == 0;
}
