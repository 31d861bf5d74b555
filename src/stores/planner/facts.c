/* facts.c - facts are kept, linked to what is known already, fade, and are brought back from the archive. */
#include <stdio.h>
#include <string.h>

#include "engine/feature.h"
#include "registry_ids.h"
#include "stores/planner/planner.h"
#include "stores/planner/sayings.h"

#define NORMAL_MAX (16u << 20) /* bytes of a fact */

/* ---- In the same words ---- */

static bool is_same(const st_str *a, const st_str *b) {
  return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* The fact that says the same, of the same category and to be seen in the same place; 0: none. */
static int64_t find_same(st_call *call, const st_value *fact) {
  st_value args[ST_P_PLANNER_GET_FACTS_LIMIT + 1] = {{0}}, id = st_int(0), content;
  st_str wanted, found;
  st_rows rows;
  int64_t same = 0;
  args[ST_P_PLANNER_GET_FACTS_SESSION] = fact[ST_P_PLANNER_SAVE_FACT_SESSION];
  args[ST_P_PLANNER_GET_FACTS_IS_ADMIN] = st_bool(false);
  args[ST_P_PLANNER_GET_FACTS_CATEGORY] = fact[ST_P_PLANNER_SAVE_FACT_CATEGORY];
  args[ST_P_PLANNER_GET_FACTS_INCLUDE_SUPERSEDED] = st_bool(false);
  args[ST_P_PLANNER_GET_FACTS_AFTER] = st_int(0);
  st_str_init(&wanted, NORMAL_MAX);
  st_str_init(&found, NORMAL_MAX);
  st_planner_words(call, &fact[ST_P_PLANNER_SAVE_FACT_CONTENT], &wanted);
  if (wanted.length) st_rows_start(call, &rows, STELE_M_PLANNER_GET_FACTS, args);
  while (wanted.length && !same && st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_PLANNER_GET_FACTS_ID, &id);
    st_rows_value(call, &rows, ST_R_PLANNER_GET_FACTS_CONTENT, &content);
    st_planner_words(call, &content, &found);
    if (st_ok(call) && is_same(&wanted, &found)) same = id.integer;
  }
  if (wanted.length) st_rows_end(call, &rows);
  st_str_free(&wanted);
  st_str_free(&found);
  return same;
}

/* ---- Keeping ---- */

static int64_t insert(st_call *call, const st_value *fact) {
  st_value args[6];
  args[ST_P_PLANNER_INSERT_FACT_CONTENT] = fact[ST_P_PLANNER_SAVE_FACT_CONTENT];
  args[ST_P_PLANNER_INSERT_FACT_SOURCE] = fact[ST_P_PLANNER_SAVE_FACT_SOURCE];
  args[ST_P_PLANNER_INSERT_FACT_SESSION] = fact[ST_P_PLANNER_SAVE_FACT_SESSION];
  args[ST_P_PLANNER_INSERT_FACT_CATEGORY] = fact[ST_P_PLANNER_SAVE_FACT_CATEGORY];
  args[ST_P_PLANNER_INSERT_FACT_CONFIDENCE] = fact[ST_P_PLANNER_SAVE_FACT_CONFIDENCE];
  args[ST_P_PLANNER_INSERT_FACT_NOW] = fact[ST_P_PLANNER_SAVE_FACT_NOW];
  return st_planner_insert(call, STELE_M_PLANNER_INSERT_FACT, args);
}

static void check_replaced(st_call *call, const st_value *replaced, const char *place) {
  char field[60];
  st_value id;
  snprintf(field, sizeof field, "%sreplaces", place);
  st_planner_get(call, STELE_M_PLANNER_LOOK_FACT, field, replaced->integer, &id);
}

int64_t st_planner_keep_fact(st_call *call, const st_value *fact, const char *place, bool *existing) {
  const st_value *replaced = &fact[ST_P_PLANNER_SAVE_FACT_REPLACES], *now = &fact[ST_P_PLANNER_SAVE_FACT_NOW];
  const st_value *from = &fact[ST_P_PLANNER_SAVE_FACT_VALID_FROM];
  if (replaced->type == ST_INT) check_replaced(call, replaced, place);
  int64_t id = fact[ST_P_PLANNER_SAVE_FACT_LINK].integer ? find_same(call, fact) : 0;
  *existing = id != 0;
  if (!id) id = insert(call, fact);
  bool replaces = replaced->type == ST_INT && replaced->integer != id;
  if (replaces || from->type == ST_TEXT) st_feature_need(call, ST_F_PLANNER_VALIDITY);
  if (from->type == ST_TEXT || (replaces && !*existing))
    st_run(call, STELE_M_PLANNER_SET_VALID_FROM, (const st_value[]){st_int(id), from->type == ST_TEXT ? *from : *now});
  if (replaces) st_run(call, STELE_M_PLANNER_SET_SUPERSEDED, (const st_value[]){*replaced, st_int(id), *now});
  return id;
}

void st_planner_save_fact(st_call *call) {
  bool existing;
  int64_t id = st_planner_keep_fact(call, call->args, "", &existing);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_PLANNER_SAVE_FACT_ID] = st_int(id);
  reply[ST_R_PLANNER_SAVE_FACT_EXISTING] = st_bool(existing);
}

/* ---- Fading ---- */

void st_planner_fade_facts(st_call *call) {
  const st_value *given = call->args;
  st_value decay[3], archive[2];
  decay[ST_P_PLANNER_DECAY_FACTS_FACT_DECAY_DAYS] = given[ST_P_PLANNER_FADE_FACTS_FACT_DECAY_DAYS];
  decay[ST_P_PLANNER_DECAY_FACTS_FACT_DECAY_RATE] = given[ST_P_PLANNER_FADE_FACTS_FACT_DECAY_RATE];
  decay[ST_P_PLANNER_DECAY_FACTS_NOW] = given[ST_P_PLANNER_FADE_FACTS_NOW];
  archive[ST_P_PLANNER_ARCHIVE_LOW_CONFIDENCE_FACTS_FACT_ARCHIVE_THRESHOLD] =
      given[ST_P_PLANNER_FADE_FACTS_FACT_ARCHIVE_THRESHOLD];
  archive[ST_P_PLANNER_ARCHIVE_LOW_CONFIDENCE_FACTS_NOW] = given[ST_P_PLANNER_FADE_FACTS_NOW];
  int64_t decayed = st_run(call, STELE_M_PLANNER_DECAY_FACTS, decay);
  int64_t moved =
      st_run(call, STELE_M_PLANNER_ARCHIVE_LOW_CONFIDENCE_FACTS, archive); /* each was copied, and deleted */
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_PLANNER_FADE_FACTS_DECAYED] = st_int(decayed);
  reply[ST_R_PLANNER_FADE_FACTS_ARCHIVED] = st_int(moved / 2);
}

void st_planner_restore_fact(st_call *call) {
  const st_value *archived = &call->args[ST_P_PLANNER_RESTORE_FACT_ID];
  st_value args[3], id;
  args[ST_P_PLANNER_COPY_FROM_ARCHIVE_ID] = *archived;
  args[ST_P_PLANNER_COPY_FROM_ARCHIVE_CONFIDENCE] = call->args[ST_P_PLANNER_RESTORE_FACT_CONFIDENCE];
  args[ST_P_PLANNER_COPY_FROM_ARCHIVE_NOW] = call->args[ST_P_PLANNER_RESTORE_FACT_NOW];
  if (!st_one(call, STELE_M_PLANNER_COPY_FROM_ARCHIVE, args, &id))
    st_fail(call, STELE_NOTFOUND, "id", "id %lld does not exist in the archive", (long long)archived->integer);
  st_run(call, STELE_M_PLANNER_DELETE_FROM_ARCHIVE, archived);
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_PLANNER_RESTORE_FACT_ID] = id;
}
