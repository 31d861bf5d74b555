/* redact_handle.c - see redact_handle.h; and the methods stele.redact and stele.redaction_rules. */
#include "capture/redact_handle.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "engine/handle.h"
#include "registry_ids.h"

static void free_redaction(void *pointer) {
  st_redaction *redaction = pointer;
  st_redact_scratch_free(redaction->scratch);
  st_redactor_free(redaction->redactor);
  st_free(redaction);
}

static st_redaction *make(st_call *call) {
  st_redact_problem problem = {.nomem = true};
  const char *rules = call->db->redaction;
  st_redaction *redaction = st_alloc_zero(sizeof *redaction);
  if (redaction) redaction->redactor = st_redactor_new(rules, rules ? strlen(rules) : 0, &problem);
  if (redaction && redaction->redactor) redaction->scratch = st_redact_scratch_new(redaction->redactor);
  if (redaction && redaction->scratch) return redaction;
  if (redaction && !redaction->redactor && !problem.nomem) {
    st_fail(call, STELE_INVALID, "redaction", "the redaction rules, %s", problem.message);
    st_hint(call, "`stele redact rules` lists the built-in ones");
  } else {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
  }
  if (redaction) free_redaction(redaction);
  return NULL;
}

st_redaction *st_redaction_of(st_call *call) {
  stele_db *db = call->db;
  if (!st_ok(call)) return NULL;
  if (!db->redactor) {
    db->redactor = make(call);
    db->free_redactor = free_redaction;
  }
  st_redaction *redaction = db->redactor;
  if (redaction) st_redact_forget(redaction->scratch);
  return redaction;
}

st_value st_redaction_counts(st_call *call, const st_redaction *redaction) {
  st_value value = {.type = ST_NULL};
  st_str list;
  st_str_init(&list, 1 << 20);
  st_str_addc(&list, '[');
  for (size_t i = 0; i < st_redactor_count(redaction->redactor); i++) {
    int64_t count = st_redact_count(redaction->scratch, i);
    const char *name = st_redactor_rule(redaction->redactor, i).name;
    if (!count) continue;
    st_str_addz(&list, list.length > 1 ? ",{\"rule\":" : "{\"rule\":");
    st_json_add_string(&list, name, strlen(name));
    st_str_addf(&list, ",\"count\":%lld}", (long long)count);
  }
  st_str_addc(&list, ']');
  if (list.failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  else value = (st_value){.type = ST_TEXT, .bytes = st_call_copy(call, list.text, list.length), .length = list.length};
  st_str_free(&list);
  return value;
}

void st_stele_redact(st_call *call) {
  st_redaction *redaction = st_redaction_of(call);
  const st_value *text = &call->args[ST_P_STELE_REDACT_TEXT];
  bool json = st_arg_int(call, ST_P_STELE_REDACT_JSON) != 0;
  st_redacted out;
  if (!redaction) return;
  if (!(json ? st_redact_json : st_redact_text)(redaction->scratch, call->arena, text->bytes, text->length, &out)) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    return;
  }
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_STELE_REDACT_TEXT] = (st_value){.type = ST_TEXT, .bytes = out.text, .length = out.length};
  row[ST_R_STELE_REDACT_COUNT] = st_int(st_redact_total(redaction->scratch));
  row[ST_R_STELE_REDACT_RULES] = st_redaction_counts(call, redaction);
  row[ST_R_STELE_REDACT_GIVEN_UP] = st_int(st_redact_given_up(redaction->scratch));
}

void st_stele_redaction_rules(st_call *call) {
  st_redaction *redaction = st_redaction_of(call);
  for (size_t i = 0; redaction && i < st_redactor_count(redaction->redactor); i++) {
    st_redact_about about = st_redactor_rule(redaction->redactor, i);
    st_value *row = st_reply(call);
    if (!row) return;
    row[ST_R_STELE_REDACTION_RULES_NAME] = st_textz(about.name);
    row[ST_R_STELE_REDACTION_RULES_FAMILY] = st_textz(about.family);
    row[ST_R_STELE_REDACTION_RULES_BUILTIN] = st_bool(about.builtin);
    row[ST_R_STELE_REDACTION_RULES_DISABLED] = st_bool(about.disabled);
    row[ST_R_STELE_REDACTION_RULES_REPLACEMENT] = st_textz(about.replacement);
  }
}
