/* handshake.c - see handshake.h. */
#include "engine/handshake.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "engine/handle.h"
#include "engine/server_seen.h"
#include "engine/system.h"
#include "registry_ids.h"

bool st_has_workers(const st_store *store) {
  for (uint16_t i = 0; i < store->nfeatures; i++)
    if (strcmp(store->features[i].name, "workers") == 0) return true;
  return false;
}

/* ---- The numbers ---- */

/* "capture=18" among the numbers that a server left; -1: it did not say. */
static int number_of(const st_server_seen *server, const char *store) {
  size_t length = strlen(store);
  int number;
  for (const char *at = server->numbers; (at = strstr(at, store)) != NULL; at += length)
    if ((at == server->numbers || at[-1] == ' ') && sscanf(at + length, "=%d", &number) == 1) return number;
  return -1;
}

void st_handshake_begin(const st_opened *opened, const st_state *state, const char *home, st_handshake *out) {
  st_server_seen server;
  memset(out, 0, sizeof *out);
  out->library = opened->store->version;
  if (st_state_is_ours(state)) out->file = state->look.version;
  else if (strcmp(state->name, "absent") != 0 && strcmp(state->name, "fresh") != 0) out->file = -1;
  if (!st_server_look(home, &server)) return;
  out->server = strcmp(server.version, STELE_VERSION) == 0 ? out->library : number_of(&server, opened->store->name);
}

/* Of several that do not fit, the one that was seen last. */
static const char *const WORKER[ST_ENGINES] = {
    "SELECT expects, worker FROM stele_workers WHERE seen_at >= ?1 ORDER BY expects <> ?2 DESC, seen_at DESC LIMIT 1",
    "SELECT expects, worker FROM stele_workers WHERE seen_at >= $1::bigint ORDER BY expects <> $2::bigint DESC, seen_at DESC LIMIT 1",
};

static stele_status read_worker(st_opened *opened, int64_t since, st_handshake *out) {
  const st_driver *driver = opened->driver;
  st_value after = {.type = ST_INT, .integer = since}, fits = {.type = ST_INT, .integer = out->library}, value;
  const st_value *values[] = {&after, &fits};
  st_prepared *prepared = NULL;
  stele_status status = driver->prepare(opened->conn, WORKER[driver->engine], &prepared);
  if (status == STELE_OK) status = driver->start(prepared, values, 2);
  if (status == STELE_OK) status = driver->step(prepared);
  if (status == STELE_ROW) {
    driver->column(prepared, 0, &value);
    out->worker = (int)value.integer;
    driver->column(prepared, 1, &value);
    snprintf(out->who, sizeof out->who, "%s", value.bytes);
  }
  driver->finalize(prepared);
  return status == STELE_ROW || status == STELE_DONE ? STELE_OK : status;
}

stele_status st_handshake_workers(const st_opened *opened, int64_t now, st_handshake *out) {
  st_opened apart = st_opened_apart(opened, true);
  bool there = false;
  char problem[400];
  if (out->file <= 0 || st_opened_in_memory(opened)) return STELE_OK;
  stele_status status = apart.driver->open(&apart.target, false, &apart.conn, problem);
  if (status != STELE_OK) return status;
  status = apart.driver->probe(apart.conn, "stele_workers", NULL, &there);
  if (status == STELE_OK && there) status = read_worker(&apart, now - ST_WORKER_RUNS_MS, out);
  st_opened_close(&apart);
  return status;
}

/* ---- The verdict ---- */

static st_discord discord_of(const st_handshake *found) {
  if (found->file == 0) return ST_FILE_FRESH;
  if (found->file > found->library) return ST_FILE_NEWER;
  if (found->worker && found->worker != found->library) return found->worker < found->library ? ST_WORKER_OLDER : ST_WORKER_NEWER;
  if (found->server && found->server != found->library) return ST_SERVER_OTHER;
  return found->file > 0 && found->file < found->library ? ST_FILE_OLDER : ST_AGREED;
}

static void explain(st_handshake *out, const char *cause, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void explain(st_handshake *out, const char *cause, const char *format, ...) {
  va_list args;
  snprintf(out->cause, sizeof out->cause, "%s", cause);
  va_start(args, format);
  vsnprintf(out->fix, sizeof out->fix, format, args);
  va_end(args);
}

void st_handshake_judge(const st_opened *opened, st_handshake *out) {
  const char *store = opened->store->name, *place = opened->schema ? opened->schema : opened->location;
  out->discord = discord_of(out);
  switch (out->discord) {
    case ST_AGREED: break;
    case ST_WORKER_OLDER:
      explain(out, "Stele was updated, the worker not yet", "first `stele backup %s`; then update the worker %.100s and start it again", store, out->who);
      break;
    case ST_WORKER_NEWER:
      explain(out, "the worker was updated, Stele not yet", "first `stele backup %s`; then update Stele, and start the server and %.100s again", store,
              out->who);
      break;
    case ST_SERVER_OTHER:
      explain(out, "the server runs on in its old version, after an update or beside another program",
              "first `stele backup %s`; then start the server again: `systemctl --user restart stele`, or end it and `stele serve`", store);
      break;
    case ST_FILE_NEWER:
      explain(out, "newer programs had it, and were replaced by older ones; versions only go forward",
              "first keep a copy of %.300s and its -wal; then use the newer Stele again, or put back the backup from before", place);
      break;
    case ST_FILE_OLDER:
      explain(out, "an older program made it, and nothing has used it since",
              "`stele migrate %s` brings it to version %d, after a backup; in the home the next use does the same", store, out->library);
      break;
    case ST_FILE_FRESH: explain(out, "there is nothing yet", "nothing: the first use makes it"); break;
  }
}

bool st_handshake_refuses(const st_handshake *found) {
  bool worker = found->worker && found->worker != found->library, server = found->server && found->server != found->library;
  return worker || server;
}

/* ---- stele.handshake ---- */

static const char *const WORDS[] = {
    [ST_AGREED] = NULL,           [ST_WORKER_OLDER] = "worker_older", [ST_WORKER_NEWER] = "worker_newer", [ST_SERVER_OTHER] = "server_other",
    [ST_FILE_NEWER] = "file_newer", [ST_FILE_OLDER] = "file_older",     [ST_FILE_FRESH] = "fresh",
};

static void tell(st_call *call, const st_opened *opened, const st_handshake *found) {
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_STELE_HANDSHAKE_STORE] = st_textz(opened->store->name);
  if (found->file >= 0) row[ST_R_STELE_HANDSHAKE_FILE] = st_int(found->file);
  row[ST_R_STELE_HANDSHAKE_LIBRARY] = st_int(found->library);
  if (found->server > 0) row[ST_R_STELE_HANDSHAKE_SERVER] = st_int(found->server);
  if (found->worker) row[ST_R_STELE_HANDSHAKE_WORKER] = st_int(found->worker);
  row[ST_R_STELE_HANDSHAKE_DISCORD] = st_textz(WORDS[found->discord]);
  row[ST_R_STELE_HANDSHAKE_REFUSES] = st_bool(st_handshake_refuses(found));
  if (found->cause[0]) row[ST_R_STELE_HANDSHAKE_CAUSE] = st_textz(st_call_copy(call, found->cause, strlen(found->cause)));
  if (found->fix[0]) row[ST_R_STELE_HANDSHAKE_FIX] = st_textz(st_call_copy(call, found->fix, strlen(found->fix)));
}

void st_stele_handshake(st_call *call) {
  for (int i = 0; i < st_registry.nstores && st_ok(call); i++) {
    const st_opened *opened = &call->db->stores[i];
    st_handshake found;
    st_state state;
    if (!st_has_workers(opened->store)) continue;
    st_state_look(opened, &state);
    st_handshake_begin(opened, &state, call->db->home, &found);
    stele_status status = st_handshake_workers(opened, st_time_now() / 1000, &found);
    if (status == STELE_NOMEM) st_fail(call, status, NULL, "out of memory");
    st_handshake_judge(opened, &found);
    tell(call, opened, &found);
  }
}
