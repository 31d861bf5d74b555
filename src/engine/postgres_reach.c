/* postgres_reach.c - making a connection: what is asked of the server, several servers, and failures told without
** secrets. */
#include <stdio.h>
#include <string.h>

#include "engine/postgres_conn.h"
#include "engine/postgres_library.h"
#include "engine/postgres_url.h"

#define MOST_SECONDS 10 /* for one server to answer, of those that an address names */
#define LEAST_SECONDS 2 /* libpq waits no shorter */
#define LEAST_UNANSWERED_MS 5000 /* a network may stumble for so long */

/* Read the connection string before libpq uses it: what it says of a string that it cannot read
** may hold the password. */
static stele_status read_location(st_postgres *pg, const char *location, PQconninfoOption **out) {
  char line[300];
  char *reason = NULL;
  if (st_postgres_ambiguous(location))
    return st_conn_fail(&pg->base, STELE_INVALID,
                        "the connection string has an @ too many: write @ as %%40, / as %%2F and : as %%3A "
                        "in the user's name and password");
  *out = PQconninfoParse(location, &reason);
  if (*out) return STELE_OK;
  if (!reason) return st_conn_fail(&pg->base, STELE_NOMEM, "out of memory");
  st_postgres_first_line(reason, line, sizeof line);
  st_postgres_hide_quoted(line);
  PQfreemem(reason);
  return st_conn_fail(&pg->base, STELE_INVALID, "the connection string cannot be read: %s", line);
}

static const char *said(const PQconninfoOption *options, const char *keyword) {
  for (; options->keyword; options++)
    if (strcmp(options->keyword, keyword) == 0 && options->val) return options->val;
  return "";
}

static int count_servers(const PQconninfoOption *options) {
  const char *names = said(options, "host")[0] ? said(options, "host") : said(options, "hostaddr");
  int count = 1;
  for (; *names; names++) count += *names == ',';
  return count;
}

/* So long one of several may take to answer that the next is tried while the caller still waits. */
static int seconds_each(const st_postgres *pg, int servers) {
  int seconds = pg->wait_ms / 1000 / (2 * servers);
  return seconds < LEAST_SECONDS ? LEAST_SECONDS : seconds > MOST_SECONDS ? MOST_SECONDS : seconds;
}

/* Of several servers a writer wants the primary, unless the address says otherwise. */
static const char *wanted(st_postgres *pg, const PQconninfoOption *options, int servers) {
  const char *attrs = said(options, "target_session_attrs");
  if (!attrs[0]) attrs = servers > 1 && !pg->readonly ? "read-write" : "any";
  pg->wants_primary = strcmp(attrs, "read-write") == 0 || strcmp(attrs, "primary") == 0;
  return attrs;
}

/* libpq writes a line for each server; those that begin with a tab are advice. */
static void join_lines(const char *message, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  while (*message && used < size) {
    size_t length = strcspn(message, "\n");
    if (length > 0 && *message != '\t')
      used += (size_t)snprintf(out + used, size - used, "%s%.*s", used ? "; " : "", (int)length, message);
    message += length + (message[length] == '\n');
  }
}

stele_status st_postgres_unreachable(st_postgres *pg) {
  char line[360];
  join_lines(PQerrorMessage(pg->link), line, sizeof line);
  PQconninfoOption *options = PQconninfo(pg->link);
  if (!options) return st_conn_fail(&pg->base, STELE_NOMEM, "out of memory");
  for (PQconninfoOption *option = options; option->keyword; option++)
    if (option->dispchar[0] == '*' && option->val && strlen(option->val) > 3) /* shorter ones are in any sentence */
      st_postgres_hide(line, option->val);
  PQconninfoFree(options);
  return st_conn_fail(&pg->base, STELE_UNAVAILABLE, "%s", line);
}

/* The defaults before dbname give way to the connection string, those after it do not (and NULL is no value).  Whoever waits for a server that
** is gone notices it (by keep-alives, or because nothing that is sent arrives) in about the time that a caller waits. */
stele_status st_postgres_reach(st_postgres *pg, const char *location) {
  static const char *const keys[] = {"connect_timeout", "tcp_user_timeout", "target_session_attrs", "keepalives_idle", "keepalives_interval",
                                     "keepalives_count", "fallback_application_name", "dbname", "client_encoding", "target_session_attrs", NULL};
  char each[16], unanswered[16];
  PQconninfoOption *options = NULL;
  const char *lacks = st_postgres_load();
  if (lacks) return st_conn_fail(&pg->base, STELE_UNSUPPORTED, "%s", lacks);
  stele_status status = read_location(pg, location, &options);
  if (status != STELE_OK) return status;
  int servers = count_servers(options);
  snprintf(each, sizeof each, "%d", seconds_each(pg, servers));
  snprintf(unanswered, sizeof unanswered, "%d", pg->wait_ms < LEAST_UNANSWERED_MS ? LEAST_UNANSWERED_MS : pg->wait_ms);
  const char *const values[] = {each, unanswered, wanted(pg, options, servers), "10", "5", "3", "stele", location, "UTF8", pg->standby ? "prefer-standby" : NULL, NULL};
  pg->link = PQconnectdbParams(keys, values, 1);
  PQconninfoFree(options); /* after the last use of what is wanted */
  if (!pg->link) return st_conn_fail(&pg->base, STELE_NOMEM, "out of memory");
  return st_postgres_lost(pg) ? st_postgres_unreachable(pg) : STELE_OK;
}
