/* ingest.c - capture.ingest: events as they were sent, in one transaction. */
#include <stdio.h>
#include <string.h>

#include "capture/capture.h"
#include "capture/envelope.h"

#define ANSWERS_MAX (64u << 20)

typedef struct counts {
  int64_t stored, duplicates, refused;
} counts;

/* One of them; its answer is added to the others. */
static void take(st_call *call, const st_redaction *redaction, const st_json *json, counts *so_far, st_str *answers) {
  st_envelope envelope;
  st_error problem = {.status = STELE_OK};
  bool good = st_envelope_read(call, redaction, json, call->args[ST_P_CAPTURE_INGEST_NOW], &envelope, &problem);
  if (!st_ok(call)) return;
  if (problem.status == STELE_NOMEM) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (good && st_envelope_keep(call, &envelope)) so_far->stored++;
  else if (good) so_far->duplicates++;
  else so_far->refused++;
  st_str_addz(answers, answers->length ? "," : "[");
  if (good) st_str_addz(answers, "null");
  else st_json_add_string(answers, problem.message, strlen(problem.message));
}

static const st_json *read_list(st_call *call) {
  const st_value *text = &call->args[ST_P_CAPTURE_INGEST_ENVELOPES];
  st_json_error error;
  const st_json *list = st_json_parse(call->arena, text->bytes, text->length, 0, &error);
  if (!list) st_fail(call, STELE_NOMEM, NULL, "out of memory"); /* that it is JSON was checked */
  else if (list->type != ST_JSON_ARRAY && list->type != ST_JSON_OBJECT)
    st_fail(call, STELE_INVALID, "envelopes", "envelopes must be an array, or one envelope");
  return st_ok(call) ? list : NULL;
}

void st_capture_ingest(st_call *call) {
  st_redaction *redaction = st_redaction_of(call);
  const st_json *list = redaction ? read_list(call) : NULL;
  counts so_far = {0};
  st_str answers;
  if (!list) return;
  st_str_init(&answers, ANSWERS_MAX);
  const st_json *first = list->type == ST_JSON_ARRAY ? list->first : list;
  for (const st_json *at = first; at && st_ok(call); at = at->next) take(call, redaction, at, &so_far, &answers);
  st_str_addz(&answers, answers.length ? "]" : "[]");
  st_value told = st_take(call, &answers);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CAPTURE_INGEST_STORED] = st_int(so_far.stored);
  reply[ST_R_CAPTURE_INGEST_DUPLICATES] = st_int(so_far.duplicates);
  reply[ST_R_CAPTURE_INGEST_REFUSED] = st_int(so_far.refused);
  reply[ST_R_CAPTURE_INGEST_ANSWERS] = told;
}
