/* store.c - opening a store: find it, judge what is there, then create it, migrate it or refuse. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/copy_plan.h"
#include "engine/feature.h"
#include "engine/migrate.h"
#include "engine/opened.h"

const st_driver *st_drivers[ST_ENGINES] = {
    [ST_SQLITE] = &st_driver_sqlite,
#ifdef STELE_POSTGRES
    [ST_POSTGRES] = &st_driver_postgres,
#endif
};

static bool fail(const st_opening *opening, stele_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(const st_opening *opening, stele_status status, const char *format, ...) {
  st_error *error = opening->error;
  va_list args;
  if (error->status != STELE_OK) return false;
  error->status = status;
  va_start(args, format);
  vsnprintf(error->message, sizeof error->message, format, args);
  va_end(args);
  return false;
}

static void hint(const st_opening *opening, const char *text) {
  snprintf(opening->error->hint, sizeof opening->error->hint, "%s", text);
}

static bool refuse_old(const st_opened *opened, const st_opening *opening, const st_look *look, const char *where) {
  const st_store *store = opened->store;
  if (look->version < store->version)
    fail(opening, STELE_FORMAT, "%s is a %s store of version %d, and this Stele works with %d", where, store->name,
         look->version, store->version);
  else
    fail(opening, STELE_FORMAT, "%s is an older %s store: %s", where, store->name, look->missing);
  hint(opening, opened->target.in_home
                    ? "it is opened for reading only: bring it up to date with `stele migrate`; a backup is made first"
                    : "it is not in Stele's home: migrate it with `stele migrate` or open it with --migrate; a backup is made first");
  return false;
}

/* May Stele use what a look found, as it is or after migrating?  Nothing has been changed yet. */
static bool judge(const st_opened *opened, const st_opening *opening, const st_look *look) {
  const st_store *store = opened->store;
  const char *where = opened->driver->engine == ST_SQLITE ? opened->location : opened->schema;
  if (look->fresh) {
    if (!opened->target.readonly) return true;
    return fail(opening, STELE_NOTFOUND, "%s holds no %s store yet", where, store->name);
  }
  if (look->foreign[0]) {
    fail(opening, STELE_FORMAT, "%s is not a %s store: %s", where, store->name, look->foreign);
    if (look->advice) hint(opening, look->advice);
    return false;
  }
  if (look->version > store->accepts) {
    fail(opening, STELE_FORMAT, "%s is a %s store of version %d; this Stele knows up to %d", where, store->name,
         look->version, store->accepts);
    hint(opening, "use a newer Stele, or a copy from before it was brought to that version; the file was left as it is");
    return false;
  }
  if (!st_look_is_old(store, look)) return true;
  return (!opened->target.readonly && (opened->target.in_home || opening->migrate)) || refuse_old(opened, opening, look, where);
}

stele_status st_opened_look(const st_opened *opened, st_look *look, char problem[400]) {
  st_target target = opened->target;
  st_conn *conn = NULL;
  target.readonly = true;
  memset(look, 0, sizeof *look);
  stele_status status = opened->driver->open(&target, false, &conn, problem);
  if (status != STELE_OK) return status;
  status = opened->driver->look(conn, look);
  if (status == STELE_OK) status = opened->driver->size(conn, &look->bytes, &look->wal_bytes);
  if (status != STELE_OK) snprintf(problem, 400, "%s", conn->problem);
  opened->driver->close(conn);
  return status;
}

/* First a look that changes nothing, so that a refused file stays byte for byte what it was.  (On
** PostgreSQL connecting changes nothing, and settle() looks soon enough.) */
static bool look_first(const st_opened *opened, const st_opening *opening) {
  st_look look;
  char problem[400] = "";
  if (opened->driver->engine != ST_SQLITE || strcmp(opened->location, ":memory:") == 0) return true;
  stele_status status = st_opened_look(opened, &look, problem);
  if (status == STELE_NOTFOUND && !opened->target.readonly) return true;
  /* A writer was killed and left a rollback journal: nobody can read the file before it is undone. */
  if (status == STELE_READONLY && !opened->target.readonly) return true;
  if (status == STELE_CORRUPT) return fail(opening, STELE_CORRUPT, "%s: %s", opened->location, problem);
  if (status != STELE_OK) return fail(opening, status, "%s", problem);
  return judge(opened, opening, &look);
}

/* Half a store is none. */
static bool is_whole(const st_opened *opened, const st_opening *opening) {
  bool copying = false;
  if (opening->copying) return true;
  stele_status status = opened->driver->probe(opened->conn, ST_COPYING, NULL, &copying);
  if (status != STELE_OK) return fail(opening, status, "%s: %s", opened->store->name, opened->conn->problem);
  if (!copying) return true;
  fail(opening, STELE_BUSY, "a copy into this %s store is not finished", opened->store->name);
  hint(opening, "go on with the same `stele copy`");
  return false;
}

/* Now in earnest. */
static bool settle(st_opened *opened, const st_opening *opening) {
  st_look look;
  stele_status status = opened->driver->look(opened->conn, &look);
  if (status != STELE_OK) return fail(opening, status, "%s: %s", opened->store->name, opened->conn->problem);
  if (!judge(opened, opening, &look) || !is_whole(opened, opening)) return false;
  if (st_look_is_old(opened->store, &look) && !st_migrate(opened, opening)) return false;
  status = st_features_look(opened);
  if (status == STELE_OK) status = st_features_renew(opened);
  return status == STELE_OK || fail(opening, status, "%s: %s", opened->store->name, opened->conn->problem);
}

bool st_opened_connect_raw(st_opened *opened, const st_opening *opening) {
  char problem[400] = "";
  if (!opened->driver)
    return fail(opening, STELE_UNSUPPORTED, "this Stele was built without PostgreSQL");
  stele_status status = opened->driver->open(&opened->target, true, &opened->conn, problem);
  return status == STELE_OK || fail(opening, status, "%s", problem);
}

bool st_opened_connect(st_opened *opened, const st_opening *opening) {
  bool raw = opened->conn != NULL; /* raw statements have it open: it is not closed under them */
  if (opened->settled) return true;
  if (!opened->driver)
    return fail(opening, STELE_UNSUPPORTED, "this Stele was built without PostgreSQL");
  if (!opened->variants) opened->variants = st_alloc_zero(st_registry.nmethods * sizeof *opened->variants);
  if (!opened->variants) return fail(opening, STELE_NOMEM, "out of memory");
  opened->settled = (raw || (look_first(opened, opening) && st_opened_connect_raw(opened, opening))) && settle(opened, opening);
  if (!opened->settled && !raw) st_opened_close(opened);
  return opened->settled;
}

st_opened st_opened_apart(const st_opened *opened, bool readonly) {
  st_opened apart = {.store = opened->store,
                     .driver = opened->driver,
                     .target = opened->target,
                     .location = opened->location,
                     .schema = opened->schema,
                     .statement_timeout = opened->statement_timeout};
  apart.target.readonly = readonly || opened->target.readonly;
  return apart;
}

void st_opened_close(st_opened *opened) {
  if (opened->attached) opened->detach(opened->attached);
  opened->attached = NULL;
  if (opened->codes) opened->close_codes(opened->codes);
  opened->codes = NULL;
  st_free(opened->described);
  opened->described = NULL;
  for (uint16_t i = 0; opened->variants && i < st_registry.nmethods; i++) {
    for (st_variant *variant = opened->variants[i], *next; variant; variant = next) {
      next = variant->next;
      opened->driver->finalize(variant->prepared);
      st_free(variant);
    }
  }
  st_free(opened->variants);
  opened->variants = NULL;
  if (opened->conn) opened->driver->close(opened->conn);
  opened->conn = NULL;
  opened->settled = false;
  memset(&opened->sql, 0, sizeof opened->sql);
}
