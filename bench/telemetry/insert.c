/* insert.c - writing invocations in batches of 100: telemetry.persist_batch against a bare C loop; with --database against one of
** libpq.
**
** Three stores take the same records in turn, twenty batches each, in every order, so that whatever
** else the machine does hits all three: one through stele_call(), one through a prepared method, one
** through SQLite alone.  Making the JSON texts is not part of the time; reading them is.  Rates
** and ratios are those of the median turn: a stall of the disk says nothing about the others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "telemetry/plain.h"
#include "telemetry/records.h"

#define BATCH 100
#define CHUNK 20 /* batches per turn: enough for a checkpoint or two in each */

typedef struct chunk {
  char *call[CHUNK];  /* {"invocations":[...]} */
  char *typed[CHUNK]; /* [...] */
} chunk;

typedef struct lane lane;
struct lane {
  const char *name;
  void (*write)(lane *to, const chunk *texts, int i, unsigned first); /* the i-th batch, of records from the first on */
  stele_db *db;
  stele_stmt *stmt;
  bench_bare bare;
  sqlite3_stmt *insert; /* of the bare one */
  bench_samples seconds; /* of each turn */
  bench_samples cpu;     /* of these, computing */
  bench_samples batch, batch_cpu; /* of each batch, in milliseconds */
};

static void write_call(lane *to, const chunk *texts, int i, unsigned first) {
  (void)first;
  bench_call(to->db, "telemetry.persist_batch", texts->call[i]);
}

static void write_typed(lane *to, const chunk *texts, int i, unsigned first) {
  (void)first;
  bench_check(to->db, stele_bind_json(to->stmt, "invocations", texts->typed[i]));
  bench_run(to->db, to->stmt);
}

static void write_bare(lane *to, const chunk *texts, int i, unsigned first) {
  (void)texts, (void)i;
  if (!bench_records_write(&to->bare, to->insert, first, BATCH)) bench_die("the bare store is busy");
}

static void write_plain(lane *to, const chunk *texts, int i, unsigned first) {
  (void)to, (void)texts, (void)i;
  bench_plain_write(first, BATCH);
}

static void write_chunk(lane *to, const chunk *texts, unsigned first) {
  double seconds = 0, cpu = 0;
  for (int i = 0; i < CHUNK; i++) {
    double start = bench_now(), start_cpu = bench_cpu();
    to->write(to, texts, i, first + (unsigned)i * BATCH);
    double took = bench_now() - start, took_cpu = bench_cpu() - start_cpu;
    bench_add(&to->batch, took * 1e3);
    bench_add(&to->batch_cpu, took_cpu * 1e3);
    seconds += took;
    cpu += took_cpu;
  }
  bench_add(&to->seconds, seconds);
  bench_add(&to->cpu, cpu);
}

static void make_texts(chunk *texts, unsigned first) {
  for (int i = 0; i < CHUNK; i++) {
    char *list = bench_records_json(first + (unsigned)i * BATCH, BATCH);
    size_t size = strlen(list) + sizeof "{\"invocations\":}";
    texts->typed[i] = list;
    texts->call[i] = malloc(size);
    if (!texts->call[i]) bench_die("out of memory");
    snprintf(texts->call[i], size, "{\"invocations\":%s}", list);
  }
}

static void free_texts(chunk *texts) {
  for (int i = 0; i < CHUNK; i++) {
    free(texts->call[i]);
    free(texts->typed[i]);
  }
}

/* Which lane is the i-th in turn c: who comes first, and who comes after whom, both change. */
static int lane_at(int c, int i, int count) {
  int forward = (c / 2 + i) % count;
  return c % 2 ? count - 1 - forward : forward;
}

/* Every lane writes every record; answers how many that were. */
static int race(lane *lanes, int count, int rows) {
  int chunks = (rows + BATCH * CHUNK - 1) / (BATCH * CHUNK);
  for (int c = 0; c < chunks; c++) {
    unsigned first = (unsigned)c * BATCH * CHUNK;
    chunk texts;
    make_texts(&texts, first);
    for (int i = 0; i < count; i++) write_chunk(&lanes[lane_at(c, i, count)], &texts, first);
    free_texts(&texts);
  }
  return chunks * BATCH * CHUNK;
}

static void prepare(lane *to) {
  bench_check(to->db, stele_prepare(to->db, "telemetry.persist_batch", &to->stmt));
}

/* How much faster the last lane, the bare one, was: turn by turn, since neighbours in time compare. */
static void put_ratios(const lane *lanes, int count) {
  const lane *bare = &lanes[count - 1];
  for (int i = 0; i + 1 < count; i++) {
    bench_samples ratios = {0};
    char name[40];
    for (size_t t = 0; t < bare->seconds.count; t++)
      bench_add(&ratios, bare->seconds.values[t] / lanes[i].seconds.values[t]);
    snprintf(name, sizeof name, "%s_ratio", lanes[i].name);
    bench_put(name, bench_part(&ratios, 0.5));
  }
}

static void put_rates(lane *lanes, int count, int rows) {
  bench_put("rows", rows);
  put_ratios(lanes, count); /* first: what follows puts the turns in another order */
  for (int i = 0; i < count; i++) {
    char name[40];
    snprintf(name, sizeof name, "%s_rows_per_s", lanes[i].name);
    bench_put(name, BATCH * CHUNK / bench_part(&lanes[i].seconds, 0.5));
    snprintf(name, sizeof name, "%s_cpu_us_per_row", lanes[i].name);
    bench_put(name, bench_part(&lanes[i].cpu, 0.5) / (BATCH * CHUNK) * 1e6);
    snprintf(name, sizeof name, "%s_batch", lanes[i].name);
    bench_put_samples(name, &lanes[i].batch);
    snprintf(name, sizeof name, "%s_batch_cpu", lanes[i].name);
    bench_put_samples(name, &lanes[i].batch_cpu);
  }
}

/* All lanes must have written the same: a fast loop that loses rows is no yardstick. */
static void check_rows(stele_db *db, int rows) {
  int64_t total = bench_ask(db, "telemetry.get_global_summary", NULL, "total_invocations");
  if (total != rows) bench_die("%d rows were written, the store tells %lld", rows, (long long)total);
}

static int on_files(const bench_options *options) {
  lane lanes[] = {{.name = "call", .write = write_call},
                  {.name = "stele", .write = write_typed},
                  {.name = "limit", .write = write_bare}};
  bench_path bare = bench_join(options->dir, "bare");
  lanes[0].db = bench_fill(bench_join(options->dir, "call").text, NULL);
  lanes[1].db = bench_fill(bench_join(options->dir, "typed").text, NULL);
  prepare(&lanes[1]);
  stele_close(bench_fill(bare.text, NULL));
  bench_bare_open(&lanes[2].bare, bare.text, "telemetry.db", false);
  lanes[2].insert = bench_records_prepare(&lanes[2].bare);

  int rows = race(lanes, 3, options->rows ? options->rows : 200000);
  sqlite3_finalize(lanes[2].insert);
  bench_bare_close(&lanes[2].bare);
  lanes[2].db = bench_open(bare.text, "telemetry", NULL);
  for (int i = 0; i < 3; i++) check_rows(lanes[i].db, rows);
  put_rates(lanes, 3, rows);
  bench_put("stele_batch_rss_mb", bench_peak_rss());
  for (int i = 0; i < 3; i++) stele_close(lanes[i].db);
  return bench_finish();
}

static int on_database(const bench_options *options) {
  lane lanes[] = {{.name = "stele", .write = write_typed}, {.name = "plain", .write = write_plain}};
  char location[1024];
  const char separator = strchr(options->database, '?') ? '&' : '?';
  for (int i = 0; i < 2; i++) {
    snprintf(location, sizeof location, "%s%cschema=%s", options->database, separator, lanes[i].name);
    lanes[i].db = bench_fill_database(location);
  }
  prepare(&lanes[0]);
  bench_plain_open(options->database, lanes[1].name);
  int rows = race(lanes, 2, options->rows ? options->rows : 20000);
  bench_plain_close();
  for (int i = 0; i < 2; i++) check_rows(lanes[i].db, rows);
  put_rates(lanes, 2, rows);
  for (int i = 0; i < 2; i++) stele_close(lanes[i].db);
  return bench_finish();
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  return options.database ? on_database(&options) : on_files(&options);
}
