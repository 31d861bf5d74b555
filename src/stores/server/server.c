/* server.c - making a bearer token: a secret of 256 random bits that is told once and kept as its
** SHA-256.  A fast hash is right here: nobody can guess among 2^256. */
#include "stores/server/server.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/hex.h"
#include "base/json.h"
#include "base/sha256.h"
#include "engine/registry.h"
#include "registry_ids.h"

#define SECRET_BYTES 32
#define MARK "stele_"               /* so that a lost token is recognised for what it is */
#define SHOWN (sizeof MARK - 1 + 8) /* of a token, in lists */
#define TOKEN_SIZE (sizeof MARK + 2 * SECRET_BYTES)
#define SCOPES_MAX (1u << 16)

static bool is_access(const char *word) {
  return strcmp(word, "read") == 0 || strcmp(word, "write") == 0 || strcmp(word, "admin") == 0;
}

/* "conversation:read", "*:admin" */
static bool is_scope(const char *scope) {
  char store[64];
  const char *colon = strchr(scope, ':');
  if (!colon || colon == scope || (size_t)(colon - scope) >= sizeof store) return false;
  snprintf(store, sizeof store, "%.*s", (int)(colon - scope), scope);
  return (strcmp(store, "*") == 0 || st_group_exists(store)) && is_access(colon + 1);
}

static char *scopes_json(st_call *call, const st_value *scopes) {
  char *json = NULL;
  st_str out;
  st_str_init(&out, SCOPES_MAX);
  for (uint32_t i = 0; i < scopes->count && st_ok(call); i++) {
    if (!is_scope(scopes->items[i].bytes))
      st_fail(call, STELE_INVALID, "scopes", "scopes must be store:read, store:write or store:admin, not %.100s",
              scopes->items[i].bytes);
    st_str_addc(&out, i ? ',' : '[');
    st_json_add_string(&out, scopes->items[i].bytes, scopes->items[i].length);
  }
  if (scopes->count == 0) st_fail(call, STELE_INVALID, "scopes", "scopes must not be empty");
  st_str_addc(&out, ']');
  if (out.failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (st_ok(call)) json = st_call_copy(call, out.text, out.length);
  st_str_free(&out);
  return json;
}

bool st_server_random(unsigned char *out, size_t size) {
  ssize_t got;
  do got = getrandom(out, size, 0);
  while (got < 0 && errno == EINTR);
  return got == (ssize_t)size; /* up to 256 bytes come whole */
}

static void make_token(st_call *call, char token[TOKEN_SIZE], char hash[ST_SHA256_TEXT]) {
  unsigned char secret[SECRET_BYTES];
  if (!st_server_random(secret, sizeof secret)) {
    st_fail(call, STELE_IO, NULL, "the system gives no random bytes");
    return;
  }
  memcpy(token, MARK, sizeof MARK);
  st_hex(token + sizeof MARK - 1, secret, sizeof secret);
  if (!st_sha256_text(token, strlen(token), hash)) st_fail(call, STELE_NOMEM, NULL, "out of memory");
}

void st_server_create_token(st_call *call) {
  char token[TOKEN_SIZE], hash[ST_SHA256_TEXT], prefix[SHOWN + 1];
  st_value args[6], id = {.type = ST_NULL};
  st_rows rows;
  char *scopes = scopes_json(call, &call->args[ST_P_SERVER_CREATE_TOKEN_SCOPES]);
  if (st_ok(call)) make_token(call, token, hash);
  if (!st_ok(call)) return;
  snprintf(prefix, sizeof prefix, "%s", token);
  args[ST_P_SERVER_PUT_TOKEN_NAME] = call->args[ST_P_SERVER_CREATE_TOKEN_NAME];
  args[ST_P_SERVER_PUT_TOKEN_PREFIX] = st_textz(prefix);
  args[ST_P_SERVER_PUT_TOKEN_HASH] = st_textz(hash);
  args[ST_P_SERVER_PUT_TOKEN_SCOPES] = st_textz(scopes);
  args[ST_P_SERVER_PUT_TOKEN_EXPIRES_AT] = call->args[ST_P_SERVER_CREATE_TOKEN_EXPIRES_AT];
  args[ST_P_SERVER_PUT_TOKEN_NOW] = call->args[ST_P_SERVER_CREATE_TOKEN_NOW];
  st_rows_start(call, &rows, STELE_M_SERVER_PUT_TOKEN, args);
  if (st_rows_next(call, &rows)) st_rows_value(call, &rows, ST_R_SERVER_PUT_TOKEN_ID, &id);
  st_rows_end(call, &rows);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_SERVER_CREATE_TOKEN_ID] = id;
  reply[ST_R_SERVER_CREATE_TOKEN_TOKEN] = st_textz(st_call_copy(call, token, strlen(token)));
  reply[ST_R_SERVER_CREATE_TOKEN_PREFIX] = st_textz(st_call_copy(call, prefix, strlen(prefix)));
}
