/* test_occurrences.c - where words occur: written, read, put behind each other, joined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "search/beside.h"
#include "search/join.h"
#include "search/part.h"

static const st_occurrence ROWS[] = {{0, 1, 1}, {1, 2, 39}, {31, 7, 40}, {62, 8, 41}, {93, 3, 48}, {INT64_C(1) << 40, 300, 320}};
enum { COUNT = sizeof ROWS / sizeof *ROWS };

/* Places 5, 10, 15, ...: as many as are asked for. */
static const uint32_t *fives(void) {
  static uint32_t places[300];
  for (uint32_t i = 0; i < 300; i++) places[i] = 5 * (i + 1);
  return places;
}

static st_occurrences_writer written(const st_occurrence *rows, int count) {
  st_occurrences_writer writer;
  st_occurrences_begin(&writer);
  for (int i = 0; i < count; i++) st_occurrences_add(&writer, rows[i], fives());
  assert_false(st_occurrences_failed(&writer));
  assert_int_equal(writer.count, count);
  return writer;
}

static void start(st_occurrences *o, const st_occurrences_writer *from, bool placed) {
  st_occurrences_start(o, from->rows.text, from->rows.length, placed ? from->places.text : NULL, placed ? from->places.length : 0);
}

static void what_is_written_is_read(void **state) {
  st_occurrences_writer writer = written(ROWS, COUNT);
  (void)state;
  for (int placed = 0; placed < 2; placed++) {
    st_occurrences o;
    start(&o, &writer, placed);
    for (int i = 0; i < COUNT; i++, st_occurrences_next(&o)) {
      assert_int_equal(o.now.number, ROWS[i].number);
      assert_int_equal(o.now.times, ROWS[i].times);
      assert_int_equal(o.now.length, i == 3 ? 41 : ROWS[i].length);
    }
    assert_true(o.now.number == ST_NO_NUMBER);
    st_occurrences_next(&o);
    assert_true(o.now.number == ST_NO_NUMBER);
    assert_false(o.broken);
  }
  st_occurrences_end(&writer);
}

/* Those of every second row are passed over. */
static void places_are_those_of_the_row(void **state) {
  st_occurrences_writer writer = written(ROWS, COUNT);
  st_occurrences o;
  uint32_t places[300];
  (void)state;
  start(&o, &writer, true);
  for (int i = 1; i < COUNT; i += 2) {
    assert_int_equal(st_occurrences_seek(&o, ROWS[i].number), ROWS[i].number);
    st_occurrences_places(&o, places);
    assert_memory_equal(places, fives(), ROWS[i].times * sizeof *places);
  }
  assert_false(o.broken);
  st_occurrences_end(&writer);
}

/* A source of places that is read a few at a time. */
typedef struct source {
  st_more more; /* comes first */
  const char *next;
  int until_failing;
  unsigned char window[40];
} source;

static bool read_source(st_more *more, unsigned char *to, size_t length) {
  source *from = (source *)more;
  if (from->until_failing-- == 0) return false;
  memcpy(to, from->next, length);
  from->next += length;
  return true;
}

static source source_of(const st_occurrences_writer *writer) {
  source from = {.more = {.read = read_source, .left = writer->places.length, .room = 40}, .next = writer->places.text, .until_failing = -1};
  return from;
}

static void places_may_come_from_elsewhere(void **state) {
  st_occurrences_writer writer = written(ROWS, COUNT);
  uint32_t places[300];
  st_occurrences o;
  (void)state;
  for (int each = 1; each <= COUNT; each++) { /* of each row, of every second... */
    source from = source_of(&writer);
    from.more.window = from.window;
    start(&o, &writer, false);
    st_occurrences_with_more(&o, &from.more);
    for (int i = each - 1; i < COUNT; i += each) {
      assert_int_equal(st_occurrences_seek(&o, ROWS[i].number), ROWS[i].number);
      assert_true(st_occurrences_have_places(&o));
      st_occurrences_places(&o, places);
      assert_memory_equal(places, fives(), ROWS[i].times * sizeof *places);
    }
  }
  source broken = source_of(&writer);
  broken.more.window = broken.window;
  broken.until_failing = 2;
  start(&o, &writer, false);
  st_occurrences_with_more(&o, &broken.more);
  st_occurrences_seek(&o, ROWS[COUNT - 1].number);
  assert_true(st_occurrences_have_places(&o));
  st_occurrences_places(&o, places);
  assert_true(o.broken && o.now.number == ST_NO_NUMBER);
  st_occurrences_end(&writer);
}

static void bare_rows_have_no_length(void **state) {
  st_occurrences_writer writer, whole = written(ROWS, COUNT);
  st_occurrences o;
  uint32_t places[300];
  (void)state;
  st_occurrences_begin_bare(&writer);
  for (int i = 0; i < COUNT; i++) st_occurrences_add(&writer, ROWS[i], fives());
  assert_int_equal(writer.rows.length, whole.rows.length - COUNT);
  st_occurrences_start_bare(&o, writer.rows.text, writer.rows.length, writer.places.text, writer.places.length);
  for (int i = 0; i < COUNT; i++, st_occurrences_next(&o)) {
    assert_int_equal(o.now.number, ROWS[i].number);
    assert_int_equal(o.now.times, ROWS[i].times);
    assert_int_equal(o.now.length, 0);
    st_occurrences_places(&o, places);
    assert_memory_equal(places, fives(), ROWS[i].times * sizeof *places);
  }
  assert_true(o.now.number == ST_NO_NUMBER && !o.broken);
  st_occurrences_end(&writer);
  st_occurrences_end(&whole);
}

/* From any row on: some that are told by a byte, by two, by more. */
static void a_walk_tells_every_row(void **state) {
  enum { MANY = 1000 };
  st_occurrence rows[MANY];
  st_occurrences_writer writer;
  static st_walk walk;
  (void)state;
  st_occurrences_begin(&writer);
  for (int i = 0; i < MANY; i++) {
    uint32_t times = i % 7 == 3 ? (uint32_t)(i % 300 + 1) : (uint32_t)(i % 3 + 1);
    rows[i] = (st_occurrence){.number = (i ? rows[i - 1].number : 0) + 1 + (i % 11 == 5 ? i : i % 3), .times = times, .length = (uint32_t)(i % 40 + 1)};
    st_occurrences_add(&writer, rows[i], NULL);
  }
  for (int first = 0; first < MANY; first += 77) {
    st_occurrences o;
    int at = first;
    start(&o, &writer, false);
    st_occurrences_seek(&o, rows[first].number);
    for (st_walk_start(&walk, &o); st_walk_next(&walk);)
      for (size_t i = 0; i < walk.count; i++, at++) {
        assert_int_equal(walk.numbers[i], rows[at].number);
        assert_int_equal(walk.times[i], rows[at].times);
        assert_int_equal(st_length_of_code(walk.codes[i]), st_occurrences_length(rows[at].length));
      }
    assert_int_equal(at, MANY);
    assert_false(walk.of.broken);
  }
  st_occurrences_end(&writer);
}

static void later_rows_are_put_behind_earlier_ones(void **state) {
  st_occurrences_writer first = written(ROWS, 3), second = written(ROWS + 3, COUNT - 3);
  st_occurrences o;
  (void)state;
  st_str_add(&first.rows, second.rows.text, second.rows.length);
  st_str_add(&first.places, second.places.text, second.places.length);
  start(&o, &first, true);
  for (int i = 0; i < COUNT; i++) assert_int_equal(st_occurrences_seek(&o, i ? ROWS[i - 1].number + 1 : 0), ROWS[i].number);
  assert_int_equal(o.now.times, 300);
  assert_false(o.broken);
  st_occurrences_end(&first);
  st_occurrences_end(&second);
}

/* A length is never told as greater, and hardly as less. */
static void a_length_is_about_as_long(void **state) {
  (void)state;
  for (uint32_t length = 1; length < 4000000; length += 1 + length / 7) {
    st_occurrence row = {.number = 1, .times = 1, .length = length};
    st_occurrences_writer writer = written(&row, 1);
    st_occurrences o;
    start(&o, &writer, false);
    assert_true(o.now.length <= length && o.now.length >= length - length / 8);
    if (length < 40) assert_int_equal(o.now.length, length);
    st_occurrences_end(&writer);
  }
}

/* Every beginning of the bytes, and every byte changed, is read to an end without reading beyond. */
static void bytes_that_are_none_are_noticed(void **state) {
  st_occurrences_writer writer = written(ROWS, COUNT);
  char bytes[64];
  size_t length = writer.rows.length;
  bool broken = false;
  (void)state;
  assert_true(length < sizeof bytes);
  for (size_t cut = 0; cut < length; cut++) {
    for (int change = 0; change < 256; change += 51) {
      st_occurrences o;
      memcpy(bytes, writer.rows.text, length);
      bytes[cut] = (char)(bytes[cut] ^ change);
      st_occurrences_start(&o, bytes, change ? length : cut, NULL, 0);
      while (o.now.number != ST_NO_NUMBER) st_occurrences_next(&o);
      broken = broken || o.broken;
    }
  }
  assert_true(broken);
  st_occurrences_end(&writer);
}

/* A row that says it has four thousand million places asks for no room for them. */
static void places_that_are_not_there_are_noticed(void **state) {
  st_occurrence row = {1, UINT32_MAX, 1};
  st_occurrences_writer writer, out;
  st_arena arena;
  (void)state;
  st_arena_init(&arena, 1 << 20);
  st_occurrences_begin(&writer);
  st_occurrences_add(&writer, row, NULL);
  for (int phrase = 0; phrase < 2; phrase++) {
    st_join_word words[2] = {{.offset = 0}, {.offset = 1}};
    st_occurrences any[2];
    for (int i = 0; i < 2; i++) st_occurrences_start(&any[i], writer.rows.text, writer.rows.length, "\x01\x02", 2);
    for (int i = 0; i < 2; i++) words[i].of = any[i];
    st_occurrences_begin(&out);
    st_join join;
    st_join_start(&join, &arena, words, 2);
    assert_true(phrase ? st_join_phrase(&join, &out) : st_join_any(&arena, any, 2, true, &out));
    assert_true(phrase ? words[0].of.broken : any[0].broken);
    st_occurrences_end(&out);
  }
  st_occurrences_end(&writer);
  st_arena_free(&arena);
}

/* Fewer bytes than there are places. */
static void what_stands_beside_is_not_read_beyond_its_end(void **state) {
  st_occurrences_writer writer = written(ROWS, 3);
  st_occurrences o;
  (void)state;
  start(&o, &writer, true);
  st_occurrences_with_beside(&o, "\x10\x21\x32\x43", 4); /* of ten */
  assert_memory_equal(st_occurrences_beside(&o), "\x10", 1);
  st_occurrences_next(&o);
  assert_memory_equal(st_occurrences_beside(&o), "\x21\x32", 2);
  st_occurrences_next(&o);
  assert_null(st_occurrences_beside(&o));
  assert_true(o.broken);
  assert_true(o.now.number == ST_NO_NUMBER);
  st_occurrences_end(&writer);
}

/* ---- Parts and phrases ---- */

static const st_common COMMON = {.words = {"the", "quick", "気"}, .count = 3}, NONE = {.count = 0};
static const st_common *common = &NONE;

static const char *const TEXTS[] = {"the quick fox and the quick hare", "quick the fox", "a quick fox. the fox", "hare 天気 の話", "fox 天。気"};

static st_part *made_part(void) {
  st_part *part = st_part_new();
  assert_non_null(part);
  st_part_code(part, common->words, common->count);
  for (int i = 0; i < 5; i++) {
    st_column columns[] = {{TEXTS[i], strlen(TEXTS[i])}, {"quick", 5}};
    assert_true(st_part_add(part, 10 + i, columns, 2));
  }
  return part;
}

static void open_word(st_part *part, const char *text, st_occurrences *out) {
  size_t count;
  const st_part_word *words = st_part_words(part, &count);
  st_occurrences_start(out, NULL, 0, NULL, 0);
  for (size_t i = 0; i < count; i++)
    if (!strcmp(words[i].text, text)) {
      start(out, &words[i].found, true);
      st_occurrences_with_beside(out, words[i].found.beside.text, words[i].found.beside.length);
    }
}

/* The rows of a phrase, as bits from row 10 on. */
static unsigned find_phrase(st_part *part, const char *const *words, size_t count) {
  st_arena arena;
  st_query_token tokens[4];
  st_term term = {.tokens = tokens, .count = (int)count};
  st_beside plan[4];
  st_join_word found[4];
  st_occurrences o;
  st_occurrences_writer writer;
  unsigned rows = 0;
  st_arena_init(&arena, 1 << 20);
  for (size_t i = 0; i < count; i++) tokens[i] = (st_query_token){.text = words[i]};
  size_t read = st_beside_plan(common, &term, plan);
  for (size_t i = 0; i < read; i++) {
    found[i] = (st_join_word){.offset = (uint32_t)plan[i].token, .before = plan[i].before, .behind = plan[i].behind};
    open_word(part, words[plan[i].token], &found[i].of);
  }
  st_occurrences_begin(&writer);
  st_join join;
  st_join_start(&join, &arena, found, read);
  assert_true(st_join_phrase(&join, &writer));
  for (start(&o, &writer, false); o.now.number != ST_NO_NUMBER; st_occurrences_next(&o)) rows |= 1u << (o.now.number - 10);
  st_occurrences_end(&writer);
  st_arena_free(&arena);
  return rows;
}

static void words_stand_in_the_order_of_their_bytes(void **state) {
  st_part *part = made_part();
  size_t count;
  (void)state;
  const st_part_word *words = st_part_words(part, &count);
  assert_int_equal(st_part_rows(part), 5);
  for (size_t i = 1; i < count; i++) assert_true(strcmp(words[i - 1].text, words[i].text) < 0);
  st_occurrences o;
  open_word(part, "the", &o);
  assert_int_equal(o.now.number, 10);
  assert_int_equal(o.now.times, 2);
  assert_int_equal(o.now.length, 8); /* of both columns */
  st_part_free(part);
}

static void find_phrases(void) {
  st_part *part = made_part();
  assert_int_equal(find_phrase(part, (const char *const[]){"quick", "fox"}, 2), 1 | 4);
  assert_int_equal(find_phrase(part, (const char *const[]){"the", "fox"}, 2), 2 | 4);
  assert_int_equal(find_phrase(part, (const char *const[]){"fox", "the"}, 2), 4);
  assert_int_equal(find_phrase(part, (const char *const[]){"fox", "and", "the"}, 3), 1);
  assert_int_equal(find_phrase(part, (const char *const[]){"and", "the", "quick"}, 3), 1);
  assert_int_equal(find_phrase(part, (const char *const[]){"the", "quick"}, 2), 1);
  assert_int_equal(find_phrase(part, (const char *const[]){"quick", "the"}, 2), 2);
  assert_int_equal(find_phrase(part, (const char *const[]){"quick", "the", "fox"}, 3), 2);
  assert_int_equal(find_phrase(part, (const char *const[]){"the", "quick", "hare"}, 3), 1);
  assert_int_equal(find_phrase(part, (const char *const[]){"the", "quick", "fox", "and"}, 4), 1);
  assert_int_equal(find_phrase(part, (const char *const[]){"a", "quick", "fox", "the"}, 4), 4);
  assert_int_equal(find_phrase(part, (const char *const[]){"hare", "quick"}, 2), 0);
  assert_int_equal(find_phrase(part, (const char *const[]){"天", "気"}, 2), 8);
  assert_int_equal(find_phrase(part, (const char *const[]){"none", "fox"}, 2), 0);
  st_part_free(part);
}

static void a_phrase_is_in_one_column_and_one_order(void **state) {
  (void)state;
  find_phrases();
}

static void common_words_are_known_by_what_they_stand_beside(void **state) {
  (void)state;
  common = &COMMON;
  find_phrases();
  common = &NONE;
}

/* As text: a token that is read, behind what must stand before it, and before what must stand behind it. */
static const char *planned(const char *const *words, int count, bool prefix) {
  static char text[64];
  st_query_token tokens[8];
  st_term term = {.tokens = tokens, .count = count, .prefix = prefix};
  st_beside plan[8];
  size_t length = 0;
  for (int i = 0; i < count; i++) tokens[i] = (st_query_token){.text = words[i]};
  size_t read = st_beside_plan(&COMMON, &term, plan);
  for (size_t i = 0; i < read; i++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%u[%d]%u ", plan[i].before, plan[i].token, plan[i].behind);
  return text;
}

static void of_a_phrase_as_few_words_are_read_as_may_be(void **state) {
  (void)state;
  assert_string_equal(planned((const char *const[]){"the", "fox"}, 2, false), "1[1]0 ");
  assert_string_equal(planned((const char *const[]){"fox", "the"}, 2, false), "0[0]1 ");
  assert_string_equal(planned((const char *const[]){"fox", "the", "hare"}, 3, false), "0[0]1 0[2]0 ");
  assert_string_equal(planned((const char *const[]){"the", "quick", "fox"}, 3, false), "1[1]0 0[2]0 ");
  assert_string_equal(planned((const char *const[]){"the", "quick"}, 2, false), "1[1]0 ");
  assert_string_equal(planned((const char *const[]){"the", "quick", "the"}, 3, false), "1[1]1 ");
  assert_string_equal(planned((const char *const[]){"the", "quick", "the", "the"}, 4, false), "1[1]1 0[3]0 ");
  assert_string_equal(planned((const char *const[]){"the", "fox"}, 2, true), "0[0]0 0[1]0 "); /* what goes on is not known */
  assert_string_equal(planned((const char *const[]){"hare", "the", "fox"}, 3, true), "0[0]1 0[2]0 ");
  assert_string_equal(planned((const char *const[]){"the"}, 1, false), "0[0]0 ");
}

static void rows_of_any_word_are_told_once(void **state) {
  st_part *part = made_part();
  st_occurrences words[3], o;
  st_occurrences_writer writer;
  st_arena arena;
  (void)state;
  st_arena_init(&arena, 1 << 20);
  open_word(part, "the", &words[0]);
  open_word(part, "none", &words[1]);
  open_word(part, "hare", &words[2]);
  st_occurrences_begin(&writer);
  assert_true(st_join_any(&arena, words, 3, true, &writer));
  start(&o, &writer, false);
  static const st_occurrence wanted[] = {{10, 3, 8}, {11, 1, 4}, {12, 1, 6}, {13, 1, 0}};
  for (int i = 0; i < 4; i++, st_occurrences_next(&o)) {
    assert_int_equal(o.now.number, wanted[i].number);
    assert_int_equal(o.now.times, wanted[i].times);
    if (wanted[i].length) assert_int_equal(o.now.length, wanted[i].length);
  }
  assert_true(o.now.number == ST_NO_NUMBER);
  uint32_t places[3];
  start(&o, &writer, true);
  st_occurrences_places(&o, places);
  assert_memory_equal(places, ((const uint32_t[]){0, 4, 6}), sizeof places);
  st_occurrences_end(&writer);
  st_arena_free(&arena);
  st_part_free(part);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(places_are_those_of_the_row),
      cmocka_unit_test(places_may_come_from_elsewhere),
      cmocka_unit_test(bare_rows_have_no_length),
      cmocka_unit_test(a_walk_tells_every_row),
      cmocka_unit_test(later_rows_are_put_behind_earlier_ones),
      cmocka_unit_test(a_length_is_about_as_long),
      cmocka_unit_test(bytes_that_are_none_are_noticed),
      cmocka_unit_test(places_that_are_not_there_are_noticed),
      cmocka_unit_test(what_stands_beside_is_not_read_beyond_its_end),
      cmocka_unit_test(words_stand_in_the_order_of_their_bytes),
      cmocka_unit_test(a_phrase_is_in_one_column_and_one_order),
      cmocka_unit_test(common_words_are_known_by_what_they_stand_beside),
      cmocka_unit_test(of_a_phrase_as_few_words_are_read_as_may_be),
      cmocka_unit_test(rows_of_any_word_are_told_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
