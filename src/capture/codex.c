/* codex.c - what the reader of Codex transcripts remembers (codex.h).
**
** In the state it is one JSON object:
**   {"id","thread","model","cwd","started":n,"flags":n,"base":[…],"item":["hash",…],"event":[…],"calls":[["id","name"],…]} */
#include "capture/codex.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HAS_META = 1, HAS_PARENT = 2, HAS_BASE = 4, BASE_KNOWN = 8 };

/* ------------------------------------------------------------------------------------- state */

static void read_texts(st_codex *codex, st_codex_family family, st_text list) {
  for (st_pull walk = st_pull_into(list); st_pull_next(&walk) && codex->said[family].count < ST_CODEX_TEXTS;) {
    if (!st_pull_is_string(walk.value) || walk.value.length < 3) continue;
    uint64_t hash = strtoull(walk.value.bytes + 1, NULL, 16); /* ends at the closing quote */
    codex->said[family].texts[codex->said[family].count++] = hash;
  }
}

static void read_calls(st_tell *tell, st_codex *codex, st_text list) {
  for (st_pull walk = st_pull_into(list); st_pull_next(&walk) && codex->call_count < ST_CODEX_CALLS;) {
    st_pull pair = st_pull_into(walk.value);
    st_text id = st_pull_next(&pair) ? st_tell_text(tell, pair.value) : (st_text){0};
    st_text name = st_pull_next(&pair) ? st_tell_text(tell, pair.value) : (st_text){0};
    codex->calls[codex->call_count].id = id;
    codex->calls[codex->call_count++].name = name;
  }
}

void st_codex_remember(st_tell *tell, st_codex *codex) {
  *codex = (st_codex){0};
  st_str *kept = tell->source->state;
  if (!kept->length) return;
  /* A copy: the state may be written while its texts are in use. */
  st_text state = {st_arena_copy(tell->source->arena, kept->text, kept->length), kept->length};
  if (!state.bytes) {
    tell->stop = true;
    return;
  }
  st_text id = {0}, thread = {0}, model = {0}, cwd = {0}, started = {0}, flags = {0};
  st_text base = {0}, item = {0}, event = {0}, calls = {0};
  st_pull_pick(state, (st_pull_want[]){{"id", &id}, {"thread", &thread}, {"model", &model}, {"cwd", &cwd},
    {"started", &started}, {"flags", &flags}, {"base", &base}, {"item", &item}, {"event", &event}, {"calls", &calls}}, 10);
  codex->id = st_tell_text(tell, id);
  codex->thread = st_tell_text(tell, thread);
  codex->model = st_tell_text(tell, model);
  codex->cwd = st_tell_text(tell, cwd);
  codex->started = st_pull_real(started, 0);
  int64_t bits = st_pull_int(flags, 0);
  codex->has_meta = bits & HAS_META;
  codex->has_parent = bits & HAS_PARENT;
  codex->has_base = bits & HAS_BASE;
  codex->base_known = bits & BASE_KNOWN;
  size_t i = 0;
  for (st_pull walk = st_pull_into(base); i < 4 && st_pull_next(&walk);) codex->base[i++] = st_pull_int(walk.value, 0);
  read_texts(codex, ST_CODEX_ITEM, item);
  read_texts(codex, ST_CODEX_EVENT, event);
  read_calls(tell, codex, calls);
}

static void add_string(st_str *out, const char *name, st_text text) {
  st_str_addf(out, "%s\"%s\":", out->length > 1 ? "," : "", name);
  st_json_add_string(out, text.bytes ? text.bytes : "", text.length);
}

static void add_texts(st_str *out, const char *name, const st_codex *codex, st_codex_family family) {
  st_str_addf(out, ",\"%s\":[", name);
  for (size_t i = 0; i < codex->said[family].count; i++)
    st_str_addf(out, "%s\"%" PRIx64 "\"", i ? "," : "", codex->said[family].texts[i]);
  st_str_addc(out, ']');
}

void st_codex_keep(st_tell *tell, const st_codex *codex) {
  st_str *out = tell->source->state;
  if (!codex->changed || tell->stop) return;
  st_str_clear(out);
  st_str_addc(out, '{');
  add_string(out, "id", codex->id);
  add_string(out, "thread", codex->thread);
  add_string(out, "model", codex->model);
  add_string(out, "cwd", codex->cwd);
  st_str_addz(out, ",\"started\":");
  st_json_add_real(out, codex->started);
  st_str_addf(out, ",\"flags\":%d", (codex->has_meta ? HAS_META : 0) | (codex->has_parent ? HAS_PARENT : 0) |
    (codex->has_base ? HAS_BASE : 0) | (codex->base_known ? BASE_KNOWN : 0));
  st_str_addf(out, ",\"base\":[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "]", codex->base[0], codex->base[1],
    codex->base[2], codex->base[3]);
  add_texts(out, "item", codex, ST_CODEX_ITEM);
  add_texts(out, "event", codex, ST_CODEX_EVENT);
  st_str_addz(out, ",\"calls\":[");
  for (size_t i = 0; i < codex->call_count; i++) {
    st_str_addz(out, i ? ",[" : "[");
    st_json_add_string(out, codex->calls[i].id.bytes, codex->calls[i].id.length);
    st_str_addc(out, ',');
    st_json_add_string(out, codex->calls[i].name.bytes, codex->calls[i].name.length);
    st_str_addc(out, ']');
  }
  st_str_addz(out, "]}");
  if (out->failed) tell->stop = true;
}

/* ------------------------------------------------------------------------------------- twice */

#define HASH_START UINT64_C(0xcbf29ce484222325) /* FNV-1a */
#define HASH_PRIME UINT64_C(0x100000001b3)

/* Without white space: the families join the parts of a text differently. */
static uint64_t hashed(uint64_t hash, st_text text) {
  for (size_t i = 0; i < text.length; i++) {
    unsigned char c = (unsigned char)text.bytes[i];
    if (c == ' ' || (c >= '\t' && c <= '\r')) continue;
    hash = (hash ^ c) * HASH_PRIME;
  }
  return hash;
}

typedef struct hashes {
  uint64_t whole;
  uint64_t parts[ST_CODEX_TEXTS];
  size_t count;
} hashes;

static hashes hashes_of(st_tell *tell, char kind, st_text content) {
  hashes h = {.whole = hashed(HASH_START, (st_text){&kind, 1})};
  uint64_t start = h.whole;
  if (st_pull_is_string(content)) {
    h.whole = h.parts[h.count++] = hashed(start, st_tell_text(tell, content));
    return h;
  }
  for (st_pull walk = st_pull_into(content); st_pull_next(&walk);) {
    st_text value = st_pull_is_string(walk.value) ? walk.value : st_pull_get(walk.value, "text");
    st_text text = st_tell_text(tell, value);
    if (st_empty(text)) continue;
    h.whole = hashed(h.whole, text);
    if (h.count < ST_CODEX_TEXTS) h.parts[h.count++] = hashed(start, text);
  }
  return h;
}

static bool find(const st_codex *codex, st_codex_family family, uint64_t hash, size_t *place) {
  for (size_t i = 0; i < codex->said[family].count; i++) {
    if (codex->said[family].texts[i] != hash) continue;
    *place = i;
    return true;
  }
  return false;
}

static bool forget(st_codex *codex, st_codex_family family, uint64_t hash) {
  size_t place;
  if (!find(codex, family, hash, &place)) return false;
  uint64_t *texts = codex->said[family].texts;
  memmove(texts + place, texts + place + 1, (--codex->said[family].count - place) * sizeof *texts);
  return codex->changed = true;
}

static void note(st_codex *codex, st_codex_family family, uint64_t hash) {
  uint64_t *texts = codex->said[family].texts;
  if (codex->said[family].count == ST_CODEX_TEXTS)
    memmove(texts, texts + 1, --codex->said[family].count * sizeof *texts);
  texts[codex->said[family].count++] = hash;
  codex->changed = true;
}

bool st_codex_said(st_tell *tell, st_codex *codex, st_codex_family family, char kind, st_text content) {
  st_codex_family other = family == ST_CODEX_ITEM ? ST_CODEX_EVENT : ST_CODEX_ITEM;
  hashes h = hashes_of(tell, kind, content);
  size_t place, known = 0;
  for (size_t i = 0; i < h.count; i++) known += find(codex, other, h.parts[i], &place);
  bool all = h.count > 0 && known == h.count;
  bool whole = find(codex, other, h.whole, &place);
  if (!all && !whole) { /* the other may repeat it as a whole, or only one of its parts */
    if (h.count > 1) note(codex, family, h.whole);
    for (size_t i = 0; i < h.count; i++) note(codex, family, h.parts[i]);
    return false;
  }
  if (h.count > 1) forget(codex, other, h.whole); /* else it is the one part */
  for (size_t i = 0; i < h.count; i++) forget(codex, other, h.parts[i]);
  return true;
}

/* ------------------------------------------------------------------------------------- calls */

void st_codex_called(st_codex *codex, st_text id, st_text name) {
  if (codex->call_count == ST_CODEX_CALLS)
    memmove(codex->calls, codex->calls + 1, --codex->call_count * sizeof *codex->calls);
  codex->calls[codex->call_count].id = st_either(id, st_text_of(""));
  codex->calls[codex->call_count++].name = st_either(name, st_text_of(""));
  codex->changed = true;
}

st_text st_codex_answered(st_codex *codex, st_text id) {
  for (size_t i = 0; i < codex->call_count; i++) {
    if (!st_text_same(codex->calls[i].id, id)) continue;
    st_text name = codex->calls[i].name;
    memmove(codex->calls + i, codex->calls + i + 1, (--codex->call_count - i) * sizeof *codex->calls);
    codex->changed = true;
    return name;
  }
  return (st_text){0};
}
