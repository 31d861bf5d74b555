/* probe.c - stele probe: a command that nobody typed goes the way of those that people type, and a page that nobody read the way
** of those that a browser tells of, to see whether they arrive. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../door/json.h"
#include "../ingest/frame.h"
#include "../ingest/id.h"
#include "../ingest/send.h"
#include "event.h"
#include "home.h"
#include "native_probe.h"
#include "text.h"

#define LIMIT_MS 10000

typedef struct probed {
  const char *source;
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

static void probe(cli *c, probed *p) {
  if (strcmp(p->source, "browser") == 0) probe_browser_way(c, p);
  else probe_command_way(c, p);
}

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
  static const char *const sources[] = {"shell", "claude-tool", "browser"};
  const char *only = c->options.local[OPTION_SOURCE];
  int status = 0, shown = 0;
  bool all_ok = true;
  for (size_t i = 0; i < sizeof sources / sizeof *sources && !status; i++) {
    probed p = {.source = sources[i]};
    if (only && strcmp(only, sources[i]) != 0) continue;
    probe(c, &p);
    status = record(c, &p);
    show(c, &p, shown++ == 0);
    all_ok = all_ok && p.ok;
  }
  if (!shown) return out_bad(&c->out, "shell, claude-tool or browser", "there is no probe of %s", only);
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
               "counted or learned from.  The exit status is 1 if one did not arrive.",
    .opens = true,
    .takes = (const command_option[]){{OPTION_SOURCE, "shell, claude-tool or browser (all)"}, {0, NULL}},
    .run = run,
};
