/* test_postings.c - which rows have a term, packed and loose, read in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "search/postings.h"

static const st_posting PACKED[] = {{1, 1}, {2, 7}, {33, 8}, {64, 1}, {96, 300}, {INT64_C(1) << 40, UINT32_MAX}};
enum { PACKED_COUNT = sizeof PACKED / sizeof *PACKED };

static st_occurrences_writer pack(void) {
  st_occurrences_writer packing;
  st_occurrences_begin_bare(&packing);
  for (int i = 0; i < PACKED_COUNT; i++) st_occurrences_add(&packing, (st_occurrence){.number = PACKED[i].id, .times = PACKED[i].times}, NULL);
  assert_false(st_occurrences_failed(&packing));
  assert_int_equal(packing.count, PACKED_COUNT);
  return packing;
}

static void reads(st_postings *p, const st_posting *wanted, int count) {
  for (int i = 0; i < count; i++) {
    assert_int_equal(st_postings_seek(p, i ? wanted[i - 1].id + 1 : 0), wanted[i].id);
    assert_int_equal(p->now.times, wanted[i].times);
  }
  assert_true(st_postings_seek(p, wanted[count - 1].id + 1) == ST_NO_ROW);
  assert_true(st_postings_seek(p, 0) == ST_NO_ROW);
  assert_false(p->broken);
}

static void what_is_packed_is_read(void **state) {
  st_occurrences_writer packing = pack();
  st_postings p;
  (void)state;
  st_postings_start(&p, packing.rows.text, packing.rows.length, NULL, 0, &(st_loose){0});
  reads(&p, PACKED, PACKED_COUNT);
  assert_true(packing.rows.length < 40); /* most take a byte */
  st_occurrences_end(&packing);
}

static void a_search_goes_ahead_and_never_back(void **state) {
  st_occurrences_writer packing = pack();
  st_postings p;
  (void)state;
  st_postings_start(&p, packing.rows.text, packing.rows.length, NULL, 0, &(st_loose){0});
  assert_int_equal(st_postings_seek(&p, 34), 64);
  assert_int_equal(st_postings_seek(&p, 2), 64);
  assert_int_equal(st_postings_seek(&p, 97), INT64_C(1) << 40);
  st_occurrences_end(&packing);
}

static void the_loose_ones_take_the_place_of_the_stale_and_come_behind(void **state) {
  const int64_t stale[] = {1, 5, 64, 96};
  const st_posting wanted[] = {{2, 7}, {5, 2}, {33, 8}, {96, 4}, {INT64_C(1) << 40, UINT32_MAX}, {(INT64_C(1) << 40) + 1, 1}};
  st_occurrences_writer packing = pack();
  st_loose loose = {0};
  st_postings p;
  (void)state;
  assert_true(st_loose_add(&loose, wanted[1]) && st_loose_add(&loose, wanted[3]) && st_loose_add(&loose, wanted[5]));
  st_postings_start(&p, packing.rows.text, packing.rows.length, stale, 4, &loose);
  reads(&p, wanted, 6);
  st_loose_free(&loose);
  st_occurrences_end(&packing);
}

static void reading_begins_at_any_stop(void **state) {
  const int64_t stale[] = {2, 64};
  const st_posting all[] = {{1, 1}, {2, 9}, {33, 8}, {96, 300}, {INT64_C(1) << 40, UINT32_MAX}, {(INT64_C(1) << 40) + 1, 1}};
  st_occurrences_writer packing = pack();
  st_loose loose = {0};
  st_postings p;
  st_stop stops[5];
  (void)state;
  assert_true(st_loose_add(&loose, all[1]) && st_loose_add(&loose, all[5]));
  st_postings_start(&p, packing.rows.text, packing.rows.length, stale, 2, &loose);
  st_postings_stops(&p, 32, stops, 5);
  for (int stop = 4; stop >= 0; stop--) {
    int first = 0;
    while (all[first].id < 32 * stop) first++;
    st_postings_go(&p, &stops[stop], 32 * stop);
    reads(&p, &all[first], 6 - first);
  }
  st_loose_free(&loose);
  st_occurrences_end(&packing);
}

static void nothing_is_read_from_nothing(void **state) {
  st_postings p;
  (void)state;
  st_postings_start(&p, NULL, 0, NULL, 0, &(st_loose){0});
  assert_true(st_postings_seek(&p, 0) == ST_NO_ROW);
  assert_false(p.broken);
}

static void what_is_not_packed_postings_is_told(void **state) {
  static const struct { const char *bytes; size_t length; } broken[] = {
      {"\x00", 1},                                                          /* no number follows */
      {"\x01\x01\x08", 3},                                                /* nor times */
      {"\x01\x80", 2},                                                     /* a number that goes on */
      {"\x01\x01\xf9\x00", 4},                                           /* a step of none */
      {"\x01\x01\x08\x00", 4},                                           /* none times */
      {"\x01\x01\x08\xff\xff\xff\xff\x7f", 8},                       /* too often */
      {"\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x09\x09", 12}, /* behind the last row there can be */
      {"\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12}, /* a number that is too long */
  };
  (void)state;
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    st_postings p;
    st_postings_start(&p, broken[i].bytes, broken[i].length, NULL, 0, &(st_loose){0});
    while (st_postings_seek(&p, p.now.id == ST_NO_ROW ? ST_NO_ROW : p.now.id + 1) != ST_NO_ROW) continue;
    assert_true(p.broken);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_packed_is_read),
      cmocka_unit_test(a_search_goes_ahead_and_never_back),
      cmocka_unit_test(the_loose_ones_take_the_place_of_the_stale_and_come_behind),
      cmocka_unit_test(reading_begins_at_any_stop),
      cmocka_unit_test(nothing_is_read_from_nothing),
      cmocka_unit_test(what_is_not_packed_postings_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
