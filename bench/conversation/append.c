/* append.c - one message per call at durability full: conversation.append_message against a bare C loop
** that writes the same rows.
**
** Three stores take the same messages in turn, twenty each, in every order, so that whatever else the
** machine does hits all three.  Then messages are appended to the large store that bench_import left in
** the directory, each followed by one of the bare loop, to see how long a single one takes. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "conversation/messages.h"

#define TURN 20
#define LANES 3

typedef struct lane lane;
struct lane {
  const char *name;
  stele_status (*write)(lane *to, const bench_message *message, const char *json);
  stele_db *db;
  stele_stmt *stmt;
  bench_inserter bare;
  bench_samples seconds, cpu; /* of each turn */
};

static stele_status write_call(lane *to, const bench_message *message, const char *json) {
  (void)message;
  return stele_call(to->db, "conversation.append_message", json, NULL);
}

static stele_status write_typed(lane *to, const bench_message *message, const char *json) {
  (void)json;
  return bench_append(to->stmt, message);
}

static stele_status write_bare(lane *to, const bench_message *message, const char *json) {
  (void)json;
  return bench_inserter_write(&to->bare, message) ? STELE_OK : STELE_BUSY;
}

/* A message, made again for each lane: its text is the generator's.  That is not part of the time. */
static void write_turn(lane *to, unsigned first) {
  double seconds = 0, cpu = 0;
  bench_text json = {0};
  for (unsigned i = 0; i < TURN; i++) {
    bench_message message = bench_message_at(first + i);
    json.length = 0;
    bench_message_json(&json, &message);
    double start = bench_now(), start_cpu = bench_cpu();
    bench_check(to->db, to->write(to, &message, json.text));
    seconds += bench_now() - start;
    cpu += bench_cpu() - start_cpu;
  }
  bench_add(&to->seconds, seconds);
  bench_add(&to->cpu, cpu);
  free(json.text);
}

/* The directory may have the stores of an earlier run. */
static bench_path fresh_home(const char *dir, const char *name) {
  char unique[40];
  snprintf(unique, sizeof unique, "%s-%ld", name, (long)getpid());
  return bench_join(dir, unique);
}

static void ensure_sessions(stele_db *db, unsigned rows) {
  for (unsigned n = 0; n < rows; n += bench_session_messages) bench_ensure_session(db, bench_message_at(n).session);
}

static stele_db *make_store(const char *home, unsigned rows) {
  stele_db *db = bench_open(home, "conversation", "full");
  ensure_sessions(db, rows);
  bench_call(db, "conversation.search_messages", "{\"query\":\"nothing\"}"); /* what a store in use has */
  return db;
}

static void race(lane *lanes, unsigned rows) {
  for (unsigned turn = 0; turn * TURN < rows; turn++)
    for (unsigned i = 0; i < LANES; i++) {
      unsigned forward = (turn / 2 + i) % LANES;
      write_turn(&lanes[turn % 2 ? LANES - 1 - forward : forward], turn * TURN);
    }
}

/* Turn by turn, since neighbours in time compare; the last lane is the bare one. */
static void put_lane(lane *l, const lane *bare) {
  char name[40];
  bench_samples ratios = {0};
  for (size_t t = 0; t < l->seconds.count; t++) bench_add(&ratios, bare->seconds.values[t] / l->seconds.values[t]);
  snprintf(name, sizeof name, "%s_ratio", l->name);
  bench_put(name, bench_part(&ratios, 0.5));
  snprintf(name, sizeof name, "%s_cpu_us", l->name);
  bench_put(name, bench_part(&l->cpu, 0.5) / TURN * 1e6);
}

static void put_rate(lane *l) {
  char name[40];
  snprintf(name, sizeof name, "%s_per_s", l->name);
  bench_put(name, TURN / bench_part(&l->seconds, 0.5));
}

/* Single appends to the large store and to the bare one, one after the other. */
static void measure_late(const char *home, lane *bare, unsigned rows) {
  bench_samples late = {0}, beside = {0};
  stele_db *db = bench_open(home, "conversation", "full");
  ensure_sessions(db, rows); /* the large store is a small one in a trial, and lacks some */
  stele_stmt *stmt = bench_append_prepare(db);
  bench_put("late_rows", (double)bench_ask(db, "conversation.message_count", NULL, "count"));
  for (unsigned i = 0; i < rows; i++) {
    bench_message message = bench_message_at(i);
    double start = bench_now();
    bench_check(db, bench_append(stmt, &message));
    bench_add(&late, (bench_now() - start) * 1e3);
    start = bench_now();
    write_bare(bare, &message, NULL);
    bench_add(&beside, (bench_now() - start) * 1e3);
  }
  bench_put_samples("late", &late);
  bench_put_samples("late_bare", &beside);
  stele_finalize(stmt);
  stele_close(db);
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  unsigned rows = options.rows ? (unsigned)options.rows : 3000;
  lane lanes[LANES] = {{.name = "call", .write = write_call},
                       {.name = "typed", .write = write_typed},
                       {.name = "bare", .write = write_bare}};
  bench_path bare = fresh_home(options.dir, "bare");
  lanes[0].db = make_store(fresh_home(options.dir, "call").text, rows);
  lanes[1].db = make_store(fresh_home(options.dir, "typed").text, rows);
  lanes[1].stmt = bench_append_prepare(lanes[1].db);
  stele_close(make_store(bare.text, rows));
  bench_inserter_open(&lanes[2].bare, bare.text);

  race(lanes, rows);
  for (int i = 0; i < LANES; i++) put_lane(&lanes[i], &lanes[2]);
  for (int i = 0; i < LANES; i++) put_rate(&lanes[i]);
  measure_late(bench_join(options.dir, "home").text, &lanes[2], rows);
  if (bench_bare_ask(&lanes[2].bare.bare, "SELECT COUNT(*) FROM messages") != 2 * (int64_t)rows) bench_die("rows are missing");
  bench_inserter_close(&lanes[2].bare);
  for (int i = 0; i < 2; i++) {
    if (bench_ask(lanes[i].db, "conversation.message_count", NULL, "count") != rows) bench_die("rows are missing");
    stele_close(lanes[i].db);
  }
  return bench_finish();
}
