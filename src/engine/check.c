/* check.c - see check.h. */
#include "engine/check.h"

#include <stdio.h>
#include <string.h>

#include "engine/handle.h"

/* ---- Rows ---- */

typedef struct counting {
  st_call *call;
  char told[300]; /* "messages 12, sessions 3" */
  int64_t tables, rows;
} counting;

/* SELECT count(*) FROM "name"; NULL: no memory. */
static const char *count_sql(st_call *call, const char *table) {
  static const char select[] = "SELECT count(*) FROM \"";
  char *out = st_call_alloc(call, sizeof select + 2 * strlen(table) + 1), *at = out;
  if (!out) return NULL;
  at = stpcpy(at, select);
  for (; *table; table++) {
    if (*table == '"') *at++ = '"';
    *at++ = *table;
  }
  stpcpy(at, "\"");
  return out;
}

static void tell_unread(st_call *call, const char *table) {
  st_doctor_line(call, ST_HEALTH_FAIL, "rows", "the rows of %.100s cannot be read: %s", table, call->store->conn->problem);
  st_doctor_cause(call, "its pages are damaged, or this role may not read it");
  st_doctor_fix(call, "the other lines of this store tell more; `stele repair %s --salvage` gets the rows of a damaged file out of it",
                call->store->store->name);
}

static void count_table(counting *c, const char *table) {
  const stele_db *db = c->call->db;
  char what[140];
  int64_t rows = 0;
  size_t used = strlen(c->told);
  snprintf(what, sizeof what, "counting %.100s", table);
  if (st_watch_stops(&(st_watch){db->progress, db->user}, what, c->tables, 0)) st_fail(c->call, STELE_CANCELLED, NULL, "the check was stopped");
  const char *sql = st_ok(c->call) ? count_sql(c->call, table) : NULL;
  if (!sql) return;
  stele_status status = st_conn_number(c->call->store->conn, sql, &rows);
  if (st_doctor_ended(c->call, status)) return;
  if (status != STELE_OK) tell_unread(c->call, table);
  c->tables++;
  c->rows += rows;
  if (rows && used + strlen(table) + 30 < sizeof c->told)
    snprintf(c->told + used, sizeof c->told - used, "%s%s %lld", used ? ", " : ": ", table, (long long)rows);
}

typedef struct table_list {
  st_call *call;
  const char **names;
  size_t count;
} table_list;

static void add_table(void *to, const char *type, const char *name, const char *table, const char *ddl) {
  table_list *list = to;
  (void)table, (void)ddl;
  if (strcmp(type, "table") != 0 || !st_ok(list->call)) return;
  const char **more = st_call_alloc(list->call, (list->count + 1) * sizeof *more);
  if (!more) return;
  if (list->count) memcpy(more, list->names, list->count * sizeof *more);
  more[list->count++] = st_call_copy(list->call, name, strlen(name));
  list->names = more;
}

void st_check_rows(st_call *call) {
  const st_opened *store = call->store;
  table_list list = {call, NULL, 0};
  counting c = {.call = call};
  stele_status status = store->driver->schema(store->conn, add_table, &list);
  if (st_doctor_ended(call, status) || status != STELE_OK) return; /* of a damaged file: that is told already */
  for (size_t i = 0; i < list.count && st_ok(call); i++) count_table(&c, list.names[i]);
  if (st_ok(call))
    st_doctor_line(call, ST_HEALTH_OK, "rows", "%lld row%s in %lld tables%s", (long long)c.rows, c.rows == 1 ? "" : "s", (long long)c.tables, c.told);
}

/* ---- PostgreSQL ---- */

/* The schema that amcheck's functions are in, quoted; "": it is not installed. */
static void find_amcheck(st_call *call, char out[200]) {
  st_inquiry inquiry;
  out[0] = '\0';
  st_inquire(&inquiry, call->store->conn,
             "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_namespace AS n ON n.oid = e.extnamespace "
             "WHERE e.extname = 'amcheck'", NULL);
  if (st_inquiry_next(&inquiry)) snprintf(out, 200, "%s", st_inquiry_text(&inquiry, 0));
  st_inquiry_end(call, &inquiry);
}

static void tell_indexes(st_call *call, const char *amcheck) {
  st_inquiry inquiry;
  char sql[800];
  int64_t checked = 0;
  snprintf(sql, sizeof sql,
           "SELECT %s.bt_index_check(i.indexrelid, true)::text FROM pg_catalog.pg_index AS i JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid "
           "JOIN pg_catalog.pg_am AS a ON a.oid = c.relam JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace "
           "WHERE a.amname = 'btree' AND i.indisvalid AND n.nspname = $1::text", amcheck);
  st_inquire(&inquiry, call->store->conn, sql, call->store->schema);
  while (st_inquiry_next(&inquiry)) checked++;
  st_inquiry_end(call, &inquiry);
  if (!st_ok(call)) return;
  if (inquiry.status == STELE_OK) {
    st_doctor_line(call, ST_HEALTH_OK, "integrity", "%lld indexes agree with their tables (amcheck)", (long long)checked);
    return;
  }
  bool denied = inquiry.status == STELE_DENIED;
  st_doctor_line(call, denied ? ST_HEALTH_WARN : ST_HEALTH_FAIL, "integrity", "%s: %s", denied ? "amcheck may not be used" : "damaged",
                 call->store->conn->problem);
  st_doctor_cause(call, denied ? "its functions are for superusers, unless granted" : "an index does not agree with its table, or a page is damaged");
  st_doctor_fix(call, denied ? "GRANT EXECUTE ON FUNCTION bt_index_check(regclass, boolean) TO the role"
                             : "REINDEX the table; if that fails, restore the server's own backup");
}

static void tell_references(st_call *call) {
  st_inquiry inquiry;
  int64_t open = 0;
  st_inquire(&inquiry, call->store->conn,
             "SELECT count(*) FROM pg_catalog.pg_constraint AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.connamespace "
             "WHERE n.nspname = $1::text AND NOT c.convalidated", call->store->schema);
  if (st_inquiry_next(&inquiry)) open = st_inquiry_int(&inquiry, 0);
  st_inquiry_end(call, &inquiry);
  if (!st_ok(call) || inquiry.status != STELE_OK) return;
  st_doctor_line(call, open ? ST_HEALTH_WARN : ST_HEALTH_OK, "references",
                 open ? "%lld rules were never checked for the rows that are there" : "every row has the row it refers to: %lld rules are unchecked",
                 (long long)open);
  if (!open) return;
  st_doctor_cause(call, "somebody added them as NOT VALID");
  st_doctor_fix(call, "ALTER TABLE ... VALIDATE CONSTRAINT each");
}

void st_check_postgres(st_call *call) {
  char amcheck[200];
  find_amcheck(call, amcheck);
  if (!st_ok(call)) return;
  if (amcheck[0]) tell_indexes(call, amcheck);
  else st_doctor_line(call, ST_HEALTH_OK, "integrity", "amcheck is not installed: the rows are read, the indexes are the server's word");
  if (st_ok(call)) tell_references(call);
}
