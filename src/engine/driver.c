/* driver.c - what both drivers share: telling a failure, judging a store by its columns, and what a confined statement does not see. */
#include "engine/driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/confine.h"

stele_status st_conn_fail(st_conn *conn, stele_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(conn->problem, sizeof conn->problem, format, args);
  va_end(args);
  for (char *c = conn->problem; *c; c++)
    if (*c == '\n' || *c == '\r') *c = ' '; /* a message is one line */
  conn->status = status;
  return status;
}

bool st_confined_hides(const char *const *hidden, const char *table) {
  for (; *hidden; hidden++) {
    size_t length = strlen(*hidden);
    bool beginning = length > 0 && (*hidden)[length - 1] == '*';
    if (beginning ? strncasecmp(table, *hidden, length - 1) == 0 : strcasecmp(table, *hidden) == 0) return true;
  }
  return false;
}

/* The other name of a column that is missing under ours, if the file has it under that one. */
static bool has_renamed(const st_store *store, bool (*has)(void *, const char *, const char *), void *from,
                        const st_shape_column *column, st_look *look) {
  for (uint16_t i = 0; i < store->nrenamed; i++) {
    const st_renamed *renamed = &store->renamed[i];
    if (strcmp(renamed->table, column->table) != 0 || strcmp(renamed->name, column->column) != 0) continue;
    if (!has(from, renamed->table, renamed->also)) return false;
    look->renamed |= UINT32_C(1) << i;
    return true;
  }
  return false;
}

static bool is_refused(const st_store *store, bool (*has)(void *, const char *, const char *), void *from,
                       st_look *look) {
  for (uint16_t i = 0; i < store->nrefusals; i++) {
    if (!has(from, store->refusals[i].table, store->refusals[i].column)) continue;
    snprintf(look->foreign, sizeof look->foreign, "it has a column %s.%s", store->refusals[i].table,
             store->refusals[i].column);
    look->advice = store->refusals[i].advice;
    return true;
  }
  return false;
}

void st_look_older(const st_store *store, bool (*has)(void *, const char *, const char *), void *from, st_look *look) {
  if (is_refused(store, has, from, look)) return;
  for (uint16_t i = 0; i < store->nshape; i++)
    if (has(from, store->shape[i].table, store->shape[i].column)) return;
  snprintf(look->foreign, sizeof look->foreign, "it has none of the tables");
}

void st_look_shape(const st_store *store, bool (*has)(void *, const char *, const char *), void *from, st_look *look) {
  if (is_refused(store, has, from, look)) return;
  for (uint16_t i = 0; i < store->nshape; i++) {
    const st_shape_column *column = &store->shape[i];
    if (has(from, column->table, column->column) || has_renamed(store, has, from, column, look)) continue;
    if (store->reconcile && column->declared) continue; /* can be added when it is needed */
    snprintf(look->foreign, sizeof look->foreign, "it has no column %s.%s", column->table, column->column);
    return;
  }
}
