/* postings.c - see postings.h. */
#include "search/postings.h"

#include "base/alloc.h"

#define STEP_MAX 31
#define PACKED_BYTES_MAX ((size_t)1 << 30)

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

/* ---- Writing ---- */

void st_packing_init(st_packing *packing) {
  *packing = (st_packing){0};
  st_str_init(&packing->bytes, PACKED_BYTES_MAX);
}

static void add_number(st_str *out, uint64_t number) {
  for (; number >= 128; number >>= 7) st_str_addc(out, (char)(number | 128));
  st_str_addc(out, (char)number);
}

void st_packing_add(st_packing *packing, st_posting posting) {
  uint64_t step = (uint64_t)(posting.id - packing->last);
  uint64_t short_step = step <= STEP_MAX ? step : 0, short_times = posting.times <= ST_POSTING_TIMES_MAX ? posting.times : 0;
  st_str_addc(&packing->bytes, (char)(short_step << ST_POSTING_TIMES_BITS | short_times));
  if (!short_step) add_number(&packing->bytes, step);
  if (!short_times) add_number(&packing->bytes, posting.times);
  packing->last = posting.id;
  packing->count++;
}

/* ---- Reading ---- */

static uint64_t read_number(st_postings *p) {
  uint64_t number = 0;
  for (int shift = 0; p->next < p->end && shift < 63; shift += 7) {
    unsigned char byte = *p->next++;
    number |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return number;
  }
  p->broken = true;
  return 0;
}

static void end_packed(st_postings *p) {
  p->next = p->end;
  p->packed.id = ST_NO_ROW;
}

static void read_packed(st_postings *p) {
  if (p->next == p->end) {
    end_packed(p);
    return;
  }
  unsigned char byte = *p->next++;
  uint64_t step = byte >> ST_POSTING_TIMES_BITS, times = byte & ST_POSTING_TIMES_MAX;
  if (!step) step = read_number(p);
  if (!times) times = read_number(p);
  if (step == 0 || times == 0 || times > UINT32_MAX || step >= (uint64_t)(ST_NO_ROW - p->packed.id)) {
    p->broken = true;
    end_packed(p);
    return;
  }
  p->packed.id += (int64_t)step;
  p->packed.times = (uint32_t)times;
}

static bool is_stale(st_postings *p) {
  while (p->stale < p->stale_end && *p->stale < p->packed.id) p->stale++;
  return p->stale < p->stale_end && *p->stale == p->packed.id;
}

static void take_next(st_postings *p) {
  if (p->loose < p->loose_end && p->loose->id < p->packed.id) {
    p->now = *p->loose++;
    return;
  }
  p->now = p->packed;
  if (p->packed.id == ST_NO_ROW) return;
  do read_packed(p);
  while (is_stale(p));
}

void st_postings_step(st_postings *p) {
  take_next(p);
  p->plain_until = p->loose < p->loose_end ? p->loose->id : ST_NO_ROW;
  if (p->stale < p->stale_end && *p->stale < p->plain_until) p->plain_until = *p->stale;
}

static void begin(st_postings *p, const unsigned char *next, int64_t before) {
  p->next = next;
  p->packed = (st_posting){.id = before};
  p->now = p->packed;
  p->stale = p->stale_first;
  p->loose = p->loose_first;
  do read_packed(p);
  while (is_stale(p));
}

void st_postings_start(st_postings *p, const void *packed, size_t length, const int64_t *stale, size_t nstale, const st_loose *loose) {
  *p = (st_postings){.packed_first = packed, .stale_first = stale, .loose_first = loose->all};
  p->end = length ? p->packed_first + length : p->packed_first;
  p->stale_end = nstale ? stale + nstale : stale;
  p->loose_end = loose->count ? loose->all + loose->count : loose->all;
  begin(p, p->packed_first, 0);
  st_postings_step(p);
}

/* ---- Reading from anywhere ---- */

void st_postings_stops(st_postings *p, int64_t width, st_stop *stops, size_t count) {
  st_postings all = {.next = p->packed_first, .end = p->end};
  st_stop here = {all.next, 0};
  for (size_t i = 0; i < count;) {
    read_packed(&all);
    for (; i < count && all.packed.id >= (int64_t)i * width; i++) stops[i] = here;
    here = (st_stop){all.next, all.packed.id};
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
  begin(p, stop->next, stop->before);
  p->loose = first_from(p->loose, p->loose_end, from);
  st_postings_step(p);
  st_postings_seek(p, from);
}
