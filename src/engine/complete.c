/* complete.c - see complete.h. */
#include "engine/complete.h"

#include <stdio.h>

#define ALL UINT32_MAX

static stele_status script(st_opened *opened, const char *sql) { return opened->driver->script(opened->conn, sql); }

stele_status st_complete_fresh(st_opened *opened) {
  stele_status status = script(opened, opened->store->schema[opened->driver->engine]);
  return status == STELE_OK ? st_complete_rows(opened, ALL) : status;
}

stele_status st_complete_look(st_opened *opened, uint32_t *due) {
  st_engine engine = opened->driver->engine;
  stele_status status = STELE_OK;
  *due = 0;
  for (uint16_t i = 0; opened->store->complete && i < opened->store->nseeds[engine] && status == STELE_OK; i++) {
    const char *table = opened->store->seeds[engine][i].table;
    bool there = false;
    if (table) status = opened->driver->probe(opened->conn, table, NULL, &there);
    if (!there) *due |= UINT32_C(1) << i;
  }
  return status;
}

static stele_status add_column(st_opened *opened, const st_shape_column *column) {
  char sql[600];
  int length = snprintf(sql, sizeof sql, "ALTER TABLE %s ADD COLUMN %s", column->table,
                        column->declared[opened->driver->engine]);
  if (length >= (int)sizeof sql)
    return st_conn_fail(opened->conn, STELE_INTERNAL, "the declaration of %s.%s is too long", column->table, column->column);
  return script(opened, sql);
}

/* A table that is missing altogether is the affair of a step or of the schema. */
static stele_status add_if_missing(st_opened *opened, const st_shape_column *column) {
  const st_driver *driver = opened->driver;
  bool table = false, there = false;
  if (!column->declared[driver->engine]) return STELE_OK;
  stele_status status = driver->probe(opened->conn, column->table, NULL, &table);
  if (status == STELE_OK && table) status = driver->probe(opened->conn, column->table, column->column, &there);
  return status != STELE_OK || !table || there ? status : add_column(opened, column);
}

stele_status st_complete_tables(st_opened *opened) {
  const st_store *store = opened->store;
  stele_status status = STELE_OK;
  for (uint16_t i = 0; store->reconcile && i < store->nshape && status == STELE_OK; i++)
    status = add_if_missing(opened, &store->shape[i]);
  return status == STELE_OK && store->complete ? script(opened, store->schema[opened->driver->engine]) : status;
}

stele_status st_complete_rows(st_opened *opened, uint32_t due) {
  st_engine engine = opened->driver->engine;
  stele_status status = STELE_OK;
  for (uint16_t i = 0; i < opened->store->nseeds[engine] && status == STELE_OK; i++)
    if (due >> i & 1) status = script(opened, opened->store->seeds[engine][i].sql);
  return status;
}
