/* resolve.c - see resolve.h. */
#include "resolve.h"

#include <stdlib.h>

#include "text.h"

/* The session_id that a method replies with; NULL: none.  False: the call failed. */
static bool ask(cli *c, const char *method, const char *param, const char *quoted, char **id) {
  stele_stmt *stmt = request_prepare(c->db, method, (argument[]){{param, quoted}, {NULL, NULL}});
  stele_status status = stmt ? stele_step(stmt) : STELE_INVALID;
  const char *found = status == STELE_ROW ? stele_column_text(stmt, 0) : NULL;
  *id = found ? text_format("%s", found) : NULL;
  stele_finalize(stmt);
  return status == STELE_ROW || status == STELE_DONE;
}

int resolve_missing(cli *c, const char *what) {
  char *message = text_format("there is no session %s", what);
  int status =
      out_failure(&c->out, &(stele_failure){STELE_NOTFOUND, "", "", message,
                                            "`stele sessions` lists them; the beginning of an id must fit one only"});
  free(message);
  return status;
}

char *resolve_session(cli *c, const char *what, int *status) {
  char *quoted = text_quote(what), *id = NULL;
  *status = 0;
  if (!quoted || !*what) {
    *status = out_bad(&c->out, "`stele sessions` lists them", "the session is %s", quoted ? "empty" : "not UTF-8");
  } else if (!ask(c, "conversation.resolve_session_id", "session_id", quoted, &id) ||
             (!id && !ask(c, "conversation.resolve_session_by_title", "title", quoted, &id))) {
    *status = command_failed(c);
  } else if (!id) {
    *status = resolve_missing(c, what);
  }
  free(quoted);
  return id;
}
