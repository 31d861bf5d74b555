/* recall.h - one search over all stores: the methods of sql/recall. */
#ifndef ST_RECALL_H
#define ST_RECALL_H

#include "engine/call.h"

void st_recall_search(st_call *call);
void st_recall_ask_question(st_call *call); /* ask.c; st_recall_ask() asks the stores */
void st_recall_get(st_call *call);
void st_recall_timeline(st_call *call);
void st_recall_sources(st_call *call);
void st_recall_embed_backfill(st_call *call);
void st_recall_index(st_call *call);
void st_recall_index_status(st_call *call);

#endif
