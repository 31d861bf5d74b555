/* search.c - searching the hundred thousand messages that bench_import left in the directory.
**
** Mixed queries ask for one to four words that differ from query to query, in every form the language
** has, some with filters; one in eight has a word that is nearly everywhere.  The others ask for the
** commonest word, for one and two Chinese characters, and for parts of words, three to six letters of them.  Typing asks
** anew at every letter: of any word, a second one behind the commonest, each time with its facets. */
#include <stdio.h>
#include <string.h>

#include "conversation/queries.h"

#define MIXED 600
#define SAME 60
#define ENOUGH 50000 /* messages, in which most words are; in fewer, for a trial, they need not be */

/* The facets beside an answer, as the dashboard asks for them: {"query":...,"quick":true} and how many. */
static void ask_facets(stele_db *db, const char *args) {
  char with[500];
  snprintf(with, sizeof with, "%.*s,\"most\":500}", (int)strlen(args) - 1, args);
  bench_call(db, "conversation.search_facets", with);
}

/* How long queries take; a part of them must find something, so that it is not searched in vain. */
static void measure(stele_db *db, const char *name, int count, void (*write)(int i, char *out, size_t size),
                    double part) {
  bench_samples ms = {0}, cpu = {0};
  char args[400], full[80];
  int found = 0;
  for (int i = 0; i < count; i++) {
    char *reply = NULL;
    write(i, args, sizeof args);
    double start = bench_now(), start_cpu = bench_cpu();
    bench_check(db, stele_call(db, "conversation.search_messages", args, &reply));
    if (write == bench_write_typing) ask_facets(db, args);
    bench_add(&ms, (bench_now() - start) * 1e3);
    bench_add(&cpu, (bench_cpu() - start_cpu) * 1e3);
    found += strstr(reply, ">>>") != NULL;
    stele_free(reply);
  }
  if (found < part * count) bench_die("%s: only %d of %d found something", name, found, count);
  bench_put_samples(name, &ms);
  snprintf(full, sizeof full, "%s_cpu", name);
  bench_put_samples(full, &cpu);
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  stele_db *db = bench_open(bench_join(options.dir, "home").text, "conversation", NULL);
  int64_t rows = bench_ask(db, "conversation.message_count", NULL, "count");
  double share = rows < ENOUGH ? 0.1 : 1;
  bench_put("rows", (double)rows);
  bench_call(db, "conversation.search_messages",
             "{\"query\":\"nothing\"}"); /* opens the index, and brings it up to date */
  measure(db, "mixed", MIXED, bench_write_mixed, 0.6 * share);
  measure(db, "common", SAME, bench_write_common, share);
  measure(db, "chinese", 2 * SAME, bench_write_chinese, 0.5 * share);
  measure(db, "substring", 2 * SAME, bench_write_substring, 0.9 * share);
  measure(db, "typing", MIXED, bench_write_typing, 0.9 * share);
  stele_close(db);
  return bench_finish();
}
