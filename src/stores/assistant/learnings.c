/* learnings.c - corrections of behaviour: a rule that is said in the same words again is counted. */
#include "registry_ids.h"
#include "search/chars.h"
#include "search/lower.h"
#include "stores/assistant/assistant.h"

#define RULE_MAX 200           /* characters */
#define RULE_BYTES (16u << 20) /* while it is read, before its characters are counted */

/* The rule in small letters, with single spaces between its words; how many characters it has. */
static size_t normalise(const st_value *rule, st_str *out) {
  const char *at = rule->bytes, *end = at + rule->length;
  size_t count = 0;
  bool space = false;
  for (int size; at < end; at += size) {
    int32_t c = st_char_read(at, end, &size);
    if (st_char_kind_of(c) == ST_CHAR_SPACE) {
      space = count > 0;
      continue;
    }
    if (space) st_str_addc(out, ' ');
    st_lower(out, at, (size_t)size);
    count += 1 + space;
    space = false;
  }
  return count;
}

static st_value read_rule(st_call *call, const st_value *rule) {
  st_value read = {.type = ST_NULL};
  st_str out;
  st_str_init(&out, RULE_BYTES);
  size_t count = normalise(rule, &out);
  if (out.failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (count == 0) st_fail(call, STELE_INVALID, "rule", "rule is empty");
  if (count > RULE_MAX)
    st_fail(call, STELE_INVALID, "rule", "rule has %zu characters, and at most %d are kept: say it shorter", count, RULE_MAX);
  if (st_ok(call)) read = st_textz(st_call_copy(call, out.text, out.length));
  st_str_free(&out);
  return read;
}

void st_assistant_save_agent_learning(st_call *call) {
  const st_value *id = &call->args[ST_P_ASSISTANT_SAVE_AGENT_LEARNING_ID];
  st_value args[ST_P_ASSISTANT_COUNT_AGENT_LEARNING_NOW + 1], rule = {0};
  args[ST_P_ASSISTANT_COUNT_AGENT_LEARNING_ID] = *id;
  args[ST_P_ASSISTANT_COUNT_AGENT_LEARNING_RULE] = read_rule(call, &call->args[ST_P_ASSISTANT_SAVE_AGENT_LEARNING_RULE]);
  args[ST_P_ASSISTANT_COUNT_AGENT_LEARNING_CATEGORY] = call->args[ST_P_ASSISTANT_SAVE_AGENT_LEARNING_CATEGORY];
  args[ST_P_ASSISTANT_COUNT_AGENT_LEARNING_NOW] = call->args[ST_P_ASSISTANT_SAVE_AGENT_LEARNING_NOW];
  if (st_one(call, STELE_M_ASSISTANT_LOOK_AGENT_LEARNING, args, &rule))
    st_fail(call, STELE_INVALID, "id", "id %.100s exists already, for another rule", id->bytes);
  st_reply_one(call, STELE_M_ASSISTANT_COUNT_AGENT_LEARNING, args);
}
_Static_assert((int)ST_P_ASSISTANT_LOOK_AGENT_LEARNING_ID == (int)ST_P_ASSISTANT_COUNT_AGENT_LEARNING_ID &&
                   (int)ST_P_ASSISTANT_LOOK_AGENT_LEARNING_RULE == (int)ST_P_ASSISTANT_COUNT_AGENT_LEARNING_RULE,
               "look_agent_learning has the first fields of count_agent_learning");
