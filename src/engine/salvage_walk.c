/* salvage_walk.c - trees of a damaged file, from their roots to their rows: see salvage.h. */
#include <string.h>

#include "base/alloc.h"
#include "engine/handle.h"
#include "engine/salvage.h"

#define DEPTH_MAX 30
#define PAGES_PER_LOOK 256

static bool take_page(void *user, uint32_t page) {
  st_salvage *s = user;
  if (!page || page > s->pages.count || s->seen[page]) return false;
  s->seen[page] = 1;
  return true;
}

static bool any_page(void *user, uint32_t page) {
  const st_salvage *s = user;
  return page && page <= s->pages.count;
}

static bool has_room(st_salvage *s, uint64_t size) {
  if (size <= s->room) return true;
  unsigned char *more = st_realloc(s->record, size);
  if (!more) st_fail(s->call, STELE_NOMEM, NULL, "out of memory");
  if (!more) return false;
  s->record = more;
  s->room = size;
  return true;
}

/* The fields of a cell; -1: they cannot be read. */
static int read_cell(st_salvage *s, const st_cell *cell, st_field fields[ST_COLUMNS_MAX]) {
  if (!has_room(s, cell->size + 1)) return -1;
  if (!st_tree_record(&s->pages, cell, s->record, s->looking ? any_page : take_page, s)) return -1;
  return st_record_read(s->record, cell->size, fields, ST_COLUMNS_MAX);
}

void st_salvage_gap(st_salvage *s, st_salvaged *table, st_gap gap) {
  if (!(table->ngaps & (table->ngaps - 1))) { /* it grows at 0, 1, 2, 4, 8 ... */
    st_gap *more = st_call_alloc(s->call, (2 * table->ngaps + 1) * sizeof *more);
    if (!more) return;
    if (table->ngaps) memcpy(more, table->gaps, table->ngaps * sizeof *more);
    table->gaps = more;
  }
  table->gaps[table->ngaps++] = gap;
  table->pages += gap.page != 0;
}

typedef struct walk {
  st_salvage *s;
  st_salvaged *table;
  st_salvage_row *row;
  int64_t looked;
} walk;

static bool stopped(walk *w) {
  st_watch watch = {w->s->call->db->progress, w->s->call->db->user};
  if (++w->looked % PAGES_PER_LOOK == 0 && st_watch_stops(&watch, "salvage", w->looked, w->s->pages.count))
    st_fail(w->s->call, STELE_CANCELLED, NULL, "it was stopped");
  return !st_ok(w->s->call);
}

/* ---- Tables ---- */

st_leaf_rows st_salvage_leaf(st_salvage *s, const st_tree_page *page, st_salvaged *table, st_salvage_row *row) {
  st_field fields[ST_COLUMNS_MAX];
  st_leaf_rows rows = {0, 0, 0};
  for (uint32_t i = 0; i < page->cells && st_ok(s->call); i++) {
    st_cell cell;
    int count = st_tree_cell(&s->pages, page, i, &cell) ? read_cell(s, &cell, fields) : -1;
    if (count < 0) rows.unread++;
    else if (row(s, table, cell.rowid, fields, count)) rows.taken++;
    else rows.misfits++;
  }
  return rows;
}

static bool keep_leaf(walk *w, const st_tree_page *page) {
  st_leaf_rows rows = st_salvage_leaf(w->s, page, w->table, w->row);
  return rows.unread + rows.misfits == 0;
}

/* An inner page is believed as a whole, or not at all. */
static bool is_sound(const walk *w, const st_tree_page *page, st_gap range) {
  int64_t last = range.after;
  if (!any_page(w->s, page->right) || (!page->cells && page->number != 1)) return false; /* SQLite leaves the first alone without cells */
  for (uint32_t i = 0; i < page->cells; i++) {
    st_cell cell;
    if (!st_tree_cell(&w->s->pages, page, i, &cell) || !any_page(w->s, cell.child)) return false;
    if (cell.rowid < last || cell.rowid > range.upto) return false;
    last = cell.rowid;
  }
  return true;
}

static void visit(walk *w, st_gap range, int depth);

static void visit_inner(walk *w, const st_tree_page *page, st_gap range, int depth) {
  int64_t after = range.after;
  for (uint32_t i = 0; i < page->cells && !stopped(w); i++) {
    st_cell cell;
    st_tree_cell(&w->s->pages, page, i, &cell);
    visit(w, (st_gap){after, cell.rowid, cell.child}, depth + 1);
    after = cell.rowid;
  }
  visit(w, (st_gap){after, range.upto, page->right}, depth + 1);
}

/* Rows outside of the range are not of this tree. */
static bool in_range(const st_salvage *s, const st_tree_page *page, st_gap range) {
  st_cell first, last;
  if (!page->cells) return true;
  if (!st_tree_cell(&s->pages, page, 0, &first) || !st_tree_cell(&s->pages, page, page->cells - 1, &last)) return true; /* told by its rows */
  return first.rowid >= range.after && last.rowid <= range.upto;
}

static void visit(walk *w, st_gap range, int depth) {
  st_salvage *s = w->s;
  st_tree_page page;
  if (stopped(w)) return;
  unsigned char *bytes = st_alloc(s->pages.size);
  if (!bytes) st_fail(s->call, STELE_NOMEM, NULL, "out of memory");
  bool read = bytes && depth < DEPTH_MAX && take_page(s, range.page) && st_pages_read(&s->pages, range.page, bytes) &&
              st_tree_page_read(&s->pages, range.page, bytes, &page);
  bool leaf = read && page.kind == ST_TABLE_LEAF && in_range(s, &page, range);
  if (read && page.kind == ST_TABLE_INNER && is_sound(w, &page, range)) {
    visit_inner(w, &page, range, depth);
  } else if (!leaf || !keep_leaf(w, &page)) {
    if (read && !leaf) s->seen[range.page] = 0; /* not from here: something else may lead to it */
    st_salvage_gap(s, w->table, range);
  }
  st_free(bytes);
}

void st_salvage_tree(st_salvage *s, st_salvaged *table, st_salvage_row *row) {
  walk w = {s, table, row, 0};
  visit(&w, (st_gap){INT64_MIN, INT64_MAX, table->root}, 0);
}

/* ---- Indexes, and tables without row numbers ---- */

static void visit_index(walk *w, uint32_t number, int depth) {
  st_salvage *s = w->s;
  st_tree_page page;
  st_field fields[ST_COLUMNS_MAX];
  if (stopped(w)) return;
  unsigned char *bytes = st_alloc(s->pages.size);
  if (!bytes) st_fail(s->call, STELE_NOMEM, NULL, "out of memory");
  bool good = bytes && depth < DEPTH_MAX && take_page(s, number) && st_pages_read(&s->pages, number, bytes) &&
              st_tree_page_read(&s->pages, number, bytes, &page) && (page.kind == ST_INDEX_INNER || page.kind == ST_INDEX_LEAF);
  for (uint32_t i = 0; good && i < page.cells && st_ok(s->call); i++) {
    st_cell cell;
    bool whole = st_tree_cell(&s->pages, &page, i, &cell);
    if (whole && page.kind == ST_INDEX_INNER) visit_index(w, cell.child, depth + 1);
    int count = whole ? read_cell(s, &cell, fields) : -1;
    if (count < 0 || !w->row(s, w->table, 0, fields, count)) w->table->refused++;
  }
  if (good && page.kind == ST_INDEX_INNER) visit_index(w, page.right, depth + 1);
  if (!good) w->table->pages++;
  st_free(bytes);
}

void st_salvage_index(st_salvage *s, st_salvaged *table, uint32_t root, st_salvage_row *row) {
  walk w = {s, table, row, 0};
  visit_index(&w, root, 0);
}

/* ---- What belongs to no tree ---- */

void st_salvage_free_pages(st_salvage *s) {
  unsigned char *bytes = st_alloc(s->pages.size);
  if (!bytes) st_fail(s->call, STELE_NOMEM, NULL, "out of memory");
  for (uint32_t trunk = s->pages.free_list; bytes && take_page(s, trunk) && st_pages_read(&s->pages, trunk, bytes);) {
    uint32_t leaves = st_four_bytes(bytes + 4);
    for (uint32_t i = 0; i < leaves && i < s->pages.usable / 4 - 2; i++) take_page(s, st_four_bytes(bytes + 8 + 4 * i));
    trunk = st_four_bytes(bytes);
  }
  st_free(bytes);
}

/* All of its rows can be read, but for those of which a part is elsewhere, and their numbers rise. */
static bool is_whole_leaf(st_salvage *s, const st_tree_page *page) {
  st_field fields[ST_COLUMNS_MAX];
  int64_t last = INT64_MIN;
  for (uint32_t i = 0; i < page->cells; i++) {
    st_cell cell;
    if (!st_tree_cell(&s->pages, page, i, &cell) || (i && cell.rowid <= last)) return false;
    if (!cell.overflow && read_cell(s, &cell, fields) < 0) return false;
    last = cell.rowid;
  }
  return page->cells > 0;
}

void st_salvage_orphans(st_salvage *s, void (*leaf)(st_salvage *s, const st_tree_page *page)) {
  unsigned char *bytes = st_alloc(s->pages.size);
  if (!bytes) st_fail(s->call, STELE_NOMEM, NULL, "out of memory");
  for (uint32_t n = 1; bytes && n <= s->pages.count && st_ok(s->call); n++) {
    st_tree_page page;
    if (s->seen[n] || !st_pages_read(&s->pages, n, bytes) || !st_tree_page_read(&s->pages, n, bytes, &page)) continue;
    s->looking = true;
    bool whole = page.kind == ST_TABLE_LEAF && is_whole_leaf(s, &page);
    s->looking = false;
    if (whole) leaf(s, &page);
  }
  st_free(bytes);
}
