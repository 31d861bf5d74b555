/* rowinfo.c - see rowinfo.h. */
#include "search/rowinfo.h"

typedef uint16_t short_length;
#define LONGER UINT16_MAX /* than can be said here */

static const st_packed_kind ROWS = ST_PACKED_KIND("stele_rows", st_rowinfo);
static const st_packed_kind LENGTHS = ST_PACKED_KIND("stele_lengths", short_length);

int st_rowinfos_refresh(st_rowinfos *infos, sqlite3 *db) {
  st_rowinfos_retry(infos);
  int code = st_packed_refresh(&infos->rows, &ROWS, db);
  return code == SQLITE_OK ? st_packed_refresh(&infos->lengths, &LENGTHS, db) : code;
}

void st_rowinfos_retry(st_rowinfos *infos) {
  infos->error = infos->rows.error = infos->lengths.error = SQLITE_OK;
}

static void note_error(st_rowinfos *infos, const st_packed *of) {
  if (infos->error == SQLITE_OK) infos->error = of->error;
}

const st_rowinfo *st_rowinfos_get(st_rowinfos *infos, int64_t id) {
  const st_rowinfo *row = st_packed_get(&infos->rows, &ROWS, id);
  note_error(infos, &infos->rows);
  return row && row->kind ? row : NULL;
}

uint32_t st_rowinfos_length(st_rowinfos *infos, int64_t id) {
  const short_length *length = st_packed_get(&infos->lengths, &LENGTHS, id);
  note_error(infos, &infos->lengths);
  if (!length || *length < LONGER) return length ? *length : 0;
  const st_rowinfo *row = st_rowinfos_get(infos, id);
  return row ? row->length : 0;
}

bool st_rowinfos_put(st_rowinfos *infos, int64_t id, const st_rowinfo *row) {
  st_rowinfo *place = st_packed_put(&infos->rows, &ROWS, id);
  short_length *length = place ? st_packed_put(&infos->lengths, &LENGTHS, id) : NULL;
  note_error(infos, &infos->rows);
  note_error(infos, &infos->lengths);
  if (!length) return false;
  *place = *row;
  *length = row->length < LONGER ? (short_length)row->length : LONGER;
  return true;
}

int64_t st_rowinfos_end(const st_rowinfos *infos) { return infos->rows.nblocks * st_packed_per_block(&ROWS); }

int st_rowinfos_save(st_rowinfos *infos) {
  int code = st_packed_save(&infos->rows, &ROWS);
  return code == SQLITE_OK ? st_packed_save(&infos->lengths, &LENGTHS) : code;
}

void st_rowinfos_free(st_rowinfos *infos) {
  st_packed_free(&infos->rows);
  st_packed_free(&infos->lengths);
  infos->error = SQLITE_OK;
}
