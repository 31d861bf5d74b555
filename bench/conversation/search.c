/* search.c - searching the hundred thousand messages that bench_import left in the directory.
**
** Mixed queries ask for one to four words that differ from query to query, in every form the language
** has, some with filters; one in eight has a word that is nearly everywhere.  The others ask for the
** commonest word, for one and two Chinese characters, and for parts of words, three to six letters of them.  Typing asks
** anew at every letter: of any word, a second one behind the commonest, each time with its facets. */
#include <stdio.h>
#include <string.h>

#include "conversation/messages.h"

#define MIXED 600
#define SAME 60

static uint64_t random_state = 88172645463325252u;

static unsigned random_below(unsigned limit) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (unsigned)(random_state >> 33) % limit;
}

/* Words that people look for: as likely one of the ranks 50 to 500 as one of 500 to 5,000 or above. */
static const char *some_word(void) {
  static const unsigned from[] = {50, 500, 5000, 50000};
  unsigned decade = random_below(3);
  return bench_word(from[decade] + random_below(from[decade + 1] - from[decade]));
}

static const char *stop_word(void) {
  return bench_word(random_below(20));
}

/* The arguments of the i-th query. */
static void write_mixed(int i, char *out, size_t size) {
  const char *a = some_word(), *b = some_word(), *c = some_word(), *d = some_word();
  switch (i % 16) {
    case 0:
    case 1:
    case 2: snprintf(out, size, "{\"query\":\"%s\"}", a); break;
    case 3:
    case 4:
    case 5: snprintf(out, size, "{\"query\":\"%s %s\"}", a, b); break;
    case 6: snprintf(out, size, "{\"query\":\"%s %s %s %s\"}", a, b, c, d); break;
    case 7: snprintf(out, size, "{\"query\":\"%s %s %s\"}", stop_word(), a, b); break;
    case 8: snprintf(out, size, "{\"query\":\"\\\"%s %s\\\"\"}", stop_word(), a); break;
    case 9: snprintf(out, size, "{\"query\":\"\\\"%s %s\\\"\"}", a, b); break;
    case 10: snprintf(out, size, "{\"query\":\"%s OR %s OR %s\"}", a, b, c); break;
    case 11: snprintf(out, size, "{\"query\":\"%s NOT %s\"}", a, b); break;
    case 12: snprintf(out, size, "{\"query\":\"%.4s*\"}", a); break;
    case 13: snprintf(out, size, "{\"query\":\"%s/%s.%s\"}", a, b, c); break;
    case 14: snprintf(out, size, "{\"query\":\"%s\",\"role_filter\":[\"user\"],\"sort\":\"newest\"}", a); break;
    default: snprintf(out, size, "{\"query\":\"%s\",\"session\":\"bench-%06u\"}", a, random_below(500)); break;
  }
}

static void write_common(int i, char *out, size_t size) {
  (void)i;
  snprintf(out, size, "{\"query\":\"%s\"}", bench_word(0));
}

static void write_chinese(int i, char *out, size_t size) {
  char one[4], other[4] = "";
  bench_han(random_below(200), one);
  if (i % 2) bench_han(random_below(200), other);
  snprintf(out, size, "{\"query\":\"%s%s\"}", one, other);
}

static void write_substring(int i, char *out, size_t size) {
  const char *word = some_word();
  size_t length = strlen(word);
  int letters = 3 + i % 4;
  if ((size_t)letters > length) letters = (int)length;
  const char *from = word + random_below((unsigned)(length - (size_t)letters) + 1);
  snprintf(out, size, "{\"query\":\"%.*s\",\"match\":\"substrings\"}", letters, from);
}

/* The next letter of a word, or of the second of two. */
static void write_typing(int i, char *out, size_t size) {
  static char word[80];
  static size_t typed;
  static bool second;
  if (typed == strlen(word)) {
    snprintf(word, sizeof word, "%s", i % 3 ? some_word() : stop_word());
    typed = 0;
    second = i % 5 == 0;
  }
  typed++;
  snprintf(out, size, "{\"query\":\"%s%s%.*s*\",\"quick\":true}", second ? bench_word(0) : "", second ? " " : "",
           (int)typed, word);
}

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
    if (write == write_typing) ask_facets(db, args);
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
  bench_put("rows", (double)bench_ask(db, "conversation.message_count", NULL, "count"));
  bench_call(db, "conversation.search_messages",
             "{\"query\":\"nothing\"}"); /* opens the index, and brings it up to date */
  measure(db, "mixed", MIXED, write_mixed, 0.6);
  measure(db, "common", SAME, write_common, 1);
  measure(db, "chinese", 2 * SAME, write_chinese, 0.5);
  measure(db, "substring", 2 * SAME, write_substring, 0.9);
  measure(db, "typing", MIXED, write_typing, 0.9);
  stele_close(db);
  return bench_finish();
}
