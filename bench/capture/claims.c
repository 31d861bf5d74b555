/* claims.c - taking tickets from a queue, ten at a time, and settling each: capture.claim and capture.complete, beside a bare C
** loop that does with the same table what keeps two workers apart, and no more.
**
** Two homes have as many commands waiting; both take turns.  The commands of one session stay together, so that a claim may
** be of fewer than ten: what counts is the time of a ticket.  The bare store stays in the directory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bare.h"
#include "capture/commands.h"

#define CLAIMS 200
#define AT_ONCE 10

typedef struct bare_queue {
  bench_bare bare;
  sqlite3_stmt *find, *take, *settle;
} bare_queue;

static stele_db *fill(const char *home, int rows) {
  stele_db *db = bench_open(home, "capture", "full");
  for (int i = 0; i < rows; i += BENCH_COMMANDS) bench_insert_commands(db, i);
  return db;
}

/* ---- Stele ---- */

static void complete(stele_db *db, const char *id, const char *token) {
  char args[200];
  int length = (int)strcspn(token, "\"");
  snprintf(args, sizeof args, "{\"queue\":\"shell\",\"id\":%ld,\"token\":\"%.*s\"}", strtol(id, NULL, 10), length, token);
  bench_call(db, "capture.complete", args);
}

/* Claim, and complete what was claimed; answers how many. */
static int stele_turn(stele_db *db) {
  static const char ask[] = "{\"queue\":\"shell\",\"worker\":\"bench\",\"limit\":10,\"idle\":0,\"reap\":false}";
  char *reply = NULL;
  int claimed = 0;
  bench_check(db, stele_call(db, "capture.claim", ask, &reply));
  for (const char *at = reply; (at = strstr(at, "\"id\":")); claimed++) {
    const char *token = strstr(at, "\"token\":\"");
    complete(db, at + strlen("\"id\":"), token + strlen("\"token\":\""));
    at = token;
  }
  stele_free(reply);
  return claimed;
}

/* ---- The bare loop ---- */

static void open_queue(bare_queue *q, const char *home) {
  bench_bare_open(&q->bare, home, "capture.db", true);
  q->find = bench_bare_prepare(q->bare.db, "SELECT id FROM enrichment_queue WHERE status = 'pending' ORDER BY priority, id LIMIT ?1");
  q->take = bench_bare_prepare(q->bare.db, "UPDATE enrichment_queue SET status = 'processing', locked_at = 1, locked_by = 'bench' WHERE id = ?1");
  q->settle = bench_bare_prepare(q->bare.db, "UPDATE enrichment_queue SET status = 'done', locked_by = NULL WHERE id = ?1 AND locked_by = 'bench'");
}

static void close_queue(bare_queue *q) {
  sqlite3_finalize(q->find);
  sqlite3_finalize(q->take);
  sqlite3_finalize(q->settle);
  bench_bare_close(&q->bare);
}

static void run_with(bare_queue *q, sqlite3_stmt *stmt, int64_t id) {
  sqlite3_bind_int64(stmt, 1, id);
  bench_bare_run(q->bare.db, stmt);
}

static void begin(bare_queue *q) {
  if (!bench_bare_begin(&q->bare)) bench_die("the bare store is busy");
}

static int bare_turn(bare_queue *q, int most) {
  int64_t ids[AT_ONCE];
  int claimed = 0;
  begin(q);
  sqlite3_bind_int(q->find, 1, most);
  while (claimed < most && sqlite3_step(q->find) == SQLITE_ROW) ids[claimed++] = sqlite3_column_int64(q->find, 0);
  sqlite3_reset(q->find);
  for (int i = 0; i < claimed; i++) run_with(q, q->take, ids[i]);
  bench_bare_commit(&q->bare);
  for (int i = 0; i < claimed; i++) {
    begin(q);
    run_with(q, q->settle, ids[i]);
    bench_bare_commit(&q->bare);
  }
  return claimed;
}

/* A ticket's part of the time of a turn. */
static int timed(bench_samples *ms, bench_samples *cpu, stele_db *db, bare_queue *q, int most) {
  double start = bench_now(), start_cpu = bench_cpu();
  int claimed = db ? stele_turn(db) : bare_turn(q, most);
  if (!claimed) return 0;
  bench_add(ms, (bench_now() - start) * 1e3 / claimed);
  bench_add(cpu, (bench_cpu() - start_cpu) * 1e3 / claimed);
  return claimed;
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  int rows = options.rows > BENCH_COMMANDS ? options.rows : BENCH_COMMANDS, tickets = 0;
  bench_samples ms[2] = {{0}}, cpu[2] = {{0}};
  bench_path bare = bench_join(options.dir, "bare");
  bare_queue q;
  stele_close(fill(bare.text, rows));
  open_queue(&q, bare.text);
  stele_db *db = fill(bench_join(options.dir, "home").text, rows);
  for (int n = 0; n < CLAIMS; n++) {
    int claimed = timed(&ms[0], &cpu[0], db, NULL, 0);
    tickets += claimed;
    if (claimed) timed(&ms[1], &cpu[1], NULL, &q, claimed < AT_ONCE ? claimed : AT_ONCE);
  }
  if (tickets < CLAIMS) bench_die("only %d tickets were claimed", tickets);
  bench_put("rows", rows);
  bench_put("tickets", tickets);
  bench_put_samples("stele_claim", &ms[0]);
  bench_put_samples("stele_claim_cpu", &cpu[0]);
  bench_put_samples("limit_claim", &ms[1]);
  bench_put_samples("limit_claim_cpu", &cpu[1]);
  bench_put("stele_claim_rss_mb", bench_peak_rss());
  stele_close(db);
  close_queue(&q);
  return bench_finish();
}
