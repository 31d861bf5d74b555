/* index_state.c - see index_state.h. */
#include "search/index_state.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/feature.h"
#include "registry_ids.h"
#include "search/corpus.h"
#include "search/index_file.h"
#include "search/index_gate.h"
#include "search/sources.h"

/* Up to where it goes, and by which rules it was made. */
typedef struct reached {
  st_marks marks;
  char format[64];
} reached;

static int64_t file_size(const char *path) {
  struct stat found, log;
  char name[4200];
  if (stat(path, &found) != 0) return -1;
  snprintf(name, sizeof name, "%s-wal", path);
  return (int64_t)found.st_size + (stat(name, &log) == 0 ? (int64_t)log.st_size : 0);
}

/* Read its notes through a connection that cannot write.  Answers a SQLite result code. */
static int read_file(const char *path, reached *out) {
  sqlite3 *db = NULL;
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
  if (code == SQLITE_OK) sqlite3_busy_timeout(db, 1000);
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(
        db, "SELECT key, CAST(value AS INTEGER), value FROM stele_index WHERE key IN ('upto', 'change_upto', 'sources', 'format')", -1,
        &stmt, NULL);
  while (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    const char *key = (const char *)sqlite3_column_text(stmt, 0);
    int64_t value = sqlite3_column_int64(stmt, 1);
    if (key && strcmp(key, "upto") == 0) out->marks.upto = value;
    if (key && strcmp(key, "change_upto") == 0) out->marks.change_upto = value;
    if (key && strcmp(key, "sources") == 0) out->marks.sources = value;
    const char *text = (const char *)sqlite3_column_text(stmt, 2);
    if (key && strcmp(key, "format") == 0) snprintf(out->format, sizeof out->format, "%s", text ? text : "");
    code = SQLITE_OK;
  }
  sqlite3_finalize(stmt);
  sqlite3_close(db);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* The same; who looks is a connection like any other. */
static int read_notes(const st_opened *store, const char *path, reached *out) {
  int gate, code = st_index_gate_enter(store, path, &gate);
  if (code == SQLITE_OK) code = read_file(path, out);
  st_index_gate_leave(gate);
  return code;
}

static void look_at_file(st_call *call, bool notes, st_index_state *out, reached *from) {
  const st_index *attached = call->store->attached;
  char path[4096], wanted[64];
  st_index_path(call->store->location, path);
  out->bytes = file_size(path);
  if (strcmp(path, ":memory:") == 0 && attached && notes) *from = (reached){.marks = attached->marks};
  if (out->bytes < 0 || !notes) return; /* one that was there before changes were noted will be thrown away */
  int code = read_notes(call->store, path, from);
  if (code == SQLITE_NOMEM) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_index_format(call, wanted);
  out->outdated = code == SQLITE_OK && strcmp(from->format, wanted) != 0;
  if (code == SQLITE_OK && !out->outdated) return;
  *from = (reached){.format = ""};
  if (code == SQLITE_OK) return;
  out->problem = sqlite3_errstr(code);
}

static bool is_compatible(const st_call *call) {
  return st_sources_numbered(call->store->store) && st_feature_has(call, ST_F_CONVERSATION_COMPATIBLE);
}

static bool notes_changes(const st_call *call) {
  return st_sources_numbered(call->store->store) ? st_feature_has(call, ST_F_CONVERSATION_CHANGES) : st_documents_noted(call);
}

void st_index_look(st_call *call, st_index_state *out) {
  bool postgres = call->store->driver->engine == ST_POSTGRES, notes = notes_changes(call);
  reached from = {.format = ""};
  int64_t changes;
  *out = (st_index_state){.form = postgres ? "postgres" : "stele", .made = notes, .bytes = -1};
  if (postgres && notes) {
    from.marks = (st_marks){.upto = INT64_MAX, .sources = INT64_MAX}; /* what is due is noted, new documents too */
  } else if (!postgres && !notes && is_compatible(call)) {
    out->form = "compatible";
    out->made = true;
    return;
  } else if (!postgres) {
    look_at_file(call, notes, out, &from);
    out->made = out->bytes >= 0 || from.marks.turn > 0;
  }
  out->missing = st_corpus_of(call).backlog(call, &from.marks, &changes);
  out->missing += changes;
}
