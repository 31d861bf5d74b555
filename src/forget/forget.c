/* forget.c - stele.forget, stele.forgotten: store by store, then the files beside them. */
#include "forget/forget.h"

#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "engine/round.h"
#include "forget/parts.h"
#include "registry_ids.h"

st_value *st_forget_tell(st_forget *all, const char *store, const char *action, const char *name, const char *note) {
  st_value *row = name ? st_reply(all->call) : NULL;
  if (!row) return NULL;
  row[ST_R_STELE_FORGET_STORE] = st_textz(store);
  row[ST_R_STELE_FORGET_ACTION] = st_textz(action);
  row[ST_R_STELE_FORGET_NAME] = st_call_text(all->call, name, strlen(name));
  row[ST_R_STELE_FORGET_NOTE] = st_textz(note);
  return row;
}

/* ---- What was asked for ---- */

static void add_form(st_forget *all, st_str *out) {
  const char *form = st_take(all->call, out).bytes;
  for (int i = 0; form && i < all->nforms; i++)
    if (strcmp(all->forms[i], form) == 0) return;
  if (!form) return;
  all->forms[all->nforms++] = form;
  if (!all->partial && !st_needles_add(&all->needles, form, strlen(form))) st_fail(all->call, STELE_NOMEM, NULL, "out of memory");
}

static uint32_t code_of(const char *at, int size) {
  static const unsigned char first[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  if (size <= 0) return 0xFFFD; /* arguments are UTF-8: it does not come to this */
  uint32_t code = (unsigned char)at[0] & first[size];
  for (int i = 1; i < size; i++) code = code << 6 | ((unsigned char)at[i] & 0x3Fu);
  return code;
}

/* As JSON writers that keep to ASCII write it. */
static void add_escaped(st_str *out, const char *text, size_t length) {
  for (const char *at = text, *end = text + length; at < end;) {
    int size = st_utf8_char(at, end);
    uint32_t code = code_of(at, size);
    if (code < 0x80)
      st_str_addc(out, *at);
    else if (code < 0x10000)
      st_str_addf(out, "\\u%04x", code);
    else
      st_str_addf(out, "\\u%04x\\u%04x", 0xD800 + ((code - 0x10000) >> 10), 0xDC00 + ((code - 0x10000) & 0x3FF));
    at += size > 0 ? size : 1;
  }
}

static void read_text(st_forget *all) {
  const st_value *text = &all->call->args[ST_P_STELE_FORGET_TEXT];
  st_str plain, json, ascii;
  if (!st_has(all->call, ST_P_STELE_FORGET_TEXT)) return;
  if (text->length == 0 || memchr(text->bytes, '\0', text->length)) {
    st_fail(all->call, STELE_INVALID, "text", "text: it must be a text of at least one character, without NUL");
    return;
  }
  st_str_init(&plain, 1u << 24);
  st_str_init(&json, 1u << 24);
  st_str_init(&ascii, 1u << 24);
  st_str_add(&plain, text->bytes, text->length);
  add_form(all, &plain);
  st_json_add_string(&json, text->bytes, text->length);
  if (!json.failed) add_escaped(&ascii, json.text + 1, json.length - 2);
  if (!json.failed) { /* without its quotes */
    memmove(json.text, json.text + 1, json.length - 2);
    json.length -= 2;
    json.text[json.length] = '\0';
  }
  add_form(all, &json);
  add_form(all, &ascii);
}

static void read_criteria(st_forget *all) {
  st_call *call = all->call;
  all->dry = st_arg_int(call, ST_P_STELE_FORGET_DRY_RUN) != 0;
  all->narrowed = st_has(call, ST_P_STELE_FORGET_SESSION) || st_has(call, ST_P_STELE_FORGET_PROJECT) || st_has(call, ST_P_STELE_FORGET_SOURCE) ||
                  st_has(call, ST_P_STELE_FORGET_SINCE) || st_has(call, ST_P_STELE_FORGET_UNTIL);
  bool kinds = call->args[ST_P_STELE_FORGET_KINDS].count > 0;
  bool text = st_has(call, ST_P_STELE_FORGET_TEXT);
  all->partial = !text || all->narrowed || kinds;
  if (!text && !all->narrowed && !kinds)
    st_fail(call, STELE_INVALID, "text", "says nothing of what is to be forgotten: session, project, source, since, until, text or kinds");
  read_text(all);
}

/* One that was misspelt would forget nothing, and nobody would know. */
static bool is_known(const char *name, bool store) {
  for (uint16_t i = 0; i < st_registry.nstores; i++) {
    const st_store *of = &st_registry.stores[i];
    if (store && strcmp(of->name, name) == 0) return true;
    for (uint16_t k = 0; k < of->nforgets && !store; k++) {
      if (strcmp(of->forgets[k].table, name) == 0) return true;
      for (int j = 0; of->forgets[k].kinds[j]; j++)
        if (strcmp(of->forgets[k].kinds[j], name) == 0) return true;
    }
  }
  return false;
}

static void check_names(st_call *call, int param, bool store) {
  const st_value *list = &call->args[param];
  for (uint32_t i = 0; i < list->count && st_ok(call); i++)
    if (!is_known(list->items[i].bytes, store))
      st_fail(call, STELE_NOTFOUND, call->method->public.params[param].name, "there is no %s %.100s", store ? "store" : "table or kind", list->items[i].bytes);
}

/* ---- The stores ---- */

static bool is_wanted(const st_call *call, const char *name) {
  const st_value *stores = &call->args[ST_P_STELE_FORGET_STORES];
  bool named = stores->count == 0;
  for (uint32_t i = 0; i < stores->count && !named; i++) named = strcmp(stores->items[i].bytes, name) == 0;
  return named;
}

/* Pages are overwritten with zeros as soon as they are free, also in case nobody comes to write the file anew. */
static void overwrite(st_call *part) {
  if (!st_ok(part) || part->store->driver->engine != ST_SQLITE) return;
  stele_status status = part->store->driver->script(part->store->conn, "PRAGMA secure_delete = ON");
  if (status != STELE_OK) st_fail_conn(part, status);
}

static void forget_in(st_forget *all, int index) {
  st_call *call = all->call, part = *call;
  st_opened *opened = &call->db->stores[index];
  st_forget_store store = {.all = all, .part = &part, .last = call->last};
  part.first = part.last = NULL;
  part.text = NULL;
  if (!is_wanted(call, opened->store->name) || !st_round_is_there(call, opened)) return;
  if (call->db->tx == opened) {
    st_fail(call, STELE_MISUSE, NULL, "cannot run inside a transaction");
    return;
  }
  if (!st_handle_store(call->db, index, call->error, &part.store)) return;
  st_features_ensure(&part);
  if (!all->dry) overwrite(&part);
  st_call_transaction(&part, true, st_forget_rows, &store);
  if (all->dry || !st_ok(&part)) return;
  st_forget_derived(&store);
  st_forget_prove(&store);
}

void st_stele_forget(st_call *call) {
  st_forget all = {.call = call};
  read_criteria(&all);
  check_names(call, ST_P_STELE_FORGET_STORES, true);
  check_names(call, ST_P_STELE_FORGET_KINDS, false);
  for (int i = 0; i < st_registry.nstores && st_ok(call); i++) forget_in(&all, i);
  if (st_ok(call)) st_forget_beside(&all);
  st_needles_free(&all.needles);
}

/* ---- What was forgotten ---- */

static void tell_records(st_call *call, st_call *part) {
  st_rows rows;
  st_value limit = call->args[ST_P_STELE_FORGOTTEN_LIMIT];
  st_rows_start(part, &rows, st_shared(part, ST_T_FORGOTTEN), &limit);
  while (st_rows_next(part, &rows)) {
    st_value *row = st_reply(call);
    if (!row) break;
    row[ST_R_STELE_FORGOTTEN_STORE] = st_textz(part->store->store->name);
    st_rows_keep(part, &rows, row + ST_R_STELE_FORGOTTEN_FORGOTTEN_AT);
  }
  st_rows_end(part, &rows);
}

void st_stele_forgotten(st_call *call) {
  for (int i = 0; i < st_registry.nstores && st_ok(call); i++) {
    st_call part = *call;
    if (!st_round_is_there(call, &call->db->stores[i]) || !st_handle_store(call->db, i, call->error, &part.store)) continue;
    st_features_ensure(&part);
    if (st_ok(call) && st_feature_look(&part, st_shared_feature(&part, ST_TF_FORGETTING))) tell_records(call, &part);
  }
}
