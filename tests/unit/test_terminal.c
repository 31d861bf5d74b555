/* test_terminal.c - the interactive program without a terminal: keys, lines, layout, the screen, what is read and copied. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/terminal/action.h"
#include "cli/terminal/clipboard.h"
#include "cli/terminal/key.h"
#include "cli/terminal/layout.h"
#include "cli/terminal/line.h"
#include "cli/terminal/reading.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/wrap.h"

/* ---- Keys ---- */

static key only(const char *bytes, bool waited) {
  key_reader r = {.length = 0};
  key k = {0}, more;
  key_feed(&r, bytes, strlen(bytes));
  if (!key_next(&r, waited, &k)) return (key){0};
  assert_false(key_next(&r, waited, &more));
  return k;
}

static void keys_of_all_terminals_are_known(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    int code;
  } keys[] = {
      {"\033[A", KEY_UP},     {"\033OA", KEY_UP},        {"\033[1;5A", KEY_UP},   {"\033[B", KEY_DOWN},      {"\033[C", KEY_RIGHT},
      {"\033[D", KEY_LEFT},   {"\033[H", KEY_HOME},      {"\033[1~", KEY_HOME},   {"\033[7~", KEY_HOME},     {"\033OH", KEY_HOME},
      {"\033[F", KEY_END},    {"\033[4~", KEY_END},      {"\033[8~", KEY_END},    {"\033[5~", KEY_PAGE_UP},  {"\033[6~", KEY_PAGE_DOWN},
      {"\033[3~", KEY_DELETE}, {"\033OP", KEY_F(1)},     {"\033[11~", KEY_F(1)},  {"\033[[A", KEY_F(1)},     {"\033[15~", KEY_F(5)},
      {"\033[17~", KEY_F(6)}, {"\033OS", KEY_F(4)},      {"\r", KEY_ENTER},       {"\n", KEY_ENTER},         {"\t", KEY_TAB},
      {"\177", KEY_BACKSPACE}, {"\b", KEY_BACKSPACE},    {"\003", KEY_CTRL('c')}, {"\033s", KEY_ALT('s')},   {"a", KEY_TEXT},
      {"\xC3\xB6", KEY_TEXT}, {"\xF0\x9F\x99\x82", KEY_TEXT},
  };
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    key k = only(keys[i].bytes, false);
    assert_int_equal(k.code, keys[i].code);
    if (k.code == KEY_TEXT) assert_string_equal(k.text, keys[i].bytes);
  }
}

/* Whatever the pieces are that it comes in. */
static void keys_may_come_byte_by_byte(void **state) {
  (void)state;
  static const char bytes[] = "\033[6~\xE7\xB7\x91\033OP\033[1;3Dx";
  static const int codes[] = {KEY_PAGE_DOWN, KEY_TEXT, KEY_F(1), KEY_LEFT, KEY_TEXT};
  key_reader r = {.length = 0};
  size_t count = 0;
  key k;
  for (size_t i = 0; i < sizeof bytes - 1; i++) {
    key_feed(&r, bytes + i, 1);
    while (key_next(&r, false, &k)) assert_int_equal(k.code, codes[count++]);
  }
  assert_int_equal(count, 5);
  assert_false(key_open(&r));
}

static void an_escape_is_a_key_once_nothing_follows(void **state) {
  (void)state;
  assert_int_equal(only("\033", false).code, 0);
  assert_int_equal(only("\033", true).code, KEY_ESCAPE);
  assert_int_equal(only("\033[", true).code, 0); /* half of a key is none */
  assert_int_equal(only("\033[12", true).code, 0);
  assert_int_equal(only("\xE7\xB7", true).code, 0);
}

static void what_is_no_key_is_passed_over(void **state) {
  (void)state;
  assert_string_equal(only("\033[99;5ux", false).text, "x");
  assert_string_equal(only("\033[[Zx", false).text, "x");
  assert_string_equal(only("\xFF\x80x", false).text, "x");
  assert_string_equal(only("\xC0\xAFx", false).text, "x"); /* overlong */
}

static void a_paste_is_text_only(void **state) {
  (void)state;
  static const char bytes[] = "\033[200~a\r\nb\033[A\003\t\xC3\xB6\033[201~\003";
  char text[64] = "";
  key_reader r = {.length = 0};
  key k = {0};
  for (size_t i = 0; i < sizeof bytes - 1; i++) {
    key_feed(&r, bytes + i, 1);
    while (key_next(&r, r.pasting, &k)) /* a slow paste stays one */
      if (k.code == KEY_TEXT) strcat(text, k.text);
  }
  assert_string_equal(text, "a  b[A \xC3\xB6");
  assert_int_equal(k.code, KEY_CTRL('c')); /* behind it keys are keys again */
}

static void no_bytes_at_all_break_it(void **state) {
  (void)state;
  uint32_t seed = 1;
  for (int round = 0; round < 2000; round++) {
    key_reader r = {.length = 0};
    key k;
    for (int i = 0; i < 100; i++) {
      seed = seed * 1664525u + 1013904223u;
      static const char likely[] = "\033[O;0129~A\xE7\xB7\x91\x80z";
      char byte = seed >> 31 ? likely[(seed >> 8) % (sizeof likely - 1)] : (char)(seed >> 16);
      key_feed(&r, &byte, 1);
      while (key_next(&r, (seed >> 5 & 15) == 0, &k)) assert_true(k.code != 0 && strlen(k.text) <= 4);
    }
    assert_true(key_room(&r) > 0);
  }
}

/* ---- The line ---- */

static void edit(line *l, const char *bytes) {
  key_reader r = {.length = 0};
  key k;
  key_feed(&r, bytes, strlen(bytes));
  while (key_next(&r, false, &k)) line_edit(l, &k);
}

static void a_line_is_edited(void **state) {
  (void)state;
  line l = {.length = 0};
  edit(&l, "two w\xC3\xB6rter");
  assert_string_equal(l.text, "two w\xC3\xB6rter");
  edit(&l, "\177\177\177\177\177"); /* the last takes both bytes */
  assert_string_equal(l.text, "two w");
  edit(&l, "\033[D\xE7\xB7\x91\033[C!");
  assert_string_equal(l.text, "two \xE7\xB7\x91w!");
  edit(&l, "\001\033[3~T\005\027");
  assert_string_equal(l.text, "Two ");
  edit(&l, "\025\025\177\033[D\004");
  assert_string_equal(l.text, "");
  edit(&l, "abc\001\013");
  assert_string_equal(l.text, "");
  edit(&l, "\xC2\x9B"); /* a control character, though of two bytes */
  assert_string_equal(l.text, "");
  for (int i = 0; i < 3000; i++) edit(&l, "\xE7\xB7\x91");
  assert_true(l.length < sizeof l.text && l.length % 3 == 0);
}

/* ---- Lines of a text ---- */

static void text_is_wrapped_at_words(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t columns, length, next;
  } cases[] = {
      {"", 10, 0, 0},
      {"one two", 10, 7, 7},
      {"one two three", 10, 7, 8},
      {"one two three", 7, 7, 8},
      {"one two three", 6, 3, 4},
      {"one\ntwo", 10, 3, 4},
      {"\ntwo", 10, 0, 1},
      {"one\r\ntwo", 10, 3, 5},
      {"one\rtwo", 10, 7, 7},
      {"oneandtwo", 4, 4, 4},
      {"one  \ntwo", 3, 3, 6},
      {"  deep", 4, 4, 4},
      {"\xE7\xB7\x91\xE7\xB7\x91\xE7\xB7\x91", 5, 6, 6}, /* two columns each */
      {"\xE7\xB7\x91", 1, 3, 3},                         /* never nothing */
      {"e\xCC\x81" "e\xCC\x81" "e", 2, 6, 6},            /* combined: no column of its own */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t next, length = wrap_line(cases[i].text, cases[i].columns, &next);
    assert_int_equal(length, cases[i].length);
    assert_int_equal(next, cases[i].next);
  }
}

/* ---- Layout ---- */

static void the_preview_is_beside_or_below(void **state) {
  (void)state;
  layout small = layout_of(24, 80, true), large = layout_of(50, 200, true), none = layout_of(24, 80, false);
  assert_int_equal(small.preview.columns, 80);
  assert_true(small.preview.row == small.rule.row + 1 && small.preview.row + small.preview.rows == small.status);
  assert_int_equal(large.preview.row, large.list.row);
  assert_true(large.list.columns < large.rule.column && large.rule.column < large.preview.column);
  assert_int_equal(large.preview.column + large.preview.columns, 200);
  assert_int_equal(none.preview.rows, 0);
  assert_int_equal(none.list.rows, 21);
  assert_false(layout_of(3, 80, true).possible);
  assert_false(layout_of(24, 10, true).possible);
  for (size_t rows = 5; rows < 80; rows++) /* nothing overlaps, and nothing is outside */
    for (size_t columns = 20; columns < 300; columns += 7) {
      layout l = layout_of(rows, columns, true);
      assert_true(l.list.rows > 0 && l.list.row + l.list.rows <= l.status && l.preview.row + l.preview.rows <= l.status);
      assert_true(l.list.columns <= columns && l.preview.column + l.preview.columns <= columns);
    }
}

static void the_chosen_row_is_seen(void **state) {
  (void)state;
  assert_int_equal(layout_top(0, 5, 10), 0);
  assert_int_equal(layout_top(0, 10, 10), 1);
  assert_int_equal(layout_top(7, 3, 10), 3);
  assert_int_equal(layout_top(7, 8, 10), 7);
}

/* ---- The screen ---- */

static char *drawn(screen *s) {
  size_t length;
  char *bytes = screen_draw(s, &length);
  assert_int_equal(length, strlen(bytes));
  return bytes;
}

static void only_what_changed_is_drawn(void **state) {
  (void)state;
  screen s = {.colours = true, .unicode = true};
  screen_resize(&s, 3, 10);
  screen_putz(&s, 0, 0, 10, STYLE_NORMAL, "hello");
  char *first = drawn(&s);
  assert_non_null(strstr(first, "\033[2J"));
  assert_non_null(strstr(first, "hello"));
  screen_clear(&s);
  screen_putz(&s, 0, 0, 10, STYLE_NORMAL, "help!");
  char *second = drawn(&s);
  assert_non_null(strstr(second, "\033[1;4H\033[0mp!"));
  assert_null(strstr(second, "hel"));
  screen_clear(&s);
  screen_putz(&s, 0, 0, 10, STYLE_NORMAL, "help!");
  char *third = drawn(&s);
  assert_null(strchr(third, 'p'));
  free(first);
  free(second);
  free(third);
  screen_free(&s);
}

static void nothing_is_obeyed_and_nothing_leaves_its_place(void **state) {
  (void)state;
  screen s = {.colours = true, .unicode = true};
  screen_resize(&s, 2, 8);
  screen_putz(&s, 0, 0, 8, STYLE_NORMAL, "a\033[2J\a\xC2\x9B\xFF\xE2\x80\xAE" "b");
  assert_int_equal(screen_putz(&s, 1, 2, 7, STYLE_NORMAL, "\xE7\xB7\x91\xE7\xB7\x91\xE7\xB7\x91"), 6); /* half of one has no room */
  screen_putz(&s, 9, 0, 8, STYLE_NORMAL, "outside");
  s.anew = false;
  char *bytes = drawn(&s);
  assert_non_null(strstr(bytes, "a?[2J???")); /* and the last column is the last */
  assert_null(strstr(bytes, "\xFF"));
  assert_null(strstr(bytes, "outside"));
  free(bytes);
  screen_free(&s);
}

static void combined_characters_stay_together(void **state) {
  (void)state;
  screen s = {.unicode = true};
  screen_resize(&s, 1, 10);
  assert_int_equal(screen_putz(&s, 0, 0, 10, STYLE_NORMAL, "e\xCC\x81\xE2\x80\x8Dx"), 2);
  assert_string_equal(s.next[0].text, "e\xCC\x81"); /* without the joiner */
  for (int i = 0; i < 40; i++) assert_int_equal(screen_putz(&s, 0, 0, 10, STYLE_NORMAL, "\xCC\x81"), 0); /* with nothing before it */
  s.unicode = false;
  assert_int_equal(screen_putz(&s, 0, 0, 10, STYLE_NORMAL, "\xE7\xB7\x91"), 1);
  assert_string_equal(s.next[0].text, "?");
  screen_free(&s);
}

/* ---- Reading ---- */

static void add(reading *r, const char *id, const char *text) {
  reading_add(r, id, strdup(id), strdup(text));
}

static void what_is_read_stays_where_it_is(void **state) {
  (void)state;
  reading r = {.count = 0};
  assert_null(reading_at(&r));
  reading_scroll(&r, 5);
  reading_pass(&r, 1);
  add(&r, "one", "some words that need lines");
  add(&r, "two", "more words with a Needle in them");
  add(&r, "three", "");
  reading_mark(&r, "a >>>needle<<< of >>>steel");
  reading_lay(&r, 10);
  assert_string_equal(reading_at(&r)->id, "one");
  reading_pass(&r, 1);
  reading_scroll(&r, 2);
  assert_string_equal(reading_at(&r)->id, "two");
  reading_lay(&r, 80);
  assert_string_equal(reading_at(&r)->id, "two");
  reading_pass(&r, -1);
  assert_int_equal(reading_behind(&r), 0);
  reading_scroll(&r, 1000);
  assert_string_equal(reading_at(&r)->id, "three");
  assert_true(reading_seek(&r, -1));
  reading_scroll(&r, -1000);
  assert_string_equal(reading_at(&r)->id, "one");
  reading_lay(&r, 10);
  reading_reveal(&r, 3);
  assert_string_equal(reading_at(&r)->id, "two");
  assert_false(reading_seek(&r, 1));
  reading_clear(&r);
}

/* ---- The clipboard, and the keys ---- */

static void a_copy_is_base64(void **state) {
  (void)state;
  static const struct {
    const char *text, *sequence;
  } pairs[] = {
      {"", "\033]52;c;\a"},         {"f", "\033]52;c;Zg==\a"},        {"fo", "\033]52;c;Zm8=\a"},
      {"foo", "\033]52;c;Zm9v\a"},  {"foobar", "\033]52;c;Zm9vYmFy\a"}, {"\xFB\xFF\xBF", "\033]52;c;+/+/\a"},
  };
  size_t taken;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char *sequence = clipboard_sequence(pairs[i].text, &taken);
    assert_string_equal(sequence, pairs[i].sequence);
    assert_int_equal(taken, strlen(pairs[i].text));
    free(sequence);
  }
  char *large = malloc(CLIPBOARD_MAX * 2 + 1);
  for (size_t i = 0; i < CLIPBOARD_MAX; i++) memcpy(large + 2 * i, "\xC3\xB6", 2);
  large[CLIPBOARD_MAX * 2] = '\0';
  large[0] = large[1] = 'x'; /* so that the limit is inside of a character */
  memmove(large + 1, large + 2, CLIPBOARD_MAX * 2 - 1);
  free(clipboard_sequence(large, &taken));
  assert_true(taken <= CLIPBOARD_MAX && ((unsigned char)large[taken] & 0xC0) != 0x80);
  free(large);
}

static void letters_are_typed_or_are_keys(void **state) {
  (void)state;
  const key q = {KEY_TEXT, "q"}, enter = {KEY_ENTER, ""}, letter = {KEY_TEXT, "\xC3\xB6"};
  assert_int_equal(action_of(&q, PLACE_QUERY), ACTION_NONE);
  assert_int_equal(action_of(&q, PLACE_LIST), ACTION_LEAVE);
  assert_int_equal(action_of(&q, PLACE_READER), ACTION_BACK);
  assert_int_equal(action_of(&enter, PLACE_QUERY), ACTION_OPEN);
  assert_int_equal(action_of(&enter, PLACE_READER), ACTION_NONE);
  assert_int_equal(action_of(&letter, PLACE_LIST), ACTION_NONE);
  for (const binding *b = action_keys; b->does; b++) /* no key does two things in one place */
    for (const binding *other = b + 1; other->does; other++) assert_false(other->key == b->key && (other->places & b->places));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_of_all_terminals_are_known),
      cmocka_unit_test(keys_may_come_byte_by_byte),
      cmocka_unit_test(an_escape_is_a_key_once_nothing_follows),
      cmocka_unit_test(what_is_no_key_is_passed_over),
      cmocka_unit_test(a_paste_is_text_only),
      cmocka_unit_test(no_bytes_at_all_break_it),
      cmocka_unit_test(a_line_is_edited),
      cmocka_unit_test(text_is_wrapped_at_words),
      cmocka_unit_test(the_preview_is_beside_or_below),
      cmocka_unit_test(the_chosen_row_is_seen),
      cmocka_unit_test(only_what_changed_is_drawn),
      cmocka_unit_test(nothing_is_obeyed_and_nothing_leaves_its_place),
      cmocka_unit_test(combined_characters_stay_together),
      cmocka_unit_test(what_is_read_stays_where_it_is),
      cmocka_unit_test(a_copy_is_base64),
      cmocka_unit_test(letters_are_typed_or_are_keys),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
