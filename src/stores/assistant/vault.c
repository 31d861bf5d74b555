/* vault.c - the vault's native methods: logins are encrypted, decrypted, encrypted anew. */
#include <string.h>

#include "base/json.h"
#include "base/time.h"
#include "base/totp.h"
#include "registry_ids.h"
#include "stores/assistant/assistant.h"
#include "stores/assistant/vault_keys.h"

#define ENTRY (ST_R_ASSISTANT_GET_VAULT_ENTRY_UPDATED_AT + 1)
#define SERVICES_MAX (16u << 20) /* bytes of the names of all services that could not be read */

/* The entry of a service, encrypted; false: there is none. */
static bool find(st_call *call, const st_value *service, st_value entry[ENTRY]) {
  return st_one(call, STELE_M_ASSISTANT_GET_VAULT_ENTRY, service, entry);
}

/* ---- Putting ---- */

/* A seed that gives no codes is refused now, not when a code is needed. */
static void check_seed(st_call *call, const st_value *seed) {
  st_totp totp;
  if (seed->type != ST_TEXT) return;
  const char *problem = st_totp_read(&totp, seed->bytes, seed->length);
  if (problem) st_fail(call, STELE_INVALID, "totp_seed", "totp_seed: %s", problem);
  st_totp_wipe(&totp);
}

void st_assistant_vault_put(st_call *call) {
  const st_value *given = call->args, *now = &given[ST_P_ASSISTANT_VAULT_PUT_NOW];
  const st_value *domains = &given[ST_P_ASSISTANT_VAULT_PUT_DOMAINS], *seed = &given[ST_P_ASSISTANT_VAULT_PUT_TOTP_SEED];
  st_value old[ENTRY], args[ST_P_ASSISTANT_SAVE_VAULT_ENTRY_UPDATED_AT + 1], id = st_textz(NULL);
  if (!st_vault_need_keys(call)) return;
  check_seed(call, seed);
  bool there = find(call, &given[ST_P_ASSISTANT_VAULT_PUT_SERVICE], old);
  args[ST_P_ASSISTANT_SAVE_VAULT_ENTRY_ID] = given[ST_P_ASSISTANT_VAULT_PUT_ID];
  args[ST_P_ASSISTANT_SAVE_VAULT_ENTRY_SERVICE] = given[ST_P_ASSISTANT_VAULT_PUT_SERVICE];
  args[ST_P_ASSISTANT_SAVE_VAULT_ENTRY_DOMAINS] = domains->type == ST_TEXT ? *domains
                                                  : there ? old[ST_R_ASSISTANT_GET_VAULT_ENTRY_DOMAINS]
                                                          : st_textz("");
  args[ST_P_ASSISTANT_SAVE_VAULT_ENTRY_USERNAME_ENC] = st_vault_seal(call, &given[ST_P_ASSISTANT_VAULT_PUT_USERNAME]);
  args[ST_P_ASSISTANT_SAVE_VAULT_ENTRY_PASSWORD_ENC] = st_vault_seal(call, &given[ST_P_ASSISTANT_VAULT_PUT_PASSWORD]);
  args[ST_P_ASSISTANT_SAVE_VAULT_ENTRY_TOTP_SEED_ENC] =
      seed->type == ST_TEXT ? st_vault_seal(call, seed)
      : seed->type == ST_ABSENT && there ? old[ST_R_ASSISTANT_GET_VAULT_ENTRY_TOTP_SEED_ENC]
                                         : st_textz(NULL);
  args[ST_P_ASSISTANT_SAVE_VAULT_ENTRY_CREATED_AT] = *now;
  args[ST_P_ASSISTANT_SAVE_VAULT_ENTRY_UPDATED_AT] = *now;
  st_one(call, STELE_M_ASSISTANT_SAVE_VAULT_ENTRY, args, &id);
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_ASSISTANT_VAULT_PUT_ID] = id;
}

/* ---- Getting ---- */

void st_assistant_vault_get(st_call *call) {
  const st_value *service = &call->args[ST_P_ASSISTANT_VAULT_GET_SERVICE];
  st_value entry[ENTRY];
  if (!st_vault_need_keys(call) || !find(call, service, entry)) return;
  st_value username = st_vault_need_open(call, &entry[ST_R_ASSISTANT_GET_VAULT_ENTRY_USERNAME_ENC], "user name", service);
  st_value password = st_vault_need_open(call, &entry[ST_R_ASSISTANT_GET_VAULT_ENTRY_PASSWORD_ENC], "password", service);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_ASSISTANT_VAULT_GET_SERVICE] = entry[ST_R_ASSISTANT_GET_VAULT_ENTRY_SERVICE];
  reply[ST_R_ASSISTANT_VAULT_GET_DOMAINS] = entry[ST_R_ASSISTANT_GET_VAULT_ENTRY_DOMAINS];
  reply[ST_R_ASSISTANT_VAULT_GET_USERNAME] = username;
  reply[ST_R_ASSISTANT_VAULT_GET_PASSWORD] = password;
  reply[ST_R_ASSISTANT_VAULT_GET_HAS_TOTP] = st_bool(entry[ST_R_ASSISTANT_GET_VAULT_ENTRY_TOTP_SEED_ENC].type == ST_TEXT);
}

/* ---- Codes ---- */

static void reply_code(st_call *call, const st_totp *totp) {
  const char *said = st_arg_text(call, ST_P_ASSISTANT_VAULT_TOTP_NOW);
  char code[ST_TOTP_CODE];
  st_micros now = 0;
  st_time_parse(said, strlen(said), &now);
  if (!st_totp_code(totp, now / 1000000, code)) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_ASSISTANT_VAULT_TOTP_CODE] = st_textz(st_call_copy(call, code, strlen(code)));
  reply[ST_R_ASSISTANT_VAULT_TOTP_VALID_FOR] = st_int(st_totp_left(totp, now / 1000000));
}

void st_assistant_vault_totp(st_call *call) {
  const st_value *service = &call->args[ST_P_ASSISTANT_VAULT_TOTP_SERVICE];
  st_value entry[ENTRY];
  st_totp totp;
  if (!st_vault_need_keys(call)) return;
  bool there = find(call, service, entry);
  const st_value *token = &entry[ST_R_ASSISTANT_GET_VAULT_ENTRY_TOTP_SEED_ENC];
  if (!there)
    st_fail(call, STELE_NOTFOUND, "service", "service %.100s is not in the vault", service->bytes);
  else if (token->type != ST_TEXT)
    st_fail(call, STELE_NOTFOUND, "service", "service %.100s has no seed of one-time codes", service->bytes);
  if (!st_ok(call)) return;
  st_value seed = st_vault_need_open(call, token, "seed", service);
  if (!st_ok(call)) return;
  const char *problem = st_totp_read(&totp, seed.bytes, seed.length);
  if (problem)
    st_fail(call, STELE_INVALID, "service", "service %.100s has a seed that gives no codes: %s", service->bytes, problem);
  else
    reply_code(call, &totp);
  st_totp_wipe(&totp);
}

/* ---- New tokens ---- */

/* A token in the place of another, if a key opens that. */
static bool renew(st_call *call, const st_value *old, st_value *out) {
  st_value text;
  *out = *old;
  if (old->type != ST_TEXT) return true;
  if (!st_vault_open(call, old, &text)) return false;
  *out = st_vault_seal(call, &text);
  return true;
}

/* All of an entry or nothing of it. */
static bool renew_entry(st_call *call, const st_value entry[ENTRY]) {
  st_value args[ST_P_ASSISTANT_SET_VAULT_TOKENS_TOTP_SEED_ENC + 1];
  args[ST_P_ASSISTANT_SET_VAULT_TOKENS_SERVICE] = entry[ST_R_ASSISTANT_GET_VAULT_ENTRY_SERVICE];
  bool all = renew(call, &entry[ST_R_ASSISTANT_GET_VAULT_ENTRY_USERNAME_ENC],
                   &args[ST_P_ASSISTANT_SET_VAULT_TOKENS_USERNAME_ENC]) &&
             renew(call, &entry[ST_R_ASSISTANT_GET_VAULT_ENTRY_PASSWORD_ENC],
                   &args[ST_P_ASSISTANT_SET_VAULT_TOKENS_PASSWORD_ENC]) &&
             renew(call, &entry[ST_R_ASSISTANT_GET_VAULT_ENTRY_TOTP_SEED_ENC],
                   &args[ST_P_ASSISTANT_SET_VAULT_TOKENS_TOTP_SEED_ENC]);
  if (all) st_run(call, STELE_M_ASSISTANT_SET_VAULT_TOKENS, args);
  return all;
}

typedef struct service service;
struct service {
  service *next;
  st_value name;
};

/* All names, before anything is changed. */
static service *services(st_call *call) {
  service *first = NULL, **last = &first;
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_ASSISTANT_LIST_VAULT_SERVICES, NULL);
  while (st_rows_next(call, &rows)) {
    service *each = *last = st_call_alloc(call, sizeof *each);
    if (!each) break;
    *each = (service){.next = NULL};
    last = &each->next;
    st_rows_value(call, &rows, 0, &each->name);
    each->name.bytes = st_call_copy(call, each->name.bytes, each->name.length);
  }
  st_rows_end(call, &rows);
  return first;
}

void st_assistant_vault_rotate(st_call *call) {
  int64_t rotated = 0;
  st_value entry[ENTRY];
  st_str unreadable;
  if (!st_vault_need_keys(call)) return;
  st_str_init(&unreadable, SERVICES_MAX);
  st_str_addc(&unreadable, '[');
  for (const service *each = services(call); each && st_ok(call); each = each->next) {
    if (!find(call, &each->name, entry)) continue;
    if (renew_entry(call, entry)) {
      rotated++;
      continue;
    }
    if (unreadable.length > 1) st_str_addc(&unreadable, ',');
    st_json_add_string(&unreadable, each->name.bytes, each->name.length);
  }
  st_str_addc(&unreadable, ']');
  if (unreadable.failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_value *reply = st_reply(call);
  if (reply) {
    reply[ST_R_ASSISTANT_VAULT_ROTATE_ROTATED] = st_int(rotated);
    reply[ST_R_ASSISTANT_VAULT_ROTATE_UNREADABLE] = st_textz(st_call_copy(call, unreadable.text, unreadable.length));
  }
  st_str_free(&unreadable);
}
