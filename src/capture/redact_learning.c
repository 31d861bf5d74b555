/* redact_learning.c - planner.save_learning: what an agent learned is kept only if no secret is in it.
**
** It is not redacted but turned away: a learning is a sentence, which is worth nothing without its object. */
#include <ctype.h>
#include <string.h>

#include "capture/redact_handle.h"
#include "registry_ids.h"
#include "stores/planner/planner.h"

#define HEX_RUN 32 /* digits: a key that nobody has named */

static bool is_blank(const st_value *text) {
  for (size_t i = 0; i < text->length; i++)
    if (!isspace((unsigned char)text->bytes[i])) return false;
  return true;
}

static bool has_hex_run(const st_value *text) {
  size_t run = 0;
  for (size_t i = 0; i < text->length && run < HEX_RUN; i++)
    run = isxdigit((unsigned char)text->bytes[i]) ? run + 1 : 0;
  return run >= HEX_RUN;
}

static bool has_secret(st_call *call, const st_value *text) {
  st_redaction *redaction = st_redaction_of(call);
  st_redacted out;
  if (!redaction) return false;
  if (!st_redact_text(redaction->scratch, call->arena, text->bytes, text->length, &out))
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
  return st_redact_total(redaction->scratch) > 0;
}

void st_planner_save_learning(st_call *call) {
  const st_value *content = &call->args[ST_P_PLANNER_SAVE_LEARNING_CONTENT];
  const char *rejected = NULL;
  int64_t id = 0;
  if (is_blank(content))
    rejected = "empty";
  else if (has_hex_run(content) || has_secret(call, content))
    rejected = "secret";
  else
    id = st_planner_insert(call, STELE_M_PLANNER_INSERT_LEARNING, call->args); /* the same fields in the same order */
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_PLANNER_SAVE_LEARNING_ID] = st_int(id);
  reply[ST_R_PLANNER_SAVE_LEARNING_REJECTED] = st_textz(rejected);
}
_Static_assert((int)ST_P_PLANNER_SAVE_LEARNING_NOW == (int)ST_P_PLANNER_INSERT_LEARNING_NOW,
               "save_learning and insert_learning have the same fields");
