/* auth.h - who may call what. */
#ifndef SERVE_AUTH_H
#define SERVE_AUTH_H

#include "exchange.h"

/* Is the server called by a name of its own, and from a page of its own?  A page elsewhere that makes
** a browser call a loopback address has another name in Host or Origin.  False: answered. */
bool sv_auth_names(sv_exchange *exchange);

/* A token has been sent, or none is needed.  Looks at nothing but the header.  False: answered. */
bool sv_auth_begin(sv_exchange *exchange);

/* May it call what it wants to?  On a worker.  False: answered. */
bool sv_auth_check(sv_exchange *exchange, sv_worker *worker);

/* What the caller may do, as a copy (free); NULL: everything, it is this server's user.  For what calls
** methods by other names than the address.  False: the token is not valid any more, or no memory. */
bool sv_auth_scopes(const sv_exchange *exchange, sv_worker *worker, char **scopes);
bool sv_auth_allows(const char *scopes, const stele_method *method); /* scopes NULL: everything */

/* The scope that a method needs. */
const char *sv_auth_access(const stele_method *method);

/* Make the local user's token if the server has none, and write it into the home.  False: told. */
bool sv_auth_first_token(sv_server *server);

#endif
