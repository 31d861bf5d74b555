/* bundle.h - what happened together, ready to be learned from: the commands of a session without a longer pause, a segment
** of an agent's session, pages that were read one after the other, a run of a workflow.
**
** Everything it points to is in the arena of whoever made it.  It holds no lock, no transaction and no token. */
#ifndef ST_BUNDLE_H
#define ST_BUNDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/text.h"

typedef enum st_item_kind {
  ST_ITEM_COMMAND, /* what ran in a shell, or what an agent's tool was told */
  ST_ITEM_PROMPT,  /* what the user said to an agent */
  ST_ITEM_CALL,    /* a call of a tool, as the agent's segment tells it */
  ST_ITEM_ANSWER,  /* what the agent said */
  ST_ITEM_COMMIT,  /* a commit's message */
  ST_ITEM_PAGE,
  ST_ITEM_JOB,
  ST_ITEM_FINDING, /* what a job found wrong */
  ST_ITEM_LOG,     /* the end of a job's log */
  ST_ITEM_KINDS
} st_item_kind;

/* What of these there is depends on the kind; the rest is empty. */
typedef struct st_item {
  st_item_kind kind;
  st_text text;    /* the command, the prompt, what a tool was told, the answer, the message, the title, the job, the finding, the log */
  st_text name;    /* the tool of a command, call or finding; the address of a page */
  st_text output;  /* of a command; the text of a page */
  st_text errors;  /* what a command complained of */
  st_text place;   /* the file of a finding; where a page is from */
  st_text rule;    /* of a finding; what was looked for when a search led to a page */
  st_text verdict; /* how a job ended; how bad a finding is */
  int64_t at;      /* when, in milliseconds */
  int64_t number;  /* how a command ended; the line of a finding */
  bool numbered;   /* that is known */
} st_item;

typedef struct st_bundle {
  const char *queue;
  const int64_t *tickets;
  size_t ticket_count;
  st_text cwd, repo, branch;
  st_text about;   /* the title of a segment's session; what started a run */
  st_text agent;   /* whose segment it is */
  st_text verdict; /* how a run ended */
  st_text commit;  /* of a run */
  const st_item *items;
  size_t count;
} st_bundle;

/* As a JSON object. */
void st_bundle_write(const st_bundle *bundle, st_str *out);

#endif
