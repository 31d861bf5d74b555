/* capture.h - native methods about what comes in from outside; the registry refers to them. */
#ifndef ST_CAPTURE_H
#define ST_CAPTURE_H

#include "engine/call.h"

/* import.c */
void st_conversation_import_transcripts(st_call *call);
/* harnesses.c */
void st_conversation_list_harnesses(st_call *call);
/* watch.c */
void st_conversation_watch_transcripts(st_call *call);
/* ingest.c */
void st_capture_ingest(st_call *call);
/* history.c */
void st_capture_import_history(st_call *call);
/* replay.c */
void st_capture_replay_fallback(st_call *call);

#endif
