/* memory_view.c - a memory file with line numbers, or what is in a directory. */
#include <inttypes.h>
#include <string.h>

#include "registry_ids.h"
#include "stores/server/lines.h"
#include "stores/server/memory.h"
#include "stores/server/memory_file.h"

#define LINES_LIMIT 999999 /* that can be shown: numbers have six digits */

/* An entry of a directory that is shown: a file, or a directory with all that is in it. */
typedef struct entry entry;
struct entry {
  const char *path;
  size_t length;
  int64_t bytes;
  entry *next;
};

typedef struct listing {
  entry *first, *last;
  entry *open[2]; /* the directory of each level that the last file was in */
} listing;

static entry *add_entry(st_call *call, listing *l, const char *path, size_t length) {
  entry *e = st_call_alloc(call, sizeof *e);
  if (!e) return NULL;
  *e = (entry){.path = path, .length = length};
  if (l->last)
    l->last->next = e;
  else
    l->first = e;
  l->last = e;
  return e;
}

static bool is_hidden(const char *part, size_t length) {
  return part[0] == '.' || (length == 12 && memcmp(part, "node_modules", 12) == 0);
}

/* Files come sorted, so those of a directory come together. */
static void add_file(st_call *call, listing *l, const char *path, size_t root, int64_t bytes) {
  const char *part = path + root;
  for (int level = 0; level < 2; level++) {
    size_t size = strcspn(part, "/"), length = (size_t)(part - path) + size;
    entry *e = l->open[level];
    if (is_hidden(part, size)) return;
    bool same = part[size] && e && e->length == length && memcmp(e->path, path, length) == 0;
    if (!same) e = l->open[level] = add_entry(call, l, path, length);
    if (!same && level == 0) l->open[1] = NULL;
    if (e) e->bytes += bytes;
    if (!part[size]) return;
    part += size + 1;
  }
}

static void put_size(st_str *out, int64_t bytes) {
  if (bytes < 1024)
    st_str_addf(out, "%" PRId64 "B", bytes);
  else if (bytes < 1024 * 1024)
    st_str_addf(out, "%.1fK", (double)bytes / 1024);
  else
    st_str_addf(out, "%.1fM", (double)bytes / 1024 / 1024);
}

static void put_entries(st_str *out, const st_place *at, const listing *l, int64_t total) {
  st_str_addf(out,
              "Here're the files and directories up to 2 levels deep in %s, excluding hidden items and node_modules:\n",
              at->path);
  put_size(out, total);
  st_str_addf(out, "\t%s", at->path);
  for (const entry *e = l->first; e; e = e->next) {
    st_str_addc(out, '\n');
    put_size(out, e->bytes);
    st_str_addc(out, '\t');
    st_str_add(out, e->path, e->length);
  }
}

static void view_directory(st_call *call, const st_place *at, st_str *out) {
  listing l = {0};
  st_rows rows;
  int64_t total = 0;
  if (call->args[ST_P_SERVER_MEMORY_VIEW_VIEW_RANGE].type == ST_LIST)
    st_fail(call, STELE_INVALID, "view_range", "view_range is for files, and %s is a directory", at->path);
  st_memory_list(call, &rows, at, ST_MEMORY_FILES);
  while (st_rows_next(call, &rows)) {
    st_value path, bytes;
    st_rows_value(call, &rows, ST_R_SERVER_LIST_MEMORY_PATH, &path);
    st_rows_value(call, &rows, ST_R_SERVER_LIST_MEMORY_BYTES, &bytes);
    const char *copy = st_call_copy(call, path.bytes, path.length);
    if (copy) add_file(call, &l, copy, strlen(at->first), bytes.integer);
    total += bytes.integer;
  }
  st_rows_end(call, &rows);
  put_entries(out, at, &l, total);
}

static void view_file(st_call *call, const st_place *at, const st_value *content, st_str *out) {
  const st_value *range = &call->args[ST_P_SERVER_MEMORY_VIEW_VIEW_RANGE];
  int64_t lines = st_lines_count(content->bytes, content->length), from = 1, to = lines;
  if (lines > LINES_LIMIT)
    st_fail(call, STELE_INVALID, "path", "path: File %s exceeds maximum line limit of 999,999 lines.", at->path);
  if (range->type == ST_LIST) {
    bool two = range->count == 2;
    from = two ? range->items[0].integer : 0;
    to = two && range->items[1].integer != -1 ? range->items[1].integer : lines;
    if (!two || from < 1 || to < from || to > lines)
      st_fail(call, STELE_INVALID, "view_range",
              "view_range must be two lines of the file: [first, last] within [1, %" PRId64 "], or -1 as the last",
              lines);
  }
  st_str_addf(out, "Here's the content of %s with line numbers:\n", at->path);
  st_lines_put(out, content->bytes, content->length, from, to);
}

void st_server_memory_view(st_call *call) {
  st_place at = st_memory_place(call, ST_P_SERVER_MEMORY_VIEW_PATH, "path");
  st_value content = {.type = ST_NULL};
  st_str out;
  if (!at.path) return;
  st_str_init(&out, ST_MEMORY_TEXT);
  bool file = st_memory_read(call, at.path, &content);
  if (file)
    view_file(call, &at, &content, &out);
  else if (st_ok(call) && st_memory_is_directory(call, &at))
    view_directory(call, &at, &out);
  else if (st_ok(call))
    st_memory_not_there(call, "path", at.path);
  st_value text = st_memory_said(call, &out), *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_SERVER_MEMORY_VIEW_PATH] = st_textz(at.path);
  reply[ST_R_SERVER_MEMORY_VIEW_KIND] = st_textz(file ? "file" : "directory");
  reply[ST_R_SERVER_MEMORY_VIEW_TEXT] = text;
}
