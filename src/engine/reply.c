/* reply.c - values as JSON, by the declared type of each result. */
#include "engine/reply.h"

#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/vector.h"

/* A JSON column is put into the reply as it is, if it is JSON: a damaged one becomes a text, so
** that it cannot damage the reply. */
static void add_json(st_str *out, const st_value *value, st_arena *scratch) {
  st_json_error error;
  if (st_json_parse(scratch, value->bytes, value->length, 0, &error))
    st_str_add(out, value->bytes, value->length);
  else if (error.nomem)
    out->failed = true;
  else
    st_json_add_string(out, value->bytes, value->length);
}

/* A content is a text, or JSON behind its mark. */
static void add_content(st_str *out, const st_value *value, st_arena *scratch) {
  size_t mark = sizeof ST_CONTENT_MARK - 1;
  if (value->length <= mark || memcmp(value->bytes, ST_CONTENT_MARK, mark) != 0) {
    st_json_add_string(out, value->bytes, value->length);
    return;
  }
  st_json_error error;
  if (st_json_parse(scratch, value->bytes + mark, value->length - mark, 0, &error))
    st_str_add(out, value->bytes + mark, value->length - mark);
  else if (error.nomem)
    out->failed = true;
  else
    st_json_add_string(out, value->bytes, value->length); /* with its mark: as it is */
}

static void add_value(st_str *out, const stele_field *field, const st_value *value, st_arena *scratch) {
  switch (value->type) {
    case ST_INT:
      if (field->type == STELE_TYPE_BOOL)
        st_str_addz(out, value->integer ? "true" : "false");
      else
        st_json_add_int(out, value->integer);
      return;
    case ST_REAL: st_json_add_real(out, value->real); return;
    case ST_TEXT:
      if (field->type == STELE_TYPE_JSON)
        add_json(out, value, scratch);
      else if (field->type == STELE_TYPE_CONTENT)
        add_content(out, value, scratch);
      else
        st_json_add_string(out, value->bytes, value->length);
      return;
    case ST_BLOB:
      if (field->type == STELE_TYPE_VECTOR) {
        st_vector_add(out, value->bytes, value->length / ST_VECTOR_BYTES);
        return;
      }
      st_str_addc(out, '"');
      st_base64_add(out, value->bytes, value->length);
      st_str_addc(out, '"');
      return;
    default: st_str_addz(out, "null");
  }
}

static void add_member(st_str *out, bool first, const stele_field *field, const st_value *value, st_arena *scratch) {
  if (!first) st_str_addc(out, ',');
  st_json_add_string(out, field->name, strlen(field->name));
  st_str_addc(out, ':');
  add_value(out, field, value, scratch);
}

void st_reply_row(st_str *out, const st_method *method, const st_value *values, st_arena *scratch) {
  st_str_addc(out, '{');
  for (size_t i = 0; values && i < method->public.nresults; i++)
    add_member(out, i == 0, &method->public.results[i], &values[i], scratch);
  st_str_addc(out, '}');
}

void st_reply_all(st_call *call) {
  const st_method *method = call->method;
  st_str_clear(call->text);
  if (method->shape == ST_SHAPE_MANY) st_str_addc(call->text, '[');
  for (const st_row *row = call->first; row; row = row->next) {
    if (row != call->first) st_str_addc(call->text, ',');
    st_reply_row(call->text, method, row->values, call->arena);
    if (method->shape != ST_SHAPE_MANY) break;
  }
  if (method->shape == ST_SHAPE_MANY)
    st_str_addc(call->text, ']');
  else if (!call->first)
    st_str_addz(call->text, method->shape == ST_SHAPE_NONE ? "{}" : "null");
  if (call->text->failed) st_fail(call, STELE_NOMEM, NULL, "the reply does not fit into memory");
}

bool st_reply_room(st_call *call, size_t bytes) {
  if (!call->text) return true;
  st_str_addf(call->text, "%*s", (int)bytes, "");
  if (call->text->failed) st_fail(call, STELE_NOMEM, NULL, "the reply does not fit into memory");
  st_str_clear(call->text);
  return st_ok(call);
}

void st_reply_args(st_str *out, const st_method *method, const st_value *values, st_arena *scratch) {
  bool first = true;
  st_str_addc(out, '{');
  for (size_t i = 0; i < method->public.nparams; i++) {
    if (values[i].type == ST_ABSENT) continue;
    add_member(out, first, &method->public.params[i], &values[i], scratch);
    first = false;
  }
  st_str_addc(out, '}');
}
