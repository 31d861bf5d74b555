/* settings.c - see settings.h: the table of keys, and their values.
**
** A new key is one line here (one of the server's limits: in src/door/limits.h); the file, the environment, --set,
** `stele config` and docs/configuration.md follow from it. */
#include "settings.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../door/limits.h"
#include "places.h"
#include "stele.h"
#include "suggest.h"
#include "text.h"

#define ANY 0, INT64_MAX

static const setting FIRST[] = {
    {"home", SETTING_PATH, "", ANY, "STELE_HOME", "--home DIR", NULL, "directory of the stores"},
    {"database", SETTING_TEXT, "", ANY, "STELE_DATABASE_URL", "--database URL", NULL,
     "postgres://...: the stores are schemas of this database"},
    {"redact", SETTING_PATH, "", ANY, NULL, "--redact FILE", NULL, "rules of what is redacted; none: redact.toml in the home"},
    {"wait", SETTING_SECONDS, "20s", 1, INT_MAX, NULL, "--wait TIME", NULL, "longest wait for a store's turn, or for a server that was lost"},
    {"color", SETTING_CHOICE, "auto", ANY, "NO_COLOR", "--no-color", "auto, always, never",
     "colours in a terminal; NO_COLOR, set to anything, is never"},
    {"pager", SETTING_TEXT, "", ANY, NULL, NULL, NULL,
     "program that shows what is longer than the terminal; none: $PAGER, else less; cat: nothing"},
};

/* Of each store: where it is, and how safely it writes. */
static const setting OF_STORES[] = {
    {"stores.", SETTING_PATH, "", ANY, NULL, "--store %s=PATH", NULL,
     "the %s store elsewhere: a file, or postgres://...?schema=NAME"},
    {"durability.", SETTING_CHOICE, "", ANY, NULL, NULL, "full, normal",
     "what an acknowledged write to %s survives: full, also a power failure; none: the store's own default"},
};

static const setting LAST[] = {
    {"import.except", SETTING_LIST, "", ANY, NULL, NULL, NULL,
     "agents whose sessions are not taken in: claude-code, codex, cursor, opencode, ..."},
    {"import.ignore", SETTING_LIST, "", ANY, NULL, "--ignore PATH,...", NULL,
     "files, directories or projects that are left alone; an asterisk stands for anything"},
    {"import.capture", SETTING_SWITCH, "true", ANY, NULL, NULL, NULL,
     "segments of the sessions, and their tool calls, go into the capture store, too"},
    {"capture.ignore_directories", SETTING_LIST, "", ANY, NULL, NULL, NULL,
     "directories in which no commands are captured; an asterisk stands for anything"},
    {"embed.model", SETTING_PATH, "", ANY, NULL, NULL, NULL,
     "the static model that texts are embedded with; none: embedding.model in the home, if it is there"},
    {"embed.endpoint", SETTING_TEXT, "", ANY, NULL, NULL, NULL,
     "an OpenAI-compatible interface that embeds texts in its place: https://HOST/v1"},
    {"embed.endpoint_model", SETTING_TEXT, "", ANY, NULL, NULL, NULL, "the model that it is asked for"},
    {"embed.key_env", SETTING_TEXT, "", ANY, NULL, NULL, NULL, "the variable of the environment with the key that it wants; none: no key is sent"},
    {"embed.timeout", SETTING_SECONDS, "30s", 1, INT_MAX, NULL, NULL, NULL, "longest time that one request to it may take"},
    {"embed.batch", SETTING_NUMBER, "64", 1, 2048, NULL, NULL, NULL, "texts in one request"},
    {"embed.rate", SETTING_NUMBER, "10", 0, 1000000, NULL, NULL, NULL, "texts a second that it is sent when everything is embedded; 0: no limit"},
    {"chat.endpoint", SETTING_TEXT, "", ANY, NULL, NULL, NULL,
     "an OpenAI-compatible interface of a language model: http://127.0.0.1:8080/v1; none: no model is asked"},
    {"chat.model", SETTING_TEXT, "", ANY, NULL, NULL, NULL, "the model that it is asked for; none: the first that it lists"},
    {"chat.key_env", SETTING_TEXT, "", ANY, NULL, NULL, NULL, "the variable of the environment with the key that it wants; none: no key is sent"},
    {"chat.timeout", SETTING_SECONDS, "300s", 1, INT_MAX, NULL, NULL, NULL, "longest time until a whole answer is there"},
    {"chat.connect_timeout", SETTING_SECONDS, "10s", 1, INT_MAX, NULL, NULL, NULL, "longest time until it is connected"},
    {"chat.retries", SETTING_NUMBER, "3", 0, 20, NULL, NULL, NULL, "so often it is asked again where it is busy or out of order"},
    {"chat.prompt_tokens", SETTING_NUMBER, "12000", 1, 10000000, NULL, NULL, NULL, "a question has at most so many tokens, as estimated"},
    {"chat.answer_tokens", SETTING_NUMBER, "4096", 1, 1000000, NULL, NULL, NULL, "and an answer"},
    {"chat.prompt_price", SETTING_DECIMAL, "0", ANY, NULL, NULL, NULL, "what a million tokens of questions cost, in any currency"},
    {"chat.answer_price", SETTING_DECIMAL, "0", ANY, NULL, NULL, NULL, "and of answers"},
    {"github.enabled", SETTING_SWITCH, "false", ANY, NULL, NULL, NULL, "the server asks the forge for runs of workflows"},
    {"github.watched_repos", SETTING_LIST, "", ANY, NULL, NULL, NULL, "repositories whose workflows are taken in: owner/name"},
    {"github.api_url", SETTING_TEXT, "https://api.github.com", ANY, NULL, NULL, NULL,
     "the forge's REST interface; of GitHub Enterprise https://HOST/api/v3"},
    {"github.poll_interval_secs", SETTING_SECONDS, "300s", 1000, INT_MAX, NULL, NULL, NULL, "time between two looks at a repository"},
    {"github.tight_poll_interval_secs", SETTING_SECONDS, "45s", 1, INT_MAX, NULL, NULL, NULL,
     "time between two looks at a commit that is watched"},
    {"github.watchlist_ttl_secs", SETTING_SECONDS, "1200s", 1000, INT_MAX, NULL, "--ttl TIME", NULL, "how long a commit is watched"},
    {"github.log_excerpt_max_bytes", SETTING_BYTES, "50K", 1024, 1 << 20, NULL, NULL, NULL, "how much of the end of a failed job's log is kept"},
    {"github.longest_wait", SETTING_SECONDS, "300s", 0, INT_MAX, NULL, NULL, NULL,
     "longest wait at a time when the forge says that it was asked too often"},
    {"enrich.enabled", SETTING_SWITCH, "true", ANY, NULL, NULL, NULL, "the server learns from what was captured"},
    {"enrich.interval", SETTING_SECONDS, "30s", 1000, INT_MAX, NULL, NULL, NULL, "time between two looks whether there is something to learn from"},
    {"enrich.batch", SETTING_NUMBER, "10", 1, 100, NULL, NULL, NULL, "so many tickets of a queue are claimed at a time"},
    {"enrich.max_retries", SETTING_NUMBER, "5", 1, 1000, NULL, NULL, NULL, "after so many failures a ticket is given up"},
    {"enrich.lock_timeout", SETTING_SECONDS, "600s", 1000, INT_MAX, NULL, NULL, NULL, "what is claimed and not settled for so long is taken back"},
    {"enrich.using", SETTING_CHOICE, "rules", ANY, NULL, NULL, "rules, model",
     "who learns: rules on this machine, or the language model of chat.endpoint, which is sent what was captured"},
    {"enrich.calls", SETTING_NUMBER, "8", 1, 1000, NULL, NULL, NULL, "the model is asked at most so often about one ticket, in all"},
    {"enrich.calls_per_hour", SETTING_NUMBER, "0", 0, INT_MAX, NULL, NULL, NULL, "and so often in an hour; 0: no limit"},
    {"enrich.tokens_per_hour", SETTING_NUMBER, "0", 0, INT64_MAX, NULL, NULL, NULL, "questions and answers have at most so many tokens in an hour; 0: no limit"},
    {"enrich.project_roots", SETTING_LIST, "", ANY, NULL, NULL, NULL, "directories of projects: names of files are told from there"},
    {"forget.backups", SETTING_CHOICE, "keep", ANY, NULL, NULL, "keep, rewrite, delete",
     "what `stele forget` does with backups in the home that hold the text: name them, write them anew without it, or delete them"},
    {"upkeep.enabled", SETTING_SWITCH, "true", ANY, NULL, NULL, NULL, "the server keeps what is known in order: `stele upkeep`"},
    {"upkeep.interval", SETTING_SECONDS, "1h", 1000, INT_MAX, NULL, NULL, NULL, "time between two looks whether there is something to do"},
    {"upkeep.except", SETTING_LIST, "", ANY, NULL, NULL, NULL, "chores that are never done: planner.promote, or all of a store: planner"},
    {"upkeep.learning_sessions", SETTING_NUMBER, "2", 2, 1000, NULL, NULL, NULL, "what was learned in so many sessions becomes a fact"},
    {"upkeep.fact_decay_days", SETTING_NUMBER, "7", 0, 36500, NULL, NULL, NULL, "facts that were used within so many days do not fade"},
    {"upkeep.fact_decay_percent", SETTING_NUMBER, "10", 0, 100, NULL, NULL, NULL, "what a day takes from the confidence of the others"},
    {"upkeep.fact_archive_percent", SETTING_NUMBER, "30", 0, 100, NULL, NULL, NULL, "facts of less confidence go to the archive"},
    {"upkeep.user_fact_days", SETTING_NUMBER, "14", 0, 36500, NULL, NULL, NULL,
     "facts about the user that were said within so many days are kept"},
    {"upkeep.lesson_occurrences", SETTING_NUMBER, "2", 1, 1000, NULL, NULL, NULL, "what a workflow met so often is a lesson"},
    {"retention.enabled", SETTING_SWITCH, "true", ANY, NULL, NULL, NULL, "the server deletes what is old enough: `stele retention run`"},
    {"retention.interval", SETTING_SECONDS, "1h", 1000, INT_MAX, NULL, NULL, NULL, "time between two looks whether something is"},
    {"retention.telemetry_invocations", SETTING_KEEP, "7d", ANY, NULL, NULL, NULL, "calls of handlers are kept so long; off: for ever; on: as long as the rule says by itself"},
    {"retention.telemetry_executions", SETTING_KEEP, "7d", ANY, NULL, NULL, NULL, "runs of jobs"},
    {"retention.assistant_audit", SETTING_KEEP, "90d", ANY, NULL, NULL, NULL, "what tools were called"},
    {"retention.assistant_pending_actions", SETTING_KEEP, "7d", ANY, NULL, NULL, NULL, "actions that are confirmed, cancelled, expired or failed"},
    {"retention.assistant_seen_news", SETTING_KEEP, "7d", ANY, NULL, NULL, NULL, "news that were shown"},
    {"retention.conversation_sessions", SETTING_KEEP, "off", ANY, NULL, NULL, NULL, "sessions that have ended, with their messages; on: 90 days"},
    {"retention.planner_archived_facts", SETTING_KEEP, "off", ANY, NULL, NULL, NULL, "facts that faded into the archive; on: 365 days"},
    {"retention.planner_messages", SETTING_KEEP, "off", ANY, NULL, NULL, NULL, "messages that were worked on; on: 365 days"},
    {"retention.capture_events", SETTING_KEEP, "off", ANY, NULL, NULL, NULL, "commands of shells and tool calls of agents; on: 365 days"},
    {"retention.capture_visits", SETTING_KEEP, "off", ANY, NULL, NULL, NULL, "pages that were read; on: 365 days"},
    {"retention.capture_segments", SETTING_KEEP, "off", ANY, NULL, NULL, NULL, "segments of agents' sessions; on: 365 days"},
    {"browser.enabled", SETTING_SWITCH, "true", ANY, NULL, NULL, NULL, "keep the pages that a browser with the extension tells of"},
    {"browser.domains", SETTING_LIST, "", ANY, NULL, NULL, NULL,
     "domains whose pages are kept, and those below them; none: no page is"},
    {"browser.except", SETTING_LIST, "", ANY, NULL, NULL, NULL, "of these domains, those whose pages are not"},
    {"browser.strip_params", SETTING_LIST, "token,api_key,password,secret,auth,session,key,sig", ANY, NULL, NULL, NULL,
     "parameters that are taken out of addresses"},
    {"browser.min_dwell", SETTING_MILLIS, "3s", ANY, NULL, NULL, NULL, "a page that was in view for less is not kept"},
    {"browser.min_scroll", SETTING_NUMBER, "0", 0, 100, NULL, NULL, NULL,
     "nor one of which less was seen, in percent, unless a search led to it"},
    {"browser.long_dwell", SETTING_MILLIS, "120s", ANY, NULL, NULL, NULL, "or it was in view for so long"},
    {"browser.dedup_minutes", SETTING_NUMBER, "30", 0, 1000000, NULL, NULL, NULL,
     "visits of a page within such a span of time are one; 0: one minute"},
    {"browser.probe_domain", SETTING_TEXT, "probe.hippo.local", ANY, NULL, NULL, NULL, "where the probe of the browser's way goes"},
    {"serve.host", SETTING_TEXT, "127.0.0.1", ANY, NULL, "--host HOST", NULL, "address to listen on"},
    {"serve.port", SETTING_NUMBER, "7878", 0, 65535, NULL, "--port N", NULL, "port to listen on; 0: any that is free"},
    {"serve.socket", SETTING_PATH, "", ANY, NULL, "--socket PATH", NULL, "a unix socket besides; you need no token there"},
    {"serve.allow_host", SETTING_LIST, "", ANY, NULL, "--allow-host NAMES", NULL,
     "further names the server may be called by"},
    {"serve.retention", SETTING_NUMBER, "7", 0, 36500, NULL, NULL, NULL,
     "an older way to say retention.telemetry_invocations and retention.telemetry_executions, in days, 0 for ever; where these are set they count"},
    {"serve.pub", SETTING_PATH, "", ANY, NULL, NULL, NULL,
     "folder of the sessions whose pub folders are given out at /pub/; none: nothing is"},
};

static const struct {
  const char *name;
  setting_kind kind;
  int64_t value, least;
  const char *doc;
} SERVE[] = {
#define X(name, kind, value, least, doc) {"serve." #name, SETTING_##kind, value, least, doc},
    LIMITS(X)
#undef X
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ---- The table, put together once; it lives as long as the program ---- */

static setting *table;
static size_t count;

static setting *add(setting key) {
  table = text_need(realloc(table, (count + 1) * sizeof *table));
  table[count] = key;
  return &table[count++];
}

/* STELE_SERVE_PORT of serve.port */
static const char *variable_of(const char *name) {
  char *variable = text_format("STELE_%s", name);
  for (char *at = variable; *at; at++) *at = (char)(*at == '.' || *at == '-' ? '_' : toupper((unsigned char)*at));
  return variable;
}

static char *with_store(const char *format, const char *store) {
  const char *at = format ? strstr(format, "%s") : NULL;
  if (!at) return format ? text_format("%s", format) : NULL;
  return text_format("%.*s%s%s", (int)(at - format), format, store, at + 2);
}

static void add_store(const setting *of, const char *store) {
  setting key = *of;
  key.name = text_format("%s%s", of->name, store);
  key.flag = with_store(of->flag, store);
  key.doc = with_store(of->doc, store);
  add(key);
}

static void add_stores(const setting *of) {
  const stele_method *method;
  const char *last = "";
  for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++) { /* the methods of a store stand together */
    if (strcmp(method->store, last) == 0 || (method->flags & STELE_METHOD_LIBRARY)) continue;
    add_store(of, method->store);
    last = method->store;
  }
}

/* As a person would write it: 64M, 30s, 500ms, true. */
static const char *limit_text(setting_kind kind, int64_t value) {
  static const char *const units[] = {"", "K", "M", "G"};
  size_t unit = 0;
  if (kind == SETTING_SWITCH) return value ? "true" : "false";
  if (kind == SETTING_SECONDS || kind == SETTING_MILLIS)
    return text_format("%lld%s", (long long)value, kind == SETTING_MILLIS ? "ms" : "s");
  while (kind == SETTING_BYTES && value && value % 1024 == 0 && unit + 1 < COUNT(units)) {
    value /= 1024;
    unit++;
  }
  return text_format("%lld%s", (long long)value, units[unit]);
}

static void make_table(void) {
  for (size_t i = 0; i < COUNT(FIRST); i++) add(FIRST[i]);
  for (size_t i = 0; i < COUNT(OF_STORES); i++) add_stores(&OF_STORES[i]);
  for (size_t i = 0; i < COUNT(LAST); i++) add(LAST[i]);
  for (size_t i = 0; i < COUNT(SERVE); i++)
    add((setting){SERVE[i].name, SERVE[i].kind, limit_text(SERVE[i].kind, SERVE[i].value),
                  SERVE[i].least * (SERVE[i].kind == SETTING_SECONDS ? 1000 : 1), (int64_t)1 << 53, NULL, NULL, NULL,
                  SERVE[i].doc});
  for (size_t i = 0; i < count; i++) {
    if (!table[i].variable) table[i].variable = variable_of(table[i].name);
    if (!table[i].flag) table[i].flag = text_format("--set %s=...", table[i].name);
  }
  char *home = places_home();
  if (home) table[0].fallback = home;
}

const setting *setting_at(size_t index) {
  if (!table) make_table();
  return index < count ? &table[index] : NULL;
}

const setting *setting_find(const char *name, const char **near) {
  suggestion guess = suggest(name);
  char *serving = text_format("serve.%s", name);
  const setting *key, *found = NULL;
  for (size_t i = 0; (key = setting_at(i)) != NULL && !found; i++) {
    const char *dot = strrchr(key->name, '.');
    if (strcmp(key->name, name) == 0 || strcmp(key->name, serving) == 0) found = key;
    size_t before = guess.edits;
    suggest_offer(&guess, key->name);
    if (dot && !strchr(name, '.')) suggest_offer(&guess, dot + 1); /* its table was left out */
    if (guess.edits < before) guess.best = key->name;
  }
  free(serving);
  if (near) *near = found ? NULL : guess.best;
  return found;
}

size_t setting_index(const setting *key) {
  return (size_t)(key - table);
}

/* ---- Values ---- */

void settings_init(settings *s) {
  const setting *key;
  setting_at(0);
  *s = (settings){.values = text_need(calloc(count, sizeof *s->values))};
  for (size_t i = 0; (key = setting_at(i)) != NULL; i++) settings_take(s, key, key->fallback, FROM_DEFAULT);
}

void settings_free(settings *s) {
  for (size_t i = 0; s->values && i < count; i++) free(s->values[i].text);
  free(s->values);
  free(s->file);
  free(s->problem);
  free(s->hint);
}

const setting_value *settings_get(const settings *s, const char *name) {
  const setting *key = setting_find(name, NULL);
  return &s->values[setting_index(key)];
}

const char *settings_text(const settings *s, const char *name) {
  const char *text = settings_get(s, name)->text;
  return *text ? text : NULL;
}

void settings_wrong(settings *s, char *problem, char *hint) {
  if (s->problem) {
    free(problem);
    free(hint);
    return;
  }
  s->problem = problem;
  s->hint = hint;
}
