/* assistant.h - native methods of the assistant store; the registry refers to them. */
#ifndef ST_ASSISTANT_H
#define ST_ASSISTANT_H

#include "engine/call.h"

/* interactions.c */
void st_assistant_save_interaction(st_call *call);
void st_assistant_get_interactions_by_ids(st_call *call);
/* news.c */
void st_assistant_add_news_topic(st_call *call);
void st_assistant_remove_news_topic(st_call *call);
/* read_later.c */
void st_assistant_delete_read_later(st_call *call);
/* relevant.c */
void st_assistant_find_relevant_read_later(st_call *call);
/* decay.c */
void st_assistant_decay_user_facts(st_call *call);
/* search.c: every search_* method */
void st_assistant_search(st_call *call);

#endif
