/* gather.c - see gather.h. */
#include "search/gather.h"

#include "search/fts5_api.h"

#define POINTER "stele_gather"

typedef struct gathering {
  st_loose *out;
  int code;
} gathering;

static int count_places(const Fts5ExtensionApi *api, Fts5Context *context, uint32_t *times, st_spots *places) {
  Fts5PhraseIter iter;
  int column, offset, code = api->xPhraseFirst(context, 0, &iter, &column, &offset);
  for (*times = 0; code == SQLITE_OK && column >= 0; ++*times) {
    if (places && !st_spots_add(places, (uint32_t)column * ST_PLACES_OF_COLUMN + (uint32_t)offset)) code = SQLITE_NOMEM;
    api->xPhraseNext(context, &iter, &column, &offset);
  }
  return code;
}

/* Called by FTS5 for every matching row; answers 0, so that the statement yields none. */
static void take_row(const Fts5ExtensionApi *api, Fts5Context *context, sqlite3_context *result, int count,
                     sqlite3_value **values) {
  gathering *g = count == 1 ? sqlite3_value_pointer(values[0], POINTER) : NULL;
  st_posting posting = {.id = api->xRowid(context)};
  sqlite3_result_int(result, 0);
  if (!g || g->code != SQLITE_OK) return;
  g->code = count_places(api, context, &posting.times, g->out->places);
  if (g->code == SQLITE_OK && posting.times > 0 && !st_loose_add(g->out, posting)) g->code = SQLITE_NOMEM;
}

int st_gather_register(sqlite3 *db) {
  fts5_api *api;
  int code = st_fts5_api(db, &api);
  return code == SQLITE_OK ? api->xCreateFunction(api, "stele_gather", NULL, take_row, NULL) : code;
}

static int gather(st_index *index, const char *sql, const st_term *term, int64_t id, st_loose *out) {
  st_query_node root = {.kind = ST_QUERY_TERM, .term = term};
  gathering g = {.out = out};
  sqlite3_stmt *stmt = NULL;
  st_str match;
  st_str_init(&match, 1 << 20);
  st_query_fts5(&(st_query){.root = &root}, &match);
  int code = match.failed ? SQLITE_NOMEM : sqlite3_prepare_v2(index->db, sql, -1, &stmt, NULL);
  if (code == SQLITE_OK) {
    sqlite3_bind_text(stmt, 1, match.text, (int)match.length, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 2, id);
    sqlite3_bind_pointer(stmt, 3, &g, POINTER, NULL);
    code = sqlite3_step(stmt) == SQLITE_ROW ? g.code : sqlite3_extended_errcode(index->db);
  }
  sqlite3_finalize(stmt);
  st_str_free(&match);
  return code;
}

int st_gather_above(st_index *index, const st_term *term, int64_t above, st_loose *out) {
  return gather(index, "SELECT count(*) FROM stele_text WHERE stele_text MATCH ?1 AND rowid > ?2 AND stele_gather(stele_text, ?3)",
                term, above, out);
}

int st_gather_row(st_index *index, const st_term *term, int64_t id, st_loose *out) {
  return gather(index, "SELECT count(*) FROM stele_text WHERE stele_text MATCH ?1 AND rowid = ?2 AND stele_gather(stele_text, ?3)",
                term, id, out);
}
