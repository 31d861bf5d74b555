/* test_token.c - kinds of characters, folding, and the tokeniser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/chars.h"
#include "base/fold.h"
#include "base/token.h"
#include "fail_alloc.h"

#define LENGTH(list) (sizeof(list) / sizeof *(list))

/* ---- folding ---- */

/* Fold a copy that ends where the text ends, so that a sanitizer sees any step beyond. */
static char *fold(const char *text, size_t length) {
  char *exact = malloc(length ? length : 1);
  memcpy(exact, text, length);
  st_str out;
  st_str_init(&out, 1 << 20);
  st_fold(&out, exact, length);
  free(exact);
  char *folded = st_str_take(&out);
  assert_non_null(folded);
  return folded;
}

static void check_fold(const char *text, const char *expected) {
  char *folded = fold(text, strlen(text));
  assert_string_equal(folded, expected);
  char *again = fold(folded, strlen(folded));
  assert_string_equal(again, expected);
  st_free(again);
  st_free(folded);
}

static void case_and_diacritics_go(void **state) {
  (void)state;
  check_fold("", "");
  check_fold("Plain ASCII, 42!", "plain ascii, 42!");
  check_fold("ÉCOLE", "ecole");
  check_fold("E\u0301cole", "ecole");
  check_fold("Straße STRASSE ẞ", "strasse strasse ss");
  check_fold("İstanbul ISTANBUL ıstanbul", "istanbul istanbul istanbul");
  check_fold("Ångström Å", "angstrom a");
  check_fold("Việt Nam, tiếng", "viet nam, tieng");
  check_fold("Ёлка ЙОД", "елка иод");
  check_fold("ΌΣΟΣ όσος ᾳ", "οσοσ οσοσ α");
  check_fold("ﬁn", "fin");
}

static void widths_become_ordinary(void **state) {
  (void)state;
  check_fold("ＡＢＣ１２３！", "abc123!");
  check_fold("ｶﾞｷﾞﾊﾟｰ", "ガギパー");
  check_fold("\uFFA1\uFFC2", "가");
  check_fold("豈", "豈");
  check_fold("⽇", "日");
}

static void other_scripts_keep_their_marks(void **state) {
  (void)state;
  check_fold("हिन्दी", "हिन्दी");
  check_fold("ภาษาไทยที่", "ภาษาไทยที่");
  check_fold("عَرَبِيّ", "عَرَبِيّ");
  check_fold("שָׁלוֹם", "שָׁלוֹם");
  check_fold("க\u0BCC", "க\u0BC6\u0BD7"); /* in pieces or not, it is the same */
  check_fold("க\u0BC6\u0BD7", "க\u0BC6\u0BD7");
}

static void hangul_and_kana_stay_whole(void **state) {
  (void)state;
  check_fold("한국어", "한국어");
  check_fold("\u1112\u1161\u11AB\u1100\u116E\u11A8", "한국"); /* in pieces, as some file systems write */
  check_fold("\uAC00\u11A8", "각");
  check_fold("ガ カ\u3099 は\u309A", "ガ ガ ぱ");
}

static void the_unseen_goes(void **state) {
  (void)state;
  check_fold("so\u00ADft\u200Bspace", "softspace"); /* the zero-width space is not seen either */
  check_fold("\uFEFFx\u200D\uFE0F", "x");
}

static void bad_bytes_are_replaced(void **state) {
  (void)state;
  char *folded = fold("a\xFF\0b\xE2\x82", 6);
  assert_memory_equal(folded, "a\xEF\xBF\xBD\0b\xEF\xBF\xBD", 10);
  st_free(folded);
}

static void folding_without_memory_fails(void **state) {
  (void)state;
  st_str out;
  st_str_init(&out, 1 << 20);
  fail_alloc_nth(1);
  st_fold(&out, "École", strlen("École"));
  assert_true(fail_alloc_end());
  assert_true(out.failed);
  st_str_free(&out);
}

/* ---- tokens ---- */

typedef struct list {
  char text[8192]; /* token|token|token, # for a boundary */
  size_t length;
  int count;
  int stop_after; /* 0: never */
  size_t text_end;
  size_t last_end;
} list;

static bool take(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  list *l = to;
  assert_true(length >= 1 && length <= ST_TOKEN_MAX);
  assert_true(start >= l->last_end && start < end && end <= l->text_end);
  l->last_end = end;
  bool boundary = kind == ST_TOKEN_BOUNDARY;
  if (boundary) assert_true(length == 1 && token[0] == '\x01');
  int added = snprintf(l->text + l->length, sizeof l->text - l->length, "%s%.*s", l->count ? "|" : "",
                       boundary ? 1 : (int)length, boundary ? "#" : token);
  l->length += (size_t)added;
  assert_true(l->length < sizeof l->text);
  return ++l->count != l->stop_after;
}

static bool tokenize_bytes(const char *text, size_t length, list *l) {
  char *exact = malloc(length ? length : 1);
  memcpy(exact, text, length);
  l->text_end = length;
  bool whole = st_tokenize(exact, length, take, l);
  free(exact);
  return whole;
}

static void check_bytes(const char *text, size_t length, const char *expected) {
  list l = {.length = 0};
  assert_true(tokenize_bytes(text, length, &l));
  assert_string_equal(l.text, expected);
}

static void check(const char *text, const char *expected) {
  check_bytes(text, strlen(text), expected);
}

static void words_are_runs_of_letters_and_digits(void **state) {
  (void)state;
  check("", "");
  check(" \t\n", "");
  check("Hello, World!", "hello|world");
  check("it's", "it|s");
  check("a/b.py", "a|b|py");
  check("user@host", "user|host");
  check("snake_case chat-send P2.2 50% TODO: x", "snake|case|chat|send|p2|2|50|todo|x");
  check("École Straße", "ecole|strasse");
  check("हिन्दी में", "हिन्दी|में");
  check("x² ½", "x²|½");
}

static void marks_belong_to_the_letter_before(void **state) {
  (void)state;
  check("e\u0301t\u0301e", "ete");
  check("\u0301", "");
  check("\u093F", "");
  check("部\u0301署", "部|署");
  check("1\uFE0F\u20E3", "1");
}

static void every_cjk_character_is_a_token(void **state) {
  (void)state;
  check("部署计划", "部|署|计|划");
  check("修改youer服务端", "修|改|youer|服|务|端");
  check("第3章", "第|3|章");
  check("ガラスのカメラー", "ガ|ラ|ス|の|カ|メ|ラ|ー");
  check("ｶﾞﾗｽ", "ガ|ラ|ス");
  check("あーーa", "あ|ー|ー|a");
  check("한국어 ㅋㅋ", "한|국|어|ㅋ|ㅋ");
  check("ㄅㄆㄇ 々〇", "ㄅ|ㄆ|ㄇ|々|〇");
  check("\U00020000\U0002F800\U00031350\U000323AF", "\U00020000|\u4E3D|\U00031350|\U000323AF");
}

static void boundaries_stand_where_punctuation_meets_cjk(void **state) {
  (void)state;
  check("部署，计划", "部|署|#|计|划");
  check("部署 计划", "部|署|计|划");
  check("部署\u3000计划", "部|署|计|划");
  check("部署。\n", "部|署");
  check("。部署", "部|署");
  check("docker: 部署 (x)", "docker|#|部|署|#|x");
  check("a, b", "a|b");
  check("部!?…署", "部|#|署");
  check_bytes("部\0署", 7, "部|#|署");
  check("部\xFF署", "部|#|署");
  check("部🎉署, 🎉", "部|🎉|署|#|🎉");
}

static void symbols_are_tokens(void **state) {
  (void)state;
  check("done🎉✅ok", "done|🎉|✅|ok");
  check("👍🏽 👍", "👍|👍");
  check("❤\uFE0F ❤", "❤|❤");
  check("🇩🇪", "🇩|🇪");
  check("👨\u200D👩\u200D👧", "👨|👩|👧");
  check("┌──┐│ok│⠋ © ° \uFFFD", "ok");
  check("a+b=c ^ ` ~ → €", "a|b|c");
}

static void the_unseen_does_not_separate(void **state) {
  (void)state;
  check("co\u00ADoperate", "cooperate");
  check("می\u200Cخواهم", "میخواهم");
  check("\uFEFFfirst", "first");
  check("ab\u200Bcd", "ab|cd");
}

static void bad_bytes_and_nul_separate(void **state) {
  (void)state;
  check_bytes("a\0b", 3, "a|b");
  check("x\xFFy\xC3(z\xE2\x82", "x|y|z");
  check("\xED\xA0\x80x\xF4\x90\x80\x80y\xC0\x80z", "x|y|z");
}

static void long_words_are_cut(void **state) {
  (void)state;
  char text[400], expected[200];
  memset(text, 'A', 100);
  strcpy(text + 100, " b");
  memset(expected, 'a', 64);
  strcpy(expected + 64, "|b");
  check(text, expected);
  /* Not inside a character, and nothing smaller is put into the rest. */
  memset(text, 'a', 63);
  strcpy(text + 63, "øa");
  expected[63] = '\0';
  check(text, expected);
  memset(text, 'a', 62);
  strcpy(text + 62, "øa");
  strcpy(expected + 62, "ø");
  check(text, expected);
}

static void offsets_are_those_of_the_text(void **state) {
  (void)state;
  static const char text[] = " École，部e\u0301.";
  static const struct {
    size_t start, end;
  } expected[] = {{1, 7}, {7, 10}, {10, 13}, {13, 16}};
  for (size_t i = 0; i < LENGTH(expected); i++) {
    list l = {.stop_after = (int)i + 1, .text_end = strlen(text)};
    assert_false(st_tokenize(text, strlen(text), take, &l));
    assert_int_equal(l.last_end, expected[i].end);
  }
  assert_memory_equal(text + expected[2].start, "部", 3);
}

static void tokenising_can_be_stopped(void **state) {
  (void)state;
  list l = {.stop_after = 2};
  assert_false(tokenize_bytes("a b c", 5, &l));
  assert_string_equal(l.text, "a|b");
  l = (list){.stop_after = 2}; /* at a boundary */
  assert_false(tokenize_bytes("部,署", 7, &l));
  assert_string_equal(l.text, "部|#");
}

static void tokenising_needs_no_memory(void **state) {
  (void)state;
  list l = {.text_end = strlen("a 部,É 🎉")};
  fail_alloc_nth(1);
  assert_true(st_tokenize("a 部,É 🎉", l.text_end, take, &l));
  assert_false(fail_alloc_end());
  assert_true(st_tokenize(NULL, 0, take, &l));
}

/* ---- all characters ---- */

typedef struct spaced {
  char text[256]; /* the tokens as a query writes them */
  size_t length;
} spaced;

static bool write_spaced(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  (void)start, (void)end;
  spaced *s = to;
  if (kind == ST_TOKEN_BOUNDARY) token = ".";
  else if (memchr(token, ' ', length) || memchr(token, '"', length) || memchr(token, '\'', length) ||
           memchr(token, '\\', length) || memchr(token, '\0', length) || memchr(token, '\x01', length))
    return false;
  assert_true(s->length + length + 1 < sizeof s->text);
  if (s->length) s->text[s->length++] = ' ';
  memcpy(s->text + s->length, token, length);
  s->length += length;
  return true;
}

/* The tokens, written with spaces between them, give the same tokens: queries rest on that. */
static void check_again(const char *text, size_t length, int32_t c) {
  spaced once = {.length = 0}, twice = {.length = 0};
  if (!st_tokenize(text, length, write_spaced, &once)) fail_msg("U+%04X: a token with a quote or the like", c);
  st_tokenize(once.text, once.length, write_spaced, &twice);
  if (once.length != twice.length || memcmp(once.text, twice.text, once.length))
    fail_msg("U+%04X: %.*s becomes %.*s", c, (int)once.length, once.text, (int)twice.length, twice.text);
}

static void tokens_of_tokens_are_the_same(void **state) {
  (void)state;
  static const int32_t around[][2] = {{'a', 'b'}, {0x90E8, 0x7F72}, {0x30AB, 0x1161}, {0x1100, 0x11A8}, {'.', 0x3099}};
  for (int32_t c = 0; c < 0x110000; c++) {
    if (c >= 0xD800 && c < 0xE000) continue;
    char text[16];
    check_again(text, st_char_write(c, text), c);
    for (size_t i = 0; i < LENGTH(around); i++) {
      size_t length = st_char_write(around[i][0], text);
      length += st_char_write(c, text + length);
      length += st_char_write(around[i][1], text + length);
      check_again(text, length, c);
    }
  }
}

static void every_character_reads_back(void **state) {
  (void)state;
  for (int32_t c = 0; c < 0x110000; c++) {
    if (c >= 0xD800 && c < 0xE000) continue;
    char text[4];
    int size;
    size_t length = st_char_write(c, text);
    assert_int_equal(st_char_read(text, text + length, &size), c);
    assert_int_equal(size, length);
  }
}

static void the_tables_have_a_version(void **state) {
  (void)state;
  assert_true(atoi(st_tokenizer_unicode()) >= 14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_and_diacritics_go),
      cmocka_unit_test(widths_become_ordinary),
      cmocka_unit_test(other_scripts_keep_their_marks),
      cmocka_unit_test(hangul_and_kana_stay_whole),
      cmocka_unit_test(the_unseen_goes),
      cmocka_unit_test(bad_bytes_are_replaced),
      cmocka_unit_test(folding_without_memory_fails),
      cmocka_unit_test(words_are_runs_of_letters_and_digits),
      cmocka_unit_test(marks_belong_to_the_letter_before),
      cmocka_unit_test(every_cjk_character_is_a_token),
      cmocka_unit_test(boundaries_stand_where_punctuation_meets_cjk),
      cmocka_unit_test(symbols_are_tokens),
      cmocka_unit_test(the_unseen_does_not_separate),
      cmocka_unit_test(bad_bytes_and_nul_separate),
      cmocka_unit_test(long_words_are_cut),
      cmocka_unit_test(offsets_are_those_of_the_text),
      cmocka_unit_test(tokenising_can_be_stopped),
      cmocka_unit_test(tokenising_needs_no_memory),
      cmocka_unit_test(tokens_of_tokens_are_the_same),
      cmocka_unit_test(every_character_reads_back),
      cmocka_unit_test(the_tables_have_a_version),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
