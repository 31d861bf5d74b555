/* segmenter.c - see segmenter.h. */
#include "capture/segmenter.h"

#include <stdlib.h>

#include "capture/telling.h"

#define FACT_MAX ((size_t)1 << 20)
#define URL_SPACE "6ba7b811-9dad-11d1-80b4-00c04fd430c8" /* of RFC 9562: names that are addresses */
#define SIZE_FULL 12000   /* a segment that is longer ends with the next words of the user */

/* ---- What is remembered --------------------------------------------------------------------- */

/* Facts, by their names in the state. */
static const struct {
  const char *name;
  size_t offset;
} facts[] = {
  {"session", offsetof(st_segmenter, session)}, {"cwd", offsetof(st_segmenter, cwd)},
  {"branch", offsetof(st_segmenter, branch)},   {"model", offsetof(st_segmenter, model)},
  {"agent", offsetof(st_segmenter, agent)},     {"title", offsetof(st_segmenter, title)},
  {"parent", offsetof(st_segmenter, parent)},   {"record", offsetof(st_segmenter, record)},
  {"request", offsetof(st_segmenter, request)},
};
#define FACTS (sizeof facts / sizeof *facts)

static st_str *fact(st_segmenter *s, size_t number) { return (st_str *)(void *)((char *)s + facts[number].offset); }

bool st_segmenter_init(st_segmenter *s, const st_redactor *redactor) {
  *s = (st_segmenter){.scratch = st_redact_scratch_new(redactor)};
  st_segment_init(&s->open);
  for (size_t i = 0; i < FACTS; i++) st_str_init(fact(s, i), FACT_MAX);
  return s->scratch != NULL;
}

void st_segmenter_free(st_segmenter *s) {
  st_segment_free(&s->open);
  for (size_t i = 0; i < FACTS; i++) st_str_free(fact(s, i));
  st_redact_scratch_free(s->scratch);
}

void st_segmenter_begin(st_segmenter *s, const st_source *source, const st_segment_rules *rules) {
  s->rules = rules;
  s->source = source;
  st_segment_next(&s->open);
  s->open.index = 0;
  for (size_t i = 0; i < FACTS; i++) st_str_clear(fact(s, i));
  s->begun = s->subagent = false;
  s->last_user = 0;
  s->spent = 0;
}

static st_text text_of(const st_str *str) { return (st_text){str->length ? str->text : "", str->length}; }

static void set(st_str *str, st_text text) {
  if (!text.length) return;
  st_str_clear(str);
  st_str_add(str, text.bytes, text.length);
}

void st_segmenter_keep(const st_segmenter *s, st_str *out) {
  st_str_addc(out, '{');
  st_segment_keep(&s->open, out);
  for (size_t i = 0; i < FACTS; i++) {
    st_text text = text_of(fact((st_segmenter *)(uintptr_t)s, i));
    if (!text.length) continue;
    st_str_addf(out, ",\"%s\":", facts[i].name);
    st_json_add_string(out, text.bytes, text.length);
  }
  st_str_addf(out, ",\"begun\":%s,\"subagent\":%s,\"spent\":%lld,\"last_user\":", s->begun ? "true" : "false",
              s->subagent ? "true" : "false", (long long)s->spent);
  st_json_add_real(out, s->last_user);
  st_str_addc(out, '}');
}

void st_segmenter_recall(st_segmenter *s, st_text state) {
  st_segment_recall(&s->open, state);
  for (size_t i = 0; i < FACTS; i++) {
    st_text text = {0};
    if (!st_pull_text(s->source->arena, st_pull_get(state, facts[i].name), &text)) fact(s, i)->failed = true;
    set(fact(s, i), text);
  }
  s->begun = st_pull_true(st_pull_get(state, "begun"));
  s->subagent = st_pull_true(st_pull_get(state, "subagent"));
  s->spent = st_pull_int(st_pull_get(state, "spent"), 0);
  s->last_user = st_pull_real(st_pull_get(state, "last_user"), 0);
}

bool st_segmenter_failed(const st_segmenter *s) {
  for (size_t i = 0; i < FACTS; i++)
    if (fact((st_segmenter *)(uintptr_t)s, i)->failed) return true;
  return st_segment_failed(&s->open);
}

/* ---- Facts ---------------------------------------------------------------------------------- */

/* Of a sub-agent inside the session's file only what is of the moment counts. */
void st_segmenter_session(st_segmenter *s, const st_told_session *told) {
  st_text file = s->source->session;
  bool own = !s->rules->by_record || (told->id.length >= file.length && told->id.bytes &&
             st_text_same((st_text){told->id.bytes + told->id.length - file.length, file.length}, file));
  set(&s->cwd, told->cwd);
  set(&s->branch, told->branch);
  set(&s->model, told->model);
  if (!own) return;
  set(&s->title, told->title);
  set(&s->agent, told->agent);
  if (told->link != ST_LINK_SUBAGENT) return;
  set(&s->parent, told->parent);
  s->subagent = true;
}

void st_segmenter_usage(st_segmenter *s, const st_told_usage *told) {
  bool same = told->key.length && st_text_same(text_of(&s->request), told->key);
  int64_t more = told->output - (same ? s->spent : 0);
  if (more > 0 && s->begun) s->open.tokens += more;
  set(&s->request, told->key);
  s->spent = told->output;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* .../projects/<project>/...; else the directory that it is in. */
static st_text project_in(const char *path) {
  const char *below = strstr(path, "/projects/");
  const char *start = below ? below + strlen("/projects/") : NULL;
  if (start && strchr(start, '/')) return (st_text){start, strcspn(start, "/")};
  const char *end = strrchr(path, '/');
  for (start = end; start && start > path && start[-1] != '/'; start--) continue;
  return start ? (st_text){start, (size_t)(end - start)} : (st_text){0};
}

static st_text session_of(const st_segmenter *s) {
  return s->session.length ? text_of(&s->session) : s->source->session;
}

static st_segment_row *make_row(const st_segmenter *s, st_arena *arena) {
  st_segment_row *row = st_arena_zero(arena, sizeof *row);
  st_text project = s->rules->project_in_path ? project_in(s->source->path) : text_of(&s->cwd);
  if (!row) return NULL;
  row->subagent = s->subagent;
  bool ok = st_keep_text(arena, session_of(s), &row->session) && st_keep_text(arena, project, &row->project) &&
            st_keep_text(arena, text_of(&s->cwd), &row->cwd) && st_keep_text(arena, text_of(&s->branch), &row->branch) &&
            st_keep_text(arena, text_of(&s->model), &row->model) && st_keep_text(arena, text_of(&s->agent), &row->agent) &&
            st_keep_text(arena, text_of(&s->title), &row->title) && st_keep_text(arena, text_of(&s->parent), &row->parent) &&
            st_keep_text(arena, st_text_of(s->source->path), &row->source_file) &&
            st_segment_fill(&s->open, (st_text){0}, &s->rules->caps, arena, row);
  return ok ? row : NULL;
}

st_segment_row *st_segmenter_open(const st_segmenter *s, st_arena *arena, bool *nomem) {
  if (!st_segment_has_content(&s->open)) return NULL;
  st_segment_row *row = make_row(s, arena);
  if (!row) *nomem = true;
  return row;
}

/* ---- Calls ---------------------------------------------------------------------------------- */

st_tool_row *st_tool_row_of(st_arena *arena, st_text call, double at) {
  st_tool_row *row = st_arena_zero(arena, sizeof *row);
  if (!row || !st_uuid_v5(URL_SPACE, call.bytes, call.length, row->envelope)) return NULL;
  row->at = at;
  return row;
}

static void add_size(st_segmenter *s, st_text text) {
  s->open.size += (int64_t)(s->rules->characters ? st_count_characters(text) : text.length);
}

/* {"id","type","function":{"name","arguments"}} */
static bool take_call(st_segmenter *s, st_arena *arena, st_text call, double at, st_tool_row ***end) {
  st_arena *here = s->source->arena; /* until the next record */
  st_text id = {0}, name = {0}, arguments = {0}, summary, function = st_pull_get(call, "function");
  if (!st_pull_text(here, st_pull_get(call, "id"), &id) || !st_pull_text(here, st_pull_get(function, "name"), &name) ||
      !st_keep_text(here, name, &name) ||
      !st_pull_text(here, st_pull_get(function, "arguments"), &arguments) ||
      !st_tool_summary(s->rules->tools, s->scratch, here, name, arguments, &summary))
    return false;
  if (s->begun) st_segment_add_call(&s->open, name, summary);
  if (s->begun) add_size(s, summary);
  if (!id.length) return true;
  st_tool_row *row = st_tool_row_of(arena, id, at);
  if (!row || !st_keep_text(arena, name, &row->name) || !st_keep_text(arena, summary, &row->summary) ||
      !st_keep_text(arena, session_of(s), &row->session) || !st_keep_text(arena, text_of(&s->cwd), &row->cwd) ||
      !st_keep_text(arena, text_of(&s->branch), &row->branch))
    return false;
  **end = row;
  *end = &row->next;
  return true;
}

static bool take_calls(st_segmenter *s, st_arena *arena, const st_told_message *told, double at, st_tool_row **calls) {
  while (*calls) calls = &(*calls)->next;
  for (st_pull walk = st_pull_into(told->tool_calls); st_pull_next(&walk);)
    if (!take_call(s, arena, walk.value, at, &calls)) return false;
  return true;
}

/* "Exit code 1", as a first line. */
static bool find_exit(st_text said, int64_t *code) {
  static const char words[] = "Exit code";
  if (!st_starts(said, words)) return false;
  const char *at = said.bytes + strlen(words);
  char digits[12] = "";
  size_t left = said.length - strlen(words), length = 0;
  while (left && (*at == ':' || *at == ' ')) at++, left--;
  while (left && length < sizeof digits - 1 && (*at == '-' || (*at >= '0' && *at <= '9'))) digits[length++] = *at++, left--;
  char *end = digits;
  *code = strtoll(digits, &end, 10);
  return length > 0 && *end == '\0' && (left == 0 || *at == '\n' || *at == '\r');
}

static bool take_answer(st_arena *arena, const st_told_message *told, st_tool_row **calls) {
  if (!told->tool_call_id.length) return true;
  st_tool_row *row = st_tool_row_of(arena, told->tool_call_id, 0);
  if (!row) return false;
  row->ended = told->timestamp;
  row->told_exit = !told->is_json && find_exit(told->content, &row->exit_code);
  *calls = row;
  return true;
}

/* ---- Words ---------------------------------------------------------------------------------- */

/* Of several parts those that are text, a line each. */
static bool words_of(st_arena *arena, const st_told_message *told, st_text *out) {
  st_text text = {0};
  st_str all;
  *out = told->content;
  if (!told->is_json) return true;
  st_str_init(&all, SIZE_MAX);
  for (st_pull walk = st_pull_into(told->content); st_pull_next(&walk);) {
    if (!st_pull_is(st_pull_get(walk.value, "type"), "text")) continue;
    if (!st_pull_text(arena, st_pull_get(walk.value, "text"), &text)) all.failed = true;
    if (all.length && text.length) st_str_addc(&all, '\n');
    st_str_add(&all, text.bytes, text.length);
  }
  return st_segment_built(arena, &all, out);
}

static void take_prompt(st_segmenter *s, st_text words) {
  st_text prompt = st_cut_text(s->rules->prompt(st_trim(words)), ST_PROMPT_MAX);
  if (!prompt.length) return;
  st_segment_add_prompt(&s->open, prompt);
  add_size(s, prompt);
}

static void take_words(st_segmenter *s, st_text words) {
  words = st_trim(words);
  if (words.length <= s->rules->least) return;
  words = st_cut_text(words, ST_ANSWER_MAX);
  st_segment_add_text(&s->open, words);
  add_size(s, words);
}

/* ---- Messages ------------------------------------------------------------------------------- */

/* Is it of another record than the message before?  Several of one record have its key, and numbers behind it. */
static bool is_new_record(st_segmenter *s, st_text key) {
  const char *mark = key.length ? memrchr(key.bytes, '#', key.length) : NULL;
  if (mark) key.length = (size_t)(mark - key.bytes);
  if (key.length && st_text_same(key, text_of(&s->record))) return false;
  st_str_clear(&s->record);
  st_str_add(&s->record, key.bytes, key.length);
  return true;
}

/* The user speaks: after a pause, or when enough has been said, another segment begins. */
static bool close_before(st_segmenter *s, st_arena *arena, double time, st_segmented *out) {
  bool paused = s->rules->gap > 0 && s->last_user > 0 && time - s->last_user > s->rules->gap;
  bool ends = time > 0 && (paused || s->open.size > SIZE_FULL) && st_segment_has_content(&s->open);
  if (time > 0) s->last_user = time;
  if (!ends) return true;
  out->closed = make_row(s, arena);
  st_segment_next(&s->open);
  return out->closed != NULL;
}

static bool is_system_event(const st_told_message *told) {
  return st_text_is(told->role, "event") && told->is_json && st_pull_is(st_pull_get(told->content, "type"), "system");
}

static bool is_of_session(const st_segmenter *s, const st_told_message *told) {
  if (st_text_is(told->role, "user") || st_text_is(told->role, "assistant") || st_text_is(told->role, "tool")) return true;
  return s->rules->by_record && (st_text_is(told->role, "system") || is_system_event(told));
}

void st_segmenter_record(st_segmenter *s, double time) {
  if (!s->rules->by_record) return;
  s->open.messages++;
  st_segment_at(&s->open, time);
}

/* Where every record is a message, its first one tells it; elsewhere what is said or called does. */
static bool counts(const st_segmenter *s, const st_told_message *told, st_text words, bool first) {
  if (s->rules->by_record) return first;
  return !st_text_is(told->role, "tool") && (st_text_is(told->role, "user") || words.length || told->tool_calls.length);
}

bool st_segmenter_message(st_segmenter *s, st_arena *arena, st_text session, const st_told_message *told, st_segmented *out) {
  bool by_record = s->rules->by_record, first = is_new_record(s, told->key);
  bool user = st_text_is(told->role, "user"), tool = st_text_is(told->role, "tool");
  double time = told->timestamp > 0 ? told->timestamp : s->source->modified;
  st_text words;
  if (!is_of_session(s, told)) return !st_segmenter_failed(s);
  if (!words_of(s->source->arena, told, &words)) return false;
  if (!by_record) set(&s->session, session);
  if ((user || (tool && by_record)) && first && !close_before(s, arena, by_record ? told->timestamp : time, out)) return false;
  s->begun = s->begun || user || !s->rules->from_prompt;
  if (s->begun) {
    s->open.messages += counts(s, told, words, first);
    st_segment_at(&s->open, time);
    if (user) take_prompt(s, words);
    else if (st_text_is(told->role, "assistant")) take_words(s, words);
  }
  return (!tool || take_answer(arena, told, &out->calls)) && take_calls(s, arena, told, time, &out->calls) && !st_segmenter_failed(s);
}
