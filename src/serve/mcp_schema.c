/* mcp_schema.c - see mcp_schema.h. */
#include "mcp_schema.h"

#include <math.h>
#include <string.h>

#define RECORD_DEPTH 3 /* records in records that are spelled out */

/* What JSON may stand for a type: in arguments, where more is accepted, and in replies.  "": anything. */
static const struct {
  const char *in, *out;
} types[] = {
    [STELE_TYPE_TEXT] = {"string", "string"},
    [STELE_TYPE_INT] = {"integer", "integer"},
    [STELE_TYPE_REAL] = {"number", "number"},
    [STELE_TYPE_BOOL] = {"boolean", "boolean"},
    [STELE_TYPE_JSON] = {"", ""},
    [STELE_TYPE_JSONTEXT] = {"string array object", "string"},
    [STELE_TYPE_TIME] = {"number string", "number string"},
    [STELE_TYPE_UUID] = {"string", "string"},
    [STELE_TYPE_DURATION] = {"number string", "number string"},
    [STELE_TYPE_QUERY] = {"string", "string"},
    [STELE_TYPE_VECTOR] = {"array", "array"},
    [STELE_TYPE_BLOB] = {"string", "string"},
    [STELE_TYPE_RECORD] = {"object", "object"},
    [STELE_TYPE_CONTENT] = {"", ""},
    [STELE_TYPE_DATE] = {"string", "string"},
    [STELE_TYPE_CRON] = {"string", "string"},
    [STELE_TYPE_TIMEZONE] = {"string", "string"},
};

/* What the type does not say. */
static const char *remark(const stele_field *field) {
  switch (field->type) {
    case STELE_TYPE_TIME: return "; epoch number or RFC 3339";
    case STELE_TYPE_DATE: return "; YYYY-MM-DD";
    case STELE_TYPE_DURATION: return "; seconds, or 90s, 15m, 36h, 7d, 2w";
    case STELE_TYPE_BLOB: return "; base64";
    case STELE_TYPE_CRON: return "; five fields of cron, or @daily and the like";
    case STELE_TYPE_TIMEZONE: return "; an IANA name";
    default: return "";
  }
}

bool mcp_may_be_absent(const stele_field *field) {
  return (field->flags & STELE_OPTIONAL) || field->fallback;
}

/* Several types are branches: readers of simpler dialects know no lists of types. */
static void put_type(sv_text *out, const char *allowed, bool nullable) {
  if (!*allowed) return;
  if (!nullable && !strchr(allowed, ' ')) {
    sv_addf(out, "\"type\":\"%s\",", allowed);
    return;
  }
  sv_addz(out, "\"anyOf\":[");
  for (const char *at = allowed; *at;) {
    size_t length = strcspn(at, " ");
    sv_addf(out, "%s{\"type\":\"%.*s\"}", at == allowed ? "" : ",", (int)length, at);
    at += length + (at[length] == ' ');
  }
  sv_addz(out, nullable ? ",{\"type\":\"null\"}]," : "],");
}

static void put_choices(sv_text *out, const stele_field *field, bool nullable) {
  sv_addz(out, "\"enum\":[");
  for (const char *const *at = field->choices; *at; at++) {
    sv_addz(out, at == field->choices ? "" : ",");
    sv_add_quoted(out, *at);
  }
  sv_addz(out, nullable ? ",null]," : "],");
}

static void put_fields(sv_text *out, const stele_method *method, int depth);

/* The members of a schema, each with a comma behind it. */
static void put_value(sv_text *out, const stele_field *field, bool nullable, int depth) {
  put_type(out, types[field->type].in, nullable);
  if (field->choices) put_choices(out, field, nullable);
  if (isfinite(field->min)) sv_addf(out, "\"minimum\":%.17g,", field->min);
  if (isfinite(field->max)) sv_addf(out, "\"maximum\":%.17g,", field->max);
  if (field->type == STELE_TYPE_VECTOR) sv_addz(out, "\"items\":{\"type\":\"number\"},");
  if (field->type == STELE_TYPE_RECORD && depth < RECORD_DEPTH) put_fields(out, field->record, depth + 1);
}

/* Ends a list of members: the comma behind the last one goes. */
static void end_members(sv_text *out) {
  if (!out->failed && out->bytes[out->length - 1] == ',') out->length--;
  sv_addz(out, "}");
}

static bool is_json(const char *fallback) { /* not: now, new */
  return strcmp(fallback, "now") != 0 && strcmp(fallback, "new") != 0;
}

static void put_param(sv_text *out, const stele_field *field, const char *fallback, int depth) {
  bool nullable = field->flags & STELE_NULLABLE;
  sv_addz(out, "{");
  if (field->flags & STELE_LIST) {
    put_type(out, "array", nullable);
    sv_addz(out, "\"items\":{");
    put_value(out, field, false, depth);
    end_members(out);
    sv_addz(out, ",");
  } else {
    put_value(out, field, nullable, depth);
  }
  if (!fallback) fallback = field->fallback;
  if (fallback && is_json(fallback)) sv_addf(out, "\"default\":%s,", fallback);
  sv_text doc = {0};
  sv_addf(&doc, "%s%s", field->doc, remark(field));
  sv_addz(out, "\"description\":");
  sv_add_quoted(out, doc.failed ? field->doc : doc.bytes);
  sv_text_free(&doc);
  sv_addz(out, "}");
}

static void put_fields(sv_text *out, const stele_method *method, int depth) {
  bool first = true;
  sv_addz(out, "\"properties\":{");
  for (size_t i = 0; i < method->nparams; i++) {
    sv_addf(out, "%s\"%s\":", i ? "," : "", method->params[i].name);
    put_param(out, &method->params[i], NULL, depth);
  }
  sv_addz(out, "},\"required\":[");
  for (size_t i = 0; i < method->nparams; i++) {
    if (mcp_may_be_absent(&method->params[i])) continue;
    sv_addf(out, "%s\"%s\"", first ? "" : ",", method->params[i].name);
    first = false;
  }
  sv_addz(out, "],\"additionalProperties\":false,");
}

void mcp_schema_param(sv_text *out, const stele_field *field, const char *fallback) {
  put_param(out, field, fallback, 0);
}

void mcp_schema_params(sv_text *out, const stele_method *method) {
  sv_addz(out, "{\"type\":\"object\",");
  put_fields(out, method, 0);
  end_members(out);
}

void mcp_schema_result(sv_text *out, const stele_field *field, bool whole) {
  bool list = field->flags & STELE_LIST;
  sv_addz(out, "{");
  put_type(out, list ? "array" : types[field->type].out, whole && (field->flags & STELE_NULLABLE));
  if (whole) {
    sv_addz(out, "\"description\":");
    sv_add_quoted(out, field->doc);
  }
  end_members(out);
}
