/* metrics_text.c - see metrics_text.h. */
#include "metrics_text.h"

#include "jobs.h"
#include "server.h"
#include "writer.h"

void sv_metric_head(sv_text *out, const char *name, const char *type, const char *help) {
  sv_addf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void sv_metric(sv_text *out, const char *name, const char *type, const char *help, long long value) {
  sv_metric_head(out, name, type, help);
  sv_addf(out, "%s %lld\n", name, value);
}

/* Of stele.status: 0 store, 1 engine, 7 bytes, 8 wal_bytes. */
static void put_stores(stele_db *db, sv_text *out) {
  sv_text bytes = {0}, log = {0};
  stele_stmt *stmt = NULL;
  stele_prepare(db, "stele.status", &stmt);
  while (stmt && stele_step(stmt) == STELE_ROW) {
    const char *store = stele_column_text(stmt, 0);
    sv_addf(&bytes, "stele_store_bytes{store=\"%s\"} %lld\n", store, (long long)stele_column_int(stmt, 7));
    sv_addf(&log, "stele_store_wal_bytes{store=\"%s\"} %lld\n", store, (long long)stele_column_int(stmt, 8));
  }
  stele_finalize(stmt);
  sv_metric_head(out, "stele_store_bytes", "gauge", "Size of a store, its log included.");
  if (bytes.bytes) sv_add(out, bytes.bytes, bytes.length);
  sv_metric_head(out, "stele_store_wal_bytes", "gauge", "Size of a store's write-ahead log.");
  if (log.bytes) sv_add(out, log.bytes, log.length);
  sv_text_free(&bytes);
  sv_text_free(&log);
}

void sv_metrics_build(stele_db *db, sv_text *out) {
  stele_stmt *stmt = NULL;
  stele_prepare(db, "stele.version", &stmt);
  sv_metric_head(out, "stele_build_info", "gauge", "Versions.");
  if (stmt && stele_step(stmt) == STELE_ROW)
    sv_addf(out, "stele_build_info{version=\"%s\",sqlite_version=\"%s\"} 1\n", stele_column_text(stmt, 0),
            stele_column_text(stmt, 1));
  stele_finalize(stmt);
}

/* Messages by their numbers: those that were deleted meanwhile count too. */
static void put_backlog(const sv_server *server, stele_db *db, sv_text *out) {
  stele_stmt *stmt = NULL;
  int64_t indexed = sv_jobs_indexed(server->jobs);
  if (indexed < 0 || !sv_writer_present(server->writers, "conversation")) return;
  stele_prepare(db, "conversation.follow_from", &stmt);
  if (stmt && stele_step(stmt) == STELE_ROW)
    sv_metric(out, "stele_index_backlog_messages", "gauge", "Messages written since the index was last complete.",
              stele_column_int(stmt, 0) - indexed);
  stele_finalize(stmt);
}

/* What was taken in from transcripts, ever. */
static void put_imports(const sv_server *server, stele_db *db, sv_text *out) {
  stele_stmt *stmt = NULL;
  if (!sv_writer_present(server->writers, "conversation")) return;
  stele_prepare(db, "conversation.count_transcripts", &stmt);
  if (stmt && stele_step(stmt) == STELE_ROW) {
    sv_metric(out, "stele_import_transcripts", "gauge", "Transcripts that were taken in.", stele_column_int(stmt, 0));
    sv_metric(out, "stele_import_bytes_total", "counter", "Bytes of them that were read.", stele_column_int(stmt, 1));
    sv_metric(out, "stele_import_records_total", "counter", "Records in these.", stele_column_int(stmt, 2));
    sv_metric(out, "stele_import_errors_total", "counter", "Records that could not be read.",
              stele_column_int(stmt, 3));
  }
  stele_finalize(stmt);
}

/* The value of a label, whatever somebody called a source. */
static void add_label(sv_text *out, const char *text) {
  for (; *text; text++) {
    if (*text == '\n') sv_addz(out, "\\n");
    else if (*text == '"' || *text == '\\') sv_addf(out, "\\%c", *text);
    else sv_add(out, text, 1);
  }
}

/* How capturing fares.  Of count_drops: 0 source, 1 cause, 2 dropped. */
static void put_capture(const sv_server *server, stele_db *db, sv_text *out) {
  stele_stmt *stmt = NULL;
  if (!sv_writer_present(server->writers, "capture")) return;
  stele_prepare(db, "capture.count_alarms", &stmt);
  if (stmt && stele_step(stmt) == STELE_ROW)
    sv_metric(out, "stele_capture_alarms", "gauge", "Promises of capturing that are broken.", stele_column_int(stmt, 0));
  stele_finalize(stmt);
  stmt = NULL;
  sv_metric_head(out, "stele_capture_drops_total", "counter", "What was lost on its way in.");
  stele_prepare(db, "capture.count_drops", &stmt);
  while (stmt && stele_step(stmt) == STELE_ROW) {
    sv_addz(out, "stele_capture_drops_total{source=\"");
    add_label(out, stele_column_text(stmt, 0));
    sv_addz(out, "\",cause=\"");
    add_label(out, stele_column_text(stmt, 1));
    sv_addf(out, "\"} %lld\n", (long long)stele_column_int(stmt, 2));
  }
  stele_finalize(stmt);
}

void sv_metrics_stores(const sv_server *server, stele_db *db, sv_text *out) {
  put_stores(db, out);
  put_backlog(server, db, out);
  put_imports(server, db, out);
  put_capture(server, db, out);
}
