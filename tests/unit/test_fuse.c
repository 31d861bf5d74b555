/* test_fuse.c - lists by several measures become one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/value.h"
#include "search/fuse.h"
#include "search/ranking.h"

static bool near(double a, double b) { return fabs(a - b) < 1e-12; }

static void each_list_gives_by_rank_and_score(void **state) {
  const double words[] = {4, 8, 0, 2}, meaning[] = {0, 0.5, 0.25, -1};
  int ranks[2][4];
  double fused[4];
  (void)state;
  const st_arm arms[] = {{1, words, ranks[0]}, {0.5, meaning, ranks[1]}};
  assert_true(st_fuse_arms(arms, 2, 4, fused));
  assert_int_equal(ranks[0][0], 2);
  assert_int_equal(ranks[0][1], 1);
  assert_int_equal(ranks[0][2], 0);
  assert_int_equal(ranks[0][3], 3);
  assert_int_equal(ranks[1][3], 0);
  assert_true(near(fused[0], 0.5 / 62));
  assert_true(near(fused[1], 1.0 / 61 + 0.5 / 61));
  assert_true(near(fused[2], 0.5 * 0.5 / 62));
  assert_true(near(fused[3], 0.25 / 63));
}

static void nothing_is_fused_from_nothing(void **state) {
  double fused[1] = {1};
  int ranks[1];
  const double none[1] = {0};
  const st_arm arm = {1, none, ranks};
  (void)state;
  assert_true(st_fuse_arms(&arm, 1, 1, fused));
  assert_true(fused[0] == 0 && ranks[0] == 0);
  assert_true(st_fuse_arms(NULL, 0, 0, fused));
}

static st_ranked ranked(const char *id, double words, double meaning) {
  return (st_ranked){.document = {.id = {.type = ST_TEXT, .bytes = id, .length = strlen(id)}}, .by_words = words, .by_meaning = meaning};
}

/* One that both lists have is before those that are as good in one; of equal ones the earlier number is first. */
static void ranked_documents_are_sorted(void **state) {
  st_ranked hits[] = {ranked("12", 0, 0.9), ranked("9", 3, 0), ranked("8", 3, 0), ranked("10", 3, 0.9)};
  static const char *const order[] = {"10", "8", "9", "12"};
  (void)state;
  assert_true(st_ranked_fuse(hits, 4));
  for (int i = 0; i < 4; i++) assert_string_equal(hits[i].document.id.bytes, order[i]);
  assert_int_equal(hits[0].meaning_rank, 1);
  assert_int_equal(hits[2].words_rank, 1);
  assert_int_equal(hits[3].words_rank, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_list_gives_by_rank_and_score),
      cmocka_unit_test(nothing_is_fused_from_nothing),
      cmocka_unit_test(ranked_documents_are_sorted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
