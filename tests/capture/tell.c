/* tell.c - what the readers tell of a file, as lines of JSON: tell [--state FILE] [--skip LINES] FILE...
**
** --state: what was remembered is read from there and written back.  --skip: the file is read from behind that many lines,
** as if they had been read before. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/drive.h"
#include "capture/readers.h"
#include "capture/stream_zstd.h"

static const char *harness;

static void add(st_str *out, const char *name, st_text text) {
  if (!text.length) return;
  st_str_addf(out, "%s\"%s\":", out->text[out->length - 1] == '{' ? "" : ",", name);
  st_json_add_string(out, text.bytes, text.length);
}

static void add_number(st_str *out, const char *name, double value) {
  if (value == 0) return;
  st_str_addf(out, "%s\"%s\":", out->text[out->length - 1] == '{' ? "" : ",", name);
  st_json_add_real(out, value);
}

static st_str open_line(const char *kind) {
  st_str out;
  st_str_init(&out, SIZE_MAX);
  st_str_addf(&out, "{\"harness\":\"%s\",\"%s\":{", harness, kind);
  return out;
}

static bool print(st_str *out) {
  st_str_addz(out, "}}\n");
  fwrite(out->text, 1, out->length, stdout);
  st_str_free(out);
  return true;
}

static bool take_session(st_taker *taker, const st_told_session *s) {
  static const char *const links[] = {"", "subagent", "compaction", "resume", "fork"};
  st_str out = open_line("session");
  (void)taker;
  st_str_addz(&out, "\"id\":");
  st_json_add_string(&out, s->id.bytes ? s->id.bytes : "", s->id.length);
  add(&out, "parent", s->parent);
  add(&out, "link", st_text_of(links[s->link]));
  add(&out, "title", s->title);
  add(&out, "cwd", s->cwd);
  add(&out, "branch", s->branch);
  add(&out, "model", s->model);
  add(&out, "version", s->version);
  add(&out, "agent", s->agent);
  add(&out, "system_prompt", s->system_prompt);
  add_number(&out, "started_at", s->started_at);
  return print(&out);
}

static bool take_message(st_taker *taker, st_text session, const st_told_message *m) {
  st_str out = open_line("message");
  (void)taker;
  add(&out, "session", session);
  add(&out, "key", m->key);
  add(&out, "role", m->role);
  if (m->is_json) st_str_addf(&out, ",\"is_json\":true,\"content\":%.*s", (int)m->content.length, m->content.bytes);
  else add(&out, "content", m->content);
  if (m->tool_calls.length) st_str_addf(&out, ",\"tool_calls\":%.*s", (int)m->tool_calls.length, m->tool_calls.bytes);
  add(&out, "tool_call_id", m->tool_call_id);
  add(&out, "tool_name", m->tool_name);
  add(&out, "reasoning", m->reasoning);
  add(&out, "finish_reason", m->finish_reason);
  add_number(&out, "timestamp", m->timestamp);
  return print(&out);
}

static bool take_usage(st_taker *taker, st_text session, const st_told_usage *u) {
  st_str out = open_line("usage");
  (void)taker;
  add(&out, "session", session);
  add(&out, "key", u->key);
  add_number(&out, "input", (double)u->input);
  add_number(&out, "output", (double)u->output);
  add_number(&out, "cache_read", (double)u->cache_read);
  add_number(&out, "cache_write", (double)u->cache_write);
  add_number(&out, "reasoning", (double)u->reasoning);
  add_number(&out, "cost", u->cost);
  add(&out, "model", u->model);
  return print(&out);
}

static bool take_withdraw(st_taker *taker, st_text session, int64_t count) {
  st_str out = open_line("withdraw");
  (void)taker;
  add(&out, "session", session);
  add_number(&out, "count", (double)count);
  return print(&out);
}

static bool take_aside(st_taker *taker) {
  (void)taker;
  return printf("{\"harness\":\"%s\",\"aside\":1}\n", harness) > 0;
}

static bool take_bad(st_taker *taker, const char *why) {
  st_str out;
  (void)taker;
  st_str_init(&out, SIZE_MAX);
  st_json_add_string(&out, why, strlen(why));
  printf("{\"harness\":\"%s\",\"bad\":%s}\n", harness, out.text);
  st_str_free(&out);
  return true;
}

static bool take_title(st_taker *taker, st_text key, st_text title) {
  st_str out = open_line("title_of");
  (void)taker;
  add(&out, "key", key);
  add(&out, "title", title);
  return print(&out);
}

static st_taker taker = {.session = take_session, .message = take_message, .usage = take_usage, .withdraw = take_withdraw,
                         .aside = take_aside, .bad = take_bad, .title_of = take_title};

/* ------------------------------------------------------------------------------------- files */

static const char *state_path;
static int64_t skip;

static st_str read_file(const char *path) {
  st_str out;
  char chunk[5000]; /* not a power of two: pieces end anywhere */
  int fd = open(path, O_RDONLY);
  size_t length = strlen(path);
  bool packed = length > 4 && strcmp(path + length - 4, ".zst") == 0;
  st_zstd *stream = packed ? st_zstd_open(fd) : NULL;
  st_str_init(&out, SIZE_MAX);
  for (;;) {
    const char *why = "";
    ssize_t got = packed ? st_zstd_read(stream, chunk, sizeof chunk, &why) : read(fd, chunk, sizeof chunk);
    if (got < 0) fprintf(stderr, "%s: %s\n", path, why), exit(1);
    if (got == 0) break;
    st_str_add(&out, chunk, (size_t)got);
  }
  st_zstd_close(stream);
  if (fd >= 0) close(fd);
  return out;
}

static void load_state(drive *d) {
  if (!state_path || access(state_path, R_OK) != 0) return;
  st_str state = read_file(state_path);
  st_str_add(&d->state, state.text ? state.text : "", state.length);
  st_str_free(&state);
}

static void save_state(const drive *d) {
  FILE *file = state_path ? fopen(state_path, "w") : NULL;
  if (!file) return;
  fwrite(d->state.text ? d->state.text : "", 1, d->state.length, file);
  fclose(file);
}

/* Tables whose rows are read are told too. */
static int note_table(void *unused, int action, const char *table, const char *column, const char *base, const char *inner) {
  (void)unused, (void)column, (void)base, (void)inner;
  if (action == SQLITE_READ) printf("{\"table\":\"%s\"}\n", table);
  return action == SQLITE_READ || action == SQLITE_SELECT || action == SQLITE_TRANSACTION || action == SQLITE_FUNCTION ? SQLITE_OK
                                                                                                                     : SQLITE_DENY;
}

static int tell_database(const char *path, double modified) {
  sqlite3 *db = NULL;
  drive d;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) return 1;
  const st_reader *reader = st_reader_of_database(db);
  if (!reader) return fprintf(stderr, "%s: nobody's\n", path), 1;
  sqlite3_set_authorizer(db, note_table, NULL);
  harness = reader->harness;
  drive_open(&d, reader, path, modified, &taker);
  load_state(&d);
  bool all = reader->read(&d.source, db);
  save_state(&d);
  drive_close(&d);
  sqlite3_close(db);
  return all ? 0 : 1;
}

static int tell_file(const char *path) {
  struct stat found;
  drive d;
  if (stat(path, &found) != 0) return perror(path), 1;
  st_str text = read_file(path);
  if (text.length >= 16 && memcmp(text.text, "SQLite format 3", 16) == 0) {
    st_str_free(&text);
    return tell_database(path, (double)found.st_mtime);
  }
  const st_reader *reader = st_reader_of_file(path, text.text ? text.text : "", text.length < 4096 ? text.length : 4096);
  if (!reader) return fprintf(stderr, "%s: nobody's\n", path), 1;
  harness = reader->harness;
  drive_open(&d, reader, path, (double)found.st_mtime, &taker);
  load_state(&d);
  const char *at = text.text ? text.text : "", *end = at + text.length;
  for (int64_t i = 0; i < skip && at < end; i++) at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
  bool all = drive_bytes(&d, at, (size_t)(end - at), skip);
  save_state(&d);
  drive_close(&d);
  st_str_free(&text);
  return all ? 0 : 1;
}

int main(int count, char **words) {
  int failed = 0;
  for (int i = 1; i < count; i++) {
    if (strcmp(words[i], "--state") == 0 && i + 1 < count) state_path = words[++i];
    else if (strcmp(words[i], "--skip") == 0 && i + 1 < count) skip = atoll(words[++i]);
    else failed |= tell_file(words[i]);
  }
  return failed;
}
