/* occurrences.c - see occurrences.h.
**
** A row is a byte, how much its number is above the one before in the upper five bits, how often in the lower three, and,
** unless it is bare, a byte for its length.  Where a step does not fit, the number follows that it is above; where there is none, the row's number
** itself, so that what comes before does not matter; where the lower bits are 0, how often.  Numbers are seven bits to a
** byte, lowest first, the last byte below 128.  A place is told by its distance from the one before, the first from 0.  What stands
** beside it is a byte.
**
** A length is told as ranking needs it: exactly up to 40, and above by its four highest bits. */
#include "search/occurrences.h"

#include <limits.h>
#include <string.h>

#define NUMBER_BYTES_MAX 16        /* that one has, and some more */
#define NUMBER_MAX (INT64_MAX / 2) /* small steps from there lead nowhere near the end */
#define BYTES_MAX ((size_t)1 << 30)

/* ---- Writing ---- */

void st_occurrences_begin(st_occurrences_writer *w) {
  *w = (st_occurrences_writer){.last = -1};
  st_str_init(&w->rows, BYTES_MAX);
  st_str_init(&w->places, BYTES_MAX);
  st_str_init(&w->beside, BYTES_MAX);
}

void st_occurrences_begin_bare(st_occurrences_writer *w) {
  st_occurrences_begin(w);
  w->bare = true;
}

/* Lengths from here on are told by their four highest bits. */
#define EXACT_LENGTHS 40
#define HIGHEST_BITS 4

static unsigned char code_of(uint32_t length) {
  uint32_t rest = length - EXACT_LENGTHS + (1u << (HIGHEST_BITS - 1)), shift = 0;
  if (length < EXACT_LENGTHS) return (unsigned char)length;
  while (rest >> HIGHEST_BITS) {
    rest >>= 1;
    shift++;
  }
  uint32_t code = EXACT_LENGTHS + (shift << (HIGHEST_BITS - 1)) + (rest - (1u << (HIGHEST_BITS - 1)));
  return code < UCHAR_MAX ? (unsigned char)code : UCHAR_MAX;
}

static uint32_t length_of(unsigned char code) {
  uint32_t above = code - EXACT_LENGTHS, low = (1u << (HIGHEST_BITS - 1));
  if (code < EXACT_LENGTHS) return code;
  return EXACT_LENGTHS - low + ((low + above % low) << above / low);
}

uint32_t st_occurrences_length(uint32_t tokens) { return length_of(code_of(tokens)); }

static void add_number(st_str *out, uint64_t number) {
  for (; number >= 128; number >>= 7) st_str_addc(out, (char)(number | 128));
  st_str_addc(out, (char)number);
}

void st_occurrences_add(st_occurrences_writer *w, st_occurrence row, const uint32_t *places) {
  uint64_t above = w->last >= 0 ? (uint64_t)(row.number - w->last) : 0, step = above < ST_STEP_FOLLOWS ? above : ST_STEP_FOLLOWS;
  uint64_t times = row.times <= ST_TIMES_MAX ? row.times : 0;
  st_str_addc(&w->rows, (char)(step << ST_TIMES_BITS | times));
  if (w->last < 0) add_number(&w->rows, (uint64_t)row.number);
  else if (step == ST_STEP_FOLLOWS) add_number(&w->rows, above);
  if (!times) add_number(&w->rows, row.times);
  if (!w->bare) st_str_addc(&w->rows, (char)code_of(row.length));
  for (uint32_t i = 0, before = 0; places && i < row.times; before = places[i++]) add_number(&w->places, places[i] - before);
  w->last = row.number;
  w->count++;
  w->times += row.times;
  w->last_times = row.times;
}

void st_occurrences_add_beside(st_occurrences_writer *w, const unsigned char *beside) {
  st_str_add(&w->beside, (const char *)beside, w->last_times);
}

bool st_occurrences_failed(const st_occurrences_writer *w) { return w->rows.failed || w->places.failed || w->beside.failed; }

void st_occurrences_end(st_occurrences_writer *w) {
  st_str_free(&w->rows);
  st_str_free(&w->places);
  st_str_free(&w->beside);
}

/* ---- Reading ---- */

static void stop(st_occurrences *o) {
  o->broken = true;
  o->now.number = ST_NO_NUMBER;
  o->rows.at = o->rows.end;
}

static uint64_t read_long(st_occurrences *o, st_bytes *from) {
  uint64_t number = 0;
  for (int shift = 0; from->at < from->end && shift < 63; shift += 7) {
    unsigned char byte = *from->at++;
    number |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return number;
  }
  stop(o);
  return 0;
}

static inline uint64_t read_number(st_occurrences *o, st_bytes *from) {
  if (from->at < from->end && *from->at < 128) return *from->at++;
  return read_long(o, from);
}

/* Have the next places in memory, if there are more. */
static void fill(st_occurrences *o) {
  size_t there = (size_t)(o->places.end - o->places.at);
  st_more *more = o->more;
  if (!more || more->left == 0 || there >= NUMBER_BYTES_MAX) return;
  size_t next = more->left < more->room - there ? more->left : more->room - there;
  if (there) memmove(more->window, o->places.at, there);
  if (!more->read(more, more->window + there, next)) {
    stop(o);
    next = 0;
  }
  more->left -= next;
  o->places = (st_bytes){more->window, more->window + there + next};
}

/* The last byte of each place is below 128, so that they are counted eight bytes at a time.  True: there may be more behind these. */
static bool pass_many(st_occurrences *o) {
  st_bytes *from = &o->places;
  for (uint64_t bytes; from->end - from->at >= 8; from->at += 8) {
    memcpy(&bytes, from->at, 8);
    uint64_t ended = ((~bytes >> 7 & UINT64_C(0x0101010101010101)) * UINT64_C(0x0101010101010101)) >> 56; /* a one in each such byte, added up */
    if (ended >= o->behind) return false; /* the last of them may end in the middle */
    o->behind -= ended;
  }
  return o->more && o->more->left > 0 && !o->broken;
}

/* Pass over places of rows that nobody asked for. */
static void pass_over(st_occurrences *o) {
  do fill(o);
  while (pass_many(o));
  for (; o->behind > 0 && !o->broken; o->behind--) {
    fill(o);
    read_number(o, &o->places);
  }
}

static void start(st_occurrences *o, bool bare, const void *rows, size_t length, const void *places, size_t places_length) {
  *o = (st_occurrences){.rows = {rows, rows}, .places = {places, places}, .now = {.number = -1}, .bare = bare};
  if (length) o->rows.end += length;
  if (places_length) o->places.end += places_length;
  st_occurrences_next(o);
}

void st_occurrences_start(st_occurrences *o, const void *rows, size_t length, const void *places, size_t places_length) {
  start(o, false, rows, length, places, places_length);
}

void st_occurrences_start_bare(st_occurrences *o, const void *rows, size_t length, const void *places, size_t places_length) {
  start(o, true, rows, length, places, places_length);
}

void st_occurrences_with_more(st_occurrences *o, st_more *more) { o->more = more; }

void st_occurrences_with_beside(st_occurrences *o, const void *beside, size_t length) {
  o->beside = (st_bytes){beside, beside};
  if (length) o->beside.end += length;
}

static inline uint64_t read_row(st_occurrences *o, unsigned step) {
  if (step == 0) return read_number(o, &o->rows);
  return (uint64_t)o->now.number + (step == ST_STEP_FOLLOWS ? read_number(o, &o->rows) : step);
}

/* Go on to the first row of that number or above, as long as rows are read quickly. */
static inline void seek_quickly(st_occurrences *o, int64_t number) {
  const unsigned char *at = o->rows.at, *length = NULL;
  int64_t reached = o->now.number;
  uint64_t between = 0; /* places */
  uint32_t times = 0;
  while (reached < number && o->rows.end - at >= 3) {
    st_quick_row row = st_quick_read(at);
    if (row.times == 0) break;
    between += times;
    times = row.times;
    reached += row.step;
    length = row.behind;
    at = row.behind + !o->bare;
  }
  if (!length) return;
  o->behind += o->unread + between;
  o->passed += o->now.times + between;
  o->unread = times;
  o->now = (st_occurrence){reached, times, o->bare ? 0 : length_of(*length)};
  o->rows.at = at;
}

static void step_slowly(st_occurrences *o) {
  o->behind += o->unread;
  o->passed += o->now.times;
  o->unread = 0;
  if (o->rows.at == o->rows.end) {
    o->now.number = ST_NO_NUMBER;
    return;
  }
  unsigned char byte = *o->rows.at++;
  uint64_t number = read_row(o, byte >> ST_TIMES_BITS), times = byte & ST_TIMES_MAX;
  if (!times) times = read_number(o, &o->rows);
  if ((!o->bare && o->rows.at == o->rows.end) || times == 0 || times > UINT32_MAX || number >= NUMBER_MAX || (int64_t)number <= o->now.number) {
    stop(o);
    return;
  }
  o->now = (st_occurrence){(int64_t)number, (uint32_t)times, o->bare ? 0 : length_of(*o->rows.at++)};
  o->unread = o->now.times;
}

int64_t st_occurrences_seek(st_occurrences *o, int64_t number) {
  while (o->now.number < number) {
    seek_quickly(o, number);
    if (o->now.number < number) step_slowly(o);
  }
  return o->now.number;
}

void st_occurrences_next(st_occurrences *o) {
  if (o->now.number != ST_NO_NUMBER) st_occurrences_seek(o, o->now.number + 1);
}

bool st_occurrences_have_places(st_occurrences *o) {
  size_t there = (size_t)(o->places.end - o->places.at) + (o->more ? o->more->left : 0);
  if (o->unread > there) stop(o);
  return !o->broken;
}

void st_occurrences_places(st_occurrences *o, uint32_t *places) {
  uint64_t place = 0;
  pass_over(o);
  for (uint32_t i = 0; o->unread > 0; i++, o->unread--) {
    fill(o);
    place += o->broken ? 0 : read_number(o, &o->places);
    places[i] = (uint32_t)place;
  }
}

const unsigned char *st_occurrences_beside(st_occurrences *o) {
  size_t known = (size_t)(o->beside.end - o->beside.at);
  if (o->passed <= known && o->now.times <= known - o->passed) return o->beside.at + o->passed;
  stop(o);
  return NULL;
}

/* ---- Reading rows alone ---- */

uint32_t st_length_of_code(unsigned char code) { return length_of(code); }

void st_walk_start(st_walk *walk, const st_occurrences *o) {
  walk->of = *o;
  walk->count = 0;
}

/* From the one at hand on, as long as rows are read quickly. */
static void walk_quickly(st_walk *walk) {
  st_occurrences *o = &walk->of;
  const unsigned char *at = o->rows.at, *end = o->rows.end;
  int64_t number = o->now.number;
  uint32_t times = o->now.times;
  unsigned char code = code_of(o->now.length);
  size_t count = walk->count;
  for (; count < ST_WALK_ROWS && end - at > 2; count++) {
    st_quick_row row = st_quick_read(at);
    if (row.times == 0) break;
    walk->numbers[count] = number;
    walk->times[count] = times;
    walk->codes[count] = code;
    number += row.step;
    times = row.times;
    code = *row.behind;
    at = row.behind + 1;
  }
  o->now = (st_occurrence){number, times, length_of(code)};
  o->rows.at = at;
  walk->count = count;
}

bool st_walk_next(st_walk *walk) {
  st_occurrences *o = &walk->of;
  for (walk->count = 0; walk->count < ST_WALK_ROWS && o->now.number != ST_NO_NUMBER;) {
    walk_quickly(walk);
    if (walk->count == ST_WALK_ROWS) break;
    walk->numbers[walk->count] = o->now.number;
    walk->times[walk->count] = o->now.times;
    walk->codes[walk->count++] = code_of(o->now.length);
    step_slowly(o);
  }
  return walk->count > 0;
}
