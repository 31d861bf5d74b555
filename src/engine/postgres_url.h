/* postgres_url.h - connection strings of PostgreSQL, as text.  Needs no libpq, so that a build
** without PostgreSQL can still recognise one and say what it lacks. */
#ifndef ST_POSTGRES_URL_H
#define ST_POSTGRES_URL_H

#include <stdbool.h>

/* Is it postgres://... or postgresql://...? */
bool st_postgres_is_url(const char *text);

/* An address, and what in its query part is Stele's: libpq does not know it.  Values are percent-decoded ("" when empty or
** badly encoded); NULL: it is not said; of several the last counts. */
typedef struct st_postgres_address {
  char *location;          /* the rest, for libpq */
  char *schema;            /* that holds the store's tables */
  char *tenant;            /* whose schema it is */
  char *reads;             /* where methods that only read go: primary, replica */
  char *statement_timeout; /* as PostgreSQL reads it: 5s, 200ms */
} st_postgres_address;

/* False, and all NULL: not such a URL (ask st_postgres_is_url), or out of memory. */
bool st_postgres_split(const char *url, st_postgres_address *out);
void st_postgres_address_free(st_postgres_address *address);

/* A password with a raw @ or / in it puts its tail where libpq reads host, port or database, and
** libpq would then print it.  True when a URL may be of that kind. */
bool st_postgres_ambiguous(const char *url);

/* Blank out, in a line for people, what stands between double quotes. */
void st_postgres_hide_quoted(char *line);

/* Replace every occurrence of a secret in a line for people by asterisks. */
void st_postgres_hide(char *line, const char *secret);

#endif
