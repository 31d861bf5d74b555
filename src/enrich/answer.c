/* answer.c - see answer.h. */
#include "enrich/answer.h"

#include <stdio.h>

#include "base/json.h"
#include "base/utf8.h"
#include "enrich/digest.h"
#include "enrich/letters.h"

enum { SUMMARY_MAX = 4000, INTENT_MAX = 1000, EMBED_MAX = 8000, ITEM_MAX = 1000, ITEMS_MOST = 100, TAGS_MOST = 20, PATH_ROOM = 64 };

typedef struct reading {
  st_arena *arena;
  st_problem *problem;
  st_digest digest; /* what of the answer the node is made of */
  st_text tags[TAGS_MOST];
  size_t tag_count;
} reading;

/* ---- The object in the text ---- */

/* Without what a model thought, and without the marks of a code block around it. */
static st_text object_in(st_text text) {
  static const char thought[] = "</think>";
  const char *end = text.length ? memmem(text.bytes, text.length, thought, sizeof thought - 1) : NULL;
  if (end) text = st_text_from(text, (size_t)(end - text.bytes) + sizeof thought - 1);
  text = st_text_trim(text);
  if (!st_text_begins(text, "```")) return text;
  text = st_text_from(text, st_text_find(text, '\n') + 1);
  text = st_text_trim(text);
  if (st_text_ends(text, "```")) text.length -= 3;
  return st_text_trim(text);
}

/* Some write patterns and paths as they are: of a backslash that escapes nothing, another one makes a backslash. */
static st_text with_escapes(st_arena *arena, st_text text) {
  char *copy = st_arena_alloc(arena, text.length * 2 + 1), *to = copy;
  for (size_t i = 0; copy && i < text.length; i++) {
    *to++ = text.bytes[i];
    if (text.bytes[i] != '\\') continue;
    bool known = i + 1 < text.length && strchr("\"\\/bfnrtu", text.bytes[i + 1]) && text.bytes[i + 1];
    *to++ = known ? text.bytes[++i] : '\\';
  }
  return (st_text){copy, copy ? (size_t)(to - copy) : 0};
}

static const st_json *parse(reading *r, st_text text) {
  st_json_error error;
  const st_json *json = st_json_parse(r->arena, text.bytes, text.length, ST_JSON_LENIENT, &error);
  if (!json && !error.nomem) {
    text = with_escapes(r->arena, text);
    error.nomem = !text.bytes;
    if (text.bytes) json = st_json_parse(r->arena, text.bytes, text.length, ST_JSON_LENIENT, &error);
  }
  if (json && json->type == ST_JSON_OBJECT) return json;
  if (json) st_problem_say(r->problem, "the answer must be one JSON object");
  else if (error.nomem) st_problem_nomem(r->problem);
  else st_problem_say(r->problem, "the answer is not JSON: at byte %zu, %s", error.offset, error.message);
  return NULL;
}

/* ---- Checking ---- */

static st_text text_of(const st_json *value) { return st_text_trim((st_text){value->text, value->length}); }

/* A text that says something, in so many bytes. */
static bool check_text(reading *r, const char *path, const st_json *value, size_t most) {
  if (!value) return st_problem_say(r->problem, "%s is missing", path);
  if (value->type != ST_JSON_STRING) return st_problem_say(r->problem, "%s must be a string", path);
  if (text_of(value).length == 0) return st_problem_say(r->problem, "%s must not be blank", path);
  if (memchr(value->text, '\0', value->length)) return st_problem_say(r->problem, "%s must not have the character U+0000", path);
  if (value->length > most) return st_problem_say(r->problem, "%s must not be longer than %zu bytes", path, most);
  return true;
}

/* A list of them; one that is missing is empty. */
static bool check_list(reading *r, const char *path, const st_json *list) {
  char place[PATH_ROOM];
  size_t at = 0;
  if (!list) return true;
  if (list->type != ST_JSON_ARRAY) return st_problem_say(r->problem, "%s must be a list of strings", path);
  if (list->length > ITEMS_MOST) return st_problem_say(r->problem, "%s must not have more than %d items", path, ITEMS_MOST);
  for (const st_json *item = list->first; item; item = item->next) {
    snprintf(place, sizeof place, "%s[%zu]", path, at++);
    if (!check_text(r, place, item, ITEM_MAX)) return false;
  }
  return true;
}

/* ---- Its parts ---- */

static bool read_outcome(reading *r, const st_json *outcome) {
  static const char *const OUTCOMES[] = {"success", "partial", "failure", "unknown"};
  for (size_t i = 0; i < sizeof OUTCOMES / sizeof *OUTCOMES; i++)
    if (outcome && outcome->type == ST_JSON_STRING && st_text_is((st_text){outcome->text, outcome->length}, OUTCOMES[i])) r->digest.outcome = OUTCOMES[i];
  return r->digest.outcome || st_problem_say(r->problem, "outcome must be one of success, partial, failure, unknown");
}

static bool read_names(reading *r, const st_json *entities) {
  char path[PATH_ROOM];
  if (!entities || entities->type != ST_JSON_OBJECT) return st_problem_say(r->problem, "entities must be an object of lists of strings");
  for (int type = 0; type < ST_NAMES; type++) {
    const char *name = st_name_list((st_name_type)type);
    const st_json *list = name ? st_json_get(entities, name) : NULL;
    snprintf(path, sizeof path, "entities.%s", name ? name : "");
    if (!check_list(r, path, list)) return false;
    for (const st_json *item = list ? list->first : NULL; item; item = item->next) st_names_add(&r->digest.names, (st_name_type)type, text_of(item));
  }
  return true;
}

static bool read_told(reading *r, const st_json *answer, const char *name, st_told_list *to) {
  const st_json *list = st_json_get(answer, name);
  if (!check_list(r, name, list)) return false;
  for (const st_json *item = list ? list->first : NULL; item && to->count < ST_TOLD_MOST; item = item->next) to->of[to->count++] = text_of(item);
  return true;
}

static bool read_tags(reading *r, const st_json *list) {
  if (!check_list(r, "tags", list)) return false;
  for (const st_json *item = list ? list->first : NULL; item && r->tag_count < TAGS_MOST; item = item->next) r->tags[r->tag_count++] = text_of(item);
  return true;
}

static bool read_choices(reading *r, const st_json *list) {
  static const char *const PARTS[] = {"considered", "chosen", "reason"};
  char path[PATH_ROOM];
  if (!list) return true;
  if (list->type != ST_JSON_ARRAY) return st_problem_say(r->problem, "design_decisions must be a list of objects");
  for (const st_json *item = list->first; item && r->digest.choice_count < ST_TOLD_MOST; item = item->next) {
    st_text part[3];
    for (int i = 0; i < 3; i++) {
      const st_json *value = item->type == ST_JSON_OBJECT ? st_json_get(item, PARTS[i]) : NULL;
      snprintf(path, sizeof path, "design_decisions[%zu].%s", r->digest.choice_count, PARTS[i]);
      if (!check_text(r, path, value, ITEM_MAX)) return false;
      part[i] = text_of(value);
    }
    r->digest.choices[r->digest.choice_count++] = (st_choice){part[0], part[1], part[2]};
  }
  return true;
}

static bool read_parts(reading *r, const st_json *answer) {
  return check_text(r, "summary", st_json_get(answer, "summary"), SUMMARY_MAX) && check_text(r, "intent", st_json_get(answer, "intent"), INTENT_MAX) &&
         check_text(r, "embed_text", st_json_get(answer, "embed_text"), EMBED_MAX) && read_outcome(r, st_json_get(answer, "outcome")) &&
         read_names(r, st_json_get(answer, "entities")) && read_tags(r, st_json_get(answer, "tags")) &&
         read_told(r, answer, "key_decisions", &r->digest.decisions) && read_told(r, answer, "problems_encountered", &r->digest.problems) &&
         read_choices(r, st_json_get(answer, "design_decisions"));
}

st_learning st_answer_read(st_arena *arena, const st_bundle *bundle, st_text text, st_learned *out, st_problem *problem) {
  reading r = {.arena = arena, .problem = problem, .digest = {.bundle = bundle, .arena = arena, .names.arena = arena}};
  const st_json *answer = parse(&r, object_in(text));
  if (!answer || !read_parts(&r, answer)) return st_problem_is_nomem(problem->text) ? ST_LEARN_NOMEM : ST_LEARN_FAILED;
  out->content = st_digest_write(&r.digest, text_of(st_json_get(answer, "summary")), text_of(st_json_get(answer, "intent")), r.tags, r.tag_count);
  out->embed_text = text_of(st_json_get(answer, "embed_text"));
  out->names = r.digest.names;
  st_digest told = {.bundle = bundle, .arena = arena};
  st_digest_read(&told); /* what was done, the rules tell */
  if (!told.failed) out->commands = st_digest_commands(&told);
  return out->content.bytes && !r.digest.names.failed && !told.failed ? ST_LEARNED : ST_LEARN_NOMEM;
}
