/* conversation.h - native methods of the conversation store; the registry refers to them. */
#ifndef ST_CONVERSATION_H
#define ST_CONVERSATION_H

#include "engine/call.h"

/* titles.c */
void st_conversation_sanitize_title(st_call *call);
void st_conversation_set_session_title(st_call *call);
void st_conversation_get_next_title_in_lineage(st_call *call);
/* messages.c */
void st_conversation_replace_messages(st_call *call);
void st_conversation_get_messages_around(st_call *call);
void st_conversation_get_anchored_view(st_call *call);
void st_conversation_pop_message(st_call *call);
/* checkpoints.c */
void st_conversation_save_checkpoint(st_call *call);
void st_conversation_save_checkpoint_writes(st_call *call);
/* replay.c */
void st_conversation_get_messages_as_conversation(st_call *call);
/* listing.c */
void st_conversation_list_sessions_rich(st_call *call);
void st_conversation_find_sessions(st_call *call);
/* doctor.c */
void st_conversation_doctor(st_call *call);
/* facets.c */
void st_conversation_search_facets(st_call *call);
/* transfer.c */
void st_conversation_import_session(st_call *call);
void st_conversation_import_sessions(st_call *call);
/* reindex.c */
void st_conversation_reindex(st_call *call);
void st_conversation_index_messages(st_call *call);
void st_conversation_index_status(st_call *call);
/* search.c */
void st_conversation_search_messages(st_call *call);
/* upkeep.c */
void st_conversation_prune_sessions(st_call *call);
void st_conversation_vacuum(st_call *call);
void st_conversation_maybe_auto_prune_and_vacuum(st_call *call);

/* A title as it is kept, cut to the length that one may have; null if nothing is left (titles.c). */
st_value st_conversation_fit_title(st_call *call, const st_value *title);

/* The title for the next session of a lineage, in the call's memory (titles.c). */
const char *st_conversation_next_title(st_call *call, const char *title, size_t length);

/* Write the file anew, without what was deleted; PostgreSQL frees it (upkeep.c). */
void st_conversation_write_anew(st_call *call);

/* Write one message, put_message's arguments, under a session and a time.  id: keep its number.
** Answers the tool calls it asks for (messages.c). */
int64_t st_conversation_put(st_call *call, const st_value *message, const st_value *session, double now, bool id);

#endif
