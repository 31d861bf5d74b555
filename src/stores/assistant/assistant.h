/* assistant.h - native methods of the assistant store; the registry refers to them. */
#ifndef ST_ASSISTANT_H
#define ST_ASSISTANT_H

#include "engine/call.h"

/* embedding.c */
void st_assistant_set_embedding(st_call *call);
void st_assistant_get_embedding(st_call *call);
void st_assistant_clear_embedding(st_call *call);
void st_assistant_list_unembedded(st_call *call);
void st_assistant_sweep_embeddings(st_call *call);
void st_assistant_upgrade_embeddings(st_call *call);
/* semantic.c */
void st_assistant_semantic_search(st_call *call);
/* hybrid.c */
void st_assistant_hybrid_search(st_call *call);

#endif
