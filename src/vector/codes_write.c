/* codes_write.c - writing a file of codes.  See codes.h.
**
** Everything is written with pwrite(), also what others have mapped: a full disk is then an error, not a signal. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "vector/code.h"
#include "vector/codes_file.h"

/* ---- rows ---- */

static st_codes_result write_all(st_codes *codes, const void *bytes, size_t length, size_t at) {
  const char *from = bytes;
  while (length) {
    ssize_t written = pwrite(codes->fd, from, length, (off_t)at);
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return ST_CODES_FAILED;
    from += written;
    at += (size_t)written;
    length -= (size_t)written;
  }
  return ST_CODES_OK;
}

/* Room for a block that begins with this row; one who was killed may have left it. */
static st_codes_result grow(st_codes *codes, uint64_t place) {
  struct stat now;
  off_t wanted = (off_t)st_codes_bytes(codes->words, place + 1);
  if (fstat(codes->fd, &now) != 0) return ST_CODES_FAILED;
  return now.st_size >= wanted || ftruncate(codes->fd, wanted) == 0 ? ST_CODES_OK : ST_CODES_FAILED;
}

/* Put a row at the end, with its code and the fine one in codes->fine. */
static st_codes_result append(st_codes *codes, st_code_row row, const uint64_t *code, float share) {
  size_t words = codes->words;
  uint64_t place = codes->added;
  st_codes_result result = ST_CODES_OK;
  if (place == UINT32_MAX) {
    errno = EFBIG;
    return ST_CODES_FAILED;
  }
  row.check = st_codes_row_check(codes, place, &row, code, share);
  codes->fine->check = st_codes_fine_check(codes, place, codes->fine);
  if (place % ST_CODES_BLOCK == 0) result = grow(codes, place);
  if (result == ST_CODES_OK) result = write_all(codes, code, st_codes_code_bytes(words), st_codes_code_at(words, place));
  if (result == ST_CODES_OK) result = write_all(codes, &share, sizeof share, st_codes_share_at(words, place));
  if (result == ST_CODES_OK) result = write_all(codes, &row, sizeof row, st_codes_row_at(words, place));
  if (result == ST_CODES_OK) result = write_all(codes, codes->fine, st_codes_fine_bytes(words), st_codes_fine_at(words, place));
  if (result == ST_CODES_OK) codes->added++;
  return result;
}

st_codes_result st_codes_add(st_codes *codes, int64_t number, int64_t document, const float *vector) {
  st_code_row row = {.number = number, .document = document, .mark = ST_CODES_ALIVE};
  st_code_shares shares;
  st_code_make(vector, codes->kind.dimension, codes->room, codes->code, codes->fine->levels, &shares);
  codes->fine->share = shares.fine;
  return append(codes, row, codes->code, shares.code);
}

st_codes_result st_codes_publish(st_codes *codes, int64_t through, int64_t erased) {
  st_codes_slot slot = {.sequence = codes->slot.sequence + 1};
  slot.state = (st_codes_state){codes->added, codes->slot.state.dead + codes->killed, through, erased};
  slot.check = st_codes_slot_check(&slot, codes->identity);
  st_codes_result result = write_all(codes, &slot, sizeof slot, ST_CODES_SLOT_AT(slot.sequence % 2 == 0));
  if (result != ST_CODES_OK) return result;
  codes->slot = slot;
  codes->killed = 0;
  return st_codes_map(codes);
}

/* ---- dead rows ---- */

/* The row with a number, found by halves: numbers grow. */
static bool find_row(st_codes *codes, int64_t number, uint64_t *place) {
  uint64_t low = 0, high = codes->slot.state.count;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    const st_code_row *row = (const st_code_row *)(const void *)(codes->map + st_codes_row_at(codes->words, middle));
    if (row->number == number) {
      *place = middle;
      return row->mark == ST_CODES_ALIVE;
    }
    if (row->number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

st_codes_result st_codes_kill(st_codes *codes, int64_t number) {
  uint64_t place, mark = ST_CODES_DEAD;
  if (!find_row(codes, number, &place)) return ST_CODES_OK;
  st_codes_result result = write_all(codes, &mark, sizeof mark, st_codes_row_at(codes->words, place) + offsetof(st_code_row, mark));
  if (result == ST_CODES_OK) codes->killed++;
  return result;
}

static st_codes_result copy_row(st_codes *from, st_codes *to, const st_codes_block *block, size_t i, uint64_t place) {
  const st_code_fine *fine;
  st_codes_result result = st_codes_fine(from, place, &fine);
  if (result != ST_CODES_OK) return result;
  memcpy(to->fine, fine, st_codes_fine_bytes(from->words));
  return append(to, block->rows[i], block->codes + i * from->words, block->shares[i]);
}

static st_codes_result copy_living(st_codes *from, st_codes *to) {
  for (uint64_t first = 0; first < from->slot.state.count; first += ST_CODES_BLOCK) {
    st_codes_block block;
    st_codes_result result = st_codes_read(from, (size_t)(first / ST_CODES_BLOCK), &block);
    for (size_t i = 0; i < block.count && result == ST_CODES_OK; i++)
      if (st_code_row_alive(&block.rows[i])) result = copy_row(from, to, &block, i, first + i);
    if (result != ST_CODES_OK) return result;
  }
  return st_codes_publish(to, from->slot.state.through, from->slot.state.erased);
}

st_codes_result st_codes_compact(st_codes *codes) {
  st_str path;
  st_codes *fresh = NULL;
  st_str_init(&path, 1u << 16);
  st_str_addf(&path, "%s.compact", codes->path);
  st_codes_result result = path.failed ? ST_CODES_NOMEM : ST_CODES_OK;
  if (result == ST_CODES_OK) {
    unlink(path.text); /* of one who was killed: only the holder of the lock makes it */
    result = st_codes_open(path.text, &codes->kind, &fresh);
  }
  if (result == ST_CODES_OK) result = copy_living(codes, fresh);
  if (result == ST_CODES_OK && rename(path.text, codes->path) != 0) result = ST_CODES_FAILED;
  if (result != ST_CODES_OK && fresh) unlink(path.text);
  st_codes_close(fresh);
  st_str_free(&path);
  return result == ST_CODES_OK ? st_codes_reopen(codes) : result;
}
