/* raw.h - SQL statements of a caller's own, on the connection of a store: stele_raw() of stele.h.
**
** The driver's part knows statements, values and the turn; raw.c knows handles and transactions. */
#ifndef ST_RAW_H
#define ST_RAW_H

#include "engine/handle.h"

/* The public head of a raw statement; drivers append their own. */
typedef struct st_raw {
  st_conn *conn;
  stele_sql_info info;
  int code; /* the engine's own, of the last failure */
} st_raw;

struct st_raw_driver {
  /* *out is NULL when the text holds no statement.  *code: the engine's own, of a failure. */
  stele_status (*prepare)(st_conn *conn, const char *text, size_t length, st_raw **out, int *code);
  stele_status (*bind)(st_raw *raw, const stele_value *values, size_t count);
  stele_status (*step)(st_raw *raw);
  void (*reset)(st_raw *raw);
  void (*finalize)(st_raw *raw);
  void (*state)(st_conn *conn, stele_sql_state *state);
};

extern const st_raw_driver st_raw_sqlite;

/* The handle is about to be closed. */
void st_raw_close(stele_db *db);

/* The connection of a store is about to be closed: its raw statements end. */
void st_raw_lost(stele_db *db, const st_opened *store);

#endif
