/* memory.c - memory files: text files that are rows of a table.  A directory is there because a file is in
** it; /memories always is.  No path leads anywhere else, as there is no file system behind it. */
#include "stores/server/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "registry_ids.h"

#define ROOT "/memories"
#define PATH_LIMIT 1024        /* bytes of a path */
#define FILE_LIMIT (1u << 20)  /* bytes of a file */
#define FILES_LIMIT 10000      /* in all */
#define LINES_LIMIT 999999     /* that can be shown: numbers have six digits */
#define AROUND 4               /* lines shown before and behind a change */
#define TEXT_LIMIT (32u << 20) /* of what is said */

/* A place, and the range of paths below it: from "place/" on, before "place0". */
typedef struct place {
  const char *path; /* NULL: it was refused */
  const char *first, *behind;
} place;

/* ---- Paths ---- */

static bool is_odd(const char *path) {
  for (const unsigned char *c = (const unsigned char *)path; *c; c++)
    if (*c < 0x20 || *c == 0x7F || *c == '\\') return true;
  return false;
}

/* Parts of a path that lead upwards are refused, also in the ways that web addresses have to write them. */
static bool is_up(const char *part, size_t length) {
  size_t dots = 0, at = 0;
  while (at < length) {
    if (part[at] == '.')
      at++;
    else if (at + 3 <= length && strncasecmp(part + at, "%2e", 3) == 0)
      at += 3;
    else
      return false;
    dots++;
  }
  return dots == 1 || dots == 2;
}

static const char *path_problem(const char *path, size_t length) {
  const char *part = path + 1;
  if (strncmp(path, ROOT, sizeof ROOT - 1) != 0 || (path[sizeof ROOT - 1] != '/' && path[sizeof ROOT - 1] != '\0'))
    return "must begin with " ROOT;
  if (length > PATH_LIMIT) return "is longer than 1024 bytes";
  for (; *part; part += *part == '/') {
    size_t size = strcspn(part, "/");
    if (size == 0) return "has an empty part";
    if (is_up(part, size) || strncasecmp(part, "%2f", 3) == 0) return "must not lead out of " ROOT;
    part += size;
  }
  return NULL;
}

static char *join(st_call *call, const char *path, char behind) {
  size_t length = strlen(path);
  char *text = st_call_alloc(call, length + 2);
  if (!text) return NULL;
  memcpy(text, path, length);
  text[length] = behind;
  text[length + 1] = '\0';
  return text;
}

static place place_at(st_call *call, const char *path) {
  return (place){path, join(call, path, '/'), join(call, path, '/' + 1)};
}

/* The place that a parameter names. */
static place place_of(st_call *call, int param, const char *name) {
  const char *said = st_arg_text(call, param);
  size_t length = said ? strlen(said) : 0;
  while (length > 1 && said[length - 1] == '/') length--; /* a directory may be said so */
  char *path = said ? st_call_copy(call, said, length) : NULL;
  const char *problem = path ? path_problem(path, length) : NULL;
  if (path && is_odd(path)) /* not repeated: a message is one line */
    st_fail(call, STELE_INVALID, name, "%s holds a control character or a backslash", name);
  if (problem) st_fail(call, STELE_INVALID, name, "%s %s, not %.200s", name, problem, said);
  if (problem) st_hint(call, "such as " ROOT "/notes.md");
  return st_ok(call) ? place_at(call, path) : (place){0};
}

/* ---- What is there ---- */

/* The content of a file; false: there is none. */
static bool read_file(st_call *call, const char *path, st_value *content) {
  st_rows rows;
  bool found = false;
  st_rows_start(call, &rows, STELE_M_SERVER_READ_MEMORY, (const st_value[]){st_textz(path)});
  if (st_rows_next(call, &rows)) {
    found = true;
    st_rows_value(call, &rows, ST_R_SERVER_READ_MEMORY_CONTENT, content);
    content->bytes = st_call_copy(call, content->bytes, content->length);
  }
  st_rows_end(call, &rows);
  return found && st_ok(call);
}

static void list_files(st_call *call, st_rows *rows, const place *at, int64_t limit) {
  st_value args[3];
  args[ST_P_SERVER_LIST_MEMORY_FIRST] = st_textz(at->first);
  args[ST_P_SERVER_LIST_MEMORY_BEHIND] = st_textz(at->behind);
  args[ST_P_SERVER_LIST_MEMORY_LIMIT] = st_int(limit);
  st_rows_start(call, rows, STELE_M_SERVER_LIST_MEMORY, args);
}

static bool is_directory(st_call *call, const place *at) {
  st_rows rows;
  list_files(call, &rows, at, 1);
  bool found = st_rows_next(call, &rows);
  st_rows_end(call, &rows);
  return found || strcmp(at->path, ROOT) == 0;
}

static void not_there(st_call *call, const char *name, const char *path) {
  st_fail(call, STELE_NOTFOUND, name, "The path %s does not exist. Please provide a valid path.", path);
  st_hint(call, "view " ROOT " to see what is there");
}

/* The content of a file that must be there. */
static bool need_file(st_call *call, const place *at, st_value *content) {
  if (!at->path || read_file(call, at->path, content)) return st_ok(call);
  if (st_ok(call) && is_directory(call, at))
    st_fail(call, STELE_INVALID, "path", "The path %s is a directory: only files can be edited.", at->path);
  not_there(call, "path", at->path);
  return false;
}

/* Something new may be at a place where neither a file nor a directory is, nor a file on the way. */
static void need_free(st_call *call, const place *at, const char *name) {
  st_value content;
  const char *slash = at->path;
  if (!st_ok(call)) return;
  if (read_file(call, at->path, &content)) st_fail(call, STELE_INVALID, name, "%s: File %s already exists", name, at->path);
  if (st_ok(call) && is_directory(call, at))
    st_fail(call, STELE_INVALID, name, "%s: %s is a directory", name, at->path);
  while (st_ok(call) && (slash = strchr(slash + 1, '/')) != NULL) {
    char *way = st_call_copy(call, at->path, (size_t)(slash - at->path));
    if (way && read_file(call, way, &content))
      st_fail(call, STELE_INVALID, name, "%s: %s is a file, so nothing can be in it", name, way);
  }
}

static void write_file(st_call *call, const char *path, const char *content, size_t length, const st_value *now) {
  st_value args[3];
  if (st_ok(call) && length > FILE_LIMIT) {
    st_fail(call, STELE_INVALID, "path", "path: %s would have %zu bytes; at most %u are allowed", path, length, FILE_LIMIT);
    st_hint(call, "put it into several files");
  }
  args[ST_P_SERVER_WRITE_MEMORY_PATH] = st_textz(path);
  args[ST_P_SERVER_WRITE_MEMORY_CONTENT] = (st_value){.type = ST_TEXT, .bytes = content, .length = length};
  args[ST_P_SERVER_WRITE_MEMORY_NOW] = *now;
  st_run(call, STELE_M_SERVER_WRITE_MEMORY, args);
}

/* ---- Lines ---- */

/* The lines of a text; a line end at its end begins no further line. */
static int64_t count_lines(const char *text, size_t length) {
  int64_t lines = 0;
  for (const char *at = text, *end = text + length; at < end; lines++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    at = stop ? stop + 1 : end;
  }
  return lines;
}

/* Where the line of that number (from 1) begins; the end if there are fewer. */
static const char *line_at(const char *text, size_t length, int64_t number) {
  const char *at = text, *end = text + length;
  for (; number > 1 && at < end; number--) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    at = stop ? stop + 1 : end;
  }
  return at;
}

static void put_lines(st_str *out, const char *text, size_t length, int64_t from, int64_t to) {
  const char *at = line_at(text, length, from), *end = text + length;
  for (int64_t number = from; number <= to && at < end; number++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t size = (size_t)((stop ? stop : end) - at);
    st_str_addf(out, "%s%6" PRId64 "\t", number == from ? "" : "\n", number);
    st_str_add(out, at, size);
    at += size + (stop ? 1 : 0);
  }
}

/* What is said, in the call's memory. */
static st_value said(st_call *call, st_str *out) {
  st_value value = {.type = ST_NULL};
  if (out->failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (st_ok(call)) value = (st_value){.type = ST_TEXT, .bytes = st_call_copy(call, out->text, out->length), .length = out->length};
  st_str_free(out);
  return value;
}

/* ---- view ---- */

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

static void put_entries(st_str *out, const place *at, const listing *l, int64_t total) {
  st_str_addf(out, "Here're the files and directories up to 2 levels deep in %s, excluding hidden items and node_modules:\n", at->path);
  put_size(out, total);
  st_str_addf(out, "\t%s", at->path);
  for (const entry *e = l->first; e; e = e->next) {
    st_str_addc(out, '\n');
    put_size(out, e->bytes);
    st_str_addc(out, '\t');
    st_str_add(out, e->path, e->length);
  }
}

static void view_directory(st_call *call, const place *at, st_str *out) {
  listing l = {0};
  st_rows rows;
  int64_t total = 0;
  if (call->args[ST_P_SERVER_MEMORY_VIEW_VIEW_RANGE].type == ST_LIST)
    st_fail(call, STELE_INVALID, "view_range", "view_range is for files, and %s is a directory", at->path);
  list_files(call, &rows, at, FILES_LIMIT);
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

static void view_file(st_call *call, const place *at, const st_value *content, st_str *out) {
  const st_value *range = &call->args[ST_P_SERVER_MEMORY_VIEW_VIEW_RANGE];
  int64_t lines = count_lines(content->bytes, content->length), from = 1, to = lines;
  if (lines > LINES_LIMIT)
    st_fail(call, STELE_INVALID, "path", "path: File %s exceeds maximum line limit of 999,999 lines.", at->path);
  if (range->type == ST_LIST) {
    bool two = range->count == 2;
    from = two ? range->items[0].integer : 0;
    to = two && range->items[1].integer != -1 ? range->items[1].integer : lines;
    if (!two || from < 1 || to < from || to > lines)
      st_fail(call, STELE_INVALID, "view_range",
              "view_range must be two lines of the file: [first, last] within [1, %" PRId64 "], or -1 as the last", lines);
  }
  st_str_addf(out, "Here's the content of %s with line numbers:\n", at->path);
  put_lines(out, content->bytes, content->length, from, to);
}

void st_server_memory_view(st_call *call) {
  place at = place_of(call, ST_P_SERVER_MEMORY_VIEW_PATH, "path");
  st_value content = {.type = ST_NULL};
  st_str out;
  if (!at.path) return;
  st_str_init(&out, TEXT_LIMIT);
  bool file = read_file(call, at.path, &content);
  if (file)
    view_file(call, &at, &content, &out);
  else if (st_ok(call) && is_directory(call, &at))
    view_directory(call, &at, &out);
  else if (st_ok(call))
    not_there(call, "path", at.path);
  st_value text = said(call, &out), *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_SERVER_MEMORY_VIEW_PATH] = st_textz(at.path);
  reply[ST_R_SERVER_MEMORY_VIEW_KIND] = st_textz(file ? "file" : "directory");
  reply[ST_R_SERVER_MEMORY_VIEW_TEXT] = text;
}

/* ---- create ---- */

static void need_room(st_call *call) {
  st_rows rows;
  int64_t count = 0;
  place root = place_at(call, ROOT);
  list_files(call, &rows, &root, FILES_LIMIT);
  while (st_rows_next(call, &rows)) count++;
  st_rows_end(call, &rows);
  if (count < FILES_LIMIT) return;
  st_fail(call, STELE_INVALID, "path", "path: there are %d memory files already, and no more are allowed", FILES_LIMIT);
  st_hint(call, "delete what is no longer needed");
}

void st_server_memory_create(st_call *call) {
  place at = place_of(call, ST_P_SERVER_MEMORY_CREATE_PATH, "path");
  const st_value *text = &call->args[ST_P_SERVER_MEMORY_CREATE_FILE_TEXT];
  st_str out;
  if (!at.path) return;
  need_free(call, &at, "path");
  need_room(call);
  write_file(call, at.path, text->bytes, text->length, &call->args[ST_P_SERVER_MEMORY_CREATE_NOW]);
  st_str_init(&out, TEXT_LIMIT);
  st_str_addf(&out, "File created successfully at: %s", at.path);
  st_value told = said(call, &out), *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_SERVER_MEMORY_CREATE_PATH] = st_textz(at.path);
  reply[ST_R_SERVER_MEMORY_CREATE_TEXT] = told;
}

/* ---- str_replace, insert: a piece of a file is exchanged ---- */

typedef struct edit {
  place at;
  st_value content; /* before */
  size_t start, end; /* what goes */
  const char *text;  /* what comes */
  size_t length;
  const char *done; /* what is said first */
} edit;

/* Write the file with the piece exchanged, and say what it looks like there now. */
static st_value make_edit(st_call *call, const edit *e, const st_value *now) {
  size_t rest = e->content.length - e->end, length = e->start + e->length + rest;
  char *text = st_call_alloc(call, length + 1);
  st_str out;
  st_str_init(&out, TEXT_LIMIT);
  if (text) {
    memcpy(text, e->content.bytes, e->start);
    memcpy(text + e->start, e->text, e->length);
    memcpy(text + e->start + e->length, e->content.bytes + e->end, rest);
    text[length] = '\0';
    write_file(call, e->at.path, text, length, now);
    int64_t first = count_lines(text, e->start) + (e->start == 0 || text[e->start - 1] == '\n');
    int64_t last = first + count_lines(e->text, e->length);
    st_str_addf(&out, "%s Here's the result around the change:\n", e->done);
    put_lines(&out, text, length, first > AROUND ? first - AROUND : 1, last + AROUND);
  }
  return said(call, &out);
}

/* The lines in which a text begins, for the message that there are several. */
static void too_many(st_call *call, const edit *e, const st_value *old) {
  char lines[200];
  size_t used = 0;
  const char *at = e->content.bytes, *end = at + e->content.length;
  while (used < sizeof lines - 24 && (at = memmem(at, (size_t)(end - at), old->bytes, old->length)) != NULL) {
    int64_t line = count_lines(e->content.bytes, (size_t)(at - e->content.bytes) + 1);
    used += (size_t)snprintf(lines + used, sizeof lines - used, "%s%" PRId64, used ? ", " : "", line);
    at++;
  }
  st_fail(call, STELE_INVALID, "old_str",
          "No replacement was performed. Multiple occurrences of old_str in lines: %s. Please ensure it is unique", lines);
  st_hint(call, "take more of the text around it into old_str");
}

/* What of a text a message, which is one line, can repeat. */
static int first_line(const st_value *text) {
  size_t length = strcspn(text->bytes, "\n\r");
  return length < 200 ? (int)length : 200;
}

static bool find_once(st_call *call, edit *e, const st_value *old) {
  const char *text = e->content.bytes, *end = text + e->content.length;
  if (old->length == 0) {
    st_fail(call, STELE_INVALID, "old_str", "old_str must not be empty");
    return false;
  }
  const char *at = memmem(text, e->content.length, old->bytes, old->length);
  if (!at) {
    st_fail(call, STELE_INVALID, "old_str", "No replacement was performed, old_str `%.*s` did not appear verbatim in %s.",
            first_line(old), old->bytes, e->at.path);
    st_hint(call, "view the file: old_str must be what stands there, without line numbers");
    return false;
  }
  if (memmem(at + 1, (size_t)(end - at - 1), old->bytes, old->length)) {
    too_many(call, e, old);
    return false;
  }
  e->start = (size_t)(at - text);
  e->end = e->start + old->length;
  return true;
}

void st_server_memory_str_replace(st_call *call) {
  const st_value *now = &call->args[ST_P_SERVER_MEMORY_STR_REPLACE_NOW];
  const st_value *text = &call->args[ST_P_SERVER_MEMORY_STR_REPLACE_NEW_STR];
  edit e = {.at = place_of(call, ST_P_SERVER_MEMORY_STR_REPLACE_PATH, "path"),
            .text = text->bytes,
            .length = text->length,
            .done = "The memory file has been edited."};
  if (!need_file(call, &e.at, &e.content) || !find_once(call, &e, &call->args[ST_P_SERVER_MEMORY_STR_REPLACE_OLD_STR])) return;
  st_value told = make_edit(call, &e, now), *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_SERVER_MEMORY_STR_REPLACE_PATH] = st_textz(e.at.path);
  reply[ST_R_SERVER_MEMORY_STR_REPLACE_TEXT] = told;
}

/* The text as whole lines between those that are there. */
static void place_lines(st_call *call, edit *e, int64_t line, const st_value *text) {
  const char *bytes = e->content.bytes;
  e->start = e->end = (size_t)(line_at(bytes, e->content.length, line + 1) - bytes);
  bool open_before = e->start > 0 && bytes[e->start - 1] != '\n';
  bool open_behind = e->start < e->content.length && (text->length == 0 || text->bytes[text->length - 1] != '\n');
  char *whole = st_call_alloc(call, text->length + 3);
  if (!whole) return;
  size_t length = 0;
  if (open_before) whole[length++] = '\n';
  memcpy(whole + length, text->bytes, text->length);
  length += text->length;
  if (open_behind) whole[length++] = '\n';
  e->text = whole;
  e->length = length;
}

void st_server_memory_insert(st_call *call) {
  int64_t line = st_arg_int(call, ST_P_SERVER_MEMORY_INSERT_INSERT_LINE);
  char done[PATH_LIMIT + 40];
  edit e = {.at = place_of(call, ST_P_SERVER_MEMORY_INSERT_PATH, "path"), .done = done};
  if (!need_file(call, &e.at, &e.content)) return;
  int64_t lines = count_lines(e.content.bytes, e.content.length);
  if (line < 0 || line > lines) {
    st_fail(call, STELE_INVALID, "insert_line",
            "Invalid `insert_line` parameter: %" PRId64 ". It should be within the range of lines of the file: [0, %" PRId64 "]", line,
            lines);
    return;
  }
  place_lines(call, &e, line, &call->args[ST_P_SERVER_MEMORY_INSERT_INSERT_TEXT]);
  snprintf(done, sizeof done, "The file %s has been edited.", e.at.path);
  if (!st_ok(call)) return;
  st_value told = make_edit(call, &e, &call->args[ST_P_SERVER_MEMORY_INSERT_NOW]), *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_SERVER_MEMORY_INSERT_PATH] = st_textz(e.at.path);
  reply[ST_R_SERVER_MEMORY_INSERT_TEXT] = told;
}

/* ---- delete, rename ---- */

static void not_root(st_call *call, const place *at, const char *name) {
  if (at->path && strcmp(at->path, ROOT) == 0)
    st_fail(call, STELE_INVALID, name, "%s must be something in " ROOT ", not all of it", name);
}

void st_server_memory_delete(st_call *call) {
  place at = place_of(call, ST_P_SERVER_MEMORY_DELETE_PATH, "path");
  st_value args[3];
  st_str out;
  not_root(call, &at, "path");
  if (!st_ok(call)) return;
  args[ST_P_SERVER_REMOVE_MEMORY_PATH] = st_textz(at.path);
  args[ST_P_SERVER_REMOVE_MEMORY_FIRST] = st_textz(at.first);
  args[ST_P_SERVER_REMOVE_MEMORY_BEHIND] = st_textz(at.behind);
  int64_t deleted = st_run(call, STELE_M_SERVER_REMOVE_MEMORY, args);
  if (st_ok(call) && deleted == 0) not_there(call, "path", at.path);
  st_str_init(&out, TEXT_LIMIT);
  st_str_addf(&out, "Successfully deleted %s", at.path);
  st_value told = said(call, &out), *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_SERVER_MEMORY_DELETE_PATH] = st_textz(at.path);
  reply[ST_R_SERVER_MEMORY_DELETE_DELETED] = st_int(deleted);
  reply[ST_R_SERVER_MEMORY_DELETE_TEXT] = told;
}

static int64_t move(st_call *call, const place *from, const place *to) {
  st_value args[5];
  if (!st_ok(call)) return 0;
  args[ST_P_SERVER_MOVE_MEMORY_PATH] = st_textz(from->path);
  args[ST_P_SERVER_MOVE_MEMORY_FIRST] = st_textz(from->first);
  args[ST_P_SERVER_MOVE_MEMORY_BEHIND] = st_textz(from->behind);
  args[ST_P_SERVER_MOVE_MEMORY_TO] = st_textz(to->path);
  args[ST_P_SERVER_MOVE_MEMORY_NOW] = call->args[ST_P_SERVER_MEMORY_RENAME_NOW];
  return st_run(call, STELE_M_SERVER_MOVE_MEMORY, args);
}

/* The paths of what is in a directory grow with it. */
static void need_short(st_call *call, const place *from, const place *to) {
  st_rows rows;
  st_value path;
  list_files(call, &rows, from, FILES_LIMIT);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_SERVER_LIST_MEMORY_PATH, &path);
    if (path.length - strlen(from->path) + strlen(to->path) > PATH_LIMIT)
      st_fail(call, STELE_INVALID, "new_path", "new_path makes the path of a file longer than %d bytes", PATH_LIMIT);
  }
  st_rows_end(call, &rows);
}

void st_server_memory_rename(st_call *call) {
  place from = place_of(call, ST_P_SERVER_MEMORY_RENAME_OLD_PATH, "old_path");
  place to = place_of(call, ST_P_SERVER_MEMORY_RENAME_NEW_PATH, "new_path");
  st_value content;
  st_str out;
  not_root(call, &from, "old_path");
  not_root(call, &to, "new_path");
  if (st_ok(call) && !read_file(call, from.path, &content) && !is_directory(call, &from)) not_there(call, "old_path", from.path);
  if (st_ok(call) && strncmp(to.path, from.first, strlen(from.first)) == 0)
    st_fail(call, STELE_INVALID, "new_path", "new_path %s is inside of %s", to.path, from.path);
  need_free(call, &to, "new_path");
  if (st_ok(call)) need_short(call, &from, &to);
  int64_t moved = move(call, &from, &to);
  if (!st_ok(call)) return;
  st_str_init(&out, TEXT_LIMIT);
  st_str_addf(&out, "Successfully renamed %s to %s", from.path, to.path);
  st_value told = said(call, &out), *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_SERVER_MEMORY_RENAME_PATH] = st_textz(to.path);
  reply[ST_R_SERVER_MEMORY_RENAME_MOVED] = st_int(moved);
  reply[ST_R_SERVER_MEMORY_RENAME_TEXT] = told;
}
