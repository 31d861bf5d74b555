/* serve.c - stele serve: starts the server, another door.  This is the one place where the two meet. */
#include "../serve/serve.h"

#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "command.h"
#include "enriching.h"
#include "first.h"
#include "home.h"
#include "../door/json.h"
#include "originals.h"
#include "retaining.h"
#include "sample.h"
#include "scratch.h"
#include "tending.h"
#include "text.h"
#include "transcripts.h"
#include "upkeeping.h"

static void fill_limits(serve_limits *limits, const settings *s) {
#define X(name, kind, value, least, doc) \
  limits->name = settings_get(s, "serve." #name)->number / (SETTING_##kind == SETTING_SECONDS ? 1000 : 1);
  LIMITS(X)
#undef X
}

static char *transcripts(void *user, stele_db *db) {
  return transcripts_places(first_cli(user), db);
}

/* The arguments as JSON, and freed. */
static char *made_of(const argument *arguments) {
  char *made = request_json(arguments);
  request_free(arguments);
  return made;
}

static char *enrichment(void *user, stele_db *db) {
  argument arguments[ENRICHING_ARGUMENTS];
  (void)db;
  enriching_arguments(&first_cli(user)->settings, arguments);
  return made_of(arguments);
}

static char *upkeep(void *user, stele_db *db) {
  argument arguments[UPKEEPING_ARGUMENTS];
  (void)db;
  upkeeping_arguments(&first_cli(user)->settings, arguments);
  return made_of(arguments);
}

static char *retention(void *user, stele_db *db) {
  (void)db;
  return made_of((const argument[]){{"keep", retaining_keep(&first_cli(user)->settings)}, {NULL, NULL}});
}

static int serve_home(cli *c, bool import) {
  const settings *s = &c->settings;
  serve_limits limits;
  home at;
  int status = home_of(c, &at);
  if (status) return status;
  fill_limits(&limits, s);
  import = import && limits.jobs && limits.watch;
  tending *tends = limits.jobs && settings_get(s, "github.enabled")->number ? tending_open(c, &status) : NULL;
  if (status) {
    home_free(&at);
    return status;
  }
  serve_work forge = {
      .name = "github",
      .method = "capture.upsert_workflow_run",
      .every_s = tends ? tending_every_s(tends) : 0,
      .run = tending_run,
      .user = tends,
  };
  first *shown = first_open(c, &at.options, import, serve_say);
  status = serve_run(&(serve_options){
      .place = &at.options,
      .host = settings_text(s, "serve.host"),
      .port = settings_text(s, "serve.port"),
      .socket = settings_text(s, "serve.socket"),
      .allow_hosts = settings_text(s, "serve.allow_host"),
      .pub = settings_text(s, "serve.pub"),
      .limits = &limits,
      .transcripts = import ? transcripts : NULL,
      .enrichment = settings_get(s, "enrich.enabled")->number ? enrichment : NULL,
      .enrich_every_s = settings_get(s, "enrich.interval")->number / 1000,
      .upkeep = settings_get(s, "upkeep.enabled")->number ? upkeep : NULL,
      .upkeep_every_s = settings_get(s, "upkeep.interval")->number / 1000,
      .retention = settings_get(s, "retention.enabled")->number ? retention : NULL,
      .retention_every_s = settings_get(s, "retention.interval")->number / 1000,
      .forge = tends ? &forge : NULL,
      .ready = first_ready,
      .progress = first_progress,
      .log = first_seen() && !limits.log_requests ? first_log : NULL,
      .user = shown,
  });
  first_close(shown);
  tending_close(tends);
  home_free(&at);
  return status;
}

/* Conversations that nobody had, in a home that is gone afterwards: they never mix with one's own. */
static int serve_sample(cli *c) {
  char *scratch = scratch_make(&c->out, "sample");
  if (!scratch) return 1;
  options *o = &c->options;
  o->home = scratch;
  o->database = o->redact = NULL;
  o->nplaces = 0;
  int status = sample_import(&c->out, scratch);
  if (!status) {
    char *note = text_format("these are conversations that nobody had, in %s until it ends", scratch);
    out_notes(&c->out, note);
    free(note);
    status = serve_home(c, false);
  }
  scratch_remove(scratch);
  return status;
}

/* ---- The first start ---- */

/* Is there no conversation store yet?  Looking changes nothing. */
static bool is_first(cli *c) {
  home at;
  char *reply = NULL;
  bool absent = false;
  if (home_of(c, &at)) return false;
  if (stele_open(&at.options, &c->db) == STELE_OK && stele_call(c->db, "stele.status", NULL, &reply) == STELE_OK) {
    json one = {NULL, 0}, list = json_read(reply, strlen(reply));
    while (json_next(list, &one))
      if (json_is(json_member(one, "store"), "conversation")) absent = json_is(json_member(one, "state"), "absent");
  }
  stele_free(reply);
  stele_close(c->db);
  c->db = NULL;
  home_free(&at);
  return absent;
}

/* Have the agents of this user left anything?  All files are older than the year 2100: they are seen, and not read. */
static bool is_bare(cli *c) {
  stele_options nowhere = {.size = sizeof nowhere, .home = ":memory:"};
  char *reply = NULL;
  bool bare = false;
  char *places = stele_open(&nowhere, &c->db) == STELE_OK ? transcripts_places(c, c->db) : NULL;
  char *args = places ? text_format("{\"dry_run\":true,\"since\":4102444800,%s", places + 1) : NULL;
  if (args && stele_call(c->db, "conversation.import_transcripts", args, &reply) == STELE_OK) {
    json counts = json_read(reply, strlen(reply));
    bare = json_int(json_member(counts, "files"), 0) + json_int(json_member(counts, "ignored"), 0) == 0;
  }
  stele_free(reply);
  free(args);
  free(places);
  stele_close(c->db);
  c->db = NULL;
  return bare;
}

static void say_line(cli *c, const char *line) {
  if (first_seen())
    out_notes(&c->out, line);
  else if (!c->out.quiet)
    serve_say(STELE_LOG_INFO, line);
}

static int run(cli *c) {
  static const char nothing[] = "There are no sessions of coding agents here. Look at a sample instead?";
  bool import = settings_get(&c->settings, "serve.watch")->number != 0;
  if (c->options.flags & STELE_OPEN_READONLY)
    return out_bad(&c->out, NULL, "serve takes no --readonly: it keeps its tokens");
  if (c->options.local[OPTION_SAMPLE]) return serve_sample(c);
  bool asking = import && first_seen() && ask_possible() && is_first(c);
  if (import) originals_offer(c, asking, say_line);
  if (asking && is_bare(c) && ask(&c->out, nothing, true)) return serve_sample(c);
  return serve_home(c, true);
}

const command serve_command = {
    .name = "serve",
    .group = GROUP_DOORS,
    .usage = "",
    .summary = "the dashboard, and all of it over HTTP, with the sessions of your coding agents",
    .examples =
        "stele serve\n"
        "stele serve --sample\n"
        "stele serve --port 7878 --socket stele.sock\n"
        "curl -H \"Authorization: Bearer $(cat ~/.local/share/stele/server.token)\" localhost:7878/v1/stele/version",
    .details =
        "It takes in the sessions of your coding agents, without their secrets, as they are and as they go on\n"
        "(--no-import: not), and prints the address of the dashboard with your token in it.\n"
        "Every method is at POST /v1/STORE/METHOD, with its arguments as JSON; GET /openapi.json describes all.\n"
        "The first start writes a token for you into the home; `stele token` makes others.\n"
        "--set audit=on notes every call in a file per day, audit/ in the home, without secrets.\n"
        "--set pub=DIR gives out DIR/SESSION/pub/FILE at /pub/TOKEN/FILE; `stele token pub SESSION` tells the "
        "address.\n"
        "Without --host only programs on this machine reach it. TLS is left to a proxy in front of it.",
    .takes = (const command_option[]){{OPTION_HOST, "address to listen on (127.0.0.1)"},
                                      {OPTION_PORT, "port to listen on (7878); 0: any that is free"},
                                      {OPTION_SOCKET, "a unix socket besides; you need no token there"},
                                      {OPTION_ALLOW_HOST, "further names the server may be called by; commas between"},
                                      {OPTION_NO_IMPORT, "leave the sessions of coding agents alone"},
                                      {OPTION_SAMPLE, "invented conversations, in a home that is gone afterwards"},
                                      {OPTION_PRINT_TOKEN, "the address with the token, also where no terminal shows it"},
                                      {0, NULL}},
    .run = run,
};
