/* speed.c - how many short texts a static model embeds in a second: bench_embed MODEL < TEXTS, a text per line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "embed/embedder.h"

#define TEXTS 100000
#define ROUNDS 5

/* Of this thread, so that what else the machine does counts less. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static char *texts[TEXTS];
static size_t lengths[TEXTS];

static size_t read_texts(void) {
  size_t count = 0, room;
  ssize_t got;
  while (count < TEXTS && (room = 0, (got = getline(&texts[count], &room, stdin)) >= 0)) lengths[count++] = (size_t)got;
  return count;
}

int main(int argc, char **argv) {
  char problem[200] = "no model was named";
  st_embedder *e = argc > 1 ? st_embedder_open(&(st_embed_config){.model = argv[1]}, problem, sizeof problem) : NULL;
  size_t count = read_texts(), words = 0;
  float *out = e && count ? malloc(count * st_embedder_dimension(e) * sizeof *out) : NULL;
  if (!out) {
    fprintf(stderr, "bench_embed: %s\n", e ? "no texts" : problem);
    return 1;
  }
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < lengths[i]; k++) words += texts[i][k] == ' ' || texts[i][k] == '\n';
  for (int round = 0; round < ROUNDS; round++) {
    double start = now();
    st_embed(e, (const char *const *)texts, lengths, count, out, problem, sizeof problem);
    double took = now() - start;
    printf("%zu texts of %.1f words: %.0f texts/s\n", count, (double)words / (double)count, (double)count / took);
  }
  st_embedder_close(e);
  return 0;
}
