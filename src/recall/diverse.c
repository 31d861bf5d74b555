/* diverse.c - see diverse.h. */
#include "recall/diverse.h"

#include <string.h>

#include "embed/handle.h"
#include "recall/passage.h"
#include "search/fuse.h"

#define DEPTH 100 /* the first so many are put in another order */

/* The vectors of the rows, one behind the other; NULL: the problem says why. */
static float *embed(st_call *call, st_embedder *embedder, const st_recalled *rows, int count, st_problem *why) {
  size_t dimension = st_embedder_dimension(embedder), room = (size_t)count + 1;
  float *vectors = st_call_alloc(call, (dimension * room + 1) * sizeof *vectors);
  const char **texts = st_call_alloc(call, room * sizeof *texts);
  size_t *lengths = st_call_alloc(call, room * sizeof *lengths);
  for (int i = 0; i < count && st_ok(call); i++) {
    st_passage passage = st_passage_of(call, &rows[i].document);
    texts[i] = passage.text;
    lengths[i] = passage.length;
  }
  if (!st_ok(call)) return NULL;
  return st_embed(embedder, texts, lengths, (size_t)count, vectors, why->text, sizeof why->text) ? vectors : NULL;
}

static void reorder(st_call *call, st_recalled_list *list, int count, const float *vectors, size_t dimension) {
  st_choice *choices = st_call_alloc(call, ((size_t)count + 1) * sizeof *choices);
  int *places = st_call_alloc(call, ((size_t)count + 1) * sizeof *places);
  st_recalled *rows = st_call_alloc(call, ((size_t)count + 1) * sizeof *rows);
  if (!st_ok(call)) return;
  for (int i = 0; i < count; i++)
    choices[i] = (st_choice){.relevance = list->rows[i].score / list->rows[0].score, .vector = vectors + (size_t)i * dimension};
  memcpy(rows, list->rows, (size_t)count * sizeof *rows);
  st_choose(choices, count, dimension, count, places);
  for (int i = 0; i < count; i++) list->rows[i] = rows[places[i]];
}

void st_diverse(st_asked_stores *asked, st_recalled_list *list) {
  st_call *call = asked->call;
  st_problem why = {.text = ""};
  int count = list->count < DEPTH ? list->count : DEPTH;
  st_embedder *embedder = count ? st_handle_embedder(call, &why) : NULL;
  if (!count) return;
  st_recalled_read(asked, list->rows, count);
  const float *vectors = embedder && st_ok(call) ? embed(call, embedder, list->rows, count, &why) : NULL;
  if (vectors) reorder(call, list, count, vectors, st_embedder_dimension(embedder));
  else if (st_ok(call)) st_note(call, "what is alike was not put apart: %s", why.text);
}
