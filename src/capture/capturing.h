/* capturing.h - the second half of an import: what was cut out of transcripts goes into the capture store.
**
** It is another file, or another database: it has a transaction of its own, after that of the conversation store, and its own
** note of how far each transcript was taken in, written with the rows.  So a kill between the two is seen the next time (the notes
** differ), and the file is read from its start, which changes nothing that is there.  If it cannot be written,
** that is told, and the conversations come in all the same. */
#ifndef ST_CAPTURING_H
#define ST_CAPTURING_H

#include "capture/batch.h"
#include "engine/call.h"

typedef struct st_capturing {
  st_call *importing; /* the call that all this is for */
  st_call call;       /* on the capture store */
  st_error error;
  st_arena arena; /* of one transaction, or one question */
  bool into_foreign; /* also if it is another program's */
  bool wanted;       /* it may be written to */
  bool on;           /* and can be, as far as is known in this pass */
  bool open;
  char hostname[256];
} st_capturing;

void st_capturing_begin(st_capturing *c, st_call *importing, bool into_foreign);
/* There is something to take in: open the store, unless that was done, or it is another program's and may not be written to. */
void st_capturing_open(st_capturing *c);
/* Another pass begins: what failed in the last one may be over. */
void st_capturing_pass(st_capturing *c);
void st_capturing_free(st_capturing *c);

/* How far a transcript was taken in, into job->captured and job->segments.  size and modified: what the conversation store
** knows of it. */
void st_capturing_look(st_capturing *c, st_job *job, int64_t size, int64_t modified);
/* A transcript has another name. */
void st_capturing_move(st_capturing *c, const char *was, const char *path);
/* What a batch has for this store, in one transaction, tried again after a conflict. */
void st_capturing_write(st_capturing *c, const st_batch *batch);

#endif
