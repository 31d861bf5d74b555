/* asked.c - see asked.h. */
#include "conversation/asked.h"

#include <stdio.h>
#include <string.h>

#include "conversation/side.h"

const char *bench_two_words(int n) {
  static char query[100];
  snprintf(query, sizeof query, "%s %s", bench_word(50 + bench_mix((uint64_t)n) % 450),
           bench_word(500 + bench_mix((uint64_t)n + 1000) % 4500));
  return query;
}

const char *bench_characters(int n) {
  static char query[8];
  bench_han((unsigned)(bench_mix((uint64_t)n) % 200), query);
  if (n % 2) bench_han((unsigned)(bench_mix((uint64_t)n + 1000) % 200), query + strlen(query));
  return query;
}

const char *bench_some_session(int n, unsigned rows) {
  static char session[24];
  snprintf(session, sizeof session, "bench-%06u", (unsigned)(bench_mix((uint64_t)n) % (rows / bench_session_messages)));
  return session;
}

static const char *common_word(int n) { return (void)n, bench_word(0); }

static void leave(FILE *file, const char *name, const char *(*question)(int n), int count) {
  fprintf(file, "\"%s\":[", name);
  for (int n = 0; n < count; n++) fprintf(file, "%s\"%s\"", n ? "," : "", question(n));
  fputs("],\n", file);
}

void bench_leave_questions(const char *path, unsigned rows) {
  enum {
#define COUNT(name, count) COUNT_##name = count,
    BENCH_DEEDS(COUNT)
#undef COUNT
  };
  FILE *file = fopen(path, "w");
  if (!file) bench_die("%s cannot be written", path);
  fputs("{", file);
  leave(file, "words", bench_two_words, COUNT_words);
  leave(file, "common", common_word, COUNT_common);
  leave(file, "chinese", bench_characters, COUNT_chinese);
  fputs("\"read\":[", file);
  for (int n = 0; n < COUNT_page; n++) fprintf(file, "%s\"%s\"", n ? "," : "", bench_some_session(n, rows));
  fprintf(file, "],\n\"append\":%d,\"list\":%d,\"reads\":%d,\"page\":%d,\"answer\":%d,\"rows\":%u}\n", COUNT_append, COUNT_list,
          COUNT_read, BENCH_PAGE, BENCH_ANSWER, rows);
  if (fclose(file) != 0) bench_die("%s cannot be written", path);
}
