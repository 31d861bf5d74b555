/* index.c - opening, making and dropping the index file.  See index.h. */
#include "search/index.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/token.h"
#include "engine/sqlite_driver.h"
#include "search/common.h"
#include "search/corpus.h"
#include "search/fts5_token.h"
#include "search/gather.h"
#include "search/index_file.h"
#include "search/index_gate.h"
#include "search/rank.h"
#include "search/sources.h"
#include "search/vocabulary.h"

#define OPEN_TRIES 4 /* who is not through then has a fault that does not pass */

/* FTS5 is not to merge by itself, in the middle of a batch, before there are 64 parts: st_index_merge() does
** it in steps, which need less room in the file. */
static const char *const SCHEMA =
    "CREATE TABLE stele_index (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "INSERT INTO stele_index VALUES ('identity', hex(randomblob(8)));" /* what its numbers mean, for who keeps them */
    ST_ROWINFO_TABLES ST_COMMON_TABLES ST_INNER_TABLES
    "CREATE TABLE stele_docs (number INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL, id TEXT NOT NULL,"
    " UNIQUE (kind, id));"
    "CREATE TABLE stele_due (number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL, UNIQUE (kind, id));"
    "CREATE TABLE stele_sessions (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE stele_projects (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE stele_df (term TEXT PRIMARY KEY, rows REAL NOT NULL, total REAL NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE stele_words (word TEXT PRIMARY KEY, rows REAL NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE stele_roles (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE VIRTUAL TABLE stele_text USING fts5(text, title, extra, content='', contentless_delete=1,"
    " tokenize='stele');"
    "CREATE VIRTUAL TABLE stele_trigram USING fts5(text, content='', contentless_delete=1, detail=none,"
    " tokenize='stele_trigram');"
    "INSERT INTO stele_text(stele_text, rank) VALUES('automerge', 0);"
    "INSERT INTO stele_text(stele_text, rank) VALUES('crisismerge', 64);"
    "INSERT INTO stele_text(stele_text, rank) VALUES('hashsize', 33554432);"
    "INSERT INTO stele_trigram(stele_trigram, rank) VALUES('automerge', 0);"
    "INSERT INTO stele_trigram(stele_trigram, rank) VALUES('crisismerge', 64);"
    "INSERT INTO stele_trigram(stele_trigram, rank) VALUES('hashsize', 33554432);";

void st_index_format(const st_call *call, char out[64]) {
  snprintf(out, 64, "13 %d %s %llx", ST_TOKENIZER_VERSION, st_tokenizer_unicode(),
           (unsigned long long)st_sources_mark(call->store->store));
}

void st_index_path(const char *location, char out[4096]) {
  size_t length = strlen(location);
  if (strcmp(location, ":memory:") == 0) {
    snprintf(out, 4096, ":memory:");
    return;
  }
  if (length > 3 && strcmp(location + length - 3, ".db") == 0) length -= 3;
  snprintf(out, 4096, "%.*s.index.db", (int)length, location);
}

/* A missing table, or one that its module does not know any more, is damage too. */
static bool is_damage(st_index *index, int code) {
  int kind = code & 0xff;
  if (kind == SQLITE_ERROR && index->db) kind = sqlite3_errcode(index->db) & 0xff; /* it may know more */
  if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB) return true;
  const char *problem = kind == SQLITE_ERROR ? sqlite3_errmsg(index->db) : "";
  return strncmp(problem, "no such", 7) == 0 || strstr(problem, "constructor failed");
}

void st_index_fail(st_call *call, st_index *index, int code) {
  stele_status status = st_sqlite_status(code);
  if (is_damage(index, code)) index->damaged = true;
  if (index->damaged) status = STELE_CORRUPT;
  if (st_sqlite_unsynced(code)) index->damaged = true; /* it may be by now: nothing more is written to it */
  if (status == STELE_BUSY && st_sqlite_interrupted(index->store->conn)) status = STELE_CANCELLED;
  if (status == STELE_INTERNAL) status = STELE_IO; /* FTS5 tells some failed reads as an error of logic */
  st_fail(call, status, NULL, "the search index %s: %s", index->path, sqlite3_errstr(code));
  st_hint(call, "the index is derived: `stele reindex` makes it anew; the store itself is not affected");
}

static bool is_memory(const char *path) { return strcmp(path, ":memory:") == 0; }

static ino_t log_number(const char *path) {
  struct stat found;
  char name[4200];
  snprintf(name, sizeof name, "%s-wal", path);
  return stat(name, &found) == 0 ? found.st_ino : 0;
}

/* Does the name still mean this file?  SQLite knows which one it has open, if it has one. */
static bool has_name(const st_index *index) {
  int moved = 0, code = SQLITE_CANTOPEN;
  if (is_memory(index->path)) return true;
  if (index->db) code = sqlite3_file_control(index->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return code == SQLITE_OK ? !moved : access(index->path, F_OK) == 0;
}

/* And are its files together?  While it is open nobody but a stranger takes its log away: then it is not whole any more. */
static bool is_current(const st_index *index) {
  return has_name(index) && (index->log == 0 || log_number(index->path) == index->log);
}

static void close_index(void *attached) {
  st_index *index = attached;
  int gate, code = st_index_gate_enter(index->store, index->path, &gate);
  /* SQLite deletes the log when the last connection closes, by its name: it may be another index's by now. */
  if (index->db && (code != SQLITE_OK || !is_current(index))) sqlite3_db_config(index->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  st_rowinfos_free(&index->rows);
  st_inner_end(&index->inner);
  st_frequencies_free(&index->frequencies);
  sqlite3_close_v2(index->db);
  st_index_gate_leave(gate);
  st_free(index->path);
  st_free(index);
}

int st_index_get(st_index *index, const char *key, char *out, size_t size) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(index->db, "SELECT value FROM stele_index WHERE key = ?1 AND value IS NOT NULL", -1, &stmt, NULL);
  out[0] = '\0';
  if (code == SQLITE_OK) {
    sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
    code = sqlite3_step(stmt);
    if (code == SQLITE_ROW) snprintf(out, size, "%s", sqlite3_column_text(stmt, 0));
    if (code == SQLITE_ROW || code == SQLITE_DONE) code = SQLITE_OK;
  }
  sqlite3_finalize(stmt);
  return code;
}

int st_index_get_text(st_index *index, st_arena *arena, const char *key, char **out) {
  sqlite3_stmt *stmt = NULL;
  *out = NULL;
  int code = sqlite3_prepare_v2(index->db, "SELECT value FROM stele_index WHERE key = ?1 AND value IS NOT NULL", -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
  if (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    *out = st_arena_copy(arena, (const char *)sqlite3_column_text(stmt, 0), (size_t)sqlite3_column_bytes(stmt, 0));
    code = *out ? SQLITE_OK : SQLITE_NOMEM;
  }
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int st_index_set(st_index *index, const char *key, const char *value) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(index->db, "INSERT OR REPLACE INTO stele_index VALUES (?1, ?2)", -1, &stmt, NULL);
  if (code == SQLITE_OK) {
    sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, value, -1, SQLITE_STATIC);
    code = sqlite3_step(stmt) == SQLITE_DONE ? SQLITE_OK : sqlite3_extended_errcode(index->db);
  }
  sqlite3_finalize(stmt);
  return code;
}

int st_index_script(st_index *index, const char *sql) { return sqlite3_exec(index->db, sql, NULL, NULL, NULL); }

/* As SQLite does it by itself, which would not tell that a sync has failed. */
static int checkpoint_if_due(void *unused, sqlite3 *db, const char *name, int pages) {
  (void)unused;
  if (pages < ST_CHECKPOINT_PAGES) return SQLITE_OK;
  int code = sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
  return st_sqlite_unsynced(code) ? code : SQLITE_OK;
}

static int on_busy(void *argument, int tries) {
  const st_index *index = argument;
  return st_sqlite_busy(index->store->conn, tries);
}

/* The switch raises a lock that is held already, and for that SQLite does not ask the busy handler: when several make an
** index at once, all but one must ask again. */
static int use_log(st_index *index) {
  int code, tries = 0;
  do {
    code = st_index_script(index, "PRAGMA journal_mode = WAL");
  } while ((code & 0xff) == SQLITE_BUSY && on_busy(index, tries++));
  return code;
}

static void remove_logs(const char *path) {
  static const char *const suffixes[] = {"-wal", "-shm"};
  char name[4200];
  for (size_t i = 0; i < 2; i++) {
    snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
    unlink(name);
  }
}

/* The file goes first: without its log it would look whole, and logs that are left go before a file is made. */
static void remove_file(const char *path) {
  unlink(path);
  remove_logs(path);
}

/* An empty file, if there is none.  Not by opening and closing it: that would drop another thread's locks. */
static void make_file(const char *path) {
  struct stat found;
  if (stat(path, &found) == 0 && found.st_size > 0) return;
  remove_logs(path);
  mknod(path, S_IFREG | 0600, 0);
}

static int connect(st_index *index) {
  int flags = SQLITE_OPEN_READWRITE | (is_memory(index->path) ? SQLITE_OPEN_MEMORY : 0);
  int code = sqlite3_open_v2(index->path, &index->db, flags, NULL);
  if (code != SQLITE_OK) return code;
  sqlite3_extended_result_codes(index->db, 1);
  sqlite3_db_config(index->db, SQLITE_DBCONFIG_ENABLE_QPSG, 1, NULL); /* as of a store's connection */
  sqlite3_busy_handler(index->db, on_busy, index);
  code = st_index_script(index, "PRAGMA page_size = 8192"); /* of a new file: the rows of a common word are then read in half as many pieces */
  if (code == SQLITE_OK) code = use_log(index);
  if (code == SQLITE_OK) code = st_index_script(index, "SELECT 1 FROM sqlite_master"); /* which opens the log */
  if (code == SQLITE_OK) index->log = log_number(index->path);
  return code;
}

static int open_file(st_index *index) {
  int gate, code = st_index_gate_enter(index->store, index->path, &gate);
  if (code == SQLITE_OK) {
    if (!is_memory(index->path)) make_file(index->path);
    code = connect(index);
  }
  st_index_gate_leave(gate);
  return code;
}

/* Teach the connection what the tables need. */
static int teach(st_index *index) {
  int code = st_fts5_tokenizer_register(index->db, &index->counted, &index->inner);
  if (code == SQLITE_OK) code = st_rank_register(index->db);
  if (code == SQLITE_OK) code = st_gather_register(index->db);
  if (code == SQLITE_OK)
    code = st_index_script(index, "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;"
                                  "PRAGMA journal_size_limit = 67108864");
  sqlite3_wal_hook(index->db, checkpoint_if_due, NULL);
  return code;
}

static int has_tables(st_index *index, bool *there) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(index->db, "SELECT 1 FROM sqlite_master WHERE name = 'stele_index'", -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  *there = code == SQLITE_ROW;
  sqlite3_finalize(stmt);
  return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Make the tables, if there are none.  *usable: what is there follows today's rules. */
static int settle(st_index *index, const char *wanted, bool *usable) {
  char found[64] = "";
  *usable = true;
  int code = st_index_script(index, "BEGIN IMMEDIATE");
  if (code != SQLITE_OK) return code;
  bool there = false;
  code = has_tables(index, &there);
  if (code == SQLITE_OK && !there) {
    code = st_index_script(index, SCHEMA);
    if (code == SQLITE_OK) code = st_index_set(index, "format", wanted);
    if (code == SQLITE_ERROR) *usable = false; /* something else is there */
  } else if (code == SQLITE_OK) {
    code = st_index_get(index, "format", found, sizeof found);
    *usable = strcmp(found, wanted) == 0;
  }
  int ended = st_index_script(index, code == SQLITE_OK ? "COMMIT" : "ROLLBACK");
  return code == SQLITE_OK ? ended : code;
}

/* What there is no memory for is NULL. */
static st_index *new_index(const st_opened *store, const char *path) {
  st_index *index = st_alloc_zero(sizeof *index);
  if (!index) return NULL;
  index->data_version = -1;
  index->store = store;
  index->path = st_strdup(path);
  if (index->path) return index;
  st_free(index);
  return NULL;
}

static st_index *open_once(const st_opened *store, const char *path, const char *format, int *code, bool *usable) {
  st_index *index = new_index(store, path);
  *usable = true;
  *code = index ? open_file(index) : SQLITE_NOMEM;
  if (*code == SQLITE_OK) *code = teach(index);
  if (*code == SQLITE_OK) *code = settle(index, format, usable);
  return index;
}

/* Let go of it, and take its files away if they are still its own. */
static void discard(st_call *call, st_index *index) {
  int gate, code = st_index_gate_enter(index->store, index->path, &gate);
  if (code != SQLITE_OK) st_index_fail(call, index, code);
  else if (!is_memory(index->path) && has_name(index)) remove_file(index->path);
  st_index_gate_leave(gate);
  close_index(index);
}

/* A log that is shorter than its index says has taken another's place. */
static bool is_broken(st_index *index, int code) { return is_damage(index, code) || code == SQLITE_IOERR_SHORT_READ; }

static st_index *fail_open(st_call *call, st_index *index, int code) {
  st_index_fail(call, index, code == SQLITE_OK ? SQLITE_BUSY : code); /* others make it by turns, by other rules */
  close_index(index);
  return NULL;
}

/* A damaged index, or one of other rules, is made anew: everything in it comes from the store.  One whose files were taken away
** while it was opened is opened once more. */
static st_index *open_index(st_call *call, const char *path) {
  char format[64];
  st_index_format(call, format);
  for (int tries = 1; st_ok(call); tries++) {
    int code;
    bool usable;
    st_index *index = open_once(call->store, path, format, &code, &usable);
    if (!index) {
      st_fail(call, STELE_NOMEM, NULL, "out of memory");
      return NULL;
    }
    if (code == SQLITE_OK && usable) return index;
    bool broken = index->db && is_broken(index, code), taken = !is_current(index);
    if (tries == OPEN_TRIES || !(broken || taken || !usable)) return fail_open(call, index, code);
    if (!taken) st_note(call, "the search index was %s and is made anew", broken ? "damaged" : "of another version");
    discard(call, index);
  }
  return NULL;
}

static int64_t data_version(st_index *index) {
  sqlite3_stmt *stmt = NULL;
  int64_t version = 0;
  if (sqlite3_prepare_v2(index->db, "PRAGMA data_version", -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
    version = sqlite3_column_int64(stmt, 0);
  sqlite3_finalize(stmt);
  return version;
}

static int64_t get_number(st_index *index, const char *key, int *code) {
  char text[64];
  int64_t number = 0;
  if (*code == SQLITE_OK) *code = st_index_get(index, key, text, sizeof text);
  if (*code == SQLITE_OK) st_parse_int(text, strlen(text), &number);
  return number;
}

int st_index_read(st_index *index) {
  if (index->data_version < 0) st_rowinfos_free(&index->rows); /* what is in memory may be ahead of the file */
  int code = SQLITE_OK;
  index->last = get_number(index, "last", &code);
  if (code == SQLITE_OK) code = st_rowinfos_refresh(&index->rows, index->db, index->last);
  index->marks.upto = get_number(index, "upto", &code);
  index->marks.change_upto = get_number(index, "change_upto", &code);
  index->marks.stamp = get_number(index, "stamp", &code);
  index->marks.sources = get_number(index, "sources", &code);
  index->marks.turn = get_number(index, "turn", &code);
  index->total_rows = (double)get_number(index, "rows", &code);
  index->total_tokens = (double)get_number(index, "tokens", &code);
  return code;
}

bool st_index_is_seen(st_index *index) { return data_version(index) == index->data_version; }

void st_index_refresh(st_call *call, st_index *index) {
  if (!st_ok(call)) return;
  int64_t version = data_version(index);
  st_rowinfos_retry(&index->rows);
  if (version == index->data_version) return;
  int code = st_index_read(index);
  if (code != SQLITE_OK) st_index_fail(call, index, code);
  index->data_version = code == SQLITE_OK ? version : -1;
}

static void detach(st_opened *opened) {
  if (opened->attached) close_index(opened->attached);
  opened->attached = NULL;
}

static void discard_attached(st_call *call) {
  st_index *index = call->store->attached;
  call->store->attached = NULL;
  discard(call, index);
}

/* Where the index is to be that can be used now. */
static void wanted_path(const st_call *call, char out[4096]) {
  st_index_path(st_corpus_of(call).lasts ? call->store->location : ":memory:", out);
}

static st_index *attach(st_call *call) {
  char path[4096];
  st_opened *opened = call->store;
  const st_index *attached = opened->attached;
  wanted_path(call, path);
  if (attached && strcmp(attached->path, path) != 0) detach(opened);
  else if (attached && !is_current(attached)) discard_attached(call);
  if (!opened->attached) {
    opened->attached = open_index(call, path);
    opened->detach = close_index;
  }
  if (opened->attached) st_index_refresh(call, opened->attached);
  return st_ok(call) ? opened->attached : NULL;
}

st_index *st_index_of(st_call *call) {
  if (!st_ok(call)) return NULL;
  st_corpus corpus = st_corpus_of(call);
  if (!corpus.lasts) detach(call->store);
  st_index *index = attach(call);
  if (st_index_recover(call)) index = attach(call);
  bool foreign = index && corpus.is_foreign(call, index);
  if (foreign) {
    st_index_refresh(call, index); /* another process may have written it since */
    foreign = corpus.is_foreign(call, index);
  }
  if (!foreign) return st_ok(call) ? index : NULL;
  st_note(call, "the search index was of another store and is made anew");
  st_index_drop(call);
  return attach(call);
}

void st_index_drop(st_call *call) {
  char path[4096];
  int gate;
  detach(call->store);
  wanted_path(call, path);
  if (is_memory(path)) return;
  int code = st_index_gate_enter(call->store, path, &gate);
  if (code == SQLITE_OK) remove_file(path);
  else st_fail(call, st_sqlite_status(code), NULL, "the search index %s cannot be taken away: %s", path, sqlite3_errstr(code));
  st_index_gate_leave(gate);
}

bool st_index_recover(st_call *call) {
  st_index *index = call->store->attached;
  bool replaced = index && !is_current(index); /* under our hands: whatever failed, it was another file */
  if (st_ok(call) || !index || !(index->damaged || replaced)) return false;
  memset(call->error, 0, sizeof *call->error);
  if (!replaced) st_note(call, "the search index was damaged and is made anew");
  discard_attached(call);
  return st_ok(call);
}

static void complete(st_call *call, int64_t *indexed) {
  *indexed = 0;
  st_index *index = st_index_of(call);
  if (index) st_index_catch_up(call, index, 0, indexed);
  if (index) st_index_merge(call, index, ST_MERGE_ALL);
  if (index) st_vocabulary_update(call, index);
  if (index) st_common_update(call, index);
  if (index) st_index_trim(call, index);
}

void st_index_complete(st_call *call, int64_t *indexed) {
  complete(call, indexed);
  if (st_index_recover(call)) complete(call, indexed);
}
