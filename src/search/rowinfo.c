/* rowinfo.c - see rowinfo.h. */
#include "search/rowinfo.h"

#include <math.h>

typedef uint16_t short_length;
#define LONGER ST_LENGTH_LONGER

static const st_packed_kind TIMES = ST_PACKED_KIND("stele_times", double);
static const st_packed_kind SESSIONS = ST_PACKED_KIND("stele_session_of", uint32_t);
static const st_packed_kind PROJECTS = ST_PACKED_KIND("stele_project_of", uint32_t);
static const st_packed_kind KINDS = ST_PACKED_KIND("stele_kinds", st_kind);
static const st_packed_kind LENGTHS = ST_PACKED_KIND("stele_lengths", short_length);
static const st_packed_kind LONGS = ST_PACKED_KIND("stele_long", uint32_t);
static const st_packed_kind SPANS = ST_PACKED_KIND("stele_spans", st_span);

enum { ARRAYS = 7 };

/* An array and what it is. */
typedef struct array {
  st_packed *packed;
  const st_packed_kind *kind;
} array;

static void list_arrays(st_rowinfos *infos, array out[ARRAYS]) {
  const array all[ARRAYS] = {{&infos->times, &TIMES},     {&infos->sessions, &SESSIONS}, {&infos->projects, &PROJECTS}, {&infos->kinds, &KINDS},
                             {&infos->lengths, &LENGTHS}, {&infos->longs, &LONGS},       {&infos->spans, &SPANS}};
  for (int i = 0; i < ARRAYS; i++) out[i] = all[i];
}

int st_rowinfos_refresh(st_rowinfos *infos, sqlite3 *db, int64_t last) {
  array all[ARRAYS];
  int code = SQLITE_OK;
  list_arrays(infos, all);
  st_rowinfos_retry(infos);
  for (int i = 0; i < ARRAYS && code == SQLITE_OK; i++)
    code = st_packed_refresh(all[i].packed, all[i].kind, db, all[i].kind == &SPANS ? last / ST_SPAN : last);
  return code;
}

void st_rowinfos_retry(st_rowinfos *infos) {
  array all[ARRAYS];
  list_arrays(infos, all);
  for (int i = 0; i < ARRAYS; i++) all[i].packed->error = SQLITE_OK;
  infos->error = SQLITE_OK;
}

/* ---- Reading ---- */

static const void *get(st_rowinfos *infos, st_packed *from, const st_packed_kind *kind, int64_t number) {
  const void *item = st_packed_get(from, kind, number);
  if (infos->error == SQLITE_OK) infos->error = from->error;
  return item;
}

static uint32_t get_number(st_rowinfos *infos, st_packed *from, const st_packed_kind *kind, int64_t id) {
  const uint32_t *number = get(infos, from, kind, id);
  return number ? *number : 0;
}

st_kind st_rowinfos_kind(st_rowinfos *infos, int64_t id) {
  const st_kind *kind = get(infos, &infos->kinds, &KINDS, id);
  return kind ? *kind : (st_kind){0};
}

uint32_t st_rowinfos_session(st_rowinfos *infos, int64_t id) { return get_number(infos, &infos->sessions, &SESSIONS, id); }
uint32_t st_rowinfos_project(st_rowinfos *infos, int64_t id) { return get_number(infos, &infos->projects, &PROJECTS, id); }

double st_rowinfos_time(st_rowinfos *infos, int64_t id) {
  const double *time = get(infos, &infos->times, &TIMES, id);
  return time ? *time : 0;
}

uint32_t st_rowinfos_find_length(st_rowinfos *infos, int64_t id) {
  const short_length *length = get(infos, &infos->lengths, &LENGTHS, id);
  if (!length || *length < LONGER) return length ? *length : 0;
  return get_number(infos, &infos->longs, &LONGS, id);
}

bool st_rowinfos_get(st_rowinfos *infos, int64_t id, st_rowinfo *row) {
  st_kind kind = st_rowinfos_kind(infos, id);
  *row = (st_rowinfo){.kind = kind.kind, .role = kind.role};
  if (!kind.kind) return false;
  row->time = st_rowinfos_time(infos, id);
  row->session = st_rowinfos_session(infos, id);
  row->project = st_rowinfos_project(infos, id);
  row->length = st_rowinfos_length(infos, id);
  return infos->error == SQLITE_OK;
}

const st_span *st_rowinfos_span(st_rowinfos *infos, int64_t number) {
  const st_span *span = get(infos, &infos->spans, &SPANS, number);
  return span && span->some ? span : NULL;
}

int64_t st_rowinfos_end(const st_rowinfos *infos) { return infos->kinds.nblocks * st_packed_per_block(&KINDS); }

/* ---- Writing ---- */

/* A place for it; NULL: out of memory, or `error`. */
static void *put(st_rowinfos *infos, st_packed *to, const st_packed_kind *kind, int64_t number) {
  void *place = st_packed_put(to, kind, number);
  if (infos->error == SQLITE_OK) infos->error = to->error;
  return place;
}

static bool put_number(st_rowinfos *infos, st_packed *to, const st_packed_kind *kind, int64_t id, uint32_t number) {
  uint32_t *place = put(infos, to, kind, id);
  if (place) *place = number;
  return place != NULL;
}

static bool put_kind(st_rowinfos *infos, int64_t id, const st_rowinfo *row) {
  st_kind *place = put(infos, &infos->kinds, &KINDS, id);
  if (place) *place = (st_kind){.role = row->role, .kind = row->kind};
  return place != NULL;
}

static bool put_time(st_rowinfos *infos, int64_t id, double time) {
  double *place = put(infos, &infos->times, &TIMES, id);
  if (place) *place = time;
  return place != NULL;
}

static bool put_length(st_rowinfos *infos, int64_t id, uint32_t length) {
  short_length *place = put(infos, &infos->lengths, &LENGTHS, id);
  if (!place) return false;
  *place = length < LONGER ? (short_length)length : LONGER;
  return length < LONGER || put_number(infos, &infos->longs, &LONGS, id, length);
}

/* Of what is no number anything may be true. */
static bool widen(st_rowinfos *infos, int64_t id, double time) {
  st_span *span = put(infos, &infos->spans, &SPANS, id / ST_SPAN);
  if (!span) return false;
  double first = isnan(time) ? -INFINITY : time, last = isnan(time) ? INFINITY : time;
  if (!span->some || first < span->first) span->first = first;
  if (!span->some || last > span->last) span->last = last;
  span->some = 1;
  return true;
}

bool st_rowinfos_put(st_rowinfos *infos, int64_t id, const st_rowinfo *row) {
  return put_kind(infos, id, row) && put_time(infos, id, row->time) && put_length(infos, id, row->length) &&
         put_number(infos, &infos->sessions, &SESSIONS, id, row->session) &&
         put_number(infos, &infos->projects, &PROJECTS, id, row->project) && (row->kind == 0 || widen(infos, id, row->time));
}

int st_rowinfos_save(st_rowinfos *infos) {
  array all[ARRAYS];
  int code = SQLITE_OK;
  list_arrays(infos, all);
  for (int i = 0; i < ARRAYS && code == SQLITE_OK; i++) code = st_packed_save(all[i].packed, all[i].kind);
  return code;
}

void st_rowinfos_free(st_rowinfos *infos) {
  array all[ARRAYS];
  list_arrays(infos, all);
  for (int i = 0; i < ARRAYS; i++) st_packed_free(all[i].packed);
  infos->error = SQLITE_OK;
}
