/* fuzz_embed.c - any bytes as what embedding reads: a model, tables of safetensors, a tokenizer, word vectors, the reply
** of an endpoint.  The first byte chooses which. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "embed/import.h"
#include "embed/model.h"
#include "embed/remote_reply.h"
#include "embed/safetensors.h"
#include "embed/tokenizer_json.h"
#include "fuzz/target.h"
#include "http/endpoint.h"

static const char TEXT[] = "Hello, parseHTTPHeader2 caf\xc3\xa9s \xe7\x8c\xab running the cat \xff";

/* A file with these bytes; the caller closes it. */
static int file_of(const void *bytes, size_t size, char path[64]) {
  int fd = memfd_create("fuzz", 0);
  if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) abort();
  snprintf(path, 64, "/proc/self/fd/%d", fd);
  return fd;
}

static void embed(const char *path) {
  st_problem problem = {{0}};
  st_model model;
  if (!st_model_open(&model, path, &problem)) return;
  size_t dimension = model.header->dimension;
  float *out = malloc(dimension * sizeof *out);
  if (!out) abort();
  st_model_check(&model, &problem);
  st_model_embed(&model, TEXT, sizeof TEXT - 1, out);
  for (size_t i = 0; i < dimension; i++)
    if (!isfinite(out[i])) abort();
  free(out);
  st_model_close(&model);
}

/* A header that names these bytes a model, so that what is behind the first checks is reached. */
static void fit_header(uint8_t *bytes, size_t size) {
  st_model_header header;
  if (size < sizeof header) return;
  memcpy(&header, bytes, sizeof header);
  memcpy(header.magic, ST_MODEL_MAGIC, sizeof header.magic);
  header.version = ST_MODEL_VERSION;
  header.endian = ST_MODEL_ENDIAN;
  header.size = size;
  header.header_checksum = st_model_header_hash(&header);
  memcpy(bytes, &header, sizeof header);
}

/* A good model. */
static const char *sample(size_t *size) {
  static const char vectors[] = "the 1 2 3\ncat 4 5 6\nhello 7 8 9\nheader -1 -2 -3\nparse 0 0 1\n";
  static st_text file;
  if (!file.bytes) {
    char from[64], to[64];
    st_problem problem = {{0}};
    st_imported imported;
    int fd = file_of(vectors, sizeof vectors - 1, from);
    snprintf(to, sizeof to, "/tmp/fuzz-embed-%ld.model", (long)getpid());
    if (!st_import_vectors(from, to, &(st_import_options){.name = "sample"}, &imported, &problem) || !st_mapped_open(&file, to, &problem)) abort();
    unlink(to);
    close(fd);
  }
  *size = file.length;
  return file.bytes;
}

/* That model with some bytes changed: two say where, one how. */
static void try_changed(const uint8_t *data, size_t size) {
  char path[64];
  size_t length;
  const char *good = sample(&length);
  uint8_t *copy = malloc(length);
  if (!copy) abort();
  memcpy(copy, good, length);
  for (size_t i = 0; i + 3 <= size; i += 3) copy[(size_t)(data[i] | data[i + 1] << 8) % length] ^= data[i + 2];
  fit_header(copy, length);
  int fd = file_of(copy, length, path);
  embed(path);
  close(fd);
  free(copy);
}

static void try_model(const uint8_t *data, size_t size) {
  char path[64];
  uint8_t *copy = malloc(size + 1);
  if (!copy) abort();
  memcpy(copy, data, size);
  fit_header(copy, size);
  int fd = file_of(copy, size, path);
  embed(path);
  close(fd);
  free(copy);
}

static volatile double number_read;

static void try_tensors(const uint8_t *data, size_t size) {
  st_problem problem = {{0}};
  st_tensor tensor;
  if (!st_tensor_find((st_text){(const char *)data, size}, "embeddings", &tensor, &problem)) return;
  for (size_t i = 0; i < tensor.rows * tensor.columns; i++) number_read = st_tensor_number(&tensor, i);
}

static void try_tokenizer(const uint8_t *data, size_t size) {
  st_problem problem = {{0}};
  st_tokenizer tokenizer;
  st_text token;
  int64_t number;
  if (st_tokenizer_begin(&tokenizer, (st_text){(const char *)data, size}, &problem))
    while (st_tokenizer_next(&tokenizer, &token, &number, &problem))
      if (number < 0) abort();
  st_tokenizer_end(&tokenizer);
}

static void try_vectors(const uint8_t *data, size_t size) {
  char from[64], to[64];
  st_problem problem = {{0}};
  st_imported imported;
  int fd = file_of(data, size, from);
  snprintf(to, sizeof to, "/tmp/fuzz-embed-%ld.model", (long)getpid());
  if (st_import_vectors(from, to, &(st_import_options){.name = "fuzz", .sif = ST_IMPORT_SIF, .component = true}, &imported, &problem)) {
    st_model model;
    if (!st_model_open(&model, to, &problem) || !st_model_check(&model, &problem)) abort();
    st_model_close(&model);
    embed(to);
    unlink(to);
  }
  close(fd);
}

static bool on_vector(void *to, size_t index, const float *numbers, size_t count) {
  (void)to;
  if (index >= 3 || !count) abort();
  for (size_t i = 0; i < count; i++)
    if (!isfinite(numbers[i])) abort();
  return true;
}

static void try_reply(const uint8_t *data, size_t size) {
  st_problem problem = {{0}};
  char said[50];
  st_text reply = {(const char *)data, size};
  if (!st_remote_read(reply, 3, on_vector, NULL, &problem) && !problem.text[0]) abort();
  st_endpoint_read_error(reply, said, sizeof said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const tries[])(const uint8_t *data, size_t size) = {try_model, try_changed, try_tensors, try_tokenizer, try_vectors, try_reply};
  if (size < 1) return 0;
  /* A copy of just this size, so that one byte too many is noticed. */
  uint8_t *bytes = malloc(size > 1 ? size - 1 : 1);
  if (!bytes) abort();
  memcpy(bytes, data + 1, size - 1);
  tries[data[0] % 6](bytes, size - 1);
  free(bytes);
  return 0;
}
