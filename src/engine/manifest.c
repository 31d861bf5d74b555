/* manifest.c - see manifest.h. */
#include "engine/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/json.h"

#define MANIFEST_MAX (4 << 20)
#define PIECE (256 << 10)

bool st_manifest_path(const char *backup, char out[4096]) { return snprintf(out, 4096, "%s.json", backup) < 4096; }

/* ---- Writing ---- */

static void add_text(st_str *out, const char *name, const char *text) {
  st_str_addf(out, "\"%s\":", name);
  st_json_add_string(out, text, strlen(text));
}

static void write_manifest(st_str *out, const st_manifest *manifest) {
  char made[ST_TIME_MAX] = "";
  st_time_rfc3339(manifest->made, made);
  st_str_addz(out, "{");
  add_text(out, "stele", STELE_VERSION);
  st_str_addz(out, ",");
  add_text(out, "store", manifest->store);
  st_str_addf(out, ",\"version\":%d,\"made_at\":\"%s\",\"bytes\":%lld,\"sha256\":\"%s\",\"tables\":[", manifest->version, made,
              (long long)manifest->bytes, manifest->sha256);
  for (size_t i = 0; i < manifest->contents.count; i++) {
    const st_table_contents *table = &manifest->contents.tables[i];
    st_str_addz(out, i ? ",\n{" : "\n{");
    add_text(out, "name", table->name);
    st_str_addf(out, ",\"rows\":%lld,\"sha256\":\"%s\"}", (long long)table->rows, table->sha256);
  }
  st_str_addz(out, "]}\n");
}

stele_status st_manifest_write(const char *backup, const st_manifest *manifest, char problem[ST_PROBLEM_MAX]) {
  char path[4096];
  st_str text;
  stele_status status = STELE_NOMEM;
  if (!st_manifest_path(backup, path)) return errno = ENAMETOOLONG, st_file_failed(backup, problem);
  st_str_init(&text, MANIFEST_MAX);
  write_manifest(&text, manifest);
  if (text.failed) snprintf(problem, ST_PROBLEM_MAX, "out of memory");
  else status = st_write_new(path, text.text, text.length, problem);
  st_str_free(&text);
  return status;
}

/* ---- Reading ---- */

static bool take_text(const st_json *from, const char *name, char *out, size_t size) {
  const st_json *member = st_json_get(from, name);
  if (!member || member->type != ST_JSON_STRING || member->length >= size || strlen(member->text) != member->length) return false;
  memcpy(out, member->text, member->length + 1);
  return true;
}

static bool take_number(const st_json *from, const char *name, int64_t *out) {
  const st_json *member = st_json_get(from, name);
  if (!member || member->type != ST_JSON_INT) return false;
  *out = member->integer;
  return true;
}

static bool take_table(const st_json *from, st_contents *out, bool *nomem) {
  char name[400], sha256[ST_SHA256_TEXT];
  int64_t rows;
  if (!take_text(from, "name", name, sizeof name) || !take_text(from, "sha256", sha256, sizeof sha256) || !take_number(from, "rows", &rows))
    return false;
  st_table_contents *table = st_contents_add(out, name);
  *nomem = !table;
  if (!table) return false;
  table->rows = rows;
  memcpy(table->sha256, sha256, sizeof sha256);
  return true;
}

static bool take_all(const st_json *from, st_manifest *out, bool *nomem) {
  char made[ST_TIME_MAX];
  int64_t version;
  if (from->type != ST_JSON_OBJECT || !take_text(from, "store", out->store, sizeof out->store) ||
      !take_text(from, "sha256", out->sha256, sizeof out->sha256) || !take_number(from, "bytes", &out->bytes) ||
      !take_number(from, "version", &version) || !take_text(from, "made_at", made, sizeof made) ||
      !st_time_parse(made, strlen(made), &out->made))
    return false;
  out->version = (int)version;
  const st_json *tables = st_json_get(from, "tables");
  if (!tables || tables->type != ST_JSON_ARRAY) return false;
  for (const st_json *each = tables->first; each; each = each->next)
    if (each->type != ST_JSON_OBJECT || !take_table(each, &out->contents, nomem)) return false;
  return true;
}

static stele_status parse(const char *path, const char *text, size_t length, st_manifest *out, char problem[ST_PROBLEM_MAX]) {
  st_arena arena;
  st_json_error error = {.nomem = false};
  bool nomem = false;
  st_arena_init(&arena, 16 * MANIFEST_MAX);
  const st_json *read = st_json_parse(&arena, text, length, 0, &error);
  stele_status status = read && take_all(read, out, &nomem) ? STELE_OK : nomem || error.nomem ? STELE_NOMEM : STELE_FORMAT;
  if (status != STELE_OK)
    snprintf(problem, ST_PROBLEM_MAX, status == STELE_NOMEM ? "out of memory" : "%.300s is not what Stele writes beside a backup", path);
  if (status != STELE_OK) st_contents_free(&out->contents);
  st_arena_free(&arena);
  return status;
}

stele_status st_manifest_read(const char *backup, st_manifest *out, char problem[ST_PROBLEM_MAX]) {
  char path[4096];
  struct stat about;
  *out = (st_manifest){.version = 0};
  if (!st_manifest_path(backup, path)) return errno = ENAMETOOLONG, st_file_failed(backup, problem);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return STELE_NOTFOUND;
  stele_status status = fd >= 0 && fstat(fd, &about) == 0 ? STELE_OK : st_file_failed(path, problem);
  size_t size = status == STELE_OK && about.st_size < MANIFEST_MAX ? (size_t)about.st_size : 0;
  char *text = status == STELE_OK ? st_alloc(size + 1) : NULL;
  ssize_t got = text ? read(fd, text, size) : 0;
  if (status == STELE_OK && !text) snprintf(problem, ST_PROBLEM_MAX, "out of memory"), status = STELE_NOMEM;
  if (status == STELE_OK && got < 0) status = st_file_failed(path, problem);
  if (status == STELE_OK) status = parse(path, text, (size_t)got, out, problem);
  st_free(text);
  if (fd >= 0) close(fd);
  return status;
}

/* ---- The file itself ---- */

static stele_status read_all(const char *path, int fd, int to, char *piece, const st_watch *watch, st_sha256 *sum, int64_t *bytes,
                             char problem[ST_PROBLEM_MAX]) {
  struct stat about;
  int64_t total = fstat(fd, &about) == 0 ? about.st_size : 0;
  for (ssize_t got; (got = read(fd, piece, PIECE)) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 || (to >= 0 && !st_write_all(to, piece, (size_t)got))) return st_file_failed(path, problem);
    st_sha256_add(sum, piece, (size_t)got);
    *bytes += got;
    if (!st_watch_stops(watch, to < 0 ? "verify" : "restore", *bytes, total)) continue;
    snprintf(problem, ST_PROBLEM_MAX, "it was stopped");
    return STELE_CANCELLED;
  }
  return STELE_OK;
}

stele_status st_file_sha256(const char *path, int to, const st_watch *watch, char out[ST_SHA256_TEXT], int64_t *bytes,
                            char problem[ST_PROBLEM_MAX]) {
  char *piece = st_alloc(PIECE);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  st_sha256 sum;
  *bytes = 0;
  st_sha256_begin(&sum);
  stele_status status = fd < 0 ? st_file_failed(path, problem) : !piece ? STELE_NOMEM : STELE_OK;
  if (status == STELE_OK) status = read_all(path, fd, to, piece, watch, &sum, bytes, problem);
  if (!st_sha256_end(&sum, out) && status == STELE_OK) status = STELE_NOMEM;
  if (status == STELE_NOMEM) snprintf(problem, ST_PROBLEM_MAX, "out of memory");
  if (fd >= 0) close(fd);
  st_free(piece);
  return status;
}
