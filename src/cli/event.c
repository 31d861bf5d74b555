/* event.c - see event.h. */
#include "event.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../door/json.h"
#include "../ingest/id.h"
#include "git_state.h"
#include "text.h"

#define GIT_LIMIT_MS 500
#define OUTPUT_HEAD 50 /* lines of an output that are sent, */
#define OUTPUT_TAIL 100

static void put_text(FILE *to, const char *name, const char *text) {
  fprintf(to, ",\"%s\":", name);
  if (text) text_json(to, text);
  else fputs("null", to);
}

/* A whole number, or null. */
static void put_number(FILE *to, const char *name, const char *digits) {
  char *end = NULL;
  long long number = digits ? strtoll(digits, &end, 10) : 0;
  if (digits && *digits && !*end) fprintf(to, ",\"%s\":%lld", name, number);
  else fprintf(to, ",\"%s\":null", name);
}

/* ---- Git ---- */

static void put_git(FILE *to, const event *e) {
  git_state state = {.dirty = -1};
  bool said = e->git_branch || e->git_commit || e->git_repo;
  bool asked = !said && git_state_read(e->cwd, GIT_LIMIT_MS, &state);
  int dirty = e->git_dirty ? strcmp(e->git_dirty, "true") == 0 || strcmp(e->git_dirty, "1") == 0 : state.dirty;
  if (said || asked) {
    fputs(",\"git_state\":{\"is_dirty\":", to);
    fputs(dirty < 0 ? "null" : dirty ? "true" : "false", to);
    put_text(to, "repo", said ? e->git_repo : state.repo);
    put_text(to, "branch", said ? e->git_branch : state.branch);
    put_text(to, "commit", said ? e->git_commit : state.commit);
    fputc('}', to);
  }
  git_state_free(&state);
}

/* ---- Output ---- */

static size_t count_lines(const char *text) {
  size_t lines = 0;
  for (; *text; text++) lines += *text == '\n' || !text[1];
  return lines;
}

static const char *skip_lines(const char *text, size_t lines) {
  for (; lines > 0 && *text; lines--) {
    text += strcspn(text, "\n");
    text += *text == '\n';
  }
  return text;
}

static void put_output(FILE *to, const char *text) {
  size_t lines = count_lines(text), most = OUTPUT_HEAD + OUTPUT_TAIL;
  const char *head = skip_lines(text, OUTPUT_HEAD), *tail = skip_lines(text, lines > most ? lines - OUTPUT_TAIL : 0);
  char *cut = lines > most ? text_format("%.*s... %zu lines left out ...\n%s", (int)(head - text), text, lines - most, tail) : NULL;
  fputs(",\"stdout\":{\"content\":", to);
  text_json(to, cut ? cut : text);
  fprintf(to, ",\"truncated\":%s,\"original_bytes\":%zu}", cut ? "true" : "false", strlen(text));
  free(cut);
}

/* ---- Environment ---- */

/* Only the variables that are kept: the others never leave the process. */
static void put_environment(FILE *to, stele_db *db) {
  char *reply = NULL;
  json row = {NULL, 0};
  bool any = false;
  fputs(",\"env_snapshot\":{", to);
  if (stele_call(db, "stele.captured_variables", NULL, &reply) == STELE_OK) {
    json rows = json_read(reply, strlen(reply));
    while (json_next(rows, &row)) {
      char *name = json_text(json_member(row, "name"));
      const char *value = name ? getenv(name) : NULL;
      if (value) {
        fprintf(to, "%s\"%s\":", any ? "," : "", name);
        text_json(to, value);
        any = true;
      }
      free(name);
    }
  }
  stele_free(reply);
  fputc('}', to);
}

/* ---- The envelope ---- */

static void put_time(FILE *to) {
  struct timespec now;
  struct tm utc;
  char text[32];
  clock_gettime(CLOCK_REALTIME, &now);
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
  fprintf(to, ",\"timestamp\":\"%s.%03ldZ\"", text, now.tv_nsec / 1000000);
}

static const char *user_name(void) {
  const struct passwd *user = getpwuid(getuid());
  return user ? user->pw_name : "";
}

/* claude-tool is Claude Code's; codex-tool and the others are named by their agent. */
static char *harness_of(const char *kind) {
  size_t length = strlen(kind), ending = strlen("-tool");
  if (length <= ending || strcmp(kind + length - ending, "-tool") != 0) return NULL;
  return strcmp(kind, "claude-tool") == 0 ? text_format("claude-code") : text_format("%.*s", (int)(length - ending), kind);
}

static const char *session_of(const event *e, const char *otherwise) {
  const char *said = e->session ? e->session : getenv("STELE_SESSION_ID");
  if (!said || !*said) said = getenv("HIPPO_SESSION_ID");
  return said && *said ? said : otherwise;
}

static void put_data(FILE *to, stele_db *db, const event *e, const char *session) {
  char hostname[256] = "";
  char *harness = e->source_kind ? harness_of(e->source_kind) : NULL;
  gethostname(hostname, sizeof hostname - 1);
  fputs("{\"command\":", to);
  text_json(to, e->cmd);
  put_text(to, "session_id", session);
  put_text(to, "cwd", e->cwd);
  put_text(to, "hostname", hostname);
  put_text(to, "username", user_name());
  put_text(to, "shell", e->shell ? e->shell : "unknown");
  put_number(to, "exit_code", e->exit ? e->exit : "0");
  put_number(to, "duration_ms", e->duration_ms ? e->duration_ms : "0");
  put_text(to, "tool_name", e->tool_name);
  put_text(to, "harness", harness);
  if (e->output && *e->output) put_output(to, e->output);
  put_git(to, e);
  put_environment(to, db);
  fputc('}', to);
  free(harness);
}

char *event_envelope(stele_db *db, const event *e) {
  char id[ST_ID_SIZE], other[ST_ID_SIZE], *text = NULL;
  size_t length = 0;
  if (!st_id_new(id) || !st_id_new(other)) return NULL;
  FILE *to = text_need(open_memstream(&text, &length));
  fprintf(to, "{\"envelope_id\":\"%s\",\"producer_version\":1", id);
  put_time(to);
  put_text(to, "probe_tag", e->probe_tag);
  fprintf(to, ",\"payload\":{\"type\":\"%s\",\"data\":", e->tool_name ? "AgenticToolCall" : "Shell");
  put_data(to, db, e, session_of(e, other));
  fputs("}}", to);
  fclose(to);
  return text_need(text);
}
