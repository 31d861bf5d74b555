/* fetch.h - everything that belongs to a run that has ended: jobs, what they found wrong, the ends of their logs. */
#ifndef FORGE_FETCH_H
#define FORGE_FETCH_H

#include "../door/json.h"
#include "ask.h"
#include "told.h"

/* Takes secrets out, with the handle of the forge. */
cleaner forge_cleaner(forge *f);

/* Fetch it, write it, and let the run wait to be learned from: all of that, or nothing.  False: it failed. */
bool forge_fetch(forge *f, const char *repo, json run);

#endif
