/* rows.c - which rows go, and their removal: through what sql/<store>/forget.sql declares.  See parts.h. */
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "engine/args.h"
#include "engine/feature.h"
#include "engine/idempotency.h"
#include "forget/parts.h"
#include "registry_ids.h"
#include "search/documents.h"
#include "search/sources.h"

bool st_forget_has(const st_call *part, const st_forgettable *table) { return table->needs < 0 || st_feature_has(part, table->needs); }

static bool is_named(const st_value *list, const char *name) {
  for (uint32_t i = 0; i < list->count; i++)
    if (strcmp(list->items[i].bytes, name) == 0) return true;
  return false;
}

/* Is the table asked for, by its name or that of something that is found in it? */
static bool is_wanted(const st_forget *all, const st_forgettable *table) {
  const st_value *kinds = &all->call->args[ST_P_STELE_FORGET_KINDS];
  if (kinds->count == 0 || is_named(kinds, table->table)) return true;
  for (int i = 0; table->kinds[i]; i++)
    if (is_named(kinds, table->kinds[i])) return true;
  return false;
}

/* ---- Noting ---- */

/* What the caller said, in the store's own form of times. */
static bool set_arguments(st_call *part, const st_call *call, const st_method *method, st_value values[ST_FORGET_PARAMS]) {
  static const int said[] = {ST_P_STELE_FORGET_SESSION, ST_P_STELE_FORGET_PROJECT, ST_P_STELE_FORGET_SOURCE, ST_P_STELE_FORGET_SINCE, ST_P_STELE_FORGET_UNTIL};
  st_args args = {method, part->store->store->time_form, part->arena, part->error, values};
  for (int i = 0; i < ST_FORGET_PARAMS; i++) values[i] = (st_value){.type = ST_ABSENT};
  for (int i = 0; i < ST_FORGET_TEXT; i++) {
    st_json seconds = {.type = ST_JSON_REAL};
    if (!st_has(call, said[i])) continue;
    if (i < ST_FORGET_SINCE) {
      values[i] = call->args[said[i]];
      continue;
    }
    seconds.real = st_arg_real(call, said[i]);
    if (!st_args_set(&args, method->public.params[i].name, &seconds)) return false;
  }
  return true;
}

static void choose(st_call *part, const st_forget *all, const st_forgettable *table) {
  st_value values[ST_FORGET_PARAMS];
  if (!set_arguments(part, all->call, &st_registry.methods[table->choose], values)) return;
  if (all->nforms == 0) st_run(part, table->choose, values);
  for (int i = 0; i < all->nforms; i++) {
    values[ST_FORGET_TEXT] = st_textz(all->forms[i]);
    st_run(part, table->choose, values);
  }
}

/* A text is taken out of rows that stay only where nothing else was said: what else they hold nobody asked for. */
static void redact(st_call *part, const st_forget *all, const st_forgettable *table) {
  for (int i = 0; i < all->nforms && table->redact >= 0 && !all->narrowed; i++) {
    st_value text = st_textz(all->forms[i]);
    st_run(part, table->redact, &text);
  }
}

/* The one place that asks for legal holds: rows under one stay, and who goes with them. */
static void release_held(st_call *part, st_forget_store *store) {
  const st_store *of = part->store->store;
  if (!st_ok(part) || !st_feature_look(part, st_shared_feature(part, ST_TF_HOLDS))) return;
  for (uint16_t i = 0; i < of->nforgets && st_ok(part); i++) {
    const st_forgettable *table = &of->forgets[i];
    st_rows rows;
    if (table->held < 0 || !st_forget_has(part, table)) continue;
    st_rows_start(part, &rows, table->held, NULL);
    while (st_rows_next(part, &rows)) {
      st_value values[2];
      char note[80];
      st_rows_keep(part, &rows, values);
      int length = st_ok(part) ? snprintf(note, sizeof note, "under legal hold %lld: they stay", (long long)values[0].integer) : 0;
      st_value *row = st_ok(part) ? st_forget_tell(store->all, of->name, "held", table->table, st_call_copy(part, note, (size_t)length)) : NULL;
      if (row) row[ST_R_STELE_FORGET_ROWS] = values[1];
      if (row) store->held += values[1].integer;
    }
    st_rows_end(part, &rows);
    st_run(part, table->release, NULL);
  }
}

static void note(st_call *part, st_forget_store *store) {
  const st_forget *all = store->all;
  const st_store *of = part->store->store;
  st_feature_need(part, st_shared_feature(part, ST_TF_FORGETTING));
  st_run(part, st_shared(part, ST_T_FORGET_CLEAR), NULL);
  for (uint16_t i = 0; i < of->nforgets && st_ok(part); i++)
    if (st_forget_has(part, &of->forgets[i]) && is_wanted(all, &of->forgets[i])) choose(part, all, &of->forgets[i]);
  release_held(part, store);
  for (uint16_t i = 0; i < of->nforgets && st_ok(part); i++)
    if (st_forget_has(part, &of->forgets[i]) && of->forgets[i].follow >= 0) st_run(part, of->forgets[i].follow, NULL);
  release_held(part, store); /* what goes with others may be held by itself */
  for (uint16_t i = 0; i < of->nforgets && st_ok(part); i++)
    if (st_forget_has(part, &of->forgets[i]) && is_wanted(all, &of->forgets[i])) redact(part, all, &of->forgets[i]);
}

static void tell_counts(st_call *part, st_forget_store *store) {
  st_rows rows;
  store->removed = store->redacted = 0;
  st_rows_start(part, &rows, st_shared(part, ST_T_FORGET_COUNTS), NULL);
  while (st_rows_next(part, &rows)) {
    st_value values[2];
    st_rows_keep(part, &rows, values);
    if (!st_ok(part)) break;
    char *name = st_call_copy(part, values[0].bytes, values[0].length);
    bool stays = name && values[0].length > 0 && name[values[0].length - 1] == '.';
    if (stays) name[values[0].length - 1] = '\0';
    *(stays ? &store->redacted : &store->removed) += values[1].integer;
    st_value *row = st_forget_tell(store->all, part->store->store->name, stays ? "redact" : "remove", name, NULL);
    if (row) row[ST_R_STELE_FORGET_ROWS] = values[1];
  }
  st_rows_end(part, &rows);
}

/* ---- What is to be looked for afterwards ---- */

/* A piece from the middle of a text stands for it; a short one could be anybody's. */
static void keep_piece(st_call *part, st_forget *all, const st_value *text) {
  if (text->type != ST_TEXT || text->length < ST_NEEDLE_PIECE) return;
  if (!st_needles_add(&all->needles, text->bytes + (text->length - ST_NEEDLE_PIECE) / 2, ST_NEEDLE_PIECE))
    st_fail(part, STELE_NOMEM, NULL, "out of memory");
}

static void keep_page(st_call *part, st_forget *all, const st_findable *source, st_value *ids, size_t count) {
  static const int texts[] = {ST_SOURCE_TITLE, ST_SOURCE_TEXT, ST_SOURCE_EXTRA};
  st_value list = {.type = ST_LIST, .items = ids, .count = (uint32_t)count};
  st_rows rows;
  if (count == 0) return;
  st_rows_start(part, &rows, source->rows_method, &list);
  while (st_rows_next(part, &rows))
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
      st_value text;
      st_rows_value(part, &rows, (size_t)texts[i], &text);
      keep_piece(part, all, &text);
    }
  st_rows_end(part, &rows);
}

/* Of rows that go by something other than their text. */
static void keep_pieces(st_call *part, st_forget *all, const st_forgettable *table, const char *kind) {
  enum { PAGE = 500 };
  const st_findable *source = st_source_find(part->store->store, kind);
  st_value args[] = {st_textz(table->table), st_textz(""), st_int(PAGE)}, ids[PAGE];
  size_t count = PAGE;
  while (source && count == PAGE && st_ok(part)) {
    st_rows rows;
    count = 0;
    st_rows_start(part, &rows, st_shared(part, ST_T_FORGET_KEYS), args);
    while (count < PAGE && st_rows_next(part, &rows)) st_rows_keep(part, &rows, &ids[count++]);
    st_rows_end(part, &rows);
    if (count > 0 && st_ok(part)) args[1] = ids[count - 1];
    for (size_t i = 0; i < count && st_ok(part); i++) ids[i] = st_source_key(source, ids[i].bytes, ids[i].length);
    if (st_ok(part)) keep_page(part, all, source, ids, count);
  }
}

/* ---- Removing ---- */

static void remove_embeddings(st_call *part, const st_forgettable *table) {
  for (int i = 0; table->kinds[i] && st_ok(part); i++) {
    st_value args[] = {st_textz(table->kinds[i]), st_textz(table->table)};
    st_run(part, st_shared(part, ST_T_FORGET_EMBEDDINGS), args);
  }
}

/* FTS5 keeps the words of deleted rows until it happens to merge them away. */
static void rebuild(st_call *part, const st_forgettable *table) {
  const st_driver *driver = part->store->driver;
  for (int i = 0; table->rebuild[i] && st_ok(part) && driver->engine == ST_SQLITE; i++) {
    char sql[200];
    bool there = false;
    stele_status status = driver->probe(part->store->conn, table->rebuild[i], NULL, &there);
    snprintf(sql, sizeof sql, "INSERT INTO %s(%s) VALUES ('rebuild')", table->rebuild[i], table->rebuild[i]);
    if (status == STELE_OK && there) status = driver->script(part->store->conn, sql);
    if (status != STELE_OK) st_fail_conn(part, status);
  }
}

static const char *criteria(st_call *call) {
  static const struct {
    int param;
    const char *name;
  } all[] = {{ST_P_STELE_FORGET_SESSION, "session"}, {ST_P_STELE_FORGET_PROJECT, "project"}, {ST_P_STELE_FORGET_SOURCE, "source"},
             {ST_P_STELE_FORGET_SINCE, "since"},     {ST_P_STELE_FORGET_UNTIL, "until"},     {ST_P_STELE_FORGET_TEXT, "text"}};
  st_str out;
  st_str_init(&out, 200);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (st_has(call, all[i].param)) st_str_addf(&out, "%s%s", out.length ? ", " : "", all[i].name);
  if (call->args[ST_P_STELE_FORGET_KINDS].count) st_str_addf(&out, "%skinds", out.length ? ", " : "");
  return st_take(call, &out).bytes;
}

static void record(st_call *part, const st_forget_store *store) {
  st_value id;
  st_value args[] = {st_real((double)st_time_now() / 1e6), st_textz(criteria(store->all->call)), st_int(store->removed), st_int(store->redacted)};
  if (store->removed + store->redacted > 0) st_one(part, st_shared(part, ST_T_FORGET_RECORD), args, &id);
}

static void remove_all(st_call *part, st_forget_store *store) {
  const st_store *of = part->store->store;
  st_forget *all = store->all;
  bool embedded = st_feature_has(part, st_shared_feature(part, ST_TF_EMBEDDINGS));
  for (uint16_t i = of->nforgets; i-- > 0 && st_ok(part);) {
    const st_forgettable *table = &of->forgets[i];
    if (!st_forget_has(part, table)) continue;
    for (int k = 0; table->kinds[k] && all->partial; k++) keep_pieces(part, all, table, table->kinds[k]);
    if (embedded) remove_embeddings(part, table);
    st_run(part, table->remove, NULL);
    rebuild(part, table);
  }
  for (int i = 0; i < all->nforms && st_ok(part); i++) {
    st_value text = st_textz(all->forms[i]);
    if (embedded) st_run(part, st_shared(part, ST_T_FORGET_EMBEDDINGS_OF), &text);
    st_idempotency_forget(part, &text);
  }
  record(part, store);
  st_run(part, st_shared(part, ST_T_FORGET_CLEAR), NULL);
}

bool st_forget_rows(st_call *part, void *user) {
  st_forget_store *store = user;
  st_call *call = store->all->call;
  call->last = store->last; /* if it is made again, nothing is told twice */
  *(call->last ? &call->last->next : &call->first) = NULL;
  store->held = 0;
  note(part, store);
  tell_counts(part, store);
  if (st_ok(part) && !store->all->dry) remove_all(part, store);
  return !store->all->dry;
}

/* ---- Looking again ---- */

typedef struct looking {
  const char *text;
  int64_t left;
} looking;

static bool look(st_call *part, void *user) {
  looking *l = user;
  const st_store *of = part->store->store;
  l->left = 0;
  for (uint16_t i = 0; i < of->nforgets && st_ok(part); i++) {
    const st_forgettable *table = &of->forgets[i];
    st_value text = st_textz(l->text), args[ST_FORGET_PARAMS];
    for (int k = 0; k < ST_FORGET_PARAMS; k++) args[k] = (st_value){.type = ST_ABSENT};
    args[ST_FORGET_TEXT] = text;
    if (!st_forget_has(part, table)) continue;
    l->left += st_run(part, table->choose, args);
    if (table->redact >= 0) l->left += st_run(part, table->redact, &text);
  }
  return false;
}

int64_t st_forget_left(st_call *part, const char *text) {
  looking l = {.text = text};
  st_call_transaction(part, true, look, &l);
  return l.left;
}
