/* new_vault_key.c - stele.new_vault_key. */
#include <openssl/crypto.h>
#include <string.h>

#include "base/fernet.h"
#include "engine/system.h"
#include "registry_ids.h"

void st_stele_new_vault_key(st_call *call) {
  char key[ST_FERNET_KEY_TEXT];
  if (!st_fernet_key_new(key)) {
    st_fail(call, STELE_IO, NULL, "the system gives no random bytes");
    return;
  }
  st_value *row = st_reply(call);
  if (row) row[ST_R_STELE_NEW_VAULT_KEY_KEY] = st_textz(st_call_copy(call, key, strlen(key)));
  OPENSSL_cleanse(key, sizeof key);
}
