/* doctor_rows.c - capture.doctor_rows: are the rows that must be there, and do they go together? */
#include "registry_ids.h"
#include "stores/capture/capture.h"
#include "stores/capture/findings.h"

/* ---- First rows ---- */

static void find_sources(st_call *call, st_findings *found) {
  st_value source;
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CAPTURE_LIST_MISSING_SOURCES, NULL);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, 0, &source);
    if (st_ok(call)) st_findings_add(found, ST_HEALTH_WARN, "source_health has no %s", source.bytes);
  }
  st_rows_end(call, &rows);
}

static void tell_seeds(st_call *call, int64_t unfound) {
  st_findings found = {.worst = ST_HEALTH_OK};
  find_sources(call, &found);
  if (unfound) st_findings_add(&found, ST_HEALTH_WARN, "the search table lacks %lld node%s", (long long)unfound, unfound == 1 ? "" : "s");
  if (found.worst == ST_HEALTH_OK) {
    st_doctor_line(call, ST_HEALTH_OK, "seeds", "every row that a store begins with is there");
    return;
  }
  st_doctor_line(call, found.worst, "seeds", "%s", found.text);
  st_doctor_cause(call, "a migration of another program was cut short, or the rows were deleted");
  st_doctor_fix(call, "stele repair capture");
}

/* ---- What was put aside ---- */

static void tell_quarantine(st_call *call, int64_t aside) {
  if (!aside)
    st_doctor_line(call, ST_HEALTH_OK, "quarantine", "no row was put aside");
  else
    st_doctor_line(call, ST_HEALTH_OK, "quarantine", "%lld row%s put aside for want of a parent: `stele call capture.list_quarantine`",
                   (long long)aside, aside == 1 ? " was" : "s were");
}

/* ---- Embeddings ---- */

/* Nodes that are gone and still have a vector in the table of another program.  Its rows can be written only with
** sqlite-vec; which there are is told by an ordinary table of it, which no feature makes. */
static stele_status count_unreached(const st_opened *store, int64_t *count) {
  bool noted = false, there = false;
  *count = 0;
  stele_status status = store->driver->probe(store->conn, "stele_removed_nodes", NULL, &noted);
  if (status == STELE_OK && noted) status = store->driver->probe(store->conn, "knowledge_vectors_rowids", NULL, &there);
  if (status != STELE_OK || !there) return status;
  return st_conn_number(store->conn, "SELECT count(*) FROM stele_removed_nodes WHERE node_id IN (SELECT rowid FROM knowledge_vectors_rowids)",
                        count);
}

static void tell_vectors(st_call *call) {
  int64_t unreached;
  stele_status status = count_unreached(call->store, &unreached);
  if (status != STELE_OK) {
    st_fail_conn(call, status);
  } else if (!unreached) {
    st_doctor_line(call, ST_HEALTH_OK, "vectors", "no node that is gone has a vector left");
  } else {
    st_doctor_line(call, ST_HEALTH_WARN, "vectors", "%lld node%s gone, but not from knowledge_vectors", (long long)unreached, unreached == 1 ? " is" : "s are");
    st_doctor_cause(call, "that table is written only by programs that have sqlite-vec; what they find there is not there any more");
    st_doctor_fix(call, "delete the rows that stele_removed_nodes names, with a program that has it");
  }
}

static void tell_embeddings(st_call *call) {
  st_value row[ST_R_CAPTURE_COUNT_STRAY_EMBEDDINGS_MODEL + 1];
  if (!st_one(call, STELE_M_CAPTURE_COUNT_STRAY_EMBEDDINGS, NULL, row)) return;
  const st_value *model = &row[ST_R_CAPTURE_COUNT_STRAY_EMBEDDINGS_MODEL];
  long long strays = row[ST_R_CAPTURE_COUNT_STRAY_EMBEDDINGS_STRAYS].integer;
  if (!strays) {
    st_doctor_line(call, ST_HEALTH_OK, "embeddings", model->type == ST_TEXT ? "all embeddings are of %.200s" : "there are no embeddings yet%s",
                   model->type == ST_TEXT ? model->bytes : "");
    return;
  }
  st_doctor_line(call, ST_HEALTH_FAIL, "embeddings", "%lld embedding%s of another model than %.200s", strays, strays == 1 ? " is" : "s are", model->bytes);
  st_doctor_cause(call, "the model was changed, and embeddings of two models cannot be compared: what is found by meaning is chance");
  st_doctor_fix(call, "embed all nodes again with one model");
}

void st_capture_doctor_rows(st_call *call) {
  st_value row[ST_R_CAPTURE_SURVEY_ROWS_ASIDE + 1];
  if (!st_one(call, STELE_M_CAPTURE_SURVEY_ROWS, NULL, row)) return;
  tell_seeds(call, row[ST_R_CAPTURE_SURVEY_ROWS_UNFOUND].integer);
  tell_quarantine(call, row[ST_R_CAPTURE_SURVEY_ROWS_ASIDE].integer);
  tell_vectors(call);
  tell_embeddings(call);
}
