/* handle.c - opening and closing a home, and the transactions its caller asks for. */
#include "engine/handle.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "engine/dispatch.h"
#include "engine/feature.h"
#include "engine/guard.h"
#include "engine/models.h"
#include "engine/postgres_url.h"
#include "engine/queue.h"
#include "engine/raw.h"
#include "engine/replica.h"
#include "engine/retry.h"
#include "engine/tenant_name.h"
#include "engine/sync_name.h"

#define DEFAULT_WAIT_MS 20000
#define DEFAULT_QUEUE 1000
#define DEFAULT_FLUSH_MS 500

static const char *const NAMES[] = {
#define STELE_X(name, text, http) #name,
    STELE_STATUSES(STELE_X)
#undef STELE_X
};

const char *stele_status_name(stele_status status) {
  return (unsigned)status < sizeof NAMES / sizeof *NAMES ? NAMES[status] : "UNKNOWN";
}

const char *stele_version(void) { return STELE_VERSION; }

void stele_free(void *pointer) { st_free(pointer); }

void st_log(stele_db *db, stele_log_level level, const char *format, ...) {
  char line[600];
  va_list args;
  if (!db->log) return;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  db->log(db->user, level, line);
}

static stele_status invalid(stele_db *db, const char *format, ...) __attribute__((format(printf, 2, 3)));

static stele_status invalid(stele_db *db, const char *format, ...) {
  va_list args;
  va_start(args, format);
  db->error.status = STELE_INVALID;
  vsnprintf(db->error.message, sizeof db->error.message, format, args);
  va_end(args);
  return STELE_INVALID;
}

static stele_status no_memory(stele_db *db) {
  db->error.status = STELE_NOMEM;
  snprintf(db->error.message, sizeof db->error.message, "out of memory");
  return STELE_NOMEM;
}

static const stele_place *place_of(const stele_options *options, const char *store) {
  for (size_t i = 0; i < options->nplaces; i++)
    if (strcmp(options->places[i].store, store) == 0) return &options->places[i];
  return NULL;
}

static bool is_postgres(const char *location) {
  return strncmp(location, "postgres://", 11) == 0 || strncmp(location, "postgresql://", 13) == 0;
}

/* The file of a store in the home. */
static char *home_file(const char *home, const char *file) {
  st_str path;
  st_str_init(&path, 4096);
  if (strcmp(home, ":memory:") == 0)
    st_str_addz(&path, home);
  else
    st_str_addf(&path, "%s/%s", home, file);
  return st_str_take(&path);
}

/* A store is a schema: the one that is named, or the tenant's, or one of the store's own name. */
static stele_status set_schema(stele_db *db, st_opened *opened, const st_postgres_address *address) {
  if (!address->schema && address->tenant && !st_tenant_is_name(address->tenant))
    return invalid(db, "the name of a tenant has at most %d of the characters a-z, 0-9 and _, and begins with a letter", ST_TENANT_MAX);
  opened->schema = address->schema   ? st_strdup(address->schema)
                   : address->tenant ? st_tenant_schema(address->tenant, opened->store)
                                     : st_strdup(opened->store->name);
  return opened->schema ? STELE_OK : no_memory(db);
}

static stele_status set_replica(stele_db *db, st_opened *opened, const char *reads) {
  if (!reads || strcmp(reads, "primary") == 0) return STELE_OK;
  if (strcmp(reads, "replica") != 0) return invalid(db, "reads= in the address of a database must be primary or replica");
  opened->replica = st_replica_new(opened);
  return opened->replica ? STELE_OK : no_memory(db);
}

static stele_status set_address(stele_db *db, st_opened *opened, const char *url) {
  st_postgres_address address;
  if (!st_postgres_split(url, &address)) return no_memory(db);
  opened->target.location = opened->location = address.location;
  opened->target.statement_timeout = opened->statement_timeout = address.statement_timeout;
  address.location = address.statement_timeout = NULL; /* they are the store's now */
  stele_status status = set_schema(db, opened, &address);
  opened->target.schema = opened->schema;
  if (status == STELE_OK) status = set_replica(db, opened, address.reads);
  st_postgres_address_free(&address);
  return status;
}

static stele_status set_location(stele_db *db, st_opened *opened, const char *url, const char *home) {
  opened->driver = st_drivers[url && is_postgres(url) ? ST_POSTGRES : ST_SQLITE];
  if (url && is_postgres(url)) return set_address(db, opened, url);
  if (!url && !home) return STELE_OK;
  opened->target.location = opened->location = url ? st_strdup(url) : home_file(home, opened->store->file);
  return opened->location ? STELE_OK : no_memory(db);
}

static stele_status set_store(stele_db *db, const stele_options *options, st_opened *opened) {
  const stele_place *place = place_of(options, opened->store->name);
  const char *durability = place ? place->durability : NULL;
  const char *url = place && place->location ? place->location : options->database;
  if (durability && strcmp(durability, "full") != 0 && strcmp(durability, "normal") != 0)
    return invalid(db, "durability of %s must be full or normal", opened->store->name);
  opened->target.store = opened->store;
  opened->target.full = durability ? strcmp(durability, "full") == 0 : opened->store->full;
  opened->target.readonly = (options->flags & STELE_OPEN_READONLY) != 0;
  opened->target.network_fs = (options->flags & STELE_OPEN_NETWORK_FS) != 0;
  opened->target.in_home = !(place && place->location);
  opened->target.wait_ms = db->wait_ms;
  opened->target.log = db->log;
  opened->target.user = db->user;
  opened->target.interrupted = &db->interrupted;
  return set_location(db, opened, url, options->home);
}

/* A program may have been built when the options were fewer: those it does not know are not looked at. */
static bool is_known_size(size_t size) {
  return size == sizeof(stele_options) || size == offsetof(stele_options, chat) || size == offsetof(stele_options, embedding) ||
         size == offsetof(stele_options, vault_keys) || size == offsetof(stele_options, redaction);
}

static bool has_redaction(const stele_options *options) {
  return options->size > offsetof(stele_options, redaction) && options->redaction;
}

static bool has_vault_keys(const stele_options *options) {
  return options->size > offsetof(stele_options, vault_keys) && options->vault_keys;
}

static const stele_embedding *embedding_of(const stele_options *options) {
  return options->size > offsetof(stele_options, embedding) ? options->embedding : NULL;
}

static const stele_chat *chat_of(const stele_options *options) {
  return options->size > offsetof(stele_options, chat) ? options->chat : NULL;
}

static stele_status configure(stele_db *db, const stele_options *options) {
  if (!is_known_size(options->size)) return invalid(db, "stele_options.size must be sizeof(stele_options)");
  for (size_t i = 0; i < options->nplaces; i++)
    if (!options->places[i].store || !st_store_find(options->places[i].store, NULL))
      return invalid(db, "there is no store %s", options->places[i].store ? options->places[i].store : "(null)");
  if (options->database && !is_postgres(options->database))
    return invalid(db, "the database must be a postgres:// address");
  if (options->home && !options->home[0]) return invalid(db, "the home has no name");
  db->flags = options->flags;
  db->wait_ms = options->wait_ms > 0 ? options->wait_ms : DEFAULT_WAIT_MS;
  db->log = options->log;
  db->progress = options->progress;
  db->user = options->user;
  if (options->home && !(db->home = st_strdup(options->home))) return no_memory(db);
  if (has_redaction(options) && !(db->redaction = st_strdup(options->redaction))) return no_memory(db);
  const char *wrong;
  stele_status models = st_models_keep(db, embedding_of(options), chat_of(options), &wrong);
  if (models != STELE_OK) return models == STELE_NOMEM ? no_memory(db) : invalid(db, "%s", wrong);
  if (has_vault_keys(options)) db->vault_wrong = st_fernet_keys_read(&db->vault, options->vault_keys);
  db->stores = st_alloc_zero((st_registry.nstores + 1u) * sizeof *db->stores);
  if (!db->stores) return no_memory(db);
  stele_status status = STELE_OK;
  for (uint16_t i = 0; i < st_registry.nstores && status == STELE_OK; i++) {
    db->stores[i].store = &st_registry.stores[i];
    status = set_store(db, options, &db->stores[i]);
  }
  return status;
}

/* The queue writes through a handle of its own, so that it never meets its caller's. */
static stele_status start_queue(stele_db *db, const stele_options *options) {
  stele_options own = {.size = 0};
  stele_db *writer = NULL;
  memcpy(&own, options, options->size);
  own.flags &= ~STELE_OPEN_QUEUE;
  own.vault_keys = NULL; /* nothing that is queued needs them, */
  own.embedding = NULL;  /* nor vectors, */
  own.chat = NULL;       /* nor answers */
  if (options->home && strcmp(options->home, ":memory:") == 0)
    return invalid(db, "a store in memory has no queue: another handle cannot see it");
  if (stele_open(&own, &writer) == STELE_OK)
    db->queue = st_queue_open(writer, options->queue_capacity > 0 ? options->queue_capacity : DEFAULT_QUEUE,
                              options->queue_flush_ms > 0 ? options->queue_flush_ms : DEFAULT_FLUSH_MS);
  if (db->queue) return STELE_OK;
  stele_close(writer);
  return no_memory(db);
}

stele_status stele_open(const stele_options *options, stele_db **out) {
  if (!out) return STELE_MISUSE;
  stele_db *db = *out = st_alloc_zero(sizeof *db);
  if (!db) return STELE_NOMEM;
  db->pid = st_guard_pid();
  st_str_init(&db->notes, 1 << 16);
  stele_status status = options ? configure(db, options) : invalid(db, "options are missing");
  if (status == STELE_OK && (options->flags & STELE_OPEN_QUEUE)) status = start_queue(db, options);
  return status;
}

void stele_close(stele_db *db) {
  if (!db || db->pid != st_guard_pid()) return; /* in a forked child: closing would take the parent's locks along */
  while (db->stmts) stele_finalize(db->stmts);
  st_raw_close(db);
  if (db->tx) db->tx->driver->rollback(db->tx->conn);
  if (db->queue) st_queue_close(db->queue, db->wait_ms); /* after the transaction: it would wait for its end */
  for (uint16_t i = 0; db->stores && i < st_registry.nstores; i++) {
    st_replica_free(db->stores[i].replica);
    st_opened_close(&db->stores[i]);
    st_free(db->stores[i].location);
    st_free(db->stores[i].schema);
    st_free(db->stores[i].statement_timeout);
  }
  st_free(db->stores);
  st_free(db->home);
  if (db->redactor) db->free_redactor(db->redactor);
  st_free(db->redaction);
  if (db->embedder) db->free_embedder(db->embedder);
  if (db->chatting) db->free_chatting(db->chatting);
  st_models_forget(db);
  st_fernet_keys_wipe(&db->vault);
  st_str_free(&db->notes);
  st_free(db);
}

bool st_handle_make_home(const char *home) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s", home) >= (int)sizeof path) return false;
  for (char *slash = path + 1;; slash++) {
    if (*slash != '/' && *slash != '\0') continue;
    char was = *slash;
    *slash = '\0';
    if (mkdir(path, 0700) == 0 ? !st_sync_name(path) : errno != EEXIST) return false;
    if (!was) return true;
    *slash = was;
  }
}

/* See to it that the store has a place to be. */
static bool has_place(const stele_db *db, const st_opened *opened, st_error *error) {
  if (opened->conn) return true;
  if (!opened->location) {
    error->status = STELE_INVALID;
    snprintf(error->message, sizeof error->message, "%s has no place: the handle was opened without a home",
             opened->store->name);
    return false;
  }
  bool in_home = db->home && opened->target.in_home && !opened->schema && strcmp(db->home, ":memory:") != 0;
  if (in_home && !opened->target.readonly && !st_handle_make_home(db->home)) {
    error->status = STELE_IO;
    snprintf(error->message, sizeof error->message, "%s cannot be made: %s", db->home, strerror(errno));
    return false;
  }
  return true;
}

static st_opening opening_of(const stele_db *db, st_error *error) {
  return (st_opening){.migrate = (db->flags & STELE_OPEN_MIGRATE) != 0, .progress = db->progress, .user = db->user, .error = error};
}

bool st_handle_store(stele_db *db, int index, st_error *error, st_opened **out) {
  st_opened *opened = *out = &db->stores[index];
  st_opening opening = opening_of(db, error);
  return opened->settled || (has_place(db, opened, error) && st_opened_connect(opened, &opening));
}

bool st_handle_raw_store(stele_db *db, int index, st_error *error, st_opened **out) {
  st_opened *opened = *out = &db->stores[index];
  st_opening opening = opening_of(db, error);
  return opened->conn || (has_place(db, opened, error) && st_opened_connect_raw(opened, &opening));
}

void st_handle_let_go(st_call *call, st_opened *own) {
  bool used = call->db->tx == own || call->db->raws;
  for (const stele_stmt *stmt = call->db->stmts; stmt; stmt = stmt->next) used = used || (stmt->stream && stmt->call.store == own);
  if (used) st_fail(call, STELE_MISUSE, NULL, "%s is in use by this handle: end its statements and its transaction first", own->store->name);
  else st_opened_close(own);
}

stele_status stele_begin(stele_db *db, const char *store) {
  int index = -1;
  stele_status status = st_guard(db);
  if (status != STELE_OK) return status;
  if (!store || !st_store_find(store, &index)) return st_guard_fail(db, STELE_INVALID, "there is no store %s", store ? store : "(null)");
  if (db->tx) return st_guard_fail(db, STELE_MISUSE, "a transaction is open already, on %s", db->tx->store->name);
  st_opened *opened;
  if (!st_handle_store(db, index, &db->error, &opened)) return db->error.status;
  st_settle_streams(db, opened);
  if (db->error.status != STELE_OK) return db->error.status;
  st_retry retry = st_retry_begin(db);
  do status = opened->driver->begin(opened->conn, true);
  while (st_retry_fits(status) && st_retry_after(&retry, opened->conn));
  if (status != STELE_OK) return st_guard_fail(db, status, "%s", opened->conn->problem);
  db->tx = opened;
  return STELE_OK;
}

static stele_status end(stele_db *db, bool commit) {
  stele_status status = st_guard(db);
  if (status != STELE_OK) return status;
  if (!db->tx) return st_guard_fail(db, STELE_MISUSE, "no transaction is open");
  st_opened *opened = db->tx;
  db->tx = NULL;
  if (commit && !opened->driver->active(opened->conn)) {
    opened->driver->rollback(opened->conn);
    st_drop_stuck(db, opened);
    return st_guard_fail(db, STELE_CONFLICT, "the transaction was ended by an earlier failure: nothing was written");
  }
  if (commit) status = opened->driver->commit(opened->conn);
  if (status != STELE_OK) st_guard_fail(db, status, "%s", opened->conn->problem);
  if (!commit) opened->driver->rollback(opened->conn);
  if (!commit || status != STELE_OK) opened->features_ms = 0; /* one that was made inside is gone again */
  st_features_changed(opened);
  st_drop_stuck(db, opened);
  return status;
}

stele_status stele_commit(stele_db *db) { return end(db, true); }
stele_status stele_rollback(stele_db *db) { return end(db, false); }

const stele_failure *stele_error(stele_db *db) {
  static const stele_failure none = {STELE_NOMEM, "", "", "out of memory", ""};
  if (!db) return &none;
  db->failure = (stele_failure){db->error.status, db->error.method, db->error.field, db->error.message, db->error.hint};
  return &db->failure;
}

void stele_interrupt(stele_db *db) {
  if (db) atomic_store_explicit(&db->interrupted, true, memory_order_relaxed);
}

const char *stele_notes(stele_db *db) { return db && db->notes.length ? db->notes.text : ""; }
