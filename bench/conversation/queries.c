/* queries.c - see queries.h. */
#include "conversation/queries.h"

#include <stdio.h>
#include <string.h>

static uint64_t random_state = 88172645463325252u;

unsigned bench_below(unsigned limit) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (unsigned)(random_state >> 33) % limit;
}

/* Words that people look for: as likely one of the ranks 50 to 500 as one of 500 to 5,000 or above. */
const char *bench_some_word(void) {
  static const unsigned from[] = {50, 500, 5000, 50000};
  unsigned decade = bench_below(3);
  return bench_word(from[decade] + bench_below(from[decade + 1] - from[decade]));
}

static const char *stop_word(void) {
  return bench_word(bench_below(20));
}

/* The arguments of the i-th query. */
void bench_write_mixed(int i, char *out, size_t size) {
  const char *a = bench_some_word(), *b = bench_some_word(), *c = bench_some_word(), *d = bench_some_word();
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
    default: snprintf(out, size, "{\"query\":\"%s\",\"session\":\"bench-%06u\"}", a, bench_below(500)); break;
  }
}

void bench_write_common(int i, char *out, size_t size) {
  (void)i;
  snprintf(out, size, "{\"query\":\"%s\"}", bench_word(0));
}

void bench_write_chinese(int i, char *out, size_t size) {
  char one[4], other[4] = "";
  bench_han(bench_below(200), one);
  if (i % 2) bench_han(bench_below(200), other);
  snprintf(out, size, "{\"query\":\"%s%s\"}", one, other);
}

void bench_write_substring(int i, char *out, size_t size) {
  const char *word = bench_some_word();
  size_t length = strlen(word);
  int letters = 3 + i % 4;
  if ((size_t)letters > length) letters = (int)length;
  const char *from = word + bench_below((unsigned)(length - (size_t)letters) + 1);
  snprintf(out, size, "{\"query\":\"%.*s\",\"match\":\"substrings\"}", letters, from);
}

/* The next letter of a word, or of the second of two. */
void bench_write_typing(int i, char *out, size_t size) {
  static char word[80];
  static size_t typed;
  static bool second;
  if (typed == strlen(word)) {
    snprintf(word, sizeof word, "%s", i % 3 ? bench_some_word() : stop_word());
    typed = 0;
    second = i % 5 == 0;
  }
  typed++;
  snprintf(out, size, "{\"query\":\"%s%s%.*s*\",\"quick\":true}", second ? bench_word(0) : "", second ? " " : "",
           (int)typed, word);
}

