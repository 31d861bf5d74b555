/* salvage_table.c - the new file of a salvage: its tables, its rows, and then the rest of its schema.  See salvage.h. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/salvage.h"
#include "engine/sqlite_driver.h"

/* Fail with what SQLite says; false. */
static bool failed(st_salvage *s) {
  st_fail(s->call, st_sqlite_status(sqlite3_extended_errcode(s->db)), NULL, "the new file: %s", sqlite3_errmsg(s->db));
  return false;
}

/* The same for a text that SQLite had no memory to make. */
static bool no_memory(st_salvage *s) {
  st_fail(s->call, STELE_NOMEM, NULL, "out of memory");
  return false;
}

bool st_salvage_sql(st_salvage *s, const char *sql) {
  return st_ok(s->call) && (sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || failed(s));
}

/* ---- What is made when ---- */

static bool is_virtual(const st_definition *d) { return d->sql && strncasecmp(d->sql, "CREATE VIRTUAL", strlen("CREATE VIRTUAL")) == 0; }

/* A table in which a full-text table keeps what it has: derived. */
static bool is_shadow(const st_salvage *s, const char *name) {
  static const char *const kinds[] = {"_data", "_idx", "_content", "_docsize", "_config"};
  for (size_t i = 0; i < s->nschema; i++) {
    size_t length = strlen(s->schema[i].name);
    if (!is_virtual(&s->schema[i]) || strncmp(name, s->schema[i].name, length) != 0) continue;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
      if (strcmp(name + length, kinds[k]) == 0) return true;
  }
  return false;
}

static bool is_own(const st_salvage *s, const st_definition *d) {
  return d->sql && strncmp(d->name, "sqlite_", strlen("sqlite_")) != 0 && !is_shadow(s, d->name);
}

static bool is_table(const st_salvage *s, const st_definition *d) { return strcmp(d->type, "table") == 0 && is_own(s, d) && !is_virtual(d); }

/* It puts what is inserted into a full-text table: with it, those fill by themselves. */
static bool fills_texts(const st_salvage *s, const st_definition *d) {
  if (strcmp(d->type, "trigger") != 0 || !d->sql || !strcasestr(d->sql, "AFTER INSERT")) return false;
  for (size_t i = 0; i < s->nschema; i++)
    if (is_virtual(&s->schema[i]) && strcasestr(d->sql, s->schema[i].name)) return true;
  return false;
}

/* A definition that is damaged makes nothing; what depends on it is told as lost. */
static void make(st_salvage *s, const st_definition *d) {
  if (!st_ok(s->call) || sqlite3_exec(s->db, d->sql, NULL, NULL, NULL) == SQLITE_OK) return;
  if (sqlite3_errcode(s->db) != SQLITE_ERROR) failed(s);
  else st_note(s->call, "the %s %.100s could not be made: %.200s", d->type, d->name, sqlite3_errmsg(s->db));
}

/* ---- What a table is ---- */

static bool contains(const char *type, const char *part) { return strcasestr(type, part) != NULL; }

/* By SQLite's rules. */
static char affinity_of(const char *type) {
  if (contains(type, "INT")) return 'i';
  if (contains(type, "CHAR") || contains(type, "CLOB") || contains(type, "TEXT")) return 't';
  if (!*type || contains(type, "BLOB")) return 'b';
  return contains(type, "REAL") || contains(type, "FLOA") || contains(type, "DOUB") ? 'r' : 'n';
}

static bool ask(st_salvage *s, const char *sql, const char *table, sqlite3_stmt **out) {
  if (!st_ok(s->call)) return false;
  if (sqlite3_prepare_v2(s->db, sql, -1, out, NULL) != SQLITE_OK || sqlite3_bind_text(*out, 1, table, -1, SQLITE_STATIC) != SQLITE_OK) return failed(s);
  return true;
}

/* Of a table without row numbers the columns of its key come first. */
static const char *const COLUMNS =
    "SELECT c.name, c.type, c.\"notnull\", c.pk, l.wr, (SELECT count(*) FROM pragma_table_xinfo(?1) WHERE pk > 0) AS keys "
    "FROM pragma_table_xinfo(?1) AS c JOIN pragma_table_list(?1) AS l ON l.schema = 'main' "
    "ORDER BY CASE WHEN l.wr AND c.pk > 0 THEN c.pk ELSE 1000 + c.cid END";

static void describe(st_salvage *s, st_salvaged *table) {
  sqlite3_stmt *stmt = NULL;
  table->alias = -1;
  table->lost = -1;
  if (!ask(s, COLUMNS, table->name, &stmt)) return;
  while (sqlite3_step(stmt) == SQLITE_ROW && table->columns < ST_COLUMNS_MAX) {
    int i = table->columns++;
    const char *name = (const char *)sqlite3_column_text(stmt, 0), *type = (const char *)sqlite3_column_text(stmt, 1);
    table->names[i] = st_call_copy(s->call, name ? name : "", name ? strlen(name) : 0);
    table->affinity[i] = affinity_of(type ? type : "");
    table->without_rowid = sqlite3_column_int(stmt, 4) != 0;
    bool key = sqlite3_column_int(stmt, 3) > 0;
    table->required[i] = sqlite3_column_int(stmt, 2) != 0 || (key && table->without_rowid);
    if (key && !table->without_rowid && sqlite3_column_int(stmt, 5) == 1 && type && strcasecmp(type, "INTEGER") == 0) table->alias = i;
  }
  if (sqlite3_finalize(stmt) != SQLITE_OK) failed(s); /* a table of which some columns are known takes no rows */
}

void st_salvage_create(st_salvage *s, const st_opened *store) {
  char sql[200];
  st_salvage_sql(s, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  for (const char *const *pragma = store->store->pragmas; *pragma; pragma++) {
    if (strncmp(*pragma, "auto_vacuum", strlen("auto_vacuum")) != 0) continue;
    snprintf(sql, sizeof sql, "PRAGMA %s", *pragma);
    st_salvage_sql(s, sql);
  }
  st_salvage_sql(s, "BEGIN");
  s->tables = st_call_alloc(s->call, (s->nschema + 1) * sizeof *s->tables);
  for (size_t i = 0; i < s->nschema && st_ok(s->call); i++) {
    if (!is_table(s, &s->schema[i])) continue;
    make(s, &s->schema[i]);
    st_salvaged *table = &s->tables[s->ntables++];
    *table = (st_salvaged){.name = s->schema[i].name, .root = s->schema[i].root};
    describe(s, table);
    if (!table->columns) s->ntables--; /* it could not be made */
  }
  for (size_t i = 0; i < s->nschema; i++)
    if (is_virtual(&s->schema[i])) make(s, &s->schema[i]);
  for (size_t i = 0; i < s->nschema; i++)
    if (fills_texts(s, &s->schema[i])) make(s, &s->schema[i]);
}

/* ---- Rows ---- */

/* How well a record fits a table: the number of values that are of their column's type; -1: it cannot be one of its rows. */
static int fit(const st_salvaged *table, const st_field *fields, int count) {
  int score = 0;
  if (count < 1 || count > table->columns) return -1;
  for (int i = 0; i < count; i++) {
    int type = fields[i].type;
    char affinity = table->affinity[i];
    if (i == table->alias && type != ST_FIELD_NULL) return -1;
    if (i != table->alias && table->required[i] && type == ST_FIELD_NULL) return -1;
    if ((affinity == 't' && (type == ST_FIELD_INT || type == ST_FIELD_REAL)) || (affinity == 'r' && type == ST_FIELD_TEXT)) return -1;
    score += (affinity == 't' && type == ST_FIELD_TEXT) || (affinity == 'i' && type == ST_FIELD_INT) ||
             (affinity == 'r' && (type == ST_FIELD_REAL || type == ST_FIELD_INT)) || (affinity == 'b' && type == ST_FIELD_BLOB);
  }
  return score + (count == table->columns); /* records are as long as the table was when they were written */
}

/* INSERT OR IGNORE INTO t (rowid, a, b) VALUES (?, ?, ?), for the columns that the record has: the others get their defaults. */
static bool prepare(st_salvage *s, st_salvaged *table, int count) {
  sqlite3_str *sql = sqlite3_str_new(s->db);
  bool numbered = !table->without_rowid && table->alias < 0;
  sqlite3_str_appendf(sql, "INSERT OR IGNORE INTO \"%w\" (%s", table->name, numbered ? "_rowid_" : "");
  for (int i = 0; i < count; i++) sqlite3_str_appendf(sql, "%s\"%w\"", i || numbered ? ", " : "", table->names[i]);
  sqlite3_str_appendall(sql, ") VALUES (");
  for (int i = 0; i < count + numbered; i++) sqlite3_str_appendall(sql, i ? ", ?" : "?");
  sqlite3_str_appendall(sql, ")");
  char *text = sqlite3_str_finish(sql);
  sqlite3_finalize(table->insert);
  table->insert = NULL;
  table->fields = count;
  if (!text) return no_memory(s);
  int code = sqlite3_prepare_v2(s->db, text, -1, &table->insert, NULL);
  sqlite3_free(text);
  return code == SQLITE_OK || failed(s);
}

static void bind(sqlite3_stmt *stmt, int at, const st_field *field) {
  switch (field->type) {
    case ST_FIELD_NULL: sqlite3_bind_null(stmt, at); break;
    case ST_FIELD_INT: sqlite3_bind_int64(stmt, at, field->integer); break;
    case ST_FIELD_REAL: sqlite3_bind_double(stmt, at, field->real); break;
    case ST_FIELD_TEXT: sqlite3_bind_text64(stmt, at, (const char *)field->bytes, field->length, SQLITE_STATIC, SQLITE_UTF8); break;
    case ST_FIELD_BLOB: sqlite3_bind_blob64(stmt, at, field->length ? (const void *)field->bytes : "", field->length, SQLITE_STATIC); break;
  }
}

/* Keep a row; a row that breaks the table's rules is counted. */
static bool keep(st_salvage *s, st_salvaged *table, int64_t rowid, const st_field *fields, int count) {
  bool numbered = !table->without_rowid && table->alias < 0;
  if (fit(table, fields, count) < 0) return false;
  if ((!table->insert || table->fields != count) && !prepare(s, table, count)) return false;
  if (numbered) sqlite3_bind_int64(table->insert, 1, rowid);
  for (int i = 0; i < count; i++) bind(table->insert, 1 + numbered + i, &fields[i]);
  if (table->alias >= 0 && table->alias < count) sqlite3_bind_int64(table->insert, 1 + table->alias, rowid);
  int before = sqlite3_total_changes(s->db);
  int code = sqlite3_step(table->insert);
  bool taken = code == SQLITE_DONE && sqlite3_total_changes(s->db) > before;
  bool broke = code == SQLITE_DONE || (code & 0xff) == SQLITE_CONSTRAINT || (code & 0xff) == SQLITE_MISMATCH || (code & 0xff) == SQLITE_TOOBIG;
  if (!taken && !broke) failed(s);
  sqlite3_reset(table->insert);
  sqlite3_clear_bindings(table->insert);
  table->rows += taken;
  table->refused += !taken && broke;
  return true;
}

/* ---- Leaves that nothing led to ---- */

static bool in_gap(const st_salvaged *table, int64_t first, int64_t last) {
  for (size_t i = 0; i < table->ngaps; i++)
    if (first >= table->gaps[i].after && last <= table->gaps[i].upto) return true;
  return false;
}

/* The damaged page that it hung on, as the pointer map tells it. */
static bool hangs_on(const st_salvage *s, const st_salvaged *table, uint32_t number) {
  uint32_t parent = st_pages_parent(&s->pages, number);
  for (size_t i = 0; parent && i < table->ngaps; i++)
    if (table->gaps[i].page == parent) return true;
  return false;
}

static bool add_score(st_salvage *s, st_salvaged *table, int64_t rowid, const st_field *fields, int count) {
  (void)s, (void)rowid;
  int fits = fit(table, fields, count);
  for (int i = 0; i < count && fits >= 0; i++) /* SQLite would keep such a value, but hardly anybody writes one */
    if (fields[i].type == ST_FIELD_BLOB && table->affinity[i] != 'b') fits = -1;
  if (fits < 0) return false;
  table->score += fits;
  return true;
}

/* How well a leaf fits a table; -1: it cannot be one of its. */
static int judge(st_salvage *s, const st_tree_page *page, st_salvaged *table) {
  st_cell first, last;
  if (table->without_rowid || !st_tree_cell(&s->pages, page, 0, &first) || !st_tree_cell(&s->pages, page, page->cells - 1, &last)) return -1;
  if (!in_gap(table, first.rowid, last.rowid)) return -1;
  if (hangs_on(s, table, page->number)) return INT_MAX;
  table->score = 0;
  s->looking = true;
  st_leaf_rows rows = st_salvage_leaf(s, page, table, add_score);
  s->looking = false;
  return rows.taken && !rows.misfits ? table->score : -1;
}

/* Two tables that it fits equally well: it is nobody's. */
static void take_leaf(st_salvage *s, const st_tree_page *page) {
  st_salvaged *best = NULL;
  int most = -1;
  bool tie = false;
  for (size_t i = 0; i < s->ntables; i++) {
    int fits = judge(s, page, &s->tables[i]);
    if (fits < 0 || fits < most) continue;
    tie = fits == most;
    most = fits;
    best = &s->tables[i];
  }
  if (best && !tie) {
    s->seen[page->number] = 1;
    st_salvage_leaf(s, page, best, keep);
  } else {
    s->unplaced += tie;
  }
}

/* ---- What is known to be lost ---- */

/* The last field of an index's record is the number of the row. */
static bool note_lost(st_salvage *s, st_salvaged *table, int64_t rowid, const st_field *fields, int count) {
  (void)table, (void)rowid;
  if (count < 2 || fields[count - 1].type != ST_FIELD_INT) return false;
  sqlite3_bind_int64(s->missing, 1, fields[count - 1].integer);
  int code = sqlite3_step(s->missing);
  sqlite3_reset(s->missing);
  if (code != SQLITE_DONE) failed(s);
  return true;
}

/* Rows that an index of the damaged file names, and that were not found; a row that several name counts once. */
static void count_lost(st_salvage *s, st_salvaged *table) {
  int64_t refused = table->refused, pages = table->pages;
  char *sql = sqlite3_mprintf("INSERT OR IGNORE INTO temp.lost SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM \"%w\" WHERE _rowid_ = ?1)", table->name);
  if (!sql) no_memory(s);
  st_salvage_sql(s, "CREATE TEMP TABLE IF NOT EXISTS lost (id INTEGER PRIMARY KEY); DELETE FROM temp.lost");
  if (st_ok(s->call) && sqlite3_prepare_v2(s->db, sql, -1, &s->missing, NULL) != SQLITE_OK) failed(s);
  for (size_t i = 0; i < s->nschema && st_ok(s->call); i++) {
    const st_definition *d = &s->schema[i];
    if (strcmp(d->type, "index") != 0 || !d->root || strcmp(d->table, table->name) != 0) continue;
    st_salvage_index(s, table, d->root, note_lost);
    table->lost = 0;
  }
  sqlite3_finalize(s->missing);
  s->missing = NULL;
  sqlite3_free(sql);
  table->refused = refused; /* what is damaged of an index is not lost */
  table->pages = pages;
  if (table->lost < 0 || !st_ok(s->call)) return;
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(s->db, "SELECT count(*) FROM temp.lost", -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  if (code == SQLITE_ROW) table->lost = sqlite3_column_int64(stmt, 0);
  else failed(s);
  sqlite3_finalize(stmt);
}

/* ---- Tables that are not among those of the new file ---- */

/* A number that was given is not given again, though its row may be gone. */
static bool keep_sequence(st_salvage *s, st_salvaged *table, int64_t rowid, const st_field *fields, int count) {
  static const char *const forms[] = {"UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1",
                                      "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)"};
  (void)table, (void)rowid;
  if (count != 2 || fields[0].type != ST_FIELD_TEXT || fields[1].type != ST_FIELD_INT) return false;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(s->db, forms[i], -1, &stmt, NULL);
    if (code == SQLITE_ERROR) return true; /* no table of the new file has any */
    if (code != SQLITE_OK) return failed(s);
    bind(stmt, 1, &fields[0]);
    bind(stmt, 2, &fields[1]);
    if (sqlite3_step(stmt) != SQLITE_DONE) failed(s);
    sqlite3_finalize(stmt);
  }
  return true;
}

static bool drop(st_salvage *s, st_salvaged *table, int64_t rowid, const st_field *fields, int count) {
  (void)s, (void)table, (void)rowid, (void)fields, (void)count;
  return true;
}

static bool is_made(const st_salvage *s, const char *name) {
  for (size_t i = 0; i < s->ntables; i++)
    if (strcmp(s->tables[i].name, name) == 0) return true;
  return false;
}

/* What is derived, and what could not be made: their pages are nobody else's. */
static void take_others(st_salvage *s) {
  for (size_t i = 0; i < s->nschema && st_ok(s->call); i++) {
    const st_definition *d = &s->schema[i];
    st_salvaged other = {.name = d->name, .root = d->root};
    if (d->root && strcmp(d->type, "table") == 0 && !is_made(s, d->name))
      st_salvage_tree(s, &other, strcmp(d->name, "sqlite_sequence") == 0 ? keep_sequence : drop);
  }
}

void st_salvage_rows(st_salvage *s) {
  bool damaged = false;
  for (size_t i = 0; i < s->ntables && st_ok(s->call); i++) {
    st_salvaged *table = &s->tables[i];
    if (table->without_rowid && table->root) st_salvage_index(s, table, table->root, keep);
    else if (table->root) st_salvage_tree(s, table, keep);
    else st_salvage_gap(s, table, (st_gap){INT64_MIN, INT64_MAX, 0});
    damaged = damaged || table->ngaps;
  }
  if (st_ok(s->call)) take_others(s);
  if (damaged) st_salvage_orphans(s, take_leaf);
  for (size_t i = 0; i < s->ntables && st_ok(s->call); i++) {
    st_salvaged *table = &s->tables[i];
    if (!table->ngaps && !table->pages) table->lost = 0;
    else if (!table->without_rowid) count_lost(s, table);
  }
}

/* ---- The rest ---- */

void st_salvage_finish(st_salvage *s) {
  for (size_t i = 0; i < s->ntables; i++) sqlite3_finalize(s->tables[i].insert);
  for (size_t i = 0; i < s->ntables; i++) s->tables[i].insert = NULL;
  for (size_t i = 0; i < s->nschema && st_ok(s->call); i++) {
    const st_definition *d = &s->schema[i];
    if (strcmp(d->type, "table") != 0 && is_own(s, d) && !fills_texts(s, d)) make(s, d);
  }
  st_salvage_sql(s, "COMMIT");
}
