/* vault_keys.h - the vault's tokens, made and opened with the keys of the handle.
**
** A failure tells which service and which of its fields; never a key, a token or what is in one. */
#ifndef ST_ASSISTANT_VAULT_KEYS_H
#define ST_ASSISTANT_VAULT_KEYS_H

#include "engine/call.h"

/* Fail the call unless the handle has keys. */
bool st_vault_need_keys(st_call *call);

/* A text as a token of the first key. */
st_value st_vault_seal(st_call *call, const st_value *text);

/* What a token says, as a text.  False: no key opens it, or it is no text; the call goes on, unless memory was short. */
bool st_vault_open(st_call *call, const st_value *token, st_value *text);

/* The same, where the call fails if it cannot be opened: "the password of navette". */
st_value st_vault_need_open(st_call *call, const st_value *token, const char *what, const st_value *service);

#endif
