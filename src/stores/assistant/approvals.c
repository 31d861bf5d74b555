/* approvals.c - actions that wait for the user's word are decided, once.
**
** Each decision is one statement that changes the row only if it is still as the decision needs it.  Where it
** changed nothing, the row is looked at, in the same transaction, to say why. */
#include <string.h>

#include "registry_ids.h"
#include "stores/assistant/assistant.h"

/* What a decision needs of an action. */
typedef struct wanted {
  const char *status;
  const char *decided; /* for people: what it would become */
  const st_value *now; /* it must not have expired by then; NULL: that does not matter */
} wanted;

#define ID_SHOWN 100 /* bytes of an id, which is the caller's word */

/* Why was it not done? */
static void explain(st_call *call, const st_value *id, const wanted *need) {
  st_value action[ST_R_ASSISTANT_GET_PENDING_ACTION_EXPIRES_AT + 1];
  if (!st_one(call, STELE_M_ASSISTANT_GET_PENDING_ACTION, id, action)) {
    st_fail(call, STELE_NOTFOUND, "id", "id %.*s does not exist", ID_SHOWN, id->bytes);
    return;
  }
  const char *status = action[ST_R_ASSISTANT_GET_PENDING_ACTION_STATUS].bytes;
  const char *expired = action[ST_R_ASSISTANT_GET_PENDING_ACTION_EXPIRES_AT].bytes;
  if (strcmp(status, need->status) != 0) {
    st_fail(call, STELE_INVALID, "status", "status: action %.*s is %s, and only one that is %s can be %s", ID_SHOWN,
            id->bytes, status, need->status, need->decided);
  } else {
    st_fail(call, STELE_INVALID, "expires_at", "expires_at: action %.*s expired at %s, and can no longer be %s",
            ID_SHOWN, id->bytes, expired, need->decided);
  }
  st_hint(call, "do not execute it");
}

/* Run the statement of a decision; its row is the reply. */
static void decide(st_call *call, int method, const st_value *args, const wanted *need) {
  if (!st_reply_one(call, method, args) && st_ok(call)) explain(call, &call->args[0], need);
}
_Static_assert(ST_P_ASSISTANT_CLAIM_PENDING_ACTION_ID == 0 && ST_P_ASSISTANT_CANCEL_PENDING_ACTION_ID == 0 &&
                   ST_P_ASSISTANT_FAIL_PENDING_ACTION_ID == 0 && ST_P_ASSISTANT_EDIT_PENDING_ACTION_ID == 0,
               "every decision begins with id");

static void move(st_call *call, const char *to, const wanted *need) {
  st_value args[ST_P_ASSISTANT_MOVE_PENDING_ACTION_STATUS + 1] = {{0}};
  args[ST_P_ASSISTANT_MOVE_PENDING_ACTION_ID] = call->args[0];
  if (need->now) args[ST_P_ASSISTANT_MOVE_PENDING_ACTION_NOW] = *need->now;
  args[ST_P_ASSISTANT_MOVE_PENDING_ACTION_WAS] = st_textz(need->status);
  args[ST_P_ASSISTANT_MOVE_PENDING_ACTION_STATUS] = st_textz(to);
  decide(call, STELE_M_ASSISTANT_MOVE_PENDING_ACTION, args, need);
}

void st_assistant_claim_pending_action(st_call *call) {
  const st_value *now = &call->args[ST_P_ASSISTANT_CLAIM_PENDING_ACTION_NOW];
  move(call, "confirmed", &(wanted){"pending", "confirmed", now});
}

void st_assistant_cancel_pending_action(st_call *call) {
  move(call, "cancelled", &(wanted){"pending", "cancelled", NULL});
}

void st_assistant_fail_pending_action(st_call *call) {
  move(call, "failed", &(wanted){"confirmed", "marked as failed", NULL});
}

void st_assistant_edit_pending_action(st_call *call) {
  const st_value *now = &call->args[ST_P_ASSISTANT_EDIT_PENDING_ACTION_NOW];
  decide(call, STELE_M_ASSISTANT_WRITE_PENDING_EDIT, call->args, &(wanted){"pending", "edited", now});
}
_Static_assert((int)ST_P_ASSISTANT_EDIT_PENDING_ACTION_NOW == (int)ST_P_ASSISTANT_WRITE_PENDING_EDIT_NOW &&
                   (int)ST_P_ASSISTANT_EDIT_PENDING_ACTION_EXPIRES_AT == (int)ST_P_ASSISTANT_WRITE_PENDING_EDIT_EXPIRES_AT,
               "edit_pending_action and write_pending_edit have the same fields");
