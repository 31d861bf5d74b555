/* swap.h - a file takes the place of a store's, which is put aside and never deleted. */
#ifndef ST_SWAP_H
#define ST_SWAP_H

#include "engine/copy_path.h"
#include "engine/durable.h"

/* Give the file that store's name.  With replace, a file that is there is first put aside, with its log, as
** FILE.replaced-TIME; aside tells where, or is "".  STELE_BUSY: somebody has it open; STELE_CONFLICT: it is there, and is
** not to be replaced.  Nothing has changed then.  Of a file that was well, no moment is without a whole store at its place. */
stele_status st_swap_in(const char *file, const char *store, bool replace, char aside[ST_PATH_MAX], char problem[ST_PROBLEM_MAX]);

#endif
