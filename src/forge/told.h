/* told.h - what the forge's replies say, as arguments of the capture store's methods.
**
** Replies are somebody else's: whatever is missing or of another kind makes no arguments, and nothing breaks.  Texts that
** people wrote pass `clean`, which takes secrets out. */
#ifndef FORGE_TOLD_H
#define FORGE_TOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "../door/json.h"

/* A text without secrets, in new memory; NULL: it failed.  as_json: the text is JSON, and so is what comes back. */
typedef struct cleaner {
  char *(*clean)(void *user, const char *text, bool as_json);
  void *user;
} cleaner;

/* The first number, or 0: the forge's numbers are greater. */
int64_t told_id(json object);
bool told_completed(json run_or_job);
/* Did it fail, or was it stopped?  Then there is a log to look at. */
bool told_failed(json run_or_job);
/* "failure" or "cancelled" for what is to be told to somebody; else the conclusion itself, or "success". */
const char *told_end(json run);

/* The arguments of upsert_workflow_run, upsert_workflow_job, put_log_excerpt; NULL: it is not one, or it failed. */
char *told_run(const cleaner *c, const char *repo, json run);
char *told_job(const cleaner *c, int64_t run, json job);
char *told_log(const cleaner *c, int64_t job, const char *log, bool cut);

/* Of annotations: an element of replace_annotations, and, of a failure, the arguments of record_lesson in *lesson. */
char *told_annotation(const cleaner *c, const char *repo, const char *job, json annotation, char **lesson);

#endif
