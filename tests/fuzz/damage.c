/* damage.c - see damage.h. */
#include "fuzz/damage.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 4096
#define FILE_HEADER 100

typedef struct step {
  damaged_file *file;
  uint8_t *page; /* whole, within the file */
  size_t number; /* of the page, from 0 */
  size_t at;     /* within the page */
  const uint8_t *values;
} step;

static void flip(step *s) { s->page[s->at] ^= s->values[0] ? s->values[0] : 0xFF; }

static void put_two(uint8_t *to, const uint8_t *values) {
  to[0] = values[0];
  to[1] = values[1];
}

static void put(step *s) { put_two(s->page + s->at % (PAGE - 1), s->values); }

/* The number of a page, where one might be expected. */
static void put_number(step *s) {
  static const uint8_t zero[3];
  uint8_t *to = s->page + s->at % (PAGE - 4);
  memcpy(to, zero, sizeof zero);
  to[3] = s->values[0];
}

static uint8_t *other_page(const step *s) { return s->file->bytes + s->values[0] % (s->file->length / PAGE) * PAGE; }

static void copy_page(step *s) { memmove(s->page, other_page(s), PAGE); }

static void swap_pages(step *s) {
  uint8_t kept[PAGE], *other = other_page(s);
  memcpy(kept, s->page, PAGE);
  memmove(s->page, other, PAGE);
  memcpy(other, kept, PAGE);
}

static void clear_page(step *s) { memset(s->page, 0, PAGE); }

static void fill(step *s) {
  size_t room = PAGE - s->at, length = s->values[1] * 4u;
  memset(s->page + s->at, s->values[0], length < room ? length : room);
}

/* From here to the end of the file there is nothing, as after a cut, or zeros, as where a disk did not write. */
static void cut(step *s) {
  size_t keep = (size_t)(s->page - s->file->bytes) + s->at;
  if (s->values[0] & 1) memset(s->file->bytes + keep, 0, s->file->length - keep);
  else s->file->length = keep;
}

/* Where the header of the tree's page begins: on the first one, behind that of the file. */
static uint8_t *page_header(const step *s) { return s->page + (s->number == 0 ? FILE_HEADER : 0); }

/* Kind of the page, first free block, cells, where their contents begin, fragments, rightmost child. */
static void put_page_header(step *s) {
  static const uint8_t fields[] = {0, 1, 3, 5, 7, 8, 10};
  put_two(page_header(s) + fields[s->at % sizeof fields], s->values);
}

static void put_cell_pointer(step *s) {
  uint8_t *header = page_header(s);
  size_t cells = (size_t)(header[3] << 8 | header[4]), first = header[0] == 2 || header[0] == 5 ? 12 : 8;
  size_t at = (size_t)(header - s->page) + first + 2 * (cells ? s->at % cells : 0);
  if (at + 2 <= PAGE) put_two(s->page + at, s->values);
}

/* Within a cell: its length, its key, the lengths of its columns. */
static void put_cell(step *s) {
  uint8_t *header = page_header(s);
  size_t cells = (size_t)(header[3] << 8 | header[4]), first = header[0] == 2 || header[0] == 5 ? 12 : 8;
  size_t at = (size_t)(header - s->page) + first + 2 * (cells ? s->at % cells : 0);
  if (at + 2 > PAGE) return;
  size_t cell = (size_t)(s->page[at] << 8 | s->page[at + 1]) + s->values[1] % 16u;
  if (cell < PAGE) s->page[cell] = s->values[0];
}

/* Size of a page, versions, pages, free list, schema cookie, format, encoding, user version, application. */
static void put_file_header(step *s) {
  static const uint8_t fields[] = {0, 16, 18, 19, 20, 21, 24, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 52, 54, 56, 58, 60, 62, 64, 68, 70, 92, 96};
  put_two(s->file->bytes + fields[s->at % sizeof fields], s->values);
}

static void delete_file(step *s) { s->file->gone = 1; }

static void (*const kinds[])(step *s) = {flip,       flip,     put,        put_number, copy_page,        swap_pages, clear_page,     fill,
                                         cut,        put_page_header, put_page_header, put_cell_pointer, put_cell,   put_cell, put_file_header, delete_file};

void damage(damaged_file *files, size_t count, const uint8_t *steps, size_t length) {
  for (; length >= DAMAGE_STEP; steps += DAMAGE_STEP, length -= DAMAGE_STEP) {
    damaged_file *file = &files[steps[0] % count];
    size_t pages = file->length / PAGE;
    if (pages == 0) continue;
    size_t number = steps[2] % pages;
    step s = {file, file->bytes + number * PAGE, number, (size_t)(steps[3] | steps[4] << 8) % PAGE, steps + 5};
    kinds[steps[1] % (sizeof kinds / sizeof *kinds)](&s);
  }
}
