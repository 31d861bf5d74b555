/* plans_sqlite.c - the SQLite half of plans.c: statements are run, and their steps counted. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "engine/sqlite_driver.h"
#include "scale/plans.h"

#define SQL_MAX (1u << 20)
#define STEPS_PER_ROW 250 /* of the answer, with all that is looked up for it */

static sqlite3 *db_of(const st_opened *opened) { return ((st_sqlite *)opened->conn)->db; }

static void run(st_opened *opened, const char *sql) {
  char *message = NULL;
  if (sqlite3_exec(db_of(opened), sql, NULL, NULL, &message) != SQLITE_OK) {
    point(false, "sqlite", opened->store->name);
    printf("# %s: %s\n", sql, message);
  }
  sqlite3_free(message);
}

/* Run the statements that a query answers. */
static void run_each(st_opened *opened, const char *query) {
  sqlite3_stmt *stmt = NULL;
  st_str all;
  st_str_init(&all, SQL_MAX);
  sqlite3_prepare_v2(db_of(opened), query, -1, &stmt, NULL);
  while (stmt && sqlite3_step(stmt) == SQLITE_ROW) st_str_addf(&all, "%s;\n", (const char *)sqlite3_column_text(stmt, 0));
  sqlite3_finalize(stmt);
  run(opened, all.length ? all.text : "");
  st_str_free(&all);
}

/* What a column gets: a value of its own in every row where it is the last of a unique key, else one of VALUES, and where it
** may be, nothing in half of the rows.  What refers to a row of its own table does so in chains that end. */
#define IS_OWN                                                                                                            \
  "((c.pk > 0 AND c.pk = (SELECT MAX(k.pk) FROM pragma_table_info(%Q) AS k)) OR EXISTS (SELECT 1 FROM pragma_index_list(%Q) AS l " \
  "WHERE l.\"unique\" AND c.name = (SELECT i.name FROM pragma_index_info(l.name) AS i ORDER BY i.seqno DESC LIMIT 1)))"
#define VALUE_OF                                                                                                          \
  "CASE WHEN " IS_OWN " THEN iif(c.type IN ('TEXT', ''), ''''' || n', 'n') "                                             \
  "ELSE iif(c.\"notnull\" OR c.pk, '', 'CASE WHEN n %% 4 < 2 THEN ') || iif(c.type IN ('TEXT', ''), ''''' || ', '') "            \
  "|| '(n %% " TEXT_OF(VALUES) " + 1)' || iif(c.\"notnull\" OR c.pk, '', ' END') END"

static void fill_table(st_opened *opened, const char *table) {
  char *query = sqlite3_mprintf(
      "SELECT 'INSERT INTO %w(' || group_concat('\"' || c.name || '\"', ', ') || ') WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL "
      "SELECT n + 1 FROM counted WHERE n < %d) SELECT ' || group_concat(" VALUE_OF ", ', ') || ' FROM counted' "
      "FROM pragma_table_xinfo(%Q) AS c WHERE c.hidden = 0",
      table, ROWS, table, table, table);
  if (query) run_each(opened, query);
  sqlite3_free(query);
}

void fill_sqlite(st_opened *opened) {
  sqlite3_stmt *stmt = NULL;
  run(opened, "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
  run_each(opened, "SELECT 'DROP TRIGGER ' || name FROM sqlite_schema WHERE type = 'trigger'");
  run(opened, "BEGIN");
  sqlite3_prepare_v2(db_of(opened),
                     "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'", -1,
                     &stmt, NULL);
  while (stmt && sqlite3_step(stmt) == SQLITE_ROW) {
    const char *table = (const char *)sqlite3_column_text(stmt, 0);
    if (!stays_small(opened->store, table)) fill_table(opened, table);
  }
  sqlite3_finalize(stmt);
  run(opened, "COMMIT");
}

static void bind(sqlite3_stmt *stmt, int at, const stele_field *param) {
  bool text = param->type != STELE_TYPE_INT && param->type != STELE_TYPE_REAL && param->type != STELE_TYPE_BOOL;
  if (param->flags & STELE_LIST)
    sqlite3_bind_text(stmt, at, text ? "[\"" SOME_VALUE "\"]" : "[" SOME_VALUE "]", -1, SQLITE_STATIC);
  else if (is_limit(param))
    sqlite3_bind_int(stmt, at, ASKED_FOR);
  else if (text)
    sqlite3_bind_text(stmt, at, SOME_VALUE, -1, SQLITE_STATIC);
  else
    sqlite3_bind_int(stmt, at, 17);
}

static void tell_plan(const subject *s) {
  sqlite3_stmt *stmt = NULL;
  st_str sql;
  st_str_init(&sql, SQL_MAX);
  st_str_addf(&sql, "EXPLAIN QUERY PLAN %s", s->sql);
  sqlite3_prepare_v2(db_of(s->opened), sql.text, -1, &stmt, NULL);
  while (stmt && sqlite3_step(stmt) == SQLITE_ROW) complain(s, "  %s", (const char *)sqlite3_column_text(stmt, 3));
  sqlite3_finalize(stmt);
  st_str_free(&sql);
}

void check_sqlite_plan(const subject *s) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(db_of(s->opened), s->sql, -1, &stmt, NULL), rows = 0;
  for (int i = 0; i < s->variant->nparams; i++) bind(stmt, i + 1, &s->method->public.params[s->variant->params[i]]);
  while (code == SQLITE_OK || code == SQLITE_ROW) rows += (code = sqlite3_step(stmt)) == SQLITE_ROW;
  int steps = sqlite3_stmt_status(stmt, SQLITE_STMTSTATUS_VM_STEP, 0);
  if (code != SQLITE_DONE) complain(s, "%s", sqlite3_errmsg(db_of(s->opened)));
  if (steps >= ROWS + STEPS_PER_ROW * rows || code != SQLITE_DONE) {
    complain(s, "%d steps for %d rows:", steps, rows);
    tell_plan(s);
  }
  sqlite3_finalize(stmt);
}
