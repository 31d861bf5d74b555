/* lessons.c - what goes wrong again and again becomes a lesson. */
#include <string.h>

#include "engine/chore.h"
#include "registry_ids.h"
#include "stores/capture/capture.h"

enum { DIRECTORIES = 2, SUMMARY_MAX = 100000 };

/* The first directories of a path, with the slash. */
static st_value place_of(st_call *call, const st_value *path) {
  size_t length = 0;
  for (int i = 0; i < DIRECTORIES; i++) {
    const char *slash = memchr(path->bytes + length, '/', path->length - length);
    if (!slash) break;
    length = (size_t)(slash - path->bytes) + 1;
  }
  return st_call_text(call, path->bytes, length);
}

/* "ruff:E501 in src/web/" */
static st_value summary_of(st_call *call, const st_value *tool, const st_value *rule, const st_value *place) {
  st_str out;
  st_str_init(&out, SUMMARY_MAX);
  st_str_addf(&out, "%s:%s in %s", tool->bytes, rule->bytes, place->bytes ? place->bytes : "");
  return st_take(call, &out);
}

/* What is counted apart: its repository, tool, rule and place. */
enum { REPO, TOOL, RULE, PLACE, CLUSTER };

/* The lesson that it is from now on. */
static st_value graduate(st_call *call, const st_value cluster[CLUSTER], const st_value *hint, const st_value *last_seen) {
  st_value args[ST_P_CAPTURE_GRADUATE_LESSON_NOW + 1] = {cluster[REPO], cluster[TOOL], cluster[RULE], cluster[PLACE]};
  args[ST_P_CAPTURE_GRADUATE_LESSON_SUMMARY] = summary_of(call, &cluster[TOOL], &cluster[RULE], &cluster[PLACE]);
  args[ST_P_CAPTURE_GRADUATE_LESSON_FIX_HINT] = *hint;
  args[ST_P_CAPTURE_GRADUATE_LESSON_NOW] = *last_seen;
  st_value id = {.type = ST_NULL};
  st_one(call, STELE_M_CAPTURE_GRADUATE_LESSON, args, &id);
  st_run(call, STELE_M_CAPTURE_DROP_PENDING_LESSON, args); /* the same first four */
  return id;
}

typedef struct counted {
  st_value id; /* null: it is no lesson yet */
  st_value occurrences;
} counted;

static counted count(st_call *call, const st_value *place) {
  const st_value *given = call->args;
  const st_value repo = given[ST_P_CAPTURE_RECORD_LESSON_REPO], tool = given[ST_P_CAPTURE_RECORD_LESSON_TOOL],
                 rule = given[ST_P_CAPTURE_RECORD_LESSON_RULE_ID], hint = given[ST_P_CAPTURE_RECORD_LESSON_FIX_HINT],
                 now = given[ST_P_CAPTURE_RECORD_LESSON_NOW];
  st_value lesson[ST_R_CAPTURE_COUNT_LESSON_OCCURRENCES + 1];
  if (st_one(call, STELE_M_CAPTURE_COUNT_LESSON, (st_value[]){repo, tool, rule, *place, hint, now}, lesson))
    return (counted){lesson[ST_R_CAPTURE_COUNT_LESSON_ID], lesson[ST_R_CAPTURE_COUNT_LESSON_OCCURRENCES]};
  counted met = {{.type = ST_NULL}, {.type = ST_NULL}};
  if (st_one(call, STELE_M_CAPTURE_COUNT_PENDING_LESSON, (st_value[]){repo, tool, rule, *place, now}, &met.occurrences) &&
      met.occurrences.integer >= st_arg_int(call, ST_P_CAPTURE_RECORD_LESSON_MIN_OCCURRENCES))
    met.id = graduate(call, (st_value[]){repo, tool, rule, *place}, &hint, &now);
  return met;
}

void st_capture_record_lesson(st_call *call) {
  st_value place = place_of(call, &call->args[ST_P_CAPTURE_RECORD_LESSON_PATH]);
  counted met = count(call, &place);
  if (met.id.type == ST_INT && st_has(call, ST_P_CAPTURE_RECORD_LESSON_NODE_ID))
    st_run(call, STELE_M_CAPTURE_LINK_LESSON, (st_value[]){call->args[ST_P_CAPTURE_RECORD_LESSON_NODE_ID], met.id});
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CAPTURE_RECORD_LESSON_ID] = met.id;
  reply[ST_R_CAPTURE_RECORD_LESSON_PATH_PREFIX] = place;
  reply[ST_R_CAPTURE_RECORD_LESSON_OCCURRENCES] = met.occurrences;
}

/* ---- The chore: what was met often enough by now ---- */

typedef struct due due;
struct due {
  due *next;
  st_value row[ST_R_CAPTURE_FIND_DUE_LESSONS_FIRST_SEEN_AT + 1]; /* which begins with the cluster */
};

static due *find_due(st_call *call) {
  due *first = NULL, **end = &first;
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CAPTURE_FIND_DUE_LESSONS, &call->args[ST_P_CAPTURE_UPKEEP_GRADUATE_LESSON_OCCURRENCES]);
  while (st_rows_next(call, &rows)) {
    due *each = st_call_alloc(call, sizeof *each);
    if (!each) break;
    st_rows_keep(call, &rows, each->row);
    *end = each;
    end = &each->next;
  }
  st_rows_end(call, &rows);
  return first;
}

/* When it was last met is not known: not before it was first. */
void st_capture_upkeep_graduate(st_call *call) {
  const st_value no_hint = {.type = ST_NULL};
  for (due *each = find_due(call); each && st_ok(call); each = each->next) {
    const st_value *row = each->row;
    st_value summary = summary_of(call, &row[TOOL], &row[RULE], &row[PLACE]);
    if (!st_ok(call)) return;
    st_chore_tell(call, st_chore_what(call, "%s of %s", summary.bytes, row[REPO].bytes), "graduated", "met %lld times",
                  (long long)row[ST_R_CAPTURE_FIND_DUE_LESSONS_COUNT].integer);
    if (st_chore_in_earnest(call, ST_P_CAPTURE_UPKEEP_GRADUATE_DRY_RUN))
      graduate(call, row, &no_hint, &row[ST_R_CAPTURE_FIND_DUE_LESSONS_FIRST_SEEN_AT]);
  }
}
_Static_assert((int)ST_R_CAPTURE_FIND_DUE_LESSONS_REPO == REPO && (int)ST_R_CAPTURE_FIND_DUE_LESSONS_TOOL == TOOL &&
                   (int)ST_R_CAPTURE_FIND_DUE_LESSONS_RULE_ID == RULE && (int)ST_R_CAPTURE_FIND_DUE_LESSONS_PATH_PREFIX == PLACE,
               "a row of find_due_lessons begins with the cluster");
