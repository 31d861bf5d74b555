/* driver.c - what both drivers share: telling a failure, judging a store by its columns, and what a confined statement does not see. */
#include "engine/driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/confine.h"

#define CORE_TABLES 3 /* so many of our tables, and no file is another program's by chance */

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

bool st_watch_stops(const st_watch *watch, const char *what, int64_t done, int64_t total) {
  return watch->progress && watch->progress(watch->user, what, done, total) != 0;
}

stele_status st_conn_number(st_conn *conn, const char *sql, int64_t *number) {
  const st_driver *driver = conn->driver;
  st_prepared *prepared = NULL;
  st_value value = {.type = ST_NULL};
  *number = 0;
  stele_status status = driver->prepare(conn, sql, &prepared);
  if (status == STELE_OK) status = driver->start(prepared, NULL, 0);
  if (status == STELE_OK) status = driver->step(prepared);
  if (status == STELE_ROW) driver->column(prepared, 0, &value);
  if (value.type == ST_INT) *number = value.integer;
  driver->finalize(prepared);
  return status == STELE_ROW || status == STELE_DONE ? STELE_OK : status;
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
static bool has_renamed(const st_file *file, const st_shape_column *column, st_look *look) {
  for (uint16_t i = 0; i < file->store->nrenamed; i++) {
    const st_renamed *renamed = &file->store->renamed[i];
    if (strcmp(renamed->table, column->table) != 0 || strcmp(renamed->name, column->column) != 0) continue;
    if (!file->has(file->from, renamed->table, renamed->also)) return false;
    look->renamed |= UINT32_C(1) << i;
    return true;
  }
  return false;
}

static bool has_column(const st_file *file, const st_shape_column *column, st_look *look) {
  return file->has(file->from, column->table, column->column) || has_renamed(file, column, look);
}

static bool is_refused(const st_file *file, st_look *look) {
  const st_store *store = file->store;
  for (uint16_t i = 0; i < store->nrefusals; i++) {
    if (!file->has(file->from, store->refusals[i].table, store->refusals[i].column)) continue;
    snprintf(look->foreign, sizeof look->foreign, "it has a column %s.%s", store->refusals[i].table,
             store->refusals[i].column);
    look->advice = store->refusals[i].advice;
    return true;
  }
  return false;
}

static void miss(st_look *look, const char *what, const char *name, const char *column) {
  if (!look->missing[0])
    snprintf(look->missing, sizeof look->missing, "it has no %s %s%s%s", what, name, column ? "." : "", column ? column : "");
}

/* What a store that can be completed lacks.  To be known for ours, a file without a version mark has some of our
** tables; and each table that is there has what cannot be added to it. */
static void look_at_core(const st_file *file, st_look *look) {
  const st_store *store = file->store;
  int tables = 0, there = 0;
  bool exists = false;
  for (uint16_t i = 0; i < store->nshape; i++) {
    const st_shape_column *column = &store->shape[i];
    if (i == 0 || strcmp(column->table, store->shape[i - 1].table) != 0) {
      exists = file->has(file->from, column->table, NULL);
      tables++;
      there += exists;
      if (!exists) miss(look, "table", column->table, NULL);
    }
    if (!exists || has_column(file, column, look)) continue;
    miss(look, "column", column->table, column->column);
    if (column->declared[file->engine]) continue;
    snprintf(look->foreign, sizeof look->foreign, "it has no column %s.%s", column->table, column->column);
    return;
  }
  int least = store->mark == ST_MARK_SHAPE ? CORE_TABLES : 1;
  if (there < least && there < tables) snprintf(look->foreign, sizeof look->foreign, "it has %d of the tables", there);
  for (const char *const *name = store->objects[file->engine]; *name; name++)
    if (!look->missing[0] && !file->has(file->from, *name, NULL)) miss(look, "index, trigger or search table", *name, NULL);
}

void st_look_older(const st_file *file, st_look *look) {
  const st_store *store = file->store;
  if (is_refused(file, look)) return;
  if (store->complete) {
    look_at_core(file, look);
    return;
  }
  for (uint16_t i = 0; i < store->nshape; i++)
    if (file->has(file->from, store->shape[i].table, store->shape[i].column)) return;
  snprintf(look->foreign, sizeof look->foreign, "it has none of the tables");
}

void st_look_shape(const st_file *file, st_look *look) {
  const st_store *store = file->store;
  if (is_refused(file, look)) return;
  if (store->complete) {
    look_at_core(file, look);
    return;
  }
  for (uint16_t i = 0; i < store->nshape; i++) {
    const st_shape_column *column = &store->shape[i];
    if (has_column(file, column, look)) continue;
    if (store->reconcile && column->declared[file->engine]) continue; /* can be added when it is needed */
    snprintf(look->foreign, sizeof look->foreign, "it has no column %s.%s", column->table, column->column);
    return;
  }
}

bool st_look_is_old(const st_store *store, const st_look *look) {
  return look->version < store->version || look->missing[0];
}
