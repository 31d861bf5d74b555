/* probe.c - stele probe: a command that nobody typed goes the way of those that people type, and a page that nobody read the way
** of those that a browser tells of, to see whether they arrive.  What agents write is theirs: of that it is seen whether it has come in. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../door/json.h"
#include "../ingest/frame.h"
#include "../ingest/id.h"
#include "../ingest/send.h"
#include "event.h"
#include "home.h"
#include "native_probe.h"
#include "text.h"
#include "transcripts.h"

#define LIMIT_MS 10000
#define LATELY_S 300

typedef struct probed {
  const char *source;
  const char *harness; /* whose transcripts it is about; NULL: none */
  bool ok;
  int64_t lag_ms;
  char why[ST_FALLBACK_WHY];
} probed;

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- There and back ---- */

/* The server says that it is stored. */
static bool hand_over(const cli *c, const char *envelope, probed *p) {
  char *request = text_format("{\"type\":\"IngestEvent\",\"data\":%s}", envelope);
  char *answer = st_ingest_ask(c->options.home, request, LIMIT_MS, p->why);
  json read = answer ? json_read(answer, strlen(answer)) : (json){NULL, 0};
  bool stored = json_is(json_member(read, "type"), "Ack");
  char *told = answer && !stored ? json_text(json_member(read, "data")) : NULL;
  if (told) snprintf(p->why, sizeof p->why, "%s", told);
  free(told);
  free(answer);
  free(request);
  return stored;
}

/* And it is in the store that this program sees: given again, it is a duplicate.  No method shows a probe. */
static bool is_there(cli *c, const char *envelope, probed *p) {
  char *arguments = text_format("{\"envelopes\":[%s]}", envelope), *reply = NULL;
  stele_status status = stele_call(c->db, "capture.ingest", arguments, &reply);
  bool found = status == STELE_OK && json_int(json_member(json_read(reply, strlen(reply)), "duplicates"), 0) == 1;
  if (status != STELE_OK) snprintf(p->why, sizeof p->why, "%s", stele_error(c->db)->message);
  else if (!found) snprintf(p->why, sizeof p->why, "the server acknowledged it, but it is not in this home's store");
  stele_free(reply);
  free(arguments);
  return found;
}

static void probe_command_way(cli *c, probed *p) {
  char tag[ST_ID_SIZE] = "";
  bool tool = strcmp(p->source, "claude-tool") == 0;
  event e = {.cmd = "__stele_probe__", .cwd = "/", .shell = "probe", .session = "probe", .probe_tag = tag};
  if (tool) {
    e.tool_name = "Bash";
    e.source_kind = "claude-tool";
  }
  char *envelope = st_id_new(tag) ? event_envelope(c->db, &e) : NULL;
  int64_t began = now_ms();
  if (!envelope) snprintf(p->why, sizeof p->why, "the system gives no random bytes");
  p->ok = envelope && hand_over(c, envelope, p) && is_there(c, envelope, p);
  p->lag_ms = now_ms() - began;
  free(envelope);
}

/* Through a host of its own, as a browser starts one. */
static void probe_browser_way(cli *c, probed *p) {
  char tag[ST_ID_SIZE] = "";
  snprintf(p->why, sizeof p->why, "the system gives no random bytes");
  if (!st_id_new(tag)) return;
  int64_t began = now_ms();
  char *message = native_probe_message(c, tag), *envelope = native_probe_envelope(c, message, p->why);
  p->ok = envelope && native_probe_send(c, message, st_frame_until(LIMIT_MS), p->why) && is_there(c, envelope, p);
  p->lag_ms = now_ms() - began;
  free(message);
  free(envelope);
}

/* What its agent wrote lately is there, or comes while one waits. */
static void probe_transcripts(cli *c, probed *p) {
  int64_t began = now_ms(), since = (int64_t)time(NULL) - LATELY_S, behind;
  while ((behind = transcripts_behind(c, p->harness, since)) > 0 && now_ms() - began < LIMIT_MS) usleep(200000);
  p->ok = behind == 0;
  p->lag_ms = now_ms() - began;
  if (behind < 0) snprintf(p->why, sizeof p->why, "%s", stele_error(c->db)->message);
  else snprintf(p->why, sizeof p->why, "messages of the last minutes that are not taken in yet: %lld", (long long)behind);
}

/* ---- The ways in ---- */

typedef struct way {
  const char *source;
  void (*go)(cli *c, probed *p);
  const char *harness;
} way;

static const way ways[] = {
    {"shell", probe_command_way, NULL},
    {"claude-tool", probe_command_way, NULL},
    {"browser", probe_browser_way, NULL},
    {"agentic-session-claude", probe_transcripts, "claude-code"},
    {"agentic-session-codex", probe_transcripts, "codex"},
    {"agentic-session-cursor", probe_transcripts, "cursor"},
    {"agentic-session-opencode", probe_transcripts, "opencode"},
};

/* ---- What is told ---- */

static int record(cli *c, const probed *p) {
  char *why = p->ok ? NULL : text_need(text_quote(p->why)), *source = text_need(text_quote(p->source));
  char *lag = p->ok ? text_format("%lld", (long long)p->lag_ms) : NULL;
  int status = 0;
  argument arguments[] = {{"source", source}, {"ok", p->ok ? "true" : "false"}, {"lag_ms", lag}, {"error", why}, {NULL, NULL}};
  stele_free(command_ask(c, "capture.record_probe", arguments, &status));
  free(source);
  free(lag);
  free(why);
  return status;
}

static void show(cli *c, const probed *p, bool first) {
  if (!c->options.json) {
    char *why = text_clean(p->why);
    if (p->ok) out_format(&c->out, "%s: it arrived, in %lld ms\n", p->source, (long long)p->lag_ms);
    else out_format(&c->out, "%s: it did not arrive: %s\n", p->source, why);
    free(why);
    return;
  }
  char *why = p->ok ? NULL : text_need(text_quote(p->why));
  out_format(&c->out, "%s{\"source\":\"%s\",\"ok\":%s,\"lag_ms\":%lld,\"error\":%s}", first ? "[" : ",", p->source, p->ok ? "true" : "false",
             (long long)p->lag_ms, why ? why : "null");
  free(why);
}

static int run(cli *c) {
  const char *only = c->options.local[OPTION_SOURCE];
  int status = 0, shown = 0;
  bool all_ok = true;
  for (size_t i = 0; i < sizeof ways / sizeof *ways && !status; i++) {
    probed p = {.source = ways[i].source, .harness = ways[i].harness};
    if (only && strcmp(only, p.source) != 0) continue;
    ways[i].go(c, &p);
    status = record(c, &p);
    show(c, &p, shown++ == 0);
    all_ok = all_ok && p.ok;
  }
  if (!shown) return out_bad(&c->out, "shell, claude-tool, browser or agentic-session-claude (-codex, -cursor, -opencode)", "there is no probe of %s", only);
  if (c->options.json) out_text(&c->out, "]\n");
  return status ? status : all_ok ? 0 : 1;
}

const command probe_command = {
    .name = "probe",
    .group = GROUP_STORES,
    .usage = "",
    .summary = "send probes the ways that captured commands and pages go, and see whether they arrive",
    .examples = "stele probe\n"
                "stele probe --source shell --json",
    .details = "They go through the server's socket into the store, that of the browser through its host first.  How that\n"
               "went is noted with the health of the source (`stele call capture.list_source_health`).  A probe is never shown,\n"
               "counted or learned from.  Of agents it is seen whether what they wrote in the last five minutes has been taken in.\n"
               "The exit status is 1 if one did not arrive.",
    .opens = true,
    .takes = (const command_option[]){{OPTION_SOURCE, "shell, claude-tool, browser, agentic-session-claude, ... (all)"}, {0, NULL}},
    .run = run,
};
