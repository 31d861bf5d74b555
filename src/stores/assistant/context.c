/* context.c - what loops and deployments note, each under a key that says what it is. */
#include <string.h>

#include "base/str.h"
#include "base/time.h"
#include "registry_ids.h"
#include "stores/assistant/assistant.h"

#define SYSTEM "system:"
#define CONFIG "system:config:"
#define HEARTBEAT ":heartbeat"
#define JOINED_MAX (64u << 20) /* bytes */

/* Texts as one, in the call's memory. */
static st_value join(st_call *call, const st_value *texts, size_t count) {
  st_str out;
  st_str_init(&out, JOINED_MAX);
  for (size_t i = 0; i < count; i++) st_str_add(&out, texts[i].bytes, texts[i].length);
  return st_take(call, &out);
}

static void save(st_call *call, st_value key, st_value content, st_value now) {
  st_value args[ST_P_ASSISTANT_SAVE_CONTEXT_LAST_UPDATED + 1];
  args[ST_P_ASSISTANT_SAVE_CONTEXT_USER_ID] = key;
  args[ST_P_ASSISTANT_SAVE_CONTEXT_CONTENT] = content;
  args[ST_P_ASSISTANT_SAVE_CONTEXT_LAST_UPDATED] = now;
  st_run(call, STELE_M_ASSISTANT_SAVE_CONTEXT, args);
}

static void check_not_empty(st_call *call, const char *field, const st_value *text) {
  if (text->length == 0) st_fail(call, STELE_INVALID, field, "%s is empty", field);
}

void st_assistant_set_runtime_config(st_call *call) {
  const st_value *field = &call->args[ST_P_ASSISTANT_SET_RUNTIME_CONFIG_FIELD];
  check_not_empty(call, "field", field);
  save(call, join(call, (st_value[]){st_textz(CONFIG), *field}, 2), call->args[ST_P_ASSISTANT_SET_RUNTIME_CONFIG_VALUE],
       call->args[ST_P_ASSISTANT_SET_RUNTIME_CONFIG_NOW]);
}

/* ---- Heartbeats ---- */

void st_assistant_record_heartbeat(st_call *call) {
  const st_value *loop = &call->args[ST_P_ASSISTANT_RECORD_HEARTBEAT_LOOP];
  const st_value *status = &call->args[ST_P_ASSISTANT_RECORD_HEARTBEAT_STATUS];
  st_value now = call->args[ST_P_ASSISTANT_RECORD_HEARTBEAT_NOW], bar = st_textz("|");
  check_not_empty(call, "loop", loop);
  check_not_empty(call, "status", status);
  if (memchr(status->bytes, '|', status->length))
    st_fail(call, STELE_INVALID, "status", "status has a bar (|), which would end it: put the rest into detail");
  st_value key = join(call, (st_value[]){st_textz(SYSTEM), *loop, st_textz(HEARTBEAT)}, 3);
  st_value content =
      join(call, (st_value[]){now, bar, *status, bar, call->args[ST_P_ASSISTANT_RECORD_HEARTBEAT_DETAIL]}, 5);
  save(call, key, content, now);
}

/* Up to the next bar or the end; *at is then behind it. */
static st_value next_part(st_call *call, const char **at, const char *end) {
  const char *from = *at, *bar = memchr(from, '|', (size_t)(end - from));
  *at = bar ? bar + 1 : end;
  return st_call_text(call, from, (size_t)((bar ? bar : end) - from));
}

static st_value read_time(st_call *call, const st_value *text) {
  st_micros time;
  char iso[ST_TIME_MAX];
  if (text->type != ST_TEXT || !st_time_parse(text->bytes, text->length, &time) || !st_time_iso(time, iso))
    return st_textz(NULL);
  return st_call_text(call, iso, strlen(iso));
}

static void tell_heartbeat(st_call *call, const st_value *loop, const st_value *content, const st_value *updated) {
  const char *at = content->bytes, *end = at + content->length;
  st_value *reply = st_reply(call);
  if (!reply) return;
  st_value when = next_part(call, &at, end);
  reply[ST_R_ASSISTANT_LIST_HEARTBEATS_LOOP] = *loop;
  reply[ST_R_ASSISTANT_LIST_HEARTBEATS_AT] = read_time(call, &when);
  reply[ST_R_ASSISTANT_LIST_HEARTBEATS_STATUS] = next_part(call, &at, end);
  reply[ST_R_ASSISTANT_LIST_HEARTBEATS_DETAIL] = st_call_text(call, at, (size_t)(end - at));
  reply[ST_R_ASSISTANT_LIST_HEARTBEATS_LAST_UPDATED] = st_call_text(call, updated->bytes, updated->length);
}

/* Is it the key of a heartbeat?  Then *loop is the name in it. */
static bool read_loop(st_call *call, const st_value *key, st_value *loop) {
  size_t before = strlen(SYSTEM), behind = strlen(HEARTBEAT);
  if (key->length <= before + behind) return false;
  if (memcmp(key->bytes + key->length - behind, HEARTBEAT, behind) != 0) return false;
  *loop = st_call_text(call, key->bytes + before, key->length - before - behind);
  return true;
}

void st_assistant_list_heartbeats(st_call *call) {
  st_rows rows;
  st_value key, content, updated, loop;
  st_rows_start(call, &rows, STELE_M_ASSISTANT_LIST_SYSTEM_CONTEXT, NULL);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_ASSISTANT_LIST_SYSTEM_CONTEXT_USER_ID, &key);
    st_rows_value(call, &rows, ST_R_ASSISTANT_LIST_SYSTEM_CONTEXT_CONTENT, &content);
    st_rows_value(call, &rows, ST_R_ASSISTANT_LIST_SYSTEM_CONTEXT_LAST_UPDATED, &updated);
    if (read_loop(call, &key, &loop)) tell_heartbeat(call, &loop, &content, &updated);
  }
  st_rows_end(call, &rows);
}

/* ---- Marks ---- */

void st_assistant_mark_once(st_call *call) {
  const st_value *content = &call->args[ST_P_ASSISTANT_MARK_ONCE_CONTENT];
  check_not_empty(call, "key", &call->args[ST_P_ASSISTANT_MARK_ONCE_KEY]);
  if (content->type == ST_TEXT) check_not_empty(call, "content", content); /* it would mark nothing */
  bool first = st_run(call, STELE_M_ASSISTANT_WRITE_MARK, call->args) > 0; /* the same fields in the same order */
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_ASSISTANT_MARK_ONCE_FIRST] = st_bool(first);
}
_Static_assert((int)ST_P_ASSISTANT_MARK_ONCE_KEY == (int)ST_P_ASSISTANT_WRITE_MARK_KEY &&
                   (int)ST_P_ASSISTANT_MARK_ONCE_CONTENT == (int)ST_P_ASSISTANT_WRITE_MARK_CONTENT &&
                   (int)ST_P_ASSISTANT_MARK_ONCE_NOW == (int)ST_P_ASSISTANT_WRITE_MARK_NOW,
               "mark_once and write_mark have the same fields");

/* ---- Pruning ---- */

/* A prefix that names what is never deleted is a mistake, not a wish for nothing. */
static void check_prefix(st_call *call, const st_value *prefix) {
  static const char *const kept[] = {"global", "system:outlook_msal_cache", "system:pending_self_redeploy"};
  bool names_kept = strncmp(prefix->bytes, CONFIG, strlen(CONFIG)) == 0;
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) names_kept = names_kept || strcmp(prefix->bytes, kept[i]) == 0;
  check_not_empty(call, "prefix", prefix);
  if (names_kept) st_fail(call, STELE_INVALID, "prefix", "prefix: %.100s names what is never pruned", prefix->bytes);
}

void st_assistant_prune_context(st_call *call) {
  const st_value *given = call->args;
  st_value args[ST_P_ASSISTANT_LIST_PRUNABLE_CONTEXT_NOW + 1];
  st_rows rows;
  args[ST_P_ASSISTANT_LIST_PRUNABLE_CONTEXT_PREFIX] = given[ST_P_ASSISTANT_PRUNE_CONTEXT_PREFIX];
  args[ST_P_ASSISTANT_LIST_PRUNABLE_CONTEXT_DAYS] = given[ST_P_ASSISTANT_PRUNE_CONTEXT_DAYS];
  args[ST_P_ASSISTANT_LIST_PRUNABLE_CONTEXT_NOW] = given[ST_P_ASSISTANT_PRUNE_CONTEXT_NOW];
  check_prefix(call, &given[ST_P_ASSISTANT_PRUNE_CONTEXT_PREFIX]);
  st_rows_start(call, &rows, STELE_M_ASSISTANT_LIST_PRUNABLE_CONTEXT, args);
  while (st_rows_next(call, &rows)) st_reply_read(call, &rows, ST_ALL_COLUMNS);
  st_rows_end(call, &rows);
  if (given[ST_P_ASSISTANT_PRUNE_CONTEXT_DRY_RUN].integer) return;
  for (const st_row *row = call->first; row && st_ok(call); row = row->next)
    st_run(call, STELE_M_ASSISTANT_DELETE_CONTEXT, &row->values[ST_R_ASSISTANT_PRUNE_CONTEXT_USER_ID]);
}
_Static_assert((int)ST_R_ASSISTANT_LIST_PRUNABLE_CONTEXT_LAST_UPDATED == (int)ST_R_ASSISTANT_PRUNE_CONTEXT_LAST_UPDATED,
               "prune_context tells what list_prunable_context finds");
