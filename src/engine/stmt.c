/* stmt.c - a method as a statement: prepare, bind, step, read its columns; and stele_call() on top. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/number.h"
#include "base/utf8.h"
#include "engine/args.h"
#include "engine/dispatch.h"
#include "engine/guard.h"
#include "engine/reply.h"

#define CALL_MAX (UINT64_C(1) << 30)  /* memory of one call */
#define REPLY_MAX (UINT64_C(1) << 30) /* a JSON reply; read larger ones row by row */

static st_args args_of(stele_stmt *stmt) {
  const st_method *method = stmt->call.method;
  st_time_form form = method->store >= 0 ? st_registry.stores[method->store].time_form : ST_TIME_SECONDS;
  return (st_args){method, form, &stmt->arena, &stmt->db->error, stmt->call.args};
}

static bool clear_args(stele_stmt *stmt) {
  stmt->call.args = st_arena_zero(&stmt->arena, (stmt->call.method->public.nparams + 1) * sizeof *stmt->call.args);
  return stmt->call.args != NULL;
}

stele_status stele_prepare(stele_db *db, const char *name, stele_stmt **out) {
  stele_status status = st_guard(db);
  *out = NULL;
  if (status != STELE_OK) return status;
  const st_method *method = name ? st_method_find(name) : NULL;
  if (!method || method->private) {
    const char *nearest = name ? st_method_nearest(name) : NULL;
    st_guard_fail(db, STELE_NOTFOUND, "there is no method %.100s", name ? name : "(null)");
    snprintf(db->error.method, sizeof db->error.method, "%s", name ? name : "");
    if (nearest) snprintf(db->error.hint, sizeof db->error.hint, "did you mean %s?", nearest);
    return STELE_NOTFOUND;
  }
  stele_stmt *stmt = st_alloc_zero(sizeof *stmt);
  if (!stmt) return st_guard_fail(db, STELE_NOMEM, "out of memory");
  stmt->db = db;
  st_arena_init(&stmt->arena, CALL_MAX);
  stmt->call = (st_call){.db = db, .method = method, .arena = &stmt->arena, .error = &db->error};
  stmt->next = db->stmts;
  stmt->at = &db->stmts;
  if (stmt->next) stmt->next->at = &stmt->next;
  db->stmts = stmt;
  if (clear_args(stmt)) {
    *out = stmt;
    return STELE_OK;
  }
  stele_finalize(stmt);
  return st_guard_fail(db, STELE_NOMEM, "out of memory");
}

/* In a forked child the statement is left alone: it is the parent's. */
static void end_stream(stele_stmt *stmt) {
  if (stmt->stream && stmt->db->pid == st_guard_pid()) st_variant_done(stmt->call.store, stmt->stream);
  stmt->stream = NULL;
}

void stele_reset(stele_stmt *stmt) {
  if (!stmt || st_guard(stmt->db) != STELE_OK) return;
  end_stream(stmt);
  st_arena_reset(&stmt->arena);
  clear_args(stmt); /* if it fails, the next bind or step tells */
  stmt->call.first = stmt->call.last = stmt->row = NULL;
  stmt->values = NULL;
  stmt->cut = STELE_OK;
  stmt->state = ST_STMT_READY;
}

/* Leaves the handle's last failure alone: callers release first and ask afterwards. */
void stele_finalize(stele_stmt *stmt) {
  if (!stmt) return;
  end_stream(stmt);
  *stmt->at = stmt->next;
  if (stmt->next) stmt->next->at = stmt->at;
  st_arena_free(&stmt->arena);
  st_free(stmt);
}

static stele_status may_bind(stele_stmt *stmt, const char *param) {
  stele_status status = stmt ? st_guard(stmt->db) : STELE_MISUSE;
  if (status != STELE_OK) return status;
  if (!stmt->call.args) return st_guard_fail(stmt->db, STELE_NOMEM, "out of memory");
  if (!param) return st_guard_fail(stmt->db, STELE_INVALID, "a parameter has no name");
  if (stmt->state == ST_STMT_READY) return STELE_OK;
  return st_guard_fail(stmt->db, STELE_MISUSE, "%s has been run: reset it before binding", stmt->call.method->public.name);
}

/* Refuse a value before it is a JSON value that could be checked. */
static stele_status refuse(stele_stmt *stmt, const char *param, const char *why) {
  st_error *error = &stmt->db->error;
  snprintf(error->method, sizeof error->method, "%s", stmt->call.method->public.name);
  snprintf(error->field, sizeof error->field, "%s", param);
  return st_guard_fail(stmt->db, STELE_INVALID, "%s: %s %s", error->method, param, why);
}

static stele_status bind(stele_stmt *stmt, const char *param, const st_json *json) {
  stele_status status = may_bind(stmt, param);
  if (status != STELE_OK) return status;
  st_args args = args_of(stmt);
  return st_args_set(&args, param, json) ? STELE_OK : stmt->db->error.status;
}

stele_status stele_bind_null(stele_stmt *stmt, const char *param) {
  return bind(stmt, param, &(st_json){.type = ST_JSON_NULL, .raw = "null", .raw_length = 4});
}

/* Only JSON keeps the text of a number; making it costs more than all the rest of a bind. */
static bool keeps_text(const stele_stmt *stmt, const char *param) {
  int index = stmt && param ? st_param_index(stmt->call.method, param) : -1;
  if (index < 0) return false;
  stele_type type = stmt->call.method->public.params[index].type;
  return type == STELE_TYPE_JSON || type == STELE_TYPE_CONTENT;
}

stele_status stele_bind_int(stele_stmt *stmt, const char *param, int64_t value) {
  char raw[24];
  int length = keeps_text(stmt, param) ? snprintf(raw, sizeof raw, "%lld", (long long)value) : 0;
  return bind(stmt, param, &(st_json){.type = ST_JSON_INT, .integer = value, .real = (double)value, .raw = raw,
                                      .raw_length = (size_t)length});
}

stele_status stele_bind_real(stele_stmt *stmt, const char *param, double value) {
  char raw[32];
  stele_status status = may_bind(stmt, param);
  if (status != STELE_OK) return status;
  if (!isfinite(value)) return refuse(stmt, param, "must be a finite number");
  size_t length = keeps_text(stmt, param) ? st_format_real(value, raw) : 0;
  return bind(stmt, param, &(st_json){.type = ST_JSON_REAL, .real = value, .raw = raw, .raw_length = length});
}

/* The text must live as long as the arguments. */
static stele_status bind_json(stele_stmt *stmt, const char *param, const char *text, size_t length) {
  st_json_error error;
  char why[200];
  const st_json *json = st_json_parse(&stmt->arena, text, length, 0, &error);
  if (json) return bind(stmt, param, json);
  if (error.nomem) return st_guard_fail(stmt->db, STELE_NOMEM, "out of memory");
  snprintf(why, sizeof why, "is not JSON: %s at byte %zu", error.message, error.offset);
  return refuse(stmt, param, why);
}

stele_status stele_bind_text(stele_stmt *stmt, const char *param, const char *text, size_t length) {
  stele_status status = may_bind(stmt, param);
  if (status != STELE_OK) return status;
  if (!text) return stele_bind_null(stmt, param);
  int index = st_param_index(stmt->call.method, param);
  char *copy = st_arena_copy(&stmt->arena, text, length);
  if (!copy) return st_guard_fail(stmt->db, STELE_NOMEM, "out of memory");
  if (!st_utf8_valid(copy, length)) return refuse(stmt, param, "is not UTF-8");
  if (index >= 0 && stmt->call.method->public.params[index].type == STELE_TYPE_JSON)
    return bind_json(stmt, param, copy, length);
  return bind(stmt, param, &(st_json){.type = ST_JSON_STRING, .text = copy, .length = length, .raw = copy, .raw_length = length});
}

stele_status stele_bind_blob(stele_stmt *stmt, const char *param, const void *bytes, size_t length) {
  stele_status status = may_bind(stmt, param);
  if (status != STELE_OK) return status;
  if (!bytes && length == 0) bytes = "";
  st_args args = args_of(stmt);
  return st_args_set_blob(&args, param, bytes, length) ? STELE_OK : stmt->db->error.status;
}

/* All arguments at once, as stele_call() takes them. */
static stele_status bind_object(stele_stmt *stmt, const char *text, size_t length) {
  st_args args = args_of(stmt);
  return st_args_parse(&args, text, length) ? STELE_OK : stmt->db->error.status;
}

stele_status stele_bind_json(stele_stmt *stmt, const char *param, const char *text) {
  stele_status status = may_bind(stmt, param && *param ? param : "arguments");
  if (status != STELE_OK) return status;
  if (!param) return st_guard_fail(stmt->db, STELE_INVALID, "a parameter has no name");
  if (!text && *param) return stele_bind_null(stmt, param);
  size_t length = text ? strlen(text) : 0;
  const char *copy = text ? st_arena_copy(&stmt->arena, text, length) : NULL;
  if (text && !copy) return st_guard_fail(stmt->db, STELE_NOMEM, "out of memory");
  if (*param) return bind_json(stmt, param, copy, length);
  return text ? bind_object(stmt, copy, length) : STELE_OK;
}

/* Arguments complete, the call run.  The method's name goes into a failure that has none yet. */
static stele_status run(stele_stmt *stmt) {
  st_error *error = &stmt->db->error;
  st_args args = args_of(stmt);
  if (!stmt->call.args) return st_guard_fail(stmt->db, STELE_NOMEM, "out of memory");
  if (st_args_complete(&args)) st_dispatch(stmt);
  if (error->status == STELE_OK) return STELE_OK;
  stmt->state = ST_STMT_DONE;
  if (!error->method[0]) snprintf(error->method, sizeof error->method, "%s", stmt->call.method->public.name);
  return error->status;
}

static stele_status next_buffered(stele_stmt *stmt) {
  bool first = stmt->row == NULL;
  stmt->row = first ? stmt->call.first : stmt->row->next;
  if (!first && stmt->call.method->shape != ST_SHAPE_MANY) stmt->row = NULL;
  stmt->values = stmt->row ? stmt->row->values : NULL;
  if (stmt->row) return STELE_ROW;
  stmt->state = ST_STMT_DONE;
  if (stmt->cut == STELE_OK) return STELE_DONE;
  st_fail(&stmt->call, stmt->cut, NULL, "the rest of the rows could not be read");
  return stmt->cut;
}

static stele_status next_streamed(stele_stmt *stmt) {
  const stele_method *method = &stmt->call.method->public;
  const st_driver *driver = stmt->call.store->driver;
  stele_status status = driver->step(stmt->stream->prepared);
  if (status == STELE_ROW) {
    for (size_t i = 0; i < method->nresults; i++) {
      driver->column(stmt->stream->prepared, i, &stmt->values[i]);
      st_coerce(&method->results[i], &stmt->values[i]);
    }
    return STELE_ROW;
  }
  end_stream(stmt);
  stmt->state = ST_STMT_DONE;
  if (status != STELE_DONE) st_fail_conn(&stmt->call, status);
  return status;
}

stele_status stele_step(stele_stmt *stmt) {
  if (!stmt) return STELE_MISUSE;
  stele_status status = stmt->state == ST_STMT_READY ? st_guard(stmt->db) : st_guard_again(stmt->db);
  if (status != STELE_OK) return status;
  if (stmt->state == ST_STMT_READY && (status = run(stmt)) != STELE_OK) return status;
  if (stmt->state == ST_STMT_STREAM) return next_streamed(stmt);
  return stmt->state == ST_STMT_ROWS ? next_buffered(stmt) : STELE_DONE;
}

/* Without the space between tokens, where alone a JSON column may hold a line's end. */
static void on_one_line(char *text) {
  bool inside = false;
  char *to = text;
  for (; *text; text++) {
    if (!inside && strchr(" \t\r\n", *text)) continue;
    if (*text == '"') inside = !inside;
    if (inside && *text == '\\') *to++ = *text++;
    *to++ = *text;
  }
  *to = '\0';
}

stele_status stele_row_json(stele_stmt *stmt, char **out) {
  st_arena scratch;
  st_str text;
  *out = NULL;
  if (!stmt) return STELE_MISUSE;
  stele_status status = st_guard_again(stmt->db);
  if (status != STELE_OK) return status;
  if (!stmt->values) return st_guard_fail(stmt->db, STELE_MISUSE, "there is no row");
  st_arena_init(&scratch, CALL_MAX);
  st_str_init(&text, REPLY_MAX);
  st_reply_row(&text, stmt->call.method, stmt->values, &scratch);
  st_arena_free(&scratch);
  *out = st_str_take(&text);
  st_str_free(&text);
  if (!*out) return st_guard_fail(stmt->db, STELE_NOMEM, "the row does not fit into memory");
  on_one_line(*out);
  return STELE_OK;
}

static const st_value *column(stele_stmt *stmt, size_t index) {
  static const st_value null = {.type = ST_NULL};
  if (!stmt || !stmt->values || index >= stmt->call.method->public.nresults) return &null;
  return &stmt->values[index];
}

size_t stele_column_count(stele_stmt *stmt) { return stmt ? stmt->call.method->public.nresults : 0; }

stele_value_type stele_column_type(stele_stmt *stmt, size_t index) {
  switch (column(stmt, index)->type) {
    case ST_INT: return STELE_INT;
    case ST_REAL: return STELE_REAL;
    case ST_TEXT: return STELE_TEXT;
    case ST_BLOB: return STELE_BLOB;
    default: return STELE_NULL;
  }
}

int64_t stele_column_int(stele_stmt *stmt, size_t index) {
  const st_value *value = column(stmt, index);
  if (value->type == ST_REAL && fabs(value->real) < 9e18) return (int64_t)value->real;
  return value->type == ST_INT ? value->integer : 0;
}

double stele_column_real(stele_stmt *stmt, size_t index) {
  const st_value *value = column(stmt, index);
  return value->type == ST_REAL ? value->real : value->type == ST_INT ? (double)value->integer : 0;
}

const char *stele_column_text(stele_stmt *stmt, size_t index) {
  const st_value *value = column(stmt, index);
  return value->type == ST_TEXT || value->type == ST_BLOB ? value->bytes : NULL;
}

size_t stele_column_bytes(stele_stmt *stmt, size_t index) {
  const st_value *value = column(stmt, index);
  return value->type == ST_TEXT || value->type == ST_BLOB ? value->length : 0;
}

/* Read a stream to its end, as JSON. */
static stele_status collect(stele_stmt *stmt, st_str *out) {
  st_arena scratch;
  stele_status status;
  size_t rows = 0;
  st_arena_init(&scratch, CALL_MAX);
  st_str_addc(out, '[');
  while ((status = next_streamed(stmt)) == STELE_ROW) {
    if (rows++) st_str_addc(out, ',');
    st_reply_row(out, stmt->call.method, stmt->values, &scratch);
    st_arena_reset(&scratch);
  }
  st_str_addc(out, ']');
  st_arena_free(&scratch);
  if (status != STELE_DONE) return status;
  return out->failed ? st_guard_fail(stmt->db, STELE_NOMEM, "the reply does not fit into memory") : STELE_OK;
}

static stele_status call_json(stele_stmt *stmt, const char *args, st_str *out) {
  st_args checked = args_of(stmt);
  if (args && *args && !st_args_parse(&checked, args, strlen(args))) return stmt->db->error.status;
  stmt->call.text = out;
  stele_status status = run(stmt);
  return status == STELE_OK && stmt->state == ST_STMT_STREAM ? collect(stmt, out) : status;
}

stele_status stele_call(stele_db *db, const char *method, const char *args, char **reply) {
  stele_stmt *stmt = NULL;
  st_str out;
  if (reply) *reply = NULL;
  stele_status status = stele_prepare(db, method, &stmt);
  if (status != STELE_OK) return status;
  st_str_init(&out, REPLY_MAX);
  status = call_json(stmt, args, &out);
  stele_finalize(stmt);
  if (status == STELE_OK && reply) *reply = st_str_take(&out);
  st_str_free(&out);
  return status;
}
