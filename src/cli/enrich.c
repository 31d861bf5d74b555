/* enrich.c - stele enrich: what was captured becomes knowledge. */
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "../door/json.h"
#include "command.h"
#include "enriching.h"
#include "progress.h"
#include "said.h"
#include "text.h"

static const argument nothing[] = {{NULL, NULL}};

/* ---- Learning ---- */

static char *ask(cli *c, int *status) {
  argument arguments[ENRICHING_ARGUMENTS + 3];
  enriching_arguments(&c->settings, arguments);
  argument *more = arguments + ENRICHING_ARGUMENTS - 1;
  more[0] = (argument){"queue", said_text(c, OPTION_QUEUE, status)};
  more[1] = (argument){"limit", said_number(c, OPTION_LIMIT, status)};
  more[2] = (argument){"dry_run", said_flag(c, OPTION_DRY_RUN)};
  more[3] = (argument){NULL, NULL};
  char *reply = command_ask(c, "capture.enrich", arguments, status);
  request_free(arguments);
  return reply;
}

static int64_t count(json reply, const char *name) { return json_int(json_member(reply, name), 0); }

static void tell(cli *c, const char *text) {
  json reply = json_read(text, strlen(text));
  bool dry = c->options.local[OPTION_DRY_RUN] != NULL;
  if (c->options.json || dry) {
    out_format(&c->out, "%s\n", text);
    return;
  }
  if (json_kind(json_member(reply, "paused")) == 't')
    out_notes(&c->out, "learning is paused; `stele enrich resume` lets it go on");
  out_format(&c->out, "%" PRId64 " tickets: %" PRId64 " nodes learned, %" PRId64 " skipped, %" PRId64 " failed, %" PRId64 " lost\n", count(reply, "claimed"),
             count(reply, "learned"), count(reply, "skipped"), count(reply, "failed"), count(reply, "lost"));
}

/* What was learned goes into the search index, and gets its embedding there if a model is configured; a server does that by itself. */
static void index_learned(cli *c, const char *reply, int *status) {
  if (c->options.local[OPTION_DRY_RUN] || !count(json_read(reply, strlen(reply)), "learned")) return;
  static const argument stores[] = {{"stores", "[\"capture\"]"}, {NULL, NULL}};
  stele_free(command_ask(c, "recall.index", stores, status));
}

static int learn(cli *c) {
  int status = 0;
  progress_begin();
  char *reply = ask(c, &status);
  if (reply) tell(c, reply);
  if (reply) index_learned(c, reply, &status);
  stele_free(reply);
  return status;
}

/* Again and again; a look that found nothing says nothing. */
static int watch(cli *c) {
  int status = 0;
  int64_t every = settings_get(&c->settings, "enrich.interval")->number;
  progress_begin();
  while (!status && !progress_stopped()) {
    char *reply = ask(c, &status);
    if (reply && count(json_read(reply, strlen(reply)), "claimed")) tell(c, reply);
    if (reply) index_learned(c, reply, &status);
    stele_free(reply);
    if (!status && !progress_stopped()) poll(NULL, 0, (int)every); /* Ctrl-C ends the wait */
  }
  return progress_stopped() ? 0 : status;
}

/* ---- Its state ---- */

static int show_status(cli *c) {
  static const column columns[] = {{"paused", "PAUSED", 0},         {"since", "SINCE", COLUMN_AGO | COLUMN_IF_ANY}, {"reason", "REASON", COLUMN_IF_ANY},
                                   {"pending", "WAITING", 0},       {"processing", "IN WORK", 0},                   {"failed", "GIVEN UP", 0},
                                   {"hour_calls", "ASKED/H", COLUMN_IF_ANY}, {"hour_tokens", "TOKENS/H", COLUMN_IF_ANY},                    {"hour_cost", "COST/H", COLUMN_IF_ANY},
                                   {NULL, NULL, 0}};
  return command_reply(c, "capture.enrichment_status", nothing, columns, "");
}

static int pause_or_resume(cli *c, const char *verb) {
  bool pausing = strcmp(verb, "pause") == 0;
  int status = 0;
  argument arguments[] = {{"reason", pausing ? said_text(c, OPTION_NOTE, &status) : NULL}, {NULL, NULL}};
  char *reply = command_ask(c, pausing ? "capture.pause_enrichment" : "capture.resume_enrichment", arguments, &status);
  request_free(arguments);
  stele_free(reply);
  return status ? status : show_status(c);
}

/* ---- What was given up ---- */

static int list_failed(cli *c) {
  static const column columns[] = {{"queue", "QUEUE", COLUMN_WHOLE},        {"id", "TICKET", COLUMN_WHOLE},         {"source_id", "SOURCE", COLUMN_WHOLE},
                                   {"retry_count", "TRIED", COLUMN_WHOLE},  {"updated_at", "GIVEN UP", COLUMN_AGO}, {"error_message", "WHY", 0},
                                   {NULL, NULL, 0}};
  int status = 0;
  argument arguments[] = {{"status", text_quote("failed")},
                          {"queue", said_text(c, OPTION_QUEUE, &status)},
                          {"limit", said_number(c, OPTION_LIMIT, &status)},
                          {NULL, NULL}};
  if (!status) status = command_reply(c, "capture.list_queue", arguments, columns, "nothing was given up");
  request_free(arguments);
  return status;
}

static int retry(cli *c) {
  static const column columns[] = {{"requeued", "WAIT AGAIN", 0}, {NULL, NULL, 0}};
  int status = 0;
  argument arguments[] = {{"queue", said_text(c, OPTION_QUEUE, &status)}, {NULL, NULL}};
  if (!status) status = command_reply(c, "capture.retry_failed", arguments, columns, "");
  request_free(arguments);
  return status;
}

/* What the model was asked, and what it cost. */
static int show_use(cli *c) {
  static const column columns[] = {{"model", "MODEL", COLUMN_WHOLE},  {"calls", "ASKED", 0},       {"failed", "FAILED", 0},        {"prompt_tokens", "TOKENS IN", 0},
                                   {"completion_tokens", "OUT", 0}, {"cost", "COST", 0}, {"last_at", "LAST", COLUMN_AGO}, {NULL, NULL, 0}};
  return command_reply(c, "capture.model_use", nothing, columns, "no model was asked");
}

static int run(cli *c) {
  const char *verb = command_argument(c, 1);
  if (!verb) return learn(c);
  if (strcmp(verb, "watch") == 0) return watch(c);
  if (strcmp(verb, "status") == 0) return show_status(c);
  if (strcmp(verb, "use") == 0) return show_use(c);
  if (strcmp(verb, "pause") == 0 || strcmp(verb, "resume") == 0) return pause_or_resume(c, verb);
  if (strcmp(verb, "failed") == 0) return list_failed(c);
  if (strcmp(verb, "retry") == 0) return retry(c);
  return command_verb(c, &enrich_command, verb);
}

const command enrich_command = {
    .name = "enrich",
    .group = GROUP_STORES,
    .usage = "watch | status | use | pause | resume | failed | retry",
    .summary = "learn from what was captured, until nothing waits",
    .examples = "stele enrich\n"
                "stele enrich --queue shell --dry-run\n"
                "stele enrich failed\n"
                "stele enrich pause --note 'a long build'",
    .details = "Without a word: commands, segments of agents' sessions, pages and runs of workflows become knowledge: by rules, or, with enrich.using, by the\n"
               "language model of chat.endpoint.  `stele serve` does the same by itself.  --dry-run shows, as JSON, what would be learned from the first\n"
               "tickets of each queue, or what the model would be asked.\n\n"
               "watch goes on as more comes in (enrich.interval). pause lets no worker claim anything until resume; status tells it, and how much waits.\n"
               "use tells what models were asked, and what it cost.\n"
               "failed lists what was given up, retry lets it wait again.  docs/enrichment.md says what is learned, and how well.",
    .most = 1,
    .opens = true,
    .takes = (const command_option[]){{OPTION_QUEUE, "only this queue: agentic, browser, shell or workflow"},
                                      {OPTION_LIMIT, "at most so many tickets"},
                                      {OPTION_DRY_RUN, "change nothing, show what would be learned"},
                                      {OPTION_NOTE, "pause: why"},
                                      {0, NULL}},
    .run = run,
};
