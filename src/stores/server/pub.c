/* pub.c - addresses of what a session gives out: a session's token is its HMAC under the server's key, so
** that nothing has to be kept of it. */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "registry_ids.h"
#include "stores/server/pub_key.h"
#include "stores/server/server.h"

#define TOKEN_SIZE 65 /* with its NUL */
#define NAME_MAX_BYTES 255

/* It is a folder's name: one part of a path. */
static bool is_session(const st_value *session) {
  const char *name = session->bytes;
  return session->length > 0 && session->length <= NAME_MAX_BYTES && !memchr(name, '/', session->length) &&
         strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static bool token_of(st_call *call, const unsigned char key[ST_PUB_KEY], const st_value *session, char out[TOKEN_SIZE]) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  if (!HMAC(EVP_sha256(), key, ST_PUB_KEY, (const unsigned char *)session->bytes, session->length, digest, &length)) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    return false;
  }
  st_hex(out, digest, length);
  return true;
}

void st_server_pub_link(st_call *call) {
  unsigned char key[ST_PUB_KEY];
  char token[TOKEN_SIZE], path[TOKEN_SIZE + 8];
  const st_value *session = &call->args[ST_P_SERVER_PUB_LINK_SESSION];
  if (!is_session(session)) {
    st_fail(call, STELE_INVALID, "session", "session must be the name of a folder");
    return;
  }
  bool good = st_pub_key_need(call, key) && token_of(call, key, session, token);
  OPENSSL_cleanse(key, sizeof key);
  st_value *reply = good ? st_reply(call) : NULL;
  if (!reply) return;
  snprintf(path, sizeof path, "/pub/%s/", token);
  reply[ST_R_SERVER_PUB_LINK_TOKEN] = st_textz(st_call_copy(call, token, strlen(token)));
  reply[ST_R_SERVER_PUB_LINK_PATH] = st_textz(st_call_copy(call, path, strlen(path)));
}

void st_server_find_pub(st_call *call) {
  unsigned char key[ST_PUB_KEY];
  char token[TOKEN_SIZE];
  const st_value *said = &call->args[ST_P_SERVER_FIND_PUB_TOKEN], *sessions = &call->args[ST_P_SERVER_FIND_PUB_SESSIONS];
  const st_value *found = NULL;
  if (said->length != TOKEN_SIZE - 1 || !st_pub_key_read(call, key)) return;
  for (uint32_t i = 0; i < sessions->count && !found; i++) {
    const st_value *session = &sessions->items[i];
    if (is_session(session) && token_of(call, key, session, token) &&
        CRYPTO_memcmp(token, said->bytes, TOKEN_SIZE - 1) == 0)
      found = session;
  }
  OPENSSL_cleanse(key, sizeof key);
  st_value *reply = found && st_ok(call) ? st_reply(call) : NULL;
  if (reply) reply[ST_R_SERVER_FIND_PUB_SESSION] = *found;
}
