/* files_side.c - two sides on files by a bare C loop: the limit, which is Stele's own tables, and the documented original,
** its tables with both full-text indexes and their triggers (schema version 11).
**
** The limit searches an index of its own, SQLite's full-text index with nothing else in it, and tells numbers only: what
** that engine can do at best.  It cannot search for one or two Chinese characters.
**
** A program in Python, as the original is, is slower than this; what is measured is the design. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "conversation/asked.h"
#include "conversation/filling.h"
#include "conversation/side.h"

#define WAIT_MS 600000 /* the original blocks writers for long when it prunes */

#define TEXT_OF(row) "coalesce(" row ".content,'')||' '||coalesce(" row ".tool_name,'')||' '||coalesce(" row ".tool_calls,'')"
#define INTO(table) "INSERT INTO " table "(rowid, content) VALUES (new.id, " TEXT_OF("new") ");"
#define OUT_OF(table) "DELETE FROM " table " WHERE rowid = old.id;"
#define FOLLOWED_BY(table)                                                                          \
  "CREATE TRIGGER " table "_insert AFTER INSERT ON messages BEGIN " INTO(table) " END;"              \
  "CREATE TRIGGER " table "_delete AFTER DELETE ON messages BEGIN " OUT_OF(table) " END;"            \
  "CREATE TRIGGER " table "_update AFTER UPDATE ON messages BEGIN " OUT_OF(table) INTO(table) " END;"

static const char original_tables[] =
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT,"
    " system_prompt TEXT, parent_session_id TEXT REFERENCES sessions(id), started_at REAL NOT NULL, ended_at REAL,"
    " end_reason TEXT, message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0, title TEXT);"
    "CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id),"
    " role TEXT NOT NULL, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL,"
    " token_count INTEGER, finish_reason TEXT, reasoning TEXT, reasoning_content TEXT, reasoning_details TEXT,"
    " codex_reasoning_items TEXT, codex_message_items TEXT);"
    "CREATE INDEX idx_sessions_source ON sessions(source);"
    "CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);"
    "CREATE INDEX idx_sessions_started ON sessions(started_at DESC);"
    "CREATE INDEX idx_messages_session ON messages(session_id, timestamp);"
    "CREATE VIRTUAL TABLE messages_fts USING fts5(content);"
    "CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tokenize='trigram');" FOLLOWED_BY("messages_fts")
        FOLLOWED_BY("messages_fts_trigram");

static const char best_with_snippets[] =
    "SELECT m.id, m.session_id, m.role, snippet(messages_fts, 0, '>>>', '<<<', '...', 40), m.timestamp, m.tool_name,"
    " s.source, s.model, s.started_at FROM messages_fts JOIN messages m ON m.id = messages_fts.rowid"
    " JOIN sessions s ON s.id = m.session_id WHERE messages_fts MATCH ?1 ORDER BY rank LIMIT 20";
static const char newest_with[] =
    "SELECT m.id, m.session_id, m.role, substr(m.content, max(1, instr(m.content, ?2) - 40), 120), m.timestamp,"
    " m.tool_name, s.source, s.model, s.started_at FROM messages m JOIN sessions s ON s.id = m.session_id"
    " WHERE m.content LIKE ?1 OR m.tool_name LIKE ?1 OR m.tool_calls LIKE ?1 ORDER BY m.timestamp DESC LIMIT 20";
static const char newest_sessions[] =
    "SELECT s.*, coalesce((SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id), s.started_at),"
    " (SELECT substr(m.content, 1, 63) FROM messages m WHERE m.session_id = s.id AND m.role = 'user'"
    "  AND m.content IS NOT NULL ORDER BY m.timestamp, m.id LIMIT 1)"
    " FROM sessions s WHERE s.parent_session_id IS NULL ORDER BY s.started_at DESC LIMIT 20";

static const char best[] =
    "SELECT rowid FROM search.messages_fts WHERE messages_fts MATCH ?1 ORDER BY rank LIMIT 20";
static const char whole_session[] = "SELECT * FROM messages WHERE session_id = ?1 ORDER BY timestamp, id";
static const char last_page[] =
    "SELECT * FROM (SELECT * FROM messages WHERE session_id = ?1 ORDER BY timestamp DESC, id DESC LIMIT 50) AS newest ORDER BY timestamp, id";
static const char everything[] = "SELECT * FROM sessions ORDER BY started_at, id";

/* What the two differ in. */
typedef struct kind {
  const char *file;
  const char *tables; /* NULL: Stele makes the file */
  const char *match, *like;
} kind;

typedef struct state {
  const kind *kind;
  bench_path home;
  bench_bare bare;
  sqlite3_stmt *insert, *count, *session, *match, *like, *list, *read, *page, *sessions;
} state;

static void run(sqlite3 *db, const char *sql) {
  if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) bench_die("%s: %s", sql, sqlite3_errmsg(db));
}

static void make_file(const char *home, const char *name, const char *tables) {
  sqlite3 *db = NULL;
  bench_path path = bench_join(home, name);
  if (sqlite3_open(path.text, &db) != SQLITE_OK) bench_die("%s cannot be made", path.text);
  run(db, tables);
  sqlite3_close(db);
}

static void make_files(const state *s) {
  if (s->kind->tables) {
    if (mkdir(s->home.text, 0700) != 0) bench_die("%s is there already", s->home.text);
    make_file(s->home.text, s->kind->file, s->kind->tables);
    return;
  }
  stele_db *db = bench_open(s->home.text, "conversation", NULL);
  bench_call(db, "conversation.session_count", NULL);
  stele_close(db);
  make_file(s->home.text, "search.db", "PRAGMA journal_mode = WAL; CREATE VIRTUAL TABLE messages_fts USING fts5(content, content='')");
}

/* Beside the limit's own file, so that its size and its writes are those of the rows alone. */
static void attach_index(const state *s) {
  char sql[1100];
  snprintf(sql, sizeof sql, "ATTACH '%s/search.db' AS search", s->home.text);
  run(s->bare.db, sql);
}

static void prepare(state *s) {
  sqlite3 *db = s->bare.db;
  s->session = bench_bare_prepare(db, "INSERT OR IGNORE INTO sessions (id, source, started_at) VALUES (?1, 'cli', ?2)");
  bench_message_insert_prepare(db, &s->insert, &s->count);
  s->match = bench_bare_prepare(db, s->kind->match);
  s->like = s->kind->like ? bench_bare_prepare(db, s->kind->like) : NULL;
  s->list = bench_bare_prepare(db, newest_sessions);
  s->read = bench_bare_prepare(db, whole_session);
  s->page = bench_bare_prepare(db, last_page);
  s->sessions = bench_bare_prepare(db, everything);
}

static void open_side(bench_side *side, const bench_options *options, bool make) {
  state *s = side->state;
  s->home = bench_side_home(side, options);
  if (make) make_files(s);
  bench_bare_open(&s->bare, s->home.text, s->kind->file, true);
  sqlite3_busy_timeout(s->bare.db, WAIT_MS);
  if (!s->kind->tables) attach_index(s);
  prepare(s);
}

static void close_side(bench_side *side) {
  state *s = side->state;
  sqlite3_stmt *all[] = {s->insert, s->count, s->session, s->match, s->like, s->list, s->read, s->page, s->sessions};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) sqlite3_finalize(all[i]);
  bench_bare_close(&s->bare);
}

static void begin(state *s) {
  if (!bench_bare_begin(&s->bare)) bench_die("%s is locked", s->home.text);
}

/* Messages first to first + count - 1, in one transaction, with the session of each. */
static void write_messages(state *s, unsigned first, unsigned count) {
  begin(s);
  for (unsigned n = first; n < first + count; n++) {
    bench_message m = bench_message_at(n);
    if (n == first || n % bench_session_messages == 0) {
      sqlite3_bind_text(s->session, 1, m.session, -1, SQLITE_STATIC);
      sqlite3_bind_double(s->session, 2, m.timestamp);
      bench_bare_run(s->bare.db, s->session);
    }
    bench_message_insert(s->bare.db, s->insert, s->count, &m);
  }
  bench_bare_commit(&s->bare);
}

static double fill(bench_side *side, unsigned rows) {
  state *s = side->state;
  double start = bench_now();
  for (unsigned n = 0; n < rows; n += BENCH_FILL) write_messages(s, n, rows - n < BENCH_FILL ? rows - n : BENCH_FILL);
  double seconds = bench_now() - start;
  if (!s->kind->tables) run(s->bare.db, "INSERT INTO search.messages_fts (rowid, content) SELECT id, " TEXT_OF("messages") " FROM messages");
  side->rows = rows;
  return seconds;
}

static double bytes(bench_side *side) {
  state *s = side->state;
  return bench_bytes_in(s->home.text, s->kind->file);
}

/* All rows, all columns looked at. */
static int rows_of(state *s, sqlite3_stmt *stmt) {
  int rows = 0, code;
  while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(stmt); i++) sqlite3_column_text(stmt, i);
    rows++;
  }
  if (code != SQLITE_DONE) bench_die("%s: %s", s->home.text, sqlite3_errmsg(s->bare.db));
  sqlite3_reset(stmt);
  return rows;
}

static int rows_with(state *s, sqlite3_stmt *stmt, const char *text) {
  sqlite3_bind_text(stmt, 1, text, -1, SQLITE_STATIC);
  return rows_of(s, stmt);
}

int64_t bench_original_prune(bench_side *side) {
  state *s = side->state;
  begin(s);
  run(s->bare.db, "DELETE FROM messages WHERE session_id IN (SELECT id FROM sessions WHERE ended_at IS NOT NULL)");
  int64_t pruned = sqlite3_changes64(s->bare.db);
  run(s->bare.db, "DELETE FROM sessions WHERE ended_at IS NOT NULL");
  bench_bare_commit(&s->bare);
  return pruned;
}

void bench_original_end_sessions(bench_side *side) {
  state *s = side->state;
  run(s->bare.db, "UPDATE sessions SET ended_at = started_at");
}

static int append(bench_side *side, int n) {
  write_messages(side->state, side->rows + (unsigned)n, 1);
  return 1;
}

static int words(bench_side *side, int n) {
  state *s = side->state;
  return rows_with(s, s->match, bench_two_words(n));
}

static int common(bench_side *side, int n) {
  state *s = side->state;
  return (void)n, rows_with(s, s->match, bench_word(0));
}

/* Every row is read: the original's way with one or two characters. */
static int chinese(bench_side *side, int n) {
  state *s = side->state;
  char pattern[80];
  const char *part = bench_characters(n);
  snprintf(pattern, sizeof pattern, "%%%s%%", part);
  sqlite3_bind_text(s->like, 2, part, -1, SQLITE_STATIC);
  return rows_with(s, s->like, pattern);
}

static int list(bench_side *side, int n) {
  state *s = side->state;
  return (void)n, rows_of(s, s->list);
}

static int read_all(bench_side *side, int n) {
  state *s = side->state;
  return rows_with(s, s->read, bench_some_session(n, side->rows));
}

static int page(bench_side *side, int n) {
  state *s = side->state;
  return rows_with(s, s->page, bench_some_session(n, side->rows));
}

static int export(bench_side *side, int n) {
  state *s = side->state;
  int sessions = 0;
  (void)n;
  for (; sqlite3_step(s->sessions) == SQLITE_ROW; sessions++) rows_with(s, s->read, (const char *)sqlite3_column_text(s->sessions, 0));
  sqlite3_reset(s->sessions);
  return sessions;
}

#define DEEDS                                                                                            \
  [BENCH_append] = append, [BENCH_words] = words, [BENCH_common] = common, [BENCH_list] = list,          \
  [BENCH_read] = read_all, [BENCH_page] = page, [BENCH_export] = export

static const kind limit_kind = {.file = "conversation.db", .match = best};
static const kind original_kind = {.file = "original.db", .tables = original_tables, .match = best_with_snippets, .like = newest_with};
static state limit_state = {.kind = &limit_kind}, original_state = {.kind = &original_kind};

bench_side bench_limit = {.name = "limit", .open = open_side, .close = close_side, .fill = fill, .bytes = bytes,
                          .deeds = {DEEDS}, .state = &limit_state};
bench_side bench_original = {.name = "original", .open = open_side, .close = close_side, .fill = fill, .bytes = bytes,
                             .deeds = {DEEDS, [BENCH_chinese] = chinese}, .state = &original_state};
