/* audit_line.h - one call that was noted, and the lines that tell of it. */
#ifndef SERVE_AUDIT_LINE_H
#define SERVE_AUDIT_LINE_H

#include <time.h>

#include "audit.h"
#include "text.h"

#define SV_AUDIT_ARGUMENTS (16 << 10) /* longer arguments are not told */

#define SV_AUDIT_SESSION 128 /* bytes of a session's name */

typedef struct sv_audit_entry sv_audit_entry;
struct sv_audit_entry {
  sv_audit_entry *next; /* in the queue */
  struct timespec at;
  const stele_method *method;
  const char *route, *door;
  char actor[SV_ACTOR];
  char session[SV_AUDIT_SESSION]; /* that the arguments name; "": none, or one with a longer name */
  stele_status outcome;
  int64_t us;
  size_t length; /* of the arguments, as they were sent */
  char args[];   /* "": none, or too long */
};

/* A copy of what was noted, with the session that it names if that is wanted; NULL: no memory. */
sv_audit_entry *sv_audit_entry_new(const sv_audited *what, bool with_session);

/* Its line, with the end of a line.  db: its rules say what is secret. */
void sv_audit_line(const sv_audit_entry *entry, stele_db *db, sv_text *out);

/* The name of its session's file.  False: it names no session, or one that may be a secret. */
bool sv_audit_session_file(const sv_audit_entry *entry, stele_db *db, char *name, size_t room);
/* Its line there, in words. */
void sv_audit_session_line(const sv_audit_entry *entry, sv_text *out);

#endif
