/* plain_side.c - plain PostgreSQL as one would use it for conversations: two tables, a generated tsvector with a GIN index,
** prepared statements through libpq. */
#include "conversation/side.h"

#ifdef BENCH_POSTGRES

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conversation/asked.h"

static const char tables[] =
    "CREATE SCHEMA plain; SET search_path = plain;"
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, started_at DOUBLE PRECISION NOT NULL,"
    " message_count INTEGER NOT NULL DEFAULT 0, tool_call_count INTEGER NOT NULL DEFAULT 0);"
    "CREATE TABLE messages (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session_id TEXT NOT NULL REFERENCES sessions,"
    " role TEXT NOT NULL, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp DOUBLE PRECISION NOT NULL,"
    " searched TSVECTOR GENERATED ALWAYS AS (to_tsvector('simple',"
    " coalesce(content,'')||' '||coalesce(tool_name,'')||' '||coalesce(tool_calls,''))) STORED);"
    "CREATE INDEX sessions_started ON sessions (started_at DESC);"
    "CREATE INDEX messages_session ON messages (session_id, id);"
    "CREATE INDEX messages_searched ON messages USING gin (searched)";

/* Statements by their number; $n are texts. */
enum { SESSION, COUNT, INSERT, MATCH, LIKE, LIST, READ, PAGE, SESSIONS, STATEMENTS };
static const char *const statements[STATEMENTS] = {
    [SESSION] = "INSERT INTO sessions (id, source, started_at) VALUES ($1, 'cli', $2::float8) ON CONFLICT DO NOTHING",
    [COUNT] = "UPDATE sessions SET message_count = message_count + 1, tool_call_count = tool_call_count + $2::int WHERE id = $1",
    [INSERT] = "INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp)"
               " VALUES ($1, $2, $3, $4, $5, $6, $7::float8) RETURNING id",
    [MATCH] = "SELECT m.id, m.session_id, m.role, ts_headline('simple', m.content, q), m.timestamp, m.tool_name, s.source, s.started_at"
              " FROM (SELECT id, q FROM messages, plainto_tsquery('simple', $1) AS q WHERE searched @@ q"
              " ORDER BY ts_rank(searched, q) DESC, id LIMIT 20) AS best JOIN messages m USING (id) JOIN sessions s ON s.id = m.session_id",
    [LIKE] = "SELECT m.id, m.session_id, m.role, substr(m.content, greatest(1, strpos(m.content, $2) - 40), 120), m.timestamp, m.tool_name,"
             " s.source, s.started_at FROM messages m JOIN sessions s ON s.id = m.session_id"
             " WHERE m.content LIKE $1 OR m.tool_name LIKE $1 OR m.tool_calls LIKE $1 ORDER BY m.timestamp DESC LIMIT 20",
    [LIST] = "SELECT s.*, coalesce((SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id), s.started_at),"
             " (SELECT substr(m.content, 1, 63) FROM messages m WHERE m.session_id = s.id AND m.role = 'user' ORDER BY m.id LIMIT 1)"
             " FROM sessions s ORDER BY s.started_at DESC LIMIT 20",
    [READ] = "SELECT id, session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp FROM messages WHERE session_id = $1 ORDER BY id",
    [PAGE] = "SELECT * FROM (SELECT id, session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp FROM messages"
             " WHERE session_id = $1 ORDER BY id DESC LIMIT 50) AS newest ORDER BY id",
    [SESSIONS] = "SELECT * FROM sessions ORDER BY started_at, id",
};

static PGconn *connection;
static const char *location; /* of the database */

static PGresult *checked(PGresult *result) {
  ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) bench_die("PostgreSQL: %s", PQerrorMessage(connection));
  return result;
}

static void run(const char *sql) { PQclear(checked(PQexec(connection, sql))); }

static void connect_to(const char *database) {
  connection = PQconnectdb(database);
  if (PQstatus(connection) != CONNECTION_OK) bench_die("PostgreSQL: %s", PQerrorMessage(connection));
}

static void open_plain(bench_side *side, const bench_options *options, bool make) {
  (void)side;
  location = options->database;
  connect_to(location);
  run(make ? tables : "SET search_path = plain");
  for (int i = 0; i < STATEMENTS; i++) {
    char name[8];
    snprintf(name, sizeof name, "s%d", i);
    PQclear(checked(PQprepare(connection, name, statements[i], 0, NULL)));
  }
}

static void close_plain(bench_side *side) {
  (void)side;
  PQfinish(connection);
}

static int rows_of(int statement, int count, const char *const *values) {
  char name[8];
  snprintf(name, sizeof name, "s%d", statement);
  PGresult *result = checked(PQexecPrepared(connection, name, count, values, NULL, NULL, 0));
  int rows = PQntuples(result);
  PQclear(result);
  return rows;
}

static const char *or_null(const char *text) { return text && text[0] ? text : NULL; }

static void write_messages(unsigned first, unsigned count) {
  run("BEGIN");
  for (unsigned n = first; n < first + count; n++) {
    bench_message m = bench_message_at(n);
    char time[32];
    snprintf(time, sizeof time, "%.3f", m.timestamp);
    if (n == first || n % bench_session_messages == 0) rows_of(SESSION, 2, (const char *const[]){m.session, time});
    rows_of(COUNT, 2, (const char *const[]){m.session, m.tool_calls[0] ? "1" : "0"});
    char *content = strndup(m.content, m.length);
    rows_of(INSERT, 7, (const char *const[]){m.session, m.role, content, or_null(m.tool_call_id), or_null(m.tool_calls), m.tool_name, time});
    free(content);
  }
  run("COMMIT");
}

static double fill(bench_side *side, unsigned rows) {
  double start = bench_now();
  for (unsigned n = 0; n < rows; n += BENCH_FILL) write_messages(n, rows - n < BENCH_FILL ? rows - n : BENCH_FILL);
  double seconds = bench_now() - start;
  run("ANALYZE");
  side->rows = rows;
  return seconds;
}

double bench_schema_bytes(const char *database, const char *schema) {
  PGconn *before = connection;
  connect_to(database);
  PGresult *result = checked(PQexecParams(
      connection,
      "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
      " WHERE n.nspname = $1 AND c.relkind = 'r'",
      1, NULL, &schema, NULL, NULL, 0));
  double bytes = atof(PQgetvalue(result, 0, 0));
  PQclear(result);
  PQfinish(connection);
  connection = before;
  return bytes;
}

static double bytes(bench_side *side) { return bench_schema_bytes(location, side->name); }

static int append(bench_side *side, int n) {
  write_messages(side->rows + (unsigned)n, 1);
  return 1;
}

static int with(int statement, const char *text) { return rows_of(statement, 1, &text); }
static int words(bench_side *side, int n) { return (void)side, with(MATCH, bench_two_words(n)); }
static int common(bench_side *side, int n) { return (void)side, (void)n, with(MATCH, bench_word(0)); }
static int list(bench_side *side, int n) { return (void)side, (void)n, rows_of(LIST, 0, NULL); }
static int read_all(bench_side *side, int n) { return with(READ, bench_some_session(n, side->rows)); }
static int page(bench_side *side, int n) { return with(PAGE, bench_some_session(n, side->rows)); }

static int chinese(bench_side *side, int n) {
  char pattern[80];
  const char *part = bench_characters(n);
  (void)side;
  snprintf(pattern, sizeof pattern, "%%%s%%", part);
  return rows_of(LIKE, 2, (const char *const[]){pattern, part});
}

static int export(bench_side *side, int n) {
  (void)side, (void)n;
  PGresult *result = checked(PQexec(connection, statements[SESSIONS]));
  int sessions = PQntuples(result);
  for (int i = 0; i < sessions; i++) with(READ, PQgetvalue(result, i, 0));
  PQclear(result);
  return sessions;
}

static bench_side plain = {
    .name = "plain",
    .open = open_plain,
    .close = close_plain,
    .fill = fill,
    .bytes = bytes,
    .deeds = {[BENCH_append] = append, [BENCH_words] = words,   [BENCH_common] = common, [BENCH_chinese] = chinese,
              [BENCH_list] = list,     [BENCH_read] = read_all, [BENCH_page] = page,     [BENCH_export] = export},
};
bench_side *const bench_plain = &plain;

#else

bench_side *const bench_plain = NULL;

double bench_schema_bytes(const char *database, const char *schema) { return (void)database, (void)schema, 0; }

#endif
