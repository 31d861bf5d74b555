/* derived.c - what was made of forgotten rows is made anew, and the store is written anew.  See parts.h. */
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/compact.h"
#include "engine/feature.h"
#include "forget/parts.h"
#include "registry_ids.h"
#include "search/documents.h"
#include "search/index_file.h"
#include "search/index_state.h"

/* ---- The index ---- */

/* Where nothing was ever searched, there is none. */
static bool has_index(st_call *part) {
  st_index_state state = {0};
  if (part->store->driver->engine == ST_POSTGRES) {
    int changes = st_shared_feature(part, ST_TF_DOCUMENTS);
    return changes < 0 || st_feature_has(part, changes);
  }
  st_index_look(part, &state);
  return st_ok(part) && state.made && strcmp(state.form, "stele") == 0;
}

static void make_index(st_call *part) {
  int64_t indexed;
  if (!has_index(part)) return;
  st_documents_index(part, true, &indexed);
  if (!st_ok(part) || part->store->driver->engine != ST_SQLITE) return;
  st_index *index = st_index_of(part);
  int code = index ? st_index_script(index, "PRAGMA wal_checkpoint(TRUNCATE)") : SQLITE_OK;
  if (code != SQLITE_OK) st_index_fail(part, index, code);
}

/* Codes are of vectors, which tell what rows mean.  They are made anew when somebody next searches by meaning. */
static void drop_codes(st_call *part) {
  st_opened *opened = part->store;
  char pattern[4200];
  glob_t found = {0};
  if (opened->driver->engine != ST_SQLITE || strcmp(opened->location, ":memory:") == 0) return;
  if (opened->close_codes) opened->close_codes(opened->codes);
  opened->codes = NULL;
  size_t length = strlen(opened->location);
  if (length > 3 && strcmp(opened->location + length - 3, ".db") == 0) length -= 3;
  snprintf(pattern, sizeof pattern, "%.*s.codes.*", (int)(length < 4096 ? length : 4096), opened->location);
  if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; i++) unlink(found.gl_pathv[i]);
  globfree(&found);
}

/* The index has all that is noted; what still names a row by a forgotten text need not. */
static bool blank_notes(st_call *part, void *user) {
  const st_forget *all = ((st_forget_store *)user)->all;
  for (int i = 0; i < all->nforms && st_ok(part); i++) {
    st_value text = st_textz(all->forms[i]);
    st_run(part, st_shared(part, ST_T_FORGET_NOTES), &text);
  }
  return true;
}

/* ---- The store ---- */

static void add_table(st_call *part, st_str *sql, const char *table) {
  bool there = false;
  if (!st_ok(part)) return;
  stele_status status = part->store->driver->probe(part->store->conn, table, NULL, &there);
  if (status != STELE_OK) st_fail_conn(part, status);
  if (there) st_str_addf(sql, "%s\"%s\"", sql->length > 14 ? ", " : "", table);
}

/* All tables of the store: only so are rows gone from their pages. */
static const char *vacuum(st_call *part) {
  static const char *const shared[] = {"stele_embeddings", "stele_embedding_due", "stele_document", "stele_document_change", "stele_posting",
                                       "stele_word",       "stele_common",        "stele_entry",         "stele_change",   "stele_forgetting",      "stele_idempotency"};
  const st_store *of = part->store->store;
  st_str sql;
  st_str_init(&sql, 1u << 16);
  st_str_addz(&sql, "VACUUM (FULL) ");
  for (uint16_t i = 0; i < of->nforgets; i++)
    if (st_forget_has(part, &of->forgets[i])) add_table(part, &sql, of->forgets[i].table);
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) add_table(part, &sql, shared[i]);
  return st_take(part, &sql).bytes;
}

static void write_anew(st_call *part) {
  bool busy = false;
  const char *sql = part->store->driver->engine == ST_POSTGRES ? vacuum(part) : NULL;
  if (st_ok(part)) st_compact(part, sql, &busy);
  if (!st_ok(part) || !busy) return;
  st_fail(part, STELE_BUSY, NULL, "%s: the rows are gone, but a reader keeps the log from being emptied", part->store->store->name);
  st_hint(part, "end what reads the store, and call again");
}

void st_forget_derived(st_forget_store *store) {
  st_call *part = store->part;
  make_index(part);
  drop_codes(part);
  int notes = st_ok(part) ? st_shared_feature(part, ST_TF_DOCUMENTS) : -1;
  if (notes >= 0 && st_feature_has(part, notes) && store->all->nforms > 0) st_call_transaction(part, true, blank_notes, store);
  if (st_ok(part)) write_anew(part);
}
