/* handle.c - see handle.h. */
#include "chat/handle.h"

#include <string.h>

#include "engine/handle.h"
#include "registry_ids.h"

bool st_handle_chat_stopped(void *user) {
  stele_db *db = user;
  if (atomic_load_explicit(&db->interrupted, memory_order_relaxed)) return true;
  return db->progress && db->progress(db->user, "chat", 0, 0) != 0;
}

static void release(void *chat) { st_chat_close(chat); }

static st_chat *open_chat(const stele_chat *said, st_problem *why) {
  const st_chat_config config = {.endpoint = said->endpoint,
                                 .model = said->model,
                                 .key = said->key,
                                 .timeout_ms = said->timeout_ms,
                                 .connect_ms = said->connect_timeout_ms,
                                 .retries = said->retries,
                                 .answer_tokens = said->answer_tokens};
  return st_chat_open(&config, why);
}

st_chat *st_handle_chat(st_call *call, st_problem *why) {
  stele_db *db = call->db;
  if (!db->chat.endpoint) {
    st_problem_say(why, "no language model is configured: chat.endpoint names one");
    return NULL;
  }
  if (!db->chatting) db->chatting = open_chat(&db->chat, why);
  db->free_chatting = release;
  if (db->chatting) st_chat_for(db->chatting, &(st_endpoint_waiting){.stopped = st_handle_chat_stopped, .user = db});
  return db->chatting;
}

size_t st_handle_prompt_tokens(const st_call *call) {
  int said = call->db->chat.prompt_tokens;
  return said > 0 ? (size_t)said : ST_CHAT_PROMPT_TOKENS;
}

/* ---- Which it is ---- */

static st_value text_of(st_call *call, const char *text) { return text && *text ? st_call_text(call, text, strlen(text)) : (st_value){.type = ST_NULL}; }

void st_stele_chat_model(st_call *call) {
  st_problem why = {0};
  st_chat *chat = st_handle_chat(call, &why);
  st_endpoint_end end = ST_ENDPOINT_AWAY;
  if (chat && st_arg_int(call, ST_P_STELE_CHAT_MODEL_CHECK)) end = st_chat_check(chat, &why);
  if (end == ST_ENDPOINT_NOMEM || st_problem_is_nomem(why.text)) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (end == ST_ENDPOINT_STOPPED) st_fail(call, STELE_CANCELLED, NULL, "stopped");
  st_value *row = st_ok(call) ? st_reply(call) : NULL;
  if (!row) return;
  row[ST_R_STELE_CHAT_MODEL_ENDPOINT] = text_of(call, call->db->chat.endpoint);
  row[ST_R_STELE_CHAT_MODEL_MODEL] = text_of(call, chat ? st_chat_model(chat) : NULL);
  if (chat && st_arg_int(call, ST_P_STELE_CHAT_MODEL_CHECK)) row[ST_R_STELE_CHAT_MODEL_REACHED] = st_bool(end == ST_ENDPOINT_ANSWERED);
  row[ST_R_STELE_CHAT_MODEL_PROBLEM] = text_of(call, why.text);
}
