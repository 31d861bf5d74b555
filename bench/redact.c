/* redact.c - how fast texts are redacted: words, code and JSON with a word like "token" now and then (about
** every 800 bytes, as in sources and documents); the same with every fifth word like that; with a secret in
** each; and, to compare with, a plain search for one byte that is not there (memchr).
**
** One thread.  Texts are made up, of 16 KB each, and are looked through in turns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "capture/redact.h"

#define SIZE 16384
#define TEXTS 256 /* 4 MB: more than the nearer caches hold */
#define ROUNDS 20

static char *texts[TEXTS];
static unsigned seed = 7;

static unsigned pick(unsigned below) {
  seed = seed * 1103515245 + 12345;
  return (seed >> 16) % below;
}

static const char *const WORDS[] = {
    "the", "of", "and", "a", "to", "in", "is", "it", "function", "return", "value", "error", "file", "test", "section",
    "because", "second", "build", "commit", "client", "message", "number", "self.parse(line)", "if (x == 0) {", "}",
    "const char *name;", "int64_t count = 0;", "\"type\":\"text\",", "src/engine/call.c", "git", "status", "database",
    "transaction", "statement", "cache", "memory", "assert", "struct", "pointer", "length", "not", "under", "another"};
/* Words that a rule must look at. */
static const char *const SUSPECTS[] = {"token",
                                       "password",
                                       "author",
                                       "passing",
                                       "secret",
                                       "api_key=get_key()",
                                       "\"input_tokens\":1234,",
                                       "https://host/path",
                                       "max_tokens: 4096",
                                       "AUTH_TOKEN=$TOKEN"};

/* One word in so many is a suspect. */
static void fill(char *text, unsigned suspect) {
  size_t used = 0;
  while (used < SIZE - 64) {
    const char *word = pick(suspect) ? WORDS[pick(sizeof WORDS / sizeof *WORDS)] : SUSPECTS[pick(10)];
    used += (size_t)sprintf(text + used, "%s%c", word, pick(12) ? ' ' : '\n');
  }
  memset(text + used, ' ', SIZE - used);
  text[SIZE] = '\0';
}

/* A token of the right form, put somewhere into the text. */
static void put_secret(char *text) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  char *at = text + pick(SIZE - 100);
  memcpy(at, " ghp_", 5);
  for (int i = 5; i < 41; i++) at[i] = alphabet[pick(62)];
  at[41] = ' ';
}

static double mb_per_s(st_redact_scratch *scratch) {
  st_arena arena;
  st_redacted out;
  st_arena_init(&arena, (size_t)1 << 30);
  double start = bench_cpu();
  for (int i = 0; i < TEXTS; i++) {
    if (!st_redact_text(scratch, &arena, texts[i], SIZE, &out)) bench_die("out of memory");
    st_arena_reset(&arena);
  }
  double took = bench_cpu() - start;
  st_arena_free(&arena);
  return (double)TEXTS * SIZE / 1e6 / took;
}

static double search_mb_per_s(void) {
  double start = bench_cpu();
  for (int n = 0; n < 10; n++)
    for (int i = 0; i < TEXTS; i++)
      if (memchr(texts[i], 1, SIZE)) bench_die("a control character in a text");
  return 10.0 * TEXTS * SIZE / 1e6 / (bench_cpu() - start);
}

int main(int argc, char **argv) {
  bench_samples clean = {0}, suspect = {0}, dirty = {0}, plain = {0}, making = {0};
  st_redact_problem problem;
  bench_start(argc, argv);
  for (int i = 0; i < TEXTS; i++) {
    texts[i] = malloc(SIZE + 1);
    if (!texts[i]) bench_die("out of memory");
  }
  st_redactor *redactor = NULL;
  for (int i = 0; i < 5; i++) {
    double start = bench_cpu();
    st_redactor_free(redactor);
    redactor = st_redactor_new(NULL, 0, &problem);
    bench_add(&making, (bench_cpu() - start) * 1000);
  }
  st_redact_scratch *scratch = redactor ? st_redact_scratch_new(redactor) : NULL;
  if (!scratch) bench_die("out of memory");
  for (int i = 0; i < TEXTS; i++) fill(texts[i], 5);
  for (int i = 0; i < ROUNDS; i++) bench_add(&suspect, mb_per_s(scratch));
  for (int i = 0; i < TEXTS; i++) fill(texts[i], 150);
  for (int i = 0; i < ROUNDS; i++) {
    bench_add(&clean, mb_per_s(scratch));
    bench_add(&plain, search_mb_per_s());
  }
  if (st_redact_total(scratch)) bench_die("a clean text was redacted");
  for (int i = 0; i < TEXTS; i++) put_secret(texts[i]);
  for (int i = 0; i < ROUNDS; i++) bench_add(&dirty, mb_per_s(scratch));
  bench_put("clean_mb_per_s", bench_part(&clean, 0.5));
  bench_put("suspect_mb_per_s", bench_part(&suspect, 0.5));
  bench_put("dirty_mb_per_s", bench_part(&dirty, 0.5));
  bench_put("search_mb_per_s", bench_part(&plain, 0.5));
  bench_put("making_ms", bench_part(&making, 0.5));
  st_redact_scratch_free(scratch);
  st_redactor_free(redactor);
  for (int i = 0; i < TEXTS; i++) free(texts[i]);
  return bench_finish();
}
