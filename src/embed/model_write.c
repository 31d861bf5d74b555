/* model_write.c - see model_write.h. */
#include "embed/model_write.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"

#define BUFFER ((size_t)1 << 20)
#define TEXTS_MAX ((size_t)1 << 31)
#define SLOTS_FIRST 16u
#define LEVELS 127 /* of an int8, on either side of zero */

/* ---- The disk ---- */

static bool fail(st_model_writer *w) {
  return st_problem_say(w->problem, "%s: %s", w->path, strerror(errno));
}

static bool flush(st_model_writer *w) {
  size_t done = 0;
  while (done < w->buffered) {
    ssize_t wrote = write(w->fd, w->buffer + done, w->buffered - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return fail(w);
    done += (size_t)wrote;
  }
  w->buffered = 0;
  return true;
}

static bool put(st_model_writer *w, const void *bytes, size_t length) {
  const unsigned char *from = bytes;
  w->written += length;
  while (length) {
    size_t some = BUFFER - w->buffered < length ? BUFFER - w->buffered : length;
    memcpy(w->buffer + w->buffered, from, some);
    w->buffered += some;
    from += some;
    length -= some;
    if (w->buffered == BUFFER && !flush(w)) return false;
  }
  return true;
}

/* A part begins here. */
static bool begin_part(st_model_writer *w, st_model_part_kind kind) {
  static const unsigned char nothing[ST_MODEL_ALIGN];
  size_t over = w->written % ST_MODEL_ALIGN;
  bool good = put(w, nothing, over ? ST_MODEL_ALIGN - over : 0);
  w->header.part[kind].at = w->written;
  return good;
}

static bool put_part(st_model_writer *w, st_model_part_kind kind, const void *bytes, uint64_t length) {
  if (!begin_part(w, kind)) return false;
  w->header.part[kind].size = length;
  return put(w, bytes, length);
}

/* ---- Beginning ---- */

static void release(st_model_writer *w) {
  if (w->fd >= 0) close(w->fd);
  w->fd = -1;
  st_free(w->path);
  st_free(w->draft);
  st_free(w->buffer);
  st_free(w->tokens);
  st_free(w->slots);
  st_str_free(&w->texts);
}

/* A name beside it, to be made one that nobody has. */
static char *draft_of(const char *path) {
  st_str name;
  st_str_init(&name, 8192);
  st_str_addf(&name, "%s.XXXXXX", path);
  return st_str_take(&name);
}

static bool prepare(st_model_writer *w) {
  if (!w->path || !w->draft || !w->buffer || !w->slots) return st_problem_nomem(w->problem);
  w->fd = mkostemp(w->draft, O_CLOEXEC);
  if (w->fd < 0) return fail(w);
  return put(w, &w->header, sizeof w->header) && begin_part(w, ST_MODEL_ROWS); /* the header is filled in at the end */
}

bool st_model_write_begin(st_model_writer *w, const char *path, const char *name, size_t dimension,
                          st_model_tokenizer tokenizer, st_problem *problem) {
  *w = (st_model_writer){.problem = problem, .fd = -1};
  if (!dimension || dimension > ST_MODEL_DIMENSION_MAX)
    return st_problem_say(problem, "vectors of %zu numbers: a model has 1 to %u", dimension, ST_MODEL_DIMENSION_MAX);
  if (strlen(name) > ST_MODEL_NAME_MAX) return st_problem_say(problem, "the name of the model is longer than %d bytes", ST_MODEL_NAME_MAX);
  w->header = (st_model_header){.magic = {0},
                                .version = ST_MODEL_VERSION,
                                .endian = ST_MODEL_ENDIAN,
                                .dimension = (uint32_t)dimension,
                                .tokenizer = (uint32_t)tokenizer,
                                .slots = SLOTS_FIRST};
  memcpy(w->header.magic, ST_MODEL_MAGIC, sizeof w->header.magic);
  memcpy(w->header.name, name, strlen(name));
  st_str_init(&w->texts, TEXTS_MAX);
  w->path = st_strdup(path);
  w->draft = draft_of(path);
  w->buffer = st_alloc(BUFFER);
  w->slots = st_alloc_zero(SLOTS_FIRST * sizeof *w->slots);
  if (prepare(w)) return true;
  if (w->fd >= 0) unlink(w->draft);
  release(w);
  return false;
}

/* ---- Tokens ---- */

/* Where the token is, or would be. */
static st_model_slot *slot_of(const st_model_writer *w, uint64_t hash, const char *text, size_t length) {
  uint32_t mask = w->header.slots - 1, at = (uint32_t)hash & mask, tag = (uint32_t)(hash >> 32);
  for (;; at = (at + 1) & mask) {
    st_model_slot *slot = &w->slots[at];
    if (!slot->token) return slot;
    const st_model_token *token = &w->tokens[slot->token - 1];
    if (slot->tag == tag && token->length == length && memcmp(w->texts.text + token->text, text, length) == 0) return slot;
  }
}

/* Twice as many slots. */
static bool widen_slots(st_model_writer *w) {
  st_model_slot *wider = st_alloc_zero((size_t)w->header.slots * 2 * sizeof *wider);
  if (!wider) return st_problem_nomem(w->problem);
  st_free(w->slots);
  w->slots = wider;
  w->header.slots *= 2;
  for (uint32_t i = 0; i < w->header.tokens; i++) {
    const char *text = w->texts.text + w->tokens[i].text;
    uint64_t hash = st_model_hash(text, w->tokens[i].length);
    *slot_of(w, hash, text, w->tokens[i].length) = (st_model_slot){(uint32_t)(hash >> 32), i + 1};
  }
  return true;
}

static bool make_room(st_model_writer *w) {
  if (w->header.tokens == ST_MODEL_TOKENS_MAX) return st_problem_say(w->problem, "there are more than %u tokens", ST_MODEL_TOKENS_MAX);
  if ((uint64_t)w->header.tokens * 3 >= (uint64_t)w->header.slots * 2 && !widen_slots(w)) return false;
  if (w->header.tokens < w->token_room) return true;
  size_t room = w->token_room ? w->token_room * 2 : 1024;
  st_model_token *tokens = st_realloc(w->tokens, room * sizeof *tokens);
  if (!tokens) return st_problem_nomem(w->problem);
  w->tokens = tokens;
  w->token_room = room;
  return true;
}

bool st_model_write_token(st_model_writer *w, const char *text, size_t length, uint32_t row, float weight, bool *is_new) {
  *is_new = false;
  if (!length) return true; /* nothing is never looked for */
  if (!make_room(w)) return false;
  uint64_t hash = st_model_hash(text, length);
  st_model_slot *slot = slot_of(w, hash, text, length);
  *is_new = !slot->token;
  if (!*is_new) return true;
  w->tokens[w->header.tokens] = (st_model_token){(uint32_t)w->texts.length, (uint32_t)length, row, weight};
  st_str_add(&w->texts, text, length);
  if (w->texts.failed) return st_problem_nomem(w->problem);
  *slot = (st_model_slot){(uint32_t)(hash >> 32), ++w->header.tokens};
  if (length > w->header.token_max) w->header.token_max = (uint32_t)length;
  return true;
}

/* ---- Vectors ---- */

bool st_model_write_row(st_model_writer *w, const float *vector) {
  unsigned char row[ST_MODEL_DIMENSION_MAX + 2 * sizeof(float)] = {0};
  size_t dimension = w->header.dimension, stride = st_model_stride(dimension);
  float largest = 0;
  for (size_t i = 0; i < dimension; i++) largest = fabsf(vector[i]) > largest ? fabsf(vector[i]) : largest;
  float scale = largest / LEVELS;
  for (size_t i = 0; i < dimension; i++)
    row[i] = (unsigned char)(signed char)(scale > 0 ? lrintf(vector[i] / scale) : 0);
  memcpy(row + stride - sizeof scale, &scale, sizeof scale);
  w->header.rows++;
  return put(w, row, stride);
}

/* ---- Ending ---- */

/* The checksum of what was written, read back. */
static bool sum(st_model_writer *w) {
  const st_model_header *start = mmap(NULL, w->written, PROT_READ, MAP_SHARED, w->fd, 0);
  if (start == MAP_FAILED) return fail(w);
  w->header.size = w->written;
  w->header.checksum = st_hash64(0, start + 1, w->written - sizeof *start);
  w->header.header_checksum = st_model_header_hash(&w->header);
  munmap((void *)start, w->written);
  return true;
}

static bool finish(st_model_writer *w) {
  w->header.part[ST_MODEL_ROWS].size = (uint64_t)w->header.rows * st_model_stride(w->header.dimension);
  if (!w->header.tokens) return st_problem_say(w->problem, "it has no token that could be used");
  if (!put_part(w, ST_MODEL_TOKENS, w->tokens, w->header.tokens * sizeof *w->tokens) ||
      !put_part(w, ST_MODEL_SLOTS, w->slots, w->header.slots * sizeof *w->slots) ||
      !put_part(w, ST_MODEL_TEXTS, w->texts.text, w->texts.length) || !flush(w) || !sum(w))
    return false;
  if (pwrite(w->fd, &w->header, sizeof w->header, 0) != (ssize_t)sizeof w->header || fsync(w->fd) != 0 ||
      rename(w->draft, w->path) != 0)
    return fail(w);
  return true;
}

bool st_model_write_end(st_model_writer *w, bool wanted) {
  bool good = wanted && finish(w);
  if (!good) unlink(w->draft);
  release(w);
  return good;
}
