/* verify.c - see verify.h. */
#include "kill/verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WAL_MAX (32 << 20)
#define PROBLEMS_SHOWN 20

static void problem(verifier *v, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void problem(verifier *v, const char *format, ...) {
  va_list args;
  if (++v->problems > PROBLEMS_SHOWN) return;
  fprintf(stderr, "# cycle %d: ", v->ledger->cycle);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
}

static void query(verifier *v, st_conn *conn, row_function *row, void *to, const char *sql) {
  if (!place_query(conn, sql, row, to)) problem(v, "a query failed");
}

static double real_of(const st_value *value) {
  return value->type == ST_REAL ? value->real : value->type == ST_INT ? (double)value->integer : -1;
}

/* ---- Records -------------------------------------------------------------------------------- */

/* Which items of each operation are there: one bit per item. */
typedef struct found {
  verifier *v;
  uint64_t *items[WRITERS_MAX]; /* by number of the operation */
} found;

/* One record: its mark, and whether it is an invocation. */
static void take_record(void *to, const st_value *row) {
  found *f = to;
  const ledger *l = f->v->ledger;
  int cycle, writer, number, item;
  if (row[0].type != ST_TEXT || sscanf(row[0].bytes, MARK_FORMAT, &cycle, &writer, &number, &item) != 4) {
    problem(f->v, "a record without a mark");
    return;
  }
  if (cycle != l->cycle) return;
  const op *of = writer < l->writers ? life_op(&l->lives[writer], number) : NULL;
  if (!of || item >= of->invocations + of->executions || (item < of->invocations) != (row[1].integer == 1))
    problem(f->v, "%s was never sent", row[0].bytes);
  else if (f->items[writer][number] >> item & 1)
    problem(f->v, "%s is there twice", row[0].bytes);
  else
    f->items[writer][number] |= UINT64_C(1) << item;
}

static void check_op(verifier *v, int writer, const op *of, uint64_t items) {
  uint64_t all = (UINT64_C(1) << (of->invocations + of->executions)) - 1;
  uint64_t wanted = of->kind == OP_UNDONE ? 0 : all;
  if (of->done && items != wanted)
    problem(v, "writer %d, operation %d of kind %d, acknowledged: has %" PRIx64 " of %" PRIx64, writer, of->number,
            of->kind, items, wanted);
  else if (!of->done && items != 0 && items != wanted && of->kind != OP_QUEUE)
    problem(v, "writer %d, operation %d of kind %d, under way: has %" PRIx64 ", a part of %" PRIx64, writer, of->number,
            of->kind, items, wanted);
}

static void check_records(verifier *v, st_conn *conn) {
  const ledger *l = v->ledger;
  found f = {.v = v};
  char sql[400];
  for (int w = 0; w < l->writers; w++) f.items[w] = calloc((size_t)l->lives[w].count + 1, sizeof *f.items[w]);
  snprintf(sql, sizeof sql,
           "SELECT error_message, 1 FROM handler_invocations WHERE error_message LIKE 'c%d.%%' UNION ALL "
           "SELECT error_message, 2 FROM job_executions WHERE error_message LIKE 'c%d.%%'",
           l->cycle, l->cycle);
  query(v, conn, take_record, &f, sql);
  for (int w = 0; w < l->writers; w++) {
    for (int n = 1; n <= l->lives[w].count; n++) check_op(v, w, life_op(&l->lives[w], n), f.items[w][n]);
    free(f.items[w]);
  }
}

static void take_total(void *to, const st_value *row) { *(int64_t *)to = row[0].integer; }

/* Nothing from earlier cycles got lost or doubled either. */
static void check_total(verifier *v, st_conn *conn) {
  int64_t doubled = -1;
  query(v, conn, take_total, &doubled,
        "SELECT count(*) FROM (SELECT error_message FROM (SELECT error_message FROM handler_invocations UNION ALL "
        "SELECT error_message FROM job_executions) AS a GROUP BY error_message HAVING count(*) > 1) AS b");
  if (doubled != 0) problem(v, "%" PRId64 " marks are there more than once", doubled);
}

/* ---- Sessions ------------------------------------------------------------------------------- */

/* A session, by the operations that made and changed it. */
typedef struct session {
  int64_t id; /* 0: not known */
  int started, touched, stopped, failed;
  char status; /* r, e, s */
} session;

typedef struct sessions {
  session *list;
  int count;
} sessions;

static session *last_of(sessions *s) { return &s->list[s->count - 1]; }

static void apply(sessions *s, const op *of) {
  switch (of->kind) {
    case OP_SESSION:
      s->list[s->count++] = (session){.id = of->id, .started = of->number, .touched = of->number, .status = 'r'};
      return;
    case OP_GROUP:
      if (!of->heartbeat) return; /* fall through */
    case OP_HEARTBEAT: last_of(s)->touched = of->number; return;
    case OP_ERROR:
      last_of(s)->touched = last_of(s)->failed = of->number;
      last_of(s)->status = 'e';
      return;
    case OP_FINALIZE:
      last_of(s)->touched = last_of(s)->stopped = of->number;
      if (last_of(s)->status == 'r') last_of(s)->status = 's';
      return;
    default: return;
  }
}

/* The sessions of a writer as they must be; with or without the operation that was under way. */
static sessions replay(const life *of, bool with_unfinished) {
  sessions s = {calloc((size_t)of->count + 1, sizeof(session)), 0};
  for (int n = 1; n <= of->count; n++)
    if (life_op(of, n)->done || with_unfinished) apply(&s, life_op(of, n));
  return s;
}

static bool same_sessions(const sessions *wanted, const sessions *got) {
  if (wanted->count != got->count) return false;
  for (int i = 0; i < wanted->count; i++) {
    session a = wanted->list[i], b = got->list[i];
    if (a.id == 0) a.id = b.id;
    if (a.id != b.id || a.started != b.started || a.touched != b.touched || a.stopped != b.stopped ||
        a.failed != b.failed || a.status != b.status)
      return false;
  }
  return true;
}

typedef struct live {
  const ledger *ledger;
  sessions of[WRITERS_MAX];
} live;

static void take_session(void *to, const st_value *row) {
  live *l = to;
  double started = real_of(&row[1]), stopped = real_of(&row[3]);
  int writer = stamp_writer(started);
  if (writer >= l->ledger->writers || l->of[writer].count > l->ledger->lives[writer].count) return;
  l->of[writer].list[l->of[writer].count++] = (session){
      .id = row[0].integer,
      .started = stamp_number(started),
      .touched = stamp_number(real_of(&row[2])),
      .stopped = stopped > 0 ? stamp_number(stopped) : 0,
      .failed = row[5].type == ST_TEXT ? atoi(row[5].bytes) : 0,
      .status = row[4].bytes[0],
  };
}

static void check_sessions(verifier *v, st_conn *conn) {
  const ledger *l = v->ledger;
  live got = {.ledger = l};
  char sql[300];
  for (int w = 0; w < l->writers; w++) got.of[w].list = calloc((size_t)l->lives[w].count + 2, sizeof(session));
  snprintf(sql, sizeof sql,
           "SELECT id, started_at, last_heartbeat_at, stopped_at, status, error_type FROM sessions "
           "WHERE started_at >= %d00000000 AND started_at < %d00000000 ORDER BY started_at",
           l->cycle, l->cycle + 1);
  query(v, conn, take_session, &got, sql);
  for (int w = 0; w < l->writers; w++) {
    sessions without = replay(&l->lives[w], false), with = replay(&l->lives[w], true);
    if (!same_sessions(&without, &got.of[w]) && !same_sessions(&with, &got.of[w]))
      problem(v, "the sessions of writer %d are not what it made them", w);
    free(without.list);
    free(with.list);
    free(got.of[w].list);
  }
}

/* ---- Registrations -------------------------------------------------------------------------- */

typedef struct registration {
  verifier *v;
  op_kind kind;
  registered *known;
  bool seen[WRITERS_MAX];
} registration;

/* The last operation of that kind; what was under way counts if it is the one the row is of. */
static const op *last_registration(const ledger *l, int writer, op_kind kind, double row) {
  const op *last = NULL;
  for (int n = 1; n <= l->lives[writer].count; n++) {
    const op *each = life_op(&l->lives[writer], n);
    if (each->kind == kind && (each->done || row == op_stamp(l->cycle, writer, n))) last = each;
  }
  return last;
}

static void take_registration(void *to, const st_value *row) {
  registration *r = to;
  const ledger *l = r->v->ledger;
  int writer = row[0].type == ST_TEXT && row[0].bytes[0] == 'w' ? atoi(row[0].bytes + 1) : -1;
  registered now = {row[1].integer, real_of(&row[2]), real_of(&row[3])};
  if (writer < 0 || writer >= l->writers || r->seen[writer]) {
    problem(r->v, "a registration that nobody made, or one too many");
    return;
  }
  r->seen[writer] = true;
  registered *known = &r->known[writer];
  const op *last = last_registration(l, writer, r->kind, now.last);
  double wanted = last ? op_stamp(l->cycle, writer, last->number) : known->last;
  if (known->id && (now.id != known->id || now.first != known->first))
    problem(r->v, "writer %d: its registration has changed its number or its first time", writer);
  if (last && last->done && last->id != now.id) problem(r->v, "writer %d was told another number", writer);
  if (now.last != wanted) problem(r->v, "writer %d: registered at %.0f, not %.0f", writer, now.last, wanted);
  *known = now;
}

static void check_registrations(verifier *v, st_conn *conn, op_kind kind, registered *known, const char *sql) {
  registration r = {.v = v, .kind = kind, .known = known};
  query(v, conn, take_registration, &r, sql);
  for (int w = 0; w < v->ledger->writers; w++)
    if (!r.seen[w] && (known[w].id || last_registration(v->ledger, w, kind, -1)))
      problem(v, "the registration of writer %d is gone", w);
}

/* ---- The file ------------------------------------------------------------------------------- */

static void take_finding(void *to, const st_value *row) {
  if (row[0].type != ST_TEXT || strcmp(row[0].bytes, "ok") != 0) problem(to, "the file is damaged");
}

static void take_orphan(void *to, const st_value *row) {
  (void)row;
  problem(to, "a record has no parent");
}

static void check_file(verifier *v, st_conn *conn) {
  if (v->place->engine != ST_SQLITE) return;
  query(v, conn, take_finding, v, "PRAGMA integrity_check");
  query(v, conn, take_orphan, v, "PRAGMA foreign_key_check");
}

/* As the killed ones left it. */
static void check_log(verifier *v) {
  struct stat log;
  char path[300];
  snprintf(path, sizeof path, "%s/telemetry.db-wal", v->place->directory);
  if (v->place->engine == ST_SQLITE && stat(path, &log) == 0 && log.st_size > WAL_MAX)
    problem(v, "the log has grown to %lld bytes", (long long)log.st_size);
}

/* ---- All of it ------------------------------------------------------------------------------ */

static void check_writers(verifier *v) {
  for (int w = 0; w < v->ledger->writers; w++) {
    const life *of = &v->ledger->lives[w];
    if (of->wrong[0]) problem(v, "writer %d: %s", w, of->wrong);
    if (v->ledger->quota && (of->count != v->ledger->quota || life_unfinished(of)))
      problem(v, "writer %d did not come to its end, but to operation %d", w, of->count);
  }
}

/* The next one who opens the store finds it in order. */
static void reopen(verifier *v) {
  stele_options options = place_options(v->place);
  stele_db *db = NULL;
  if (stele_open(&options, &db) != STELE_OK || stele_call(db, "telemetry.get_session_list", NULL, NULL) != STELE_OK)
    problem(v, "it cannot be opened again: %s", stele_error(db)->message);
  stele_close(db);
}

void verify(verifier *v, const ledger *l) {
  v->ledger = l;
  check_writers(v);
  check_log(v);
  reopen(v);
  st_conn *conn = place_connect(v->place);
  if (!conn) {
    problem(v, "it cannot be read");
    return;
  }
  if (!place_settle(v->place, conn)) problem(v, "the server still serves the dead");
  check_records(v, conn);
  check_total(v, conn);
  check_sessions(v, conn);
  check_registrations(v, conn, OP_LISTENER, v->listeners,
                      "SELECT app_key, id, first_registered_at, last_registered_at FROM listeners");
  check_registrations(v, conn, OP_JOB, v->jobs,
                      "SELECT app_key, id, first_registered_at, last_registered_at FROM scheduled_jobs");
  check_file(v, conn);
  conn->driver->close(conn);
}
