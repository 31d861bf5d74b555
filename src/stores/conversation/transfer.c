/* transfer.c - taking sessions back that were exported. */
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "registry_ids.h"
#include "stores/conversation/conversation.h"
#include "stores/conversation/text.h"

enum { FIELDS = ST_P_CONVERSATION_PUT_SESSION_ARCHIVED + 1 };
_Static_assert((int)ST_P_CONVERSATION_IMPORT_SESSION_ARCHIVED + 1 == (int)FIELDS, "put_session begins import_session");

/* One session of the call, by its id. */
typedef struct entry {
  const st_value *record; /* import_session's arguments */
  bool begun;             /* it has been dealt with, or is about to be */
} entry;

typedef struct import {
  st_call *call;
  entry *entries; /* sorted by id */
  uint32_t count;
  int64_t highest; /* number of a message before the call */
  bool numbered;   /* some message kept its number */
  int64_t imported, skipped, messages, orphaned, retitled;
} import;

static const st_value *id_of(const entry *e) { return &e->record[ST_P_CONVERSATION_IMPORT_SESSION_ID]; }

static const st_value *parent_of(const entry *e) {
  return &e->record[ST_P_CONVERSATION_IMPORT_SESSION_PARENT_SESSION_ID];
}

static int compare_text(const st_value *a, const st_value *b) {
  int order = memcmp(a->bytes, b->bytes, a->length < b->length ? a->length : b->length);
  return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* By id, and of equal ones in the order sent. */
static int compare_entries(const void *one, const void *other) {
  const entry *a = one, *b = other;
  int order = compare_text(id_of(a), id_of(b));
  return order ? order : (a->record > b->record) - (a->record < b->record);
}

static entry *find_entry(import *im, const st_value *id) {
  uint32_t low = 0, high = im->count;
  if (id->type != ST_TEXT) return NULL;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int order = compare_text(id_of(&im->entries[middle]), id);
    if (order == 0) return &im->entries[middle];
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return NULL;
}

/* The number that a method's only row has in its first column; otherwise 0. */
static int64_t number(st_call *call, int method, const st_value *args) {
  st_value value = st_int(0);
  st_rows rows;
  st_rows_start(call, &rows, method, args);
  if (st_rows_next(call, &rows)) st_rows_value(call, &rows, 0, &value);
  st_rows_end(call, &rows);
  return value.integer;
}

static bool has_session(st_call *call, const st_value *id) {
  return number(call, STELE_M_CONVERSATION_HAS_SESSION, id) != 0;
}

/* A title of its own: another session may have the one it had. */
static void settle_title(import *im, st_value *session) {
  st_value *title = &session[ST_P_CONVERSATION_PUT_SESSION_TITLE];
  st_rows rows;
  if (title->type != ST_TEXT) return;
  st_rows_start(im->call, &rows, STELE_M_CONVERSATION_FIND_TITLE,
                (const st_value[]){*title, session[ST_P_CONVERSATION_PUT_SESSION_ID]});
  bool taken = st_rows_next(im->call, &rows);
  st_rows_end(im->call, &rows);
  if (!taken) return;
  *title = st_textz(st_conversation_next_title(im->call, title->bytes, title->length));
  im->retitled++;
}

static void settle_parent(import *im, st_value *session) {
  st_value *parent = &session[ST_P_CONVERSATION_PUT_SESSION_PARENT_SESSION_ID];
  if (parent->type != ST_TEXT || has_session(im->call, parent)) return;
  parent->type = ST_NULL;
  im->orphaned++;
}

/* May a session's messages keep their numbers?  Only above every number that there ever was: the
** search index has gone past the others, and looks for new messages behind them. */
static bool may_keep_numbers(import *im, const st_value *messages) {
  st_value *ids = st_call_alloc(im->call, (messages->count + 1) * sizeof *ids);
  int64_t last = im->highest;
  if (!ids || messages->count == 0) return false;
  for (uint32_t i = 0; i < messages->count; i++) {
    const st_value *id = &messages->items[(size_t)i * messages->width + ST_P_CONVERSATION_PUT_MESSAGE_ID];
    if (id->type != ST_INT || id->integer <= last) return false;
    ids[i] = *id;
    last = id->integer;
  }
  st_value list = {.type = ST_LIST, .items = ids, .count = messages->count, .width = 1};
  return number(im->call, STELE_M_CONVERSATION_COUNT_NUMBERS, &list) == 0;
}

static void import_messages(import *im, const st_value *session, const st_value *messages) {
  const st_value *id = &session[ST_P_CONVERSATION_PUT_SESSION_ID];
  bool keep = may_keep_numbers(im, messages);
  st_micros now = st_time_now();
  int64_t calls = 0;
  for (uint32_t i = 0; i < messages->count && st_ok(im->call); i++) {
    const st_value *message = messages->items + (size_t)i * messages->width;
    calls += st_conversation_put(im->call, message, id, (double)(now + i) / 1e6, keep);
  }
  im->messages += messages->count;
  im->numbered |= keep;
  const st_value *counted = &session[ST_P_CONVERSATION_PUT_SESSION_MESSAGE_COUNT];
  const st_value *called = &session[ST_P_CONVERSATION_PUT_SESSION_TOOL_CALL_COUNT];
  if (counted->type == ST_INT && called->type == ST_INT) return;
  st_run(im->call, STELE_M_CONVERSATION_WRITE_COUNTERS,
         (const st_value[]){*id, counted->type == ST_INT ? *counted : st_int(messages->count),
                            called->type == ST_INT ? *called : st_int(calls)});
}

static void import_one(import *im, const st_value *record) {
  st_value session[FIELDS];
  memcpy(session, record, sizeof session);
  if (has_session(im->call, &session[ST_P_CONVERSATION_PUT_SESSION_ID])) {
    im->skipped++;
    return;
  }
  settle_parent(im, session);
  settle_title(im, session);
  st_run(im->call, STELE_M_CONVERSATION_PUT_SESSION, session);
  import_messages(im, session, &record[ST_P_CONVERSATION_IMPORT_SESSION_MESSAGES]);
  im->imported++;
}

/* A session after those of the call that it came from. */
static void import_after_parents(import *im, entry *e, entry **stack) {
  uint32_t depth = 0;
  for (; e && !e->begun; e = find_entry(im, parent_of(e))) {
    e->begun = true;
    stack[depth++] = e;
  }
  while (depth > 0 && st_ok(im->call)) import_one(im, stack[--depth]->record);
}

/* The entries of the records, by id; of those with one id the first. */
static void sort_entries(import *im, const st_value *records, uint32_t count, uint32_t width) {
  im->entries = st_call_alloc(im->call, (count + 1) * sizeof *im->entries);
  if (!im->entries) return;
  for (uint32_t i = 0; i < count; i++) im->entries[i].record = records + (size_t)i * width;
  qsort(im->entries, count, sizeof *im->entries, compare_entries);
  for (uint32_t i = 0; i < count; i++)
    if (im->count == 0 || compare_text(id_of(&im->entries[im->count - 1]), id_of(&im->entries[i])) != 0)
      im->entries[im->count++] = im->entries[i];
}

/* On PostgreSQL others number messages at the same time, and the sequence does not see which numbers
** were kept: hold them off, and let it go on above. */
static const char HOLD_NUMBERS[] = "LOCK TABLE messages IN EXCLUSIVE MODE";
static const char SKIP_NUMBERS[] =
    "SELECT setval(numbers, GREATEST(nextval(numbers), (SELECT MAX(id) FROM messages))) FROM "
    "(SELECT CAST(pg_get_serial_sequence('messages', 'id') AS REGCLASS) AS numbers) AS one";

static void on_postgres(st_call *call, const char *sql) {
  if (!st_ok(call) || call->store->driver->engine != ST_POSTGRES) return;
  stele_status status = call->store->driver->script(call->store->conn, sql);
  if (status != STELE_OK) st_fail_conn(call, status);
}

static void import_all(st_call *call, const st_value *records, uint32_t count, uint32_t width) {
  import im = {.call = call};
  entry **stack = st_call_alloc(call, (count + 1) * sizeof *stack);
  sort_entries(&im, records, count, width);
  on_postgres(call, HOLD_NUMBERS);
  im.highest = number(call, STELE_M_CONVERSATION_HIGHEST_MESSAGE, NULL);
  for (uint32_t i = 0; i < count && st_ok(call); i++) { /* in the order sent, as far as parents allow it */
    const st_value *record = records + (size_t)i * width;
    entry *e = find_entry(&im, &record[ST_P_CONVERSATION_IMPORT_SESSION_ID]);
    if (e->record == record)
      import_after_parents(&im, e, stack);
    else
      im.skipped++; /* sent twice */
  }
  if (im.numbered) on_postgres(call, SKIP_NUMBERS);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CONVERSATION_IMPORT_SESSIONS_IMPORTED] = st_int(im.imported);
  reply[ST_R_CONVERSATION_IMPORT_SESSIONS_SKIPPED] = st_int(im.skipped);
  reply[ST_R_CONVERSATION_IMPORT_SESSIONS_MESSAGES] = st_int(im.messages);
  reply[ST_R_CONVERSATION_IMPORT_SESSIONS_ORPHANED] = st_int(im.orphaned);
  reply[ST_R_CONVERSATION_IMPORT_SESSIONS_RETITLED] = st_int(im.retitled);
}

void st_conversation_import_sessions(st_call *call) {
  const st_value *sessions = &call->args[ST_P_CONVERSATION_IMPORT_SESSIONS_SESSIONS];
  import_all(call, sessions->items, sessions->count, sessions->width);
}

_Static_assert((int)ST_R_CONVERSATION_IMPORT_SESSION_RETITLED == (int)ST_R_CONVERSATION_IMPORT_SESSIONS_RETITLED,
               "same results, same order");

void st_conversation_import_session(st_call *call) { import_all(call, call->args, 1, 0); }
