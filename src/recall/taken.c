/* taken.c - vectors that a file brings are taken into the store's collections.  See embedding.h.
**
** Stores whose format has a place for vectors tell by two private methods, file_vectors and forget_file_vectors, what of it is not in the
** collections yet, and what must leave them.  What is copied is not told again; what cannot be, is passed over. */
#include <string.h>

#include "base/vector.h"
#include "engine/feature.h"
#include "recall/embedding_page.h"
#include "registry_ids.h"
#include "search/meaning.h"
#include "search/sources.h"
#include "vector/code.h"

enum { LIMIT, SKIP };                         /* parameters of file_vectors */
enum { KIND, ID, MODEL, JSON, FLOATS, COLUMNS }; /* and its results */

typedef struct taking {
  st_value rows[ST_PAGE_ROWS][COLUMNS];
  int count;
  float numbers[ST_VECTOR_MAX];
  int64_t skipped, taken;
  int64_t strange; /* skipped, for they are of another model than the collection */
} taking;

static void read_page(st_call *part, int method, taking *t) {
  st_value args[] = {[LIMIT] = st_int(ST_PAGE_ROWS), [SKIP] = st_int(t->skipped)};
  st_rows rows;
  t->count = 0;
  st_rows_start(part, &rows, method, args);
  while (t->count < ST_PAGE_ROWS && st_rows_next(part, &rows)) st_rows_keep(part, &rows, t->rows[t->count++]);
  st_rows_end(part, &rows);
}

/* How many numbers were read; 0: it is no vector. */
static size_t read_numbers(const st_value *row, float *out) {
  size_t count = 0;
  if (row[JSON].type == ST_TEXT) {
    count = st_vector_parse(row[JSON].bytes, row[JSON].length, out);
  } else if (row[FLOATS].type == ST_BLOB && row[FLOATS].length % ST_VECTOR_BYTES == 0 && row[FLOATS].length <= ST_VECTOR_MAX * ST_VECTOR_BYTES) {
    count = row[FLOATS].length / ST_VECTOR_BYTES;
    st_vector_read(row[FLOATS].bytes, count, out);
  }
  return count && st_vector_directed(out, count) ? count : 0;
}

static bool is_strange(st_call *part, size_t dimension, const char *model) {
  const char *known = st_meaning_model(part, dimension);
  return known && known[0] && model[0] && strcmp(known, model) != 0;
}

static void take(st_call *part, const st_value *row, taking *t) {
  size_t dimension = read_numbers(row, t->numbers);
  st_embedding e = {.kind = row[KIND].bytes, .id = row[ID].bytes, .model = row[MODEL].type == ST_TEXT ? row[MODEL].bytes : "",
                    .vector = t->numbers, .dimension = dimension, .origin = ST_ORIGIN_FILE};
  bool strange = dimension && is_strange(part, dimension, e.model);
  if (!dimension || strange || !st_meaning_hash_of(part, e.kind, e.id, &e.text_hash)) {
    t->strange += strange;
    t->skipped++;
    return;
  }
  st_meaning_keep(part, &e);
  t->taken++;
}

static void take_page(st_call *part, taking *t) {
  st_call_begin(part, true);
  for (int i = 0; i < t->count && st_ok(part); i++) take(part, t->rows[i], t);
  st_call_end(part);
}

static void forget_gone(st_call *part) {
  const st_method *method = st_meaning_own(part, "forget_file_vectors");
  if (!st_feature_has(part, st_shared_feature(part, ST_TF_EMBEDDINGS))) return;
  st_call_begin(part, true);
  if (st_ok(part)) st_run(part, method->id, NULL);
  st_call_end(part);
}

int64_t st_embed_take(st_call *part) {
  const st_method *method = st_meaning_own(part, "file_vectors");
  st_arena arena, *own = part->arena;
  if (!st_ok(part) || !method || part->store->target.readonly || !st_documents_noted(part)) return 0;
  taking *t = st_call_alloc(part, sizeof *t);
  if (!t) return 0;
  *t = (taking){.count = 0};
  st_arena_init(&arena, ST_PAGE_MEMORY);
  part->arena = &arena; /* of one page */
  do {
    st_arena_reset(&arena);
    read_page(part, method->id, t);
    if (st_ok(part) && t->count) take_page(part, t);
  } while (st_ok(part) && t->count == ST_PAGE_ROWS);
  part->arena = own;
  st_arena_free(&arena);
  if (st_ok(part)) forget_gone(part);
  if (t->strange)
    st_note(part, "%lld vectors of the file are of another model than the embeddings of their length here, and were left out", (long long)t->strange);
  return st_ok(part) ? t->taken : 0;
}
