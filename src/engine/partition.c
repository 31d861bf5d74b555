/* partition.c - see partition.h. */
#include "engine/partition.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/time.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "registry_ids.h"

#define DAY 86400.0
#define AHEAD (7 * DAY)
#define SHARES 30        /* a partition is that part of the time that rows are kept, in whole days: there are not many more of them */
#define WIDEST (30 * DAY)
#define NAME_MAX_BYTES 64
#define SQL_MAX ((size_t)16 << 10)
/* While one waits for a table that others use, whoever comes later waits behind. */
#define BRIEFLY "SET LOCAL lock_timeout = '100ms';"

typedef struct partition partition;
struct partition {
  partition *next;
  char name[NAME_MAX_BYTES];
  double since, until; /* the first may be -INFINITY */
};

bool st_partitions_apply(const st_call *store, const st_rule *rule) {
  return rule->partitioned && store->store->driver->engine == ST_POSTGRES;
}

static double width_of(double keep) {
  double width = ceil(keep / SHARES / DAY) * DAY;
  return width < DAY ? DAY : width > WIDEST ? WIDEST : width;
}

/* ---- What there is ---- */

static bool keep_partition(st_call *call, st_prepared *prepared, partition ***end) {
  const st_driver *driver = call->store->driver;
  partition *each = st_call_alloc(call, sizeof *each);
  st_value name, since, until;
  if (!each) return false;
  driver->column(prepared, 0, &name);
  driver->column(prepared, 1, &since);
  driver->column(prepared, 2, &until);
  *each = (partition){.since = since.real, .until = until.real};
  snprintf(each->name, sizeof each->name, "%s", name.bytes);
  **end = each;
  *end = &each->next;
  return true;
}

/* All but the rest, in the order of time. */
static partition *read_partitions(st_call *call, const st_rule *rule) {
  static const char sql[] =
      "SELECT p.relname::text, CASE WHEN b.bound LIKE '%FROM (MINVALUE)%' THEN '-Infinity' ELSE substring(b.bound FROM 'FROM \\(''([^'']+)''\\)') END::float8,"
      " substring(b.bound FROM 'TO \\(''([^'']+)''\\)')::float8 AS until"
      " FROM pg_catalog.pg_inherits AS i JOIN pg_catalog.pg_class AS p ON p.oid = i.inhrelid,"
      " LATERAL (SELECT pg_catalog.pg_get_expr(p.relpartbound, p.oid) AS bound) AS b"
      " WHERE i.inhparent = pg_catalog.to_regclass($1::text) AND b.bound <> 'DEFAULT' ORDER BY until";
  const st_driver *driver = call->store->driver;
  const st_value table = st_textz(rule->partitioned);
  partition *first = NULL, **end = &first;
  st_prepared *prepared = NULL;
  if (!st_ok(call)) return NULL;
  stele_status status = driver->prepare(call->store->conn, sql, &prepared);
  if (status == STELE_OK) status = driver->start(prepared, (const st_value *const[]){&table}, 1);
  if (status == STELE_OK) status = driver->step(prepared);
  while (status == STELE_ROW && keep_partition(call, prepared, &end)) status = driver->step(prepared);
  if (prepared) driver->finalize(prepared);
  if (st_ok(call) && status != STELE_DONE) st_fail_conn(call, status);
  return st_ok(call) ? first : NULL;
}

static double end_of(const partition *list) {
  double end = -INFINITY;
  for (; list; list = list->next) end = list->until;
  return end;
}

/* ---- Making them ---- */

static void run(st_call *call, st_str *sql) {
  stele_status status = STELE_NOMEM;
  if (!st_ok(call)) return;
  if (sql->failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  else if ((status = call->store->driver->script(call->store->conn, sql->text)) != STELE_OK) st_fail_conn(call, status);
}

/* Named by the day on which it ends: whoever reads the list of tables sees when it may go. */
static void name_partition(st_call *call, char name[NAME_MAX_BYTES], const char *table, double until) {
  char day[ST_TIME_MAX] = "0000-00-00";
  if (!st_time_rfc3339((st_micros)(until * 1e6), day)) st_fail(call, STELE_INVALID, "now", "they would end after the year 9999");
  snprintf(name, NAME_MAX_BYTES, "%s_until_%.4s%.2s%.2s", table, day, day + 5, day + 8);
}

static void add_bound(st_str *sql, double bound) {
  if (isinf(bound)) st_str_addz(sql, "MINVALUE");
  else st_str_addf(sql, "%.0f", bound);
}

static void add_attach(st_str *sql, const char *table, const char *name, double since, double until) {
  st_str_addf(sql, "ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (", table, name);
  add_bound(sql, since);
  st_str_addf(sql, ") TO (%.0f);", until);
}

/* The indexes and keys that the table has are made, and checked, when it takes it. */
static void add_new(st_call *call, st_str *sql, const char *table, double since, double until) {
  char name[NAME_MAX_BYTES];
  name_partition(call, name, table, until);
  st_str_addf(sql, "CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS);", name, table);
  add_attach(sql, table, name, since, until);
}

/* The rest becomes a partition.  What does not belong there, because it is of a time after it, goes to the new rest.  A partition that was taken off
** has no triggers, so that nothing counts as deleted. */
static void add_takeover(st_call *call, st_str *sql, const char *table, double since, double until) {
  char name[NAME_MAX_BYTES];
  name_partition(call, name, table, until);
  st_str_addf(sql, "ALTER TABLE %s DETACH PARTITION %s_rest; ALTER TABLE %s_rest RENAME TO %s;", table, table, table, name);
  st_str_addf(sql, "CREATE TABLE %s_rest PARTITION OF %s DEFAULT;", table, table);
  st_str_addf(sql,
              "DO $$ DECLARE cut name := (SELECT a.attname FROM pg_catalog.pg_partitioned_table AS p JOIN pg_catalog.pg_attribute AS a"
              " ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0] WHERE p.partrelid = '%s'::pg_catalog.regclass);"
              " list text := (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ') FROM pg_catalog.pg_attribute AS a"
              " WHERE a.attrelid = '%s'::pg_catalog.regclass AND a.attnum > 0 AND NOT a.attisdropped);"
              " BEGIN EXECUTE pg_catalog.format('WITH later AS (DELETE FROM %s WHERE %%I >= %.0f RETURNING *)"
              " INSERT INTO %s_rest (%%s) SELECT %%s FROM later', cut, list, list); END $$;",
              table, table, name, until, table);
  add_attach(sql, table, name, since, until);
}

typedef struct making {
  const st_rule *rule;
  double now, width;
} making;

static int64_t count_between(st_call *call, const st_rule *rule, double since, double until) {
  const st_value bounds[] = {st_real(since), st_real(until)};
  st_value found[ST_PART_RESULTS] = {{.type = ST_NULL}};
  return since < until && st_one(call, rule->part_method, bounds, found) ? found[ST_PART_ROWS].integer : 0;
}

/* Where the rest is taken over, it ends with this day, or with all that is there of the coming ones. */
static double takeover_end(st_call *call, const making *m, double end, double last) {
  double today = (floor(m->now / DAY) + 1) * DAY;
  if (today <= end) today = end + m->width;
  return count_between(call, m->rule, today, last) ? last : today;
}

/* Is there something in the rest that a partition should have, or has the time come to where there is none? */
static bool is_behind(st_call *call, const making *m, double end, double horizon) {
  return end <= m->now || count_between(call, m->rule, end, horizon) > 0;
}

/* One at a time does this; others read and write meanwhile, but for a moment. */
static bool make_ahead(st_call *call, void *user) {
  const making *m = user;
  const char *table = m->rule->partitioned;
  double horizon = m->now + AHEAD, last = ceil((horizon + m->width) / DAY) * DAY; /* no partition that is made ends later */
  st_str sql;
  st_str_init(&sql, SQL_MAX);
  st_str_addf(&sql, BRIEFLY "LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE", table);
  run(call, &sql);
  st_str_free(&sql);
  double end = end_of(read_partitions(call, m->rule));
  st_str_init(&sql, SQL_MAX);
  if (is_behind(call, m, end, last)) {
    double until = takeover_end(call, m, end, last);
    add_takeover(call, &sql, table, end, until);
    end = until;
  }
  for (; end < horizon; end += m->width) add_new(call, &sql, table, end, end + m->width);
  if (sql.length || sql.failed) run(call, &sql);
  st_str_free(&sql);
  return st_ok(call);
}

/* A part of the call with a failure of its own. */
static st_call apart(const st_call *store, st_error *error) {
  st_call part = *store;
  *error = (st_error){.status = STELE_OK};
  part.error = error;
  return part;
}

void st_partitions_make(st_call *store, const st_rule *rule, double now, double keep) {
  making m = {rule, now, width_of(keep)};
  st_error error;
  st_call part = apart(store, &error);
  if (!st_ok(store)) return;
  if (!st_feature_look(&part, rule->partitions)) st_feature_need(&part, rule->partitions);
  if (end_of(read_partitions(&part, rule)) < now + AHEAD) st_call_transaction(&part, true, make_ahead, &m);
  if (error.status != STELE_OK) st_note(store, "no partitions of %s could be made: %s", rule->partitioned, error.message);
}

/* ---- What may go ---- */

double st_partitions_floor(st_call *store, const st_rule *rule, double before, double keep) {
  if (keep < DAY) return before;
  for (const partition *each = read_partitions(store, rule); each; each = each->next)
    if (each->since < before && before < each->until && each->until - each->since <= width_of(keep)) return each->since;
  return before;
}

typedef struct dropping {
  const st_rule *rule;
  const partition *which;
  int64_t rows;
} dropping;

/* A hold is placed before this, and seen, or after it, when nothing is left to be held: the first of all makes triggers, for which it
** needs the partition, and every later one writes to the table of holds. */
static bool lock(st_call *call, const dropping *d) {
  int holds = st_shared_feature(call, ST_TF_HOLDS);
  bool known = st_feature_has(call, holds);
  st_str sql;
  st_str_init(&sql, SQL_MAX);
  st_str_addf(&sql, BRIEFLY "LOCK TABLE %s%s IN SHARE MODE", d->which->name, known ? ", stele_holds" : "");
  run(call, &sql);
  st_str_free(&sql);
  return st_ok(call) && (known || !st_feature_look(call, holds));
}

static bool drop(st_call *call, void *user) {
  dropping *d = user;
  const st_value bounds[] = {st_real(d->which->since), st_real(d->which->until)};
  st_value found[ST_PART_RESULTS];
  st_str sql;
  if (!lock(call, d) || !st_one(call, d->rule->part_method, bounds, found) || found[ST_PART_HELD].integer > 0) return false;
  if (d->rule->note_method >= 0 && st_feature_look(call, st_shared_feature(call, ST_TF_DOCUMENTS))) st_run(call, d->rule->note_method, bounds);
  st_str_init(&sql, SQL_MAX);
  st_str_addf(&sql, "DROP TABLE %s", d->which->name);
  run(call, &sql);
  st_str_free(&sql);
  d->rows = found[ST_PART_ROWS].integer;
  return st_ok(call);
}

int64_t st_partitions_drop(st_call *store, const st_rule *rule, double before) {
  int64_t rows = 0;
  for (const partition *each = read_partitions(store, rule); each && each->until <= before; each = each->next) {
    dropping d = {rule, each, 0};
    st_error error;
    st_call part = apart(store, &error);
    if (st_call_transaction(&part, true, drop, &d)) rows += d.rows;
  }
  return rows;
}
