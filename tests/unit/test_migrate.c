/* test_migrate.c - old, new, foreign and half-migrated files: what happens when they are opened.
**
** The old files are made by hand, with the tables that version 1 of the sample store had. */
#include <dirent.h>
#include <signal.h>

#include "base/alloc.h"
#include "engine/opened.h"
#include "unit/home.h"

#define CROWD 8

static const char OLD_TABLES[] =
    "CREATE TABLE shelves (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);"
    "CREATE TABLE items (id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " shelf_id INTEGER NOT NULL REFERENCES shelves(id) ON DELETE CASCADE,"
    " label TEXT NOT NULL, amount INTEGER NOT NULL DEFAULT 1);"
    "PRAGMA user_version = 1;";
static const char OLD_ROWS[] =
    "INSERT INTO shelves (id, name) VALUES (1, 'attic'), (2, 'cellar');"
    "INSERT INTO items (shelf_id, label, amount) VALUES (1, 'skis', 2), (2, 'wine', 12), (2, 'jam', 7);";

/* Every row that was there before, in a form that all versions have. */
static const char ROWS[] =
    "SELECT (SELECT group_concat(id || name, ' ') FROM shelves) || ': ' ||"
    " (SELECT group_concat(id || '/' || shelf_id || label || amount, ' ') FROM items)";
static const char ROWS_ARE[] = "1attic 2cellar: 1/1skis2 2/2wine12 3/2jam7";

/* ---- What the tests share ------------------------------------------------------------------- */

static const char *make_old(const char *path, const char *more) {
  sql_run(path, OLD_TABLES);
  sql_run(path, OLD_ROWS);
  sql_run(path, more);
  return path;
}

/* The old file in its default place. */
static const char *old_in_home(const home *h) {
  assert_int_equal(mkdir(h->path, 0700), 0);
  return make_old(path_in(h->path, "sample.db"), "");
}

/* Options for a store elsewhere; place must live as long as they do. */
static stele_options elsewhere(const home *h, stele_place *place, const char *path, unsigned flags) {
  *place = (stele_place){.store = "sample", .location = path};
  stele_options options = home_options(h);
  options.places = place;
  options.nplaces = 1;
  options.flags = flags;
  return options;
}

/* The number of files in a directory whose name ends so; the last one is copied to found. */
static int count_files(const char *directory, const char *ending, char found[PATH_SIZE]) {
  DIR *dir = opendir(directory);
  int count = 0;
  assert_non_null(dir);
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    size_t length = strlen(entry->d_name);
    if (entry->d_name[0] == '.' || length < strlen(ending)) continue;
    if (strcmp(entry->d_name + length - strlen(ending), ending) != 0) continue;
    if (found) snprintf(found, PATH_SIZE, "%.300s/%.200s", directory, entry->d_name);
    count++;
  }
  closedir(dir);
  return count;
}

/* Whole, of the present version, with the rows of the old file. */
static void assert_migrated(const char *path) {
  assert_sql(path, "PRAGMA user_version", "3");
  assert_sql(path, ROWS, ROWS_ARE);
  assert_sql(path, "SELECT group_concat(version) FROM steps", "2,3");
  assert_sql(path, "SELECT count(*) FROM history", "20000");
  assert_sql(path, "PRAGMA integrity_check", "ok");
  assert_sql(path, "SELECT count(*) FROM pragma_foreign_key_check", "0");
  assert_sql(path, "SELECT count(*) FROM sqlite_master WHERE name = 'shelves_new'", "0");
}

static void assert_still_old(const char *path) {
  assert_sql(path, "PRAGMA user_version", "1");
  assert_sql(path, ROWS, ROWS_ARE);
  assert_sql(path, "PRAGMA integrity_check", "ok");
}

static void assert_backup(const char *path) {
  assert_sql(path, "PRAGMA user_version", "1");
  assert_sql(path, ROWS, ROWS_ARE);
  assert_sql(path, "PRAGMA integrity_check", "ok");
  assert_sql(path, "SELECT count(*) FROM sqlite_master WHERE name = 'steps'", "0");
  assert_mode(path, 0600);
}

/* SQLite cannot read a file in WAL mode without making these two beside it. */
static int count_lasting_files(const char *directory) {
  return count_files(directory, "", NULL) - count_files(directory, "-wal", NULL) - count_files(directory, "-shm", NULL);
}

/* Open with these options: refused so, the file byte for byte as it was, and nothing beside it. */
static void assert_refused(const stele_options *options, const char *path, stele_status status, const char *why) {
  size_t before_size, after_size;
  char directory[PATH_SIZE];
  snprintf(directory, sizeof directory, "%s", path);
  *strrchr(directory, '/') = '\0';
  int files = count_lasting_files(directory);
  char *before = read_bytes(path, &before_size);
  stele_db *db = must_open(options);
  must_fail(db, "sample.get_shelves", NULL, status);
  assert_non_null(strstr(stele_error(db)->message, why));
  must_fail(db, "sample.add_shelf", "{\"name\":\"new\"}", status);
  stele_close(db);
  char *after = read_bytes(path, &after_size);
  assert_int_equal(before_size, after_size);
  assert_memory_equal(before, after, before_size);
  assert_int_equal(count_lasting_files(directory), files);
  free(before);
  free(after);
}

/* ---- Fresh ---------------------------------------------------------------------------------- */

static void test_fresh(void **state) {
  home *h = *state;
  stele_db *db = open_home(h);
  assert_reply(db, "sample.get_shelves", NULL, "[]");
  stele_close(db);
  const char *path = path_in(h->path, "sample.db");
  assert_sql(path, "PRAGMA user_version", "3");
  assert_sql(path, "SELECT count(*) FROM steps", "0");
  assert_int_equal(count_files(h->path, ".backup", NULL), 0);
}

static int create_one(void *argument) {
  const home *h = argument;
  stele_options options = home_options(h);
  stele_db *db = NULL;
  char args[100];
  snprintf(args, sizeof args, "{\"name\":\"of %ld\"}", (long)getpid());
  int wrong = differs(db, stele_open(&options, &db), STELE_OK, "open");
  if (!wrong) wrong = differs(db, stele_call(db, "sample.add_shelf", args, NULL), STELE_OK, "add_shelf");
  stele_close(db);
  return wrong;
}

static void in_a_crowd(child_function *function, void *argument) {
  pid_t children[CROWD];
  int wrong = 0;
  for (int i = 0; i < CROWD; i++) children[i] = start_child(function, argument);
  for (int i = 0; i < CROWD; i++) wrong += wait_child(children[i]) != 0;
  assert_int_equal(wrong, 0);
}

static void test_fresh_in_many_processes(void **state) {
  home *h = *state;
  in_a_crowd(create_one, h);
  assert_sql(path_in(h->path, "sample.db"), "SELECT count(*) FROM shelves", "8");
  assert_sql(path_in(h->path, "sample.db"), "PRAGMA user_version", "3");
  assert_int_equal(count_files(h->path, ".backup", NULL), 0);
}

/* ---- Old ------------------------------------------------------------------------------------ */

static void test_old_in_home(void **state) {
  home *h = *state;
  char backup[PATH_SIZE];
  const char *path = old_in_home(h);
  stele_db *db = open_home(h);
  assert_reply(db, "sample.find_items", "{\"labels\":[\"jam\"]}", "[{\"id\":3,\"label\":\"jam\",\"engine\":\"sqlite\"}]");
  assert_reply(db, "sample.remove_shelf", "{\"id\":2}", "{\"count\":1}");
  assert_reply(db, "sample.find_items", NULL, "[{\"id\":1,\"label\":\"skis\",\"engine\":\"sqlite\"}]"); /* keys are enforced again */
  must_fail(db, "sample.put_items", "{\"items\":[{\"shelf_id\":99,\"label\":\"x\"}]}", STELE_INVALID);
  stele_close(db);
  assert_sql(path, "PRAGMA user_version", "3");
  assert_int_equal(count_files(h->path, ".backup", backup), 1);
  assert_backup(backup);
}

static void test_old_is_whole_afterwards(void **state) {
  home *h = *state;
  const char *path = old_in_home(h);
  stele_db *db = open_home(h);
  must_call(db, "sample.get_shelves", NULL);
  assert_migrated(path);
  stele_close(db);
  db = open_home(h); /* a second time there is nothing to do */
  must_call(db, "sample.get_shelves", NULL);
  stele_close(db);
  assert_migrated(path);
  assert_int_equal(count_files(h->path, ".backup", NULL), 1);
}

/* What another program left in its log, and in no other place, is in the backup too. */
static void test_old_with_a_log(void **state) {
  home *h = *state;
  char backup[PATH_SIZE];
  sqlite3 *other = NULL;
  assert_int_equal(mkdir(h->path, 0700), 0);
  const char *path = path_in(h->path, "sample.db");
  assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
  assert_int_equal(sqlite3_exec(other, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0", NULL, NULL, NULL), 0);
  assert_int_equal(sqlite3_exec(other, OLD_TABLES, NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_exec(other, OLD_ROWS, NULL, NULL, NULL), SQLITE_OK);
  stele_db *db = open_home(h);
  must_call(db, "sample.get_shelves", NULL);
  assert_migrated(path);
  stele_close(db);
  sqlite3_close(other);
  assert_int_equal(count_files(h->path, ".backup", backup), 1);
  assert_backup(backup);
}

static int migrate_one(void *argument) {
  const home *h = argument;
  stele_options options = home_options(h);
  stele_db *db = NULL;
  int wrong = differs(db, stele_open(&options, &db), STELE_OK, "open");
  if (!wrong) wrong = differs(db, stele_call(db, "sample.get_shelves", NULL, NULL), STELE_OK, "get_shelves");
  stele_close(db);
  return wrong;
}

static void test_old_in_many_processes(void **state) {
  home *h = *state;
  char backup[PATH_SIZE];
  const char *path = old_in_home(h);
  in_a_crowd(migrate_one, h);
  assert_migrated(path);
  assert_int_equal(count_files(h->path, ".backup", backup), 1);
  assert_backup(backup);
}

static void test_old_elsewhere_is_refused(void **state) {
  home *h = *state;
  stele_place place;
  const char *path = make_old(path_in(h->directory, "state.db"), "");
  stele_options options = elsewhere(h, &place, path, 0);
  assert_refused(&options, path, STELE_FORMAT, "version 1");
  options.flags = STELE_OPEN_READONLY | STELE_OPEN_MIGRATE;
  assert_refused(&options, path, STELE_FORMAT, "version 1");
  options.flags = 0;
  sql_run(path, "PRAGMA journal_mode = WAL");
  assert_refused(&options, path, STELE_FORMAT, "version 1");
}

static void test_old_elsewhere_with_migrate(void **state) {
  home *h = *state;
  char backup[PATH_SIZE];
  stele_place place;
  const char *path = make_old(path_in(h->directory, "state.db"), "");
  stele_options options = elsewhere(h, &place, path, STELE_OPEN_MIGRATE);
  stele_db *db = must_open(&options);
  must_call(db, "sample.get_shelves", NULL);
  stele_close(db);
  assert_migrated(path);
  assert_int_equal(count_files(h->directory, ".backup", backup), 1);
  assert_backup(backup);
}

static void test_the_method_migrates_elsewhere(void **state) {
  home *h = *state;
  stele_place place;
  const char *path = make_old(path_in(h->directory, "state.db"), "");
  stele_options options = elsewhere(h, &place, path, 0);
  stele_db *db = must_open(&options);
  must_fail(db, "sample.get_shelves", NULL, STELE_FORMAT);
  must_fail(db, "stele.migrate", "{\"store\":\"smaple\"}", STELE_NOTFOUND);
  assert_reply(db, "stele.migrate", "{\"store\":\"telemetry\"}", "[]"); /* not there: not made */
  assert_reply(db, "stele.migrate", NULL, "[{\"store\":\"sample\",\"before\":1,\"after\":3}]");
  assert_reply(db, "stele.migrate", NULL, "[{\"store\":\"sample\",\"before\":3,\"after\":3}]");
  must_call(db, "sample.get_shelves", NULL);
  stele_close(db);
  assert_migrated(path);
}

static void test_status_of_an_old_file(void **state) {
  home *h = *state;
  stele_options options = home_options(h);
  const char *path = old_in_home(h);
  stele_db *db = must_open(&options);
  assert_non_null(strstr(must_call(db, "stele.status", NULL), "\"state\":\"old\",\"version\":1,\"knows\":3"));
  stele_close(db);
  assert_still_old(path);
  assert_int_equal(count_files(h->path, ".backup", NULL), 0);
}

/* ---- Not ours, or not yet ------------------------------------------------------------------- */

/* A file that nobody may touch, be it at home or elsewhere, asked to migrate or not. */
static void assert_untouchable(const home *h, const char *sql, stele_status status, const char *why) {
  stele_place place;
  const char *path = path_in(h->directory, "other.db");
  unlink(path);
  sql_run(path, sql);
  stele_options options = elsewhere(h, &place, path, 0);
  assert_refused(&options, path, status, why);
  options.flags = STELE_OPEN_MIGRATE;
  assert_refused(&options, path, status, why);
  options.flags = STELE_OPEN_READONLY;
  assert_refused(&options, path, status, why);

  char at_home[PATH_SIZE];
  snprintf(at_home, sizeof at_home, "%s", path_in(h->path, "sample.db"));
  mkdir(h->path, 0700);
  assert_int_equal(rename(path, at_home), 0);
  stele_options defaults = home_options(h);
  assert_refused(&defaults, at_home, status, why);
  unlink(at_home);
}

static void test_newer_is_refused(void **state) {
  assert_untouchable(*state, "CREATE TABLE shelves (id); PRAGMA user_version = 4", STELE_FORMAT, "version 4");
}

static void test_foreign_is_refused(void **state) {
  assert_untouchable(*state, "CREATE TABLE mail (id, body)", STELE_FORMAT, "no version mark");
  assert_untouchable(*state, "CREATE TABLE mail (id, body); PRAGMA user_version = 3", STELE_FORMAT, "not a sample store");
  assert_untouchable(*state, "CREATE TABLE mail (id, body); PRAGMA user_version = 1", STELE_FORMAT, "not a sample store");
  assert_untouchable(*state, "CREATE TABLE mail (id, body); PRAGMA user_version = 2", STELE_FORMAT, "not a sample store");
  assert_untouchable(*state, "PRAGMA user_version = 2", STELE_FORMAT, "no table");
}

static void test_other_files_are_refused(void **state) {
  home *h = *state;
  stele_place place;
  const char *path = path_in(h->directory, "letter.db");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i < 200; i++) fprintf(file, "This is a letter, not a database.\n");
  fclose(file);
  stele_options options = elsewhere(h, &place, path, STELE_OPEN_MIGRATE);
  assert_refused(&options, path, STELE_CORRUPT, "not a database");
}

/* ---- Steps that fail ------------------------------------------------------------------------ */

/* Open an old file whose rows do not fit a step. */
static void assert_step_fails(const home *h, const char *sql) {
  const char *path = old_in_home(h);
  char rows[1000];
  sql_run(path, sql);
  snprintf(rows, sizeof rows, "%s", sql_text(path, ROWS));
  for (int times = 0; times < 2; times++) { /* it does not get worse by trying again */
    stele_db *db = open_home(h);
    must_fail(db, "sample.get_shelves", NULL, STELE_INVALID);
    assert_non_null(strstr(stele_error(db)->message, "cannot be brought to version 3"));
    stele_close(db);
    assert_sql(path, "PRAGMA user_version", "1");
    assert_sql(path, ROWS, rows);
    assert_sql(path, "SELECT count(*) FROM sqlite_master WHERE name IN ('steps', 'history', 'shelves_new')", "0");
    assert_sql(path, "SELECT count(*) FROM pragma_table_info('items')", "4");
    assert_sql(path, "PRAGMA integrity_check", "ok");
  }
}

static void test_first_step_fails(void **state) {
  assert_step_fails(*state, "INSERT INTO items (shelf_id, label) VALUES (1, 'skis')");
}

/* What the first step did is undone too; once the row is put right, all goes well. */
static void test_second_step_fails(void **state) {
  home *h = *state;
  assert_step_fails(h, "INSERT INTO shelves (id, name) VALUES (3, '')");
  const char *path = path_in(h->path, "sample.db");
  sql_run(path, "DELETE FROM shelves WHERE id = 3");
  stele_db *db = open_home(h);
  must_call(db, "sample.get_shelves", NULL);
  stele_close(db);
  assert_migrated(path);
}

static int stop_at(void *user, const char *what, int64_t done, int64_t total) {
  (void)done, (void)total;
  return strstr(what, user) != NULL;
}

static void assert_can_be_stopped(const home *h, char *at) {
  stele_options options = home_options(h);
  options.progress = stop_at;
  options.user = at;
  stele_db *db = must_open(&options);
  must_fail(db, "sample.get_shelves", NULL, STELE_CANCELLED);
  stele_close(db);
  assert_still_old(path_in(h->path, "sample.db"));
  assert_int_equal(count_files(h->path, ".partial", NULL), 0);
}

static void test_stopped_by_the_caller(void **state) {
  home *h = *state;
  const char *path = old_in_home(h);
  sql_run(path, "CREATE TABLE padding AS SELECT zeroblob(5000000) AS bytes"); /* a copy of several rounds */
  assert_can_be_stopped(h, "backup");
  assert_int_equal(count_files(h->path, ".backup", NULL), 0);
  assert_can_be_stopped(h, "know the things");
  assert_can_be_stopped(h, "check the shelves");
  stele_db *db = open_home(h);
  must_call(db, "sample.get_shelves", NULL);
  stele_close(db);
  assert_migrated(path);
}

/* ---- Killed on the way ---------------------------------------------------------------------- */

static int calls_to_live; /* of the driver */
static const st_driver *real;

static void live_on(void) {
  if (--calls_to_live == 0) raise(SIGKILL);
}

static stele_status dying_begin(st_conn *conn, bool write) {
  live_on();
  return real->begin(conn, write);
}

static stele_status dying_script(st_conn *conn, const char *sql) {
  stele_status status = real->script(conn, sql);
  live_on();
  return status;
}

static stele_status dying_mark(st_conn *conn, int version) {
  stele_status status = real->mark(conn, version);
  live_on();
  return status;
}

static stele_status dying_commit(st_conn *conn) {
  stele_status status = real->commit(conn);
  live_on();
  return status;
}

static int dying_progress(void *user, const char *what, int64_t done, int64_t total) {
  (void)user, (void)what, (void)done, (void)total;
  live_on();
  return 0;
}

static void let_driver_die(st_engine engine) {
  static st_driver dying;
  real = st_drivers[engine];
  dying = *real;
  dying.begin = dying_begin;
  dying.script = dying_script;
  dying.mark = dying_mark;
  dying.commit = dying_commit;
  st_drivers[engine] = &dying;
}

static int migrate_and_die(void *argument) {
  let_driver_die(ST_SQLITE);
  stele_options options = home_options(argument);
  options.progress = dying_progress;
  stele_db *db = NULL;
  int wrong = differs(db, stele_open(&options, &db), STELE_OK, "open");
  if (!wrong) wrong = differs(db, stele_call(db, "sample.get_shelves", NULL, NULL), STELE_OK, "get_shelves");
  return wrong;
}

/* Die at the first, second, third... moment of a migration, until there is none left. */
static void test_killed_at_every_moment(void **state) {
  home *h = *state;
  int deaths = 0;
  for (;; deaths++) {
    const char *path = old_in_home(h);
    calls_to_live = deaths + 1;
    int result = in_child(migrate_and_die, h);
    stele_db *db = open_home(h);
    must_call(db, "sample.get_shelves", NULL);
    stele_close(db);
    assert_migrated(path);
    assert_true(count_files(h->path, ".backup", NULL) >= 1);
    assert_int_equal(nftw(h->path, home_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
    if (result == 0) break;
    assert_int_equal(result, -SIGKILL);
  }
  assert_true(deaths >= 10); /* two steps with a call before, within and after; the backup; the end */
}

/* ---- The same on PostgreSQL ----------------------------------------------------------------- */
#ifdef STELE_POSTGRES

static const char PG_TABLES[] =
    "CREATE TABLE shelves (id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name TEXT NOT NULL);"
    "CREATE TABLE items (id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,"
    " shelf_id BIGINT NOT NULL REFERENCES shelves(id) ON DELETE CASCADE,"
    " label TEXT NOT NULL, amount BIGINT NOT NULL DEFAULT 1);";
static const char PG_ROWS[] =
    "SELECT (SELECT string_agg(id || name, ' ' ORDER BY id) FROM shelves) || ': ' ||"
    " (SELECT string_agg(id || '/' || shelf_id || label || amount, ' ' ORDER BY id) FROM items)";
static const char PG_VERSION[] = "SELECT value FROM stele_meta WHERE key = 'version'";

typedef struct server {
  char schema[64];
  char location[PATH_SIZE];
  st_conn *conn; /* behind Stele's back */
} server;

static void pg_run(const server *s, const char *sql) {
  if (s->conn->driver->script(s->conn, sql) != STELE_OK) fail_msg("%s: %s", sql, s->conn->problem);
}

static void assert_pg(const server *s, const char *sql, const char *expected) {
  const st_driver *driver = s->conn->driver;
  st_prepared *prepared = NULL;
  st_value value = {.type = ST_NULL};
  if (driver->prepare(s->conn, sql, &prepared) != STELE_OK || driver->start(prepared, NULL, 0) != STELE_OK ||
      driver->step(prepared) != STELE_ROW)
    fail_msg("%s: %s", sql, s->conn->problem);
  driver->column(prepared, 0, &value);
  assert_int_equal(value.type, ST_TEXT);
  assert_string_equal(value.bytes, expected);
  driver->finalize(prepared);
}

static int server_set_up(void **state) {
  static int number;
  const char *url = getenv("STELE_TEST_POSTGRES");
  char problem[400];
  server *s = calloc(1, sizeof *s);
  *state = s;
  if (!url) {
    print_error("STELE_TEST_POSTGRES must name a PostgreSQL server (tests/postgres.py starts one)\n");
    return -1;
  }
  snprintf(s->schema, sizeof s->schema, "migrate_%ld_%d", (long)getpid(), ++number);
  snprintf(s->location, sizeof s->location, "%.400s%cschema=%s", url, strchr(url, '?') ? '&' : '?', s->schema);
  st_target target = {.store = st_store_find("sample", NULL), .location = url, .schema = s->schema, .wait_ms = 20000};
  stele_status status = st_driver_postgres.open(&target, true, &s->conn, problem);
  if (status != STELE_OK) print_error("%s\n", problem);
  return status == STELE_OK ? 0 : -1;
}

static int server_tear_down(void **state) {
  server *s = *state;
  char sql[100];
  snprintf(sql, sizeof sql, "DROP SCHEMA %s CASCADE", s->schema);
  pg_run(s, sql);
  s->conn->driver->close(s->conn);
  free(s);
  return 0;
}

#define server_test(function) cmocka_unit_test_setup_teardown(function, server_set_up, server_tear_down)

/* Version 1, as an older Stele would have left it. */
static void pg_make_old(const server *s) {
  const st_driver *driver = s->conn->driver;
  assert_int_equal(driver->begin(s->conn, true), STELE_OK);
  pg_run(s, PG_TABLES);
  pg_run(s, OLD_ROWS);
  assert_int_equal(driver->mark(s->conn, 1), STELE_OK);
  assert_int_equal(driver->commit(s->conn), STELE_OK);
}

static stele_status pg_open_and_call(const server *s, unsigned flags, stele_db **db) {
  stele_place place = {.store = "sample", .location = s->location};
  stele_options options = {.size = sizeof options, .places = &place, .nplaces = 1, .flags = flags};
  stele_status status = stele_open(&options, db);
  return status == STELE_OK ? stele_call(*db, "sample.get_shelves", NULL, NULL) : status;
}

static void assert_pg_migrated(const server *s) {
  assert_pg(s, PG_VERSION, "3");
  assert_pg(s, PG_ROWS, ROWS_ARE);
  assert_pg(s, "SELECT string_agg(version::text, ',' ORDER BY version) FROM steps", "2,3");
  assert_pg(s, "SELECT count(*)::text FROM history", "20000");
}

static void test_postgres_old(void **state) {
  server *s = *state;
  stele_db *db = NULL;
  pg_make_old(s);
  assert_int_equal(pg_open_and_call(s, 0, &db), STELE_FORMAT);
  stele_close(db);
  assert_pg(s, PG_VERSION, "1");
  assert_int_equal(pg_open_and_call(s, STELE_OPEN_MIGRATE, &db), STELE_OK);
  assert_reply(db, "sample.find_items", "{\"labels\":[\"jam\"]}", "[{\"id\":3,\"label\":\"jam\",\"engine\":\"postgres\"}]");
  stele_close(db);
  assert_pg_migrated(s);
}

static int pg_migrate_one(void *argument) {
  stele_db *db = NULL;
  int wrong = differs(db, pg_open_and_call(argument, STELE_OPEN_MIGRATE, &db), STELE_OK, "get_shelves");
  stele_close(db);
  return wrong;
}

static void test_postgres_old_in_many_processes(void **state) {
  pg_make_old(*state);
  in_a_crowd(pg_migrate_one, *state);
  assert_pg_migrated(*state);
}

static void test_postgres_fresh_in_many_processes(void **state) {
  server *s = *state;
  in_a_crowd(pg_migrate_one, s);
  assert_pg(s, PG_VERSION, "3");
  assert_pg(s, "SELECT count(*)::text FROM steps", "0");
}

static void test_postgres_refuses(void **state) {
  server *s = *state;
  stele_db *db = NULL;
  pg_make_old(s);
  pg_run(s, "UPDATE stele_meta SET value = '4' WHERE key = 'version'");
  assert_int_equal(pg_open_and_call(s, STELE_OPEN_MIGRATE, &db), STELE_FORMAT);
  assert_non_null(strstr(stele_error(db)->message, "version 4"));
  stele_close(db);
  pg_run(s, "UPDATE stele_meta SET value = '1' WHERE key = 'version'");
  pg_run(s, "UPDATE stele_meta SET value = 'planner' WHERE key = 'store'");
  assert_int_equal(pg_open_and_call(s, STELE_OPEN_MIGRATE, &db), STELE_FORMAT);
  stele_close(db);
  pg_run(s, "DROP TABLE stele_meta");
  assert_int_equal(pg_open_and_call(s, STELE_OPEN_MIGRATE, &db), STELE_FORMAT);
  stele_close(db);
  assert_pg(s, PG_ROWS, ROWS_ARE);
}

static void test_postgres_step_fails(void **state) {
  server *s = *state;
  stele_db *db = NULL;
  pg_make_old(s);
  pg_run(s, "INSERT INTO shelves (id, name) VALUES (3, '')");
  assert_int_equal(pg_open_and_call(s, STELE_OPEN_MIGRATE, &db), STELE_INVALID);
  stele_close(db);
  assert_pg(s, PG_VERSION, "1");
  assert_pg(s, PG_ROWS, "1attic 2cellar 3: 1/1skis2 2/2wine12 3/2jam7");
  pg_run(s, "DELETE FROM shelves WHERE id = 3");
  assert_int_equal(pg_open_and_call(s, STELE_OPEN_MIGRATE, &db), STELE_OK);
  stele_close(db);
  assert_pg_migrated(s);
}

static int pg_migrate_and_die(void *argument) {
  let_driver_die(ST_POSTGRES);
  stele_db *db = NULL;
  return differs(db, pg_open_and_call(argument, STELE_OPEN_MIGRATE, &db), STELE_OK, "get_shelves");
}

static void test_postgres_killed_at_every_moment(void **state) {
  server *s = *state;
  int deaths = 0;
  for (;; deaths++) {
    stele_db *db = NULL;
    pg_make_old(s);
    calls_to_live = deaths + 1;
    int result = in_child(pg_migrate_and_die, s);
    assert_int_equal(pg_open_and_call(s, STELE_OPEN_MIGRATE, &db), STELE_OK);
    stele_close(db);
    assert_pg_migrated(s);
    if (result == 0) break;
    assert_int_equal(result, -SIGKILL);
    pg_run(s, "DROP TABLE items, shelves, steps, history, stele_meta");
  }
  assert_true(deaths >= 6);
}

#define POSTGRES_TESTS                                                                              \
  server_test(test_postgres_old), server_test(test_postgres_old_in_many_processes),                 \
      server_test(test_postgres_fresh_in_many_processes), server_test(test_postgres_refuses),       \
      server_test(test_postgres_step_fails), server_test(test_postgres_killed_at_every_moment),
#else
#define POSTGRES_TESTS
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      home_test(test_fresh),
      home_test(test_fresh_in_many_processes),
      home_test(test_old_in_home),
      home_test(test_old_is_whole_afterwards),
      home_test(test_old_with_a_log),
      home_test(test_old_in_many_processes),
      home_test(test_old_elsewhere_is_refused),
      home_test(test_old_elsewhere_with_migrate),
      home_test(test_the_method_migrates_elsewhere),
      home_test(test_status_of_an_old_file),
      home_test(test_newer_is_refused),
      home_test(test_foreign_is_refused),
      home_test(test_other_files_are_refused),
      home_test(test_first_step_fails),
      home_test(test_second_step_fails),
      home_test(test_stopped_by_the_caller),
      home_test(test_killed_at_every_moment),
      POSTGRES_TESTS
  };
  return cmocka_run_group_tests_name("migrate", tests, NULL, NULL);
}
