/* fuzz_store.c - good store files that were damaged, opened by Stele: it reads, writes, searches, examines, repairs and salvages what it
** can, and says of the rest what is wrong; it never breaks, never hangs, and a fault of its own is never the answer.  The first byte
** chooses the store, and from SALVAGED on that its rows are only salvaged, which is quick; the others are steps of damage.h. */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/damage.h"
#include "fuzz/target.h"
#include "stele.h"

#define FILES_MAX 16
#define SALVAGED 0x80

typedef struct request {
  const char *method, *args;
} request;

typedef struct sample {
  const char *store;
  request fill[12]; /* what a good file holds; called again on the damaged one */
  request ask[8];   /* beside every method that reads and needs nothing */
} sample;

static const sample samples[] = {
  {"conversation",
   {{"conversation.create_session", "{\"session_id\":\"a\",\"source\":\"cli\",\"started_at\":1000,\"model\":\"m\"}"},
    {"conversation.create_session", "{\"session_id\":\"b\",\"source\":\"tui\",\"started_at\":2000,\"parent_session_id\":\"a\"}"},
    {"conversation.append_message", "{\"session_id\":\"a\",\"role\":\"user\",\"content\":\"where is the deploy script of the green tea shop\",\"timestamp\":1001}"},
    {"conversation.append_message", "{\"session_id\":\"a\",\"role\":\"assistant\",\"content\":\"in tools, and it needs a token\",\"timestamp\":1002}"},
    {"conversation.append_message", "{\"session_id\":\"b\",\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"more tea\"}],\"timestamp\":2001}"},
    {"conversation.set_session_title", "{\"session_id\":\"a\",\"title\":\"Deploying\"}"},
    {"conversation.update_token_counts", "{\"session_id\":\"a\",\"input_tokens\":5}"},
    {"conversation.index_messages", "{}"}},
   {{"conversation.search_messages", "{\"query\":\"deploy OR tea*\"}"},
    {"conversation.search_messages", "{\"query\":\"eplo\",\"match\":\"substrings\"}"},
    {"conversation.get_messages", "{\"session_id\":\"a\"}"},
    {"conversation.rewind_to_message", "{\"session_id\":\"a\",\"target_message_id\":1}"},
    {"conversation.delete_session", "{\"session_id\":\"b\"}"}}},
  {"telemetry",
   {{"telemetry.create_session", "{\"now\":1000}"},
    {"telemetry.register_listener", "{\"app_key\":\"a\",\"instance_index\":0,\"handler_method\":\"on\",\"topic\":\"t\",\"source_location\":\"f:1\"}"},
    {"telemetry.record_invocation", "{\"listener_id\":1,\"session_id\":1,\"execution_start_dtme\":1001,\"duration_ms\":5,\"status\":\"success\"}"},
    {"telemetry.record_invocation", "{\"listener_id\":1,\"session_id\":1,\"execution_start_dtme\":1002,\"duration_ms\":9,\"status\":\"error\",\"error_type\":\"E\"}"},
    {"telemetry.update_heartbeat", "{\"session_id\":1,\"now\":1100}"}},
   {{"telemetry.get_handler_invocations", "{\"listener_id\":1}"},
    {"telemetry.retention_cleanup", "{\"cutoff\":1002}"},
    {"telemetry.finalize_session", "{\"session_id\":1}"}}},
  {"assistant",
   {{"assistant.save_note", "{\"id\":\"a\",\"title\":\"Tea\",\"content\":\"green and hot\"}"},
    {"assistant.save_note", "{\"id\":\"b\",\"title\":\"Deploy\",\"content\":\"on Friday\"}"},
    {"assistant.create_task", "{\"id\":\"t\",\"title\":\"Buy tea\",\"due_date\":\"2026-01-31\"}"},
    {"assistant.save_user_fact", "{\"key\":\"tea\",\"value\":\"green\",\"category\":\"preference\"}"},
    {"assistant.set_embedding", "{\"source\":\"notes\",\"id\":\"a\",\"embedding\":[1,0.5,0.25],\"model\":\"m\"}"},
    {"assistant.set_embedding", "{\"source\":\"notes\",\"id\":\"b\",\"embedding\":[0,1,0.5],\"model\":\"m\"}"},
    {"recall.index", "{\"stores\":[\"assistant\"]}"}},
   {{"assistant.hybrid_search", "{\"query\":\"tea\",\"embedding\":[1,0,0]}"},
    {"assistant.get_embedding", "{\"source\":\"notes\",\"id\":\"a\"}"},
    {"recall.search", "{\"query\":\"tea\",\"stores\":[\"assistant\"]}"},
    {"assistant.delete_note", "{\"id\":\"b\"}"}}},
  {"planner",
   {{"planner.create_session", "{\"session\":\"a\"}"},
    {"planner.receive_message", "{\"session\":\"a\",\"content\":\"deploy\"}"},
    {"planner.create_plan", "{\"session\":\"a\",\"message_id\":1,\"goal\":\"Deploy it\",\"tasks\":[{\"type\":\"exec\",\"detail\":\"run\",\"expect\":\"0\"}]}"},
    {"planner.save_fact", "{\"content\":\"Project uses Flask\",\"source\":\"curator\",\"session\":\"a\",\"category\":\"project\"}"},
    {"planner.save_learning", "{\"content\":\"Tests need a database\",\"session\":\"a\"}"}},
   {{"planner.search_facts", "{\"query\":\"flask\"}"},
    {"planner.get_tasks_for_plan", "{\"plan_id\":1}"},
    {"planner.delete_facts", "{\"ids\":[1]}"}}},
  {"capture",
   {{"capture.insert_event", "{\"terminal\":\"t\",\"timestamp\":1000,\"now\":1000,\"command\":\"make test\",\"exit_code\":2,\"cwd\":\"/src\",\"hostname\":\"h\",\"shell\":\"zsh\"}"},
    {"capture.insert_event", "{\"terminal\":\"t\",\"timestamp\":2000,\"now\":2000,\"command\":\"git push\",\"cwd\":\"/src\",\"hostname\":\"h\",\"shell\":\"zsh\"}"},
    {"capture.claim", "{\"queue\":\"shell\",\"worker\":\"w\",\"now\":400000}"},
    {"recall.index", "{\"stores\":[\"capture\"]}"}},
   {{"capture.search_events", "{\"query\":\"make\"}"},
    {"capture.search_knowledge", "{\"query\":\"make\",\"mode\":\"lexical\"}"},
    {"capture.reap", "{\"now\":900000}"},
    {"recall.search", "{\"query\":\"make\",\"stores\":[\"capture\"]}"}}},
};
#define SAMPLES (sizeof samples / sizeof *samples)

/* What an operator does with a store that is not well. */
static const request upkeep[] = {{"stele.status", "{}"},        {"stele.doctor", "{}"},
                                 {"stele.backup", "{}"},        {"stele.list_backups", "{\"full\":true}"},
                                 {"stele.repair", "{}"},        {"stele.restore", "{\"dry_run\":true}"},
                                 {NULL, NULL}};

typedef struct good_file {
  char name[64];
  uint8_t *bytes;
  size_t length;
} good_file;

static struct {
  good_file files[FILES_MAX];
  size_t count;
} good[SAMPLES];

static const char *home(void) {
  static char path[300];
  snprintf(path, sizeof path, "%s/home", own_directory());
  return path;
}

static const char *in_home(const char *name) {
  static char path[600];
  snprintf(path, sizeof path, "%s/%s", home(), name);
  return path;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where) {
  (void)about, (void)type, (void)where;
  return remove(path);
}

static void clear_home(void) {
  must(nftw(home(), remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT, "a home cannot be removed");
  must(mkdir(home(), 0700) == 0, "no home");
}

static stele_db *open_home(void) {
  stele_db *db = NULL;
  must(stele_open(&(stele_options){.size = sizeof(stele_options), .home = home(), .wait_ms = 100}, &db) == STELE_OK, "no home");
  return db;
}

/* ---- good files ---- */

static void read_file(good_file *file, const char *name) {
  struct stat about;
  FILE *from = fopen(in_home(name), "rb");
  must(from && fstat(fileno(from), &about) == 0, name);
  snprintf(file->name, sizeof file->name, "%s", name);
  file->length = (size_t)about.st_size;
  file->bytes = malloc(file->length + 1);
  must(file->bytes && fread(file->bytes, 1, file->length, from) == file->length, name);
  fclose(from);
}

static int by_name(const void *one, const void *other) { return strcmp(((const good_file *)one)->name, ((const good_file *)other)->name); }

static void fill_home(stele_db *db, const sample *s) {
  for (const request *r = s->fill; r->method; r++)
    if (stele_call(db, r->method, r->args, NULL) != STELE_OK) must(false, stele_error(db)->message);
}

/* The files as they are while somebody has just written to them: what is in the log is not in the file yet. */
static void make_good(size_t which) {
  const sample *s = &samples[which];
  clear_home();
  stele_db *db = open_home();
  fill_home(db, s);
  stele_close(db);
  db = open_home();
  must(stele_call(db, s->fill[0].method, s->fill[0].args, NULL) == STELE_OK, s->fill[0].method);
  DIR *directory = opendir(home());
  struct dirent *entry;
  must(directory != NULL, "no home");
  while ((entry = readdir(directory))) {
    if (entry->d_name[0] == '.' || strstr(entry->d_name, "-shm") || strstr(entry->d_name, "lock")) continue;
    must(good[which].count < FILES_MAX, "more files than there is room for");
    read_file(&good[which].files[good[which].count++], entry->d_name);
  }
  closedir(directory);
  qsort(good[which].files, good[which].count, sizeof *good[which].files, by_name);
  stele_close(db);
}

/* ---- damaged ones ---- */

static void put_damaged(size_t which, const uint8_t *steps, size_t length) {
  damaged_file files[FILES_MAX];
  size_t count = good[which].count;
  for (size_t i = 0; i < count; i++) {
    const good_file *from = &good[which].files[i];
    files[i] = (damaged_file){.bytes = malloc(from->length + 1), .length = from->length};
    must(files[i].bytes != NULL, "no memory");
    memcpy(files[i].bytes, from->bytes, from->length);
  }
  damage(files, count, steps, length);
  clear_home();
  for (size_t i = 0; i < count; i++) {
    const char *path = in_home(good[which].files[i].name);
    FILE *to = files[i].gone ? NULL : fopen(path, "wb");
    if (to) must(fwrite(files[i].bytes, 1, files[i].length, to) == files[i].length && fclose(to) == 0, path);
    free(files[i].bytes);
  }
}

static void try_call(stele_db *db, const char *method, const char *args) {
  char *reply = NULL;
  stele_status status = stele_call(db, method, args, &reply);
  if (status == STELE_INTERNAL || status == STELE_MISUSE || (status != STELE_OK && !stele_error(db)->message[0])) {
    fprintf(stderr, "%s: %s: ", method, stele_status_name(status));
    must(false, stele_error(db)->message);
  }
  stele_free(reply);
}

/* A method that reads the store and can be called without saying anything. */
static bool needs_nothing(const stele_method *method, const char *store) {
  if (strcmp(method->store, store) != 0 || strcmp(method->access, "read") != 0 || method->flags & STELE_METHOD_OUTSIDE) return false;
  for (size_t i = 0; i < method->nparams; i++)
    if (!(method->params[i].flags & STELE_OPTIONAL)) return false;
  return true;
}

static void try_all(stele_db *db, const request *requests) {
  for (const request *r = requests; r->method; r++) try_call(db, r->method, r->args);
}

static void use_store(const sample *s) {
  const stele_method *method;
  stele_db *db = open_home();
  try_all(db, s->ask);
  for (size_t i = 0; (method = stele_method_at(i)); i++)
    if (needs_nothing(method, s->store)) try_call(db, method->name, "{}");
  try_all(db, s->fill);
  stele_close(db);
  db = open_home();
  try_all(db, upkeep);
  try_all(db, s->ask);
  stele_close(db);
}

/* Salvaging reads the file itself, while nobody has it open: as it is, and without its log. */
static void salvage(const sample *s) {
  static const char *const logs[] = {"false", "true"};
  for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
    char args[100];
    snprintf(args, sizeof args, "{\"store\":\"%s\",\"without_log\":%s}", s->store, logs[i]);
    stele_db *db = open_home();
    try_call(db, "stele.salvage", args);
    stele_close(db);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1 + DAMAGE_STEP) return 0;
  size_t which = data[0] % SAMPLES;
  if (!good[which].count) make_good(which);
  put_damaged(which, data + 1, size - 1);
  salvage(&samples[which]);
  if (data[0] < SALVAGED) use_store(&samples[which]);
  return 0;
}
