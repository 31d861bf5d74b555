/* place.c - see place.h. */
#include "kill/place.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/opened.h"
#include "engine/registry.h"

#define COLUMNS_MAX 8

static bool make_home(place *p) {
  const char *where = getenv("TMPDIR");
  snprintf(p->directory, sizeof p->directory, "%.150s/stele-kill-XXXXXX", where ? where : "/tmp");
  return mkdtemp(p->directory) != NULL;
}

static bool make_schema(place *p) {
  const char *url = getenv("STELE_TEST_POSTGRES");
  if (!url || !st_drivers[ST_POSTGRES]) {
    fprintf(stderr, "STELE_TEST_POSTGRES must name a PostgreSQL server (tests/postgres.py starts one)\n");
    return false;
  }
  snprintf(p->url, sizeof p->url, "%s", url);
  snprintf(p->name, sizeof p->name, "kill_%ld", (long)getpid());
  snprintf(p->location, sizeof p->location, "%s%cschema=%s&application_name=%s", url, strchr(url, '?') ? '&' : '?',
           p->name, p->name);
  return true;
}

bool place_make(place *p, st_engine engine) {
  memset(p, 0, sizeof *p);
  p->engine = engine;
  p->telemetry = (stele_place){.store = "telemetry", .durability = "full"};
  return engine == ST_SQLITE ? make_home(p) : make_schema(p);
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at) {
  (void)info, (void)type, (void)at;
  return remove(path);
}

static st_conn *connect_to(const place *p, bool readonly) {
  char file[300], problem[400];
  st_conn *conn = NULL;
  snprintf(file, sizeof file, "%s/telemetry.db", p->directory);
  st_target target = {.store = st_store_find("telemetry", NULL),
                      .location = p->engine == ST_SQLITE ? file : p->url,
                      .schema = p->name,
                      .readonly = readonly,
                      .wait_ms = 20000};
  if (st_drivers[p->engine]->open(&target, false, &conn, problem) != STELE_OK) fprintf(stderr, "# %s\n", problem);
  return conn;
}

st_conn *place_connect(const place *p) { return connect_to(p, true); }

void place_remove(const place *p) {
  char sql[100];
  if (p->engine == ST_SQLITE) {
    nftw(p->directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return;
  }
  st_conn *conn = connect_to(p, false);
  if (!conn) return;
  snprintf(sql, sizeof sql, "DROP SCHEMA %s CASCADE", p->name);
  conn->driver->script(conn, sql);
  conn->driver->close(conn);
}

stele_options place_options(const place *p) {
  stele_options options = {.size = sizeof options, .places = &p->telemetry, .nplaces = 1};
  if (p->engine == ST_SQLITE)
    options.home = p->directory;
  else
    options.database = p->location;
  return options;
}

static stele_status read_rows(st_conn *conn, st_prepared *prepared, row_function *row, void *to) {
  st_value values[COLUMNS_MAX];
  size_t count = conn->driver->columns(prepared);
  stele_status status = conn->driver->start(prepared, NULL, 0);
  if (status != STELE_OK) return status;
  while ((status = conn->driver->step(prepared)) == STELE_ROW) {
    for (size_t i = 0; i < count && i < COLUMNS_MAX; i++) conn->driver->column(prepared, i, &values[i]);
    row(to, values);
  }
  return status;
}

bool place_query(st_conn *conn, const char *sql, row_function *row, void *to) {
  st_prepared *prepared = NULL;
  stele_status status = conn->driver->prepare(conn, sql, &prepared);
  if (status == STELE_OK) status = read_rows(conn, prepared, row, to);
  conn->driver->finalize(prepared);
  if (status != STELE_DONE) fprintf(stderr, "# %s: %s\n", sql, conn->problem);
  return status == STELE_DONE;
}

static void take_number(void *to, const st_value *row) { *(int64_t *)to = row[0].integer; }

bool place_settle(const place *p, st_conn *conn) {
  char sql[200];
  int64_t left = 1;
  if (p->engine == ST_SQLITE) return true;
  snprintf(sql, sizeof sql, "SELECT count(*) FROM pg_stat_activity WHERE application_name = '%s'", p->name);
  for (int tries = 0; tries < 6000 && left > 0; tries++) {
    if (!place_query(conn, sql, take_number, &left)) return false;
    if (left > 0) usleep(5000);
  }
  return left == 0;
}
