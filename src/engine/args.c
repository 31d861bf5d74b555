/* args.c - checks arguments against a method's declaration.  Nothing has been touched yet when a
** check fails: the error names the method and the field, and says what would be right. */
#include "engine/args.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/cron.h"
#include "base/number.h"
#include "base/time.h"
#include "base/uuid.h"
#include "base/vector.h"
#include "base/zone.h"

/* The place of a field, for people: "limit", or "invocations[3].status" inside a record. */
typedef struct place {
  const char *list;
  uint32_t index;
} place;

static bool fail(st_args *args, stele_status status, const place *in, const char *field, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static bool fail(st_args *args, stele_status status, const place *in, const char *field, const char *format, ...) {
  st_error *error = args->error;
  va_list rest;
  if (error->status != STELE_OK) return false;
  error->status = status;
  snprintf(error->method, sizeof error->method, "%s", args->method->public.name);
  if (in)
    snprintf(error->field, sizeof error->field, "%s[%u].%s", in->list, in->index, field);
  else
    snprintf(error->field, sizeof error->field, "%s", field);
  va_start(rest, format);
  int used = snprintf(error->message, sizeof error->message, "%s", args->method->public.name);
  vsnprintf(error->message + used, sizeof error->message - (size_t)used, format, rest);
  va_end(rest);
  return false;
}

static bool no_memory(st_args *args) { return fail(args, STELE_NOMEM, NULL, "", ": out of memory"); }

/* "telemetry.x: limit", and what is wrong with it, in two pieces. */
static bool wrong(st_args *args, const place *in, const stele_field *field, const char *words, const char *what) {
  if (in)
    return fail(args, STELE_INVALID, in, field->name, ": %s[%u].%s%s%s", in->list, in->index, field->name, words, what);
  return fail(args, STELE_INVALID, NULL, field->name, ": %s%s%s", field->name, words, what);
}

/* "telemetry.x: limit must be a whole number" */
static bool must_be(st_args *args, const place *in, const stele_field *field, const char *what) {
  return wrong(args, in, field, " must be ", what);
}

static void set_text(st_value *out, const char *text, size_t length) {
  out->type = ST_TEXT;
  out->bytes = text;
  out->length = length;
}

static bool copy_text(st_args *args, st_value *out, const char *text, size_t length) {
  char *copy = st_arena_copy(args->arena, text, length);
  if (!copy) return no_memory(args);
  set_text(out, copy, length);
  return true;
}

/* A time in the store's own form.  Numbers are in its own unit already, or seconds. */
bool st_args_time(st_args *args, st_value *out, st_micros micros) {
  char text[ST_TIME_MAX];
  if (args->time_form == ST_TIME_SECONDS) {
    out->type = ST_REAL;
    out->real = (double)micros / 1e6;
    return true;
  }
  if (args->time_form == ST_TIME_MILLIS) {
    out->type = ST_INT;
    out->integer = micros / 1000 - (micros % 1000 < 0);
    return true;
  }
  bool written = args->time_form == ST_TIME_ISO ? st_time_iso(micros, text) : st_time_sql(micros, text);
  return written && copy_text(args, out, text, strlen(text));
}

static bool time_from_number(st_args *args, st_value *out, const st_json *json) {
  if (args->time_form == ST_TIME_SECONDS) { /* as it is: no digit is lost */
    out->type = ST_REAL;
    out->real = json->real;
    return true;
  }
  if (args->time_form == ST_TIME_MILLIS) {
    out->type = ST_INT;
    out->integer = json->type == ST_JSON_INT ? json->integer : (int64_t)floor(json->real);
    return fabs(json->real) < 9e15;
  }
  if (fabs(json->real) > 9e11) return false;
  return st_args_time(args, out, (st_micros)floor(json->real * 1e6 + 0.5));
}

static bool check_time(st_args *args, const place *in, const stele_field *field, const st_json *json, st_value *out) {
  st_micros micros;
  bool good = false;
  if (json->type == ST_JSON_INT || json->type == ST_JSON_REAL)
    good = time_from_number(args, out, json);
  else if (json->type == ST_JSON_STRING && st_time_parse(json->text, json->length, &micros))
    good = st_args_time(args, out, micros);
  if (args->error->status != STELE_OK) return false;
  return good || must_be(args, in, field, "a time: an epoch number, or RFC 3339 such as \"2026-01-31T12:00:00Z\"");
}

#define DATE_LENGTH 10 /* YYYY-MM-DD */

/* Nothing but the one form, so that days compare as their texts do. */
static bool check_date(st_args *args, const place *in, const stele_field *field, const st_json *json, st_value *out) {
  st_micros midnight;
  if (json->type != ST_JSON_STRING || json->length != DATE_LENGTH || !st_time_parse(json->text, json->length, &midnight))
    return must_be(args, in, field, "a day: YYYY-MM-DD");
  set_text(out, json->text, json->length);
  return true;
}

static bool check_int(st_args *args, const place *in, const stele_field *field, const st_json *json, st_value *out) {
  out->type = ST_INT;
  if (json->type == ST_JSON_INT) {
    out->integer = json->integer;
    return true;
  }
  bool whole = json->type == ST_JSON_REAL && floor(json->real) == json->real && fabs(json->real) < 9007199254740992.0;
  if (!whole) return must_be(args, in, field, "a whole number");
  out->integer = (int64_t)json->real;
  return true;
}

static bool check_real(st_args *args, const place *in, const stele_field *field, const st_json *json, st_value *out) {
  if (json->type != ST_JSON_INT && json->type != ST_JSON_REAL) return must_be(args, in, field, "a number");
  out->type = ST_REAL;
  out->real = json->real;
  return true;
}

static bool check_bool(st_args *args, const place *in, const stele_field *field, const st_json *json, st_value *out) {
  out->type = ST_INT;
  if (json->type == ST_JSON_BOOL)
    out->integer = json->boolean;
  else if (json->type == ST_JSON_INT && (json->integer == 0 || json->integer == 1))
    out->integer = json->integer;
  else
    return must_be(args, in, field, "true or false");
  return true;
}

static bool check_duration(st_args *args, const place *in, const stele_field *field, const st_json *json,
                           st_value *out) {
  out->type = ST_REAL;
  out->real = json->real;
  bool number = (json->type == ST_JSON_INT || json->type == ST_JSON_REAL) && json->real >= 0;
  if (number || (json->type == ST_JSON_STRING && st_duration_parse(json->text, json->length, &out->real))) return true;
  return must_be(args, in, field, "a length of time: seconds, or such as \"90s\", \"36h\", \"7d\"");
}

/* Kept as the text it came in, so that what goes in comes out equal. */
static bool check_json(st_args *args, const stele_field *field, const st_json *json, st_value *out) {
  (void)field;
  return copy_text(args, out, json->raw, json->raw_length);
}

/* A text is kept as it is; anything else as JSON behind a mark that no text begins with. */
static bool check_content(st_args *args, const st_json *json, st_value *out) {
  if (json->type == ST_JSON_STRING) {
    set_text(out, json->text, json->length);
    return true;
  }
  size_t mark = sizeof ST_CONTENT_MARK - 1;
  char *copy = st_arena_alloc(args->arena, mark + json->raw_length + 1);
  if (!copy) return no_memory(args);
  memcpy(copy, ST_CONTENT_MARK, mark);
  memcpy(copy + mark, json->raw, json->raw_length);
  copy[mark + json->raw_length] = '\0';
  set_text(out, copy, mark + json->raw_length);
  return true;
}

static bool check_jsontext(st_args *args, const place *in, const stele_field *field, const st_json *json,
                           st_value *out) {
  st_json_error error;
  if (json->type == ST_JSON_ARRAY || json->type == ST_JSON_OBJECT) return check_json(args, field, json, out);
  if (json->type != ST_JSON_STRING) return must_be(args, in, field, "JSON: an array, an object, or a text that holds one");
  if (!st_json_parse(args->arena, json->text, json->length, 0, &error))
    return error.nomem ? no_memory(args) : must_be(args, in, field, "JSON: the text is not");
  set_text(out, json->text, json->length);
  return true;
}

static bool check_blob(st_args *args, const place *in, const stele_field *field, const st_json *json, st_value *out) {
  bool bad = true;
  out->type = ST_BLOB;
  if (json->type != ST_JSON_STRING) return must_be(args, in, field, "bytes in base64");
  out->bytes = st_base64_decode(args->arena, json->text, json->length, &out->length, &bad);
  if (out->bytes) return true;
  return bad ? must_be(args, in, field, "bytes in base64") : no_memory(args);
}

static bool check_vector(st_args *args, const place *in, const stele_field *field, const st_json *json, st_value *out) {
  static const char right[] = "a list of 1 to 16000 numbers that fit a 32-bit float";
  _Static_assert(ST_VECTOR_MAX == 16000, "the sentence names it");
  if (json->type != ST_JSON_ARRAY || json->length == 0 || json->length > ST_VECTOR_MAX)
    return must_be(args, in, field, right);
  char *bytes = st_arena_alloc(args->arena, json->length * ST_VECTOR_BYTES), *at = bytes;
  if (!bytes) return no_memory(args);
  for (const st_json *item = json->first; item; item = item->next, at += ST_VECTOR_BYTES) {
    bool number = item->type == ST_JSON_INT || item->type == ST_JSON_REAL;
    if (!number || fabs(item->real) > FLT_MAX) return must_be(args, in, field, right);
    st_vector_put(at, (float)item->real);
  }
  out->type = ST_BLOB;
  out->bytes = bytes;
  out->length = json->length * ST_VECTOR_BYTES;
  return true;
}

static bool check_text(st_args *args, const place *in, const stele_field *field, const st_json *json, st_value *out) {
  char choices[200] = "one of ";
  if (json->type != ST_JSON_STRING) return must_be(args, in, field, "a text");
  set_text(out, json->text, json->length);
  if (field->type == STELE_TYPE_UUID && !st_uuid_valid(json->text, json->length))
    return must_be(args, in, field, "a UUID");
  if (!field->choices) return true;
  for (const char *const *choice = field->choices; *choice; choice++) {
    if (strlen(*choice) == json->length && memcmp(*choice, json->text, json->length) == 0) return true;
    size_t used = strlen(choices);
    snprintf(choices + used, sizeof choices - used, "%s%s", choice == field->choices ? "" : ", ", *choice);
  }
  return must_be(args, in, field, choices);
}

static bool check_cron(st_args *args, const place *in, const stele_field *field, const st_json *json, st_value *out) {
  st_cron cron;
  char why[ST_CRON_WHY_MAX];
  if (!check_text(args, in, field, json, out)) return false;
  return st_cron_parse(json->text, json->length, &cron, why) || wrong(args, in, field, ": ", why);
}

static bool check_timezone(st_args *args, const place *in, const stele_field *field, const st_json *json,
                           st_value *out) {
  st_zones zones;
  const st_zone *zone;
  if (!check_text(args, in, field, json, out)) return false;
  st_zones_init(&zones, NULL);
  st_zone_status status = strlen(json->text) == json->length ? st_zones_get(&zones, json->text, &zone) : ST_ZONE_UNKNOWN;
  st_zones_free(&zones);
  if (status == ST_ZONE_NOMEM) return no_memory(args);
  return status == ST_ZONE_OK || wrong(args, in, field, " ", st_zone_problem(status));
}

static bool check_range(st_args *args, const place *in, const stele_field *field, const st_value *value) {
  char range[100];
  double number = value->type == ST_INT ? (double)value->integer : value->real;
  if ((value->type != ST_INT && value->type != ST_REAL) || (number >= field->min && number <= field->max)) return true;
  if (isinf(field->max))
    snprintf(range, sizeof range, "at least %.15g", field->min);
  else if (isinf(field->min))
    snprintf(range, sizeof range, "at most %.15g", field->max);
  else
    snprintf(range, sizeof range, "between %.15g and %.15g", field->min, field->max);
  return must_be(args, in, field, range);
}

static bool check_scalar(st_args *args, const place *in, const stele_field *field, const st_json *json, st_value *out) {
  bool good = false;
  switch (field->type) {
    case STELE_TYPE_INT: good = check_int(args, in, field, json, out); break;
    case STELE_TYPE_REAL: good = check_real(args, in, field, json, out); break;
    case STELE_TYPE_BOOL: return check_bool(args, in, field, json, out);
    case STELE_TYPE_TIME: return check_time(args, in, field, json, out);
    case STELE_TYPE_DATE: return check_date(args, in, field, json, out);
    case STELE_TYPE_DURATION: good = check_duration(args, in, field, json, out); break;
    case STELE_TYPE_JSON: return check_json(args, field, json, out);
    case STELE_TYPE_CONTENT: return check_content(args, json, out);
    case STELE_TYPE_JSONTEXT: return check_jsontext(args, in, field, json, out);
    case STELE_TYPE_CRON: return check_cron(args, in, field, json, out);
    case STELE_TYPE_TIMEZONE: return check_timezone(args, in, field, json, out);
    case STELE_TYPE_BLOB: return check_blob(args, in, field, json, out);
    case STELE_TYPE_VECTOR: return check_vector(args, in, field, json, out);
    default: return check_text(args, in, field, json, out);
  }
  return good && check_range(args, in, field, out);
}

static bool check_records(st_args *args, const stele_field *field, const st_json *json, st_value *out);

static bool check_list(st_args *args, const place *in, const stele_field *field, const st_json *json, st_value *out) {
  if (json->type != ST_JSON_ARRAY) return must_be(args, in, field, "an array");
  if (field->type == STELE_TYPE_RECORD) return check_records(args, field, json, out);
  st_value *items = st_arena_zero(args->arena, (json->length + 1) * sizeof *items);
  if (!items) return no_memory(args);
  uint32_t count = 0;
  for (const st_json *item = json->first; item; item = item->next)
    if (!check_scalar(args, in, field, item, &items[count++])) return false;
  out->type = ST_LIST;
  out->items = items;
  out->count = count;
  out->width = 1;
  return true;
}

static bool check_value(st_args *args, const place *in, const stele_field *field, const st_json *json, st_value *out) {
  if (json->type == ST_JSON_NULL && field->type != STELE_TYPE_JSON) {
    out->type = ST_NULL;
    if (field->flags & STELE_NULLABLE) return true;
    out->type = ST_ABSENT;
    return wrong(args, in, field, " must not be null", "");
  }
  if (field->flags & STELE_LIST) return check_list(args, in, field, json, out);
  return check_scalar(args, in, field, json, out);
}

/* Fields usually come in the order of their declaration: look for the next one first. */
static int find_param(const stele_method *method, const st_json *member, size_t *guess) {
  for (size_t n = 0; n < method->nparams; n++) {
    size_t i = (*guess + n) % method->nparams;
    const char *name = method->params[i].name;
    if (strlen(name) != member->key_length || memcmp(name, member->key, member->key_length) != 0) continue;
    *guess = i + 1;
    return (int)i;
  }
  return -1;
}

static bool unknown(st_args *args, const place *in, const st_method *method, const char *name) {
  const char *nearest = st_param_nearest(method, name);
  if (in)
    fail(args, STELE_INVALID, in, name, ": %s[%u] has no field %s", in->list, in->index, name);
  else
    fail(args, STELE_INVALID, NULL, name, " has no argument %s", name);
  if (nearest) snprintf(args->error->hint, sizeof args->error->hint, "did you mean %s?", nearest);
  return false;
}

static bool set_members(st_args *args, const place *in, const st_method *method, const st_json *object, st_value *values) {
  size_t guess = 0;
  for (const st_json *member = object->first; member; member = member->next) {
    int index = find_param(&method->public, member, &guess);
    if (index < 0) return unknown(args, in, method, member->key);
    if (values[index].type != ST_ABSENT) /* which of the two was meant, nobody knows */
      return wrong(args, in, &method->public.params[index], " stands twice", "");
    if (!check_value(args, in, &method->public.params[index], member, &values[index])) return false;
  }
  return true;
}

static bool set_default(st_args *args, const place *in, const stele_field *field, st_value *out) {
  st_json_error error;
  char uuid[ST_UUID_SIZE];
  if (field->type != STELE_TYPE_JSON && strcmp(field->fallback, "null") == 0) { /* the usual one: nothing to parse */
    out->type = ST_NULL;
    return true;
  }
  if (field->type == STELE_TYPE_TIME && strcmp(field->fallback, "now") == 0)
    return st_args_time(args, out, st_time_now());
  if (strcmp(field->fallback, "new") == 0) {
    if (!st_uuid_v7(uuid)) return fail(args, STELE_IO, in, field->name, ": the system gives no random bytes");
    return copy_text(args, out, uuid, strlen(uuid));
  }
  const st_json *json = st_json_parse(args->arena, field->fallback, strlen(field->fallback), 0, &error);
  return json ? check_value(args, in, field, json, out) : no_memory(args);
}

static bool complete(st_args *args, const place *in, const st_method *method, st_value *values) {
  for (size_t i = 0; i < method->public.nparams; i++) {
    const stele_field *field = &method->public.params[i];
    if (values[i].type != ST_ABSENT || (field->flags & STELE_OPTIONAL)) continue;
    if (field->fallback) {
      if (!set_default(args, in, field, &values[i])) return false;
    } else if (in) {
      return fail(args, STELE_INVALID, in, field->name, ": %s[%u] needs %s", in->list, in->index, field->name);
    } else {
      return fail(args, STELE_INVALID, NULL, field->name, " needs %s", field->name);
    }
  }
  return true;
}

static bool check_records(st_args *args, const stele_field *field, const st_json *json, st_value *out) {
  const st_method *of = (const st_method *)field->record;
  size_t width = of->public.nparams;
  place in = {field->name, 0};
  st_value *values = st_arena_zero(args->arena, (json->length * width + 1) * sizeof *values);
  if (!values) return no_memory(args);
  for (const st_json *item = json->first; item; item = item->next, in.index++) {
    st_value *record = values + in.index * width;
    if (item->type != ST_JSON_OBJECT) return must_be(args, NULL, field, "an array of objects");
    if (!set_members(args, &in, of, item, record) || !complete(args, &in, of, record)) return false;
  }
  out->type = ST_RECORDS;
  out->items = values;
  out->count = in.index;
  out->width = (uint32_t)width;
  return true;
}

bool st_args_set(st_args *args, const char *name, const st_json *json) {
  int index = st_param_index(args->method, name);
  if (index < 0) return unknown(args, NULL, args->method, name);
  st_value value = {.type = ST_ABSENT};
  if (!check_value(args, NULL, &args->method->public.params[index], json, &value)) return false;
  args->values[index] = value; /* only now: what was refused must not be used */
  return true;
}

bool st_args_set_blob(st_args *args, const char *name, const void *bytes, size_t length) {
  int index = st_param_index(args->method, name);
  if (index < 0) return unknown(args, NULL, args->method, name);
  const stele_field *field = &args->method->public.params[index];
  if (field->type != STELE_TYPE_BLOB || (field->flags & STELE_LIST)) return must_be(args, NULL, field, "no bytes");
  st_value *out = &args->values[index];
  out->type = ST_BLOB;
  out->bytes = st_arena_copy(args->arena, bytes, length);
  out->length = length;
  return out->bytes || no_memory(args);
}

bool st_args_parse(st_args *args, const char *text, size_t length) {
  st_json_error error;
  const st_json *json = st_json_parse(args->arena, text, length, 0, &error);
  if (!json && error.nomem) return no_memory(args);
  if (!json)
    return fail(args, STELE_INVALID, NULL, "", ": the arguments are not JSON: %s at byte %zu", error.message, error.offset);
  if (json->type != ST_JSON_OBJECT)
    return fail(args, STELE_INVALID, NULL, "", ": the arguments must be a JSON object");
  return set_members(args, NULL, args->method, json, args->values);
}

bool st_args_complete(st_args *args) { return complete(args, NULL, args->method, args->values); }
