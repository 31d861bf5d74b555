/* digest.c - see digest.h. */
#include "play/digest.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "engine/handle.h"
#include "engine/sqlite_driver.h"
#include "search/fts5_token.h"
#include "search/index_file.h"

/* FNV-1a: no adversary here. */
static void mix(uint64_t *hash, const void *bytes, size_t length) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < length; i++) *hash = (*hash ^ byte[i]) * UINT64_C(1099511628211);
}

static void mix_column(uint64_t *hash, sqlite3_stmt *stmt, int column) {
  int type = sqlite3_column_type(stmt, column);
  mix(hash, &type, sizeof type);
  if (type == SQLITE_INTEGER) {
    sqlite3_int64 value = sqlite3_column_int64(stmt, column);
    mix(hash, &value, sizeof value);
  } else if (type == SQLITE_FLOAT) {
    double value = sqlite3_column_double(stmt, column);
    mix(hash, &value, sizeof value);
  } else if (type != SQLITE_NULL) {
    int length = sqlite3_column_bytes(stmt, column);
    mix(hash, &length, sizeof length);
    mix(hash, sqlite3_column_blob(stmt, column), (size_t)length);
  }
}

/* Rows of one table, in the order of their numbers. */
static int digest_table(sqlite3 *db, const char *table, uint64_t *hash, int64_t *rows) {
  sqlite3_stmt *stmt = NULL;
  char *sql = sqlite3_mprintf("SELECT * FROM \"%w\" ORDER BY 1", table);
  int code = sql ? sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) : SQLITE_NOMEM;
  sqlite3_free(sql);
  mix(hash, table, strlen(table) + 1);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(stmt);
    if (code != SQLITE_ROW) break;
    for (int i = 0; i < sqlite3_column_count(stmt); i++) mix_column(hash, stmt, i);
    ++*rows;
  }
  sqlite3_finalize(stmt);
  return code;
}

static int digest_file(sqlite3 *db, const char *store, st_str *out, uint64_t *hash) {
  static const char sql[] = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name <> 'sqlite_schema' ORDER BY name";
  sqlite3_stmt *tables = NULL;
  int code = sqlite3_prepare_v2(db, sql, -1, &tables, NULL);
  while (code == SQLITE_OK && (code = sqlite3_step(tables)) == SQLITE_ROW) {
    const char *table = (const char *)sqlite3_column_text(tables, 0);
    int64_t rows = 0;
    code = digest_table(db, table, hash, &rows);
    if (code != SQLITE_DONE) break;
    st_str_addf(out, "%s\"%s.%s\":%" PRId64, out->length == 0 ? "" : ",", store, table, rows);
    code = SQLITE_OK;
  }
  sqlite3_finalize(tables);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int check_file(sqlite3 *db, const char *sql, st_str *out) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
  while (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    const char *found = (const char *)sqlite3_column_text(stmt, 0);
    code = SQLITE_OK;
    if (found && strcmp(found, "ok") == 0) continue;
    if (out->text[out->length - 1] != '[') st_str_addc(out, ',');
    st_json_add_string(out, found ? found : "null", found ? strlen(found) : 4);
  }
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* The file of a store, or NULL when it has none. */
static const char *file_of(const st_opened *opened) {
  if (!opened->driver || opened->driver->engine != ST_SQLITE || !opened->location) return NULL;
  return access(opened->location, F_OK) == 0 ? opened->location : NULL;
}

static bool tell(st_str *out, sqlite3 *db, const char *file) {
  st_str_clear(out);
  st_str_addf(out, "%s: %s", file, db ? sqlite3_errmsg(db) : "no memory");
  return false;
}

static bool in_transaction(const st_opened *opened) {
  return opened->conn && !sqlite3_get_autocommit(((st_sqlite *)opened->conn)->db);
}

/* What was read of a store's file, which is true until somebody else commits to it: most calls that are asked about changed nothing. */
typedef struct {
  sqlite3 *reader;
  ino_t inode;
  int64_t version; /* PRAGMA data_version: changes with the commits of others */
  uint64_t hash;
  st_str rows;     /* members of the object, with the names of the tables */
} known;

static known seen[16]; /* by store */

static void forget(known *store) {
  sqlite3_close(store->reader);
  st_str_free(&store->rows);
  *store = (known){.version = -1};
}

void digest_forget(void) {
  for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) forget(&seen[i]);
}

static int read_version(sqlite3 *db, int64_t *version) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(db, "PRAGMA data_version", -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  if (code == SQLITE_ROW) *version = sqlite3_column_int64(stmt, 0);
  sqlite3_finalize(stmt);
  return code == SQLITE_ROW ? SQLITE_OK : code;
}

/* Know what is in the file now. */
static int look(known *store, const char *file, const char *name) {
  struct stat status;
  int64_t version = 0;
  int code = SQLITE_OK;
  if (stat(file, &status) != 0) return SQLITE_CANTOPEN;
  if (store->reader && store->inode != status.st_ino) forget(store);
  if (!store->reader) {
    *store = (known){.inode = status.st_ino, .version = -1};
    st_str_init(&store->rows, 1 << 20);
    code = sqlite3_open_v2(file, &store->reader, SQLITE_OPEN_READONLY, NULL);
  }
  if (code == SQLITE_OK) code = read_version(store->reader, &version);
  if (code != SQLITE_OK || version == store->version) return code;
  st_str_clear(&store->rows);
  store->hash = UINT64_C(14695981039346656037);
  code = digest_file(store->reader, name, &store->rows, &store->hash);
  store->version = code == SQLITE_OK ? version : -1;
  return code;
}

bool digest_add(st_str *out, stele_db *db) {
  uint64_t hash = UINT64_C(14695981039346656037);
  bool open = false;
  st_str_addz(out, "{\"rows\":{");
  for (uint16_t i = 0; db && i < st_registry.nstores && i < sizeof seen / sizeof *seen; i++) {
    const char *file = file_of(&db->stores[i]);
    if (!file) continue;
    open = open || in_transaction(&db->stores[i]);
    if (look(&seen[i], file, db->stores[i].store->name) != SQLITE_OK) return tell(out, seen[i].reader, file);
    if (seen[i].rows.length > 0 && out->text[out->length - 1] != '{') st_str_addc(out, ',');
    st_str_add(out, seen[i].rows.text, seen[i].rows.length);
    mix(&hash, &seen[i].hash, sizeof hash);
  }
  st_str_addf(out, "},\"digest\":\"%016" PRIx64 "\",\"open\":%s}", hash, open ? "true" : "false");
  return true;
}

/* SQLite's own checks, which ask the search tables for theirs. */
static bool check_one(st_str *out, const char *file) {
  uint32_t counted;
  st_inner inner = {0};
  sqlite3 *reader = NULL;
  int code = sqlite3_open_v2(file, &reader, SQLITE_OPEN_READONLY, NULL);
  if (code == SQLITE_OK) code = st_fts5_tokenizer_register(reader, &counted, &inner); /* of a search index */
  if (code == SQLITE_OK) code = check_file(reader, "PRAGMA integrity_check", out);
  if (code == SQLITE_OK) code = check_file(reader, "PRAGMA foreign_key_check", out);
  bool good = code == SQLITE_OK || tell(out, reader, file);
  sqlite3_close(reader);
  return good;
}

bool check_add(st_str *out, stele_db *db) {
  char index[4096];
  bool good = true;
  st_str_addc(out, '[');
  for (uint16_t i = 0; db && i < st_registry.nstores && good; i++) {
    const char *file = file_of(&db->stores[i]);
    if (!file) continue;
    good = check_one(out, file);
    st_index_path(file, index);
    if (good && access(index, F_OK) == 0) good = check_one(out, index);
  }
  if (good) st_str_addc(out, ']');
  return good;
}
