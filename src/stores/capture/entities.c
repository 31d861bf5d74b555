/* entities.c - what knowledge speaks about. */
#include <string.h>

#include "registry_ids.h"
#include "stores/capture/canonical.h"
#include "stores/capture/capture.h"
#include "stores/capture/entities.h"

enum { ENTITY = ST_R_CAPTURE_PUT_ENTITY_CANONICAL + 1 };

static const char *text_of(const st_value *value) { return value->type == ST_TEXT ? value->bytes : NULL; }

/* Write one, as upsert_entity is told of it. */
static bool put(st_call *call, const st_value *told, st_value entity[ENTITY]) {
  st_named named = {.type = told[ST_P_CAPTURE_UPSERT_ENTITY_TYPE].bytes,
                    .name = told[ST_P_CAPTURE_UPSERT_ENTITY_NAME].bytes,
                    .home = text_of(&told[ST_P_CAPTURE_UPSERT_ENTITY_HOME]),
                    .roots = text_of(&told[ST_P_CAPTURE_UPSERT_ENTITY_PROJECT_ROOTS])};
  st_value args[ST_P_CAPTURE_PUT_ENTITY_NOW + 1] = {told[ST_P_CAPTURE_UPSERT_ENTITY_TYPE]};
  args[ST_P_CAPTURE_PUT_ENTITY_NAME] = st_capture_display_name(call, &named);
  args[ST_P_CAPTURE_PUT_ENTITY_CANONICAL] = st_capture_canonical(call, &named);
  args[ST_P_CAPTURE_PUT_ENTITY_NOW] = told[ST_P_CAPTURE_UPSERT_ENTITY_NOW];
  const st_value *canonical = &args[ST_P_CAPTURE_PUT_ENTITY_CANONICAL];
  if (canonical->type == ST_TEXT && canonical->length == 0)
    st_fail(call, STELE_INVALID, "name", "name: an entity of type %s has a name of blanks", named.type);
  return st_one(call, STELE_M_CAPTURE_PUT_ENTITY, args, entity);
}

static void reply(st_call *call, const st_value entity[ENTITY]) {
  st_value *row = st_reply(call);
  for (size_t i = 0; row && i < ENTITY; i++) row[i] = entity[i];
}

void st_capture_upsert_entity(st_call *call) {
  st_value entity[ENTITY];
  if (put(call, call->args, entity)) reply(call, entity);
}

static void link_event(st_call *call, const st_value *entity, const st_value *now) {
  const st_value *event = &call->args[ST_P_CAPTURE_UPSERT_ENTITIES_EVENT_ID];
  st_value args[ST_P_CAPTURE_LINK_EVENT_ENTITY_NOW + 1] = {*event, *entity, call->args[ST_P_CAPTURE_UPSERT_ENTITIES_ROLE], *now};
  if (st_run(call, STELE_M_CAPTURE_LINK_EVENT_ENTITY, args) == 0)
    st_fail(call, STELE_NOTFOUND, "event_id", "event_id %lld does not exist", (long long)event->integer);
}

void st_capture_upsert_entities(st_call *call) {
  const st_value *entities = &call->args[ST_P_CAPTURE_UPSERT_ENTITIES_ENTITIES];
  for (size_t i = 0; i < entities->count && st_ok(call); i++) {
    const st_value *told = entities->items + i * entities->width;
    st_value entity[ENTITY];
    if (!put(call, told, entity)) break;
    if (st_has(call, ST_P_CAPTURE_UPSERT_ENTITIES_EVENT_ID))
      link_event(call, &entity[ST_R_CAPTURE_PUT_ENTITY_ID], &told[ST_P_CAPTURE_UPSERT_ENTITY_NOW]);
    reply(call, entity);
  }
}

void st_capture_node_entities(st_call *call, const st_value *entities, const st_value *node, const st_value *now) {
  for (size_t i = 0; i < entities->count && st_ok(call); i++) {
    st_value entity[ENTITY];
    if (!put(call, entities->items + i * entities->width, entity)) return;
    st_run(call, STELE_M_CAPTURE_LINK_NODE_ENTITY, (st_value[]){*node, entity[ST_R_CAPTURE_PUT_ENTITY_ID]});
  }
  st_run(call, STELE_M_CAPTURE_RELATE_NODE_ENTITIES, (st_value[]){*node, *now});
}

/* The parameters of both methods are the same; only the text is taken to the form that it is looked for in. */
void st_capture_get_entities(st_call *call) {
  st_value args[ST_P_CAPTURE_LIST_ENTITIES_LIMIT + 1];
  st_rows rows;
  memcpy(args, call->args, sizeof args);
  st_value *part = &args[ST_P_CAPTURE_LIST_ENTITIES_PART];
  if (part->type == ST_TEXT) *part = st_capture_canonical(call, &(st_named){.type = "concept", .name = part->bytes});
  if (part->type == ST_TEXT && part->length == 0) part->type = ST_ABSENT; /* it stands in everything */
  st_rows_start(call, &rows, STELE_M_CAPTURE_LIST_ENTITIES, args);
  while (st_rows_next(call, &rows)) st_reply_read(call, &rows, ST_ALL_COLUMNS);
  st_rows_end(call, &rows);
}
_Static_assert((int)ST_P_CAPTURE_GET_ENTITIES_QUERY == (int)ST_P_CAPTURE_LIST_ENTITIES_PART &&
                   (int)ST_P_CAPTURE_GET_ENTITIES_LIMIT == (int)ST_P_CAPTURE_LIST_ENTITIES_LIMIT,
               "get_entities has the parameters of list_entities");
