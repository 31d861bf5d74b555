/* news.c - topics are followed in lower case. */
#include "registry_ids.h"
#include "search/chars.h"
#include "search/lower.h"
#include "stores/assistant/assistant.h"

#define GROWTH 2 /* a character in lower case takes at most so many times its bytes */

/* The text without white space around it. */
static st_value trim(st_value text) {
  const char *end = text.bytes + text.length, *first = end, *behind = end;
  int size;
  for (const char *at = text.bytes; at < end; at += size) {
    int32_t c = st_char_read(at, end, &size);
    if (c >= 0 && st_char_kind_of(c) == ST_CHAR_SPACE) continue;
    if (first == end) first = at;
    behind = at + size;
  }
  text.bytes = first;
  text.length = (size_t)(behind - first);
  return text;
}

/* A topic as it is kept. */
static st_value topic_of(st_call *call, int param) {
  st_value topic = trim(call->args[param]);
  st_str out;
  st_str_init(&out, topic.length * GROWTH);
  st_lower(&out, topic.bytes, topic.length);
  if (topic.length == 0) st_fail(call, STELE_INVALID, "topic", "topic must not be empty");
  else if (out.failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  topic.bytes = st_call_copy(call, out.text, out.length);
  topic.length = out.length;
  st_str_free(&out);
  return topic;
}

void st_assistant_add_news_topic(st_call *call) {
  st_value args[3];
  args[ST_P_ASSISTANT_WRITE_NEWS_TOPIC_ID] = call->args[ST_P_ASSISTANT_ADD_NEWS_TOPIC_ID];
  args[ST_P_ASSISTANT_WRITE_NEWS_TOPIC_TOPIC] = topic_of(call, ST_P_ASSISTANT_ADD_NEWS_TOPIC_TOPIC);
  args[ST_P_ASSISTANT_WRITE_NEWS_TOPIC_CREATED_AT] = call->args[ST_P_ASSISTANT_ADD_NEWS_TOPIC_CREATED_AT];
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_ASSISTANT_WRITE_NEWS_TOPIC, args);
  if (st_rows_next(call, &rows)) st_reply_read(call, &rows, ST_ALL_COLUMNS);
  st_rows_end(call, &rows);
}

void st_assistant_remove_news_topic(st_call *call) {
  st_value topic = topic_of(call, ST_P_ASSISTANT_REMOVE_NEWS_TOPIC_TOPIC);
  int64_t deleted = st_run(call, STELE_M_ASSISTANT_DELETE_NEWS_TOPIC, &topic);
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_ASSISTANT_REMOVE_NEWS_TOPIC_DELETED] = st_int(deleted);
}
