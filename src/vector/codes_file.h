/* codes_file.h - the format of a file of codes, and an open one; for codes*.c.
**
**     one page    head, and the two places for the state
**     blocks      ST_CODES_BLOCK codes, as many shares, rows, and fine codes; whole pages, whatever the dimension */
#ifndef ST_CODES_FILE_H
#define ST_CODES_FILE_H

#include <sys/types.h>

#include "vector/codes.h"

#define ST_CODES_PAGE 4096
#define ST_CODES_FORMAT 1
#define ST_CODES_ALIVE UINT64_C(0xA11FE0DDA11FE0DD)
#define ST_CODES_DEAD UINT64_C(0x0DEADBED0DEADBED)

/* In this machine's byte order, which `order` tells. */
typedef struct st_codes_head {
  char magic[8]; /* "STCODES", NUL */
  uint32_t format;
  uint32_t order; /* 0x01020304 */
  uint64_t dimension, rotation, model, documents;
  uint64_t identity; /* of this file alone: a row of another does not pass for one of its own */
  uint64_t check;
} st_codes_head;

typedef struct st_codes_slot {
  uint64_t sequence; /* the larger one counts */
  st_codes_state state;
  uint64_t check;
} st_codes_slot;

#define ST_CODES_SLOT_AT(n) (256 + 128 * (n)) /* n: 0 or 1 */

struct st_codes {
  char *path;
  st_codes_kind kind;
  size_t words;
  int fd;
  const char *map;
  size_t mapped; /* bytes */
  uint64_t identity;
  st_codes_slot slot;  /* the newest that was seen */
  uint64_t added;      /* rows, with those that nobody else sees yet */
  uint64_t killed;     /* since the last publish */
  uint32_t *checked;   /* per block: rows that were looked at */
  size_t blocks;       /* room in checked */
  float *room;         /* for a rotated vector */
  uint64_t *code;      /* and its codes */
  st_code_fine *fine;
  bool locked;
};

/* What a row takes of each. */
static inline size_t st_codes_code_bytes(size_t words) { return words * sizeof(uint64_t); }
static inline size_t st_codes_fine_bytes(size_t words) { return sizeof(st_code_fine) + words * ST_FINE_BYTES; }

static inline size_t st_codes_block_bytes(size_t words) {
  return ST_CODES_BLOCK * (st_codes_code_bytes(words) + sizeof(float) + sizeof(st_code_row) + st_codes_fine_bytes(words));
}

/* Bytes of a file with so many rows. */
static inline size_t st_codes_bytes(size_t words, uint64_t rows) {
  return ST_CODES_PAGE + (size_t)((rows + ST_CODES_BLOCK - 1) / ST_CODES_BLOCK) * st_codes_block_bytes(words);
}

/* Where something of a row is in the file: it takes `size` bytes, and lies behind what takes `before` for each row. */
static inline size_t st_codes_at(size_t words, uint64_t row, size_t before, size_t size) {
  return ST_CODES_PAGE + (size_t)(row / ST_CODES_BLOCK) * st_codes_block_bytes(words) + ST_CODES_BLOCK * before +
         (size_t)(row % ST_CODES_BLOCK) * size;
}
static inline size_t st_codes_code_at(size_t words, uint64_t row) { return st_codes_at(words, row, 0, st_codes_code_bytes(words)); }
static inline size_t st_codes_share_at(size_t words, uint64_t row) {
  return st_codes_at(words, row, st_codes_code_bytes(words), sizeof(float));
}
static inline size_t st_codes_row_at(size_t words, uint64_t row) {
  return st_codes_at(words, row, st_codes_code_bytes(words) + sizeof(float), sizeof(st_code_row));
}
static inline size_t st_codes_fine_at(size_t words, uint64_t row) {
  return st_codes_at(words, row, st_codes_code_bytes(words) + sizeof(float) + sizeof(st_code_row), st_codes_fine_bytes(words));
}

/* Checksums. */
uint64_t st_codes_head_check(const st_codes_head *head);
uint64_t st_codes_slot_check(const st_codes_slot *slot, uint64_t identity);
uint32_t st_codes_row_check(const st_codes *codes, uint64_t place, const st_code_row *row, const uint64_t *code, float share);
uint32_t st_codes_fine_check(const st_codes *codes, uint64_t place, const st_code_fine *fine);

/* Make room in memory for what the state says is there.  DAMAGED: the file is shorter. */
st_codes_result st_codes_map(st_codes *codes);
/* A file that is no longer at its path, or not yet good, is left for the one that is. */
st_codes_result st_codes_reopen(st_codes *codes);

#endif
