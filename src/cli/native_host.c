/* native_host.c - stele native-messaging-host: what a browser's extension tells goes to the server.
**
** The browser starts it and speaks with it in frames: the length in the machine's order, then JSON (docs/browser.md).  A
** visit is answered with ok when it is stored, or kept in the fallback files. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../door/json.h"
#include "../ingest/send.h"
#include "command.h"
#include "config.h"
#include "home.h"
#include "native_host.h"
#include "text.h"

#define NEVER (-1) /* the browser closes when it wants no more */

typedef struct host {
  cli *c;
  home at;
  stele_db *db;
} host;

/* ---- Answers ---- */

/* {"status":...,"NAME":"why"}, in new memory. */
static char *answer(const char *status, const char *name, const char *why) {
  char *text = NULL;
  size_t length = 0;
  FILE *to = text_need(open_memstream(&text, &length));
  fprintf(to, "{\"status\":\"%s\"", status);
  if (why) {
    fprintf(to, ",\"%s\":", name);
    text_json(to, why);
  }
  fputc('}', to);
  fclose(to);
  return text_need(text);
}

static char *failed(const char *why) {
  return answer("error", "error", why);
}

/* ---- The server ---- */

/* A request that is ours to free: ok when the server has acknowledged it. */
static char *tell_server(const host *h, char *request) {
  char why[ST_FALLBACK_WHY];
  char *reply = st_ingest_ask(h->at.options.home, request, ST_INGEST_TIMEOUT_MS, why), *said;
  json told = reply ? json_read(reply, strlen(reply)) : (json){NULL, 0};
  char *reason = json_text(json_member(told, "data"));
  if (json_is(json_member(told, "type"), "Ack")) said = answer("ok", NULL, NULL);
  else if (reply) said = failed(reason ? reason : "the server's answer is not understood");
  else said = failed(why);
  free(reason);
  free(reply);
  free(request);
  return said;
}

/* ---- Visits ---- */

static char *copy_of(json value) {
  return value.text ? text_need(strndup(value.text, value.length)) : NULL;
}

static char *number_of(const settings *s, const char *name) {
  return text_format("%lld", (long long)settings_get(s, name)->number);
}

/* What the message says, and what the settings want. */
static char *visit_arguments(const host *h, json message) {
  static const char *const said[] = {"url",          "title",    "dwell_ms",  "scroll_depth", "extracted_text",
                                     "search_query", "referrer", "timestamp", "probe_tag"};
  enum { SAID = sizeof said / sizeof *said };
  const settings *s = &h->c->settings;
  argument arguments[SAID + 9] = {{NULL, NULL}}, *next = arguments + SAID;
  for (size_t i = 0; i < SAID; i++) arguments[i] = (argument){said[i], copy_of(json_member(message, said[i]))};
  char *strip = config_texts(s, "browser.strip_params");
  *next++ = (argument){"domains", config_texts(s, "browser.domains")};
  *next++ = (argument){"excepted", config_texts(s, "browser.except")};
  *next++ = (argument){"strip_params", strip ? strip : text_format("[]")};
  *next++ = (argument){"min_dwell_ms", number_of(s, "browser.min_dwell")};
  *next++ = (argument){"min_scroll", text_format("%g", (double)settings_get(s, "browser.min_scroll")->number / 100)};
  *next++ = (argument){"long_dwell_ms", number_of(s, "browser.long_dwell")};
  *next++ = (argument){"dedup_minutes", number_of(s, "browser.dedup_minutes")};
  *next++ = (argument){"probe_domain", text_need(text_quote(settings_get(s, "browser.probe_domain")->text))};
  char *all = request_json(arguments);
  request_free(arguments);
  return all;
}

/* A probe that does not arrive has told what it is for: it is not kept. */
static char *send_visit(const host *h, json envelope) {
  char *text = copy_of(envelope), *said;
  if (json_member(envelope, "probe_tag").text) {
    said = tell_server(h, text_format("{\"type\":\"IngestEvent\",\"data\":%s}", text));
  } else {
    st_sent sent = st_ingest_send(&h->at.options, text, ST_INGEST_TIMEOUT_MS);
    said = sent.lost ? failed(sent.why) : answer("ok", "kept", sent.kept ? sent.why : NULL);
  }
  free(text);
  return said;
}

static char *take_visit(host *h, json message) {
  if (!settings_get(&h->c->settings, "browser.enabled")->number)
    return answer("filtered", "reason", "browser.enabled is false in the configuration");
  char *arguments = visit_arguments(h, message), *reply = NULL, *said = NULL;
  if (stele_call(h->db, "stele.read_visit", arguments, &reply) != STELE_OK) {
    said = failed(stele_error(h->db)->message);
  } else {
    json read = json_read(reply, strlen(reply));
    char *reason = json_text(json_member(read, "reason"));
    if (json_kind(json_member(read, "wanted")) == 't') said = send_visit(h, json_member(read, "envelope"));
    else said = answer("filtered", "reason", reason);
    free(reason);
  }
  stele_free(reply);
  free(arguments);
  return said;
}

/* ---- Signs of life ---- */

/* The extension is there: the server notes when it last said so.  What cannot be told is not kept: it would tell of the past. */
static char *take_heartbeat(host *h, json message) {
  long long now = json_int(json_member(message, "sent_at_ms"), -1);
  if (now < 0) return failed("a heartbeat needs sent_at_ms, a number of milliseconds");
  return tell_server(h, text_format("{\"type\":\"UpdateSourceHealthHeartbeat\",\"data\":{\"source\":\"browser\",\"ts\":%lld}}", now));
}

/* For the extension's options: who is here, and which pages it wants. */
static char *tell_status(const host *h) {
  const settings *s = &h->c->settings;
  char *domains = config_texts(s, "browser.domains"), *except = config_texts(s, "browser.except");
  char *said = text_format("{\"status\":\"ok\",\"version\":\"%s\",\"enabled\":%s,\"domains\":%s,\"except\":%s,\"min_dwell_ms\":%lld}",
                           STELE_VERSION, settings_get(s, "browser.enabled")->number ? "true" : "false",
                           domains ? domains : "[]", except ? except : "[]",
                           (long long)settings_get(s, "browser.min_dwell")->number);
  free(domains);
  free(except);
  return said;
}

/* ---- The conversation ---- */

/* What has no type is a visit. */
static char *reply_to(host *h, const char *text, size_t length) {
  json message = json_read(text, length), type = json_member(message, "type");
  if (!message.text) return failed("the message is not JSON");
  if (json_kind(message) != '{') return failed("the message is no JSON object");
  if (!type.text || json_is(type, "visit")) return take_visit(h, message);
  if (json_is(type, "heartbeat")) return take_heartbeat(h, message);
  if (json_is(type, "status")) return tell_status(h);
  return failed("the message's type is none of visit, heartbeat and status");
}

static st_frame_status send_reply(char *said) {
  st_frame_status status = st_frame_send(STDOUT_FILENO, &NATIVE_FORM, said, strlen(said), st_frame_until(NEVER));
  free(said);
  return status;
}

static int talk(host *h) {
  st_frames frames = {.form = NATIVE_FORM};
  st_frame_status status;
  char *text;
  size_t length;
  do {
    status = st_frame_receive(STDIN_FILENO, &frames, st_frame_until(NEVER), &text, &length);
    if (status == ST_FRAME_OK) status = send_reply(reply_to(h, text, length));
    else if (status == ST_FRAME_TOO_LONG) send_reply(failed("the message has more than 1 MiB"));
  } while (status == ST_FRAME_OK);
  st_frames_free(&frames);
  if (status == ST_FRAME_END) return 0;
  return out_failure(&h->c->out, &(stele_failure){STELE_IO, "", "", st_frame_why(status), ""});
}

static int run(cli *c) {
  host h = {.c = c};
  int status = home_of(c, &h.at);
  if (!status && stele_open(&h.at.options, &h.db) != STELE_OK) status = out_failure(&c->out, stele_error(h.db));
  if (!status) status = talk(&h);
  stele_close(h.db);
  home_free(&h.at);
  return status;
}

const command native_host_command = {
    .name = "native-messaging-host",
    .group = GROUP_DOORS,
    .usage = "[ORIGIN [EXTENSION]]",
    .summary = "take in the pages that a browser's extension tells of",
    .examples = "stele setup firefox\n"
                "stele native-messaging-host",
    .details = "A browser starts it and speaks with it; there is nothing to type here, and what the browser says about itself is\n"
               "passed over.  Pages of the domains in browser.domains go to the server, and while it is not there into files that it\n"
               "reads later.  It ends with its input.",
    .most = 2,
    .run = run,
};
