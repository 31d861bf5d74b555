/* capture.h - the native methods of the capture store. */
#ifndef ST_CAPTURE_H
#define ST_CAPTURE_H

#include "engine/call.h"

void st_capture_claim(st_call *call);
void st_capture_complete(st_call *call);
void st_capture_fail(st_call *call);
void st_capture_reap(st_call *call);
void st_capture_record_lesson(st_call *call);
void st_capture_skip(st_call *call);
void st_capture_upsert_entities(st_call *call);
void st_capture_upsert_entity(st_call *call);
void st_capture_write_knowledge_node(st_call *call);

#endif
