/* output.h - what a command says: data on stdout, everything else on stderr. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "options.h"
#include "stele.h"

/* The beginning of a note of recall.search: who has no model need not read that after every search that found something; `stele
** doctor` says it, too. */
#define OUT_BY_WORDS "searched by words alone"

typedef struct output {
  bool json;                                    /* errors are told as JSON */
  bool quiet;                                   /* errors only */
  const char *hushed;                           /* notes that begin so are left out; NULL: none */
  bool terminal;                                /* stdout is one */
  bool plain;                                   /* rows for programs */
  bool pages;                                   /* the first word written starts a pager */
  const char *reader; /* the pager that was said, or NULL */
  pid_t pager;                                  /* it runs; 0: none */
  FILE *held;                                   /* what is not data waits here while the pager shows data; NULL: stderr */
  char *held_text;
  size_t held_length;
  bool unicode;                                 /* more than ASCII can be shown */
  size_t width;                                 /* columns a table may take; 0: any */
  const char *bold, *dim, *red, *yellow, *green, *match, *normal; /* "" without colours */
  int error;                                    /* errno of the first failed write to stdout, or 0 */
  int64_t began_at, last_done;                  /* of what progress tells: ms of its beginning, how far it was */
  int64_t drawn_at;                             /* ms: when progress was last drawn; 0: none is on the screen */
} output;

void output_init(output *out, const options *o);

/* What comes may be long: on a terminal it goes through a pager, unless --no-pager was said. */
void output_page(output *out, const options *o);

/* Write to stdout.  A failure is kept for output_end(). */
void out_format(output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void out_text(output *out, const char *text);
/* Several lines of somebody else's text: without control characters if a terminal shows them. */
void out_lines(output *out, const char *text);

/* The last word of the program: the exit status, which is 1 if stdout did not take everything. */
int output_end(output *out, int status);

/* Tell an error on stderr.  Returns the exit status: 2 for a bad call, else 1. */
int out_failure(output *out, const stele_failure *failure);
/* The same for a command line that makes no sense.  hint may be NULL.  Returns 2. */
int out_bad(output *out, const char *hint, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Remarks, one per line: of the library, or our own. */
void out_notes(output *out, const char *notes);

/* Callback for stele_options.log; user is the output. */
void out_log(void *user, stele_log_level level, const char *message);

#endif
