/* salvage.c - stele.salvage: see salvage.h. */
#include "engine/salvage.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "engine/backup.h"
#include "engine/handle.h"
#include "engine/mend.h"
#include "engine/sqlite_driver.h"
#include "engine/state.h"
#include "engine/system.h"
#include "registry_ids.h"

/* Where things are. */
typedef struct places {
  const char *damaged;
  char made[ST_PATH_MAX], partial[ST_PATH_MAX];
  int seized, held;
} places;

static void find_places(st_call *call, st_opened *store, places *p) {
  const char *to = st_arg_text(call, ST_P_STELE_SALVAGE_TO), *source = st_arg_text(call, ST_P_STELE_SALVAGE_SOURCE);
  char stem[3000];
  p->seized = p->held = -1;
  p->damaged = source ? source : store->location;
  bool file = p->damaged && (source || (!store->schema && !st_opened_in_memory(store)));
  if (!file) st_fail(call, STELE_UNSUPPORTED, "store", "%s is in no file: its engine keeps it whole", store->store->name);
  if (!st_ok(call)) return;
  bool fits = to ? snprintf(p->made, sizeof p->made, "%s", to) < (int)sizeof p->made
                 : snprintf(stem, sizeof stem, "%s.salvaged-", p->damaged) < (int)sizeof stem && st_copy_path(stem, "", p->made);
  if (!fits || snprintf(p->partial, sizeof p->partial, "%s.partial", p->made) >= (int)sizeof p->partial)
    st_fail(call, STELE_INVALID, "to", "the path is too long");
  else if (access(p->made, F_OK) == 0)
    st_fail(call, STELE_CONFLICT, "to", "%.300s exists already", p->made);
}

/* Nobody writes the damaged file meanwhile, and it is read through the one descriptor that keeps others from it: closing
** another would take away the locks of those who have it open. */
static void open_damaged(st_call *call, st_opened *store, const places *p, int *seized, st_salvage *s) {
  char problem[ST_PROBLEM_MAX] = "", log[ST_PATH_MAX];
  bool without = st_arg_int(call, ST_P_STELE_SALVAGE_WITHOUT_LOG) != 0;
  if (access(p->damaged, F_OK) != 0) st_fail(call, STELE_NOTFOUND, "source", "%.300s: %s", p->damaged, strerror(errno));
  if (st_ok(call)) st_handle_let_go(call, store);
  if (!st_ok(call)) return;
  stele_status status = st_sqlite_seize(p->damaged, seized, problem);
  bool fits = snprintf(log, sizeof log, "%s-wal", p->damaged) < (int)sizeof log;
  if (status == STELE_OK) status = st_pages_open(*seized, fits && !without ? log : NULL, &s->pages, problem);
  if (status == STELE_OK) s->seen = st_alloc_zero((size_t)s->pages.count + 1);
  if (status != STELE_OK) st_fail(call, status, NULL, "%s: %s", store->store->name, problem);
  else if (!s->seen) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (status == STELE_BUSY) st_hint(call, "stop what uses it first: `systemctl --user stop stele`; `fuser -v FILE` lists who has it open");
  if (st_ok(call) && s->pages.logged)
    st_note(call, "%u of %u pages are read from its log; if that is the log of another file, say --without-log", s->pages.logged, s->pages.count);
}

/* ---- The new file ---- */

static void open_new(st_call *call, places *p, st_salvage *s) {
  char problem[ST_PROBLEM_MAX] = "";
  st_clear_abandoned(p->partial);
  stele_status status = st_hold_new(p->partial, &p->held, problem);
  if (status != STELE_OK) st_fail(call, status, "to", "%s", problem);
  int code = status == STELE_OK ? sqlite3_open_v2(p->partial, &s->db, SQLITE_OPEN_READWRITE, NULL) : SQLITE_OK;
  if (code != SQLITE_OK) st_fail(call, st_sqlite_status(code), "to", "%.300s: %s", p->partial, sqlite3_errstr(code));
}

/* The marks in the header, of which the version may be one. */
static void copy_marks(st_salvage *s) {
  static const struct {
    const char *name;
    int at;
  } marks[] = {{"user_version", 60}, {"application_id", 68}};
  unsigned char *bytes = st_alloc(s->pages.size);
  char sql[80];
  if (!bytes) st_fail(s->call, STELE_NOMEM, NULL, "out of memory");
  bool read = bytes && s->pages.header && st_pages_read(&s->pages, 1, bytes);
  for (size_t i = 0; read && i < sizeof marks / sizeof *marks; i++) {
    snprintf(sql, sizeof sql, "PRAGMA %s = %d", marks[i].name, (int)st_four_bytes(bytes + marks[i].at));
    st_salvage_sql(s, sql);
  }
  st_free(bytes);
}

/* A store again: with a version, whole, and with what is derived. */
static void make_store(st_call *call, const st_opened *store, const char *path) {
  st_opened made = st_opened_apart(store, false);
  st_look look;
  char problem[400] = "", lock[ST_PATH_MAX];
  made.driver = &st_driver_sqlite;
  made.target.location = made.location = (char *)path;
  made.target.schema = made.schema = NULL;
  stele_status status = made.driver->open(&made.target, false, &made.conn, problem);
  if (status == STELE_OK) status = made.driver->look(made.conn, &look);
  bool unmarked = status == STELE_OK && strcmp(look.foreign, "it has tables, but no version mark") == 0;
  if (unmarked && (status = made.driver->begin(made.conn, true)) == STELE_OK) {
    status = made.driver->mark(made.conn, store->store->version);
    if (status == STELE_OK) status = made.driver->commit(made.conn);
    else made.driver->rollback(made.conn);
  }
  if (status == STELE_OK) status = st_mend_made(call, &made);
  if (status == STELE_OK) status = made.driver->script(made.conn, "PRAGMA wal_checkpoint(TRUNCATE)");
  if (status != STELE_OK) st_fail(call, status, NULL, "the new file: %s", made.conn ? made.conn->problem : problem);
  st_opened_close(&made);
  if (st_turn_path(path, lock)) unlink(lock); /* nobody else knew the file: it has another name soon */
}

static void give_name(st_call *call, const places *p) {
  st_watch watch = {call->db->progress, call->db->user};
  char problem[ST_PROBLEM_MAX] = "";
  st_clear_away(p->partial, true);
  stele_status status = st_sqlite_verify(p->partial, NULL, &watch, problem);
  if (status == STELE_OK) status = st_give_name(p->partial, p->made, problem);
  if (status != STELE_OK) st_fail(call, status, NULL, "the new file: %s", problem);
}

/* ---- What came of it ---- */

static void tell(st_call *call, const st_opened *store, const st_salvage *s, const char *path) {
  const char *made = st_call_copy(call, path, strlen(path));
  for (size_t i = 0; i < s->ntables; i++) {
    const st_salvaged *table = &s->tables[i];
    st_value *row = st_reply(call);
    if (!row) return;
    row[ST_R_STELE_SALVAGE_STORE] = st_textz(store->store->name);
    row[ST_R_STELE_SALVAGE_PATH] = st_textz(made);
    row[ST_R_STELE_SALVAGE_TABLE] = st_textz(table->name);
    row[ST_R_STELE_SALVAGE_ROWS] = st_int(table->rows);
    row[ST_R_STELE_SALVAGE_REFUSED] = st_int(table->refused);
    row[ST_R_STELE_SALVAGE_PAGES] = st_int(table->pages);
    if (table->lost >= 0) row[ST_R_STELE_SALVAGE_LOST] = st_int(table->lost);
  }
}

static void say_what_next(st_call *call, const st_opened *store, const st_salvage *s, const char *made) {
  int64_t rows = 0;
  for (size_t i = 0; i < s->ntables; i++) rows += s->tables[i].rows;
  if (s->unplaced) st_note(call, "%lld pages hold rows that fit more than one table: they stayed behind", (long long)s->unplaced);
  st_note(call, "%lld rows are in %s; look at it with `stele --store %s=%s check %s`, then `stele restore %s --from %s --replace`", (long long)rows,
          made, store->store->name, made, store->store->name, store->store->name, made);
}

static void end(st_salvage *s, const places *p) {
  for (size_t i = 0; i < s->ntables; i++) sqlite3_finalize(s->tables[i].insert);
  sqlite3_close_v2(s->db);
  if (p->held >= 0) st_clear_away(p->partial, false); /* once it has its name, there is nothing of this one */
  if (p->held >= 0) close(p->held);
  st_pages_close(&s->pages);
  if (p->seized >= 0) close(p->seized);
  st_free(s->seen);
  st_free(s->record);
}

void st_stele_salvage(st_call *call) {
  int index = st_wanted_store(call, ST_P_STELE_SALVAGE_STORE);
  st_salvage s = {.call = call, .pages = {.log = -1}};
  places p = {.seized = -1, .held = -1};
  if (!st_ok(call)) return;
  st_opened *store = &call->db->stores[index];
  find_places(call, store, &p);
  if (st_ok(call)) open_damaged(call, store, &p, &p.seized, &s);
  if (st_ok(call)) open_new(call, &p, &s);
  if (st_ok(call)) st_salvage_schema(&s, store);
  if (st_ok(call)) st_salvage_free_pages(&s);
  if (st_ok(call)) st_salvage_create(&s, store);
  if (st_ok(call)) st_salvage_rows(&s);
  if (st_ok(call)) st_salvage_finish(&s);
  if (st_ok(call)) copy_marks(&s);
  sqlite3_close_v2(s.db); /* of one that was stopped, statements are open until its end */
  s.db = NULL;
  if (st_ok(call)) make_store(call, store, p.partial);
  if (st_ok(call)) tell(call, store, &s, p.made); /* first: what cannot be told must not be made */
  if (st_ok(call)) give_name(call, &p);
  if (st_ok(call)) say_what_next(call, store, &s, p.made);
  end(&s, &p);
}
