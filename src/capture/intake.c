/* intake.c - see intake.h. */
#include "capture/intake.h"

#include <string.h>

#include "stores/capture/keep.h"

#define ARENA_MAX ((size_t)1 << 30)
#define BATCH_BYTES ((size_t)8 << 20)

void st_intake_begin(st_intake *intake) {
  st_arena_init(&intake->arena, ARENA_MAX);
  intake->redaction = st_redaction_of(intake->call);
}

void st_intake_free(st_intake *intake) {
  st_arena_free(&intake->arena);
}

static void refuse(st_intake *intake, size_t number, const char *why) {
  intake->refused++;
  if (intake->refused_one)
    intake->refused_one(intake->user, intake->waiting[number].text, intake->waiting[number].length, why);
}

/* ---- One envelope ---- */

/* Would it be new? */
static bool is_new(st_call *call, const st_envelope *envelope) {
  int find = envelope->visit ? STELE_M_CAPTURE_FIND_BROWSER_EVENT : STELE_M_CAPTURE_FIND_EVENT;
  int id = envelope->visit ? (int)ST_P_CAPTURE_INSERT_BROWSER_EVENT_ENVELOPE_ID : (int)ST_P_CAPTURE_INSERT_EVENT_ENVELOPE_ID;
  int64_t row;
  return !st_capture_find(call, find, &envelope->values[id], &row);
}

static bool read_one(st_intake *intake, size_t number, st_envelope *envelope, st_error *problem) {
  st_json_error error;
  const st_json *json = st_json_parse(intake->call->arena, intake->waiting[number].text, intake->waiting[number].length, 0, &error);
  if (json) return st_envelope_read(intake->call, intake->redaction, json, intake->now, envelope, problem);
  if (error.nomem) st_fail(intake->call, STELE_NOMEM, NULL, "out of memory");
  problem->status = STELE_INVALID;
  strcpy(problem->message, "it is no JSON");
  return false;
}

/* What became of one. */
typedef struct outcome {
  bool added;      /* it was new */
  const char *why; /* it is refused; NULL: it is not */
} outcome;

static outcome take(st_intake *intake, size_t number) {
  st_call *call = intake->call;
  st_envelope envelope;
  st_error problem = {.status = STELE_OK};
  if (!st_ok(call)) return (outcome){0};
  if (read_one(intake, number, &envelope, &problem))
    return (outcome){.added = intake->dry_run ? is_new(call, &envelope) : st_envelope_keep(call, &envelope)};
  if (problem.status == STELE_NOMEM) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  return (outcome){.why = st_call_copy(call, problem.message, strlen(problem.message))};
}

/* ---- A batch ---- */

/* Some of those that wait, and what became of each. */
typedef struct some {
  st_intake *intake;
  size_t first, count;
  outcome outcomes[ST_INTAKE_BATCH];
} some;

static bool try_some(st_call *call, void *user) {
  some *s = user;
  for (size_t i = 0; i < s->count; i++) s->outcomes[i] = take(s->intake, s->first + i);
  return st_ok(call);
}

/* One transaction; what is told of them is told when it is committed. */
static void take_some(st_intake *intake, size_t first, size_t count) {
  some s = {.intake = intake, .first = first, .count = count};
  if (!st_call_transaction(intake->call, !intake->dry_run, try_some, &s)) return;
  for (size_t i = 0; i < count && st_ok(intake->call); i++) {
    if (s.outcomes[i].why) refuse(intake, first + i, s.outcomes[i].why);
    else if (s.outcomes[i].added) intake->stored++;
    else intake->duplicates++;
  }
}

/* Is it the envelope that is wrong, and not the store? */
static bool is_its_fault(stele_status status) {
  return status == STELE_INVALID || status == STELE_NOTFOUND || status == STELE_INTERNAL;
}

/* One by one, to find the one that the store will not have. */
static void take_each(st_intake *intake) {
  st_error *error = intake->call->error;
  for (size_t i = 0; i < intake->count && st_ok(intake->call); i++) {
    take_some(intake, i, 1);
    if (!is_its_fault(error->status)) continue;
    char why[sizeof error->message];
    strcpy(why, error->message);
    *error = (st_error){.status = STELE_OK};
    refuse(intake, i, why);
  }
}

void st_intake_flush(st_intake *intake) {
  st_call *call = intake->call;
  st_arena *outer = call->arena;
  if (!st_ok(call) || !intake->count) return;
  call->arena = &intake->arena; /* what the batch needs is freed with it */
  take_some(intake, 0, intake->count);
  if (is_its_fault(call->error->status)) {
    *call->error = (st_error){.status = STELE_OK};
    take_each(intake);
  }
  call->arena = outer;
  st_arena_reset(&intake->arena);
  intake->count = intake->bytes = 0;
}

void st_intake_add(st_intake *intake, const char *envelope, size_t length) {
  if (!st_ok(intake->call)) return;
  const char *copy = st_arena_copy(&intake->arena, envelope, length);
  if (!copy) {
    st_fail(intake->call, STELE_NOMEM, NULL, "out of memory");
    return;
  }
  intake->waiting[intake->count].text = copy;
  intake->waiting[intake->count++].length = length;
  intake->bytes += length;
  if (intake->count == ST_INTAKE_BATCH || intake->bytes >= BATCH_BYTES) st_intake_flush(intake);
}
