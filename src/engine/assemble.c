/* assemble.c - from the pieces of a statement to a prepared one, for the arguments that were sent.
**
** Nothing but constant text of the registry becomes SQL; values are always bound. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/opened.h"

#define SQL_MAX (1u << 20)

static uint64_t mask_of(const st_statement *statement, const st_value *args) {
  uint64_t mask = 0;
  for (uint16_t i = 0; i < statement->npieces; i++) {
    int16_t when = statement->pieces[i].when;
    if (when >= 0 && args[when].type != ST_ABSENT) mask |= UINT64_C(1) << when;
  }
  return mask;
}

/* Position of a parameter in this variant, from 1: in order of first appearance. */
static unsigned position(st_variant *variant, int16_t param) {
  for (unsigned i = 0; i < variant->nparams; i++)
    if (variant->params[i] == param) return i + 1;
  variant->params[variant->nparams++] = (uint8_t)param;
  return variant->nparams;
}

char *st_variant_sql(const st_method *method, st_engine engine, uint16_t number, const st_value *args,
                     const st_store *store, uint32_t renamed, uint32_t features, st_variant *out) {
  const st_statement *statement = &method->statements[engine][number];
  st_str sql;
  st_str_init(&sql, SQL_MAX);
  out->nparams = 0;
  for (uint16_t i = 0; i < statement->npieces; i++) {
    const st_piece *piece = &statement->pieces[i];
    if (piece->when >= 0 && args[piece->when].type == ST_ABSENT) continue;
    if (piece->has > 0 && !(features >> (piece->has - 1) & 1)) continue;
    if (piece->has < 0 && (features >> (-piece->has - 1) & 1)) continue;
    st_str_addz(&sql, piece->sql);
    if (piece->column >= 0) {
      const st_renamed *column = &store->renamed[piece->column];
      st_str_addz(&sql, renamed >> piece->column & 1 ? column->also : column->name);
    }
    if (piece->param >= 0) st_str_addf(&sql, "%c%u", engine == ST_SQLITE ? '?' : '$', position(out, piece->param));
  }
  return st_str_take(&sql);
}

static st_variant *make(st_opened *opened, const st_method *method, uint16_t statement, const st_value *args) {
  st_variant *variant = st_alloc_zero(sizeof *variant);
  char *sql = NULL;
  if (variant)
    sql = st_variant_sql(method, opened->driver->engine, statement, args, opened->store, opened->conn->renamed,
                         opened->features, variant);
  if (!sql) {
    st_free(variant);
    st_conn_fail(opened->conn, STELE_NOMEM, "out of memory");
    return NULL;
  }
  stele_status status = opened->driver->prepare(opened->conn, sql, &variant->prepared);
  st_free(sql);
  if (status != STELE_OK) {
    st_free(variant);
    return NULL;
  }
  variant->statement = statement;
  variant->features = opened->features;
  variant->mask = mask_of(&method->statements[opened->driver->engine][statement], args);
  return variant;
}

st_variant *st_variant_get(st_opened *opened, const st_method *method, uint16_t statement, const st_value *args) {
  uint64_t mask = mask_of(&method->statements[opened->driver->engine][statement], args);
  st_variant *variant = opened->variants[method->id];
  while (variant && (variant->busy || variant->statement != statement || variant->mask != mask ||
                     variant->features != opened->features))
    variant = variant->next;
  if (!variant) {
    variant = make(opened, method, statement, args);
    if (!variant) return NULL;
    variant->next = opened->variants[method->id];
    opened->variants[method->id] = variant;
  }
  variant->busy = true;
  return variant;
}

void st_variant_done(st_opened *opened, st_variant *variant) {
  opened->driver->reset(variant->prepared);
  variant->busy = false;
}
