/* typed.c - see typed.h. */
#include "play/typed.h"

#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/vector.h"
#include "engine/value.h"
#include "fault/fault.h"

#define MEMORY (64u << 20)

static const stele_field *param_of(const stele_method *method, const char *name) {
  for (size_t i = 0; method && i < method->nparams; i++)
    if (strcmp(method->params[i].name, name) == 0) return &method->params[i];
  return NULL;
}

static stele_status bind_string(stele_stmt *stmt, const st_json *value, const stele_field *param, st_arena *arena) {
  if (param && param->type == STELE_TYPE_BLOB) {
    size_t length = 0;
    bool bad = false;
    const void *bytes = st_base64_decode(arena, value->text, value->length, &length, &bad);
    if (bytes) return stele_bind_blob(stmt, value->key, bytes, length);
  }
  return stele_bind_text(stmt, value->key, value->text, value->length);
}

/* true is 1 where a bool is wanted, and nothing but itself elsewhere. */
static stele_status bind_json(stele_stmt *stmt, const st_json *value, st_arena *arena) {
  return stele_bind_json(stmt, value->key, st_arena_copy(arena, value->raw, value->raw_length));
}

static stele_status bind(stele_stmt *stmt, const st_json *value, const stele_field *param, st_arena *arena) {
  if (param && param->type == STELE_TYPE_JSON) return bind_json(stmt, value, arena);
  switch (value->type) {
    case ST_JSON_NULL: return stele_bind_null(stmt, value->key);
    case ST_JSON_INT: return stele_bind_int(stmt, value->key, value->integer);
    case ST_JSON_REAL: return stele_bind_real(stmt, value->key, value->real);
    case ST_JSON_STRING: return bind_string(stmt, value, param, arena);
    case ST_JSON_BOOL:
      if (param && param->type == STELE_TYPE_BOOL) return stele_bind_int(stmt, value->key, value->boolean);
      return bind_json(stmt, value, arena);
    default: return bind_json(stmt, value, arena);
  }
}

static stele_status bind_all(stele_stmt *stmt, const stele_method *method, const st_json *args, st_arena *arena) {
  stele_status status = STELE_OK;
  for (const st_json *member = args->first; member && status == STELE_OK; member = member->next) {
    const stele_field *param = param_of(method, member->key);
    fault_enter();
    status = bind(stmt, member, param, arena);
    fault_leave();
  }
  return status;
}

#define MARK (sizeof ST_CONTENT_MARK - 1)

/* Is it a content that is JSON, not a text? */
static bool is_marked(const char *text, size_t length) {
  return length > MARK && memcmp(text, ST_CONTENT_MARK, MARK) == 0;
}

static void add_column(st_str *reply, stele_stmt *stmt, size_t i, stele_type type) {
  switch (stele_column_type(stmt, i)) {
    case STELE_NULL: st_str_addz(reply, "null"); return;
    case STELE_INT:
      if (type == STELE_TYPE_BOOL)
        st_str_addz(reply, stele_column_int(stmt, i) ? "true" : "false");
      else
        st_json_add_int(reply, stele_column_int(stmt, i));
      return;
    case STELE_REAL: st_json_add_real(reply, stele_column_real(stmt, i)); return;
    case STELE_TEXT:
      if (type == STELE_TYPE_JSON)
        st_str_add(reply, stele_column_text(stmt, i), stele_column_bytes(stmt, i));
      else if (type == STELE_TYPE_CONTENT && is_marked(stele_column_text(stmt, i), stele_column_bytes(stmt, i)))
        st_str_add(reply, stele_column_text(stmt, i) + MARK, stele_column_bytes(stmt, i) - MARK);
      else
        st_json_add_string(reply, stele_column_text(stmt, i), stele_column_bytes(stmt, i));
      return;
    case STELE_BLOB:
      if (type == STELE_TYPE_VECTOR) {
        st_vector_add(reply, stele_column_text(stmt, i), stele_column_bytes(stmt, i) / ST_VECTOR_BYTES);
        return;
      }
      st_str_addc(reply, '"');
      st_base64_add(reply, stele_column_text(stmt, i), stele_column_bytes(stmt, i));
      st_str_addc(reply, '"');
  }
}

static void add_row(st_str *reply, stele_stmt *stmt, const stele_method *method) {
  st_str_addc(reply, '{');
  for (size_t i = 0; i < stele_column_count(stmt); i++) {
    if (i) st_str_addc(reply, ',');
    st_json_add_string(reply, method->results[i].name, strlen(method->results[i].name));
    st_str_addc(reply, ':');
    add_column(reply, stmt, i, method->results[i].type);
  }
  st_str_addc(reply, '}');
}

static stele_status step(stele_stmt *stmt) {
  fault_enter();
  stele_status status = stele_step(stmt);
  fault_leave();
  return status;
}

static stele_status collect(stele_stmt *stmt, const stele_method *method, st_str *reply) {
  bool many = strcmp(method->shape, "many") == 0;
  stele_status status;
  size_t rows = 0;
  if (many) st_str_addc(reply, '[');
  while ((status = step(stmt)) == STELE_ROW) {
    if (rows++) st_str_addc(reply, ',');
    add_row(reply, stmt, method);
  }
  if (status != STELE_DONE) return status;
  if (many)
    st_str_addc(reply, ']');
  else if (rows == 0)
    st_str_addz(reply, strcmp(method->shape, "none") == 0 ? "{}" : "null");
  return step(stmt) == STELE_DONE ? STELE_OK : STELE_MISUSE; /* done stays done */
}

stele_status typed_call(stele_db *db, const char *name, const char *args, st_str *reply) {
  st_arena arena;
  st_json_error error;
  stele_stmt *stmt = NULL;
  const stele_method *method = stele_method_find(name);
  st_arena_init(&arena, MEMORY);
  const st_json *json = st_json_parse(&arena, args, strlen(args), 0, &error);
  stele_status status = STELE_MISUSE;
  if (json && json->type == ST_JSON_OBJECT) {
    fault_enter();
    status = stele_prepare(db, name, &stmt);
    fault_leave();
    if (status == STELE_OK) status = bind_all(stmt, method, json, &arena);
    if (status == STELE_OK) status = collect(stmt, method, reply);
    stele_finalize(stmt);
  }
  st_arena_free(&arena);
  return status;
}
