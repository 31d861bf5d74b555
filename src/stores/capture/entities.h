/* entities.h - entities that a node speaks about. */
#ifndef ST_CAPTURE_ENTITIES_H
#define ST_CAPTURE_ENTITIES_H

#include "engine/call.h"

/* Write entities (records of upsert_entity) and link them with a new node: evidence, once, that they belong together. */
void st_capture_node_entities(st_call *call, const st_value *entities, const st_value *node, const st_value *now);

#endif
