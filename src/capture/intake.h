/* intake.h - many envelopes, one after another: kept some hundred at a time, each hundred in one transaction.
**
** Whatever was written can be given again: it is known by its envelope.  An envelope that is refused, or that the store will not
** have, does not keep the others out; when the store itself is in trouble the call fails. */
#ifndef ST_INTAKE_H
#define ST_INTAKE_H

#include "capture/envelope.h"

#define ST_INTAKE_BATCH 256

typedef struct st_intake {
  st_call *call;
  st_value now;  /* when they came in */
  bool dry_run;  /* write nothing: what would be stored is counted so */
  /* Told of each that is not kept, in their order; may be NULL. */
  void (*refused_one)(void *user, const char *envelope, size_t length, const char *why);
  void *user;
  int64_t stored, duplicates, refused; /* so far */
  /* inside */
  st_redaction *redaction;
  st_arena arena; /* of the batch */
  struct {
    const char *text;
    size_t length;
  } waiting[ST_INTAKE_BATCH];
  size_t count, bytes;
} st_intake;

/* The fields above `inside` are set by the caller; the call fails if the rules of redaction are wrong. */
void st_intake_begin(st_intake *intake);
/* The text of an envelope, which is copied. */
void st_intake_add(st_intake *intake, const char *envelope, size_t length);
/* Keep what waits. */
void st_intake_flush(st_intake *intake);
void st_intake_free(st_intake *intake);

#endif
