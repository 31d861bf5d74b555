/* indexer.c - brings the index up to date with the store, batch by batch.
**
** A batch is copied to memory and the read on the store has ended before the index is written: a long
** read would keep the store's log from being reset. */
#include <stdio.h>
#include <string.h>

#include "engine/handle.h"
#include "registry_ids.h"
#include "search/index_file.h"
#include "search/text.h"

#define BATCH_ROWS 5000
#define MERGE_PAGES 500
#define BATCH_BYTES (16u << 20)
#define ARENA_MAX (UINT64_C(2) << 30)

typedef struct text {
  const char *bytes; /* NULL: there is none */
  size_t length;
} text;

/* One message on its way into the index. */
typedef struct entry entry;
struct entry {
  entry *next;
  int64_t id;
  int64_t change; /* number of the noted change; 0: a new message */
  bool gone;      /* deleted */
  double time;
  text session, role, content, tool_name, tool_calls;
  uint32_t session_number, role_number;
};

typedef struct batch {
  st_arena arena;
  entry *first, *last;
  int64_t count;
  size_t bytes;
} batch;

/* ---- Reading ---- */

static text copy(st_call *call, batch *b, const st_value *value) {
  text t = {NULL, 0};
  if (value->type != ST_TEXT) return t;
  t.bytes = st_arena_copy(&b->arena, value->bytes, value->length);
  t.length = value->length;
  b->bytes += value->length;
  if (!t.bytes) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  return t;
}

static void add_entry(st_call *call, batch *b, st_rows *rows, bool change) {
  st_value v[9] = {{.type = ST_NULL}};
  entry *e = st_arena_zero(&b->arena, sizeof *e);
  if (!e) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    return;
  }
  for (size_t i = 0; i < 8; i++) st_rows_value(call, rows, i, &v[i]);
  e->id = v[ST_R_CONVERSATION_INDEX_BATCH_ID].integer;
  e->change = change ? v[ST_R_CONVERSATION_INDEX_BATCH_CHANGE].integer : 0;
  e->session = copy(call, b, &v[ST_R_CONVERSATION_INDEX_BATCH_SESSION_ID]);
  e->gone = e->session.bytes == NULL;
  e->role = copy(call, b, &v[ST_R_CONVERSATION_INDEX_BATCH_ROLE]);
  e->time = v[ST_R_CONVERSATION_INDEX_BATCH_TIMESTAMP].type == ST_REAL ? v[ST_R_CONVERSATION_INDEX_BATCH_TIMESTAMP].real : 0;
  e->content = copy(call, b, &v[ST_R_CONVERSATION_INDEX_BATCH_CONTENT]);
  e->tool_name = copy(call, b, &v[ST_R_CONVERSATION_INDEX_BATCH_TOOL_NAME]);
  e->tool_calls = copy(call, b, &v[ST_R_CONVERSATION_INDEX_BATCH_TOOL_CALLS]);
  if (b->last)
    b->last->next = e;
  else
    b->first = e;
  b->last = e;
  b->count++;
}

/* Both methods have the same parameters and results: after, limit. */
static void read_batch(st_call *call, batch *b, int method, int64_t after, bool change) {
  st_value args[] = {st_int(after), st_int(BATCH_ROWS)};
  st_rows rows;
  st_rows_start(call, &rows, method, args);
  while (b->bytes < BATCH_BYTES && st_rows_next(call, &rows)) add_entry(call, b, &rows, change);
  st_rows_end(call, &rows);
}

/* ---- Writing ---- */

/* A name and its number: messages of a session come together, and roles are few. */
typedef struct memo {
  text name;
  uint32_t number;
} memo;

typedef struct writing {
  st_index *index;
  batch *batch;
  sqlite3_stmt *insert, *insert_trigram, *remove, *remove_trigram;
  memo session, roles[8];
  int code;
} writing;

static void run(writing *w, sqlite3_stmt *stmt) {
  if (w->code == SQLITE_OK && sqlite3_step(stmt) != SQLITE_DONE) w->code = sqlite3_extended_errcode(w->index->db);
  sqlite3_reset(stmt);
}

static void bind_text(sqlite3_stmt *stmt, int at, const text *t) {
  if (t->bytes)
    sqlite3_bind_text64(stmt, at, t->bytes, t->length, SQLITE_STATIC, SQLITE_UTF8);
  else
    sqlite3_bind_null(stmt, at);
}

/* Substrings are looked for in what people and agents say, not in what tools print. */
static bool in_trigram(const entry *e) {
  return e->role.bytes && (strcmp(e->role.bytes, "user") == 0 || strcmp(e->role.bytes, "assistant") == 0);
}

static void put_row(writing *w, int64_t id, const st_rowinfo *row) {
  if (w->code != SQLITE_OK || st_rowinfos_put(&w->index->rows, id, row)) return;
  w->code = w->index->rows.error != SQLITE_OK ? w->index->rows.error : SQLITE_NOMEM;
}

static void forget(writing *w, int64_t id) {
  const st_rowinfo *row = st_rowinfos_get(&w->index->rows, id);
  if (w->code == SQLITE_OK) w->code = w->index->rows.error;
  if (!row || w->code != SQLITE_OK) return;
  w->index->total_rows--;
  w->index->total_tokens -= row->length;
  put_row(w, id, &(st_rowinfo){0});
  sqlite3_bind_int64(w->remove, 1, id);
  run(w, w->remove);
  sqlite3_bind_int64(w->remove_trigram, 1, id);
  run(w, w->remove_trigram);
}

static uint32_t number_of(writing *w, memo *m, const char *table, const text *name) {
  bool same = m->number && m->name.length == name->length && memcmp(m->name.bytes, name->bytes, name->length) == 0;
  if (!same) *m = (memo){*name, st_index_number(w->index, table, name->bytes, name->length, true, &w->code)};
  return m->number;
}

/* Before anything is written into the search tables: FTS5 writes out what it has gathered whenever a
** statement that may fail halfway, like one that adds a name, runs in the same transaction. */
static void number_names(writing *w) {
  for (entry *e = w->batch->first; e && w->code == SQLITE_OK; e = e->next) {
    if (e->gone) continue;
    e->session_number = number_of(w, &w->session, "stele_sessions", &e->session);
    if (w->code == SQLITE_OK) e->role_number = number_of(w, &w->roles[e->role.length % 8], "stele_roles", &e->role);
  }
}

static void write_entry(writing *w, const entry *e) {
  size_t length = 0;
  text texts[3] = {e->content, e->tool_name, e->tool_calls};
  if (texts[0].bytes) texts[0].bytes = st_content_text(&w->batch->arena, e->content.bytes, e->content.length, &texts[0].length);
  if (texts[2].bytes) {
    texts[2].bytes = st_json_text(&w->batch->arena, e->tool_calls.bytes, e->tool_calls.length, &length);
    texts[2].length = length;
  }
  if ((e->content.bytes && !texts[0].bytes) || (e->tool_calls.bytes && !texts[2].bytes)) {
    w->code = SQLITE_NOMEM;
    return;
  }
  w->index->counted = 0;
  sqlite3_bind_int64(w->insert, 1, e->id);
  for (int i = 0; i < 3; i++) bind_text(w->insert, i + 2, &texts[i]);
  run(w, w->insert);
  put_row(w, e->id, &(st_rowinfo){.time = e->time, .session = e->session_number, .role = (uint16_t)e->role_number,
                                  .length = w->index->counted});
  w->index->total_rows++;
  w->index->total_tokens += w->index->counted;
  if (!in_trigram(e) || !texts[0].bytes) return;
  sqlite3_bind_int64(w->insert_trigram, 1, e->id);
  bind_text(w->insert_trigram, 2, &texts[0]);
  run(w, w->insert_trigram);
}

static void set_number(writing *w, const char *key, int64_t value) {
  char textual[32];
  snprintf(textual, sizeof textual, "%lld", (long long)value);
  if (w->code == SQLITE_OK) w->code = st_index_set(w->index, key, textual);
}

static void write_all(writing *w) {
  static const char *const sql[] = {
      "INSERT OR REPLACE INTO messages_fts(rowid, content, tool_name, tool_calls) VALUES (?1, ?2, ?3, ?4)",
      "INSERT OR REPLACE INTO messages_fts_trigram(rowid, content) VALUES (?1, ?2)",
      "DELETE FROM messages_fts WHERE rowid = ?1", "DELETE FROM messages_fts_trigram WHERE rowid = ?1"};
  sqlite3_stmt **const stmts[] = {&w->insert, &w->insert_trigram, &w->remove, &w->remove_trigram};
  for (int i = 0; i < 4 && w->code == SQLITE_OK; i++)
    w->code = sqlite3_prepare_v2(w->index->db, sql[i], -1, stmts[i], NULL);
  for (const entry *e = w->batch->first; e && w->code == SQLITE_OK; e = e->next) {
    if (e->change && e->id > w->index->upto) continue; /* changed before it was ever indexed: it comes by itself */
    forget(w, e->id);
    if (!e->gone) write_entry(w, e);
  }
  for (int i = 0; i < 4; i++) sqlite3_finalize(*stmts[i]);
}

static void move_marks(writing *w) {
  for (const entry *e = w->batch->first; e; e = e->next) {
    if (!e->change && e->id > w->index->upto) w->index->upto = e->id;
    if (e->change > w->index->change_upto) w->index->change_upto = e->change;
  }
  set_number(w, "upto", w->index->upto);
  set_number(w, "change_upto", w->index->change_upto);
  set_number(w, "rows", (int64_t)w->index->total_rows);
  set_number(w, "tokens", (int64_t)w->index->total_tokens);
  if (w->code == SQLITE_OK) w->code = st_rowinfos_save(&w->index->rows);
}

/* One transaction on the index.  *moved is false if another indexer was faster: read anew. */
static void write_batch(st_call *call, st_index *index, batch *b, bool *moved) {
  writing w = {.index = index, .batch = b};
  int64_t upto = index->upto, change_upto = index->change_upto;
  *moved = true;
  w.code = st_index_script(index, "BEGIN IMMEDIATE");
  bool begun = w.code == SQLITE_OK;
  if (begun) st_index_refresh(call, index);
  if (begun && (index->upto != upto || index->change_upto != change_upto)) {
    *moved = false;
    st_index_script(index, "ROLLBACK");
    return;
  }
  if (w.code == SQLITE_OK) number_names(&w);
  if (w.code == SQLITE_OK) write_all(&w);
  if (w.code == SQLITE_OK) move_marks(&w);
  if (w.code == SQLITE_OK) w.code = st_index_script(index, "COMMIT");
  if (w.code == SQLITE_OK) return;
  st_index_fail(call, index, w.code);
  if (begun) st_index_script(index, "ROLLBACK");
  index->data_version = -1; /* what is in memory may be ahead of the file */
}

void st_index_catch_up(st_call *call, st_index *index, int64_t most, int64_t *indexed) {
  batch b;
  bool more = true, moved = true;
  *indexed = 0;
  st_arena_init(&b.arena, ARENA_MAX);
  while (more && st_ok(call) && (most == 0 || *indexed < most)) {
    b.first = b.last = NULL;
    b.count = 0;
    b.bytes = 0;
    read_batch(call, &b, STELE_M_CONVERSATION_INDEX_CHANGES, index->change_upto, true);
    if (b.count == 0) read_batch(call, &b, STELE_M_CONVERSATION_INDEX_BATCH, index->upto, false);
    more = b.count > 0;
    if (more && st_ok(call)) write_batch(call, index, &b, &moved);
    if (more && moved) *indexed += b.count;
    if (call->db->progress && more && call->db->progress(call->db->user, "index", *indexed, 0) != 0)
      st_fail(call, STELE_CANCELLED, NULL, "indexing was stopped; what is indexed stays");
    st_arena_reset(&b.arena);
  }
  st_arena_free(&b.arena);
}

/* One number from a statement with a name bound; 0: none, or *code tells why. */
static uint32_t ask_number(st_index *index, const char *format, const char *table, const char *name, size_t length, int *code) {
  char sql[200];
  sqlite3_stmt *stmt = NULL;
  uint32_t number = 0;
  snprintf(sql, sizeof sql, format, table);
  *code = sqlite3_prepare_v2(index->db, sql, -1, &stmt, NULL);
  if (*code == SQLITE_OK) *code = sqlite3_bind_text64(stmt, 1, name, length, SQLITE_STATIC, SQLITE_UTF8);
  if (*code == SQLITE_OK) {
    *code = sqlite3_step(stmt);
    if (*code == SQLITE_ROW) number = (uint32_t)sqlite3_column_int64(stmt, 0);
    if (*code == SQLITE_ROW || *code == SQLITE_DONE) *code = SQLITE_OK;
  }
  sqlite3_finalize(stmt);
  return number;
}

uint32_t st_index_number(st_index *index, const char *table, const char *name, size_t length, bool add, int *code) {
  uint32_t number = ask_number(index, "SELECT number FROM %s WHERE name = ?1", table, name, length, code);
  if (number || !add || *code != SQLITE_OK) return number;
  return ask_number(index, "INSERT INTO %s(name) VALUES (?1) RETURNING number", table, name, length, code);
}

/* Four parts of about one size become one, again and again: each message is so moved a few times only, however
** large the index is.  In steps, so that another indexer never waits long, and until nothing changes. */
static int merge_table(st_index *index, const char *table, int steps) {
  char sql[200];
  int code = SQLITE_OK;
  snprintf(sql, sizeof sql, "INSERT INTO %s(%s, rank) VALUES('merge', %d)", table, table, MERGE_PAGES);
  for (int step = 0; step < steps && code == SQLITE_OK; step++) {
    int64_t before = sqlite3_total_changes64(index->db);
    code = st_index_script(index, sql);
    if (sqlite3_total_changes64(index->db) - before < 2) break;
  }
  return code;
}

void st_index_merge(st_call *call, st_index *index, int steps) {
  if (!st_ok(call)) return;
  int code = merge_table(index, "messages_fts", steps);
  if (code == SQLITE_OK) code = merge_table(index, "messages_fts_trigram", steps);
  if (code == SQLITE_OK) code = sqlite3_wal_checkpoint_v2(index->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
  if (code != SQLITE_OK && code != SQLITE_BUSY) st_index_fail(call, index, code);
}
