/* remote_reply.c - see remote_reply.h. */
#include "embed/remote_reply.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json_pull.h"
#include "base/vector.h"

typedef struct reading {
  st_remote_vector_fn *fn;
  void *to;
  st_problem *problem;
  size_t count, seen;
  bool *there;    /* of each text: its vector is */
  float *numbers; /* of one */
} reading;

static bool read_one(reading *r, st_text one, size_t place) {
  st_text index = {0}, vector = {0};
  st_pull_pick(one, (st_pull_want[]){{"index", &index}, {"embedding", &vector}}, 2);
  int64_t number = index.bytes ? st_pull_int(index, -1) : (int64_t)place;
  if (number < 0 || (uint64_t)number >= r->count) return st_problem_say(r->problem, "it answered with a vector for a text that was not sent");
  if (r->there[number]) return st_problem_say(r->problem, "it answered with two vectors for one text");
  size_t length = vector.bytes ? st_vector_parse(vector.bytes, vector.length, r->numbers) : 0;
  if (!length) return st_problem_say(r->problem, "it answered with an embedding that is not an array of finite numbers");
  r->there[number] = true;
  r->seen++;
  return r->fn(r->to, (size_t)number, r->numbers, length);
}

static bool read_all(reading *r, st_text reply) {
  const char *why = NULL, *end = reply.bytes + reply.length;
  const char *after = st_pull_skip(reply.bytes, end, &why);
  while (after && after < end && strchr(" \t\r\n", *after)) after++;
  if (after != end) return st_problem_say(r->problem, "it answered with something that is not JSON");
  st_text data = st_pull_get(reply, "data");
  if (!st_pull_is_array(data)) return st_problem_say(r->problem, "its answer has no data");
  st_pull walk = st_pull_into(data);
  for (size_t place = 0; st_pull_next(&walk); place++)
    if (!read_one(r, walk.value, place)) return false;
  if (r->seen < r->count) return st_problem_say(r->problem, "it answered with %zu vectors for %zu texts", r->seen, r->count);
  return true;
}

bool st_remote_read(st_text reply, size_t count, st_remote_vector_fn *fn, void *to, st_problem *problem) {
  reading r = {.fn = fn, .to = to, .problem = problem, .count = count};
  r.there = st_alloc_zero(count + 1);
  r.numbers = st_alloc(ST_VECTOR_MAX * sizeof *r.numbers);
  bool good = r.there && r.numbers ? read_all(&r, reply) : st_problem_nomem(problem);
  st_free(r.there);
  st_free(r.numbers);
  return good;
}
