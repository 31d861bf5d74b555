/* postgres_url.h - connection strings of PostgreSQL, as text.  Needs no libpq, so that a build
** without PostgreSQL can still recognise one and say what it lacks. */
#ifndef ST_POSTGRES_URL_H
#define ST_POSTGRES_URL_H

#include <stdbool.h>

/* Is it postgres://... or postgresql://...? */
bool st_postgres_is_url(const char *text);

/* Take schema=NAME off the query part of a URL: libpq does not know it.  *location is the rest,
** *schema the name, percent-decoded ("" when it is empty or badly encoded), or NULL when there is
** none; of several the last counts.  Both are the caller's (st_free).  False, and both NULL: not such
** a URL (ask st_postgres_is_url), or out of memory. */
bool st_postgres_split(const char *url, char **location, char **schema);

/* A password with a raw @ or / in it puts its tail where libpq reads host, port or database, and
** libpq would then print it.  True when a URL may be of that kind. */
bool st_postgres_ambiguous(const char *url);

/* Blank out, in a line for people, what stands between double quotes. */
void st_postgres_hide_quoted(char *line);

/* Replace every occurrence of a secret in a line for people by asterisks. */
void st_postgres_hide(char *line, const char *secret);

#endif
