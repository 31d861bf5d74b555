/* vault.c - stele vault: logins of the assistant, encrypted.
**
** What is secret comes from the terminal, which does not show it, or from standard input; never from the command line,
** which every user of the machine can read. */
#include <stdlib.h>
#include <string.h>

#include "../door/json.h"
#include "ask.h"
#include "command.h"
#include "listing.h"
#include "text.h"

static int list(cli *c) {
  static const column columns[] = {
      {"service", "SERVICE", COLUMN_WHOLE},
      {"domains", "DOMAINS", 0},
      {"has_totp", "CODES", COLUMN_WHOLE | COLUMN_RANK(1)},
      {"updated_at", "CHANGED", COLUMN_WHOLE | COLUMN_RANK(2)},
      {NULL, NULL, 0},
  };
  return listing_print(c, "assistant.list_vault_meta", (argument[]){{NULL, NULL}}, columns, -1, "the vault is empty");
}

/* The n-th word as JSON; NULL: it is not there, or no UTF-8, which is told. */
static char *word(cli *c, size_t n, int *status) {
  const char *said = command_argument(c, n);
  char *quoted = said ? text_quote(said) : NULL;
  if (said && !quoted) *status = out_bad(&c->out, NULL, "%s is not UTF-8", n == 2 ? "the service" : "the list of domains");
  return quoted;
}

/* A line of input as JSON; NULL: there is none.  If it is needed, that is told. */
static char *line(cli *c, const char *question, bool secret, bool needed, int *status) {
  char *said = *status ? NULL : ask_line(&c->out, question, secret);
  char *quoted = said && (needed || *said) ? text_quote(said) : NULL;
  if (!*status && !quoted && (needed || (said && *said)))
    *status = out_bad(&c->out, "standard input: a line each for the user name, the password and, if there is one, the seed",
                      said ? "the %s is not UTF-8" : "the %s is missing", question);
  free(said);
  return quoted;
}

static int put(cli *c) {
  static const column columns[] = {{"id", "ID", COLUMN_WHOLE}, {NULL, NULL, 0}};
  int status = 0;
  argument arguments[] = {{"service", word(c, 2, &status)},
                          {"domains", word(c, 3, &status)},
                          {"username", line(c, "user name", false, true, &status)},
                          {"password", line(c, "password", true, true, &status)},
                          {"totp_seed", line(c, "seed of one-time codes, if there is one", true, false, &status)},
                          {NULL, NULL}};
  if (!status) status = command_reply(c, "assistant.vault_put", arguments, columns, "");
  request_free(arguments);
  return status;
}

static void print_member(cli *c, json reply, const char *name) {
  char *text = json_text(json_member(reply, name));
  out_format(&c->out, "%-10s", name);
  out_lines(&c->out, text ? text : "");
  out_text(&c->out, "\n");
  free(text);
}

static int get(cli *c) {
  int status = 0;
  argument arguments[] = {{"service", word(c, 2, &status)}, {NULL, NULL}};
  char *reply = command_ask(c, "assistant.vault_get", arguments, &status);
  request_free(arguments);
  if (!reply) return status;
  json told = json_read(reply, strlen(reply));
  if (json_kind(told) != '{') {
    status = out_failure(&c->out, &(stele_failure){STELE_NOTFOUND, "assistant.vault_get", "service",
                                                   "there is no such service in the vault", "`stele vault list` lists them"});
  } else if (c->options.json) {
    out_text(&c->out, reply);
    out_text(&c->out, "\n");
  } else {
    static const char *const names[] = {"username", "password", "domains", "has_totp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) print_member(c, told, names[i]);
  }
  stele_free(reply);
  return status;
}

static int totp(cli *c) {
  static const column columns[] = {{"code", "CODE", COLUMN_WHOLE}, {"valid_for", "SECONDS", COLUMN_WHOLE}, {NULL, NULL, 0}};
  int status = 0;
  argument arguments[] = {{"service", word(c, 2, &status)}, {NULL, NULL}};
  if (!status) status = command_reply(c, "assistant.vault_totp", arguments, columns, "");
  request_free(arguments);
  return status;
}

static int rotate(cli *c) {
  static const column columns[] = {{"rotated", "ROTATED", COLUMN_WHOLE}, {"unreadable", "UNREADABLE", 0}, {NULL, NULL, 0}};
  return command_reply(c, "assistant.vault_rotate", (argument[]){{NULL, NULL}}, columns, "");
}

/* The key alone, so that a shell can take it. */
static int key(cli *c) {
  int status = 0;
  char *reply = command_ask(c, "stele.new_vault_key", (argument[]){{NULL, NULL}}, &status);
  if (!reply) return status;
  char *made = json_text(json_member(json_read(reply, strlen(reply)), "key"));
  out_text(&c->out, c->options.json ? reply : made);
  out_text(&c->out, "\n");
  free(made);
  stele_free(reply);
  return 0;
}

static int run(cli *c) {
  const char *verb = command_argument(c, 1);
  size_t given = c->options.nwords - 2;
  if (strcmp(verb, "list") == 0 && given == 0) return list(c);
  if (strcmp(verb, "put") == 0 && given >= 1) return put(c);
  if (strcmp(verb, "get") == 0 && given == 1) return get(c);
  if (strcmp(verb, "totp") == 0 && given == 1) return totp(c);
  if (strcmp(verb, "rotate") == 0 && given == 0) return rotate(c);
  if (strcmp(verb, "key") == 0 && given == 0) return key(c);
  return command_verb(c, &vault_command, verb);
}

const command vault_command = {
    .name = "vault",
    .group = GROUP_DOORS,
    .usage = "list | put SERVICE [DOMAINS] | get SERVICE | totp SERVICE | rotate | key",
    .summary = "logins of the assistant, encrypted",
    .examples = "export VAULT_MASTER_KEY=$(stele vault key)\n"
                "stele vault put navette navette.example,login.navette.example\n"
                "stele vault list\n"
                "stele vault get navette\n"
                "stele vault totp navette\n"
                "VAULT_MASTER_KEY=$NEW,$VAULT_MASTER_KEY stele vault rotate",
    .details = "VAULT_MASTER_KEY holds the key, or several with commas between: the first encrypts, any decrypts. Stele keeps\n"
               "no copy of it: without the key nothing in the vault can be read.\n\n"
               "put asks for user name, password and the seed of one-time codes; from standard input they are lines.\n"
               "What was kept of a service before is written anew; domains and a seed that are not said stay.\n"
               "rotate encrypts everything with the first key.",
    .least = 1,
    .most = 3,
    .opens = true,
    .takes = (const command_option[]){LISTING_OPTIONS("list: at most this many (all)"), {0, NULL}},
    .run = run,
};
