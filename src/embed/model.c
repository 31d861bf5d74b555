/* model.c - see model.h: opening, checking, looking up.  What the file says is believed only within its bounds. */
#include "embed/model.h"

#include <stdio.h>
#include <string.h>

#define NOT_MADE_BY_US "is not a model of Stele's: `stele model import` makes one"
#define DAMAGED "is damaged: make it anew with `stele model import`"

static uint64_t part_size(const st_model_header *h, st_model_part_kind kind) {
  switch (kind) {
    case ST_MODEL_ROWS: return (uint64_t)h->rows * st_model_stride(h->dimension);
    case ST_MODEL_TOKENS: return (uint64_t)h->tokens * sizeof(st_model_token);
    case ST_MODEL_SLOTS: return (uint64_t)h->slots * sizeof(st_model_slot);
    default: return h->part[kind].size; /* texts have any size */
  }
}

static bool parts_fit(const st_model_header *h) {
  for (int kind = 0; kind < ST_MODEL_PARTS; kind++) {
    const st_model_part *part = &h->part[kind];
    if (part->at < sizeof *h || part->at % ST_MODEL_ALIGN || part->at > h->size) return false;
    if (part->size > h->size - part->at || part->size != part_size(h, (st_model_part_kind)kind)) return false;
  }
  return true;
}

static bool numbers_fit(const st_model_header *h) {
  return h->dimension && h->dimension <= ST_MODEL_DIMENSION_MAX && h->tokens && h->tokens <= ST_MODEL_TOKENS_MAX &&
         h->rows && h->rows <= ST_MODEL_TOKENS_MAX && h->slots > h->tokens && (h->slots & (h->slots - 1)) == 0 &&
         h->flags <= ST_MODEL_FLAGS && !h->name[ST_MODEL_NAME_MAX];
}

/* The header, before anything in it is used. */
static bool header_is_good(const st_model_header *h, uint64_t size, const char *path, st_problem *problem) {
  if (size < sizeof *h || memcmp(h->magic, ST_MODEL_MAGIC, sizeof h->magic) != 0)
    return st_problem_say(problem, "%s " NOT_MADE_BY_US, path);
  if (h->endian != ST_MODEL_ENDIAN)
    return st_problem_say(problem, "%s is from a machine with another order of bytes: make it anew here, with `stele model import`", path);
  if (h->version != ST_MODEL_VERSION)
    return st_problem_say(problem, "%s is of version %u, this is a program for version %u: make it anew with `stele model import`",
                          path, h->version, ST_MODEL_VERSION);
  if (h->header_checksum != st_model_header_hash(h)) return st_problem_say(problem, "%s " DAMAGED, path);
  if (h->size != size)
    return st_problem_say(problem, "%s has %llu bytes and should have %llu: make it anew with `stele model import`", path,
                          (unsigned long long)size, (unsigned long long)h->size);
  if (!numbers_fit(h) || !parts_fit(h)) return st_problem_say(problem, "%s " DAMAGED, path);
  if (h->tokenizer != ST_MODEL_WORDS && h->tokenizer != ST_MODEL_WORDPIECE)
    return st_problem_say(problem, "%s has a tokenizer that this program does not know: %u", path, h->tokenizer);
  return true;
}

bool st_model_open(st_model *model, const char *path, st_problem *problem) {
  *model = (st_model){0};
  if (!st_mapped_open(&model->file, path, problem)) return false;
  const st_model_header *header = (const st_model_header *)model->file.bytes;
  if (!header_is_good(header, model->file.length, path, problem)) {
    st_mapped_close(&model->file);
    return false;
  }
  const char *start = model->file.bytes;
  model->header = header;
  model->rows = (const unsigned char *)start + header->part[ST_MODEL_ROWS].at;
  model->tokens = (const st_model_token *)(start + header->part[ST_MODEL_TOKENS].at);
  model->slots = (const st_model_slot *)(start + header->part[ST_MODEL_SLOTS].at);
  model->texts = start + header->part[ST_MODEL_TEXTS].at;
  model->stride = st_model_stride(header->dimension);
  return true;
}

void st_model_close(st_model *model) {
  st_mapped_close(&model->file);
  model->header = NULL;
}

bool st_model_check(const st_model *model, st_problem *problem) {
  const st_model_header *h = model->header;
  if (st_hash64(0, h + 1, h->size - sizeof *h) != h->checksum) return st_problem_say(problem, "the model " DAMAGED);
  return true;
}

size_t st_model_id(const st_model *model, char *out, size_t size) {
  return (size_t)snprintf(out, size, "%s@%08x", model->header->name, (unsigned)(model->header->checksum >> 32));
}

/* Is it the token with that text?  One that points outside its file is none. */
static bool is_token(const st_model *model, const st_model_token *token, const char *text, size_t length) {
  uint64_t room = model->header->part[ST_MODEL_TEXTS].size;
  return token->length == length && token->text <= room && length <= room - token->text &&
         token->row < model->header->rows && memcmp(model->texts + token->text, text, length) == 0;
}

const st_model_token *st_model_find(const st_model *model, const char *text, size_t length) {
  uint64_t hash = st_model_hash(text, length);
  uint32_t mask = model->header->slots - 1, tag = (uint32_t)(hash >> 32);
  for (uint32_t step = 0, at = (uint32_t)hash & mask; step <= mask; step++, at = (at + 1) & mask) {
    const st_model_slot *slot = &model->slots[at];
    if (!slot->token || slot->token > model->header->tokens) return NULL;
    const st_model_token *token = &model->tokens[slot->token - 1];
    if (slot->tag == tag && is_token(model, token, text, length)) return token;
  }
  return NULL;
}
