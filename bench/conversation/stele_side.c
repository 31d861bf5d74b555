/* stele_side.c - Stele as a side of a comparison: its methods, called as a program in C calls them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conversation/asked.h"
#include "conversation/filling.h"
#include "conversation/side.h"

typedef struct state {
  stele_db *db;
  stele_stmt *append;
  bench_path home;      /* "": in a database */
  const char *database; /* NULL: on files */
} state;

static state own;

static void open_stele(bench_side *side, const bench_options *options, bool make) {
  (void)make;
  side->state = &own;
  own.home = (bench_path){{0}};
  own.database = options->database;
  if (options->database) {
    bench_path schema = {{0}};
    snprintf(schema.text, sizeof schema.text, "%s%cschema=%s", options->database, strchr(options->database, '?') ? '&' : '?', side->name);
    own.db = bench_open_database(schema.text, "conversation");
  } else {
    own.home = bench_side_home(side, options);
    own.db = bench_open(own.home.text, "conversation", NULL);
  }
  own.append = NULL;
}

static void close_stele(bench_side *side) {
  (void)side;
  stele_finalize(own.append);
  stele_close(own.db);
}

static double fill(bench_side *side, unsigned rows) {
  double seconds = bench_fill(own.db, rows), start = bench_now();
  bench_call(own.db, "conversation.index_messages", NULL);
  side->rows = rows;
  return seconds + bench_now() - start;
}

static double bytes(bench_side *side) {
  return own.database ? bench_schema_bytes(own.database, side->name) : bench_bytes_in(own.home.text, "");
}

/* How often a reply has a text, which every row of it has once. */
static int replied(const char *method, const char *args, const char *row) {
  char *reply = NULL;
  int found = 0;
  bench_check(own.db, stele_call(own.db, method, args, &reply));
  for (const char *at = reply; (at = strstr(at, row)); at += strlen(row)) found++;
  stele_free(reply);
  return found;
}

static int append(bench_side *side, int n) {
  bench_message m = bench_message_at(side->rows + (unsigned)n);
  if (!own.append) own.append = bench_append_prepare(own.db);
  if (n == 0 || (side->rows + (unsigned)n) % bench_session_messages == 0) bench_ensure_session(own.db, m.session);
  bench_check(own.db, bench_append(own.append, &m));
  return 1;
}

static int search(const char *query) {
  char args[200];
  snprintf(args, sizeof args, "{\"query\":\"%s\",\"limit\":%d}", query, BENCH_ANSWER);
  return replied("conversation.search_messages", args, "\"snippet\"");
}

static int words(bench_side *side, int n) { return (void)side, search(bench_two_words(n)); }
static int common(bench_side *side, int n) { return (void)side, (void)n, search(bench_word(0)); }
static int chinese(bench_side *side, int n) { return (void)side, search(bench_characters(n)); }

static int list(bench_side *side, int n) {
  char args[40];
  (void)side, (void)n;
  snprintf(args, sizeof args, "{\"limit\":%d}", BENCH_ANSWER);
  return replied("conversation.list_sessions_rich", args, "\"preview\"");
}

static int read_all(bench_side *side, int n) {
  char args[80];
  snprintf(args, sizeof args, "{\"session_id\":\"%s\"}", bench_some_session(n, side->rows));
  return replied("conversation.get_messages", args, "\"role\":");
}

static int page(bench_side *side, int n) {
  char args[100];
  snprintf(args, sizeof args, "{\"session_id\":\"%s\",\"last\":%d}", bench_some_session(n, side->rows), BENCH_PAGE);
  return replied("conversation.get_messages", args, "\"role\":");
}

/* Row by row, each as the text that a file of the export has. */
static int export(bench_side *side, int n) {
  stele_stmt *stmt = NULL;
  stele_status status;
  int sessions = 0;
  (void)side, (void)n;
  bench_check(own.db, stele_prepare(own.db, "conversation.export_all", &stmt));
  for (; (status = stele_step(stmt)) == STELE_ROW; sessions++) {
    char *row = NULL;
    bench_check(own.db, stele_row_json(stmt, &row));
    stele_free(row);
  }
  if (status != STELE_DONE) bench_check(own.db, status);
  stele_finalize(stmt);
  return sessions;
}

bench_side bench_stele = {
    .name = "stele",
    .open = open_stele,
    .close = close_stele,
    .fill = fill,
    .bytes = bytes,
    .deeds = {[BENCH_append] = append, [BENCH_words] = words, [BENCH_common] = common, [BENCH_chinese] = chinese,
              [BENCH_list] = list,     [BENCH_read] = read_all, [BENCH_page] = page,   [BENCH_export] = export},
};
