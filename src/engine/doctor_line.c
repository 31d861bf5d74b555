/* doctor_line.c - how lines of the checkup are written, and how its statements are run.  See doctor.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/doctor.h"
#include "registry_ids.h"

#define LINE_MAX_BYTES 2000

static st_value formatted(st_call *call, const char *format, va_list args) {
  char text[LINE_MAX_BYTES];
  vsnprintf(text, sizeof text, format, args);
  for (char *c = text; *c; c++)
    if (*c == '\n' || *c == '\r') *c = ' '; /* what SQLite or PostgreSQL said may have several lines */
  return st_textz(st_call_copy(call, text, strlen(text)));
}

void st_doctor_line(st_call *call, st_health health, const char *check, const char *format, ...) {
  static const char *const names[] = {"ok", "warn", "fail"};
  char doc[100];
  va_list args;
  st_value *row = st_reply(call);
  if (!row) return;
  snprintf(doc, sizeof doc, "docs/doctor.md#%s", check);
  va_start(args, format);
  row[ST_R_STELE_DOCTOR_STORE] = st_textz(call->store ? call->store->store->name : NULL);
  row[ST_R_STELE_DOCTOR_CHECK] = st_textz(check);
  row[ST_R_STELE_DOCTOR_STATE] = st_textz(names[health]);
  row[ST_R_STELE_DOCTOR_SUMMARY] = formatted(call, format, args);
  row[ST_R_STELE_DOCTOR_DOC] = st_textz(st_call_copy(call, doc, strlen(doc)));
  va_end(args);
}

void st_doctor_cause(st_call *call, const char *format, ...) {
  va_list args;
  if (!st_ok(call) || !call->last) return;
  va_start(args, format);
  call->last->values[ST_R_STELE_DOCTOR_CAUSE] = formatted(call, format, args);
  va_end(args);
}

void st_doctor_fix(st_call *call, const char *format, ...) {
  va_list args;
  if (!st_ok(call) || !call->last) return;
  va_start(args, format);
  call->last->values[ST_R_STELE_DOCTOR_FIX] = formatted(call, format, args);
  va_end(args);
}

st_size_text st_size(int64_t bytes) {
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  double number = (double)bytes;
  size_t unit = 0;
  st_size_text out;
  for (; number >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++) number /= 1000;
  snprintf(out.text, sizeof out.text, number < 9.95 && unit > 0 ? "%.1f %s" : "%.0f %s", number, units[unit]);
  return out;
}

st_size_text st_age(int64_t milliseconds) {
  static const struct {
    int64_t seconds;
    const char *name;
  } units[] = {{86400, "days"}, {3600, "h"}, {60, "min"}, {1, "s"}};
  int64_t seconds = milliseconds / 1000;
  size_t unit = 0;
  st_size_text out;
  while (units[unit].seconds > 1 && seconds < 2 * units[unit].seconds) unit++;
  snprintf(out.text, sizeof out.text, "%lld %s", (long long)(seconds / units[unit].seconds), units[unit].name);
  return out;
}

/* ---- Statements ---- */

void st_inquire(st_inquiry *inquiry, st_conn *conn, const char *sql, const char *parameter) {
  const st_value *values[] = {&inquiry->parameter};
  *inquiry = (st_inquiry){.conn = conn, .parameter = st_textz(parameter)};
  inquiry->status = conn->driver->prepare(conn, sql, &inquiry->prepared);
  if (inquiry->status == STELE_OK)
    inquiry->status = conn->driver->start(inquiry->prepared, parameter ? values : NULL, parameter ? 1 : 0);
}

bool st_inquiry_next(st_inquiry *inquiry) {
  if (inquiry->status != STELE_OK && inquiry->status != STELE_ROW) return false;
  inquiry->status = inquiry->conn->driver->step(inquiry->prepared);
  return inquiry->status == STELE_ROW;
}

const char *st_inquiry_text(st_inquiry *inquiry, size_t column) {
  st_value value;
  inquiry->conn->driver->column(inquiry->prepared, column, &value);
  return value.type == ST_TEXT ? value.bytes : "";
}

int64_t st_inquiry_int(st_inquiry *inquiry, size_t column) {
  st_value value;
  inquiry->conn->driver->column(inquiry->prepared, column, &value);
  return value.type == ST_INT ? value.integer : 0;
}

void st_inquiry_end(st_call *call, st_inquiry *inquiry) {
  if (inquiry->status == STELE_DONE || inquiry->status == STELE_ROW) inquiry->status = STELE_OK;
  inquiry->conn->driver->finalize(inquiry->prepared);
  inquiry->prepared = NULL;
  st_doctor_ended(call, inquiry->status);
}

bool st_doctor_ended(st_call *call, stele_status status) {
  if (status == STELE_NOMEM) st_fail(call, status, NULL, "out of memory");
  if (status == STELE_CANCELLED) st_fail(call, status, NULL, "the checkup was stopped");
  return !st_ok(call);
}
