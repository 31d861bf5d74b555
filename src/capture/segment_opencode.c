/* segment_opencode.c - the one segment that a session of opencode has, out of its database.
**
** Messages change after the fact, so the whole session is read again when any of it has: the reader of its messages
** (opencode.h) tells them to a taker of this file's own. */
#include "capture/opencode.h"
#include "capture/segmenter.h"

/* A call, as it is told until its answer comes. */
typedef struct called called;
struct called {
  called *next;
  st_text id;
  st_text line;     /* "bash: make", and then "bash: make -> ok" */
  st_tool_row *row; /* NULL: it has no id */
};

typedef struct gathering {
  st_taker taker; /* the first member */
  st_segmenter *segmenter;
  st_arena *arena; /* of the batch */
  st_segment segment;
  called *calls, **end;
  st_text model;
  bool nomem;
} gathering;

/* ---- Texts ---------------------------------------------------------------------------------- */

static st_text keep(gathering *g, st_text text) {
  st_text kept = {0};
  if (!st_keep_text(g->arena, text, &kept)) g->nomem = true;
  return kept;
}

static st_text clean(gathering *g, st_text text, bool json) {
  st_redacted redacted = {.text = ""};
  bool done = json ? st_redact_json(g->segmenter->scratch, g->arena, text.bytes ? text.bytes : "", text.length, &redacted)
                   : st_redact_text(g->segmenter->scratch, g->arena, text.bytes ? text.bytes : "", text.length, &redacted);
  if (!done) g->nomem = true;
  return done ? (st_text){redacted.text, redacted.length} : (st_text){0};
}

static st_text joined(gathering *g, st_text one, const char *between, st_text other) {
  st_str text;
  st_text out = {0};
  st_str_init(&text, SIZE_MAX);
  st_str_add(&text, one.bytes, one.length);
  if (other.length) st_str_addz(&text, between);
  st_str_add(&text, other.bytes, other.length);
  if (!st_segment_built(g->arena, &text, &out)) g->nomem = true, out.length = 0;
  return out;
}

static st_text first_line(st_text text) {
  text = st_trim(text);
  const char *end = text.length ? memchr(text.bytes, '\n', text.length) : NULL;
  return end ? (st_text){text.bytes, (size_t)(end - text.bytes)} : text;
}

/* Of what was said beside files: the first part is its text. */
static st_text words_of(gathering *g, const st_told_message *told) {
  st_text text = told->content;
  if (!told->is_json) return text;
  st_pull walk = st_pull_into(told->content);
  text = (st_text){0};
  if (st_pull_next(&walk) && !st_pull_text(g->arena, st_pull_get(walk.value, "text"), &text)) g->nomem = true;
  return text;
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static called *find_call(gathering *g, st_text id) {
  called *c = g->calls;
  while (c && !st_text_same(c->id, id)) c = c->next;
  return c;
}

static void add_call(gathering *g, st_text call, double at) {
  st_text id = {0}, name = {0}, arguments = {0}, summary = {0}, function = st_pull_get(call, "function");
  called *c = st_arena_zero(g->arena, sizeof *c);
  if (!c || !st_pull_text(g->arena, st_pull_get(call, "id"), &id) || !st_pull_text(g->arena, st_pull_get(function, "name"), &name) ||
      !st_pull_text(g->arena, st_pull_get(function, "arguments"), &arguments) ||
      !st_tool_summary(&st_tools_of_opencode, g->segmenter->scratch, g->arena, name, arguments, &summary)) {
    g->nomem = true;
    return;
  }
  c->id = keep(g, id);
  name = keep(g, name);
  c->line = joined(g, name, ": ", summary);
  if (id.length && (c->row = st_tool_row_of(g->arena, id, at)) == NULL) g->nomem = true;
  if (c->row) c->row->name = name, c->row->summary = keep(g, summary);
  *g->end = c;
  g->end = &c->next;
}

static void add_answer(gathering *g, const st_told_message *told) {
  called *c = find_call(g, told->tool_call_id);
  if (!c || told->is_json) return;
  c->line = joined(g, c->line, " -> ", st_cut_text(clean(g, first_line(told->content), false), ST_ANSWER_MAX));
}

/* ---- What the reader tells ------------------------------------------------------------------ */

static bool take_session(st_taker *taker, const st_told_session *told) {
  gathering *g = (gathering *)taker;
  if (told->model.length) g->model = keep(g, told->model);
  return !g->nomem;
}

static bool take_message(st_taker *taker, st_text session, const st_told_message *told) {
  gathering *g = (gathering *)taker;
  bool user = st_text_is(told->role, "user"), assistant = st_text_is(told->role, "assistant");
  (void)session;
  if (st_text_is(told->role, "tool")) add_answer(g, told);
  if (!user && !assistant) return !g->nomem;
  g->segment.messages++;
  st_text words = clean(g, st_trim(words_of(g, told)), false);
  if (user && words.length) st_segment_add_prompt(&g->segment, st_cut_text(words, ST_PROMPT_MAX));
  if (assistant && words.length) st_segment_add_text(&g->segment, st_cut_text(words, ST_ANSWER_MAX));
  for (st_pull walk = st_pull_into(told->tool_calls); st_pull_next(&walk);) add_call(g, walk.value, told->timestamp);
  return !g->nomem;
}

static bool take_usage(st_taker *taker, st_text session, const st_told_usage *told) {
  (void)session;
  ((gathering *)taker)->segment.tokens += told->input + told->output + told->reasoning;
  return true;
}

/* The conversation's import has counted these. */
static bool leave_withdraw(st_taker *taker, st_text session, int64_t count) { return (void)taker, (void)session, (void)count, true; }
static bool leave_aside(st_taker *taker) { return (void)taker, true; }
static bool leave_bad(st_taker *taker, const char *why) { return (void)taker, (void)why, true; }

/* ---- Parts ---------------------------------------------------------------------------------- */

enum { P_DATA };
static const char *const part_columns[] = {"data", NULL};

/* When a tool began and ended, and how, stands in its part. */
static void time_call(gathering *g, st_tell *tell, st_text data) {
  st_text state = st_pull_get(data, "state"), time = st_pull_get(state, "time");
  st_text code = st_pull_get(st_pull_get(state, "metadata"), "exit");
  double began = st_tell_time(tell, st_pull_get(time, "start")), ended = st_tell_time(tell, st_pull_get(time, "end"));
  called *c = find_call(g, st_tell_member(tell, data, "callID"));
  if (!c || !c->row || ended <= 0) return;
  if (began > 0) c->row->at = began;
  c->row->ended = ended;
  c->row->told_exit = st_pull_type(code) == ST_JSON_INT && code.bytes;
  c->row->exit_code = st_pull_int(code, 0);
}

/* Times of calls; and the files that were changed or attached, as a JSON list. */
static st_text read_parts(gathering *g, st_tell *tell, sqlite3 *db, st_text session) {
  st_str files;
  st_text list = {0};
  st_str_init(&files, SIZE_MAX);
  st_dbrows rows = st_dbrows_of(tell, db, "part", part_columns, "WHERE session_id = ?1 ORDER BY id");
  st_dbrows_bind_text(&rows, 1, session);
  st_str_addc(&files, '[');
  while (st_dbrows_next(&rows)) {
    st_text data = st_row_text(&rows, P_DATA);
    if (!st_is_json(data)) continue;
    st_text type = st_pull_get(data, "type"), one = {0};
    if (st_pull_is(type, "tool")) time_call(g, tell, data);
    if (st_pull_is(type, "file")) one = st_tell_member(tell, data, "filename");
    st_pull walk = st_pull_into(st_pull_is(type, "patch") ? st_pull_get(data, "files") : (st_text){0});
    while (one.length || st_pull_next(&walk)) {
      if (!one.length) one = st_tell_text(tell, walk.value);
      if (files.length > 1) st_str_addc(&files, ',');
      st_json_add_string(&files, one.bytes, one.length);
      one = (st_text){0};
    }
    st_arena_reset(tell->source->arena);
  }
  st_dbrows_close(&rows);
  st_str_addc(&files, ']');
  if (!st_segment_built(g->arena, &files, &list)) g->nomem = true;
  return list;
}

/* ---- The row -------------------------------------------------------------------------------- */

enum { S_ID, S_PARENT, S_DIRECTORY, S_TITLE, S_AGENT, S_CREATED, S_UPDATED, S_ADDITIONS, S_DELETIONS, S_FILES, S_DIFFS };
static const char *const session_columns[] = {"id", "parent_id", "directory", "title", "agent", "time_created", "time_updated",
                                              "summary_additions", "summary_deletions", "summary_files", "summary_diffs", NULL};

/* False: there is no such session. */
static bool read_session(gathering *g, st_tell *tell, sqlite3 *db, st_text session, st_segment_row *row, int64_t counts[3]) {
  st_dbrows rows = st_dbrows_of(tell, db, "session", session_columns, "WHERE id = ?1");
  st_dbrows_bind_text(&rows, 1, session);
  bool found = st_dbrows_next(&rows);
  if (found) {
    st_text diffs = st_row_text(&rows, S_DIFFS);
    row->session = keep(g, session);
    row->parent = keep(g, st_row_text(&rows, S_PARENT));
    row->subagent = row->parent.length > 0;
    row->cwd = row->project = keep(g, clean(g, st_row_text(&rows, S_DIRECTORY), false));
    row->title = keep(g, clean(g, st_row_text(&rows, S_TITLE), false));
    row->agent = keep(g, st_row_text(&rows, S_AGENT));
    if (diffs.length && st_is_json(diffs)) row->diffs = keep(g, clean(g, diffs, true));
    g->segment.start = st_row_time(&rows, S_CREATED);
    g->segment.end = st_row_time(&rows, S_UPDATED);
    for (int i = 0; i < 3; i++) counts[i] = st_row_int(&rows, S_ADDITIONS + i);
  }
  st_dbrows_close(&rows);
  return found;
}

static void add_number(st_str *out, int64_t number) {
  for (int i = 0; i < 8; i++) st_str_addc(out, (char)((uint64_t)number >> (8 * i) & 0xFF));
}

/* What else is hashed: |the counts, eight bytes each, the lowest first|the changes|the files */
static st_text more_content(gathering *g, const int64_t counts[3], st_text diffs, st_text files) {
  st_str more;
  st_text out = {0};
  st_str_init(&more, SIZE_MAX);
  st_str_addc(&more, '|');
  for (int i = 0; i < 3; i++) add_number(&more, counts[i]);
  st_str_addc(&more, '|');
  st_str_add(&more, diffs.bytes, diffs.length);
  st_str_addc(&more, '|');
  st_str_add(&more, files.bytes, files.length);
  if (!st_segment_built(g->arena, &more, &out)) g->nomem = true;
  return out;
}

static void finish_calls(gathering *g, const st_segment_row *row, st_tool_row **calls) {
  for (called *c = g->calls; c; c = c->next) {
    st_segment_add_call_line(&g->segment, c->line);
    if (!c->row) continue;
    c->row->session = row->session;
    c->row->cwd = row->cwd;
    *calls = c->row;
    calls = &c->row->next;
  }
}

static st_segment_row *gather(gathering *g, st_tell *tell, sqlite3 *db, st_text session, st_tool_row **calls) {
  int64_t counts[3] = {0}, last = 0;
  st_segment_row *row = st_arena_zero(g->arena, sizeof *row);
  if (!row) g->nomem = true;
  if (!row || !read_session(g, tell, db, session, row, counts)) return NULL;
  st_opencode_both(tell, db, session, 0, &last);
  st_text files = read_parts(g, tell, db, session);
  finish_calls(g, row, calls);
  row->model = g->model;
  row->source_file = keep(g, st_text_of(tell->source->path));
  if (!g->nomem && !st_segment_fill(&g->segment, more_content(g, counts, row->diffs, files), &g->segmenter->rules->caps, g->arena, row))
    g->nomem = true;
  return st_segment_has_content(&g->segment) ? row : NULL;
}

bool st_segment_of_opencode(st_segmenter *s, sqlite3 *db, st_arena *arena, st_text session, st_segment_row **row,
                            st_tool_row **calls) {
  gathering g = {.segmenter = s, .arena = arena};
  st_source source = *s->source;
  st_tell tell = {.source = &source};
  g.taker = (st_taker){.session = take_session, .message = take_message, .usage = take_usage, .withdraw = leave_withdraw,
                       .aside = leave_aside, .bad = leave_bad};
  g.end = &g.calls;
  source.taker = &g.taker;
  st_segment_init(&g.segment);
  if (st_dbrows_begin(&tell, db)) {
    *row = gather(&g, &tell, db, session, calls);
    st_dbrows_end(db);
  }
  st_segment_free(&g.segment);
  return !g.nomem && !tell.stop;
}
