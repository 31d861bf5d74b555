/* common_phrase.c - see common_phrase.h. */
#include "search/common_phrase.h"

#include "search/vocabulary.h"

#define WINDOW 16384 /* bytes of places that are read at once */

int st_common_phrase_look(st_index *index, const st_term *term, bool *suited) {
  int code = SQLITE_OK;
  *suited = index->total_rows >= ST_PLACED_ROWS && !term->prefix;
  for (int i = 0; i < term->count && *suited; i++) {
    const st_query_token *token = &term->tokens[i];
    st_value name = st_textz(token->text);
    *suited = token->kind != ST_TOKEN_BOUNDARY && st_vocabulary_rows(index, token->text, token->length, &code) >= ST_PLACED_ROWS;
    if (!*suited) break;
    int64_t upto = st_common_ask(index, "SELECT upto FROM stele_common WHERE term = ?1 AND places IS NOT NULL", &name, &code);
    *suited = upto > 0 && upto + ST_COMMON_ROWS >= st_common_last_row(index, &code);
  }
  *suited = *suited && code == SQLITE_OK;
  return code;
}

/* ---- What is kept ---- */

typedef struct st_kept_places {
  st_more more; /* comes first */
  sqlite3_blob *blob;
  int at, code;
  unsigned char window[WINDOW];
} st_kept_places;

static bool read_places(st_more *more, unsigned char *to, size_t length) {
  st_kept_places *places = (st_kept_places *)more;
  places->code = sqlite3_blob_read(places->blob, to, (int)length, places->at);
  places->at += (int)length;
  return places->code == SQLITE_OK;
}

/* Begin to read a word, as it is kept. */
static int open_word(st_common_phrase *p, int i, st_kept_word *kept) {
  st_kept_places *places = &p->places[i];
  st_occurrences *of = &p->join.words[i].of;
  int code = st_kept_read(p->index, p->arena, p->term->tokens[i].text, false, kept);
  if (code == SQLITE_OK) code = sqlite3_blob_open(p->index->db, "main", "stele_common", "places", kept->rowid, 0, &places->blob);
  if (code != SQLITE_OK) return code;
  places->more = (st_more){.read = read_places, .left = (size_t)sqlite3_blob_bytes(places->blob), .window = places->window, .room = WINDOW};
  st_occurrences_start_bare(of, kept->packed.bytes, kept->packed.length, NULL, 0);
  st_occurrences_with_more(of, &places->more);
  p->join.words[i].offset = (uint32_t)i;
  return SQLITE_OK;
}

/* All words, up to where all are kept, and as they were when the first was. */
static int open_words(st_common_phrase *p, int64_t *upto) {
  int64_t rewritten = INT64_MAX;
  int code = SQLITE_OK;
  *upto = INT64_MAX;
  p->rows = p->index->total_rows;
  for (; p->opened < p->term->count && code == SQLITE_OK; p->opened++) {
    st_kept_word kept;
    code = open_word(p, p->opened, &kept);
    if (kept.upto < *upto) *upto = kept.upto;
    if (kept.rewritten < rewritten) rewritten = kept.rewritten;
    if (kept.rows < p->rows) p->rows = kept.rows;
  }
  return code == SQLITE_OK ? st_kept_stale(p->index, p->arena, *upto, rewritten, &p->stale) : code;
}

/* ---- The rest ---- */

/* What FTS5 knows of a word, packed as what is kept. */
static int pack_word(st_arena *arena, const st_loose *rest, st_join_word *word) {
  st_occurrences_writer out;
  const uint32_t *at = rest->places->at;
  st_occurrences_begin_bare(&out);
  for (size_t n = 0; n < rest->count; at += rest->all[n++].times)
    st_occurrences_add(&out, (st_occurrence){.number = rest->all[n].id, .times = rest->all[n].times}, at);
  const char *rows = st_arena_copy(arena, out.rows.text, out.rows.length), *places = st_arena_copy(arena, out.places.text, out.places.length);
  bool packed = !st_occurrences_failed(&out) && rows && places;
  if (packed) st_occurrences_start_bare(&word->of, rows, out.rows.length, places, out.places.length);
  st_occurrences_end(&out);
  return packed ? SQLITE_OK : SQLITE_NOMEM;
}

static int read_word(st_common_phrase *p, int i, int64_t upto, int64_t last, st_join_word *word) {
  st_term term = {.tokens = &p->term->tokens[i], .count = 1};
  st_spots places = {.arena = p->arena};
  st_loose rest = {.places = &places};
  *word = (st_join_word){.offset = (uint32_t)i};
  int code = st_kept_rest(p->index, &term, upto, &p->stale, last, &rest);
  if (code == SQLITE_OK) code = pack_word(p->arena, &rest, word);
  st_loose_free(&rest);
  return code;
}

static int join_rest(st_common_phrase *p, st_join *join) {
  bool read = true;
  for (int64_t id = st_join_seek(join, 0); id != ST_NO_ROW && read; id = st_join_seek(join, id + 1)) {
    uint32_t times = 0;
    read = st_join_times(join, &times) && (times == 0 || st_loose_add(&p->rest, (st_posting){id, times}));
  }
  return read ? SQLITE_OK : SQLITE_NOMEM;
}

static int read_rest(st_common_phrase *p, int64_t upto) {
  int code = SQLITE_OK;
  int64_t last = st_common_last_row(p->index, &code);
  if (code != SQLITE_OK || (last <= upto && p->stale.count == 0)) return code;
  st_join join;
  st_join_word *words = st_arena_alloc(p->arena, (size_t)p->term->count * sizeof *words);
  if (!words) return SQLITE_NOMEM;
  for (int i = 0; i < p->term->count && code == SQLITE_OK; i++) code = read_word(p, i, upto, last, &words[i]);
  st_join_start(&join, p->arena, words, (size_t)p->term->count);
  return code == SQLITE_OK ? join_rest(p, &join) : code;
}

/* ---- All together ---- */

int st_common_phrase_open(st_index *index, st_arena *arena, const st_term *term, st_common_phrase *p) {
  size_t count = (size_t)term->count;
  int64_t upto;
  *p = (st_common_phrase){.index = index, .arena = arena, .term = term};
  p->places = st_arena_zero(arena, count * sizeof *p->places);
  st_join_word *words = st_arena_zero(arena, count * sizeof *words);
  if (!p->places || !words) return SQLITE_NOMEM;
  st_join_start(&p->join, arena, words, count);
  int code = open_words(p, &upto);
  return code == SQLITE_OK ? read_rest(p, upto) : code;
}

static bool is_stale(st_common_phrase *p, int64_t id) {
  while (p->passed < p->stale.count && p->stale.ids[p->passed] < id) p->passed++;
  return p->passed < p->stale.count && p->stale.ids[p->passed] == id;
}

int64_t st_common_phrase_seek(st_common_phrase *p, int64_t from) {
  int64_t id = st_join_seek(&p->join, from);
  while (id != ST_NO_ROW && is_stale(p, id)) id = st_join_seek(&p->join, id + 1);
  return id;
}

int st_common_phrase_check(const st_common_phrase *p) {
  for (int i = 0; i < p->opened; i++)
    if (p->join.words[i].of.broken) return p->places[i].code != SQLITE_OK ? p->places[i].code : SQLITE_CORRUPT;
  return SQLITE_OK;
}

void st_common_phrase_close(st_common_phrase *p) {
  for (int i = 0; p->places && i < p->term->count; i++) sqlite3_blob_close(p->places[i].blob);
  st_loose_free(&p->rest);
}
