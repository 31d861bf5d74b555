/* play.c - the library behind a pipe, for tests in other languages.
**
** One request per line, words separated by tabs; one answer per line, `ok` and JSON, or `error` and
** {"code","method","field","message","hint"}:
**
**     open      OPTIONS          stele_open; OPTIONS is JSON: home, database, stores {name: location},
**                                durability, wait_ms, redaction, vault_keys, flags ["readonly", ...]
**     call      METHOD  ARGS     stele_call
**     step      METHOD  ARGS     the same through stele_prepare, stele_bind_*, stele_step, stele_column_*
**     notes                      stele_notes, what the last call had to remark
**     find      STORE OPTIONS    what the search index of a store tells (find.h); index, reindex STORE bring it up to date
**     begin     STORE            stele_begin; likewise commit, rollback, close
**     digest                     a hash of all rows, and how many there are (SQLite)
**     check                      SQLite's integrity and foreign key checks, of stores and of their search indexes
**     fault     KIND  N  [persistent]   let the N-th alloc, arena, io, full, short, busy or sync fail, or eio, enospc, kill, statement (fault.h)
**     fault     off              no more faults; answers how many there were
**     record    PATH             write down all that is asked of the disk from now on (disk.h)
**     bug       dropped-rollback from the next open on a rollback does nothing but leave the turn
**     bug       lost-commit      ... or a commit rolls back, and says it was done
**
** Faults hit only the library's functions, never this program.  With --no-lookaside they hit every
** allocation of SQLite, also the small ones that it takes from a reserve of its own.  With --system SQLite's files are those of the
** system, as record, eio and enospc need it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "engine/opened.h"
#include "engine/sqlite_driver.h"
#include "fault/disk.h"
#include "fault/fault.h"
#include "play/digest.h"
#include "play/find.h"
#include "play/typed.h"

#define MEMORY (256u << 20)
#define STORES_MAX 16

static stele_db *db;

/* ---- Answers ---- */

static void answer(const char *word, const char *text, size_t length) {
  printf("%s\t", word);
  fwrite(text, 1, length, stdout);
  putchar('\n');
  fflush(stdout);
}

static void answer_ok(const char *json) { answer("ok", json, strlen(json)); }

static void answer_error(const stele_failure *failure) {
  const char *const names[] = {"code", "method", "field", "message", "hint"};
  const char *const values[] = {stele_status_name(failure->status), failure->method, failure->field, failure->message,
                                failure->hint};
  st_str out;
  st_str_init(&out, MEMORY);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    st_str_addf(&out, "%c\"%s\":", i ? ',' : '{', names[i]);
    st_json_add_string(&out, values[i], strlen(values[i]));
  }
  st_str_addc(&out, '}');
  answer("error", out.text, out.length);
  st_str_free(&out);
}

/* The request itself was wrong: a fault of the test. */
static void answer_wrong(const char *message) {
  answer_error(&(stele_failure){STELE_MISUSE, "", "", message, "the player was not asked rightly"});
}

/* A status and what the handle says about it must agree. */
static void answer_status(stele_status status, const char *json) {
  const stele_failure *failure = stele_error(db);
  if (status == STELE_OK && failure->status != STELE_OK)
    answer_wrong("a call succeeded, and stele_error() tells a failure");
  else if (status == STELE_OK)
    answer_ok(json);
  else if (failure->status != status)
    answer_wrong("a call failed, and stele_error() tells another failure or none");
  else
    answer_error(failure);
}

/* ---- Requests; words[0] is the command ---- */

static const char *text_of(const st_json *options, const char *name) {
  const st_json *value = st_json_get(options, name);
  return value && value->type == ST_JSON_STRING ? value->text : NULL;
}

static int number_of(const st_json *options, const char *name) {
  const st_json *value = st_json_get(options, name);
  return value && value->type == ST_JSON_INT ? (int)value->integer : 0;
}

static unsigned flags_of(const st_json *options) {
  static const struct {
    const char *name;
    unsigned flag;
  } names[] = {{"migrate", STELE_OPEN_MIGRATE},
               {"readonly", STELE_OPEN_READONLY},
               {"network_fs", STELE_OPEN_NETWORK_FS},
               {"queue", STELE_OPEN_QUEUE}};
  const st_json *list = st_json_get(options, "flags");
  unsigned flags = 0;
  for (const st_json *item = list ? list->first : NULL; item; item = item->next)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      if (item->text && strcmp(item->text, names[i].name) == 0) flags |= names[i].flag;
  return flags;
}

/* Every store of the registry, where the options say and as durable as they say. */
static size_t places_of(const st_json *options, stele_place places[STORES_MAX]) {
  const st_json *stores = st_json_get(options, "stores");
  size_t count = 0;
  for (; count < st_registry.nstores && count < STORES_MAX; count++) {
    const char *name = st_registry.stores[count].name;
    places[count] = (stele_place){name, stores ? text_of(stores, name) : NULL, text_of(options, "durability")};
  }
  return count;
}

/* The language model that the options name. */
static stele_chat chat_of(const st_json *options) {
  const st_json *chat = st_json_get(options, "chat");
  if (!chat) return (stele_chat){.size = sizeof(stele_chat)};
  return (stele_chat){.size = sizeof(stele_chat),
                      .endpoint = text_of(chat, "endpoint"),
                      .model = text_of(chat, "model"),
                      .key = text_of(chat, "key"),
                      .timeout_ms = number_of(chat, "timeout_ms"),
                      .retries = number_of(chat, "retries"),
                      .prompt_tokens = number_of(chat, "prompt_tokens"),
                      .answer_tokens = number_of(chat, "answer_tokens"),
                      .prompt_price = number_of(chat, "prompt_price"),
                      .answer_price = number_of(chat, "answer_price")};
}

static void do_close(char **words) {
  (void)words;
  digest_forget();
  fault_enter();
  stele_close(db);
  fault_leave();
  db = NULL;
  answer_ok("{}");
}

static void do_open(char **words) {
  stele_place places[STORES_MAX];
  st_arena arena;
  st_json_error error;
  st_arena_init(&arena, MEMORY);
  const st_json *json = st_json_parse(&arena, words[1], strlen(words[1]), 0, &error);
  if (!json || db) {
    answer_wrong(db ? "a handle is open already" : "the options are not JSON");
  } else {
    stele_chat chat = chat_of(json);
    stele_options options = {.size = sizeof options,
                             .home = text_of(json, "home"),
                             .database = text_of(json, "database"),
                             .places = places,
                             .nplaces = places_of(json, places),
                             .flags = flags_of(json),
                             .wait_ms = number_of(json, "wait_ms"),
                             .queue_capacity = number_of(json, "queue_capacity"),
                             .queue_flush_ms = number_of(json, "queue_flush_ms"),
                             .redaction = text_of(json, "redaction"),
                             .vault_keys = text_of(json, "vault_keys"),
                             .chat = &chat};
    fault_enter();
    stele_status status = stele_open(&options, &db);
    fault_leave();
    answer_status(status, "{}");
    if (status != STELE_OK) {
      stele_close(db);
      db = NULL;
    }
  }
  st_arena_free(&arena);
}

static void do_call(char **words) {
  char *reply = NULL;
  fault_enter();
  stele_status status = stele_call(db, words[1], words[2], &reply);
  fault_leave();
  if (status == STELE_OK && !reply)
    answer_wrong("a call succeeded without a reply");
  else
    answer_status(status, reply);
  stele_free(reply);
}

static bool find_word(st_str *out, char **words, st_error *error) {
  const char *word = words[0];
  if (strcmp(word, "find") == 0) return find_add(out, db, words[1], words[2], error);
  if (strcmp(word, "near") == 0) return find_near(out, db, words[1], words[2], error);
  if (strcmp(word, "embed") == 0) return find_embed(out, db, words[1], words[2], error);
  if (strcmp(word, "code") == 0) return find_code(out, db, words[1], error);
  return find_index(out, db, words[1], strcmp(word, "reindex") == 0, error);
}

static void do_find(char **words) {
  st_error error;
  st_str out;
  st_str_init(&out, MEMORY);
  fault_enter();
  bool good = find_word(&out, words, &error);
  fault_leave();
  if (good)
    answer_ok(out.text);
  else
    answer_error(&(stele_failure){error.status, "", "", error.message, error.hint});
  st_str_free(&out);
}

static void do_step(char **words) {
  st_str reply;
  st_str_init(&reply, MEMORY);
  stele_status status = typed_call(db, words[1], words[2], &reply);
  answer_status(status, reply.text);
  st_str_free(&reply);
}

static void do_notes(char **words) {
  st_str out;
  const char *notes = stele_notes(db);
  (void)words;
  st_str_init(&out, MEMORY);
  st_json_add_string(&out, notes, strlen(notes));
  answer("ok", out.text, out.length);
  st_str_free(&out);
}

static void do_transaction(char **words) {
  fault_enter();
  stele_status status = strcmp(words[0], "begin") == 0    ? stele_begin(db, words[1])
                        : strcmp(words[0], "commit") == 0 ? stele_commit(db)
                                                          : stele_rollback(db);
  fault_leave();
  answer_status(status, "{}");
}

static const char COMPATIBLE[] = "compatible";

static bool is_compatible(const st_opened *opened) {
  for (uint16_t f = 0; f < opened->store->nfeatures; f++)
    if (opened->features >> f & 1 && strcmp(opened->store->features[f].name, COMPATIBLE) == 0) return true;
  return false;
}

/* Every feature but the form of other programs' files: making one under faults is not what is played. */
static void do_features(char **words) {
  bool good = true;
  (void)words;
  for (uint16_t i = 0; i < st_registry.nstores; i++) {
    st_opened *opened = &db->stores[i];
    if (opened->conn && is_compatible(opened)) continue;
    for (uint16_t f = 0; good && opened->conn && f < opened->store->nfeatures; f++) {
      const st_feature *feature = &opened->store->features[f];
      bool wanted = strcmp(feature->name, COMPATIBLE) != 0 && !(opened->features >> f & 1) && feature->sql[opened->driver->engine];
      if (wanted) good = opened->driver->script(opened->conn, feature->sql[opened->driver->engine]) == STELE_OK;
    }
    if (good && opened->conn) good = st_features_look(opened) == STELE_OK;
  }
  if (good)
    answer_ok("{}");
  else
    answer_wrong("the features cannot be made");
}

static void do_look(char **words) {
  st_str out;
  st_str_init(&out, MEMORY);
  bool good = strcmp(words[0], "digest") == 0 ? digest_add(&out, db) : check_add(&out, db);
  if (good)
    answer("ok", out.text, out.length);
  else
    answer_error(&(stele_failure){STELE_IO, "", "", out.text, ""});
  st_str_free(&out);
}

static void end_faults(void) {
  st_str json;
  fault_counts counts = fault_disarm();
  st_str_init(&json, 1 << 20);
  st_str_addf(&json, "{\"calls\":%lld,\"fired\":%lld,\"syncs\":%lld,\"last\":\"%s\",\"places\":[",
              (long long)counts.calls, (long long)counts.fired, (long long)counts.syncs, counts.last);
  for (size_t i = 0; i < counts.nplaces; i++) st_str_addf(&json, "%s%lld", i ? "," : "", (long long)counts.places[i]);
  st_str_addz(&json, "]}");
  answer_ok(json.text);
  st_str_free(&json);
}

static void do_fault(char **words) {
  static const struct {
    const char *name;
    fault_kind kind;
  } kinds[] = {{"alloc", FAULT_ALLOC},
               {"arena", FAULT_ARENA},
               {"io", FAULT_IO},
               {"full", FAULT_FULL},
               {"short", FAULT_SHORT},
               {"busy", FAULT_BUSY},
               {"sync", FAULT_SYNC},
               {"eio", FAULT_EIO},
               {"enospc", FAULT_ENOSPC},
               {"kill", FAULT_KILL},
               {"statement", FAULT_STATEMENT}};
  if (strcmp(words[1], "off") == 0) {
    end_faults();
    return;
  }
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(words[1], kinds[i].name) != 0) continue;
    fault_arm(kinds[i].kind, atoll(words[2]), strcmp(words[3], "persistent") == 0);
    answer_ok("{}");
    return;
  }
  answer_wrong("there is no such kind of fault");
}

static void do_record(char **words) {
  if (disk_record(words[1]))
    answer_ok("{}");
  else
    answer_wrong("the record cannot be made");
}

/* What a driver would do whose author forgot the ROLLBACK. */
static void dropped_rollback(st_conn *base) {
  st_sqlite *conn = (st_sqlite *)base;
  conn->writing = false;
  if (conn->has_turn) st_turn_leave(conn->turn);
  conn->has_turn = false;
}

/* And one that says done before it is. */
static stele_status lost_commit(st_conn *conn) {
  st_driver_sqlite.rollback(conn);
  return STELE_OK;
}

static void do_bug(char **words) {
  static st_driver buggy;
  buggy = st_driver_sqlite;
  if (strcmp(words[1], "dropped-rollback") == 0) {
    buggy.rollback = dropped_rollback;
  } else if (strcmp(words[1], "lost-commit") == 0) {
    buggy.commit = lost_commit;
  } else {
    answer_wrong("there is no such bug");
    return;
  }
  st_drivers[ST_SQLITE] = &buggy;
  answer_ok("{}");
}

/* ---- The loop ---- */

#define WORDS 4

static void obey(char **words) {
  static const struct {
    const char *name;
    void (*run)(char **words);
  } commands[] = {{"open", do_open},         {"close", do_close},          {"call", do_call},     {"step", do_step},
                  {"notes", do_notes},       {"find", do_find},           {"index", do_find},          {"reindex", do_find},
                  {"near", do_find},         {"embed", do_find},          {"code", do_find},
                  {"begin", do_transaction}, {"commit", do_transaction},   {"rollback", do_transaction},
                  {"features", do_features}, {"digest", do_look},       {"check", do_look},           {"fault", do_fault},   {"record", do_record},
                  {"bug", do_bug}};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    if (strcmp(commands[i].name, words[0]) != 0) continue;
    commands[i].run(words);
    return;
  }
  answer_wrong("there is no such command");
}

/* Cut a line at its tabs; missing words are "". */
static void split(char *line, char *words[WORDS]) {
  static char empty[] = "";
  line[strcspn(line, "\n")] = '\0';
  for (int i = 0; i < WORDS; i++) {
    words[i] = line ? line : empty;
    if (!line || !(line = strchr(line, '\t'))) continue;
    *line++ = '\0';
  }
}

static bool has_option(int count, char **arguments, const char *name) {
  for (int i = 1; i < count; i++)
    if (strcmp(arguments[i], name) == 0) return true;
  return false;
}

int main(int count, char **arguments) {
  char *line = NULL, *words[WORDS];
  size_t room = 0;
  bool every = has_option(count, arguments, "--no-lookaside");
  if (every && sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) != SQLITE_OK) return 1;
  if (!fault_install(has_option(count, arguments, "--system"))) return 1;
  while (getline(&line, &room, stdin) > 0) {
    split(line, words);
    obey(words);
  }
  free(line);
  digest_forget();
  stele_close(db);
  return 0;
}
