/* resume.h - the command that goes on with a session in its own agent. */
#ifndef CLI_RESUME_H
#define CLI_RESUME_H

#include "command.h"

/* Why there is none; the hint may be NULL. */
typedef struct resume_refusal {
  char *message, *hint;
} resume_refusal;

/* The command for a shell, in new memory, by the session's id.  NULL: *no tells why, or, where it has no message, stele_error().
** It is to be freed in any case. */
char *resume_line(stele_db *db, const char *session, resume_refusal *no);
void resume_refusal_free(resume_refusal *no);

#endif
