/* assistant.h - native methods of the assistant store; the registry refers to them. */
#ifndef ST_ASSISTANT_H
#define ST_ASSISTANT_H

#include "engine/call.h"

/* approvals.c */
void st_assistant_claim_pending_action(st_call *call);
void st_assistant_cancel_pending_action(st_call *call);
void st_assistant_fail_pending_action(st_call *call);
void st_assistant_edit_pending_action(st_call *call);

#endif
