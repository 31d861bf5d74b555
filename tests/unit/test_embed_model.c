/* test_embed_model.c - static models of words: made of a file of vectors, opened, damaged, used. */
#include <math.h>

#include "embed/embedder.h"
#include "embed/import.h"
#include "embed/model.h"
#include "fail_alloc.h"
#include "home.h"

#define DIMENSION 4

/* Four directions; the words of one are near to each other. */
static const char VECTORS[] =
    "the 0.1 0.1 0.1 0.1\n"
    "cat 1 0 0 0\n"
    "dog 0.9 0.1 0 0\n"
    "parse 0 1 0 0\n"
    "header 0 0.5 0.5 0\n"
    "http 0 0 1 0\n"
    "run 0 0 0 1\n"
    "2 0.5 0 0 -0.5\n"
    "Caf\xc3\xa9 0 0.7 -0.7 0\n";

static const st_import_options PLAIN = {.name = "plain"};

static const char *file_of(void **state, const char *name, const char *text, size_t length) {
  const char *path = path_in(((home *)*state)->directory, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
  return path;
}

/* A model made of a text of vectors. */
static const char *model_of(void **state, const char *text, const st_import_options *options, st_imported *out) {
  const char *from = file_of(state, "vectors.txt", text, strlen(text));
  const char *to = path_in(((home *)*state)->directory, "a.model");
  st_problem problem = {0};
  st_imported imported;
  if (!st_import_vectors(from, to, options, out ? out : &imported, &problem)) fail_msg("%s", problem.text);
  return to;
}

static st_embedder *open_model(const char *path) {
  char problem[200] = "";
  st_embedder *e = st_embedder_open(&(st_embed_config){.model = path}, problem, sizeof problem);
  if (!e) fail_msg("%s", problem);
  return e;
}

static void embed(st_embedder *e, const char *text, float out[DIMENSION]) {
  char problem[200];
  size_t length = strlen(text);
  assert_int_equal(st_embedder_dimension(e), DIMENSION);
  assert_true(st_embed(e, &text, &length, 1, out, problem, sizeof problem));
}

static void is_near(const float *a, float x, float y, float z, float w) {
  const float b[] = {x, y, z, w};
  for (int i = 0; i < DIMENSION; i++)
    if (fabsf(a[i] - b[i]) > 0.01f) fail_msg("%g %g %g %g", a[0], a[1], a[2], a[3]);
}

static void a_text_is_the_mean_of_its_words(void **state) {
  st_imported imported;
  st_embedder *e = open_model(model_of(state, VECTORS, &PLAIN, &imported));
  float v[DIMENSION];
  assert_int_equal(imported.tokens, 9);
  assert_memory_equal(st_embedder_model(e), "plain@", 6);
  assert_false(st_embedder_is_remote(e));
  embed(e, "cat", v);
  is_near(v, 1, 0, 0, 0);
  embed(e, "CAT, http!", v);
  is_near(v, 0.7071f, 0, 0.7071f, 0);
  embed(e, "CAF\xc3\x89", v);
  is_near(v, 0, 0.7071f, -0.7071f, 0);
  embed(e, "nothing of this is known", v);
  is_near(v, 0, 0, 0, 0);
  embed(e, "", v);
  is_near(v, 0, 0, 0, 0);
  st_embedder_close(e);
}

static void an_unknown_word_is_taken_apart(void **state) {
  st_embedder *e = open_model(model_of(state, VECTORS, &PLAIN, NULL));
  static const char *const alike[][2] = {
      {"parseHTTPHeader2", "parse http header 2"}, {"http_headers", "http header"}, {"HTTPHeader", "http header"},
      {"header2", "header 2"},                     {"running", "run"},              {"parsed", "parse"},
      {"parsing", "parse"},                        {"cats", "cat"},                 {"ParsedHeaders", "parse header"},
  };
  for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
    float a[DIMENSION], b[DIMENSION];
    embed(e, alike[i][0], a);
    embed(e, alike[i][1], b);
    assert_true(b[0] || b[1] || b[2] || b[3]);
    if (memcmp(a, b, sizeof a) != 0) fail_msg("%s is not %s", alike[i][0], alike[i][1]);
  }
  st_embedder_close(e);
}

static void frequent_words_weigh_less(void **state) {
  float plain[DIMENSION], weighed[DIMENSION];
  st_embedder *e = open_model(model_of(state, VECTORS, &PLAIN, NULL));
  embed(e, "the cat", plain);
  st_embedder_close(e);
  e = open_model(model_of(state, VECTORS, &(st_import_options){.name = "sif", .sif = ST_IMPORT_SIF}, NULL));
  embed(e, "the cat", weighed);
  st_embedder_close(e);
  assert_true(weighed[0] > plain[0] && weighed[1] < plain[1]);
}

/* All have much of the first direction, which then says nothing. */
static void what_all_have_in_common_is_taken_out(void **state) {
  static const char common[] = "north 5 1 0 0\nsouth 5 -1 0 0\neast 5 0 1 0\nwest 5 0 -1 0\n";
  float v[DIMENSION];
  st_embedder *e = open_model(model_of(state, common, &(st_import_options){.name = "c", .component = true}, NULL));
  embed(e, "north", v);
  assert_true(fabsf(v[0]) < 0.15f && v[1] > 0.95f);
  st_embedder_close(e);
}

static void the_same_gives_the_same(void **state) {
  const st_import_options all = {.name = "all", .sif = ST_IMPORT_SIF, .component = true};
  size_t first, second;
  char *before = read_bytes(model_of(state, VECTORS, &all, NULL), &first);
  char *after = read_bytes(model_of(state, VECTORS, &all, NULL), &second);
  assert_int_equal(first, second);
  assert_memory_equal(before, after, first);
  free(before);
  free(after);
}

static void words_that_cannot_be_found_are_left_out(void **state) {
  static const char text[] = "5 2\r\ncat 1 0\r\nCat 0 1\r\nnew york 1 1\r\n, 0 1\r\n\xe7\x8c\xab 1 1 \r\n";
  st_imported imported;
  st_embedder *e = open_model(model_of(state, text, &PLAIN, &imported));
  assert_int_equal(imported.tokens, 2);
  assert_int_equal(imported.left_out, 3);
  assert_int_equal(st_embedder_dimension(e), 2);
  st_embedder_close(e);
}

static void wrong_files_of_vectors_are_refused(void **state) {
  static const struct {
    const char *text, *problem;
  } cases[] = {
      {"", "has no vectors"},
      {"\n", "vectors of 0 numbers"},
      {"3 2\n", "has no vectors"},
      {"word\n", "vectors of 0 numbers"},
      {"a 1 2\nb 1\n", "line 2: what should be a number is none"},
      {"a 1 2\n1 2\n", "line 2: it has no word"},
      {"a 1 2\n\n", "line 2: it has fewer numbers"},
      {"a 1 nan\n", "line 1: what should be a number is none"},
      {"a 1 1e999\n", "line 1: what should be a number is none"},
      {"a 1 1e39\n", "line 1: what should be a number is none"},
      {"1 99999999\na 1\n", "vectors of 99999999 numbers"},
      {", 1 2\n", "no token that could be used"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *from = file_of(state, "vectors.txt", cases[i].text, strlen(cases[i].text));
    const char *to = path_in(((home *)*state)->directory, "a.model");
    st_problem problem = {0};
    st_imported imported;
    assert_false(st_import_vectors(from, to, &PLAIN, &imported, &problem));
    if (!strstr(problem.text, cases[i].problem)) fail_msg("%zu: %s", i, problem.text);
    assert_int_not_equal(access(to, F_OK), 0);
  }
}

static void refused(void **state, const char *bytes, size_t length, const char *why) {
  char problem[400] = "";
  const char *path = file_of(state, "b.model", bytes, length);
  assert_null(st_embedder_open(&(st_embed_config){.model = path}, problem, sizeof problem));
  if (!strstr(problem, why)) fail_msg("not \"%s\" but \"%s\"", why, problem);
}

static void what_is_no_model_is_refused(void **state) {
  size_t length;
  char *bytes = read_bytes(model_of(state, VECTORS, &PLAIN, NULL), &length);
  refused(state, "", 0, "is not a model of Stele's");
  refused(state, "STELEMOD", 8, "is not a model of Stele's");
  refused(state, VECTORS, sizeof VECTORS, "is not a model of Stele's");
  refused(state, bytes, length - 1, "bytes and should have");
  refused(state, bytes, sizeof(st_model_header), "bytes and should have");
  for (size_t at = offsetof(st_model_header, size); at < sizeof(st_model_header); at++) {
    bytes[at] ^= 0x40;
    refused(state, bytes, length, "is damaged");
    bytes[at] ^= 0x40;
  }
  st_model_header *header = (st_model_header *)bytes;
  header->version++;
  refused(state, bytes, length, "is of version 2");
  header->version--;
  header->endian = 0x04030201u;
  refused(state, bytes, length, "another order of bytes");
  free(bytes);
}

/* A header that says what cannot be, with a checksum that is right. */
static void lies_are_refused(void **state) {
  size_t length;
  char *bytes = read_bytes(model_of(state, VECTORS, &PLAIN, NULL), &length);
  st_model_header *h = (st_model_header *)bytes;
  const st_model_header good = *h;
#define LIE(field, value)                          \
  h->field = (value);                              \
  h->header_checksum = st_model_header_hash(h);    \
  refused(state, bytes, length, "is damaged");     \
  *h = good
  LIE(dimension, 0);
  LIE(dimension, ST_MODEL_DIMENSION_MAX + 1);
  LIE(rows, 0);
  LIE(rows, UINT32_MAX);
  LIE(tokens, h->tokens + 1);
  LIE(slots, 3);
  LIE(slots, 8);
  LIE(part[ST_MODEL_TEXTS].size, UINT64_MAX);
  LIE(part[ST_MODEL_ROWS].at, 0);
  LIE(part[ST_MODEL_TOKENS].at, h->size + ST_MODEL_ALIGN);
  LIE(part[ST_MODEL_SLOTS].at, h->part[ST_MODEL_SLOTS].at + 1);
  LIE(name[ST_MODEL_NAME_MAX], 'x');
  free(bytes);
}

/* Whatever is wrong behind the header, the vectors are numbers, and the check finds it. */
static void damage_does_no_harm(void **state) {
  size_t length;
  char *bytes = read_bytes(model_of(state, VECTORS, &PLAIN, NULL), &length);
  for (size_t at = sizeof(st_model_header); at < length; at += 7) {
    st_model model;
    st_problem problem = {0};
    float v[DIMENSION];
    bytes[at] = (char)~bytes[at];
    assert_true(st_model_open(&model, file_of(state, "b.model", bytes, length), &problem));
    assert_false(st_model_check(&model, &problem));
    assert_non_null(strstr(problem.text, "is damaged"));
    st_model_embed(&model, "the cat parsed headers", 22, v);
    for (int i = 0; i < DIMENSION; i++) assert_true(isfinite(v[i]));
    st_model_close(&model);
    bytes[at] = (char)~bytes[at];
  }
  st_model model;
  st_problem problem = {0};
  assert_true(st_model_open(&model, file_of(state, "b.model", bytes, length), &problem));
  assert_true(st_model_check(&model, &problem));
  st_model_close(&model);
  free(bytes);
}

static void what_is_not_there_is_told(void **state) {
  (void)state;
  char problem[200] = "";
  assert_null(st_embedder_open(&(st_embed_config){.model = "/nowhere/a.model"}, problem, sizeof problem));
  assert_string_equal(problem, "/nowhere/a.model: No such file or directory");
}

static void memory_may_run_out(void **state) {
  const st_import_options all = {.name = "all", .sif = ST_IMPORT_SIF, .component = true};
  const char *from = file_of(state, "vectors.txt", VECTORS, strlen(VECTORS));
  const char *to = path_in(((home *)*state)->directory, "a.model");
  bool reached = true;
  for (int n = 1; reached; n++) {
    st_problem problem = {0};
    st_imported imported;
    fail_alloc_nth(n);
    bool good = st_import_vectors(from, to, &all, &imported, &problem);
    reached = fail_alloc_end();
    assert_true(good != reached);
    if (!good) assert_string_equal(problem.text, "out of memory");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      home_test(a_text_is_the_mean_of_its_words),
      home_test(an_unknown_word_is_taken_apart),
      home_test(frequent_words_weigh_less),
      home_test(what_all_have_in_common_is_taken_out),
      home_test(the_same_gives_the_same),
      home_test(words_that_cannot_be_found_are_left_out),
      home_test(wrong_files_of_vectors_are_refused),
      home_test(what_is_no_model_is_refused),
      home_test(lies_are_refused),
      home_test(damage_does_no_harm),
      home_test(what_is_not_there_is_told),
      home_test(memory_may_run_out),
  };
  return cmocka_run_group_tests_name("embed_model", tests, NULL, NULL);
}
