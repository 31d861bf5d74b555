/* vault_keys.c - see vault_keys.h. */
#include "stores/assistant/vault_keys.h"

#include <string.h>

#include "base/utf8.h"
#include "engine/handle.h"

bool st_vault_need_keys(st_call *call) {
  const stele_db *db = call->db;
  if (st_ok(call) && db->vault_wrong) {
    st_fail(call, STELE_DENIED, NULL, "vault key %zu is not a Fernet key", db->vault_wrong);
    st_hint(call, "a key is 32 bytes in URL-safe base64, 44 characters: `stele vault key` makes one");
  } else if (st_ok(call) && !db->vault.count) {
    st_fail(call, STELE_DENIED, NULL, "no vault key was given");
    st_hint(call, "set VAULT_MASTER_KEY; `stele vault key` makes a key");
  }
  return st_ok(call);
}

st_value st_vault_seal(st_call *call, const st_value *text) {
  char *token = NULL;
  if (!st_vault_need_keys(call)) return st_textz(NULL);
  if (st_fernet_encrypt(&call->db->vault, call->arena, text->bytes, text->length, NULL, &token) != ST_FERNET_DONE)
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
  return st_textz(token);
}

bool st_vault_open(st_call *call, const st_value *token, st_value *text) {
  st_fernet_text found;
  if (!st_vault_need_keys(call)) return false;
  st_fernet_status status = st_fernet_decrypt(&call->db->vault, call->arena, token->bytes, token->length, &found);
  if (status == ST_FERNET_FAILED) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (status != ST_FERNET_DONE || !st_utf8_valid(found.bytes, found.length)) return false;
  *text = (st_value){.type = ST_TEXT, .bytes = found.bytes, .length = found.length};
  return true;
}

st_value st_vault_need_open(st_call *call, const st_value *token, const char *what, const st_value *service) {
  st_value text = st_textz(NULL);
  if (!st_vault_open(call, token, &text) && st_ok(call)) {
    st_fail(call, STELE_DENIED, NULL, "no vault key opens the %s of %.100s", what, service->bytes);
    st_hint(call, "is the key that encrypted it among those of VAULT_MASTER_KEY?");
  }
  return text;
}
