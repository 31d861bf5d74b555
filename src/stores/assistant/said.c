/* said.c - see said.h. */
#include "stores/assistant/said.h"

#include <string.h>

#include "base/utf8.h"
#include "registry_ids.h"
#include "search/meaning.h"

#define SNIPPET_CHARACTERS 200
#define TEXT_MAX (64u << 20)

const char *const st_sources[ST_SOURCES] = {"notes", "interactions", "read_later"};

const char *st_said_kind(const char *source) {
  static const char *const KINDS[ST_SOURCES] = {"note", "interaction", "article"};
  int at = 0;
  while (strcmp(st_sources[at], source) != 0) at++; /* other names were refused */
  return KINDS[at];
}

enum { PARAMS = ST_P_ASSISTANT_READ_TEXTS_LIMIT + 1, RESULTS = ST_R_ASSISTANT_READ_TEXTS_TEXT_HASH + 1 };

/* SQLite keeps in a column whatever another program puts there. */
static st_value sure_text(st_value value) { return value.type == ST_TEXT ? value : st_textz(""); }

static void take(const st_value *row, st_said *out) {
  out->id = sure_text(row[ST_R_ASSISTANT_READ_TEXTS_ID]);
  out->created_at = sure_text(row[ST_R_ASSISTANT_READ_TEXTS_CREATED_AT]);
  out->parts[ST_SAID_TITLE] = row[ST_R_ASSISTANT_READ_TEXTS_TITLE];
  out->parts[ST_SAID_BODY] = row[ST_R_ASSISTANT_READ_TEXTS_BODY];
  out->parts[2] = row[ST_R_ASSISTANT_READ_TEXTS_MORE];
  out->parts[3] = row[ST_R_ASSISTANT_READ_TEXTS_TAGS];
  out->model = row[ST_R_ASSISTANT_READ_TEXTS_MODEL];
  out->dimension = row[ST_R_ASSISTANT_READ_TEXTS_DIMENSION];
  out->vector = row[ST_R_ASSISTANT_READ_TEXTS_VECTOR];
  out->text_hash = row[ST_R_ASSISTANT_READ_TEXTS_TEXT_HASH];
}

void st_said_start(st_call *call, st_rows *rows, const st_said_which *which) {
  st_value args[PARAMS] = {{0}};
  args[ST_P_ASSISTANT_READ_TEXTS_SOURCE] = st_textz(which->source);
  args[ST_P_ASSISTANT_READ_TEXTS_KIND] = st_textz(st_said_kind(which->source));
  args[ST_P_ASSISTANT_READ_TEXTS_DIMENSION] = st_int(which->dimension);
  if (which->unembedded) args[ST_P_ASSISTANT_READ_TEXTS_UNEMBEDDED] = st_bool(true);
  if (which->kept) args[ST_P_ASSISTANT_READ_TEXTS_KEPT] = st_bool(true);
  if (which->limit) args[ST_P_ASSISTANT_READ_TEXTS_LIMIT] = st_int(which->limit);
  st_rows_stream(call, rows, STELE_M_ASSISTANT_READ_TEXTS, args);
}

void st_said_get(st_call *call, st_rows *rows, st_said *out) {
  st_value row[RESULTS];
  for (size_t i = 0; i < RESULTS; i++) st_rows_value(call, rows, i, &row[i]);
  take(row, out);
}

bool st_said_find(st_call *call, const char *source, const st_value *id, int64_t dimension, st_said *out) {
  st_value args[PARAMS] = {{0}}, row[RESULTS];
  args[ST_P_ASSISTANT_READ_TEXTS_SOURCE] = st_textz(source);
  args[ST_P_ASSISTANT_READ_TEXTS_KIND] = st_textz(st_said_kind(source));
  args[ST_P_ASSISTANT_READ_TEXTS_DIMENSION] = st_int(dimension);
  args[ST_P_ASSISTANT_READ_TEXTS_ID] = *id;
  if (!st_one(call, STELE_M_ASSISTANT_READ_TEXTS, args, row)) return false;
  take(row, out);
  return true;
}

static void join_from(const st_said *said, int first, st_str *out) {
  for (int i = first; i < ST_SAID_PARTS; i++) {
    if (said->parts[i].type != ST_TEXT || said->parts[i].length == 0) continue;
    if (out->length) st_str_addc(out, '\n');
    st_str_add(out, said->parts[i].bytes, said->parts[i].length);
  }
}

void st_said_join(const st_said *said, st_str *out) { join_from(said, ST_SAID_TITLE, out); }

int64_t st_said_hash(const st_said *said) { return (int64_t)st_meaning_hash(said->parts, ST_SAID_PARTS); }

bool st_said_is_embedded(const st_said *said) {
  return said->text_hash.type == ST_INT && said->text_hash.integer == st_said_hash(said);
}

st_value st_said_title(st_call *call, const char *source, const st_said *said) {
  static const char conversation[] = "Conversation ";
  enum { DAY = sizeof "2026-01-31" - 1 };
  if (strcmp(source, "interactions") != 0)
    return said->parts[ST_SAID_TITLE].type == ST_TEXT ? said->parts[ST_SAID_TITLE] : st_textz("");
  size_t day = said->created_at.length;
  char *title = st_call_alloc(call, sizeof conversation + DAY);
  if (!title) return st_textz(NULL);
  memcpy(title, conversation, sizeof conversation);
  memcpy(title + sizeof conversation - 1, said->created_at.bytes, day < DAY ? day : DAY);
  return st_textz(title);
}

st_value st_said_snippet(st_call *call, const st_said *said) {
  st_str text;
  st_str_init(&text, TEXT_MAX);
  join_from(said, ST_SAID_BODY, &text);
  if (text.failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  size_t length = text.length ? st_utf8_cut(text.text, text.length, SNIPPET_CHARACTERS) : 0;
  st_value snippet = {.type = ST_TEXT};
  snippet.bytes = st_call_copy(call, text.length ? text.text : "", length);
  snippet.length = length;
  st_str_free(&text);
  return snippet;
}
