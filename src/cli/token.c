/* token.c - stele token: who may call the server. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "listing.h"
#include "said.h"
#include "text.h"
#include "trial.h"

static int create(cli *c, const char *name) {
  static const column columns[] = {{"token", "TOKEN", COLUMN_WHOLE}, {"id", "ID", 0}, {NULL, NULL, 0}};
  int status = 0;
  char *quoted = text_quote(name);
  if (!quoted) return out_bad(&c->out, NULL, "the name is not UTF-8");
  argument arguments[] = {{"name", quoted},
                          {"scopes", said_texts(c, OPTION_SCOPE, &status)},
                          {"expires_at", said_time(c, OPTION_EXPIRES, &status)},
                          {NULL, NULL}};
  if (!status) status = command_reply(c, "server.create_token", arguments, columns, "");
  if (!status) out_notes(&c->out, "the token is shown this once: keep it");
  request_free(arguments);
  return status;
}

static int list(cli *c) {
  static const column columns[] = {
      {"id", "ID", COLUMN_WHOLE},
      {"name", "NAME", 0},
      {"prefix", "BEGINS", COLUMN_WHOLE | COLUMN_RANK(2)},
      {"scopes", "SCOPES", 0},
      {"created_at", "CREATED", COLUMN_WHOLE | COLUMN_AGO | COLUMN_RANK(3)},
      {"last_used_at", "LAST USED", COLUMN_IF_ANY | COLUMN_AGO | COLUMN_RANK(1)},
      {"expires_at", "EXPIRES", COLUMN_IF_ANY | COLUMN_AGO | COLUMN_RANK(1)},
      {"revoked_at", "REVOKED", COLUMN_IF_ANY | COLUMN_AGO | COLUMN_RANK(1)},
      {NULL, NULL, 0},
  };
  return listing_print(c, "server.list_tokens", (argument[]){{NULL, NULL}}, columns, -1, "there are no tokens");
}

static int revoke(cli *c, const char *id) {
  static const column columns[] = {{"id", "ID", 0}, {"revoked_at", "REVOKED", 0}, {NULL, NULL, 0}};
  if (!*id || strlen(id) > 18 || strspn(id, "0123456789") != strlen(id))
    return out_bad(&c->out, "`stele token list` shows them", "a token is named by its number, not %s", id);
  int status = 0;
  if (!trial_begin(c, "server.revoke_token", &status)) return status;
  status = command_reply(c, "server.revoke_token", (argument[]){{"id", id}, {NULL, NULL}}, columns, "");
  trial_end(c);
  return status;
}

static int pub(cli *c, const char *session) {
  static const column columns[] = {{"path", "PATH", COLUMN_WHOLE}, {NULL, NULL, 0}};
  char *quoted = text_quote(session);
  if (!quoted) return out_bad(&c->out, NULL, "the session is not UTF-8");
  argument arguments[] = {{"session", quoted}, {NULL, NULL}};
  int status = command_reply(c, "server.pub_link", arguments, columns, "");
  request_free(arguments);
  return status;
}

static int run(cli *c) {
  const char *verb = command_argument(c, 1), *what = command_argument(c, 2);
  if (strcmp(verb, "list") == 0 && !what) return list(c);
  if (strcmp(verb, "create") == 0 && what) return create(c, what);
  if (strcmp(verb, "revoke") == 0 && what) return revoke(c, what);
  if (strcmp(verb, "pub") == 0 && what) return pub(c, what);
  return command_verb(c, &token_command, verb);
}

const command token_command = {
    .name = "token",
    .group = GROUP_DOORS,
    .usage = "create NAME | list | revoke ID | pub SESSION",
    .summary = "tokens with which programs call the server, and links to a session's files",
    .examples = "stele token create laptop\n"
                "stele token create ci --scope conversation:write,telemetry:read --expires 90d\n"
                "stele token list\n"
                "stele token revoke 2 --dry-run\n"
                "stele token pub SESSION",
    .details = "A scope is STORE:ACCESS; the store may be *, the access is read, write or admin.\n"
               "A token is shown once, when it is made; its hash is kept. Revoking takes effect within a second.\n\n"
               "pub prints the address, on a server started with --set pub=DIR, of the files in DIR/SESSION/pub:\n"
               "who has it needs no token.",
    .least = 1,
    .most = 2,
    .opens = true,
    .takes = (const command_option[]){{OPTION_SCOPE, "create: what it may do, with commas between (*:read)"},
                                      {OPTION_EXPIRES, "create: from when on it is no longer valid, or for how long it is"},
                                      {OPTION_DRY_RUN, "revoke: see that it would work, and leave it"},
                                      LISTING_OPTIONS("list: at most this many (all)"),
                                      {0, NULL}},
    .run = run,
};
