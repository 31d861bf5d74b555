/* call.h - one method call on its way through the server.
**
** A call goes through one of three lanes: reads run on a worker of the pool (pool.h), writes on their
** store's writer, where calls that wait share a commit (writer.h), and what makes its own
** transactions on a thread of its own (long.h).  Whoever has a call made hands it to
** sv_dispatch() on a worker; `done` is called once, on whatever thread finished it. */
#ifndef SERVE_CALL_H
#define SERVE_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "stele.h"

/* What stele_failure tells, kept beyond the next call on the handle. */
typedef struct sv_failure {
  stele_status status; /* STELE_OK: there is none */
  char method[96];
  char field[96];
  char message[600];
  char hint[300];
} sv_failure;

typedef struct sv_call sv_call;
struct sv_call {
  const stele_method *method;
  const char *args;              /* a JSON object, or NULL; must live until done */
  void (*done)(sv_call *call);   /* the call may be freed in it */
  bool (*wanted)(sv_call *call); /* asked during long work; false: it is stopped.  NULL: always */
  void (*progress)(sv_call *call, const char *what, int64_t done, int64_t total); /* of long work; may be NULL */
  sv_failure failure;
  char *reply;      /* JSON; stele_free */
  char *notes;      /* remarks, one per line, or NULL; free */
  int64_t since_us; /* when it was handed over */
  sv_call *next;    /* in a lane's queue */
};

/* Make the call on this handle, and keep what came of it. */
void sv_call_run(sv_call *call, stele_db *db);
/* Forget what came of it: it is run again, or freed. */
void sv_call_clear(sv_call *call);

void sv_failure_set(sv_failure *failure, stele_status status, const char *method, const char *hint, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));
void sv_failure_copy(sv_failure *failure, const stele_failure *from);

int64_t sv_now_us(void); /* a clock that only goes forward */

#endif
