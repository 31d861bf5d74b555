/* appending.c - see appending.h. */
#include "conversation/appending.h"

#include <stdio.h>
#include <stdlib.h>

#include "conversation/messages.h"

void bench_append_round(const bench_crowd *c, const bench_gate *g, unsigned seed, bench_tally *report) {
  char session[24];
  snprintf(session, sizeof session, "writer-%u", seed);
  stele_db *db = bench_open(c->home, "conversation", "full");
  stele_stmt *stmt = bench_append_prepare(db);
  bench_ensure_session(db, session);
  double end = bench_crowd_pass(c, g);
  while (bench_crowd_goes_on(c, end)) {
    bench_message message = bench_message_at(seed++);
    snprintf(message.session, sizeof message.session, "%s", session);
    double start = bench_now();
    bench_crowd_note(report, start, bench_append(stmt, &message) == STELE_OK);
  }
  bench_crowd_leave(report);
  stele_finalize(stmt);
  stele_close(db);
}

void bench_import_sessions(const char *home, unsigned sessions) {
  bench_text text = {0};
  stele_db *db = bench_open(home, "conversation", "full");
  bench_sessions_json(&text, 0, sessions);
  bench_call(db, "conversation.import_sessions", text.text);
  bench_call(db, "conversation.index_messages", NULL);
  stele_close(db);
  free(text.text);
}
