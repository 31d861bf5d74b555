/* sources.c - see sources.h. */
#include "search/sources.h"

#include <string.h>

#include "search/hash.h"
#include "base/number.h"
#include "engine/feature.h"
#include "registry_ids.h"

bool st_sources_numbered(const st_store *store) { return store->nsources > 0 && store->sources[0].numbered; }

static uint64_t mix(uint64_t mark, const char *text) { return (mark ^ st_hash(text, strlen(text))) * UINT64_C(0x100000001B3); }

uint64_t st_sources_mark(const st_store *store) {
  uint64_t mark = store->nsources;
  for (uint16_t i = 0; i < store->nsources; i++) {
    const st_statement *statement = &st_registry.methods[store->sources[i].page_method].statements[ST_SQLITE][0];
    mark = mix(mark, store->sources[i].kind);
    for (uint16_t at = 0; at < statement->npieces; at++) mark = mix(mark, statement->pieces[at].sql);
  }
  return mark;
}

const st_findable *st_source_find(const st_store *store, const char *kind) {
  for (uint16_t i = 0; i < store->nsources; i++)
    if (strcmp(store->sources[i].kind, kind) == 0) return &store->sources[i];
  return NULL;
}

bool st_source_is_there(const st_call *call, const st_findable *source) {
  return source->needs < 0 || st_feature_has(call, source->needs);
}

st_value st_source_key(const st_findable *source, const char *text, size_t length) {
  st_value key = {.type = ST_TEXT, .bytes = text, .length = length};
  if (!source->key_is_int) return key;
  key = st_int(0);
  return st_parse_int(text, length, &key.integer) ? key : (st_value){.type = ST_NULL};
}

bool st_documents_noted(const st_call *call) { return st_feature_has(call, st_shared_feature(call, ST_TF_DOCUMENTS)); }

/* What is not there yet, nobody searches for; but it may come at any time. */
static void note(st_call *call, const st_findable *source) {
  int features[] = {st_shared_feature(call, ST_TF_DOCUMENTS), source->noted};
  if (source->noted < 0 || st_feature_has(call, source->noted)) return;
  if (source->needs >= 0 && !st_feature_look(call, source->needs)) return;
  for (size_t i = 0; i < sizeof features / sizeof *features; i++)
    if (!st_feature_look(call, features[i])) st_feature_need(call, features[i]);
}

void st_documents_note(st_call *call) {
  const st_store *store = call->store->store;
  for (uint16_t i = 0; i < store->nsources && st_ok(call); i++) note(call, &store->sources[i]);
}
