/* salvage_schema.c - the tables of a damaged file: see salvage.h. */
#include <string.h>

#include "engine/salvage.h"
#include "engine/sqlite_driver.h"

enum { TYPE, NAME, TABLE, ROOT, SQL, SCHEMA_COLUMNS };

static const char *copy(st_salvage *s, const st_field *field) {
  return field->type == ST_FIELD_TEXT ? st_call_copy(s->call, (const char *)field->bytes, (size_t)field->length) : NULL;
}

static bool is_kind(const st_field *field) {
  static const char *const kinds[] = {"table", "index", "trigger", "view"};
  for (size_t i = 0; field->type == ST_FIELD_TEXT && i < sizeof kinds / sizeof *kinds; i++)
    if (field->length == strlen(kinds[i]) && memcmp(field->bytes, kinds[i], (size_t)field->length) == 0) return true;
  return false;
}

static bool is_definition(const st_field *fields, int count) {
  return count == SCHEMA_COLUMNS && is_kind(&fields[TYPE]) && fields[NAME].type == ST_FIELD_TEXT && fields[TABLE].type == ST_FIELD_TEXT &&
         (fields[ROOT].type == ST_FIELD_INT || fields[ROOT].type == ST_FIELD_NULL);
}

static const st_definition *find(const st_salvage *s, const char *name) {
  for (size_t i = 0; i < s->nschema; i++)
    if (strcmp(s->schema[i].name, name) == 0) return &s->schema[i];
  return NULL;
}

static void add(st_salvage *s, st_definition found) {
  if (!st_ok(s->call) || find(s, found.name)) return;
  st_definition *more = st_call_alloc(s->call, (s->nschema + 1) * sizeof *more);
  if (!more) return;
  if (s->nschema) memcpy(more, s->schema, s->nschema * sizeof *more);
  more[s->nschema++] = found;
  s->schema = more;
}

static bool add_row(st_salvage *s, st_salvaged *table, int64_t rowid, const st_field *fields, int count) {
  (void)table, (void)rowid;
  if (!is_definition(fields, count)) return false;
  int64_t root = fields[ROOT].type == ST_FIELD_INT ? fields[ROOT].integer : 0;
  add(s, (st_definition){.type = copy(s, &fields[TYPE]), .name = copy(s, &fields[NAME]), .table = copy(s, &fields[TABLE]),
                         .sql = copy(s, &fields[SQL]), .root = root > 0 && root <= s->pages.count ? (uint32_t)root : 0});
  return true;
}

/* A leaf that nothing led to, of which every row is a definition. */
static bool is_row(st_salvage *s, st_salvaged *table, int64_t rowid, const st_field *fields, int count) {
  (void)s, (void)table, (void)rowid;
  return is_definition(fields, count);
}

static void take_leaf(st_salvage *s, const st_tree_page *page) {
  st_salvaged none = {.name = "sqlite_schema"};
  s->looking = true;
  st_leaf_rows rows = st_salvage_leaf(s, page, &none, is_row);
  s->looking = false;
  if (!rows.taken || rows.misfits) return;
  s->seen[page->number] = 1;
  st_salvage_leaf(s, page, &none, add_row);
}

/* Where the file tells nothing at all, its roots are where those of a new one are; rows that do not fit are not taken. */
static void add_fresh_row(st_salvage *s, sqlite3_stmt *stmt, bool nothing) {
  const char *texts[SCHEMA_COLUMNS];
  for (int i = 0; i < SCHEMA_COLUMNS; i++) {
    const char *text = i == ROOT ? NULL : (const char *)sqlite3_column_text(stmt, i);
    texts[i] = text ? st_call_copy(s->call, text, strlen(text)) : NULL;
  }
  if (sqlite3_errcode(sqlite3_db_handle(stmt)) != SQLITE_ROW) return; /* no memory for a text: the next step says so */
  uint32_t root = nothing ? (uint32_t)sqlite3_column_int64(stmt, ROOT) : 0;
  add(s, (st_definition){texts[TYPE], texts[NAME], texts[TABLE], texts[SQL], root <= s->pages.count ? root : 0});
}

/* What a new store has, in the order in which it is made. */
static void add_fresh(st_salvage *s, const st_opened *store) {
  st_opened fresh = st_opened_apart(store, false);
  sqlite3_stmt *stmt = NULL;
  bool nothing = s->nschema == 0;
  fresh.driver = &st_driver_sqlite;
  fresh.target.location = fresh.location = (char *)":memory:";
  fresh.target.in_home = true;
  fresh.schema = NULL;
  st_opening opening = {.error = s->call->error};
  if (!st_opened_connect(&fresh, &opening)) return;
  sqlite3 *db = ((st_sqlite *)fresh.conn)->db;
  int code = sqlite3_prepare_v2(db, "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master ORDER BY rowid", -1, &stmt, NULL);
  while (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    add_fresh_row(s, stmt, nothing);
    code = SQLITE_OK;
  }
  if (code != SQLITE_DONE) st_fail(s->call, st_sqlite_status(code), NULL, "a new store: %s", sqlite3_errstr(code));
  sqlite3_finalize(stmt);
  st_opened_close(&fresh);
}

void st_salvage_schema(st_salvage *s, const st_opened *store) {
  st_salvaged schema = {.name = "sqlite_schema", .root = 1};
  st_salvage_tree(s, &schema, add_row);
  if (!schema.ngaps || !st_ok(s->call)) return;
  st_salvage_orphans(s, take_leaf);
  if (st_ok(s->call)) add_fresh(s, store);
}
