/* taking.h - the reading side of an import: a thread that reads files, one after the other, and fills batches
** with what they tell, redacted. */
#ifndef ST_TAKING_H
#define ST_TAKING_H

#include "capture/batch.h"
#include "capture/ignore.h"
#include "capture/numbers.h"
#include "capture/redact.h"

#define ST_TAKING_SESSIONS 16 /* sessions of one file whose last facts are remembered */

#define ST_TAKING_CALLS 16    /* of tools, likewise */

typedef struct st_taking {
  st_taker taker; /* the first member: what readers tell comes here */
  st_channel *channel;
  st_ignore ignore;
  bool segments; /* they are wanted, for the capture store */
  bool again; /* read files from their start, whatever is known */
  const st_redactor *redactor;
  st_redact_scratch *scratch; /* the reading thread's own */
  /* below: for the reading thread alone */
  st_batch *batch; /* being filled; NULL: nobody wants more */
  int64_t most;    /* records of this one */
  st_job *job;
  st_source source;
  st_str *state;
  st_text session; /* of the last item, in the batch's memory */
  struct {
    uint64_t id, facts;
  } told[ST_TAKING_SESSIONS];
  unsigned next_told;
  st_numbers dropped; /* sessions of the file whose project is ignored */
  st_segmenter segmenter; /* its rules are NULL where there are no segments */
  st_str kept_segments;   /* before a last line that may still grow; empty: there is none such */
  st_tool_row *calls[ST_TAKING_CALLS]; /* the last ones in this batch: mostly their answers come soon */
  unsigned ncalls;
  st_numbers touched;     /* sessions of a database that were told, */
  st_str touched_ids;     /* a JSON list of them */
  bool flows;         /* it has no lines: a full batch is sent between two messages, without a mark */
  st_reached mark;    /* what the next mark will say */
  char problem[200];
  bool nomem;
} st_taking;

/* False: out of memory. */
bool st_taking_init(st_taking *taking, st_channel *channel, const st_redactor *redactor);
void st_taking_free(st_taking *taking);

/* Forget the file before; the job's items follow. */
void st_taking_begin(st_taking *taking, st_job *job);

/* Add an item to the batch; NULL: nobody wants more, or there is no memory.  Note that there is none: false. */
st_item *st_taking_item(st_taking *taking, st_item_kind kind);
bool st_taking_nomem(st_taking *taking);

/* taking_segments.c: like their namesakes above, for their part.  All are false when memory ran out, or nobody wants more. */
bool st_taking_init_segments(st_taking *taking);
void st_taking_free_segments(st_taking *taking);
void st_taking_forget_segments(st_taking *taking);
/* Does the file have segments that are cut as it is told? */
bool st_taking_cuts(const st_taking *taking);
/* The message as it is kept, with its calls as they were told: what a tool was told is redacted before it is cut. */
bool st_taking_cut(st_taking *taking, st_text session, const st_told_message *kept, st_text calls);
/* A session of a database has something new; once is enough. */
bool st_taking_touch(st_taking *taking, st_text id);
/* The open segment, and how to go on with it, into the mark. */
bool st_taking_mark_segments(st_taking *taking);
/* The file is read from its start, or from where it was left (on). */
bool st_taking_segments(st_taking *taking, bool on);
/* What comes now is told, but will be read again. */
bool st_taking_part(st_taking *taking);
/* All of a database was told: its segments follow. */
bool st_taking_database(st_taking *taking, sqlite3 *db);

/* A bad place: counted, and told with the file's name and the line (0: none). */
bool st_taking_bad(st_taking *taking, int64_t line, const char *why);

/* Put a mark behind what was told. */
bool st_taking_mark(st_taking *taking, bool done);
/* Send the batch, if it is full or `now`; false: nobody wants more. */
bool st_taking_send(st_taking *taking, bool now);
bool st_taking_is_full(const st_taking *taking);
/* Send the last batch. */
void st_taking_end(st_taking *taking);

/* What the thread runs: jobs until there are none.  Sends a last batch with `end` set. */
void *st_taking_run(void *taking);

#endif
