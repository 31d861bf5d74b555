/* copy.c - stele.copy: stores of one home become those of another.
**
** A pass walks over every table of both sides in the order of the keys and makes the target's rows those of the source
** (copy_page.h).  The first pass writes; a pass that finds no difference has compared every value, and ends it.  What others
** write to the source meanwhile is a difference that the next pass finds, so that the last one tells the whole truth about
** one moment of the source: a pass reads in one transaction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/copy_mark.h"
#include "engine/copy_page.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "engine/idempotency.h"
#include "engine/keys.h"
#include "engine/postgres_url.h"
#include "engine/state.h"
#include "engine/system.h"
#include "registry_ids.h"

#define PASSES 8       /* so often others may have written meanwhile */
#define NAMED_ROWS 20  /* so many refused rows are named */

/* One store on its way. */
typedef struct copying {
  st_call *call;
  st_opened *source, *target;
  char name[400];   /* of the source, as the target remembers it */
  st_copy_plan plan;
  st_copy_tally *tallies; /* of each table */
  bool resume;      /* the first pass begins where the target's rows end */
  int64_t refused;  /* of this pass */
} copying;

/* ---- Failures ---- */

static void fail_conn(copying *c, stele_status status, const st_opened *whose) {
  st_fail(c->call, status, NULL, "%s: %s", c->source->store->name, whose->conn ? whose->conn->problem : "not connected");
}

static void tell_refused(void *user, const st_copy_table *table, const char *key, const char *why) {
  copying *c = user;
  if (++c->refused <= NAMED_ROWS) st_note(c->call, "%s.%s %s: %s", c->source->store->name, table->name, key, why);
}

static void judge_refused(copying *c) {
  if (c->refused == 0 || st_arg_int(c->call, ST_P_STELE_COPY_LEAVE_OUT)) return;
  st_fail(c->call, STELE_INVALID, NULL, "%lld rows of %s cannot be kept there", (long long)c->refused, c->source->store->name);
  st_hint(c->call, "change them in the source, or do without them with leave_out; then go on with the same call");
}

/* ---- Passes ---- */

static bool go_on(copying *c, const st_copy_table *table, int64_t done) {
  const stele_db *db = c->call->db;
  char what[200];
  snprintf(what, sizeof what, "%s.%s", c->source->store->name, table->name);
  bool stop = db->progress && db->progress(db->user, what, done, 0) != 0;
  if (stop || atomic_load_explicit(&db->interrupted, memory_order_relaxed))
    st_fail(c->call, STELE_CANCELLED, NULL, "stopped; the same call goes on from there");
  return st_ok(c->call);
}

static bool walk_table(copying *c, const st_copy_table *table, bool resume, st_copy_tally *tally) {
  st_copy_walk walk;
  const st_opened *whose;
  stele_status status = STELE_OK;
  st_copy_walk_open(&walk, &c->plan, table);
  walk.refused = tell_refused;
  walk.user = c;
  if (resume) status = st_copy_walk_resume(&walk, &whose);
  while (status == STELE_OK && !walk.end && go_on(c, table, walk.tally.rows)) status = st_copy_walk_page(&walk, &whose);
  if (status == STELE_OK && st_ok(c->call)) status = st_copy_counter(&c->plan, table, &whose);
  if (status != STELE_OK) fail_conn(c, status, whose);
  tally->rows = walk.tally.rows;
  tally->refused = walk.tally.refused;
  tally->written += walk.tally.written;
  int64_t written = walk.tally.written;
  st_copy_walk_close(&walk);
  return written > 0;
}

/* In one transaction of the source.  True: something differed. */
static bool pass(copying *c, bool resume) {
  bool differed = false;
  size_t i = 0;
  stele_status status = c->source->driver->begin(c->source->conn, false);
  if (status != STELE_OK) fail_conn(c, status, c->source);
  c->refused = 0;
  for (const st_copy_table *table = c->plan.tables; table && st_ok(c->call); table = table->next, i++)
    if (!table->foreign && walk_table(c, table, resume, &c->tallies[i])) differed = true;
  c->source->driver->rollback(c->source->conn);
  return differed;
}

static void run_passes(copying *c) {
  bool differs = true;
  for (int i = 0; i < PASSES && differs && st_ok(c->call); i++) {
    bool resume = i == 0 && c->resume;
    differs = pass(c, resume) || resume;
  }
  if (differs && st_ok(c->call)) {
    st_fail(c->call, STELE_BUSY, NULL, "others keep writing to %s", c->source->store->name);
    st_hint(c->call, "what is there is kept: stop them, and go on with the same call");
  }
  judge_refused(c);
}

/* ---- The two sides ---- */

/* The source must be of the present version: the target will be, and rows of another would not fit. */
static bool source_fits(copying *c, bool *exists) {
  st_state state;
  st_state_look(c->source, &state);
  *exists = strcmp(state.name, "absent") != 0 && strcmp(state.name, "fresh") != 0;
  if (!*exists) return true;
  const st_store *store = c->source->store;
  if (!st_state_is_ours(&state))
    st_fail(c->call, state.status == STELE_OK ? STELE_FORMAT : state.status, NULL, "%s cannot be copied: %s", store->name, state.problem);
  else if (state.look.version != store->version || strcmp(state.name, "current") != 0) {
    st_fail(c->call, STELE_FORMAT, NULL, "%s is of version %d, and copies are of version %d", store->name, state.look.version,
            store->version);
    if (state.look.version <= store->version) st_hint(c->call, "bring it up to date first: `stele migrate %s`", store->name);
  }
  return st_ok(c->call);
}

/* Which store it is, by whatever address it is reached: a file's path; of a schema, the server's own number, which its replicas share and no other
** server has, and the database.  No password is in it. */
static void identify(copying *c, const st_opened *opened, char name[400]) {
  if (opened->schema) {
    stele_status status = st_copy_mark_place(opened, name);
    if (status != STELE_OK) fail_conn(c, status, opened);
    return;
  }
  char *real = realpath(opened->location, NULL);
  snprintf(name, 400, "%s %s", opened->driver->name, real ? real : opened->location);
  free(real);
}

/* What the target remembers the source by; it must be another place. */
static bool identify_both(copying *c) {
  char target[400] = "";
  identify(c, c->source, c->name);
  if (st_ok(c->call)) identify(c, c->target, target);
  if (st_ok(c->call) && strcmp(c->name, target) == 0)
    st_fail(c->call, STELE_INVALID, "to", "%s is there already: it cannot be copied onto itself", c->source->store->name);
  return st_ok(c->call);
}

static bool connect(copying *c, st_opened *opened, bool copying_into) {
  st_opening opening = {.progress = c->call->db->progress, .user = c->call->db->user, .error = c->call->error, .copying = copying_into};
  return st_opened_connect(opened, &opening);
}

/* Tables and columns that the source has got since it was made. */
static void make_features(copying *c) {
  const st_store *store = c->source->store;
  stele_status status = STELE_OK;
  for (uint16_t i = 0; i < store->nfeatures && status == STELE_OK; i++) {
    bool wanted = (c->source->features >> i & 1) && !(c->target->features >> i & 1) && !store->features[i].derived;
    if (wanted) status = st_features_make(c->target, i);
  }
  if (status != STELE_OK) fail_conn(c, status, c->target);
}

/* Idempotent calls are remembered in a table that only they make. */
static void make_idempotency(copying *c) {
  bool there = false;
  stele_status status = c->source->driver->probe(c->source->conn, "stele_idempotency", NULL, &there);
  if (status != STELE_OK) fail_conn(c, status, c->source);
  if (!there || !st_ok(c->call)) return;
  status = c->target->driver->script(c->target->conn, ST_IDEMPOTENCY_TABLE);
  if (status != STELE_OK) fail_conn(c, status, c->target);
}

static bool is_seeded(const st_opened *target, const char *table) {
  st_engine engine = target->driver->engine;
  for (uint16_t i = 0; i < target->store->nseeds[engine]; i++)
    if (strcmp(target->store->seeds[engine][i].into, table) == 0) return true;
  return false;
}

/* A table of the target that has rows though nobody copied any; NULL: there is none.  Those that a store begins with do not
** count. */
static const char *find_rows(copying *c) {
  const st_opened *whose = c->target;
  st_copy_plan own = {c->call->arena, c->target, c->target, NULL};
  stele_status status = st_copy_plan_make(&own, &whose);
  for (const st_copy_table *table = own.tables; table && status == STELE_OK; table = table->next) {
    char sql[300];
    int64_t there = 0;
    if (is_seeded(c->target, table->name)) continue;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM (SELECT 1 FROM \"%s\" LIMIT 1) AS any_row", table->name);
    status = st_conn_number(c->target->conn, sql, &there);
    if (there) return table->name;
  }
  if (status != STELE_OK) fail_conn(c, status, c->target);
  return NULL;
}

static void make_plan(copying *c) {
  const st_opened *whose = c->source;
  size_t count = 1;
  c->plan = (st_copy_plan){c->call->arena, c->source, c->target, NULL};
  stele_status status = st_copy_plan_make(&c->plan, &whose);
  if (status != STELE_OK) fail_conn(c, status, whose);
  for (const st_copy_table *table = c->plan.tables; table && st_ok(c->call); table = table->next, count++)
    if (!table->foreign && table->problem)
      st_fail(c->call, STELE_FORMAT, NULL, "%s.%s cannot be copied: %s", c->source->store->name, table->name, table->problem);
  c->tallies = st_call_alloc(c->call, count * sizeof *c->tallies);
  if (c->tallies) memset(c->tallies, 0, count * sizeof *c->tallies);
}

/* ---- A store ---- */

/* May it be written to?  Its own copy is continued, and only a copy is brought up to date. */
static void judge_target(copying *c, bool *there) {
  char under_way[400], done[400];
  bool again = st_arg_int(c->call, ST_P_STELE_COPY_AGAIN) != 0;
  const char *store = c->source->store->name, *full;
  stele_status status = st_copy_mark_read(c->target, ST_COPYING, under_way);
  if (status == STELE_OK) status = st_copy_mark_read(c->target, ST_COPIED, done);
  if (status != STELE_OK) fail_conn(c, status, c->target);
  if (!st_ok(c->call)) return;
  *there = !under_way[0] && !again && strcmp(done, c->name) == 0;
  c->resume = under_way[0] != '\0';
  if (under_way[0] && strcmp(under_way, c->name) != 0)
    st_fail(c->call, STELE_INVALID, "to", "a copy of another source (%s) into %s is not finished", under_way, store);
  else if (!under_way[0] && !*there && strcmp(done, c->name) != 0 && (full = find_rows(c)) != NULL)
    st_fail(c->call, STELE_INVALID, "to", "%s is not empty there: %s has rows", store, full);
}

static stele_status copy_rows(st_opened *target, void *with) {
  copying *c = with;
  stele_status status = c->resume ? STELE_OK : st_copy_mark_begin(target, c->name);
  if (status != STELE_OK) fail_conn(c, status, target);
  if (st_ok(c->call)) run_passes(c);
  if (st_ok(c->call)) status = st_copy_mark_end(target, c->name);
  if (status != STELE_OK) fail_conn(c, status, target);
  return STELE_OK; /* the call has the failure */
}

static void tell(copying *c, const char *state) {
  size_t i = 0;
  for (const st_copy_table *table = c->plan.tables; table; table = table->next, i++) {
    st_value *row = st_reply(c->call);
    if (!row) return;
    row[ST_R_STELE_COPY_STORE] = st_textz(c->source->store->name);
    row[ST_R_STELE_COPY_TABLE] = st_textz(table->name);
    row[ST_R_STELE_COPY_STATE] = st_textz(table->foreign ? "foreign" : state);
    if (table->foreign || strcmp(state, "there") == 0) continue;
    row[ST_R_STELE_COPY_ROWS] = st_int(c->tallies[i].rows);
    row[ST_R_STELE_COPY_WRITTEN] = st_int(c->tallies[i].written);
    row[ST_R_STELE_COPY_LEFT_OUT] = st_int(c->tallies[i].refused);
  }
}

static void copy_store(st_call *call, st_opened *source, st_opened *target) {
  copying c = {.call = call, .source = source, .target = target};
  bool exists = false, there = false;
  if (!source_fits(&c, &exists) || !exists) return;
  if (!connect(&c, source, false) || !connect(&c, target, true) || !identify_both(&c)) return;
  judge_target(&c, &there);
  if (st_ok(call) && !there) make_features(&c);
  if (st_ok(call) && !there) make_idempotency(&c);
  if (st_ok(call)) make_plan(&c);
  if (!st_ok(call)) return;
  if (!there) {
    stele_status status = st_without_keys(target, copy_rows, &c);
    if (status != STELE_OK) fail_conn(&c, status, target);
  }
  if (st_ok(call)) tell(&c, there ? "there" : "copied");
}

/* ---- The call ---- */

static stele_db *open_target(st_call *call, const char *to) {
  bool database = st_postgres_is_url(to);
  stele_options options = {.size = sizeof options, .flags = call->db->flags & STELE_OPEN_NETWORK_FS, .wait_ms = call->db->wait_ms,
                           .log = call->db->log, .user = call->db->user};
  stele_db *db = NULL;
  if (database) options.database = to;
  else options.home = to;
  stele_status status = stele_open(&options, &db);
  if (status == STELE_OK && !database && !st_handle_make_home(to)) {
    st_fail(call, STELE_IO, "to", "to: %s cannot be made", to);
  } else if (status != STELE_OK) {
    st_fail(call, status, "to", "to: %s", db ? stele_error(db)->message : "out of memory");
  }
  if (st_ok(call)) return db;
  stele_close(db);
  return NULL;
}

static void copy_one(st_call *call, st_opened *own, st_opened *target) {
  if (!own->location || st_opened_in_memory(own)) {
    st_fail(call, STELE_INVALID, NULL, "%s has no place that another connection could read", own->store->name);
  } else if (call->db->tx == own) {
    st_fail(call, STELE_MISUSE, NULL, "cannot run inside a transaction");
  } else {
    st_opened source = st_opened_apart(own, true);
    copy_store(call, &source, target);
    st_opened_close(&source);
    st_opened_close(target);
  }
}

void st_stele_copy(st_call *call) {
  int wanted = st_wanted_store(call, ST_P_STELE_COPY_STORE);
  stele_db *to = st_ok(call) ? open_target(call, st_arg_text(call, ST_P_STELE_COPY_TO)) : NULL;
  for (int i = 0; to && i < st_registry.nstores && st_ok(call); i++)
    if (wanted < 0 || wanted == i) copy_one(call, &call->db->stores[i], &to->stores[i]);
  stele_close(to);
}
