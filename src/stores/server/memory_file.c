/* memory_file.c - see memory_file.h. */
#include "stores/server/memory_file.h"

#include <string.h>
#include <strings.h>

#include "registry_ids.h"

#define FILE_LIMIT (1u << 20) /* bytes of a file */

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
  if (strncmp(path, ST_MEMORY_ROOT, sizeof ST_MEMORY_ROOT - 1) != 0 ||
      (path[sizeof ST_MEMORY_ROOT - 1] != '/' && path[sizeof ST_MEMORY_ROOT - 1] != '\0'))
    return "must begin with " ST_MEMORY_ROOT;
  if (length > ST_MEMORY_PATH) return "is longer than 1024 bytes";
  for (; *part; part += *part == '/') {
    size_t size = strcspn(part, "/");
    if (size == 0) return "has an empty part";
    if (is_up(part, size) || strncasecmp(part, "%2f", 3) == 0) return "must not lead out of " ST_MEMORY_ROOT;
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

st_place st_memory_place_at(st_call *call, const char *path) {
  return (st_place){path, join(call, path, '/'), join(call, path, '/' + 1)};
}

/* The place that a parameter names. */
st_place st_memory_place(st_call *call, int param, const char *name) {
  const char *said = st_arg_text(call, param);
  size_t length = said ? strlen(said) : 0;
  while (length > 1 && said[length - 1] == '/') length--; /* a directory may be said so */
  char *path = said ? st_call_copy(call, said, length) : NULL;
  const char *problem = path ? path_problem(path, length) : NULL;
  if (path && is_odd(path)) /* not repeated: a message is one line */
    st_fail(call, STELE_INVALID, name, "%s holds a control character or a backslash", name);
  if (problem) st_fail(call, STELE_INVALID, name, "%s %s, not %.200s", name, problem, said);
  if (problem) st_hint(call, "such as " ST_MEMORY_ROOT "/notes.md");
  return st_ok(call) ? st_memory_place_at(call, path) : (st_place){0};
}

/* ---- What is there ---- */

/* The content of a file; false: there is none. */
bool st_memory_read(st_call *call, const char *path, st_value *content) {
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

void st_memory_list(st_call *call, st_rows *rows, const st_place *at, int64_t limit) {
  st_value args[3];
  args[ST_P_SERVER_LIST_MEMORY_FIRST] = st_textz(at->first);
  args[ST_P_SERVER_LIST_MEMORY_BEHIND] = st_textz(at->behind);
  args[ST_P_SERVER_LIST_MEMORY_LIMIT] = st_int(limit);
  st_rows_start(call, rows, STELE_M_SERVER_LIST_MEMORY, args);
}

bool st_memory_is_directory(st_call *call, const st_place *at) {
  st_rows rows;
  st_memory_list(call, &rows, at, 1);
  bool found = st_rows_next(call, &rows);
  st_rows_end(call, &rows);
  return found || strcmp(at->path, ST_MEMORY_ROOT) == 0;
}

void st_memory_not_there(st_call *call, const char *name, const char *path) {
  st_fail(call, STELE_NOTFOUND, name, "The path %s does not exist. Please provide a valid path.", path);
  st_hint(call, "view " ST_MEMORY_ROOT " to see what is there");
}

/* The content of a file that must be there. */
bool st_memory_need(st_call *call, const st_place *at, st_value *content) {
  if (!at->path || st_memory_read(call, at->path, content)) return st_ok(call);
  if (st_ok(call) && st_memory_is_directory(call, at))
    st_fail(call, STELE_INVALID, "path", "The path %s is a directory: only files can be edited.", at->path);
  st_memory_not_there(call, "path", at->path);
  return false;
}

/* Something new may be at a place where neither a file nor a directory is, nor a file on the way. */
void st_memory_need_free(st_call *call, const st_place *at, const char *name) {
  st_value content;
  const char *slash = at->path;
  if (!st_ok(call)) return;
  if (st_memory_read(call, at->path, &content))
    st_fail(call, STELE_INVALID, name, "%s: File %s already exists", name, at->path);
  if (st_ok(call) && st_memory_is_directory(call, at))
    st_fail(call, STELE_INVALID, name, "%s: %s is a directory", name, at->path);
  while (st_ok(call) && (slash = strchr(slash + 1, '/')) != NULL) {
    char *way = st_call_copy(call, at->path, (size_t)(slash - at->path));
    if (way && st_memory_read(call, way, &content))
      st_fail(call, STELE_INVALID, name, "%s: %s is a file, so nothing can be in it", name, way);
  }
}

void st_memory_write(st_call *call, const char *path, const char *content, size_t length, const st_value *now) {
  st_value args[4];
  if (st_ok(call) && length > FILE_LIMIT) {
    st_fail(call, STELE_INVALID, "path", "path: %s would have %zu bytes; at most %u are allowed", path, length,
            FILE_LIMIT);
    st_hint(call, "put it into several files");
  }
  args[ST_P_SERVER_WRITE_MEMORY_PATH] = st_textz(path);
  args[ST_P_SERVER_WRITE_MEMORY_CONTENT] = (st_value){.type = ST_TEXT, .bytes = content, .length = length};
  args[ST_P_SERVER_WRITE_MEMORY_BYTES] = st_int((int64_t)length);
  args[ST_P_SERVER_WRITE_MEMORY_NOW] = *now;
  st_run(call, STELE_M_SERVER_WRITE_MEMORY, args);
}

/* What is said, in the call's memory. */
st_value st_memory_said(st_call *call, st_str *out) {
  st_value value = {.type = ST_NULL};
  if (out->failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (st_ok(call))
    value = (st_value){.type = ST_TEXT, .bytes = st_call_copy(call, out->text, out->length), .length = out->length};
  st_str_free(out);
  return value;
}
