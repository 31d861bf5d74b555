/* news.c - topics are followed in lower case. */
#include <stdint.h>

#include "registry_ids.h"
#include "stores/assistant/assistant.h"

/* A topic as it is kept. */
static st_value topic_of(st_call *call, int param) {
  return st_assistant_plain(call, "topic", &call->args[param], SIZE_MAX);
}

void st_assistant_add_news_topic(st_call *call) {
  st_value args[3];
  args[ST_P_ASSISTANT_WRITE_NEWS_TOPIC_ID] = call->args[ST_P_ASSISTANT_ADD_NEWS_TOPIC_ID];
  args[ST_P_ASSISTANT_WRITE_NEWS_TOPIC_TOPIC] = topic_of(call, ST_P_ASSISTANT_ADD_NEWS_TOPIC_TOPIC);
  args[ST_P_ASSISTANT_WRITE_NEWS_TOPIC_CREATED_AT] = call->args[ST_P_ASSISTANT_ADD_NEWS_TOPIC_CREATED_AT];
  if (!st_reply_one(call, STELE_M_ASSISTANT_WRITE_NEWS_TOPIC, args))
    st_fail(call, STELE_INVALID, "id", "id %.100s exists already", st_arg_text(call, ST_P_ASSISTANT_ADD_NEWS_TOPIC_ID));
}

void st_assistant_remove_news_topic(st_call *call) {
  st_value topic = topic_of(call, ST_P_ASSISTANT_REMOVE_NEWS_TOPIC_TOPIC);
  int64_t deleted = st_run(call, STELE_M_ASSISTANT_DELETE_NEWS_TOPIC, &topic);
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_ASSISTANT_REMOVE_NEWS_TOPIC_DELETED] = st_int(deleted);
}
