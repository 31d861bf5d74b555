/* common_keep.c - common.h, where the postings of a word are written. */
#include "search/common_kept.h"
#include "search/index_file.h"

#define PREFIXES_MAX 100            /* that are kept: there are as many as people think of */
#define TIMES_MOST UINT64_C(180000000) /* a value in SQLite has at most a thousand million bytes, a place at most five */

/* ---- Packing ---- */

/* Rows one by one, and the places of each: those that are kept stand in the same order as the loose ones. */
typedef struct packing {
  const st_common *common;
  st_postings rows;
  st_occurrences kept;
  st_spots at;          /* of a kept row */
  size_t loose, places; /* how many of them have passed */
} packing;

/* NULL: there are none, or no memory. */
static const uint32_t *places_of(packing *p, const st_posting *row) {
  const st_loose *loose = &p->common->loose;
  if (p->loose < loose->count && loose->all[p->loose].id == row->id) {
    const uint32_t *at = loose->places->at + p->places;
    p->places += row->times;
    p->loose++;
    return at;
  }
  p->at.count = 0;
  st_occurrences_seek(&p->kept, row->id);
  return st_spots_read(&p->at, &p->kept) && p->at.count == row->times ? p->at.at : NULL;
}

/* Without the rows that are gone, which their lengths tell. */
static int pack(st_index *index, st_arena *arena, const st_common *common, st_occurrences_writer *out) {
  packing p = {.common = common, .rows = common->postings, .at.arena = arena};
  const st_occurrences *kept = &common->postings.packed;
  const unsigned char *first = common->postings.packed_first;
  st_occurrences_start_bare(&p.kept, first, first ? (size_t)(kept->rows.end - first) : 0, common->kept_places.bytes, common->kept_places.length);
  for (int64_t id = st_postings_seek(&p.rows, 0); id != ST_NO_ROW && out->times < TIMES_MOST; id = st_postings_seek(&p.rows, id + 1)) {
    const uint32_t *places = common->loose.places ? places_of(&p, &p.rows.now) : NULL;
    if (common->loose.places && !places) return p.kept.broken ? SQLITE_CORRUPT : SQLITE_NOMEM;
    if (st_rowinfos_length(&index->rows, id) > 0) st_occurrences_add(out, (st_occurrence){.number = id, .times = p.rows.now.times}, places);
  }
  if (p.rows.broken) return SQLITE_CORRUPT;
  return st_occurrences_failed(out) ? SQLITE_NOMEM : index->rows.error;
}

/* ---- Keeping ---- */

/* Notes that came after the postings were read are there still: only then they may be kept. */
static bool is_noted_since(st_index *index, int64_t number, int *code) {
  st_value behind = st_int(number);
  int64_t notes = st_common_ask(index, "SELECT COUNT(*) FROM stele_rewritten WHERE number > ?1", &behind, code);
  return st_common_last_note(index, code) - number == notes && notes <= ST_REWRITTEN_MAX;
}

static bool has_room_for(st_index *index, const st_term *term, int *code) {
  return !term->prefix || st_common_ask(index, "SELECT COUNT(*) FROM stele_common WHERE term LIKE '% *'", NULL, code) < PREFIXES_MAX;
}

static int write_kept(st_index *index, const char *name, const st_common *common, const st_occurrences_writer *packed) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(index->db, "INSERT OR REPLACE INTO stele_common (term, upto, rewritten, rows, packed, places) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                                -1, &stmt, NULL);
  if (code == SQLITE_OK) {
    sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 2, common->upto);
    sqlite3_bind_int64(stmt, 3, common->rewritten);
    sqlite3_bind_int64(stmt, 4, packed->count);
    sqlite3_bind_blob64(stmt, 5, packed->rows.text, packed->rows.length, SQLITE_STATIC);
    if (packed->places.length && packed->count >= ST_PLACED_ROWS)
      sqlite3_bind_blob64(stmt, 6, packed->places.text, packed->places.length, SQLITE_STATIC);
    code = sqlite3_step(stmt) == SQLITE_DONE ? SQLITE_OK : sqlite3_extended_errcode(index->db);
  }
  sqlite3_finalize(stmt);
  return code;
}

static int keep(st_index *index, const st_term *term, const st_common *common, const st_occurrences_writer *packed) {
  char name[ST_COMMON_NAME_MAX];
  if (!st_term_name(term, name, sizeof name) || packed->count < ST_COMMON_ROWS || packed->times >= TIMES_MOST) return SQLITE_OK;
  int code = st_index_script(index, "BEGIN IMMEDIATE");
  if (code != SQLITE_OK) return code;
  bool may = is_noted_since(index, common->rewritten, &code) && has_room_for(index, term, &code);
  if (code == SQLITE_OK && may) code = write_kept(index, name, common, packed);
  int ended = st_index_script(index, code == SQLITE_OK ? "COMMIT" : "ROLLBACK");
  return code == SQLITE_OK ? ended : code;
}

/* Of what another process has indexed since these were read their lengths tell nothing: it would be taken for gone. */
int st_common_keep(st_index *index, st_arena *arena, const st_term *term, const st_common *common) {
  st_occurrences_writer packed;
  if (!st_index_is_seen(index)) return SQLITE_OK;
  st_occurrences_begin_bare(&packed);
  int code = pack(index, arena, common, &packed);
  if (code == SQLITE_OK) code = keep(index, term, common, &packed);
  st_occurrences_end(&packed);
  return code;
}
