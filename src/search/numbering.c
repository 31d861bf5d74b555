/* numbering.c - see numbering.h. */
#include "search/numbering.h"

#include <stdio.h>
#include <string.h>

#include "search/index_file.h"

#define NUMBER_MAX INT32_MAX /* of a name: they are counted from 1 */
#define FIND_DOCUMENT "SELECT number FROM stele_docs WHERE kind = ?1 AND id = ?2"

/* ---- Names ---- */

#define FIND_NAME "SELECT number FROM %s WHERE name = ?1"

static sqlite3_stmt *prepare(st_index *index, const char *format, const char *table, int *code) {
  char sql[200];
  sqlite3_stmt *stmt = NULL;
  snprintf(sql, sizeof sql, format, table);
  *code = sqlite3_prepare_v2(index->db, sql, -1, &stmt, NULL);
  return stmt;
}

/* One number from a statement with a name bound; 0: none, or *code tells why. */
static uint32_t ask_number(sqlite3_stmt *stmt, st_slice name, int *code) {
  int64_t number = 0;
  if (*code == SQLITE_OK) *code = sqlite3_bind_text64(stmt, 1, name.bytes, name.length, SQLITE_STATIC, SQLITE_UTF8);
  if (*code != SQLITE_OK) return 0;
  *code = sqlite3_step(stmt);
  if (*code == SQLITE_ROW) {
    number = sqlite3_column_int64(stmt, 0);
    *code = number > 0 && number <= NUMBER_MAX ? SQLITE_OK : SQLITE_CORRUPT;
  }
  if (*code == SQLITE_DONE) *code = SQLITE_OK;
  sqlite3_reset(stmt);
  return *code == SQLITE_OK ? (uint32_t)number : 0;
}

/* In one transaction: locks for each of very many names would take longer than finding it. */
int st_index_numbers(st_index *index, const char *table, const st_slice *names, size_t count, uint32_t *out) {
  bool alone = count > 1 && sqlite3_get_autocommit(index->db);
  int code = alone ? st_index_script(index, "BEGIN") : SQLITE_OK, ended = SQLITE_OK;
  if (code != SQLITE_OK) return code;
  sqlite3_stmt *stmt = prepare(index, FIND_NAME, table, &code);
  for (size_t i = 0; i < count && code == SQLITE_OK; i++) out[i] = ask_number(stmt, names[i], &code);
  sqlite3_finalize(stmt);
  if (alone) ended = st_index_script(index, code == SQLITE_OK ? "COMMIT" : "ROLLBACK");
  return code == SQLITE_OK ? ended : code;
}

/* The number of a name, which it gets if it has none. */
static uint32_t give_number(st_index *index, const char *table, st_slice name, int *code) {
  uint32_t number = 0;
  *code = st_index_numbers(index, table, &name, 1, &number);
  if (number || *code != SQLITE_OK) return number;
  sqlite3_stmt *stmt = prepare(index, "INSERT INTO %s(name) VALUES (?1) RETURNING number", table, code);
  number = ask_number(stmt, name, code);
  sqlite3_finalize(stmt);
  return number;
}

/* A name and its number: documents of a session come together, and roles are few. */
typedef struct memo {
  st_slice name;
  uint32_t number;
} memo;

typedef struct numbering {
  st_index *index;
  memo session, project, roles[8];
  sqlite3_stmt *find, *add, *remove;
  int code;
} numbering;

static uint32_t number_of(numbering *n, memo *m, const char *table, const st_slice *name) {
  if (!name->bytes || n->code != SQLITE_OK) return 0;
  bool same = m->number && m->name.length == name->length && memcmp(m->name.bytes, name->bytes, name->length) == 0;
  if (!same) *m = (memo){*name, give_number(n->index, table, *name, &n->code)};
  return m->number;
}

/* ---- Documents ---- */

/* The number that a statement answers for a document. */
static int64_t ask(numbering *n, sqlite3_stmt *stmt, const st_entry *e) {
  int64_t number = 0;
  sqlite3_bind_int(stmt, 1, e->kind);
  sqlite3_bind_text64(stmt, 2, e->id.bytes, e->id.length, SQLITE_STATIC, SQLITE_UTF8);
  int code = sqlite3_step(stmt);
  if (code == SQLITE_ROW) number = sqlite3_column_int64(stmt, 0);
  if (code != SQLITE_ROW && code != SQLITE_DONE) n->code = sqlite3_extended_errcode(n->index->db);
  sqlite3_reset(stmt);
  return number;
}

static void number_document(numbering *n, st_entry *e) {
  if (!e->id.bytes) return;
  e->number = ask(n, n->find, e);
  if (e->gone && e->number) ask(n, n->remove, e);
  if (!e->gone && !e->number && n->code == SQLITE_OK) e->number = ask(n, n->add, e);
}

int st_index_number_all(st_index *index, st_parcel *parcel) {
  numbering n = {.index = index, .code = SQLITE_OK};
  static const char *const sql[] = {FIND_DOCUMENT, "INSERT INTO stele_docs (kind, id) VALUES (?1, ?2) RETURNING number",
                                    "DELETE FROM stele_docs WHERE kind = ?1 AND id = ?2"};
  sqlite3_stmt **const stmts[] = {&n.find, &n.add, &n.remove};
  for (int i = 0; i < 3 && n.code == SQLITE_OK; i++) n.code = sqlite3_prepare_v2(index->db, sql[i], -1, stmts[i], NULL);
  for (st_entry *e = parcel->first; e && n.code == SQLITE_OK; e = e->next) {
    number_document(&n, e);
    if (e->gone) continue;
    e->session_number = number_of(&n, &n.session, "stele_sessions", &e->session);
    e->project_number = number_of(&n, &n.project, "stele_projects", &e->project);
    e->role_number = number_of(&n, &n.roles[e->role.length % 8], "stele_roles", &e->role);
  }
  for (int i = 0; i < 3; i++) sqlite3_finalize(*stmts[i]);
  return n.code;
}

int st_index_document(st_index *index, st_arena *arena, int64_t number, uint16_t *kind, const char **id) {
  sqlite3_stmt *stmt = NULL;
  *kind = 0;
  int code = sqlite3_prepare_v2(index->db, "SELECT kind, id FROM stele_docs WHERE number = ?1", -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(stmt, 1, number);
  if (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    *id = st_arena_copy(arena, sqlite3_column_blob(stmt, 1), (size_t)sqlite3_column_bytes(stmt, 1));
    *kind = (uint16_t)sqlite3_column_int(stmt, 0);
    code = *id ? SQLITE_OK : SQLITE_NOMEM;
  }
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int64_t st_index_number_of(st_index *index, uint16_t kind, const char *id, size_t length, int *code) {
  numbering n = {.index = index, .code = SQLITE_OK};
  st_entry e = {.kind = kind, .id = {id, length}};
  n.code = sqlite3_prepare_v2(index->db, FIND_DOCUMENT, -1, &n.find, NULL);
  int64_t number = n.code == SQLITE_OK ? ask(&n, n.find, &e) : 0;
  sqlite3_finalize(n.find);
  *code = n.code;
  return number;
}
