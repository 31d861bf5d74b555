/* test_near.c - the nearest vectors: all of them, through filters, with deleted ones, and when memory runs out. */
#include <math.h>

#include "fail_alloc.h"
#include "home.h"
#include "vectors.h"

#include "vector/code.h"
#include "vector/cosine.h"
#include "vector/near.h"

enum { DIMENSION = 96, ROWS = 9000, K = 10 };

static const st_codes_kind ours = {.dimension = DIMENSION, .model = 1};

/* Where vectors come from: rows whose number this divides are gone. */
typedef struct shelf {
  int64_t gone; /* 0: none */
  size_t fetched;
  size_t fails_at; /* 0: never */
  const uint64_t *allowed; /* a bit for each number, the first of 1; NULL: all */
} shelf;

static bool has_bit(const uint64_t *bits, int64_t number) { return bits[(number - 1) / 64] >> (number - 1) % 64 & 1; }

static bool is_allowed(void *context, const st_code_row *row) {
  const shelf *from = context;
  return has_bit(from->allowed, row->number);
}

static bool fetch(void *context, const st_code_row *const *rows, size_t count, float *out, bool *there) {
  shelf *from = context;
  for (size_t i = 0; i < count; i++) {
    there[i] = !from->gone || rows[i]->number % from->gone;
    make_vector((uint64_t)rows[i]->number, DIMENSION, out + i * DIMENSION);
  }
  from->fetched += count;
  return !from->fails_at || from->fetched < from->fails_at;
}

static st_codes *codes_of(home *h, int64_t rows) {
  st_codes *codes;
  assert_int_equal(st_codes_open(path_in(h->directory, "codes"), &ours, &codes), ST_CODES_OK);
  assert_int_equal(catch_up(codes, rows), 0);
  return codes;
}

static size_t find(st_codes *codes, const float *query, const uint64_t *allowed, size_t k, shelf *from, st_near *out) {
  size_t count;
  bool stopped;
  st_near_search search = {.codes = codes, .query = query, .allowed = allowed ? is_allowed : NULL, .k = k, .fetch = fetch, .context = from};
  from->allowed = allowed;
  assert_int_equal(st_near_find(&search, out, &count, &stopped), ST_CODES_OK);
  assert_false(stopped);
  for (size_t i = 1; i < count; i++) assert_true(out[i - 1].similarity >= out[i].similarity);
  return count;
}

/* How near the k-th of the rows is that a filter leaves, by comparing all. */
static double truth(const float *query, int64_t rows, const uint64_t *allowed, int64_t gone, size_t k) {
  double best[K];
  float vector[DIMENSION];
  for (size_t i = 0; i < k; i++) best[i] = -2;
  for (int64_t n = 1; n <= rows; n++) {
    if ((allowed && !has_bit(allowed, n)) || (gone && n % gone == 0)) continue;
    make_vector((uint64_t)n, DIMENSION, vector);
    double near = st_cosine(query, vector, DIMENSION);
    size_t at = k;
    for (; at > 0 && best[at - 1] < near; at--)
      if (at < k) best[at] = best[at - 1];
    if (at < k) best[at] = near;
  }
  return best[k - 1];
}

/* A vector and a little of another: the first is its nearest. */
static void make_query(uint64_t number, float *out) {
  float other[DIMENSION];
  make_vector(number, DIMENSION, out);
  make_vector(number + 1000000, DIMENSION, other);
  for (int i = 0; i < DIMENSION; i++) out[i] += 0.3f * other[i];
}

static void the_nearest_are_found(void **state) {
  st_codes *codes = codes_of(*state, ROWS);
  size_t right = 0;
  for (uint64_t q = 1; q <= 20; q++) {
    shelf from = {0};
    float query[DIMENSION];
    st_near near[K];
    make_query(q * 400, query);
    assert_int_equal(find(codes, query, NULL, K, &from, near), K);
    assert_int_equal(near[0].number, q * 400);
    assert_int_equal(near[0].document, q * 800);
    assert_true(fabs(near[0].similarity - truth(query, ROWS, NULL, 0, 1)) < 1e-12);
    double least = truth(query, ROWS, NULL, 0, K);
    for (size_t i = 0; i < K; i++) right += near[i].similarity >= least - 1e-12;
  }
  assert_true(right >= 180); /* of 200, among noise; bench/vector measures it */
  st_codes_close(codes);
}

/* Through a filter come k, if k pass it, however far they are. */
static void filters_leave_enough(void **state) {
  st_codes *codes = codes_of(*state, ROWS);
  for (int pass = 0; pass <= 12; pass++) {
    uint64_t allowed[ROWS / 64 + 1] = {0};
    shelf from = {0};
    float query[DIMENSION];
    st_near near[K];
    make_query(77, query);
    for (int i = 0; i < pass; i++) allowed[(i * 701 + 5) / 64] |= UINT64_C(1) << (i * 701 + 5) % 64;
    size_t wanted = pass < K ? (size_t)pass : K;
    assert_int_equal(find(codes, query, allowed, K, &from, near), wanted);
    for (size_t i = 0; i < wanted; i++) assert_int_equal((near[i].number - 1 - 5) % 701, 0);
    if (wanted) assert_true(fabs(near[wanted - 1].similarity - truth(query, ROWS, allowed, 0, wanted)) < 1e-12);
  }
  st_codes_close(codes);
}

/* Rows whose vectors are gone are passed over, also if they are all that seemed near. */
static void others_come_for_those_that_are_gone(void **state) {
  st_codes *codes = codes_of(*state, ROWS);
  uint64_t allowed[ROWS / 64 + 1] = {0};
  float query[DIMENSION];
  st_near near[K];
  shelf most = {.gone = 2}, all = {.gone = 1};
  make_query(300, query);
  assert_int_equal(find(codes, query, NULL, K, &most, near), K);
  for (size_t i = 0; i < K; i++) assert_int_equal(near[i].number % 2, 1);
  assert_int_equal(find(codes, query, NULL, K, &all, near), 0);
  assert_int_equal(all.fetched, ROWS);
  for (int i = 1; i < ROWS; i += 2) allowed[i / 64] |= UINT64_C(1) << i % 64; /* even numbers */
  allowed[0] |= 1;
  assert_int_equal(find(codes, query, allowed, K, &most, near), 1);
  assert_int_equal(near[0].number, 1);
  st_codes_close(codes);
}

static void dead_rows_are_not_fetched(void **state) {
  st_codes *codes = codes_of(*state, ROWS);
  float query[DIMENSION];
  st_near near[K];
  shelf from = {0};
  assert_int_equal(st_codes_lock(codes), ST_CODES_OK);
  for (int64_t n = 1; n <= ROWS; n++)
    if (n % 1000) assert_int_equal(st_codes_kill(codes, n), ST_CODES_OK);
  assert_int_equal(st_codes_publish(codes, ROWS, 0), ST_CODES_OK);
  st_codes_unlock(codes);
  make_query(300, query);
  assert_int_equal(find(codes, query, NULL, K, &from, near), 9);
  assert_int_equal(from.fetched, 9);
  st_codes_close(codes);
}

static void few_rows_and_many_wanted(void **state) {
  home *h = *state;
  enum { MANY = 5000 };
  st_near *near = malloc(MANY * sizeof *near);
  for (int64_t rows = 0; rows <= 3; rows++) {
    st_codes *codes = codes_of(h, rows);
    float query[DIMENSION];
    shelf from = {0};
    make_query(1, query);
    assert_int_equal(find(codes, query, NULL, MANY, &from, near), rows);
    assert_int_equal(find(codes, query, NULL, 0, &from, near), 0);
    st_codes_close(codes);
  }
  st_codes *codes = codes_of(h, ROWS);
  float query[DIMENSION];
  shelf from = {0};
  make_query(1, query);
  assert_int_equal(find(codes, query, NULL, MANY, &from, near), MANY);
  st_codes_close(codes);
  free(near);
}

/* All the same: none is nearer, and not all are fetched. */
static void equals_end_somewhere(void **state) {
  home *h = *state;
  st_codes *codes = codes_of(h, 0);
  float vector[DIMENSION];
  st_near near[K];
  shelf from = {0};
  make_vector(1, DIMENSION, vector);
  assert_int_equal(st_codes_lock(codes), ST_CODES_OK);
  for (int64_t n = 1; n <= 30000; n++) assert_int_equal(st_codes_add(codes, n, n, vector), ST_CODES_OK);
  assert_int_equal(st_codes_publish(codes, 30000, 0), ST_CODES_OK);
  st_codes_unlock(codes);
  assert_int_equal(find(codes, vector, NULL, K, &from, near), K);
  assert_true(from.fetched < 20000);
  st_codes_close(codes);
}

static void failures_are_told(void **state) {
  st_codes *codes = codes_of(*state, ROWS);
  float query[DIMENSION];
  st_near near[K];
  size_t count;
  bool stopped = false, reached;
  shelf from = {.fails_at = 1};
  st_near_search search = {.codes = codes, .query = query, .k = K, .fetch = fetch, .context = &from};
  make_query(5, query);
  assert_int_equal(st_near_find(&search, near, &count, &stopped), ST_CODES_OK);
  assert_true(stopped);
  assert_int_equal(count, 0);
  from.fails_at = 0;
  for (int n = 1;; n++) {
    fail_alloc_nth(n);
    st_codes_result result = st_near_find(&search, near, &count, &stopped);
    reached = fail_alloc_end();
    if (!reached) break;
    assert_int_equal(result, ST_CODES_NOMEM);
  }
  assert_int_equal(count, K);
  st_codes_close(codes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      home_test(the_nearest_are_found),      home_test(filters_leave_enough),     home_test(others_come_for_those_that_are_gone),
      home_test(dead_rows_are_not_fetched),  home_test(few_rows_and_many_wanted), home_test(equals_end_somewhere),
      home_test(failures_are_told),
  };
  return cmocka_run_group_tests_name("near", tests, NULL, NULL);
}
