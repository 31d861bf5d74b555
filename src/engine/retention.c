/* retention.c - stele.retain: what the stores' rules of retention say is due is deleted.  sql/<store>/retention.sql has the rules,
** sweep.h does the deleting. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/time.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "engine/partition.h"
#include "engine/round.h"
#include "engine/sweep.h"
#include "engine/system.h"
#include "registry_ids.h"

#define FOR_EVER (-1.0)
#define EARLY 0.9 /* of its interval: one that is done every hour, by a clock that is not exact, is not put off by another hour */

typedef struct retaining {
  st_call *call;
  const st_json *keep; /* by rule; NULL: nothing was said */
  double now;
  bool dry;
} retaining;

/* ---- Which rules, and how long ---- */

/* "telemetry.executions"; NULL: no memory. */
static const char *name_of(st_call *call, const st_store *store, const st_rule *rule) {
  char name[200];
  int length = snprintf(name, sizeof name, "%s.%s", store->name, rule->topic);
  return st_call_copy(call, name, (size_t)length);
}

/* Is there a rule that a text names, or a store that has some? */
static bool is_known(st_call *call, const char *text, bool whole) {
  for (int i = 0; i < st_registry.nstores; i++)
    for (uint16_t r = 0; r < st_registry.stores[i].nrules; r++) {
      const char *name = name_of(call, &st_registry.stores[i], &st_registry.stores[i].rules[r]);
      if (name && (whole ? strcmp(text, name) == 0 : st_round_names(text, name))) return true;
    }
  return false;
}

/* Seconds, FOR_EVER, or the rule's own length.  False: it says none of these. */
static bool read_keep(const st_json *said, double own, double *seconds) {
  *seconds = own;
  if (said->type == ST_JSON_INT || said->type == ST_JSON_REAL) {
    *seconds = said->real;
    return said->real >= 0;
  }
  if (said->type != ST_JSON_STRING) return false;
  if (strcmp(said->text, "off") == 0) *seconds = FOR_EVER;
  return *seconds == FOR_EVER || strcmp(said->text, "on") == 0 || st_duration_parse(said->text, said->length, seconds);
}

static double keep_of(const retaining *r, const char *name, const st_rule *rule) {
  const st_json *said = r->keep ? st_json_get(r->keep, name) : NULL;
  double seconds = rule->off ? FOR_EVER : (double)rule->keep;
  if (said) read_keep(said, (double)rule->keep, &seconds);
  return seconds;
}

/* Whatever is named must be there, and say something: one that was misspelt would never be done, or always. */
static void read_arguments(st_call *call, retaining *r) {
  const st_value *only = &call->args[ST_P_STELE_RETAIN_ONLY], *keep = &call->args[ST_P_STELE_RETAIN_KEEP];
  st_json_error problem = {0};
  double seconds;
  for (uint32_t i = 0; i < only->count && st_ok(call); i++)
    if (!is_known(call, only->items[i].bytes, false)) st_fail(call, STELE_NOTFOUND, "only", "there is no rule %.100s", only->items[i].bytes);
  r->keep = st_ok(call) ? st_json_parse(call->arena, keep->bytes, keep->length, 0, &problem) : NULL;
  if (problem.nomem) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (st_ok(call) && (!r->keep || r->keep->type != ST_JSON_OBJECT)) st_fail(call, STELE_INVALID, "keep", "keep must be an object");
  for (const st_json *said = st_ok(call) ? r->keep->first : NULL; said && st_ok(call); said = said->next) {
    if (!is_known(call, said->key, true))
      st_fail(call, STELE_NOTFOUND, "keep", "keep: there is no rule %.100s", said->key);
    else if (!read_keep(said, 0, &seconds))
      st_fail(call, STELE_INVALID, "keep", "keep: %.100s is \"off\", \"on\" or a length of time such as \"7d\"", said->key);
  }
}

/* ---- When it was done ---- */

/* The note of a rule stands among those of the store's chores. */
static st_value chore_of(st_call *store, const st_rule *rule) {
  char chore[200];
  int length = snprintf(chore, sizeof chore, "retain_%s", rule->topic);
  return st_call_text(store, chore, (size_t)length);
}

static bool is_recent(const retaining *r, st_call *store, const st_rule *rule) {
  st_value chore = chore_of(store, rule), last;
  st_micros at;
  if (st_arg_int(r->call, ST_P_STELE_RETAIN_AGAIN) || !st_feature_look(store, st_shared_feature(store, ST_TF_UPKEEP))) return false;
  if (!st_one(store, st_shared(store, ST_T_LAST_UPKEEP), &chore, &last) || !st_time_parse(last.bytes, last.length, &at)) return false;
  double ago = r->now - (double)at / 1e6;
  return ago >= 0 && ago < EARLY * (double)rule->every;
}

typedef struct note {
  st_value chore, time;
} note;

static bool write_note(st_call *store, void *user) {
  const note *n = user;
  st_run(store, st_shared(store, ST_T_NOTE_UPKEEP), (const st_value[]){n->chore, n->time});
  return st_ok(store);
}

static void note_done(const retaining *r, st_call *store, const st_rule *rule) {
  char text[ST_TIME_MAX];
  if (!st_ok(store) || !st_time_rfc3339((st_micros)(r->now * 1e6), text)) return;
  note n = {chore_of(store, rule), st_textz(text)};
  st_feature_need(store, st_shared_feature(store, ST_TF_UPKEEP));
  st_call_transaction(store, true, write_note, &n);
}

/* ---- A rule, a store ---- */

static st_value seconds_or_null(const st_call *store, const st_value *time) {
  return time->type == ST_NULL ? *time : st_real(st_seconds(store, time));
}

static void tell(st_call *call, const st_call *store, const char *name, const char *state, double keep, double before, const st_swept *swept) {
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_STELE_RETAIN_RULE] = st_textz(name);
  row[ST_R_STELE_RETAIN_STATE] = st_textz(state);
  if (keep != FOR_EVER) row[ST_R_STELE_RETAIN_KEEP] = st_real(keep);
  if (keep != FOR_EVER) row[ST_R_STELE_RETAIN_BEFORE] = st_real(before);
  row[ST_R_STELE_RETAIN_ROWS] = st_int(swept->rows);
  row[ST_R_STELE_RETAIN_ALSO] = st_int(swept->also);
  row[ST_R_STELE_RETAIN_HELD] = st_int(swept->held);
  row[ST_R_STELE_RETAIN_OLDEST] = seconds_or_null(store, &swept->oldest);
  row[ST_R_STELE_RETAIN_NEWEST] = seconds_or_null(store, &swept->newest);
}

/* What is due is counted before it is deleted, which tells what a hold keeps back; what was deleted is counted as it goes.  Where
** partitions go whole, those with something held, and what is in none, are left to the sweep. */
static void apply(const retaining *r, st_call *store, const char *name, const st_rule *rule, double keep) {
  const st_value absent = {.type = ST_ABSENT};
  bool cut = st_partitions_apply(store, rule);
  double limit = r->now - keep;
  st_swept due, gone;
  if (cut && !r->dry) st_partitions_make(store, rule, r->now, keep);
  if (cut) limit = st_partitions_floor(store, rule, limit, keep);
  st_value before = st_round_time(store, "now", limit);
  st_sweep_count(store, rule, before, absent, &due);
  if (!r->dry) {
    int64_t dropped = cut ? st_partitions_drop(store, rule, limit) : 0;
    st_sweep(store, rule, before, absent, due.rows - dropped, &gone);
    note_done(r, store, rule);
    due.rows = dropped + gone.rows;
    due.also = gone.also;
  }
  if (st_ok(store)) tell(r->call, store, name, r->dry ? "due" : "deleted", keep, limit, &due);
}

static void see_to(const retaining *r, st_call *store) {
  static const st_swept nothing = {.oldest = {.type = ST_NULL}, .newest = {.type = ST_NULL}};
  const st_store *declared = store->store->store;
  for (uint16_t i = 0; i < declared->nrules && st_ok(store); i++) {
    const st_rule *rule = &declared->rules[i];
    const char *name = name_of(store, declared, rule);
    const st_value *only = &r->call->args[ST_P_STELE_RETAIN_ONLY];
    if (!name || (only->count && !st_round_is_named(only, name))) continue;
    double keep = keep_of(r, name, rule);
    if (keep == FOR_EVER)
      tell(r->call, store, name, "off", keep, 0, &nothing);
    else if (!r->dry && is_recent(r, store, rule))
      tell(r->call, store, name, "recent", keep, r->now - keep, &nothing);
    else
      apply(r, store, name, rule, keep);
  }
}

/* What is outside the home is kept in order by the program that it belongs to. */
static void visit(const retaining *r, int index, st_error *error) {
  const st_opened *opened = &r->call->db->stores[index];
  st_call store = *r->call;
  store.error = error;
  if (!opened->target.in_home && !st_arg_int(r->call, ST_P_STELE_RETAIN_OUTSIDE)) return;
  if (!st_round_is_there(&store, opened) || !st_round_enter(&store, r->call, index, error)) return;
  st_features_ensure(&store);
  see_to(r, &store);
}

void st_stele_retain(st_call *call) {
  st_error first = {.status = STELE_OK};
  retaining r = {call, NULL, st_arg_real(call, ST_P_STELE_RETAIN_NOW), st_arg_int(call, ST_P_STELE_RETAIN_DRY_RUN) != 0};
  read_arguments(call, &r);
  for (int i = 0; i < st_registry.nstores && st_ok(call); i++) {
    st_error error = {.status = STELE_OK};
    if (st_registry.stores[i].nrules) visit(&r, i, &error);
    if (error.status != STELE_OK && first.status == STELE_OK) first = error;
  }
  if (st_ok(call) && first.status != STELE_OK) *call->error = first;
}

void st_stele_retention_rules(st_call *call) {
  for (int i = 0; i < st_registry.nstores; i++)
    for (uint16_t r = 0; r < st_registry.stores[i].nrules; r++) {
      const st_rule *rule = &st_registry.stores[i].rules[r];
      st_value *row = st_reply(call);
      if (!row) return;
      row[ST_R_STELE_RETENTION_RULES_RULE] = st_textz(name_of(call, &st_registry.stores[i], rule));
      row[ST_R_STELE_RETENTION_RULES_KEEP] = st_real((double)rule->keep);
      row[ST_R_STELE_RETENTION_RULES_ON] = st_bool(!rule->off);
      row[ST_R_STELE_RETENTION_RULES_EVERY] = st_real((double)rule->every);
      row[ST_R_STELE_RETENTION_RULES_DOC] = st_textz(rule->doc);
    }
}
