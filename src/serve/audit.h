/* audit.h - who called what, and what came of it: a line of JSON per call, in a file per day in the home, with
** `--set audit=on`; a line of words per call that names a session, in a file per session, with `--set logs=on`.
**
** Noting a call costs its thread a copy; one thread takes out what is secret and writes.  What it cannot
** keep up with is dropped, and what cannot be written is lost: both are counted and told, and no call
** fails for it. */
#ifndef SERVE_AUDIT_H
#define SERVE_AUDIT_H

#include "call.h"

typedef struct sv_server sv_server;
typedef struct sv_audit sv_audit;

#define SV_ACTOR 100 /* bytes of who called: "uid:1000", "token:2:laptop"; "": nobody known */

typedef struct sv_audited {
  const stele_method *method; /* NULL: none of the registry's, and route says what was asked for */
  const char *route;
  const char *actor;
  const char *door; /* "http", "socket" or "mcp" */
  stele_status outcome;
  int64_t us;       /* how long it took */
  const char *args; /* as they were sent; NULL: none */
  size_t length;
} sv_audited;

/* NULL: no memory, or no thread.  Only called if it is wanted, and there is a home. */
sv_audit *sv_audit_open(sv_server *server);
/* Write what waits, and end. */
void sv_audit_close(sv_audit *audit);

/* Nothing, unless it is wanted. */
void sv_audit_note(sv_server *server, const sv_audited *what);

#endif
