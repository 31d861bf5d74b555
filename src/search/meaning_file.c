/* meaning_file.c - the files of codes that a store has, one for each dimension.  See meaning_parts.h. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "search/index_file.h"
#include "search/meaning_parts.h"
#include "search/sources.h"
#include "vector/codes.h"

/* Those that are open, of one store. */
typedef struct shelf shelf;
struct shelf {
  shelf *next;
  st_codes *codes;
};

static void close_all(void *codes) {
  for (shelf *each = codes, *next; each; each = next) {
    next = each->next;
    st_codes_close(each->codes);
    st_free(each);
  }
}

/* What the numbers of documents mean: an index that was made anew gives others.  False: they do not last. */
static bool mark_documents(st_call *call, const st_within *within, uint64_t *mark) {
  char identity[64];
  *mark = 0;
  if (st_sources_numbered(call->store->store)) return true;
  if (!within->index || strcmp(within->index->path, ":memory:") == 0) return false;
  int code = st_index_get(within->index, "identity", identity, sizeof identity);
  if (code != SQLITE_OK) st_index_fail(call, within->index, code);
  *mark = st_hash64(0, identity, strlen(identity));
  return st_ok(call);
}

static bool is_same(const st_codes_kind *a, const st_codes_kind *b) {
  return a->dimension == b->dimension && a->model == b->model && a->documents == b->documents;
}

/* Beside the store: STORE.codes.DIMENSION. */
static void path_of(const char *location, size_t dimension, char out[4200]) {
  size_t length = strlen(location);
  if (length > 3 && strcmp(location + length - 3, ".db") == 0) length -= 3;
  snprintf(out, 4200, "%.*s.codes.%zu", (int)(length < 4096 ? length : 4096), location, dimension);
}

/* The place of the open codes of a dimension, or of the end of the list. */
static shelf **find_open(st_opened *opened, size_t dimension) {
  shelf **at = (shelf **)&opened->codes;
  while (*at && st_codes_kind_of((*at)->codes)->dimension != dimension) at = &(*at)->next;
  return at;
}

static st_codes *open_codes(st_call *call, const st_codes_kind *kind) {
  char path[4200];
  shelf *made = st_alloc_zero(sizeof *made);
  path_of(call->store->location, kind->dimension, path);
  st_codes_result result = made ? st_codes_open(path, kind, &made->codes) : ST_CODES_NOMEM;
  if (result == ST_CODES_NOMEM) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (result != ST_CODES_OK) {
    st_free(made);
    return NULL;
  }
  made->next = call->store->codes;
  call->store->codes = made;
  call->store->close_codes = close_all;
  return made->codes;
}

st_codes *st_meaning_codes(st_call *call, const st_within *within, size_t dimension, const char *model) {
  st_codes_kind kind = {.dimension = dimension, .model = st_hash64(0, model, strlen(model))};
  if (strcmp(call->store->location, ":memory:") == 0 || !mark_documents(call, within, &kind.documents)) return NULL;
  shelf **at = find_open(call->store, dimension), *open = *at;
  if (open && is_same(st_codes_kind_of(open->codes), &kind) && st_codes_refresh(open->codes) == ST_CODES_OK) return open->codes;
  if (open) {
    *at = open->next;
    st_codes_close(open->codes);
    st_free(open);
  }
  return open_codes(call, &kind);
}
