/* read_toml.c - stele.read_toml: the library's reader of settings, for the doors. */
#include <string.h>

#include "base/json.h"
#include "base/toml.h"
#include "engine/system.h"
#include "registry_ids.h"

#define REPLY_MAX (16u << 20)

static const char *type_name(st_toml_type type) {
  static const char *const names[] = {"string", "int", "bool", "array", "table", "tables"};
  return names[type];
}

static void add_value(st_str *out, const st_toml *value) {
  switch (value->type) {
    case ST_TOML_STRING: st_json_add_string(out, value->text, value->length); break;
    case ST_TOML_INT: st_json_add_int(out, value->integer); break;
    case ST_TOML_BOOL: st_str_addz(out, value->integer ? "true" : "false"); break;
    case ST_TOML_ARRAY:
      st_str_addc(out, '[');
      for (const st_toml *one = value->first; one; one = one->next) {
        if (one != value->first) st_str_addc(out, ',');
        add_value(out, one);
      }
      st_str_addc(out, ']');
      break;
    default: st_str_addz(out, "null");
  }
}

static void add_row(st_str *out, const char *table, const char *key, st_toml_type type, const st_toml *value) {
  st_str_addz(out, out->length > 1 ? ",{\"table\":" : "{\"table\":");
  st_json_add_string(out, table, strlen(table));
  st_str_addz(out, ",\"key\":");
  if (key)
    st_json_add_string(out, key, strlen(key));
  else
    st_str_addz(out, "null");
  st_str_addf(out, ",\"type\":\"%s\",\"value\":", type_name(type));
  add_value(out, value);
  st_str_addf(out, ",\"line\":%d,\"start\":%zu,\"end\":%zu}", value->line, value->start, value->end);
}

static void add_table(st_str *out, const st_toml *table, const char *name) {
  for (const st_toml *at = table->first; at; at = at->next) {
    if (at->type == ST_TOML_TABLES) {
      for (const st_toml *one = at->first; one; one = one->next) {
        add_row(out, at->key, NULL, ST_TOML_TABLES, one);
        add_table(out, one, at->key);
      }
    } else if (at->type == ST_TOML_TABLE) {
      add_row(out, at->key, NULL, ST_TOML_TABLE, at);
      add_table(out, at, at->key);
    } else {
      add_row(out, name, at->key, at->type, at);
    }
  }
}

void st_stele_read_toml(st_call *call) {
  const st_value *text = &call->args[ST_P_STELE_READ_TOML_TEXT];
  st_toml_error error;
  st_str out;
  const st_toml *root = st_toml_parse(call->arena, text->bytes, text->length, &error);
  st_str_init(&out, REPLY_MAX);
  st_str_addc(&out, '[');
  if (root) add_table(&out, root, "");
  st_str_addc(&out, ']');
  if (out.failed || (!root && error.nomem)) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  char *values = out.failed ? NULL : st_call_copy(call, out.text, out.length);
  char *problem = root ? NULL : st_call_copy(call, error.message, strlen(error.message));
  st_str_free(&out);
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_STELE_READ_TOML_VALUES] = st_textz(values);
  if (root) return;
  row[ST_R_STELE_READ_TOML_PROBLEM] = st_textz(problem);
  row[ST_R_STELE_READ_TOML_LINE] = st_int(error.line);
}
