/* system.c - the library's methods about itself: stele.version, stele.methods. */
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "base/json.h"
#include "engine/handle.h"
#include "engine/sqlite_wal.h"
#include "engine/system.h"
#include "registry_ids.h"

#define TEXT_MAX (1u << 20)

void st_stele_version(st_call *call) {
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_STELE_VERSION_VERSION] = st_textz(STELE_VERSION);
  row[ST_R_STELE_VERSION_SQLITE] = st_textz(sqlite3_libversion());
  row[ST_R_STELE_VERSION_SQLITE_WAL_SAFE] = st_bool(st_sqlite_wal_safe(st_sqlite_version()));
  row[ST_R_STELE_VERSION_POSTGRES] = st_bool(st_drivers[ST_POSTGRES] != NULL);
}

static const char *type_name(const stele_field *field) {
  static const char *const names[] = {"text",  "int",    "real", "bool",   "json",    "jsontext", "time", "uuid",    "duration",
                                      "query", "vector", "blob", "record", "content", "date",     "cron", "timezone"};
  return names[field->type];
}

static void add_text(st_str *out, const char *name, const char *text) {
  st_str_addf(out, ",\"%s\":", name);
  st_json_add_string(out, text, strlen(text));
}

static void add_limits(st_str *out, const stele_field *field) {
  if (!isinf(field->min)) {
    st_str_addz(out, ",\"min\":");
    st_json_add_real(out, field->min);
  }
  if (!isinf(field->max)) {
    st_str_addz(out, ",\"max\":");
    st_json_add_real(out, field->max);
  }
  for (const char *const *choice = field->choices; choice && *choice; choice++) {
    st_str_addz(out, choice == field->choices ? ",\"choices\":[" : ",");
    st_json_add_string(out, *choice, strlen(*choice));
    if (!choice[1]) st_str_addc(out, ']');
  }
}

/* A default as JSON; `now` and `new` as texts. */
static void add_default(st_str *out, const stele_field *field) {
  bool word = field->fallback && (strcmp(field->fallback, "now") == 0 || strcmp(field->fallback, "new") == 0);
  if (word)
    add_text(out, "default", field->fallback);
  else if (field->fallback)
    st_str_addf(out, ",\"default\":%s", field->fallback);
}

static void add_field(st_str *out, const stele_field *field) {
  st_str_addz(out, "{\"name\":");
  st_json_add_string(out, field->name, strlen(field->name));
  add_text(out, "type", type_name(field));
  if (field->record) add_text(out, "record", field->record->name);
  if (field->flags & STELE_LIST) st_str_addz(out, ",\"list\":true");
  if (field->flags & STELE_NULLABLE) st_str_addz(out, ",\"nullable\":true");
  if ((field->flags & STELE_OPTIONAL) || field->fallback) st_str_addz(out, ",\"optional\":true");
  if (field->flags & STELE_SECRET) st_str_addz(out, ",\"secret\":true");
  add_default(out, field);
  add_limits(out, field);
  add_text(out, "doc", field->doc);
  st_str_addc(out, '}');
}

static st_value fields_json(st_call *call, const stele_field *fields, size_t count) {
  st_value value = {.type = ST_NULL};
  st_str out;
  st_str_init(&out, TEXT_MAX);
  st_str_addc(&out, '[');
  for (size_t i = 0; i < count; i++) {
    if (i) st_str_addc(&out, ',');
    add_field(&out, &fields[i]);
  }
  st_str_addc(&out, ']');
  if (out.failed)
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
  else
    value = st_textz(st_call_copy(call, out.text, out.length));
  st_str_free(&out);
  return value;
}

int st_wanted_store(st_call *call, int param) {
  int index = -1;
  if (st_has(call, param) && !st_store_find(st_arg_text(call, param), &index))
    st_fail(call, STELE_NOTFOUND, "store", "there is no store %.100s", st_arg_text(call, param));
  return index;
}

void st_stele_methods(st_call *call) {
  const char *store = st_arg_text(call, ST_P_STELE_METHODS_STORE);
  if (store && !st_group_exists(store)) st_wanted_store(call, ST_P_STELE_METHODS_STORE);
  const stele_method *method;
  for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++) {
    if (store && strcmp(store, method->store) != 0) continue;
    st_value *row = st_reply(call);
    if (!row) return;
    row[ST_R_STELE_METHODS_NAME] = st_textz(method->name);
    row[ST_R_STELE_METHODS_STORE] = st_textz(method->store);
    row[ST_R_STELE_METHODS_SHAPE] = st_textz(method->shape);
    row[ST_R_STELE_METHODS_ACCESS] = st_textz(method->access);
    row[ST_R_STELE_METHODS_DOC] = st_textz(method->doc);
    row[ST_R_STELE_METHODS_PARAMS] = fields_json(call, method->params, method->nparams);
    row[ST_R_STELE_METHODS_OUTSIDE] = st_bool((method->flags & STELE_METHOD_OUTSIDE) != 0);
    row[ST_R_STELE_METHODS_IDEMPOTENT] = st_textz(method->idempotent);
    row[ST_R_STELE_METHODS_HTTP] = st_textz(method->http);
    row[ST_R_STELE_METHODS_RESULTS] = fields_json(call, method->results, method->nresults);
  }
}
