/* find.c - see find.h. */
#include "play/find.h"

#include <string.h>

#include "base/json.h"
#include "engine/handle.h"
#include "search/documents.h"
#include "search/meaning.h"

#define MEMORY (UINT64_C(256) << 20)

/* A call of the store's, as a method of it would have. */
static bool start(st_call *call, stele_db *db, const char *name, st_arena *arena, st_error *error) {
  int store = -1;
  *error = (st_error){.status = STELE_OK};
  st_arena_init(arena, MEMORY);
  *call = (st_call){.db = db, .arena = arena, .error = error};
  const st_store *found = st_store_find(name, &store);
  if (!found || !st_handle_store(db, store, error, &call->store)) {
    if (!found) error->status = STELE_MISUSE;
    return false;
  }
  call->method = &st_registry.methods[found->sources[0].page_method];
  st_str_clear(&db->notes);
  return true;
}

static const st_value *list_of(st_call *call, const st_json *options, const char *name) {
  const st_json *list = st_json_get(options, name);
  st_value *found = list ? st_call_alloc(call, sizeof *found) : NULL;
  if (!found) return NULL;
  st_value *items = st_call_alloc(call, (list->length + 1) * sizeof *items);
  *found = (st_value){.type = ST_LIST, .items = items, .width = 1};
  for (const st_json *item = list->first; items && item; item = item->next) items[found->count++] = st_textz(item->text);
  return found;
}

static double number_of(const st_json *options, const char *name, double otherwise) {
  const st_json *number = st_json_get(options, name);
  return number ? number->real : otherwise;
}

static void add_text(st_str *out, const char *name, const st_value *value) {
  st_str_addf(out, ",\"%s\":", name);
  if (value->type == ST_TEXT)
    st_json_add_string(out, value->bytes, value->length);
  else
    st_str_addz(out, "null");
}

static void add_hit(st_call *call, st_str *out, const st_document_hit *hit) {
  st_document document;
  st_value id = st_textz(hit->id), kind = st_textz(hit->kind);
  st_documents_read(call, hit->kind, &id, 1, &document);
  st_str_addf(out, "%s{\"time\":%.3f", out->length > 1 ? "," : "", hit->time);
  add_text(out, "kind", &kind);
  add_text(out, "id", &id);
  add_text(out, "title", &document.title);
  add_text(out, "text", &document.text);
  st_str_addc(out, '}');
}

static st_document_filter filter_of(st_call *call, const st_json *options) {
  return (st_document_filter){list_of(call, options, "kinds"),        list_of(call, options, "roles"),
                              list_of(call, options, "sessions"),     list_of(call, options, "projects"),
                              number_of(options, "since", -HUGE_VAL), number_of(options, "until", HUGE_VAL)};
}

bool find_add(st_str *out, stele_db *db, const char *store, const char *text, st_error *error) {
  st_arena arena;
  st_call call;
  st_documents_found found = {0};
  st_json_error wrong;
  if (start(&call, db, store, &arena, error)) {
    const st_json *options = st_json_parse(&arena, text, strlen(text), 0, &wrong);
    const st_json *query = st_json_get(options, "query");
    int limit = (int)number_of(options, "limit", 1000);
    st_document_filter filter = filter_of(&call, options);
    if (query)
      st_documents_find(&call, st_query_parse(&arena, query->text, strlen(query->text)), &filter, ST_ORDER_RANK, limit, &found);
    else
      st_documents_list(&call, &filter, ST_ORDER_OLDEST, limit, &found);
    st_str_addc(out, '[');
    for (int i = 0; i < found.count && st_ok(&call); i++) add_hit(&call, out, &found.hits[i]);
    st_str_addc(out, ']');
  }
  st_arena_free(&arena);
  return error->status == STELE_OK;
}

bool find_index(st_str *out, stele_db *db, const char *store, bool rebuild, st_error *error) {
  st_arena arena;
  st_call call;
  int64_t indexed = 0;
  if (start(&call, db, store, &arena, error)) st_documents_index(&call, rebuild, &indexed);
  st_str_addf(out, "%lld", (long long)indexed);
  st_arena_free(&arena);
  return error->status == STELE_OK;
}

/* ---- By meaning ---- */

static float *vector_of(st_call *call, const st_json *list, size_t *dimension) {
  float *vector = st_call_alloc(call, (list->length + 1) * sizeof *vector);
  *dimension = 0;
  for (const st_json *item = list->first; vector && item; item = item->next) vector[(*dimension)++] = (float)item->real;
  return vector;
}

static void embed_row(st_call *call, const char *model, const st_json *row) {
  size_t dimension;
  float *vector = vector_of(call, st_json_get(row, "vector"), &dimension);
  if (vector)
    st_meaning_keep(call, &(st_embedding){.kind = st_json_get(row, "kind")->text, .id = st_json_get(row, "id")->text, .model = model,
                                          .vector = vector, .dimension = dimension, .text_hash = 7, .origin = ST_ORIGIN_MODEL});
}

bool find_embed(st_str *out, stele_db *db, const char *store, const char *text, st_error *error) {
  st_arena arena;
  st_call call;
  st_json_error wrong;
  if (start(&call, db, store, &arena, error)) {
    const st_json *options = st_json_parse(&arena, text, strlen(text), 0, &wrong);
    const st_json *model = st_json_get(options, "model"), *clear = st_json_get(options, "clear");
    st_call_begin(&call, true);
    if (st_ok(&call)) {
      if (clear) st_meaning_clear(&call, (size_t)clear->real);
      for (const st_json *row = st_json_get(options, "rows")->first; row && st_ok(&call); row = row->next)
        if (st_json_get(row, "vector")) embed_row(&call, model->text, row);
        else st_meaning_forget(&call, st_json_get(row, "kind")->text, st_json_get(row, "id")->text, ST_ORIGIN_ANY);
      st_call_end(&call);
    }
  }
  st_str_addz(out, "null");
  st_arena_free(&arena);
  return error->status == STELE_OK;
}

bool find_near(st_str *out, stele_db *db, const char *store, const char *text, st_error *error) {
  st_arena arena;
  st_call call;
  st_json_error wrong;
  int count = 0;
  if (start(&call, db, store, &arena, error)) {
    const st_json *options = st_json_parse(&arena, text, strlen(text), 0, &wrong);
    size_t dimension;
    int limit = (int)number_of(options, "limit", 10);
    float *vector = vector_of(&call, st_json_get(options, "vector"), &dimension);
    st_document_filter filter = filter_of(&call, options);
    st_meant *found = st_call_alloc(&call, ((size_t)limit + 1) * sizeof *found);
    if (st_ok(&call)) st_meaning_find(&call, vector, dimension, &filter, limit, found, &count);
    st_str_addc(out, '[');
    for (int i = 0; i < count && st_ok(&call); i++)
      st_str_addf(out, "%s[\"%s\",\"%s\",%.6f]", i ? "," : "", found[i].kind, found[i].id, found[i].similarity);
    st_str_addc(out, ']');
  }
  st_arena_free(&arena);
  return error->status == STELE_OK;
}

bool find_code(st_str *out, stele_db *db, const char *store, st_error *error) {
  st_arena arena;
  st_call call;
  int64_t coded = 0;
  if (start(&call, db, store, &arena, error)) st_meaning_index(&call, &coded);
  st_str_addf(out, "%lld", (long long)coded);
  st_arena_free(&arena);
  return error->status == STELE_OK;
}
