/* tenant.c - stele tenant: many users in one PostgreSQL database. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "said.h"
#include "text.h"
#include "trial.h"

/* The password comes from the environment: a command line can be read by others. */
static int create(cli *c) {
  static const column columns[] = {{"store", "STORE", 0}, {"schema", "SCHEMA", COLUMN_WHOLE}, {"version", "VERSION", 0}, {NULL, NULL, 0}};
  const char *password = getenv("STELE_TENANT_PASSWORD");
  int status = 0;
  argument arguments[] = {{"name", text_quote(command_argument(c, 2))},
                          {"password", password && *password ? text_quote(password) : NULL},
                          {"timeout", said_text(c, OPTION_TIMEOUT, &status)},
                          {NULL, NULL}};
  if (!status) status = command_reply(c, "stele.create_tenant", arguments, columns, "");
  request_free(arguments);
  return status;
}

static int list(cli *c) {
  static const column columns[] = {{"name", "TENANT", COLUMN_WHOLE}, {"active", "ACTIVE", 0},       {"connections", "CONNECTIONS", 0},
                                   {"schemas", "STORES", 0},      {"bytes", "SIZE", COLUMN_BYTES}, {NULL, NULL, 0}};
  return command_reply(c, "stele.list_tenants", (argument[]){{NULL, NULL}}, columns, "there are no tenants");
}

static int migrate(cli *c) {
  static const column columns[] = {{"tenant", "TENANT", COLUMN_WHOLE}, {"store", "STORE", 0}, {"version", "VERSION", 0}, {NULL, NULL, 0}};
  const char *name = command_argument(c, 2);
  argument arguments[] = {{"name", name ? text_quote(name) : NULL}, {NULL, NULL}};
  int status = command_reply(c, "stele.migrate_tenants", arguments, columns, "there are no tenants");
  request_free(arguments);
  return status;
}

static int revoke(cli *c) {
  static const column columns[] = {{"ended", "CONNECTIONS ENDED", 0}, {NULL, NULL, 0}};
  argument arguments[] = {{"name", text_quote(command_argument(c, 2))}, {NULL, NULL}};
  int status = command_reply(c, "stele.revoke_tenant", arguments, columns, "");
  request_free(arguments);
  return status;
}

static int drop(cli *c) {
  static const column columns[] = {{"schemas", "STORES DELETED", 0}, {NULL, NULL, 0}};
  const char *name = command_argument(c, 2);
  char question[200];
  int status = 0;
  snprintf(question, sizeof question, "delete the tenant %.60s with everything that it has?", name);
  if (!trial_agreed(c, question, &status)) return status;
  argument arguments[] = {{"name", text_quote(name)}, {"confirm", text_quote(name)}, {NULL, NULL}};
  status = command_reply(c, "stele.drop_tenant", arguments, columns, "");
  request_free(arguments);
  return status;
}

static int run(cli *c) {
  const char *verb = command_argument(c, 1);
  size_t given = c->options.nwords - 2;
  if (strcmp(verb, "create") == 0 && given == 1) return create(c);
  if (strcmp(verb, "list") == 0 && given == 0) return list(c);
  if (strcmp(verb, "migrate") == 0) return migrate(c);
  if (strcmp(verb, "revoke") == 0 && given == 1) return revoke(c);
  if (strcmp(verb, "drop") == 0 && given == 1) return drop(c);
  return command_verb(c, &tenant_command, verb);
}

const command tenant_command = {
    .name = "tenant",
    .group = GROUP_STORES,
    .usage = "create NAME [--timeout TIME] | list | migrate [NAME] | revoke NAME | drop NAME [--yes]",
    .summary = "many users in one PostgreSQL database, none of whom sees another",
    .examples = "STELE_TENANT_PASSWORD=... stele --database postgres://admin@db.example/stele tenant create alice\n"
                "stele --database 'postgres://alice@db.example/stele?tenant=alice' status\n"
                "stele --database postgres://admin@db.example/stele tenant list\n"
                "stele --database postgres://admin@db.example/stele tenant migrate\n"
                "stele --database postgres://admin@db.example/stele tenant drop alice",
    .details = "A tenant is a role and a schema for each of its stores, in which nobody else has rights.  Its home names the database with its role\n"
               "and tenant=NAME.  The password of a new tenant is in $STELE_TENANT_PASSWORD; without one the server decides how it logs in.\n"
               "revoke shuts it out and keeps what it has; create lets it in again.  docs/scaling.md tells more.",
    .least = 1,
    .most = 2,
    .opens = true,
    .takes = (const command_option[]){{OPTION_TIMEOUT, "create: longest time of a statement (60s)"}, {OPTION_YES, TRIAL_YES}, {0, NULL}},
    .run = run,
};
