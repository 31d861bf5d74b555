/* node_content.c - see node_content.h. */
#include "stores/capture/node_content.h"

#include <stdio.h>
#include <string.h>

#include "registry_ids.h"

#define PATH_MAX_SHOWN 100

/* The lists of entities, and what is in them. */
static const struct bucket {
  const char *name, *type;
} BUCKETS[] = {
    {"projects", "project"}, {"tools", "tool"},       {"files", "file"},     {"services", "service"},
    {"errors", "concept"},   {"env_vars", "env_var"}, {"domains", "domain"},
};
enum { BUCKET_COUNT = sizeof BUCKETS / sizeof *BUCKETS };

static const char *const OUTCOMES[] = {"success", "partial", "failure", "unknown"};

/* ---- checking ---- */

static bool is_said(const st_json *value) {
  return value && value->type == ST_JSON_STRING && strlen(value->text) == value->length &&
         value->text[strspn(value->text, " \t\r\n")];
}

static void need_text(st_call *call, const char *field, const char *path, const st_json *value) {
  if (!is_said(value)) st_fail(call, STELE_INVALID, field, "%s must be a text that is not blank", path);
}

static void need_texts(st_call *call, const char *field, const char *path, const st_json *list) {
  char item[PATH_MAX_SHOWN];
  int place = 0;
  if (list->type != ST_JSON_ARRAY) st_fail(call, STELE_INVALID, field, "%s must be a list of texts", path);
  for (const st_json *at = list->type == ST_JSON_ARRAY ? list->first : NULL; at && st_ok(call); at = at->next) {
    snprintf(item, sizeof item, "%s[%d]", path, place++);
    need_text(call, field, item, at);
  }
}

static void check_outcome(st_call *call, const st_json *outcome) {
  for (size_t i = 0; outcome && i < sizeof OUTCOMES / sizeof *OUTCOMES; i++)
    if (is_said(outcome) && strcmp(outcome->text, OUTCOMES[i]) == 0) return;
  if (outcome)
    st_fail(call, STELE_INVALID, "content", "content.outcome must be one of success, partial, failure, unknown");
}

static void check_lists(st_call *call, const st_json *content) {
  static const char *const LISTS[] = {"tags", "key_decisions", "problems_encountered"};
  char path[PATH_MAX_SHOWN];
  for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS; i++) {
    const st_json *list = st_json_get(content, LISTS[i]);
    snprintf(path, sizeof path, "content.%s", LISTS[i]);
    if (list) need_texts(call, "content", path, list);
  }
}

static void check_decision(st_call *call, const st_json *decision, int place) {
  static const char *const PARTS[] = {"considered", "chosen", "reason"};
  char path[PATH_MAX_SHOWN];
  for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
    snprintf(path, sizeof path, "content.design_decisions[%d].%s", place, PARTS[i]);
    need_text(call, "content", path, decision->type == ST_JSON_OBJECT ? st_json_get(decision, PARTS[i]) : NULL);
  }
}

static void check_decisions(st_call *call, const st_json *decisions) {
  int place = 0;
  if (!decisions) return;
  if (decisions->type != ST_JSON_ARRAY)
    st_fail(call, STELE_INVALID, "content", "content.design_decisions must be a list of objects");
  for (const st_json *at = decisions->first; at && st_ok(call); at = at->next) check_decision(call, at, place++);
}

static void check_entities(st_call *call, const st_json *entities) {
  char path[PATH_MAX_SHOWN];
  if (!entities) return;
  if (entities->type != ST_JSON_OBJECT) {
    st_fail(call, STELE_INVALID, "content", "content.entities must be an object");
    return;
  }
  for (int i = 0; i < BUCKET_COUNT; i++) {
    const st_json *list = st_json_get(entities, BUCKETS[i].name);
    snprintf(path, sizeof path, "content.entities.%s", BUCKETS[i].name);
    if (list) need_texts(call, "content", path, list);
  }
}

static const st_json *parse(st_call *call, const st_value *text) {
  st_json_error error;
  const st_json *json = st_ok(call) ? st_json_parse(call->arena, text->bytes, text->length, ST_JSON_LENIENT, &error) : NULL;
  if (!json && st_ok(call)) st_fail(call, STELE_NOMEM, NULL, "out of memory"); /* that it is JSON was checked */
  return json;
}

const st_json *st_node_content_read(st_call *call, const st_value *content) {
  const st_json *json = parse(call, content);
  if (!json) return NULL;
  if (json->type != ST_JSON_OBJECT) {
    st_fail(call, STELE_INVALID, "content", "content must be an object");
    return NULL;
  }
  need_text(call, "content", "content.summary", st_json_get(json, "summary"));
  need_text(call, "content", "content.intent", st_json_get(json, "intent"));
  check_outcome(call, st_json_get(json, "outcome"));
  check_lists(call, json);
  check_decisions(call, st_json_get(json, "design_decisions"));
  check_entities(call, st_json_get(json, "entities"));
  return st_ok(call) ? json : NULL;
}

void st_node_tags_check(st_call *call, const st_value *tags) {
  const st_json *json = tags->type == ST_TEXT ? parse(call, tags) : NULL;
  if (json) need_texts(call, "tags", "tags", json);
}

/* ---- columns ---- */

st_value st_node_outcome(st_call *call, const st_json *content, const st_value *given) {
  const st_json *told = content ? st_json_get(content, "outcome") : NULL;
  if (!told) return *given;
  if (given->type == ST_TEXT && strcmp(given->bytes, told->text) != 0)
    st_fail(call, STELE_INVALID, "outcome", "outcome is %s, but content.outcome %s", given->bytes, told->text);
  return st_textz(told->text);
}

st_value st_node_tags(st_call *call, const st_json *content, const st_value *given) {
  const st_json *told = content ? st_json_get(content, "tags") : NULL;
  if (given->type == ST_TEXT || !told) return *given;
  return st_call_text(call, told->raw, told->raw_length);
}

/* ---- entities ---- */

static uint32_t count_entities(const st_json *entities) {
  size_t count = 0;
  for (int i = 0; entities && i < BUCKET_COUNT; i++) {
    const st_json *list = st_json_get(entities, BUCKETS[i].name);
    count += list ? list->length : 0;
  }
  return (uint32_t)count;
}

static st_value *add_bucket(st_value *to, const struct bucket *bucket, const st_json *list, const st_entity_place *place) {
  for (const st_json *at = list ? list->first : NULL; at; at = at->next, to += ST_P_CAPTURE_UPSERT_ENTITY_NOW + 1) {
    to[ST_P_CAPTURE_UPSERT_ENTITY_TYPE] = st_textz(bucket->type);
    to[ST_P_CAPTURE_UPSERT_ENTITY_NAME] = st_textz(at->text);
    to[ST_P_CAPTURE_UPSERT_ENTITY_HOME] = *place->home;
    to[ST_P_CAPTURE_UPSERT_ENTITY_PROJECT_ROOTS] = *place->roots;
    to[ST_P_CAPTURE_UPSERT_ENTITY_NOW] = *place->now;
  }
  return to;
}

st_value st_node_content_entities(st_call *call, const st_json *content, const st_entity_place *place) {
  enum { WIDTH = ST_P_CAPTURE_UPSERT_ENTITY_NOW + 1 };
  const st_json *entities = content ? st_json_get(content, "entities") : NULL;
  uint32_t count = count_entities(entities);
  st_value *items = st_call_alloc(call, ((size_t)count + 1) * WIDTH * sizeof *items), *end = items;
  if (!items) return (st_value){.type = ST_RECORDS};
  for (int i = 0; entities && i < BUCKET_COUNT; i++)
    end = add_bucket(end, &BUCKETS[i], st_json_get(entities, BUCKETS[i].name), place);
  return (st_value){.type = ST_RECORDS, .items = items, .count = count, .width = WIDTH};
}
