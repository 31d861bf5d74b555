/* capture.h - native methods of the capture store; the registry refers to them. */
#ifndef ST_STORE_CAPTURE_H
#define ST_STORE_CAPTURE_H

#include "engine/call.h"

/* session.c */
void st_capture_start_session(st_call *call);
/* events.c */
void st_capture_insert_event(st_call *call);
void st_capture_insert_events(st_call *call);
/* browser.c */
void st_capture_insert_browser_event(st_call *call);
/* environment.c */
void st_stele_captured_variables(st_call *call);
/* search.c */
void st_capture_search_events(st_call *call);
/* segments.c */
void st_capture_upsert_segment(st_call *call);
void st_capture_sweep_unqueued(st_call *call);
/* workflows.c */
void st_capture_upsert_workflow_run(st_call *call);
void st_capture_replace_annotations(st_call *call);
void st_capture_get_ci_status(st_call *call);
/* queues.c */
void st_capture_claim(st_call *call);
void st_capture_complete(st_call *call);
void st_capture_skip(st_call *call);
void st_capture_fail(st_call *call);
void st_capture_release(st_call *call);
void st_capture_reap(st_call *call);
/* retry.c */
void st_capture_retry_failed(st_call *call);
/* handshake.c */
void st_capture_handshake(st_call *call);
/* entities.c */
void st_capture_upsert_entities(st_call *call);
void st_capture_upsert_entity(st_call *call);
void st_capture_get_entities(st_call *call);
/* lessons.c */
void st_capture_record_lesson(st_call *call);
void st_capture_upkeep_graduate(st_call *call);
/* doctor_sources.c, doctor_queues.c, doctor_rows.c */
void st_capture_doctor_sources(st_call *call);
void st_capture_doctor_queues(st_call *call);
void st_capture_doctor_rows(st_call *call);
/* knowledge.c */
void st_capture_write_knowledge_node(st_call *call);
/* embedding.c */
void st_capture_save_node_embedding(st_call *call);
void st_capture_list_unembedded_nodes(st_call *call);
/* retrieval.c */
void st_capture_search_knowledge(st_call *call);
/* probes.c */
void st_capture_run_probe(st_call *call);
/* watchdog.c */
void st_capture_run_watchdog(st_call *call);

#endif
