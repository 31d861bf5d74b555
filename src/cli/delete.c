/* delete.c - stele delete, prune: sessions that are no longer wanted. */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../door/json.h"
#include "command.h"
#include "resolve.h"
#include "said.h"
#include "text.h"
#include "trial.h"
#include "when.h"

#define DELETE "conversation.delete_session"
#define PRUNE "conversation.prune_sessions"

static const char *plural(int64_t count) {
  return count == 1 ? "" : "s";
}

static int64_t number(const char *reply, const char *name) {
  return (int64_t)json_number(json_member(json_read(reply, strlen(reply)), name));
}

/* ---- delete ---- */

/* "Weather in Lisbon (20260131_120000_a1b2c3), 4 messages" */
static char *describe(cli *c, const char *id, int *status) {
  char *quoted = text_quote(id), *text = NULL;
  char *reply = command_ask(c, "conversation.get_session", (argument[]){{"session_id", quoted}, {NULL, NULL}}, status);
  if (reply) {
    json title = json_member(json_read(reply, strlen(reply)), "title");
    char *name = json_kind(title) == '"' ? json_text(title) : NULL;
    int64_t messages = number(reply, "message_count");
    text = text_format("%s%s%s%s, %" PRId64 " message%s", name ? name : "", name ? " (" : "", id, name ? ")" : "",
                       messages, plural(messages));
    free(name);
  }
  stele_free(reply);
  free(quoted);
  return text;
}

static bool ask(cli *c, char *const *ids, size_t count, int *status) {
  char *question = NULL;
  size_t length = 0;
  FILE *to = text_need(open_memstream(&question, &length));
  fputs("Delete ", to);
  for (size_t i = 0; i < count && !*status; i++) {
    char *text = describe(c, ids[i], status);
    fprintf(to, "%s%s", i ? "; " : "", text ? text : "");
    free(text);
  }
  fputc('?', to);
  fclose(to);
  bool agreed = !*status && trial_agreed(c, text_need(question), status);
  free(question);
  return agreed;
}

static void delete_one(cli *c, const char *id, bool first, int *status) {
  char *quoted = text_quote(id);
  char *reply = command_ask(c, DELETE, (argument[]){{"session_id", quoted}, {NULL, NULL}}, status);
  if (reply) {
    int64_t messages = number(reply, "messages");
    if (c->options.json)
      out_format(&c->out, "%s{\"session_id\":%s,%s", first ? "[" : ",", quoted, reply + 1);
    else
      out_format(&c->out, "%s with %" PRId64 " message%s %s\n", id, messages, plural(messages),
                 c->options.local[OPTION_DRY_RUN] ? "would be deleted" : "deleted");
  }
  stele_free(reply);
  free(quoted);
}

/* All of them in one transaction: all or none. */
static int delete_all(cli *c, char *const *ids, size_t count) {
  bool dry = c->options.local[OPTION_DRY_RUN] != NULL;
  int status = 0;
  if (dry ? !trial_begin(c, DELETE, &status) : stele_begin(c->db, "conversation") != STELE_OK)
    return status ? status : command_failed(c);
  for (size_t i = 0; i < count && !status; i++) delete_one(c, ids[i], i == 0, &status);
  if (c->options.json && !status) out_text(&c->out, "]\n");
  if (dry)
    trial_end(c);
  else if (status)
    stele_rollback(c->db);
  else if (stele_commit(c->db) != STELE_OK)
    status = command_failed(c);
  return status;
}

static int run_delete(cli *c) {
  size_t count = c->options.nwords - 1;
  char **ids = text_need(calloc(count, sizeof *ids));
  int status = 0;
  for (size_t i = 0; i < count && !status; i++) ids[i] = resolve_session(c, command_argument(c, i + 1), &status);
  if (!status && ask(c, ids, count, &status)) status = delete_all(c, ids, count);
  for (size_t i = 0; i < count; i++) free(ids[i]);
  free(ids);
  return status;
}

/* ---- prune ---- */

static int prune(cli *c, const argument *arguments) {
  int status = 0;
  char *reply = command_ask(c, PRUNE, arguments, &status);
  if (!reply) return status;
  int64_t sessions = number(reply, "pruned"), messages = number(reply, "messages");
  if (c->options.json)
    out_format(&c->out, "%s\n", reply);
  else
    out_format(&c->out, "%" PRId64 " session%s with %" PRId64 " message%s %s\n", sessions, plural(sessions), messages,
               plural(messages), c->options.local[OPTION_DRY_RUN] ? "would be deleted" : "deleted");
  if (sessions && !c->options.local[OPTION_DRY_RUN] && !c->options.json)
    out_notes(&c->out, "the file keeps its size, for what comes; `stele call conversation.vacuum` makes it smaller");
  stele_free(reply);
  return 0;
}

/* The question tells how much it is, counted by a dry run. */
static bool ask_prune(cli *c, const argument *arguments, int *status) {
  argument counting[] = {arguments[0], arguments[1], {"dry_run", "true"}, {NULL, NULL}};
  if (c->options.local[OPTION_DRY_RUN] || c->options.local[OPTION_YES]) return true;
  char *reply = command_ask(c, PRUNE, counting, status);
  if (!reply) return false;
  char *question = text_format("Delete %" PRId64 " session%s with %" PRId64 " message%s, started more than %s days ago?",
                         number(reply, "pruned"), plural(number(reply, "pruned")), number(reply, "messages"),
                         plural(number(reply, "messages")), arguments[0].json);
  stele_free(reply);
  bool agreed = trial_agreed(c, question, status);
  free(question);
  return agreed;
}

static int run_prune(cli *c) {
  const char *age = c->options.local[OPTION_OLDER_THAN];
  double days = age ? when_days(age) : 90;
  int status = 0;
  if (days < 0) return out_bad(&c->out, "such as 90d, 6mo or 1y", "--older-than must be a length of time, not %s", age);
  argument arguments[] = {{"older_than_days", text_format("%.10g", days)},
                          {"source", said_text(c, OPTION_SOURCE, &status)},
                          {"dry_run", said_flag(c, OPTION_DRY_RUN)},
                          {NULL, NULL}};
  if (!status && ask_prune(c, arguments, &status)) status = prune(c, arguments);
  request_free(arguments);
  return status;
}

const command delete_command = {
    .name = "delete",
    .group = GROUP_WORK,
    .usage = "SESSION...",
    .summary = "delete sessions with their messages",
    .examples = "stele delete 20260131_120000_a1b2c3 --dry-run\n"
                "stele delete 20260131_12 'Weather in Paris' --yes",
    .details =
        RESOLVE_WORDS "  All of them are deleted, or none.  What an agent keeps in its own files is not touched, and\n"
                      "`stele import` does not bring a deleted session back unless --again is said.\n"
                      "\n"
                      "With --json: an array of objects with session_id, deleted (1) and messages.",
    .least = 1,
    .most = SIZE_MAX,
    .opens = true,
    .takes = (const command_option[]){{OPTION_DRY_RUN, "delete nothing, tell what would be"},
                                      {OPTION_YES, TRIAL_YES},
                                      {0, NULL}},
    .run = run_delete,
};

const command prune_command = {
    .name = "prune",
    .group = GROUP_WORK,
    .usage = "",
    .summary = "delete the sessions that ended and started long ago",
    .examples = "stele prune --dry-run\n"
                "stele prune --older-than 6mo --source cron --yes",
    .details =
        "A session that still runs is never deleted, however old.  The work is done in short steps while others read\n"
        "and write.",
    .opens = true,
    .takes = (const command_option[]){{OPTION_OLDER_THAN, "how long ago they must have started: 30d, 6mo, 1y (90d)"},
                                      {OPTION_SOURCE, "only those of this source"},
                                      {OPTION_DRY_RUN, "delete nothing, tell how much it would be"},
                                      {OPTION_YES, TRIAL_YES},
                                      {0, NULL}},
    .run = run_prune,
};
