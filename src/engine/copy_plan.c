/* copy_plan.c - see copy_plan.h. */
#include "engine/copy_plan.h"

#include <stdio.h>
#include <string.h>

/* Every column of the ordinary tables: table, column, type, and its place in the key, from 1; 0: it is not part of it.  The
** key is the primary one, or that of the first unique index; on PostgreSQL without the column that a table's partitions are cut by, which is in
** it for their sake only.  What stands behind a virtual table is left to it. */
static const char *const SEE[ST_ENGINES] = {
    "SELECT t.name, c.name, c.type, CASE WHEN EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE pk > 0) THEN c.pk ELSE"
    " coalesce((SELECT i.seqno + 1 FROM (SELECT name FROM pragma_index_list(t.name) WHERE \"unique\" AND partial = 0 ORDER BY name LIMIT 1) AS l"
    " JOIN pragma_index_info(l.name) AS i WHERE i.name = c.name), 0) END"
    " FROM sqlite_schema AS t JOIN pragma_table_xinfo(t.name) AS c"
    " WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL %' AND substr(t.name, 1, 7) <> 'sqlite_' AND c.hidden = 0"
    " AND NOT EXISTS (SELECT 1 FROM sqlite_schema AS v WHERE v.type = 'table' AND v.sql LIKE 'CREATE VIRTUAL %'"
    " AND substr(t.name, 1, length(v.name) + 1) = v.name || '_')"
    " ORDER BY t.name, c.cid",
    "SELECT c.relname::text, a.attname::text, pg_catalog.format_type(a.atttypid, a.atttypmod),"
    " CASE WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_partitioned_table AS p WHERE p.partrelid = c.oid AND a.attnum = ANY (p.partattrs::smallint[])) THEN 0"
    " ELSE coalesce(pg_catalog.array_position(x.indkey::smallint[], a.attnum) + 1, 0) END::bigint"
    " FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
    " AND a.attgenerated = ''"
    " LEFT JOIN LATERAL (SELECT i.indkey FROM pg_catalog.pg_index AS i WHERE i.indrelid = c.oid AND i.indisunique AND i.indpred IS NULL"
    " AND i.indexprs IS NULL ORDER BY i.indisprimary DESC, i.indexrelid LIMIT 1) AS x ON true"
    " WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition"
    " AND c.relnamespace = pg_catalog.to_regnamespace(pg_catalog.quote_ident(pg_catalog.current_schema()))"
    " ORDER BY c.relname COLLATE \"C\", a.attnum"};

typedef struct seen {
  const char *table, *column, *type;
  int64_t key;
} seen;

typedef struct sight {
  seen *columns;
  size_t count, room;
} sight;

static bool keep(sight *to, st_arena *arena, const seen *column) {
  if (to->count == to->room) {
    size_t room = to->room ? to->room * 2 : 256;
    seen *more = st_arena_alloc(arena, room * sizeof *more);
    if (!more) return false;
    if (to->count) memcpy(more, to->columns, to->count * sizeof *more);
    to->columns = more;
    to->room = room;
  }
  to->columns[to->count++] = *column;
  return true;
}

static const char *text_at(st_prepared *prepared, size_t column, st_arena *arena) {
  st_value value;
  prepared->conn->driver->column(prepared, column, &value);
  return value.type == ST_TEXT ? st_arena_copy(arena, value.bytes, value.length) : "";
}

static stele_status see(const st_opened *opened, st_arena *arena, sight *out) {
  const st_driver *driver = opened->driver;
  st_prepared *prepared = NULL;
  st_value key;
  stele_status status = driver->prepare(opened->conn, SEE[driver->engine], &prepared);
  if (status == STELE_OK) status = driver->start(prepared, NULL, 0);
  while (status == STELE_OK && (status = driver->step(prepared)) == STELE_ROW) {
    seen column = {text_at(prepared, 0, arena), text_at(prepared, 1, arena), text_at(prepared, 2, arena), 0};
    driver->column(prepared, 3, &key);
    column.key = key.integer;
    bool kept = column.table && column.column && column.type && keep(out, arena, &column);
    status = kept ? STELE_OK : st_conn_fail(opened->conn, STELE_NOMEM, "out of memory");
  }
  driver->finalize(prepared);
  return status == STELE_DONE ? STELE_OK : status;
}

/* ---- What is the store's to make, on each engine in its own way ---- */

static bool is_derived(const st_store *store, const char *table, const char *column) {
  for (uint16_t i = 0; i < store->nderived; i++) {
    const st_derived *each = &store->derived[i];
    if (strcmp(each->table, table) != 0) continue;
    if (!each->column ? !column : column && strcmp(each->column, column) == 0) return true;
  }
  return false;
}

/* Its version is told by each engine in its own place. */
static bool is_mark(const st_store *store, const char *table) {
  return strcmp(table, "stele_meta") == 0 || strcmp(table, ST_COPYING) == 0 || strcmp(table, ST_COPIED) == 0 ||
         (store->mark == ST_MARK_TABLE && strcmp(table, store->mark_table) == 0);
}

/* The name that a column of the source has in a target of ours. */
static const char *name_in_target(const st_opened *source, const char *table, const char *column) {
  for (uint16_t i = 0; i < source->store->nrenamed; i++) {
    const st_renamed *each = &source->store->renamed[i];
    bool other = source->conn->renamed >> i & 1;
    if (other && strcmp(each->table, table) == 0 && strcmp(each->also, column) == 0) return each->name;
  }
  return column;
}

static st_copy_form form_of(const char *type) {
  if (strncmp(type, "timestamp", 9) == 0) return ST_COPY_TIME;
  return strcmp(type, "jsonb") == 0 ? ST_COPY_JSON : ST_COPY_PLAIN;
}

/* ---- The plan ---- */

static const seen *find(const sight *in, const char *table, const char *column) {
  for (size_t i = 0; i < in->count; i++) {
    const seen *each = &in->columns[i];
    if (strcmp(each->table, table) == 0 && (!column || strcmp(each->column, column) == 0)) return each;
  }
  return NULL;
}

static void object(st_copy_plan *plan, st_copy_table *table, const char *format, const char *name) {
  char why[200];
  snprintf(why, sizeof why, format, name);
  table->problem = st_arena_copy(plan->arena, why, strlen(why));
  if (!table->problem) table->problem = "it is not the same in the target";
}

static void match(st_copy_plan *plan, st_copy_table *table, const seen *from, const sight *target) {
  const char *name = name_in_target(plan->source, from->table, from->column);
  const seen *to = find(target, from->table, name);
  if (is_derived(plan->source->store, from->table, from->column)) return;
  if (!to) {
    object(plan, table, "the target's has no column %.100s", name);
    return;
  }
  if (from->key != to->key) object(plan, table, "its key is another one in the target: column %.100s", name);
  if (from->key) {
    table->keys[from->key - 1] = table->ncolumns;
    table->nkeys++;
  }
  st_copy_form form = form_of(from->type);
  if (form == ST_COPY_PLAIN) form = form_of(to->type);
  table->columns[table->ncolumns++] = (st_copy_column){from->column, name, {from->type, to->type}, form};
}

static st_copy_table *plan_table(st_copy_plan *plan, const seen *from, size_t count, const sight *target) {
  st_copy_table *table = st_arena_zero(plan->arena, sizeof *table);
  if (!table) return NULL;
  table->name = from->table;
  table->columns = st_arena_zero(plan->arena, count * sizeof *table->columns);
  table->keys = st_arena_zero(plan->arena, count * sizeof *table->keys);
  if (!table->columns || !table->keys) return NULL;
  if (!find(target, from->table, NULL)) {
    table->foreign = true;
    return table;
  }
  for (size_t i = 0; i < count; i++) match(plan, table, &from[i], target);
  if (table->nkeys == 0) table->problem = "it has no key";
  return table;
}

stele_status st_copy_plan_make(st_copy_plan *plan, const st_opened **whose) {
  sight source = {0}, target = {0};
  st_copy_table **end = &plan->tables;
  *whose = plan->source;
  stele_status status = see(plan->source, plan->arena, &source);
  if (status != STELE_OK) return status;
  *whose = plan->target;
  status = see(plan->target, plan->arena, &target);
  for (size_t at = 0, count; status == STELE_OK && at < source.count; at += count) {
    const seen *first = &source.columns[at];
    for (count = 1; at + count < source.count && strcmp(first[count].table, first->table) == 0;) count++;
    if (is_derived(plan->source->store, first->table, NULL) || is_mark(plan->source->store, first->table)) continue;
    *end = plan_table(plan, first, count, &target);
    if (!*end) return st_conn_fail(plan->target->conn, STELE_NOMEM, "out of memory");
    end = &(*end)->next;
  }
  return status;
}
