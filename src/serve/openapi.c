/* openapi.c - see openapi.h.  One schema for the arguments of each method and one for its rows; the
** paths refer to them. */
#include "openapi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stele.h"
#include "text.h"

/* ---- Schemas ---- */

/* %s: where null goes, of a field that may be it.  "": any value. */
static const char *schema_of(stele_type type, bool result) {
  switch (type) {
    case STELE_TYPE_INT: return "\"type\":[\"integer\"%s],\"format\":\"int64\"";
    case STELE_TYPE_REAL: return "\"type\":[\"number\"%s]";
    case STELE_TYPE_BOOL: return "\"type\":[\"boolean\"%s]";
    case STELE_TYPE_TIME:
    case STELE_TYPE_DURATION: return "\"type\":[\"number\",\"string\"%s]";
    case STELE_TYPE_JSON:
    case STELE_TYPE_CONTENT: return "";
    case STELE_TYPE_JSONTEXT: return result ? "\"type\":[\"string\"%s]" : "";
    case STELE_TYPE_UUID: return "\"type\":[\"string\"%s],\"format\":\"uuid\"";
    case STELE_TYPE_DATE: return "\"type\":[\"string\"%s],\"format\":\"date\"";
    case STELE_TYPE_VECTOR: return "\"type\":[\"array\"%s],\"items\":{\"type\":\"number\"}";
    case STELE_TYPE_BLOB: return "\"type\":[\"string\"%s],\"contentEncoding\":\"base64\"";
    default: return "\"type\":[\"string\"%s]";
  }
}

static void add_limits(sv_text *out, const stele_field *field) {
  if (!isinf(field->min)) sv_addf(out, ",\"minimum\":%.17g", field->min);
  if (!isinf(field->max)) sv_addf(out, ",\"maximum\":%.17g", field->max);
  for (const char *const *choice = field->choices; choice && *choice; choice++) {
    sv_addz(out, choice == field->choices ? ",\"enum\":[" : ",");
    sv_add_quoted(out, *choice);
    if (!choice[1]) sv_addz(out, (field->flags & STELE_NULLABLE) && !(field->flags & STELE_LIST) ? ",null]" : "]");
  }
}

/* The members of a schema, each with a comma before it. */
static void add_plain(sv_text *out, const stele_field *field, bool result, bool nullable) {
  const char *schema = schema_of(field->type, result), *place = strstr(schema, "%s");
  if (place) {
    sv_addz(out, ",");
    sv_add(out, schema, (size_t)(place - schema));
    sv_addz(out, nullable ? ",\"null\"" : "");
    sv_addz(out, place + 2);
  }
  add_limits(out, field);
}

static void add_default(sv_text *out, const stele_field *field) {
  bool word = field->fallback && (strcmp(field->fallback, "now") == 0 || strcmp(field->fallback, "new") == 0);
  if (field->fallback && !word) sv_addf(out, ",\"default\":%s", field->fallback);
}

static void add_object(sv_text *out, const stele_field *fields, size_t count, bool result);

/* The arguments of another method; of one that nobody can call, written out. */
static void add_record(sv_text *out, const stele_method *record) {
  if (stele_method_find(record->name))
    sv_addf(out, "{\"$ref\":\"#/components/schemas/%s\"}", record->name);
  else
    add_object(out, record->params, record->nparams, false);
}

/* {"description":...} and what follows from the type */
static void add_schema(sv_text *out, const stele_field *field, bool result) {
  bool nullable = (field->flags & STELE_NULLABLE) != 0;
  sv_addz(out, "{\"description\":");
  sv_add_quoted(out, field->doc);
  if (field->flags & STELE_LIST) {
    sv_addf(out, ",\"type\":[\"array\"%s],\"items\":", nullable ? ",\"null\"" : "");
    if (field->record) {
      add_record(out, field->record);
    } else {
      sv_addz(out, "{\"title\":\"item\"");
      add_plain(out, field, result, false);
      sv_addz(out, "}");
    }
  } else if (field->record) {
    sv_addz(out, ",\"allOf\":[");
    add_record(out, field->record);
    sv_addz(out, "]");
  } else {
    add_plain(out, field, result, nullable);
  }
  if (field->flags & STELE_SECRET) sv_addz(out, ",\"format\":\"password\"");
  if (!result) add_default(out, field);
  sv_addz(out, "}");
}

static bool is_needed(const stele_field *field) {
  return !(field->flags & STELE_OPTIONAL) && !field->fallback;
}

static void add_object(sv_text *out, const stele_field *fields, size_t count, bool result) {
  const char *separator = "";
  sv_addz(out, "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{");
  for (size_t i = 0; i < count; i++) {
    sv_addz(out, i ? "," : "");
    sv_add_quoted(out, fields[i].name);
    sv_addz(out, ":");
    add_schema(out, &fields[i], result);
  }
  sv_addz(out, "},\"required\":[");
  for (size_t i = 0; i < count; i++) {
    if (!result && !is_needed(&fields[i])) continue;
    sv_addz(out, separator);
    sv_add_quoted(out, fields[i].name);
    separator = ",";
  }
  sv_addz(out, "]}");
}

static void add_schemas(sv_text *out) {
  const stele_method *method;
  sv_addz(
      out,
      "\"schemas\":{\"Problem\":{\"type\":\"object\",\"description\":\"What went wrong (RFC 9457).\",\"properties\":{"
      "\"type\":{\"type\":\"string\"},\"title\":{\"type\":\"string\"},\"status\":{\"type\":\"integer\"},"
      "\"detail\":{\"type\":\"string\"},\"code\":{\"type\":\"string\",\"description\":\"the library's word\"},"
      "\"method\":{\"type\":\"string\"},\"field\":{\"type\":\"string\"},\"hint\":{\"type\":\"string\"}},"
      "\"required\":[\"type\",\"title\",\"status\",\"detail\"]}");
  for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++) {
    sv_addf(out, ",\"%s\":", method->name);
    add_object(out, method->params, method->nparams, false);
    if (!method->nresults) continue;
    sv_addf(out, ",\"%s.row\":", method->name);
    add_object(out, method->results, method->nresults, true);
  }
  sv_addz(out, "}");
}

/* ---- Paths ---- */

/* The first sentence. */
static void add_summary(sv_text *out, const char *doc) {
  const char *stop = strstr(doc, ". ");
  size_t length = stop ? (size_t)(stop - doc) : strcspn(doc, "\n");
  if (length && doc[length - 1] == '.') length--;
  char *sentence = strndup(doc, length);
  if (sentence)
    sv_add_quoted(out, sentence);
  else
    out->failed = true;
  free(sentence);
}

static void add_head(sv_text *out, const stele_method *method, const char *suffix) {
  sv_addf(out, "{\"operationId\":\"%s%s\",\"tags\":[\"%s\"],\"summary\":", method->name, suffix, method->store);
  add_summary(out, method->doc);
  sv_addz(out, ",\"description\":");
  sv_add_quoted(out, method->doc);
}

static void add_row(sv_text *out, const stele_method *method) {
  if (method->nresults)
    sv_addf(out, "{\"$ref\":\"#/components/schemas/%s.row\"}", method->name);
  else
    sv_addz(out, "{\"type\":\"object\"}");
}

static void add_reply(sv_text *out, const stele_method *method, bool page) {
  bool many = strcmp(method->shape, "many") == 0, one = strcmp(method->shape, "one") == 0;
  sv_addz(out, page ? "{\"type\":\"object\",\"properties\":{\"items\":" : "");
  sv_addz(out, many ? "{\"type\":\"array\",\"items\":" : one ? "{\"anyOf\":[" : "");
  add_row(out, method);
  sv_addz(out, many ? "}" : one ? ",{\"type\":\"null\"}]}" : "");
  sv_addz(out, page ? ",\"next\":{\"type\":[\"string\",\"null\"],\"description\":\"cursor of the next "
                      "page\"}},\"required\":[\"items\",\"next\"]}"
                    : "");
}

static void add_responses(sv_text *out, const stele_method *method, bool page) {
  sv_addz(out,
          ",\"responses\":{\"200\":{\"description\":\"The reply.\",\"content\":{\"application/json\":{\"schema\":");
  add_reply(out, method, page);
  sv_addz(out, "}");
  if (strcmp(method->shape, "many") == 0 && strcmp(method->access, "read") == 0) {
    sv_addz(out, ",\"application/x-ndjson\":{\"schema\":");
    add_row(out, method);
    sv_addz(out, "}");
  }
  sv_addz(out, "}},\"4XX\":{\"$ref\":\"#/components/responses/Problem\"},\"5XX\":{\"$ref\":\"#/components/responses/"
               "Problem\"}}}");
}

static void add_method(sv_text *out, const stele_method *method) {
  sv_addf(out, ",\"/v1/%s/%s\":{\"post\":", method->store, method->name + strlen(method->store) + 1);
  add_head(out, method, "");
  if (method->idempotent)
    sv_addz(out, ",\"parameters\":[{\"name\":\"Idempotency-Key\",\"in\":\"header\",\"description\":\"a repeated call "
                 "with the same key "
                 "writes once\",\"schema\":{\"type\":\"string\",\"maxLength\":255}}]");
  sv_addf(out,
          ",\"requestBody\":{\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/%s\"}}}}",
          method->name);
  add_responses(out, method, false);
  sv_addz(out, "}");
}

static void add_parameter(sv_text *out, const stele_field *field, bool in_path, const char *separator) {
  sv_addf(out, "%s{\"name\":\"%s\",\"in\":\"%s\",\"required\":%s,\"schema\":", separator, field->name,
          in_path ? "path" : "query", in_path || is_needed(field) ? "true" : "false");
  add_schema(out, field, false);
  sv_addz(out, "}");
}

static bool is_in_path(const stele_method *method, const char *name) {
  char placed[100];
  snprintf(placed, sizeof placed, "{%s}", name);
  return strstr(method->http, placed) != NULL;
}

static const stele_field *param(const stele_method *method, const char *name) {
  for (size_t i = 0; i < method->nparams; i++)
    if (strcmp(method->params[i].name, name) == 0) return &method->params[i];
  return NULL;
}

static void add_resource(sv_text *out, const stele_method *method) {
  bool page = strcmp(method->shape, "many") == 0 && param(method, "limit") &&
              (param(method, "offset") || param(method, "after"));
  const char *separator = "";
  sv_addf(out, ",\"%s\":{\"get\":", strchr(method->http, '/'));
  add_head(out, method, ".resource");
  sv_addz(out, ",\"parameters\":[");
  for (size_t i = 0; i < method->nparams; i++) {
    const char *name = method->params[i].name;
    if (page && (strcmp(name, "offset") == 0 || strcmp(name, "after") == 0)) continue; /* the cursor says it */
    add_parameter(out, &method->params[i], is_in_path(method, name), separator);
    separator = ",";
  }
  if (page)
    sv_addf(out,
            "%s{\"name\":\"cursor\",\"in\":\"query\",\"description\":\"next, of the page "
            "before\",\"schema\":{\"type\":\"string\"}}",
            separator);
  sv_addz(out, "]");
  add_responses(out, method, page);
  sv_addz(out, "}");
}

static void add_fixed(sv_text *out) {
  static const struct {
    const char *path, *id, *summary, *type;
    bool open;
  } fixed[] = {{"/healthz", "healthz", "The process runs and answers", "text/plain", true},
               {"/readyz", "readyz", "It takes calls", "text/plain", true},
               {"/openapi.json", "openapi", "This description", "application/json", true},
               {"/metrics", "metrics", "Figures, for Prometheus", "text/plain", false},
               {"/v1/status", "status", "The server, its stores and its background work", "application/json", false},
               {"/v1/follow", "follow", "What is new in a store, as server-sent events", "text/event-stream", false},
               {"/pub/{token}/{file}", "pub", "A file that a session gives out", "application/octet-stream", true}};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
    sv_addf(out, "%s\"%s\":{\"get\":{\"operationId\":\"%s\",\"tags\":[\"operations\"],\"summary\":\"%s\"%s",
            i ? "," : "", fixed[i].path, fixed[i].id, fixed[i].summary, fixed[i].open ? ",\"security\":[]" : "");
    if (strcmp(fixed[i].id, "follow") == 0)
      sv_addz(out, ",\"parameters\":[{\"name\":\"store\",\"in\":\"query\",\"schema\":{\"type\":\"string\",\"default\":"
                   "\"conversation\"}},"
                   "{\"name\":\"session\",\"in\":\"query\",\"schema\":{\"type\":\"string\"}},"
                   "{\"name\":\"Last-Event-ID\",\"in\":\"header\",\"schema\":{\"type\":\"string\"}}]");
    if (strcmp(fixed[i].id, "pub") == 0)
      sv_addz(out, ",\"parameters\":[{\"name\":\"token\",\"in\":\"path\",\"required\":true,\"description\":\"of "
                   "server.pub_link\",\"schema\":{\"type\":\"string\"}},"
                   "{\"name\":\"file\",\"in\":\"path\",\"required\":true,\"schema\":{\"type\":\"string\"}}]");
    sv_addf(out,
            ",\"responses\":{\"200\":{\"description\":\"Done.\",\"content\":{\"%s\":{}}},"
            "\"4XX\":{\"$ref\":\"#/components/responses/Problem\"}}}}",
            fixed[i].type);
  }
}

/* JSON-RPC, which has its own description: tools/list and its like. */
static void add_mcp(sv_text *out) {
  sv_addz(out,
          ",\"/mcp\":{\"post\":{\"operationId\":\"mcp\",\"tags\":[\"operations\"],\"summary\":\"Model Context "
          "Protocol\",\"description\":\"One message of JSON-RPC in, none or one out; see docs/mcp.md\",\"requestBody\":"
          "{\"required\":true,\"content\":{\"application/json\":{\"schema\":{\"type\":\"object\"}}}},\"responses\":"
          "{\"200\":{\"description\":\"The answer.\",\"content\":{\"application/json\":{},\"text/event-stream\":{}}},"
          "\"202\":{\"description\":\"Nothing to answer.\"},\"4XX\":{\"description\":\"An error of JSON-RPC, or a "
          "problem.\","
          "\"content\":{\"application/json\":{},\"application/problem+json\":{}}}}}}");
}

static void add_tags(sv_text *out) {
  const stele_method *method;
  const char *last = "";
  sv_addz(out, "\"tags\":[{\"name\":\"operations\",\"description\":\"The server itself\"}");
  for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++) {
    if (strcmp(method->store, last) == 0) continue;
    last = method->store;
    sv_addf(out, ",{\"name\":\"%s\",\"description\":\"Methods of %s\"}", last, last);
  }
  sv_addz(out, "]");
}

char *sv_openapi(void) {
  const stele_method *method;
  sv_text out = {0};
  sv_addf(&out,
          "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"Stele\",\"version\":\"%s\",\"description\":\"The durable state "
          "of AI "
          "agents. Every method of the registry is one POST.\",\"license\":{\"name\":\"As the distribution "
          "says\",\"identifier\":\"LicenseRef-Stele\"}},\"servers\":[{\"url\":\"/\"}],"
          "\"security\":[{\"bearer\":[]}],",
          stele_version());
  add_tags(&out);
  sv_addz(&out, ",\"paths\":{");
  add_fixed(&out);
  add_mcp(&out);
  for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++) {
    add_method(&out, method);
    if (method->http) add_resource(&out, method);
  }
  sv_addz(&out,
          "},\"components\":{\"securitySchemes\":{\"bearer\":{\"type\":\"http\",\"scheme\":\"bearer\"}},"
          "\"responses\":{\"Problem\":{\"description\":\"What went wrong.\",\"content\":{\"application/problem+json\":"
          "{\"schema\":{\"$ref\":\"#/components/schemas/Problem\"}}}}},");
  add_schemas(&out);
  sv_addz(&out, "}}");
  return sv_text_take(&out);
}
