/* trigrams_source.c - see trigrams.h.  Mostly later messages have later times.  So they are found by their numbers, the last
** ones first, until the spans (rowinfo.h) tell that none of the others can be newer than those that are wanted. */
#include <math.h>

#include "search/index_file.h"
#include "search/trigrams.h"

static void fail(st_trigrams_source *from, int code) {
  from->source.ended = true;
  if (code != SQLITE_OK) st_index_fail(from->reading->call, from->index, code);
}

static bool is_oldest_first(const st_trigrams_source *from) { return from->reading->order == ST_ORDER_OLDEST; }

static void set_beyond(st_trigrams_source *from, int64_t count) {
  bool oldest = is_oldest_first(from);
  double most = oldest ? INFINITY : -INFINITY;
  for (int64_t i = 0; i < count; i++) {
    int64_t number = oldest ? count - 1 - i : i;
    const st_span *span = st_rowinfos_span(&from->index->rows, number);
    if (span) most = oldest ? fmin(most, span->first) : fmax(most, span->last);
    from->beyond[number] = most;
  }
}

static void take(st_trigrams_source *from, int64_t id) {
  st_rowinfos *rows = &from->index->rows;
  if (id < from->end && st_allowed_row(from->allowed, rows, id)) st_reading_add(from->reading, id, st_rowinfos_time(rows, id));
  if (rows->error != SQLITE_OK) fail(from, rows->error);
}

/* The next one, by their numbers; false: there is none, or the call has failed. */
static bool next_of_runs(st_trigrams_source *from, int64_t *id) {
  int code = sqlite3_step(from->runs);
  if (code == SQLITE_ROW) *id = sqlite3_column_int64(from->runs, 0);
  else fail(from, code == SQLITE_DONE ? SQLITE_OK : sqlite3_extended_errcode(from->index->db));
  return code == SQLITE_ROW;
}

static bool next_of_ids(st_trigrams_source *from, int64_t *id) {
  int64_t count = from->ids.all ? st_rowinfos_end(&from->index->rows) : (int64_t)from->ids.count;
  from->source.ended = from->next == count;
  if (from->source.ended) return false;
  int64_t at = is_oldest_first(from) ? from->next : count - 1 - from->next;
  *id = from->ids.all ? at : from->ids.ids[at];
  from->next++;
  return true;
}

/* Up to the first one of another span. */
static void more(st_source *source) {
  st_trigrams_source *from = (st_trigrams_source *)source;
  int64_t id, end = st_rowinfos_end(&from->index->rows);
  while (!source->ended && (from->runs ? next_of_runs(from, &id) : next_of_ids(from, &id))) {
    take(from, id);
    if (id / ST_SPAN == from->span || id >= end) continue;
    from->span = id / ST_SPAN;
    source->beyond = from->beyond[from->span];
    return;
  }
}

static int prepare(st_trigrams_source *from, const char *runs) {
  const char *sql = is_oldest_first(from) ? "SELECT rowid FROM stele_trigram WHERE stele_trigram MATCH ?1 ORDER BY rowid"
                                          : "SELECT rowid FROM stele_trigram WHERE stele_trigram MATCH ?1 ORDER BY rowid DESC";
  int code = sqlite3_prepare_v2(from->index->db, sql, -1, &from->runs, NULL);
  return code == SQLITE_OK ? sqlite3_bind_text(from->runs, 1, runs, -1, SQLITE_STATIC) : code;
}

void st_trigrams_open(st_trigrams_source *from, st_reading *reading, st_index *index, const st_allowed *allowed, int64_t end,
                      const st_trigrams *found) {
  int64_t count = st_rowinfos_end(&index->rows) / ST_SPAN + 1;
  *from = (st_trigrams_source){
      .source = {.more = more}, .reading = reading, .index = index, .allowed = allowed, .end = end, .ids = found->ids, .span = -1};
  from->beyond = st_call_alloc(reading->call, (size_t)count * sizeof *from->beyond);
  from->source.beyond = is_oldest_first(from) ? -INFINITY : INFINITY;
  from->source.ended = !st_ok(reading->call);
  if (from->source.ended) return;
  set_beyond(from, count);
  int code = index->rows.error;
  if (code == SQLITE_OK && found->runs) code = prepare(from, found->runs);
  if (code != SQLITE_OK) fail(from, code);
}

void st_trigrams_close(st_trigrams_source *from) { sqlite3_finalize(from->runs); }
