/* tree_page.c - what is in a page of a tree: see pages.h.  Nothing in it is believed. */
#include <string.h>

#include "base/utf8.h"
#include "engine/pages.h"

#define HEADER 100 /* of the file, before the first page's own */
#define ZEROS 64   /* so many in a row are no text */

/* A number of 1 to 9 bytes.  NULL: it ends behind the end. */
static const unsigned char *varint(const unsigned char *at, const unsigned char *end, uint64_t *out) {
  *out = 0;
  for (int i = 0; i < 9; i++) {
    if (at >= end) return NULL;
    unsigned char byte = *at++;
    if (i == 8) {
      *out = *out << 8 | byte;
      return at;
    }
    *out = *out << 7 | (byte & 0x7f);
    if (byte < 0x80) return at;
  }
  return NULL;
}

static uint32_t start_of(const st_tree_page *page) { return page->number == 1 ? HEADER : 0; }
static bool is_inner(int kind) { return kind == ST_INDEX_INNER || kind == ST_TABLE_INNER; }

bool st_tree_page_read(const st_pages *pages, uint32_t number, const unsigned char *bytes, st_tree_page *out) {
  *out = (st_tree_page){.bytes = bytes, .number = number};
  const unsigned char *head = bytes + start_of(out);
  out->kind = head[0];
  out->cells = st_two_bytes(head + 3);
  if (out->kind != ST_INDEX_INNER && out->kind != ST_TABLE_INNER && out->kind != ST_INDEX_LEAF && out->kind != ST_TABLE_LEAF) return false;
  if (is_inner(out->kind)) out->right = st_four_bytes(head + 8);
  uint32_t after = start_of(out) + (is_inner(out->kind) ? 12 : 8) + 2 * out->cells;
  uint32_t content = st_two_bytes(head + 5) ? st_two_bytes(head + 5) : 65536;
  return after <= pages->usable && content >= after && content <= pages->usable && head[7] <= 60;
}

/* How many bytes of a record stand in the page itself. */
static uint32_t local_size(const st_pages *pages, int kind, uint64_t size) {
  uint32_t usable = pages->usable;
  uint32_t most = kind == ST_TABLE_LEAF ? usable - 35 : (usable - 12) * 64 / 255 - 23;
  uint32_t least = (usable - 12) * 32 / 255 - 23;
  if (size <= most) return (uint32_t)size;
  uint32_t share = least + (uint32_t)((size - least) % (usable - 4));
  return share <= most ? share : least;
}

bool st_tree_cell(const st_pages *pages, const st_tree_page *page, uint32_t index, st_cell *out) {
  const unsigned char *end = page->bytes + pages->usable;
  uint32_t first = start_of(page) + (is_inner(page->kind) ? 12 : 8);
  uint32_t offset = st_two_bytes(page->bytes + first + 2 * index);
  uint64_t rowid = 0;
  *out = (st_cell){.child = 0};
  if (index >= page->cells || offset < first + 2 * page->cells || offset + 4 > pages->usable) return false;
  const unsigned char *at = page->bytes + offset;
  if (is_inner(page->kind)) {
    out->child = st_four_bytes(at);
    at += 4;
  }
  if (page->kind != ST_TABLE_INNER) at = varint(at, end, &out->size);
  if (at && (page->kind == ST_TABLE_INNER || page->kind == ST_TABLE_LEAF)) at = varint(at, end, &rowid);
  out->rowid = (int64_t)rowid;
  if (!at || page->kind == ST_TABLE_INNER) return at != NULL;
  out->local = at;
  out->local_size = local_size(pages, page->kind, out->size);
  uint32_t more = out->local_size < out->size ? 4 : 0;
  if (out->size > (uint64_t)pages->count * pages->size || (uint64_t)(end - at) < (uint64_t)out->local_size + more) return false;
  if (more) out->overflow = st_four_bytes(at + out->local_size);
  return !more || out->overflow;
}

bool st_tree_record(const st_pages *pages, const st_cell *cell, unsigned char *out, bool (*took)(void *user, uint32_t page), void *user) {
  unsigned char bytes[65536];
  uint64_t left = cell->size - cell->local_size;
  uint32_t next = cell->overflow;
  memcpy(out, cell->local, cell->local_size);
  out += cell->local_size;
  while (left) {
    uint32_t piece = left < pages->usable - 4 ? (uint32_t)left : pages->usable - 4;
    if (!next || !took(user, next) || !st_pages_read(pages, next, bytes)) return false;
    memcpy(out, bytes + 4, piece);
    out += piece;
    left -= piece;
    next = st_four_bytes(bytes);
  }
  return next == 0;
}

/* ---- Records ---- */

static int64_t big_endian(const unsigned char *at, size_t size) {
  uint64_t value = size && at[0] & 0x80 ? UINT64_MAX : 0;
  for (size_t i = 0; i < size; i++) value = value << 8 | at[i];
  return (int64_t)value;
}

static bool is_text(const unsigned char *bytes, uint64_t length) {
  const char *at = (const char *)bytes, *end = at + length;
  int zeros = 0;
  while (at < end) {
    int size = st_utf8_char(at, end);
    zeros = *at ? 0 : zeros + 1;
    if (size < 0 || zeros == ZEROS) return false;
    at += size;
  }
  return true;
}

/* A field by its type; false: no such type, or no such text. */
static bool read_field(uint64_t type, const unsigned char *at, st_field *out) {
  static const uint8_t sizes[] = {0, 1, 2, 3, 4, 6, 8};
  *out = (st_field){.type = ST_FIELD_NULL};
  if (type >= 12) {
    out->type = type & 1 ? ST_FIELD_TEXT : ST_FIELD_BLOB;
    out->bytes = at;
    out->length = (type - 12) / 2;
    return out->type == ST_FIELD_BLOB || is_text(at, out->length);
  }
  if (type == 0) return true;
  if (type == 7) {
    int64_t bits = big_endian(at, 8);
    out->type = ST_FIELD_REAL;
    memcpy(&out->real, &bits, sizeof bits);
    return true;
  }
  out->type = ST_FIELD_INT;
  out->integer = type >= 8 ? (int64_t)type - 8 : big_endian(at, sizes[type]);
  return true;
}

static uint64_t size_of_type(uint64_t type) {
  static const uint8_t sizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
  return type >= 12 ? (type - 12) / 2 : sizes[type];
}

int st_record_read(const unsigned char *record, uint64_t size, st_field *out, int most) {
  uint64_t head, type;
  int count = 0;
  const unsigned char *at = varint(record, record + size, &head);
  if (!at || head > size || head < (uint64_t)(at - record)) return -1;
  const unsigned char *body = record + head, *end = record + size;
  while (at && at < record + head) {
    at = varint(at, record + head, &type);
    if (!at || count == most || type == 10 || type == 11 || size_of_type(type) > (uint64_t)(end - body)) return -1;
    if (!read_field(type, body, &out[count++])) return -1;
    body += size_of_type(type);
  }
  return body == end ? count : -1;
}
