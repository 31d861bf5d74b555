/* test_embed_import.c - models of model2vec's form: the files they come in, damaged and hostile ones, and the tokens
** of WordPiece.
**
** Every token of the sample has a direction of its own, so that a vector tells which tokens a text was cut into. */
#include "embed/import.h"
#include "embed/model.h"
#include "embed/safetensors.h"
#include "embed/tokenizer_json.h"
#include "fail_alloc.h"
#include "home.h"

static const char *const TOKENS[] = {"[UNK]", "em", "##bed", "##ding", "hello", ",", "caf", "##e", "\xe7\x8c\xab", "##s", "x1", "\xd0\xb9\xd0\xb6"};
#define COUNT (sizeof TOKENS / sizeof *TOKENS)

#define BERT                                                                                                            \
  "\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":true,\"handle_chinese_chars\":true,\"strip_accents\":null," \
  "\"lowercase\":true},\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"}"

static void put(void **state, const char *name, const void *bytes, size_t length) {
  FILE *file = fopen(path_in(((home *)*state)->directory, name), "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static void put_tokenizer(void **state, const char *parts) {
  char text[4096] = "{", token[64];
  strcat(text, parts);
  strcat(text, ",\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"[UNK]\",\"continuing_subword_prefix\":\"##\","
               "\"max_input_chars_per_word\":12,\"vocab\":{");
  for (size_t i = 0; i < COUNT; i++) {
    snprintf(token, sizeof token, "%s\"%s\":%zu", i ? "," : "", TOKENS[i], i);
    strcat(text, token);
  }
  strcat(text, "}}}");
  put(state, "tokenizer.json", text, strlen(text));
}

static void put_tensors(void **state, const char *header, const void *data, size_t length) {
  char bytes[8192] = {0};
  size_t size = strlen(header);
  for (int i = 0; i < 8; i++) bytes[i] = (char)(size >> (8 * i));
  memcpy(bytes + 8, header, size);
  memcpy(bytes + 8 + size, data, length);
  put(state, "model.safetensors", bytes, 8 + size + length);
}

/* The i-th vector has a one in its i-th place. */
static void put_sample(void **state) {
  float table[COUNT][COUNT] = {{0}};
  char header[200];
  for (size_t i = 0; i < COUNT; i++) table[i][i] = 1;
  snprintf(header, sizeof header, "{\"embeddings\":{\"dtype\":\"F32\",\"shape\":[%zu,%zu],\"data_offsets\":[0,%zu]}}", COUNT, COUNT, sizeof table);
  put_tensors(state, header, table, sizeof table);
  put_tokenizer(state, BERT);
}

static bool import(void **state, st_problem *problem) {
  const char *directory = ((home *)*state)->directory;
  st_imported imported;
  *problem = (st_problem){0};
  return st_import(directory, path_in(directory, "a.model"), &(st_import_options){.name = "m2v"}, &imported, problem);
}

static st_model open_import(void **state) {
  st_problem problem;
  st_model model = {0};
  if (!import(state, &problem) || !st_model_open(&model, path_in(((home *)*state)->directory, "a.model"), &problem)) fail_msg("%s", problem.text);
  return model;
}

/* The tokens of a text, in the order of the vocabulary. */
static const char *tokens_of(const st_model *model, const char *text, size_t length) {
  static char out[400];
  float v[COUNT];
  st_model_embed(model, text, length, v);
  out[0] = '\0';
  for (size_t i = 0; i < COUNT; i++) {
    if (v[i] == 0) continue;
    strcat(out, out[0] ? " " : "");
    strcat(out, TOKENS[i]);
  }
  return out;
}

static void words_are_cut_into_pieces(void **state) {
  static const struct {
    const char *text, *tokens;
  } cases[] = {
      {"embedding", "em ##bed ##ding"},
      {"Embedding, HELLO!", "em ##bed ##ding hello ,"},
      {"hello hellos", "hello ##s"},
      {"Caf\xc3\xa9s", "caf ##e ##s"},
      {"cafe\xcc\x81", "caf ##e"},
      {"unknown embedings", ""},
      {"em bed", "em"},
      {"\xe7\x8c\xab\xe7\x8c\xab", "\xe7\x8c\xab"},
      {"a\xe7\x8c\xab" "hello", "hello \xe7\x8c\xab"},
      {"hel\x01lo", "hello"},
      {"hel\xe2\x80\x8blo", "hello"},
      {"hello\xc2\xa0" "em", "em hello"},
      {"hello\tem\nx1", "em hello x1"},
      {"x_1 x-1", ""},
      {"emembembed", ""},
      {"embeddingssss", ""}, /* of 13 characters */
      {"\xd0\x99\xd0\x96", ""}, /* its accent goes, too, and then it is not known */
      {"\xff\xfehello", "hello"},
      {"", ""},
  };
  put_sample(state);
  st_model model = open_import(state);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *got = tokens_of(&model, cases[i].text, strlen(cases[i].text));
    if (strcmp(got, cases[i].tokens) != 0) fail_msg("%s: not %s but %s", cases[i].text, cases[i].tokens, got);
  }
  assert_string_equal(tokens_of(&model, "hel\0lo", 6), "hello");
  st_model_close(&model);
}

static void the_normalizer_is_what_the_file_says(void **state) {
  put_sample(state);
  put_tokenizer(state, "\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":false,\"handle_chinese_chars\":false,"
                       "\"strip_accents\":false,\"lowercase\":false},\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"}");
  st_model model = open_import(state);
  assert_string_equal(tokens_of(&model, "Hello hello", 11), "hello");
  assert_string_equal(tokens_of(&model, "caf\xc3\xa9", 5), "");
  assert_string_equal(tokens_of(&model, "\xe7\x8c\xab\xe7\x8c\xab", 6), "");
  assert_string_equal(tokens_of(&model, "\xd0\xb9\xd0\xb6", 4), "\xd0\xb9\xd0\xb6");
  st_model_close(&model);
}

static void weights_and_mapping_count(void **state) {
  unsigned char data[2 * 2 * 2 + COUNT * 8 + COUNT * 4] = {0};
  static const uint16_t halves[] = {0x3C00, 0, 0, 0xC000}; /* 1, 0; 0, -2 */
  double weights[COUNT];
  int32_t mapping[COUNT];
  float v[2];
  char header[500];
  for (size_t i = 0; i < COUNT; i++) {
    weights[i] = i == 1 ? 0.25 : 1;
    mapping[i] = i == 4;
  }
  memcpy(data, halves, sizeof halves);
  memcpy(data + 8, weights, sizeof weights);
  memcpy(data + 8 + sizeof weights, mapping, sizeof mapping);
  snprintf(header, sizeof header,
           " {\"__metadata__\":{\"a\":\"b\"},\"embeddings\":{\"dtype\":\"F16\",\"shape\":[2,2],\"data_offsets\":[0,8]},"
           "\"weights\":{\"dtype\":\"F64\",\"shape\":[%zu],\"data_offsets\":[8,%zu]},"
           "\"mapping\":{\"dtype\":\"I32\",\"shape\":[%zu],\"data_offsets\":[%zu,%zu]}}",
           COUNT, 8 + sizeof weights, COUNT, 8 + sizeof weights, sizeof data);
  put_tensors(state, header + 1, data, sizeof data);
  put_tokenizer(state, BERT);
  st_model model = open_import(state);
  st_model_embed(&model, "hello em x1", 11, v); /* 1.25 to the east, 2 to the south */
  assert_true(v[0] > 0.52f && v[0] < 0.54f && v[1] < -0.84f && v[1] > -0.86f);
  st_model_close(&model);
}

static void other_tokenizers_are_refused_by_name(void **state) {
  static const struct {
    const char *json, *problem;
  } cases[] = {
      {"", "tokenizer.json: it is not JSON"},
      {"{", "tokenizer.json: it is not JSON"},
      {"[]", "the tokenizer has the model none: only WordPiece is known here"},
      {"{\"model\":{\"type\":\"Unigram\",\"vocab\":[[\"a\",-1.5]]}}", "the tokenizer has the model \"Unigram\": only WordPiece"},
      {"{\"model\":{\"type\":\"BPE\",\"vocab\":{}}}", "the tokenizer has the model \"BPE\": only WordPiece"},
      {"{\"model\":{\"type\":\"WordPiece\",\"vocab\":{}}}", "the tokenizer has the normalizer none: only BertNormalizer"},
      {"{\"model\":{\"type\":\"WordPiece\",\"vocab\":[]}," BERT "}", "the tokenizer has no vocabulary"},
      {"{\"model\":{\"type\":\"WordPiece\",\"vocab\":{}}," BERT "}", "it has no token that could be used"},
      {"{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"a\":-1}}," BERT "}", "a token of the vocabulary has no number"},
      {"{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"a\":\"0\"}}," BERT "}", "a token of the vocabulary has no number"},
      {"{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"a\":99}}," BERT "}", "token 99 has no vector"},
      {"{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"a\":9223372036854775807}}," BERT "}", "has no vector"},
      {"{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"a\":1},\"continuing_subword_prefix\":\"@@\"}," BERT "}", "something else than ##"},
      {"{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"a\":1},\"max_input_chars_per_word\":100000}," BERT "}", "words of 100000 characters"},
      {"{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"a\":1}},\"normalizer\":{\"type\":\"BertNormalizer\"},\"pre_tokenizer\":{\"type\":\"Metaspace\"}}",
       "the tokenizer has the pre_tokenizer \"Metaspace\": only BertPreTokenizer"},
  };
  put_sample(state);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    st_problem problem;
    put(state, "tokenizer.json", cases[i].json, strlen(cases[i].json));
    assert_false(import(state, &problem));
    if (!strstr(problem.text, cases[i].problem)) fail_msg("%zu: %s", i, problem.text);
  }
}

static void wrong_tensors_are_refused(void **state) {
#define TABLE(type, shape, offsets) "{\"embeddings\":{\"dtype\":\"" type "\",\"shape\":" shape ",\"data_offsets\":" offsets "}}"
  static const struct {
    const char *header, *problem;
  } cases[] = {
      {"", "it is not a file of safetensors"},
      {"[]", "it is not a file of safetensors"},
      {"{\"embeddings\":", "it is not a file of safetensors"},
      {"{}", "has no embeddings"},
      {"{\"embeddings\":7}", "numbers of a type that is not known here"},
      {TABLE("F8_E4M3", "[2,2]", "[0,4]"), "numbers of a type that is not known here"},
      {TABLE("F32", "[2,2,1]", "[0,16]"), "neither a list nor a table"},
      {TABLE("F32", "[]", "[0,4]"), "neither a list nor a table"},
      {TABLE("F32", "[-1,2]", "[0,16]"), "neither a list nor a table"},
      {TABLE("F32", "[2,2]", "[0,17]"), "lies outside of the file"},
      {TABLE("F32", "[2,2]", "[8,4]"), "lies outside of the file"},
      {TABLE("F32", "[2,2]", "[0]"), "lies outside of the file"},
      {TABLE("F32", "[2,2]", "[0,9223372036854775807]"), "lies outside of the file"},
      {TABLE("F32", "[2,3]", "[0,16]"), "not as large as its shape says"},
      {TABLE("F32", "[0,2]", "[0,0]"), "not as large as its shape says"},
      {TABLE("F32", "[4611686018427387904,4]", "[0,16]"), "not as large as its shape says"},
      {TABLE("F32", "[2,2]", "[0,16]"), "has no vector"},
      {TABLE("F32", "[1,4]", "[0,16]"), "has no vector"},
  };
  static const unsigned char data[16];
  put_tokenizer(state, BERT);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    st_problem problem;
    put_tensors(state, cases[i].header, data, sizeof data);
    assert_false(import(state, &problem));
    if (!strstr(problem.text, cases[i].problem)) fail_msg("%zu: %s", i, problem.text);
  }
}

/* The length of the header is a lie. */
static void lengths_are_not_believed(void **state) {
  static const unsigned char lengths[][8] = {{255, 255, 255, 255, 255, 255, 255, 255}, {248, 255, 255, 255, 255, 255, 255, 127}, {9, 0, 0, 0, 0, 0, 0, 0}};
  put_tokenizer(state, BERT);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    unsigned char bytes[16] = {0};
    st_problem problem;
    memcpy(bytes, lengths[i], 8);
    for (size_t size = 0; size <= sizeof bytes; size++) {
      put(state, "model.safetensors", bytes, size);
      assert_false(import(state, &problem));
      assert_non_null(strstr(problem.text, "model.safetensors: it is not a file of safetensors"));
    }
  }
}

static void numbers_must_be_finite(void **state) {
  float table[COUNT][1] = {{0}};
  char header[200];
  st_problem problem;
  table[3][0] = (float)(0.0 / 0.0);
  snprintf(header, sizeof header, TABLE("F32", "[%zu,1]", "[0,%zu]"), COUNT, sizeof table);
  put_tensors(state, header, table, sizeof table);
  put_tokenizer(state, BERT);
  assert_false(import(state, &problem));
  assert_string_equal(problem.text, "embedding 3 has a number that is not finite");
}

static void every_type_is_read(void **state) {
  (void)state;
  static const struct {
    st_tensor_type type;
    unsigned char bytes[8];
    double value;
  } cases[] = {
      {ST_TENSOR_F32, {0, 0, 0xC0, 0xBF}, -1.5}, {ST_TENSOR_F64, {0, 0, 0, 0, 0, 0, 0xF8, 0x3F}, 1.5},
      {ST_TENSOR_F16, {0x00, 0xBE}, -1.5},       {ST_TENSOR_F16, {0x01, 0x00}, 1.0 / (1 << 24)},
      {ST_TENSOR_F16, {0xFF, 0x7B}, 65504},      {ST_TENSOR_BF16, {0xC0, 0x3F}, 1.5},
      {ST_TENSOR_I8, {0xFF}, -1},                {ST_TENSOR_I32, {0xFE, 0xFF, 0xFF, 0xFF}, -2},
      {ST_TENSOR_I64, {0, 0, 0, 0, 1}, 4294967296.0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_true(st_tensor_number(&(st_tensor){cases[i].type, 1, 1, cases[i].bytes}, 0) == cases[i].value);
}

static void a_part_may_be_missing(void **state) {
  st_problem problem;
  assert_false(import(state, &problem));
  assert_non_null(strstr(problem.text, "/model.safetensors: No such file or directory"));
  put_sample(state);
  assert_int_equal(remove(path_in(((home *)*state)->directory, "tokenizer.json")), 0);
  assert_false(import(state, &problem));
  assert_non_null(strstr(problem.text, "/tokenizer.json: No such file or directory"));
}

static void memory_may_run_out(void **state) {
  bool reached = true;
  put_sample(state);
  for (int n = 1; reached; n++) {
    st_problem problem;
    fail_alloc_nth(n);
    bool good = import(state, &problem);
    reached = fail_alloc_end();
    assert_true(good != reached);
    if (!good) assert_string_equal(problem.text, "out of memory");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      home_test(words_are_cut_into_pieces),      home_test(the_normalizer_is_what_the_file_says),
      home_test(weights_and_mapping_count),      home_test(other_tokenizers_are_refused_by_name),
      home_test(wrong_tensors_are_refused),      home_test(lengths_are_not_believed),
      home_test(numbers_must_be_finite),         home_test(a_part_may_be_missing),
      home_test(memory_may_run_out),             cmocka_unit_test(every_type_is_read),
  };
  return cmocka_run_group_tests_name("embed_import", tests, NULL, NULL);
}
