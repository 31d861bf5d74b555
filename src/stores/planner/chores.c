/* chores.c - the chores of the planner: learnings are promoted, facts superseded, decayed and archived.
**
** Each tells first what it is going to change, and then does it, in one transaction.  Promoting, superseding and archiving
** leave nothing to be found again.  A step of decay would: so the day of the last one is noted beside it. */
#include <string.h>

#include "engine/chore.h"
#include "engine/feature.h"
#include "registry_ids.h"
#include "stores/planner/planner.h"
#include "stores/planner/sayings.h"

#define DAY_LENGTH 10    /* of "2026-01-31 12:00:00" */
#define UNJUDGED 0.5     /* confidence of what recurred, and nobody has judged */
#define RECURRED "recurrence" /* the source of such a fact */

static st_value what_fact(st_call *call, int64_t id) { return st_chore_what(call, "fact %lld", (long long)id); }

static const char *text_or(const st_value *value, const char *otherwise) { return value->type == ST_TEXT ? value->bytes : otherwise; }

/* ---- Promoting ---- */

static void read_learnings(st_call *call, st_sayings *out) {
  st_value args[ST_P_PLANNER_GET_PENDING_LEARNINGS_AFTER + 1] = {{0}}, row[ST_R_PLANNER_GET_PENDING_LEARNINGS_CREATED_AT + 1];
  st_rows rows;
  args[ST_P_PLANNER_GET_PENDING_LEARNINGS_LIMIT] = st_int(INT64_MAX);
  args[ST_P_PLANNER_GET_PENDING_LEARNINGS_AFTER] = st_int(0);
  st_rows_start(call, &rows, STELE_M_PLANNER_GET_PENDING_LEARNINGS, args);
  while (st_rows_next(call, &rows)) {
    st_rows_keep(call, &rows, row);
    st_planner_add_saying(call, out,
                          (st_saying){.id = row[ST_R_PLANNER_GET_PENDING_LEARNINGS_ID].integer,
                                      .among = "",
                                      .session = text_or(&row[ST_R_PLANNER_GET_PENDING_LEARNINGS_SESSION], ""),
                                      .text = row[ST_R_PLANNER_GET_PENDING_LEARNINGS_CONTENT]});
  }
  st_rows_end(call, &rows);
  if (st_ok(call)) st_planner_sort_sayings(out);
}

/* They are in the order of their sessions. */
static int64_t count_sessions(const st_saying *first, const st_saying *end) {
  int64_t sessions = 1;
  for (const st_saying *each = first + 1; each < end; each++) sessions += strcmp(each[-1].session, each->session) != 0;
  return sessions;
}

/* One fact, in the words of the first, for all of them. */
static void promote(st_call *call, const st_saying *first, const st_saying *end, const st_value *now) {
  st_value fact[ST_P_PLANNER_SAVE_FACT_NOW + 1] = {{0}};
  bool existing;
  fact[ST_P_PLANNER_SAVE_FACT_CONTENT] = first->text;
  fact[ST_P_PLANNER_SAVE_FACT_SOURCE] = st_textz(RECURRED);
  fact[ST_P_PLANNER_SAVE_FACT_SESSION] = st_textz(NULL);
  fact[ST_P_PLANNER_SAVE_FACT_CATEGORY] = st_textz("general");
  fact[ST_P_PLANNER_SAVE_FACT_CONFIDENCE] = st_real(UNJUDGED);
  fact[ST_P_PLANNER_SAVE_FACT_LINK] = st_bool(true);
  fact[ST_P_PLANNER_SAVE_FACT_NOW] = *now;
  st_planner_keep_fact(call, fact, "", &existing);
  for (const st_saying *each = first; each < end; each++)
    st_run(call, STELE_M_PLANNER_UPDATE_LEARNING, (const st_value[]){st_int(each->id), st_textz("promoted")});
}

void st_planner_upkeep_promote(st_call *call) {
  st_sayings learnings = {NULL, 0, 0};
  int64_t wanted = st_arg_int(call, ST_P_PLANNER_UPKEEP_PROMOTE_LEARNING_SESSIONS);
  read_learnings(call, &learnings);
  for (size_t at = 0, end; at < learnings.count && st_ok(call); at = end) {
    const st_saying *first = &learnings.items[at];
    end = st_planner_same_until(&learnings, at);
    int64_t sessions = count_sessions(first, learnings.items + end);
    if (sessions < wanted) continue;
    for (const st_saying *each = first; each < learnings.items + end; each++)
      st_chore_tell(call, st_chore_what(call, "learning %lld", (long long)each->id), "promoted", "learned in %lld sessions",
                    (long long)sessions);
    if (st_chore_in_earnest(call, ST_P_PLANNER_UPKEEP_PROMOTE_DRY_RUN))
      promote(call, first, learnings.items + end, &call->args[ST_P_PLANNER_UPKEEP_PROMOTE_NOW]);
  }
}

/* ---- Superseding ---- */

/* Facts about a user are seen in their own session only; all others everywhere. */
static const char *seen_where(st_call *call, const st_value *category, const st_value *session) {
  const char *name = text_or(category, "general");
  if (strcmp(name, "user") != 0) return name;
  return st_chore_what(call, "user %s", text_or(session, "")).bytes;
}

static void read_facts(st_call *call, st_sayings *out) {
  st_value args[ST_P_PLANNER_GET_FACTS_LIMIT + 1] = {{0}}, row[ST_R_PLANNER_GET_FACTS_SUPERSEDED_BY + 1];
  st_rows rows;
  args[ST_P_PLANNER_GET_FACTS_IS_ADMIN] = st_bool(true);
  args[ST_P_PLANNER_GET_FACTS_INCLUDE_SUPERSEDED] = st_bool(false);
  args[ST_P_PLANNER_GET_FACTS_AFTER] = st_int(0);
  st_rows_start(call, &rows, STELE_M_PLANNER_GET_FACTS, args);
  while (st_rows_next(call, &rows)) {
    st_rows_keep(call, &rows, row);
    if (!st_ok(call)) break; /* a text may be missing */
    st_planner_add_saying(call, out,
                          (st_saying){.id = row[ST_R_PLANNER_GET_FACTS_ID].integer,
                                      .among = seen_where(call, &row[ST_R_PLANNER_GET_FACTS_CATEGORY], &row[ST_R_PLANNER_GET_FACTS_SESSION]),
                                      .session = "",
                                      .confidence = row[ST_R_PLANNER_GET_FACTS_CONFIDENCE].type == ST_REAL ? row[ST_R_PLANNER_GET_FACTS_CONFIDENCE].real : 0,
                                      .text = row[ST_R_PLANNER_GET_FACTS_CONTENT]});
  }
  st_rows_end(call, &rows);
  if (st_ok(call)) st_planner_sort_sayings(out);
}

void st_planner_upkeep_supersede(st_call *call) {
  st_sayings facts = {NULL, 0, 0};
  st_features_refresh(call); /* another process may have been the first to supersede something */
  read_facts(call, &facts);
  for (size_t at = 0, end; at < facts.count && st_ok(call); at = end) {
    st_value stays = st_int(facts.items[at].id);
    end = st_planner_same_until(&facts, at);
    for (size_t i = at + 1; i < end && st_ok(call); i++) {
      st_value id = st_int(facts.items[i].id);
      st_chore_tell(call, what_fact(call, id.integer), "superseded", "fact %lld says the same", (long long)stays.integer);
      if (!st_chore_in_earnest(call, ST_P_PLANNER_UPKEEP_SUPERSEDE_DRY_RUN)) continue;
      st_feature_need(call, ST_F_PLANNER_VALIDITY);
      st_run(call, STELE_M_PLANNER_SET_SUPERSEDED, (const st_value[]){id, stays, call->args[ST_P_PLANNER_UPKEEP_SUPERSEDE_NOW]});
    }
  }
}

/* ---- Decay ---- */

static const char CHORE[] = "decay";

/* Was it done on this day, or on a later one? */
static bool is_done(st_call *call, const st_value *day) {
  const st_value chore = st_textz(CHORE);
  st_value last;
  st_features_refresh(call); /* another process may have been the first to note a day */
  if (!st_feature_has(call, ST_F_PLANNER_UPKEEP) || !st_one(call, STELE_M_PLANNER_LAST_UPKEEP, &chore, &last)) return false;
  return strcmp(last.bytes, day->bytes) >= 0;
}

static void tell_idle(st_call *call, double rate) {
  st_value args[2], row[ST_R_PLANNER_FIND_IDLE_FACTS_SINCE + 1];
  st_rows rows;
  args[ST_P_PLANNER_FIND_IDLE_FACTS_FACT_DECAY_DAYS] = call->args[ST_P_PLANNER_UPKEEP_DECAY_FACT_DECAY_DAYS];
  args[ST_P_PLANNER_FIND_IDLE_FACTS_NOW] = call->args[ST_P_PLANNER_UPKEEP_DECAY_NOW];
  st_rows_start(call, &rows, STELE_M_PLANNER_FIND_IDLE_FACTS, args);
  while (st_rows_next(call, &rows)) {
    st_rows_keep(call, &rows, row);
    if (!st_ok(call)) break;
    double before = row[ST_R_PLANNER_FIND_IDLE_FACTS_CONFIDENCE].real, after = before > rate ? before - rate : 0;
    st_chore_tell(call, what_fact(call, row[ST_R_PLANNER_FIND_IDLE_FACTS_ID].integer), "decayed",
                  "not used since %s: confidence %.2f becomes %.2f", row[ST_R_PLANNER_FIND_IDLE_FACTS_SINCE].bytes, before, after);
  }
  st_rows_end(call, &rows);
}

void st_planner_upkeep_decay(st_call *call) {
  const st_value *now = &call->args[ST_P_PLANNER_UPKEEP_DECAY_NOW];
  st_value day = st_call_text(call, now->bytes, DAY_LENGTH), args[3];
  double rate = st_arg_real(call, ST_P_PLANNER_UPKEEP_DECAY_FACT_DECAY_RATE);
  if (!st_ok(call) || rate == 0) return;
  if (!st_arg_int(call, ST_P_PLANNER_UPKEEP_DECAY_AGAIN) && is_done(call, &day)) return;
  tell_idle(call, rate);
  if (!st_chore_in_earnest(call, ST_P_PLANNER_UPKEEP_DECAY_DRY_RUN)) return;
  args[ST_P_PLANNER_DECAY_FACTS_FACT_DECAY_DAYS] = call->args[ST_P_PLANNER_UPKEEP_DECAY_FACT_DECAY_DAYS];
  args[ST_P_PLANNER_DECAY_FACTS_FACT_DECAY_RATE] = call->args[ST_P_PLANNER_UPKEEP_DECAY_FACT_DECAY_RATE];
  args[ST_P_PLANNER_DECAY_FACTS_NOW] = *now;
  st_run(call, STELE_M_PLANNER_DECAY_FACTS, args);
  st_feature_need(call, ST_F_PLANNER_UPKEEP);
  st_run(call, STELE_M_PLANNER_NOTE_UPKEEP, (const st_value[]){st_textz(CHORE), day});
}

/* ---- The archive ---- */

void st_planner_upkeep_archive(st_call *call) {
  const st_value *threshold = &call->args[ST_P_PLANNER_UPKEEP_ARCHIVE_FACT_ARCHIVE_THRESHOLD];
  st_value row[ST_R_PLANNER_FIND_FADED_FACTS_CONFIDENCE + 1];
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_PLANNER_FIND_FADED_FACTS, threshold);
  while (st_rows_next(call, &rows)) {
    st_rows_keep(call, &rows, row);
    st_chore_tell(call, what_fact(call, row[ST_R_PLANNER_FIND_FADED_FACTS_ID].integer), "archived", "confidence %.2f is below %.2f",
                  row[ST_R_PLANNER_FIND_FADED_FACTS_CONFIDENCE].real, st_arg_real(call, ST_P_PLANNER_UPKEEP_ARCHIVE_FACT_ARCHIVE_THRESHOLD));
  }
  st_rows_end(call, &rows);
  if (st_chore_in_earnest(call, ST_P_PLANNER_UPKEEP_ARCHIVE_DRY_RUN))
    st_run(call, STELE_M_PLANNER_ARCHIVE_LOW_CONFIDENCE_FACTS, (const st_value[]){*threshold, call->args[ST_P_PLANNER_UPKEEP_ARCHIVE_NOW]});
}
