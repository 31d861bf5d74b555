/* postings.c - see postings.h. */
#include "search/postings.h"

#include "base/alloc.h"

bool st_loose_add(st_loose *loose, st_posting posting) {
  if (loose->count == loose->room) {
    size_t room = loose->room ? 2 * loose->room : 64;
    st_posting *grown = st_realloc(loose->all, room * sizeof *grown);
    if (!grown) return false;
    loose->all = grown;
    loose->room = room;
  }
  loose->all[loose->count++] = posting;
  return true;
}

void st_loose_free(st_loose *loose) {
  st_free(loose->all);
  *loose = (st_loose){0};
}

/* ---- Reading ---- */

static void read_packed(st_postings *p) {
  st_occurrences_next(&p->packed);
  p->broken = p->broken || p->packed.broken;
}

static bool is_stale(st_postings *p) {
  int64_t id = p->packed.now.number;
  while (p->stale < p->stale_end && *p->stale < id) p->stale++;
  return p->stale < p->stale_end && *p->stale == id;
}

static void pass_stale(st_postings *p) {
  while (is_stale(p)) read_packed(p);
}

static void take_next(st_postings *p) {
  const st_occurrence *packed = &p->packed.now;
  if (p->loose < p->loose_end && p->loose->id < packed->number) {
    p->now = *p->loose++;
    return;
  }
  p->now = (st_posting){packed->number, packed->times};
  if (packed->number == ST_NO_ROW) return;
  read_packed(p);
  pass_stale(p);
}

void st_postings_step(st_postings *p) {
  take_next(p);
  p->plain_until = p->loose < p->loose_end ? p->loose->id : ST_NO_ROW;
  if (p->stale < p->stale_end && *p->stale < p->plain_until) p->plain_until = *p->stale;
}

void st_postings_start(st_postings *p, const void *packed, size_t length, const int64_t *stale, size_t nstale, const st_loose *loose) {
  *p = (st_postings){.packed_first = packed, .stale = stale, .stale_first = stale, .loose = loose->all, .loose_first = loose->all};
  p->stale_end = nstale ? stale + nstale : stale;
  p->loose_end = loose->count ? loose->all + loose->count : loose->all;
  st_occurrences_start_bare(&p->packed, packed, length, NULL, 0);
  p->broken = p->packed.broken;
  pass_stale(p);
  st_postings_step(p);
}

/* ---- Reading from anywhere ---- */

void st_postings_stops(st_postings *p, int64_t width, st_stop *stops, size_t count) {
  const unsigned char *first = p->packed_first;
  st_stop here = {first, -1};
  st_occurrences all;
  st_occurrences_start_bare(&all, first, first ? (size_t)(p->packed.rows.end - first) : 0, NULL, 0);
  for (size_t i = 0; i < count; st_occurrences_next(&all)) {
    for (; i < count && all.now.number >= (int64_t)i * width; i++) stops[i] = here;
    here = (st_stop){all.rows.at, all.now.number};
  }
  p->broken = p->broken || all.broken;
}

static const st_posting *first_from(const st_posting *loose, const st_posting *end, int64_t from) {
  while (loose < end) {
    const st_posting *middle = loose + (end - loose) / 2;
    if (middle->id < from) loose = middle + 1;
    else end = middle;
  }
  return loose;
}

void st_postings_go(st_postings *p, const st_stop *stop, int64_t from) {
  st_occurrences *packed = &p->packed;
  packed->rows.at = stop->next;
  packed->now = (st_occurrence){.number = stop->before};
  p->now.id = stop->before;
  p->stale = p->stale_first;
  p->loose = first_from(p->loose_first, p->loose_end, from);
  read_packed(p);
  pass_stale(p);
  st_postings_step(p);
  st_postings_seek(p, from);
}
