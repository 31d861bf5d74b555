/* raw_sql.c - assistant.raw_sql_query, raw_sql_execute and raw_sql_dryrun: statements of a caller's own.
**
** What such a statement can reach is the driver's affair (engine/confine.h).  Here is what is the same on both engines:
** which kinds of statements there are, values, limits, and the reply. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/time.h"
#include "engine/confine.h"
#include "engine/handle.h"
#include "registry_ids.h"
#include "stores/assistant/assistant.h"

#define BYTES_MAX (8 << 20) /* of a reply's rows, and of one value */

/* Some keys of context hold tokens of other services, but a caller who may use raw SQL may read these by methods too. */
const char *const st_assistant_hidden[] = {"vault_credentials", "stele_*", NULL};

/* The three methods have the same parameters, in the same order. */
enum {
  SQL = ST_P_ASSISTANT_RAW_SQL_QUERY_SQL,
  PARAMS = ST_P_ASSISTANT_RAW_SQL_QUERY_PARAMS,
  LIMIT = ST_P_ASSISTANT_RAW_SQL_QUERY_LIMIT,
  TIMEOUT = ST_P_ASSISTANT_RAW_SQL_QUERY_TIMEOUT
};
_Static_assert(SQL == (int)ST_P_ASSISTANT_RAW_SQL_EXECUTE_SQL && PARAMS == (int)ST_P_ASSISTANT_RAW_SQL_EXECUTE_PARAMS &&
                   LIMIT == (int)ST_P_ASSISTANT_RAW_SQL_EXECUTE_LIMIT && TIMEOUT == (int)ST_P_ASSISTANT_RAW_SQL_EXECUTE_TIMEOUT &&
                   SQL == (int)ST_P_ASSISTANT_RAW_SQL_DRYRUN_SQL && PARAMS == (int)ST_P_ASSISTANT_RAW_SQL_DRYRUN_PARAMS &&
                   LIMIT == (int)ST_P_ASSISTANT_RAW_SQL_DRYRUN_LIMIT && TIMEOUT == (int)ST_P_ASSISTANT_RAW_SQL_DRYRUN_TIMEOUT,
               "parameters of raw SQL");

/* A statement on its way. */
typedef struct running {
  st_call *call;
  st_conn *conn;
  st_confined confined;
  int64_t began_ms;
  st_str columns, rows; /* JSON */
  int64_t seen, told;   /* rows */
  bool truncated;
} running;

/* ---- What is asked for ---- */

static const char *skip_comments(const char *text) {
  for (;;) {
    text += strspn(text, " \t\r\n\f;(");
    if (strncmp(text, "--", 2) == 0) {
      text += strcspn(text, "\n");
    } else if (strncmp(text, "/*", 2) == 0) {
      const char *end = strstr(text + 2, "*/");
      text = end ? end + 2 : text + strlen(text);
    } else {
      return text;
    }
  }
}

/* Only what reads or writes rows.  This is for people, and for a plain answer: what a statement cannot reach does not
** depend on its first word. */
static void check_kind(st_call *call, bool write) {
  static const char *const reading[] = {"SELECT", "VALUES", "WITH", "EXPLAIN", NULL};
  static const char *const writing[] = {"INSERT", "UPDATE", "DELETE", "WITH", NULL};
  const char *sql = st_arg_text(call, SQL), *word = skip_comments(sql);
  size_t length = 0;
  while (isalpha((unsigned char)word[length])) length++;
  if (strlen(sql) != call->args[SQL].length) st_fail(call, STELE_INVALID, "sql", "sql must not contain a NUL character");
  if (!*word) st_fail(call, STELE_INVALID, "sql", "sql holds no statement");
  for (const char *const *known = write ? writing : reading; *known; known++)
    if (strlen(*known) == length && strncasecmp(word, *known, length) == 0) return;
  st_fail(call, STELE_DENIED, "sql", write ? "only INSERT, UPDATE and DELETE, also behind WITH" : "only SELECT, VALUES, WITH and EXPLAIN");
  if (length && !write) st_hint(call, "assistant.raw_sql_execute writes; assistant.describe_schema tells the tables");
}

static st_value value_of(const st_json *json) {
  switch (json->type) {
    case ST_JSON_NULL: return (st_value){.type = ST_NULL};
    case ST_JSON_BOOL: return st_bool(json->boolean);
    case ST_JSON_INT: return st_int(json->integer);
    case ST_JSON_REAL: return st_real(json->real);
    case ST_JSON_STRING: return (st_value){.type = ST_TEXT, .bytes = json->text, .length = json->length};
    default: return (st_value){.type = ST_TEXT, .bytes = json->raw, .length = json->raw_length}; /* kept as its text */
  }
}

static void read_params(st_call *call, st_confined *confined) {
  st_json_error error = {0};
  const st_value *arg = &call->args[PARAMS];
  const st_json *list = st_ok(call) ? st_json_parse(call->arena, arg->bytes, arg->length, 0, &error) : NULL;
  if (st_ok(call) && !list) st_fail(call, STELE_NOMEM, NULL, "out of memory"); /* it was checked to be JSON */
  if (st_ok(call) && list->type != ST_JSON_ARRAY) st_fail(call, STELE_INVALID, "params", "params must be an array");
  st_value *values = st_ok(call) ? st_call_alloc(call, (list->length + 1) * sizeof *values) : NULL;
  if (!values) return;
  confined->params = values;
  for (const st_json *item = list->first; item; item = item->next) values[confined->nparams++] = value_of(item);
}

/* ---- What comes of it ---- */

/* A failure in the words of the engine; wrong SQL is the caller's. */
static void fail(running *run, stele_status status) {
  st_call *call = run->call;
  bool late = st_monotonic_ms() - run->began_ms >= run->confined.timeout_ms;
  if ((status == STELE_CANCELLED || status == STELE_BUSY) && late)
    st_fail(call, STELE_CANCELLED, "timeout", "stopped after %g s: ask for less, or give it a longer timeout",
            st_arg_real(call, TIMEOUT));
  else if (status == STELE_READONLY && !run->confined.write)
    st_fail(call, STELE_DENIED, "sql", "the statement writes: use assistant.raw_sql_execute");
  else if (status == STELE_CONFLICT || status == STELE_UNAVAILABLE)
    st_fail_conn(call, status);
  else
    st_fail(call, status == STELE_INTERNAL ? STELE_INVALID : status, "sql", "%s", run->conn->problem);
  if (status == STELE_DENIED) st_hint(call, "assistant.describe_schema tells what raw SQL sees");
}

static void add_value(st_str *out, const st_value *value) {
  switch (value->type) {
    case ST_INT: st_json_add_int(out, value->integer); return;
    case ST_REAL: st_json_add_real(out, value->real); return;
    case ST_TEXT: st_json_add_string(out, value->bytes, value->length); return;
    case ST_BLOB:
      st_str_addc(out, '"');
      st_base64_add(out, value->bytes, value->length);
      st_str_addc(out, '"');
      return;
    default: st_str_addz(out, "null");
  }
}

static void add_columns(running *run, st_prepared *prepared) {
  const st_driver *driver = run->conn->driver;
  size_t count = run->confined.silent ? 0 : driver->columns(prepared);
  st_str_addc(&run->columns, '[');
  for (size_t i = 0; i < count; i++) {
    const char *name = driver->column_name(prepared, i);
    if (i) st_str_addc(&run->columns, ',');
    if (name) st_json_add_string(&run->columns, name, strlen(name));
    else run->columns.failed = true;
  }
  st_str_addc(&run->columns, ']');
}

/* A row that does not fit any more is left out whole, and so are those after it. */
static void add_row(running *run, st_prepared *prepared) {
  const st_driver *driver = run->conn->driver;
  size_t before = run->rows.length, count = driver->columns(prepared);
  run->truncated = run->truncated || run->told >= st_arg_int(run->call, LIMIT);
  if (run->truncated) return;
  st_str_addz(&run->rows, run->told ? ",[" : "[");
  for (size_t i = 0; i < count; i++) {
    st_value value = {.type = ST_NULL};
    driver->column(prepared, i, &value);
    if (i) st_str_addc(&run->rows, ',');
    add_value(&run->rows, &value);
  }
  st_str_addc(&run->rows, ']');
  run->told++;
  if (run->rows.failed || run->rows.length <= BYTES_MAX) return;
  run->rows.length = before;
  run->rows.text[before] = '\0';
  run->told--;
  run->truncated = true;
}

/* All rows of a statement that writes are asked for: it is done only then. */
static int64_t read_rows(running *run, st_prepared *prepared) {
  const st_driver *driver = run->conn->driver;
  stele_status status = STELE_ROW;
  add_columns(run, prepared);
  st_str_addc(&run->rows, '[');
  while (st_ok(run->call) && (run->confined.write || !run->truncated) && (status = driver->step(prepared)) == STELE_ROW) {
    run->seen++;
    if (!run->confined.silent) add_row(run, prepared);
  }
  if (status != STELE_ROW && status != STELE_DONE) fail(run, status);
  st_str_addc(&run->rows, ']');
  return run->seen ? run->seen : driver->changes(prepared); /* where rows come back, each stands for one that changed */
}

/* Run it, in the transaction that is open: how many rows were changed. */
static int64_t run_confined(running *run) {
  const st_driver *driver = run->conn->driver;
  st_prepared *prepared = NULL;
  int64_t changed = 0;
  if (!st_ok(run->call)) return 0;
  run->began_ms = st_monotonic_ms();
  stele_status status = driver->confine(run->conn, &run->confined, &prepared);
  if (status != STELE_OK) {
    fail(run, status);
    return 0;
  }
  changed = read_rows(run, prepared);
  status = driver->release(run->conn, prepared);
  if (status != STELE_OK) st_fail(run->call, status, NULL, "%s", status == STELE_NOMEM ? "out of memory" : run->conn->problem);
  return changed;
}

static void begin(running *run, st_call *call, bool write) {
  *run = (running){.call = call, .conn = call->store->conn};
  st_str_init(&run->columns, BYTES_MAX);
  st_str_init(&run->rows, (size_t)64 << 20); /* the limit and one row more */
  check_kind(call, write);
  run->confined = (st_confined){.sql = st_arg_text(call, SQL),
                                .hidden = st_assistant_hidden,
                                .write = write,
                                .rows = st_arg_int(call, LIMIT) + 1,
                                .timeout_ms = (int)(st_arg_real(call, TIMEOUT) * 1000),
                                .bytes_max = BYTES_MAX};
  read_params(call, &run->confined);
  if (!st_ok(call)) return;
  stele_status status = call->store->driver->confinable(call->store->conn, st_assistant_hidden);
  if (status != STELE_OK) st_fail_conn(call, status);
}

static st_value take(st_call *call, st_str *text) {
  if (text->failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_value value = {.type = ST_TEXT, .length = text->length};
  value.bytes = st_ok(call) ? st_call_copy(call, text->text, text->length) : NULL;
  st_str_free(text);
  return value;
}

/* ---- Methods ---- */

/* A connection of its own reads, and is closed afterwards: it cannot write, and nothing the statement does to its session
** meets anybody else.  A store in memory has only one connection. */
static void query_apart(running *run) {
  st_call *call = run->call;
  const st_driver *driver = call->store->driver;
  st_target target = call->store->target;
  char problem[400] = "";
  if (!st_ok(call)) return;
  target.readonly = true;
  stele_status status = driver->open(&target, false, &run->conn, problem);
  if (status != STELE_OK) st_fail(call, status, NULL, "%s", problem);
  if (status != STELE_OK) return;
  status = driver->begin(run->conn, false);
  if (status == STELE_OK) run_confined(run);
  else fail(run, status);
  driver->rollback(run->conn);
  driver->close(run->conn);
}

void st_assistant_raw_sql_query(st_call *call) {
  running run;
  begin(&run, call, false);
  if (strcmp(call->store->location, ":memory:") == 0) {
    st_call_begin(call, false);
    run_confined(&run);
    st_call_end(call);
  } else {
    query_apart(&run);
  }
  st_value columns = take(call, &run.columns), rows = take(call, &run.rows);
  st_value *reply = st_ok(call) ? st_reply(call) : NULL;
  if (!reply) return;
  reply[ST_R_ASSISTANT_RAW_SQL_QUERY_COLUMNS] = columns;
  reply[ST_R_ASSISTANT_RAW_SQL_QUERY_ROWS] = rows;
  reply[ST_R_ASSISTANT_RAW_SQL_QUERY_ROW_COUNT] = st_int(run.told);
  reply[ST_R_ASSISTANT_RAW_SQL_QUERY_TRUNCATED] = st_bool(run.truncated);
}

static void reply_changed(running *run, int64_t changed) {
  st_call *call = run->call;
  st_value columns = take(call, &run->columns), rows = take(call, &run->rows);
  st_value *reply = st_ok(call) ? st_reply(call) : NULL;
  if (!reply) return;
  reply[ST_R_ASSISTANT_RAW_SQL_EXECUTE_CHANGED] = st_int(changed);
  reply[ST_R_ASSISTANT_RAW_SQL_EXECUTE_COLUMNS] = columns;
  reply[ST_R_ASSISTANT_RAW_SQL_EXECUTE_ROWS] = rows;
  reply[ST_R_ASSISTANT_RAW_SQL_EXECUTE_TRUNCATED] = st_bool(run->truncated);
}

void st_assistant_raw_sql_execute(st_call *call) {
  running run;
  begin(&run, call, true);
  int64_t changed = run_confined(&run);
  reply_changed(&run, changed);
}

static void script(st_call *call, const char *sql) {
  stele_status status = st_ok(call) ? call->store->driver->script(call->store->conn, sql) : STELE_OK;
  if (status != STELE_OK) st_fail_conn(call, status);
}

/* A statement that fails undoes the call, and so itself. */
void st_assistant_raw_sql_dryrun(st_call *call) {
  running run;
  begin(&run, call, true);
  script(call, "SAVEPOINT stele_dryrun");
  int64_t changed = run_confined(&run);
  script(call, "ROLLBACK TO SAVEPOINT stele_dryrun; RELEASE SAVEPOINT stele_dryrun");
  reply_changed(&run, changed);
}
