/* redact_handle.h - the redactor of a handle: made of its rules when it is first needed, freed with it. */
#ifndef ST_REDACT_HANDLE_H
#define ST_REDACT_HANDLE_H

#include "capture/redact.h"
#include "engine/call.h"

typedef struct st_redaction {
  st_redactor *redactor;
  st_redact_scratch *scratch; /* its counts are those of the call that uses it: it forgets them first */
} st_redaction;

/* NULL when the call has failed: the handle's rules are wrong, or there is no memory. */
st_redaction *st_redaction_of(st_call *call);

/* What was counted, as JSON: [{"rule":NAME,"count":N},...], only rules that found something. */
st_value st_redaction_counts(st_call *call, const st_redaction *redaction);

/* Methods: sql/stele/redaction.sql, sql/conversation/redaction.sql, sql/planner/learnings.sql,
** sql/assistant/audit.sql. */
void st_stele_redact(st_call *call);
void st_stele_redaction_rules(st_call *call);
void st_stele_doctor_redaction(st_call *call);
void st_conversation_redact_stored(st_call *call);
void st_planner_save_learning(st_call *call);
void st_assistant_log_audit_entry(st_call *call);

#endif
