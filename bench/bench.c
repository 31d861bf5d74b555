/* bench.c - see bench.h. */
#include "bench.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static int put; /* results printed so far */

void bench_die(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  exit(1);
}

bench_options bench_start(int argc, char **argv) {
  static const struct option known[] = {{"dir", required_argument, NULL, 'd'},
                                        {"database", required_argument, NULL, 'b'},
                                        {"rows", required_argument, NULL, 'r'},
                                        {"only", required_argument, NULL, 'o'},
                                        {"per-session", required_argument, NULL, 'p'},
                                        {"brief", no_argument, NULL, 'f'},
                                        {"seconds", required_argument, NULL, 's'},
                                        {0}};
  bench_options options = {0};
  for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) switch (option) {
      case 'd': options.dir = optarg; break;
      case 'b': options.database = optarg; break;
      case 'r': options.rows = atoi(optarg); break;
      case 'o': options.only = optarg; break;
      case 'p': options.per_session = atoi(optarg); break;
      case 'f': options.brief = true; break;
      case 's': options.seconds = atof(optarg); break;
      default: exit(2);
    }
  if (!options.dir && !options.database) bench_die("%s: --dir DIR is missing", argv[0]);
  return options;
}

bool bench_wanted(const bench_options *options, const char *name) {
  size_t length = strlen(name);
  for (const char *at = options->only; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
  }
  return !options->only;
}

static double read_clock(clockid_t id) {
  struct timespec now;
  clock_gettime(id, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double bench_now(void) {
  return read_clock(CLOCK_MONOTONIC);
}
double bench_cpu(void) {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_peak_rss(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)used.ru_maxrss / 1024;
}

uint64_t bench_mix(uint64_t n) {
  n += UINT64_C(0x9E3779B97F4A7C15);
  n = (n ^ n >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  n = (n ^ n >> 27) * UINT64_C(0x94D049BB133111EB);
  return n ^ n >> 31;
}

bench_path bench_join(const char *dir, const char *name) {
  bench_path path;
  if (snprintf(path.text, sizeof path.text, "%s/%s", dir, name) >= (int)sizeof path.text)
    bench_die("%s/%s is too long a path", dir, name);
  return path;
}

/* ---- Stores ---- */

void bench_check(stele_db *db, stele_status status) {
  if (status != STELE_OK) bench_die("%s: %s", stele_status_name(status), stele_error(db)->message);
}

static stele_db *open_with(stele_options options) {
  stele_db *db = NULL;
  options.size = sizeof options;
  bench_check(db, stele_open(&options, &db));
  return db;
}

stele_db *bench_open(const char *home, const char *store, const char *durability) {
  stele_place place = {.store = store, .durability = durability};
  return open_with((stele_options){.home = home, .places = &place, .nplaces = 1});
}

stele_db *bench_open_database(const char *location, const char *store) {
  stele_place place = {.store = store, .location = location};
  return open_with((stele_options){.places = &place, .nplaces = 1});
}

void bench_call(stele_db *db, const char *method, const char *args) {
  char *reply = NULL;
  bench_check(db, stele_call(db, method, args, &reply));
  stele_free(reply);
}

int64_t bench_ask(stele_db *db, const char *method, const char *args, const char *name) {
  char *reply = NULL, key[80];
  snprintf(key, sizeof key, "\"%s\"", name);
  bench_check(db, stele_call(db, method, args, &reply));
  const char *found = strstr(reply, key);
  if (!found) bench_die("%s does not tell %s: %.200s", method, name, reply);
  int64_t number = strtoll(found + strlen(key) + strspn(found + strlen(key), " :"), NULL, 10); /* PostgreSQL puts spaces */
  stele_free(reply);
  return number;
}

size_t bench_run(stele_db *db, stele_stmt *stmt) {
  size_t rows = 0;
  stele_status status;
  while ((status = stele_step(stmt)) == STELE_ROW) rows++;
  if (status != STELE_DONE) bench_check(db, status);
  stele_reset(stmt);
  return rows;
}

/* ---- Samples ---- */

void bench_add(bench_samples *samples, double value) {
  if (samples->count == samples->room) {
    samples->room = samples->room ? samples->room * 2 : 1024;
    samples->values = realloc(samples->values, samples->room * sizeof *samples->values);
    if (!samples->values) bench_die("out of memory");
  }
  samples->values[samples->count++] = value;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_part(bench_samples *samples, double part) {
  if (samples->count == 0) return 0;
  qsort(samples->values, samples->count, sizeof *samples->values, by_value);
  size_t at = (size_t)(part * (double)samples->count);
  return samples->values[at < samples->count ? at : samples->count - 1];
}

/* ---- The result ---- */

void bench_put(const char *name, double value) {
  printf("%s\"%s\":%.9g", put++ ? "," : "{", name, value);
}

void bench_put_samples(const char *name, bench_samples *samples) {
  static const struct {
    const char *name;
    double part;
  } parts[] = {{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}, {"max", 1}};
  char full[80];
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    snprintf(full, sizeof full, "%s_%s", name, parts[i].name);
    bench_put(full, bench_part(samples, parts[i].part));
  }
  snprintf(full, sizeof full, "%s_count", name);
  bench_put(full, (double)samples->count);
}

int bench_finish(void) {
  puts(put ? "}" : "{}");
  return fflush(stdout) == 0 ? 0 : 1;
}
