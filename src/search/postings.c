/* postings.c - see postings.h.
**
** A packed posting is a byte: how much its id is above the one before in the upper five bits, how often in the lower
** three.  Where one of them is 0, the number follows: seven bits to a byte, lowest first, the last byte below 128. */
#include "search/postings.h"

#include "base/alloc.h"

#define STEP_MAX 31
#define TIMES_BITS 3
#define TIMES_MAX 7
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
  uint64_t short_step = step <= STEP_MAX ? step : 0, short_times = posting.times <= TIMES_MAX ? posting.times : 0;
  st_str_addc(&packing->bytes, (char)(short_step << TIMES_BITS | short_times));
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
  uint64_t step = byte >> TIMES_BITS, times = byte & TIMES_MAX;
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

void st_postings_start(st_postings *p, const void *packed, size_t length, const int64_t *stale, size_t nstale, const st_loose *loose) {
  *p = (st_postings){.next = packed, .stale = stale, .loose = loose->all};
  p->end = length ? p->next + length : p->next;
  p->stale_end = nstale ? stale + nstale : stale;
  p->loose_end = loose->count ? loose->all + loose->count : loose->all;
  do read_packed(p);
  while (is_stale(p));
  take_next(p);
}

int64_t st_postings_seek(st_postings *p, int64_t id) {
  while (p->now.id < id) take_next(p);
  return p->now.id;
}
