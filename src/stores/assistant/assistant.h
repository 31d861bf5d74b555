/* assistant.h - native methods of the assistant store; the registry refers to them. */
#ifndef ST_ASSISTANT_H
#define ST_ASSISTANT_H

#include "engine/call.h"

/* interactions.c */
void st_assistant_save_interaction(st_call *call);
void st_assistant_get_interactions_by_ids(st_call *call);
/* search.c: every search_* method */
void st_assistant_search(st_call *call);

#endif
