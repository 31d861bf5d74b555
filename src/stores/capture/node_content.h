/* node_content.h - what a new node says: a JSON object.  Keys that are known are checked, others are kept as they are. */
#ifndef ST_CAPTURE_NODE_CONTENT_H
#define ST_CAPTURE_NODE_CONTENT_H

#include "base/json.h"
#include "engine/call.h"

/* Read and check it; NULL when the call has failed.  Needed are summary and intent, texts that are not blank.  If they are
** there, outcome is one of the four; tags, key_decisions and problems_encountered are lists of such texts;
** design_decisions a list of objects whose considered, chosen and reason are such texts; and entities an object, whose
** known lists are lists of such texts. */
const st_json *st_node_content_read(st_call *call, const st_value *content);

/* Fail the call unless the JSON array in the argument of that name is a list of texts; null is one. */
void st_node_tags_check(st_call *call, const st_value *tags);

/* What the column of that name is to have: what was given, or else what the content says. */
st_value st_node_outcome(st_call *call, const st_json *content, const st_value *given);
st_value st_node_tags(st_call *call, const st_json *content, const st_value *given);

/* Its entities as records of upsert_entity. */
typedef struct st_entity_place {
  const st_value *home, *roots, *now; /* as upsert_entity takes them */
} st_entity_place;
st_value st_node_content_entities(st_call *call, const st_json *content, const st_entity_place *place);

#endif
