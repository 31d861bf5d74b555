/* copy_page.c - see copy_page.h.
**
** Names of tables and columns come from the databases themselves and are quoted; values are bound. */
#include "engine/copy_page.h"

#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

#define PAGE_ROWS 1000
#define PAGE_BYTES ((size_t)4 << 20) /* a page ends early when its rows are long */
#define ARENA_MAX ((size_t)4 << 30)
#define SQL_MAX 65536
#define TRIES 20

typedef struct page {
  st_value **rows;
  size_t count;
  bool whole; /* there are no more rows */
} page;

/* ---- SQL ---- */

static void add_name(st_str *sql, const char *name) {
  st_str_addc(sql, '"');
  for (; *name; name++) {
    if (*name == '"') st_str_addc(sql, '"');
    st_str_addc(sql, *name);
  }
  st_str_addc(sql, '"');
}

/* One side of the copy: 0 the source, 1 the target. */
typedef enum side { FROM, TO } side;

static const st_opened *opened_of(const st_copy_walk *walk, side at) { return at == FROM ? walk->plan->source : walk->plan->target; }

static void add_column(st_str *sql, const st_copy_walk *walk, side at, size_t column) {
  const st_copy_column *each = &walk->table->columns[column];
  add_name(sql, at == FROM ? each->from : each->to);
}

static bool is_text(const char *type) { return strcmp(type, "text") == 0 || strncmp(type, "character", 9) == 0; }

/* Both engines are to sort alike: PostgreSQL by the bytes, whatever the database's own order is. */
static const char *collation(const st_copy_walk *walk, side at, size_t column) {
  bool postgres = opened_of(walk, at)->driver->engine == ST_POSTGRES;
  return postgres && is_text(walk->table->columns[column].type[at]) ? " COLLATE \"C\"" : "";
}

static void add_keys(st_str *sql, const st_copy_walk *walk, side at, const char *order) {
  for (size_t i = 0; i < walk->table->nkeys; i++) {
    size_t key = walk->table->keys[i];
    if (i) st_str_addz(sql, ", ");
    add_column(sql, walk, at, key);
    st_str_addf(sql, "%s%s", collation(walk, at, key), order);
  }
}

/* Numbered from first, with the type of the column on PostgreSQL; many: as lists. */
static void add_param(st_str *sql, const st_copy_walk *walk, side at, size_t column, size_t number, bool many) {
  bool postgres = opened_of(walk, at)->driver->engine == ST_POSTGRES;
  if (!postgres) st_str_addf(sql, "?%zu", number);
  else st_str_addf(sql, "$%zu::%s%s", number, walk->table->columns[column].type[at], many ? "[]" : "");
}

/* (k1, k2) > ($1, $2) */
static void add_bound(st_str *sql, const st_copy_walk *walk, side at, const char *comparison, size_t first) {
  st_str_addc(sql, '(');
  add_keys(sql, walk, at, "");
  st_str_addf(sql, ") %s (", comparison);
  for (size_t i = 0; i < walk->table->nkeys; i++) {
    if (i) st_str_addz(sql, ", ");
    add_param(sql, walk, at, walk->table->keys[i], first + i, false);
  }
  st_str_addc(sql, ')');
}

static void add_columns(st_str *sql, const st_copy_walk *walk, side at) {
  for (size_t i = 0; i < walk->table->ncolumns; i++) {
    if (i) st_str_addz(sql, ", ");
    add_column(sql, walk, at, i);
  }
}

/* The rows above one key and up to another, either of which may be missing. */
static void add_select(st_str *sql, const st_copy_walk *walk, side at, bool after, bool upto) {
  st_str_addz(sql, "SELECT ");
  add_columns(sql, walk, at);
  st_str_addz(sql, " FROM ");
  add_name(sql, walk->table->name);
  if (after || upto) st_str_addz(sql, " WHERE ");
  if (after) add_bound(sql, walk, at, ">", 1);
  if (after && upto) st_str_addz(sql, " AND ");
  if (upto) add_bound(sql, walk, at, "<=", after ? 1 + walk->table->nkeys : 1);
  st_str_addz(sql, " ORDER BY ");
  add_keys(sql, walk, at, "");
  if (at == FROM) st_str_addf(sql, " LIMIT %d", PAGE_ROWS);
}

static void add_insert(st_str *sql, const st_copy_walk *walk) {
  bool postgres = walk->plan->target->driver->engine == ST_POSTGRES;
  st_str_addz(sql, "INSERT INTO ");
  add_name(sql, walk->table->name);
  st_str_addz(sql, " (");
  add_columns(sql, walk, TO);
  st_str_addz(sql, postgres ? ") SELECT * FROM unnest(" : ") VALUES (");
  for (size_t i = 0; i < walk->table->ncolumns; i++) {
    if (i) st_str_addz(sql, ", ");
    add_param(sql, walk, TO, i, i + 1, true);
  }
  st_str_addc(sql, ')');
}

static void add_delete(st_str *sql, const st_copy_walk *walk) {
  st_str_addz(sql, "DELETE FROM ");
  add_name(sql, walk->table->name);
  st_str_addz(sql, " WHERE ");
  add_bound(sql, walk, TO, "=", 1);
}

/* Prepare what was written; the builder is freed. */
static stele_status prepare(const st_opened *opened, st_str *sql, st_prepared **out) {
  char *text = st_str_take(sql);
  *out = NULL;
  stele_status status = text ? opened->driver->prepare(opened->conn, text, out)
                             : st_conn_fail(opened->conn, STELE_NOMEM, "out of memory");
  st_free(text);
  return status;
}

/* ---- Reading ---- */

static bool keep_value(st_arena *arena, st_value *value) {
  if (value->type != ST_TEXT && value->type != ST_BLOB) return true;
  value->bytes = st_arena_copy(arena, value->bytes ? value->bytes : "", value->length);
  return value->bytes != NULL;
}

static bool keep_row(const st_copy_walk *walk, st_prepared *prepared, page *to) {
  size_t count = walk->table->ncolumns;
  st_value *row = st_arena_zero(walk->arena, count * sizeof *row);
  if (to->count % PAGE_ROWS == 0) { /* a page of the target may be longer than one of the source */
    st_value **more = st_arena_alloc(walk->arena, (to->count + PAGE_ROWS) * sizeof *more);
    if (!more) return false;
    if (to->count) memcpy(more, to->rows, to->count * sizeof *more);
    to->rows = more;
  }
  for (size_t i = 0; row && i < count; i++) {
    prepared->conn->driver->column(prepared, i, &row[i]);
    if (!keep_value(walk->arena, &row[i])) return false;
  }
  if (row) to->rows[to->count++] = row;
  return row != NULL;
}

static size_t bind_key(const st_copy_walk *walk, const st_value *key, const st_value **params) {
  for (size_t i = 0; i < walk->table->nkeys; i++) params[i] = &key[i];
  return walk->table->nkeys;
}

/* The rows after walk->after, of the target up to the key upto (NULL: to its end). */
static stele_status read_page(const st_copy_walk *walk, side at, const st_value *upto, page *out) {
  const st_opened *opened = opened_of(walk, at);
  const st_value **params = st_arena_alloc(walk->arena, 2 * walk->table->nkeys * sizeof *params);
  st_prepared *prepared = NULL;
  st_str sql;
  size_t count = 0, before = walk->arena->used;
  *out = (page){0};
  if (!params) return st_conn_fail(opened->conn, STELE_NOMEM, "out of memory");
  if (walk->after) count += bind_key(walk, walk->after, params);
  if (upto) count += bind_key(walk, upto, params + count);
  st_str_init(&sql, SQL_MAX);
  add_select(&sql, walk, at, walk->after != NULL, upto != NULL);
  stele_status status = prepare(opened, &sql, &prepared);
  if (status == STELE_OK) status = opened->driver->start_stream(prepared, params, count);
  while (status == STELE_OK && (status = opened->driver->step(prepared)) == STELE_ROW) {
    status = keep_row(walk, prepared, out) ? STELE_OK : st_conn_fail(opened->conn, STELE_NOMEM, "out of memory");
    if (status == STELE_OK && at == FROM && walk->arena->used - before > PAGE_BYTES) break;
  }
  out->whole = status == STELE_DONE && out->count < PAGE_ROWS;
  if (prepared) opened->driver->finalize(prepared);
  return status == STELE_DONE ? STELE_OK : status;
}

static st_value *key_of(const st_copy_walk *walk, const st_value *row) {
  st_value *key = st_arena_alloc(walk->arena, walk->table->nkeys * sizeof *key);
  for (size_t i = 0; key && i < walk->table->nkeys; i++) key[i] = row[walk->table->keys[i]];
  return key;
}

/* ---- Comparing ---- */

static int order_of(const st_copy_walk *walk, const st_value *a, const st_value *b) {
  int order = 0;
  for (size_t i = 0; i < walk->table->nkeys && order == 0; i++)
    order = st_copy_order(&a[walk->table->keys[i]], &b[walk->table->keys[i]]);
  return order;
}

static bool same_row(const st_copy_walk *walk, const st_value *a, const st_value *b) {
  for (size_t i = 0; i < walk->table->ncolumns; i++)
    if (!st_copy_same(&a[i], &b[i], walk->table->columns[i].form, walk->arena)) return false;
  return true;
}

/* What makes the target's rows those of the source. */
typedef struct change {
  st_value **remove; /* rows of the target */
  size_t nremove;
  st_value **add; /* rows of the source */
  size_t nadd;
  int64_t differences;
} change;

static bool compare(const st_copy_walk *walk, const page *from, const page *to, change *out) {
  size_t i = 0, j = 0;
  out->remove = st_arena_alloc(walk->arena, (to->count + 1) * sizeof *out->remove);
  out->add = st_arena_alloc(walk->arena, (from->count + 1) * sizeof *out->add);
  out->nremove = out->nadd = 0;
  out->differences = 0;
  if (!out->remove || !out->add) return false;
  while (i < from->count || j < to->count) {
    int order = i == from->count ? 1 : j == to->count ? -1 : order_of(walk, from->rows[i], to->rows[j]);
    bool differs = order != 0 || !same_row(walk, from->rows[i], to->rows[j]);
    out->differences += differs;
    if (order >= 0 && differs) out->remove[out->nremove++] = to->rows[j];
    if (order <= 0 && differs) out->add[out->nadd++] = from->rows[i];
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  return true;
}

/* ---- Writing ---- */

static stele_status run(const st_opened *target, st_prepared *prepared, const st_value *const *params, size_t count) {
  stele_status status = target->driver->start(prepared, params, count);
  while (status == STELE_OK || status == STELE_ROW) status = target->driver->step(prepared);
  target->driver->reset(prepared);
  return status == STELE_DONE ? STELE_OK : status;
}

static stele_status remove_rows(const st_copy_walk *walk, const change *todo) {
  const st_opened *target = walk->plan->target;
  const st_value **params = st_arena_alloc(walk->arena, walk->table->nkeys * sizeof *params);
  st_prepared *prepared = NULL;
  st_str sql;
  if (!params) return st_conn_fail(target->conn, STELE_NOMEM, "out of memory");
  if (todo->nremove == 0) return STELE_OK;
  st_str_init(&sql, SQL_MAX);
  add_delete(&sql, walk);
  stele_status status = prepare(target, &sql, &prepared);
  for (size_t i = 0; i < todo->nremove && status == STELE_OK; i++) {
    for (size_t k = 0; k < walk->table->nkeys; k++) params[k] = &todo->remove[i][walk->table->keys[k]];
    status = run(target, prepared, params, walk->table->nkeys);
  }
  if (prepared) target->driver->finalize(prepared);
  return status;
}

/* PostgreSQL takes all rows in one statement: each column is a list. */
static stele_status insert_lists(const st_copy_walk *walk, st_prepared *prepared, st_value **rows, size_t count) {
  size_t columns = walk->table->ncolumns;
  st_value *items = st_arena_alloc(walk->arena, columns * count * sizeof *items);
  st_value *lists = st_arena_alloc(walk->arena, columns * sizeof *lists);
  const st_value **params = st_arena_alloc(walk->arena, columns * sizeof *params);
  if (!items || !lists || !params) return st_conn_fail(walk->plan->target->conn, STELE_NOMEM, "out of memory");
  for (size_t i = 0; i < columns; i++) {
    for (size_t j = 0; j < count; j++) items[i * count + j] = rows[j][i];
    lists[i] = (st_value){.type = ST_LIST, .items = items + i * count, .count = (uint32_t)count, .width = 1};
    params[i] = &lists[i];
  }
  return run(walk->plan->target, prepared, params, columns);
}

static stele_status insert_each(const st_copy_walk *walk, st_prepared *prepared, st_value **rows, size_t count) {
  const st_value **params = st_arena_alloc(walk->arena, walk->table->ncolumns * sizeof *params);
  stele_status status = params ? STELE_OK : st_conn_fail(walk->plan->target->conn, STELE_NOMEM, "out of memory");
  for (size_t j = 0; j < count && status == STELE_OK; j++) {
    for (size_t i = 0; i < walk->table->ncolumns; i++) params[i] = &rows[j][i];
    status = run(walk->plan->target, prepared, params, walk->table->ncolumns);
  }
  return status;
}

static stele_status insert(const st_copy_walk *walk, st_prepared *prepared, st_value **rows, size_t count) {
  bool postgres = walk->plan->target->driver->engine == ST_POSTGRES;
  return postgres ? insert_lists(walk, prepared, rows, count) : insert_each(walk, prepared, rows, count);
}

static void add_key_text(st_str *out, const st_value *value) {
  switch (value->type) {
    case ST_INT: st_str_addf(out, "%lld", (long long)value->integer); break;
    case ST_REAL: st_str_addf(out, "%.17g", value->real); break;
    case ST_TEXT: st_str_addf(out, "%.60s", value->bytes); break;
    default: st_str_addz(out, value->type == ST_BLOB ? "(bytes)" : "null");
  }
}

static void tell_refused(st_copy_walk *walk, const st_value *row) {
  st_str key;
  st_str_init(&key, 400);
  for (size_t i = 0; i < walk->table->nkeys; i++) {
    if (i) st_str_addz(&key, ", ");
    add_key_text(&key, &row[walk->table->keys[i]]);
  }
  walk->tally.refused++;
  walk->refused(walk->user, walk->table, key.text && !key.failed ? key.text : "?", walk->plan->target->conn->problem);
  st_str_free(&key);
}

/* Some row of the page cannot be kept: which?  Each is tried by itself. */
static stele_status insert_singly(st_copy_walk *walk, st_prepared *prepared, const change *todo) {
  const st_opened *target = walk->plan->target;
  stele_status status = STELE_OK;
  for (size_t i = 0; i < todo->nadd && status == STELE_OK; i++) {
    status = target->driver->script(target->conn, "SAVEPOINT stele_row");
    if (status == STELE_OK) status = insert(walk, prepared, todo->add + i, 1);
    if (status == STELE_OK) {
      status = target->driver->script(target->conn, "RELEASE stele_row");
    } else if (status == STELE_INVALID) {
      tell_refused(walk, todo->add[i]);
      status = target->driver->script(target->conn, "ROLLBACK TO stele_row; RELEASE stele_row");
    }
  }
  return status;
}

static stele_status write_once(st_copy_walk *walk, const change *todo, bool singly) {
  const st_opened *target = walk->plan->target;
  st_prepared *prepared = NULL;
  st_str sql;
  stele_status status = target->driver->begin(target->conn, true);
  if (status != STELE_OK) return status;
  status = remove_rows(walk, todo);
  st_str_init(&sql, SQL_MAX);
  if (todo->nadd) add_insert(&sql, walk);
  if (status == STELE_OK && todo->nadd) status = prepare(target, &sql, &prepared);
  st_str_free(&sql);
  if (status == STELE_OK && todo->nadd)
    status = singly ? insert_singly(walk, prepared, todo) : insert(walk, prepared, todo->add, todo->nadd);
  if (prepared) target->driver->finalize(prepared);
  if (status == STELE_OK) return target->driver->commit(target->conn);
  target->driver->rollback(target->conn);
  return status;
}

static stele_status write_change(st_copy_walk *walk, const change *todo) {
  bool singly = false;
  st_copy_tally before = walk->tally;
  stele_status status = STELE_CONFLICT;
  if (todo->nadd + todo->nremove == 0) return STELE_OK;
  for (unsigned tries = 0; status == STELE_CONFLICT && tries < TRIES; tries++) {
    if (tries) usleep(1000u * tries);
    walk->tally = before;
    status = write_once(walk, todo, singly);
    if (status != STELE_INVALID || singly) continue;
    singly = true;
    status = STELE_CONFLICT; /* the same once more, row by row */
  }
  if (status == STELE_OK) walk->tally.written += todo->differences - (walk->tally.refused - before.refused);
  return status;
}

/* ---- Walking ---- */

void st_copy_walk_open(st_copy_walk *walk, const st_copy_plan *plan, const st_copy_table *table) {
  *walk = (st_copy_walk){.plan = plan, .table = table, .arena = walk->arenas};
  for (int i = 0; i < 2; i++) st_arena_init(&walk->arenas[i], ARENA_MAX);
}

void st_copy_walk_close(st_copy_walk *walk) {
  for (int i = 0; i < 2; i++) st_arena_free(&walk->arenas[i]);
}

stele_status st_copy_walk_resume(st_copy_walk *walk, const st_opened **whose) {
  const st_opened *target = *whose = walk->plan->target;
  st_prepared *prepared = NULL;
  st_str sql;
  page last = {0};
  st_str_init(&sql, SQL_MAX);
  st_str_addz(&sql, "SELECT ");
  add_columns(&sql, walk, TO);
  st_str_addz(&sql, " FROM ");
  add_name(&sql, walk->table->name);
  st_str_addz(&sql, " ORDER BY ");
  add_keys(&sql, walk, TO, " DESC");
  st_str_addz(&sql, " LIMIT 1");
  stele_status status = prepare(target, &sql, &prepared);
  if (status == STELE_OK) status = target->driver->start(prepared, NULL, 0);
  if (status == STELE_OK) status = target->driver->step(prepared);
  if (status == STELE_ROW) {
    bool kept = keep_row(walk, prepared, &last) && (walk->after = key_of(walk, last.rows[0]));
    status = kept ? STELE_OK : st_conn_fail(target->conn, STELE_NOMEM, "out of memory");
  }
  if (prepared) target->driver->finalize(prepared);
  return status == STELE_DONE ? STELE_OK : status;
}

/* The key outlives its page: it goes into the other arena, which holds the next one. */
static bool step_over(st_copy_walk *walk, const st_value *row) {
  st_arena *next = walk->arena == walk->arenas ? walk->arenas + 1 : walk->arenas;
  st_arena_reset(next);
  st_value *key = st_arena_alloc(next, walk->table->nkeys * sizeof *key);
  for (size_t i = 0; key && i < walk->table->nkeys; i++) {
    key[i] = row[walk->table->keys[i]];
    if (!keep_value(next, &key[i])) return false;
  }
  walk->after = key;
  walk->arena = next;
  return key != NULL;
}

stele_status st_copy_walk_page(st_copy_walk *walk, const st_opened **whose) {
  page from, to;
  change todo;
  *whose = walk->plan->source;
  stele_status status = read_page(walk, FROM, NULL, &from);
  if (status != STELE_OK) return status;
  *whose = walk->plan->target;
  const st_value *upto = from.whole ? NULL : key_of(walk, from.rows[from.count - 1]);
  if (!from.whole && !upto) return st_conn_fail(walk->plan->target->conn, STELE_NOMEM, "out of memory");
  status = read_page(walk, TO, upto, &to);
  if (status != STELE_OK) return status;
  if (!compare(walk, &from, &to, &todo)) return st_conn_fail(walk->plan->target->conn, STELE_NOMEM, "out of memory");
  status = write_change(walk, &todo);
  if (status != STELE_OK) return status;
  walk->tally.rows += (int64_t)from.count;
  walk->end = from.whole;
  if (!walk->end && !step_over(walk, from.rows[from.count - 1]))
    return st_conn_fail(walk->plan->target->conn, STELE_NOMEM, "out of memory");
  return STELE_OK;
}
