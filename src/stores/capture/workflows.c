/* workflows.c - runs of a forge's workflows, and what their jobs found wrong. */
#include <string.h>

#include "registry_ids.h"
#include "stores/capture/capture.h"
#include "stores/capture/keep.h"

void st_capture_upsert_workflow_run(st_call *call) {
  const st_value now = call->args[ST_P_CAPTURE_UPSERT_WORKFLOW_RUN_NOW];
  const st_value *started = &call->args[ST_P_CAPTURE_UPSERT_WORKFLOW_RUN_STARTED_AT];
  const st_value *id = &call->args[ST_P_CAPTURE_UPSERT_WORKFLOW_RUN_ID];
  const st_value look[] = {
      [ST_P_CAPTURE_LOOK_WORKFLOW_RUN_ID] = *id,
      [ST_P_CAPTURE_LOOK_WORKFLOW_RUN_COMPLETED_AT] = call->args[ST_P_CAPTURE_UPSERT_WORKFLOW_RUN_COMPLETED_AT],
  };
  st_value known[] = {
      [ST_R_CAPTURE_LOOK_WORKFLOW_RUN_ENRICHED] = st_bool(false),
      [ST_R_CAPTURE_LOOK_WORKFLOW_RUN_SETTLED] = st_bool(false),
  };
  bool there = st_one(call, STELE_M_CAPTURE_LOOK_WORKFLOW_RUN, look, known);
  st_run(call, STELE_M_CAPTURE_WRITE_WORKFLOW_RUN, call->args); /* its parameters are the same */
  st_capture_well(call, st_textz("workflow"), started->type == ST_INT ? *started : now, !there, now);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CAPTURE_UPSERT_WORKFLOW_RUN_ID] = *id;
  reply[ST_R_CAPTURE_UPSERT_WORKFLOW_RUN_CREATED] = st_bool(!there);
  reply[ST_R_CAPTURE_UPSERT_WORKFLOW_RUN_ENRICHED] = known[ST_R_CAPTURE_LOOK_WORKFLOW_RUN_ENRICHED];
  reply[ST_R_CAPTURE_UPSERT_WORKFLOW_RUN_SETTLED] = known[ST_R_CAPTURE_LOOK_WORKFLOW_RUN_SETTLED];
}

enum { ANNOTATION = ST_P_CAPTURE_ADD_ANNOTATION_MESSAGE + 1 };

void st_capture_replace_annotations(st_call *call) {
  const st_value *job = &call->args[ST_P_CAPTURE_REPLACE_ANNOTATIONS_JOB_ID];
  const st_value *all = &call->args[ST_P_CAPTURE_REPLACE_ANNOTATIONS_ANNOTATIONS];
  st_value known, one[ANNOTATION];
  if (!st_one(call, STELE_M_CAPTURE_LOOK_WORKFLOW_JOB, job, &known))
    st_fail(call, STELE_NOTFOUND, "job_id", "job_id %lld does not exist", (long long)job->integer);
  st_run(call, STELE_M_CAPTURE_FORGET_ANNOTATIONS, job);
  for (uint32_t i = 0; i < all->count && st_ok(call); i++) {
    memcpy(one, all->items + (size_t)i * all->width, sizeof one);
    one[ST_P_CAPTURE_ADD_ANNOTATION_JOB_ID] = *job;
    st_run(call, STELE_M_CAPTURE_ADD_ANNOTATION, one);
  }
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_CAPTURE_REPLACE_ANNOTATIONS_WRITTEN] = st_int(all->count);
}

void st_capture_get_ci_status(st_call *call) {
  st_rows rows;
  if (!st_has(call, ST_P_CAPTURE_GET_CI_STATUS_SHA) && !st_has(call, ST_P_CAPTURE_GET_CI_STATUS_BRANCH))
    st_fail(call, STELE_INVALID, "sha", "sha or branch is needed");
  st_rows_start(call, &rows, STELE_M_CAPTURE_READ_CI_STATUS, call->args); /* its parameters are the same */
  while (st_rows_next(call, &rows)) st_reply_read(call, &rows, ST_ALL_COLUMNS);
  st_rows_end(call, &rows);
}
