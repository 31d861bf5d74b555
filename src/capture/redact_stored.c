/* redact_stored.c - conversation.redact_stored: what is stored already, redacted.
**
** Rows are looked at outside a transaction.  Those that hold a secret are read again, redacted and written in
** short write transactions.  With the first of them a note goes into state_meta, which is taken away when
** nothing is left of the secrets: whoever is stopped before that is continued by the next call. */
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "capture/redact_handle.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "registry_ids.h"
#include "search/convert.h"
#include "search/documents_messages.h"
#include "search/form.h"
#include "search/index.h"
#include "stores/conversation/conversation.h"

#define BATCH 100
#define LONGEST_TURN 15 /* milliseconds of writing before other writers come first */
#define ROW_MAX ((size_t)4 << 30)
#define COLUMNS_MAX 8

static const char *const NOTE = "stele_redaction";

typedef enum kind { KEY, TEXT, JSON, CONTENT } kind;

/* A table to go through, by methods of the registry; the first column is the key. */
typedef struct table {
  const char *what; /* for the progress */
  int list;         /* after, limit */
  int get;          /* the same of one: its key; -1: list, with the number before it */
  int put;
  size_t ncolumns;
  kind kinds[COLUMNS_MAX];
} table;

static const table MESSAGES = {"redact messages", STELE_M_CONVERSATION_REDACTABLE_MESSAGES, -1,
                               STELE_M_CONVERSATION_PUT_REDACTED_MESSAGE, 8,
                               {KEY, CONTENT, JSON, TEXT, TEXT, JSON, JSON, JSON}};
static const table SESSIONS = {"redact sessions", STELE_M_CONVERSATION_REDACTABLE_SESSIONS,
                               STELE_M_CONVERSATION_REDACTABLE_SESSION, STELE_M_CONVERSATION_PUT_REDACTED_SESSION, 4,
                               {KEY, TEXT, TEXT, JSON}};

typedef struct sweep {
  st_call *call;
  st_redaction *redaction;
  st_redact_scratch *looking; /* what was found, before anything is written */
  st_arena arena;             /* of one row */
  bool dry;
  int64_t since_ms; /* start of the open transaction; 0: none is open */
  int64_t last;     /* number of the last message, for the progress */
  int64_t *kept;    /* by rule: what of its count is in the store */
} sweep;

/* ---- One row ---- */

static void redact_one(sweep *s, st_redact_scratch *scratch, kind as, st_value *value, bool *changed) {
  st_redacted out;
  size_t mark = sizeof ST_CONTENT_MARK - 1;
  if (as == KEY || value->type != ST_TEXT || !st_ok(s->call)) return;
  bool parts = as == CONTENT && value->length > mark && memcmp(value->bytes, ST_CONTENT_MARK, mark) == 0;
  if (!parts) mark = 0;
  bool good = (as == JSON || parts ? st_redact_json : st_redact_text)(scratch, &s->arena, value->bytes + mark,
                                                                       value->length - mark, &out);
  char *copy = NULL;
  if (good && out.text == value->bytes + mark) return;
  if (good) copy = st_arena_alloc(&s->arena, mark + out.length + 1);
  if (!copy) {
    st_fail(s->call, STELE_NOMEM, NULL, "out of memory");
    return;
  }
  memcpy(copy, value->bytes, mark);
  memcpy(copy + mark, out.text, out.length);
  copy[mark + out.length] = '\0';
  value->bytes = copy;
  value->length = mark + out.length;
  *changed = true;
}

/* The row at which `rows` stands, redacted.  True: it held a secret. */
static bool redact_row(sweep *s, st_redact_scratch *scratch, const table *t, st_rows *rows, st_value *row) {
  bool changed = false;
  for (size_t i = 0; i < t->ncolumns; i++) {
    st_rows_value(s->call, rows, i, &row[i]);
    redact_one(s, scratch, t->kinds[i], &row[i], &changed);
  }
  return changed && st_ok(s->call);
}

/* What is not of the row's own memory must outlive the statement. */
static void keep(sweep *s, const table *t, st_value *row) {
  for (size_t i = 0; i < t->ncolumns && st_ok(s->call); i++) {
    if (row[i].type != ST_TEXT && row[i].type != ST_BLOB) continue;
    row[i].bytes = st_arena_copy(&s->arena, row[i].bytes, row[i].length);
    if (!row[i].bytes) st_fail(s->call, STELE_NOMEM, NULL, "out of memory");
  }
}

/* ---- Writing ---- */

static void open_turn(sweep *s) {
  if (s->since_ms) return;
  st_feature_need(s->call, ST_F_CONVERSATION_REDACTIONS);
  st_call_begin(s->call, true);
  if (!st_ok(s->call)) return;
  s->since_ms = st_monotonic_ms();
  st_value note[] = {st_textz(NOTE), st_textz("pending")};
  st_run(s->call, STELE_M_CONVERSATION_SET_META, note);
}

/* The counts of the rules go with the rows that they are of. */
static void keep_counts(sweep *s) {
  const st_redaction *redaction = s->redaction;
  for (size_t i = 0; i < st_redactor_count(redaction->redactor) && st_ok(s->call); i++) {
    int64_t count = st_redact_count(redaction->scratch, i);
    st_value args[] = {st_textz(st_redactor_rule(redaction->redactor, i).name), st_int(count - s->kept[i])};
    if (count > s->kept[i]) st_run(s->call, STELE_M_CONVERSATION_COUNT_REDACTION, args);
    s->kept[i] = count;
  }
}

static void close_turn(sweep *s) {
  if (!s->since_ms) return;
  keep_counts(s);
  st_call_end(s->call);
  s->since_ms = 0;
}

/* Titles are unique: a second one that is nothing but a secret gets a number. */
static void number_title(sweep *s, st_value *row) {
  const char *title = row[1].bytes;
  for (int n = 2; row[1].type == ST_TEXT && st_ok(s->call); n++) {
    st_value args[] = {row[1], row[0]};
    st_rows rows;
    st_rows_start(s->call, &rows, STELE_M_CONVERSATION_FIND_TITLE, args);
    bool taken = st_rows_next(s->call, &rows);
    st_rows_end(s->call, &rows);
    if (!taken) return;
    size_t size = strlen(title) + 16;
    char *next = st_arena_alloc(&s->arena, size);
    if (!next) {
      st_fail(s->call, STELE_NOMEM, NULL, "out of memory");
      return;
    }
    snprintf(next, size, "%s #%d", title, n);
    row[1] = st_textz(next);
  }
}

/* Read it again, inside the transaction: it may have been changed.  True: it was written. */
static bool write_row(sweep *s, const table *t, st_value key) {
  st_value row[COLUMNS_MAX], args[] = {t->get < 0 ? st_int(key.integer - 1) : key, st_int(1)};
  st_rows rows;
  bool changed = false;
  open_turn(s);
  st_arena_reset(&s->arena);
  st_rows_start(s->call, &rows, t->get < 0 ? t->list : t->get, args);
  if (st_rows_next(s->call, &rows)) changed = redact_row(s, s->redaction->scratch, t, &rows, row);
  if (changed) keep(s, t, row);
  st_rows_end(s->call, &rows);
  if (changed && (t->get >= 0 || row[0].integer == key.integer)) {
    if (t == &SESSIONS) number_title(s, row);
    st_run(s->call, t->put, row);
  }
  if (!st_ok(s->call) || st_monotonic_ms() - s->since_ms >= LONGEST_TURN) close_turn(s);
  return changed && st_ok(s->call);
}

/* ---- Going through a table ---- */

static st_value copy_key(sweep *s, st_value key) {
  if (key.type == ST_TEXT) key.bytes = st_call_copy(s->call, key.bytes, key.length);
  return key;
}

/* The next rows after a key: how many, the last key, and the keys of those that hold secrets. */
static size_t look(sweep *s, const table *t, st_value *after, st_value *keys, size_t *count) {
  st_value row[COLUMNS_MAX], args[] = {*after, st_int(BATCH)};
  st_rows rows;
  size_t seen = 0;
  *count = 0;
  st_rows_start(s->call, &rows, t->list, args);
  while (st_rows_next(s->call, &rows)) {
    st_arena_reset(&s->arena);
    bool changed = redact_row(s, s->looking, t, &rows, row);
    *after = copy_key(s, row[0]);
    if (changed) keys[(*count)++] = *after;
    seen++;
  }
  st_rows_end(s->call, &rows);
  return seen;
}

static bool is_stopped(sweep *s, const table *t, st_value after) {
  stele_db *db = s->call->db;
  int64_t done = after.type == ST_INT ? after.integer : 0;
  return db->progress && db->progress(db->user, t->what, done, after.type == ST_INT ? s->last : 0) != 0;
}

/* Answers how many rows held secrets. */
static int64_t go_through(sweep *s, const table *t, st_value after) {
  st_value *keys = st_call_alloc(s->call, BATCH * sizeof *keys);
  int64_t rows = 0;
  size_t seen = BATCH, count;
  while (seen == BATCH && st_ok(s->call)) {
    seen = look(s, t, &after, keys, &count);
    for (size_t i = 0; i < count && st_ok(s->call); i++) rows += s->dry || write_row(s, t, keys[i]);
    close_turn(s);
    if (st_ok(s->call) && is_stopped(s, t, after))
      st_fail(s->call, STELE_CANCELLED, NULL, "it was stopped; another call does the rest");
  }
  return rows;
}

/* ---- Nothing is left ---- */

static bool is_pending(st_call *call) {
  st_value key = st_textz(NOTE);
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_GET_META, &key);
  bool pending = st_rows_next(call, &rows);
  st_rows_end(call, &rows);
  return pending;
}

static void script(st_call *call, const char *sql) {
  stele_status status = st_ok(call) ? call->store->driver->script(call->store->conn, sql) : STELE_OK;
  if (status != STELE_OK) st_fail_conn(call, status);
}

/* Tokens stay in a search table after the row is gone, so that it is made anew. */
static void purge_index(st_call *call) {
  int64_t indexed;
  bool used = st_feature_has(call, ST_F_CONVERSATION_CHANGES);
  bool postgres = call->store->driver->engine == ST_POSTGRES;
  if (postgres && used) {
    st_messages_index(call, true, &indexed);
    script(call, "VACUUM stele_posting, stele_word, stele_common, stele_entry");
  } else if (!postgres && st_feature_has(call, ST_F_CONVERSATION_COMPATIBLE)) {
    st_convert_to_compatible(call, !st_convert_is_pending(call), &indexed);
  } else if (!postgres) {
    st_index_drop(call);
    if (used) st_index_complete(call, &indexed);
  }
}

/* Is the log empty?  A reader may have kept it from being emptied. */
static bool empty_log(st_call *call) {
  bool busy = false;
  int64_t log, done;
  if (!st_ok(call) || call->store->driver->engine != ST_SQLITE) return true;
  stele_status status = call->store->driver->checkpoint(call->store->conn, "truncate", &busy, &log, &done);
  if (status != STELE_OK) st_fail_conn(call, status);
  if (busy) st_note(call, "somebody reads the store, so that its log could not be emptied: call again later");
  return !busy;
}

static bool purge(st_call *call, bool vacuum) {
  st_features_refresh(call);
  purge_index(call);
  if (vacuum) st_conversation_write_anew(call);
  if (!empty_log(call) || !st_ok(call) || !vacuum) return false; /* the note stays: a later call does the rest */
  st_call_begin(call, true);
  if (!st_ok(call)) return false;
  st_value key = st_textz(NOTE);
  st_run(call, STELE_M_CONVERSATION_FORGET_META, &key);
  st_call_end(call);
  return st_ok(call);
}

/* ---- All of it ---- */

static int64_t last_message(st_call *call) {
  st_value last = st_int(0);
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_LAST_MESSAGE, NULL);
  if (st_rows_next(call, &rows)) st_rows_value(call, &rows, 0, &last);
  st_rows_end(call, &rows);
  return last.integer;
}

static void run(sweep *s) {
  st_call *call = s->call;
  bool sqlite = call->store->driver->engine == ST_SQLITE, purged = false;
  if (sqlite && !s->dry) script(call, "PRAGMA secure_delete = ON");
  s->kept = st_call_alloc(call, (st_redactor_count(s->redaction->redactor) + 1) * sizeof *s->kept);
  s->last = last_message(call);
  int64_t messages = go_through(s, &MESSAGES, st_int(0));
  int64_t sessions = go_through(s, &SESSIONS, st_textz(""));
  if (!s->dry && st_ok(call) && is_pending(call))
    purged = purge(call, st_arg_int(call, ST_P_CONVERSATION_REDACT_STORED_VACUUM) != 0);
  if (sqlite && !s->dry) script(call, "PRAGMA secure_delete = OFF");
  const st_redaction counted = {s->redaction->redactor, s->dry ? s->looking : s->redaction->scratch};
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_CONVERSATION_REDACT_STORED_MESSAGES] = st_int(messages);
  row[ST_R_CONVERSATION_REDACT_STORED_SESSIONS] = st_int(sessions);
  row[ST_R_CONVERSATION_REDACT_STORED_COUNT] = st_int(st_redact_total(counted.scratch));
  row[ST_R_CONVERSATION_REDACT_STORED_RULES] = st_redaction_counts(call, &counted);
  row[ST_R_CONVERSATION_REDACT_STORED_GIVEN_UP] = st_int(st_redact_given_up(counted.scratch));
  row[ST_R_CONVERSATION_REDACT_STORED_PURGED] = st_bool(purged);
}

void st_conversation_redact_stored(st_call *call) {
  sweep s = {.call = call, .redaction = st_redaction_of(call),
             .dry = st_arg_int(call, ST_P_CONVERSATION_REDACT_STORED_DRY_RUN) != 0};
  if (!s.redaction) return;
  s.looking = st_redact_scratch_new(s.redaction->redactor);
  st_arena_init(&s.arena, ROW_MAX);
  if (s.looking)
    run(&s);
  else
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_arena_free(&s.arena);
  st_redact_scratch_free(s.looking);
}
