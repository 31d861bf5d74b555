/* assistant.h - native methods of the assistant store; the registry refers to them. */
#ifndef ST_ASSISTANT_H
#define ST_ASSISTANT_H

#include "engine/call.h"

/* vault.c */
void st_assistant_vault_put(st_call *call);
void st_assistant_vault_get(st_call *call);
void st_assistant_vault_totp(st_call *call);
void st_assistant_vault_rotate(st_call *call);

#endif
