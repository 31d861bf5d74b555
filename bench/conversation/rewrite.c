/* rewrite.c - the limit of an import: the rows that it made, written once more by a bare C loop to a store of the same tables.
**
** The directory has store/conversation.db; the copy is made in limit/.  Nothing is read from files, redacted or indexed. */
#include "bare.h"
#include "conversation/side.h"

#define COLUMNS "session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, finish_reason, reasoning"
#define COUNT 9

static void copy_row(bench_bare *to, sqlite3_stmt *insert, sqlite3_stmt *from) {
  for (int i = 0; i < COUNT; i++) sqlite3_bind_value(insert, i + 1, sqlite3_column_value(from, i));
  bench_bare_run(to->db, insert);
}

static void begin(bench_bare *to) {
  if (!bench_bare_begin(to)) bench_die("the copy is locked");
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  bench_bare from, to;
  bench_path copy = bench_join(options.dir, "limit");
  stele_db *db = bench_open(copy.text, "conversation", NULL);
  bench_call(db, "conversation.session_count", NULL);
  stele_close(db);
  bench_bare_open(&from, bench_join(options.dir, "store").text, "conversation.db", true);
  bench_bare_open(&to, copy.text, "conversation.db", true);

  double start = bench_now(), start_cpu = bench_cpu();
  int64_t rows = 0;
  sqlite3_stmt *sessions = bench_bare_prepare(from.db, "SELECT id, source, started_at FROM sessions");
  sqlite3_stmt *session = bench_bare_prepare(to.db, "INSERT INTO sessions (id, source, started_at) VALUES (?1, ?2, ?3)");
  sqlite3_stmt *messages = bench_bare_prepare(from.db, "SELECT " COLUMNS " FROM messages ORDER BY id");
  sqlite3_stmt *insert = bench_bare_prepare(to.db, "INSERT INTO messages (" COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
  begin(&to);
  while (sqlite3_step(sessions) == SQLITE_ROW) {
    for (int i = 0; i < 3; i++) sqlite3_bind_value(session, i + 1, sqlite3_column_value(sessions, i));
    bench_bare_run(to.db, session);
  }
  bench_bare_commit(&to);
  begin(&to);
  for (; sqlite3_step(messages) == SQLITE_ROW; rows++) {
    copy_row(&to, insert, messages);
    if ((rows + 1) % BENCH_FILL) continue;
    bench_bare_commit(&to);
    begin(&to);
  }
  bench_bare_commit(&to);
  bench_put("limit_s", bench_now() - start);
  bench_put("limit_cpu_s", bench_cpu() - start_cpu);
  bench_put("limit_messages", (double)rows);

  sqlite3_stmt *all[] = {sessions, session, messages, insert};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) sqlite3_finalize(all[i]);
  bench_bare_close(&from);
  bench_bare_close(&to);
  return bench_finish();
}
