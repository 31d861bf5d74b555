/* browser.c - pages that were read. */
#include <string.h>

#include "registry_ids.h"
#include "stores/capture/capture.h"
#include "stores/capture/insert.h"
#include "stores/capture/keep.h"

/* The parameters of write_browser_event are those of insert_browser_event, and one more. */
enum { SHARED = ST_P_CAPTURE_WRITE_BROWSER_EVENT_CONTENT_HASH };
_Static_assert(SHARED == ST_P_CAPTURE_INSERT_BROWSER_EVENT_NOW + 1, "both methods begin with the columns of the table");

bool st_capture_keep_visit(st_call *call, const st_value *visit, int64_t *id) {
  const st_value *text = &visit[ST_P_CAPTURE_INSERT_BROWSER_EVENT_EXTRACTED_TEXT];
  st_value args[SHARED + 1];
  st_kept kept = {.write = STELE_M_CAPTURE_WRITE_BROWSER_EVENT,
                  .find = STELE_M_CAPTURE_FIND_BROWSER_EVENT,
                  .enqueue = STELE_M_CAPTURE_ENQUEUE_BROWSER_EVENT,
                  .args = args,
                  .envelope = visit[ST_P_CAPTURE_INSERT_BROWSER_EVENT_ENVELOPE_ID],
                  .probe = visit[ST_P_CAPTURE_INSERT_BROWSER_EVENT_PROBE_TAG],
                  .source = st_textz("browser"),
                  .timestamp = visit[ST_P_CAPTURE_INSERT_BROWSER_EVENT_TIMESTAMP],
                  .now = visit[ST_P_CAPTURE_INSERT_BROWSER_EVENT_NOW]};
  memcpy(args, visit, SHARED * sizeof *args);
  args[SHARED] = text->type == ST_TEXT ? st_capture_hash(call, text->bytes, text->length) : st_textz(NULL);
  return st_capture_keep(call, &kept, id);
}

void st_capture_insert_browser_event(st_call *call) {
  int64_t id = 0;
  bool inserted = st_capture_keep_visit(call, call->args, &id);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CAPTURE_INSERT_BROWSER_EVENT_ID] = st_int(id);
  reply[ST_R_CAPTURE_INSERT_BROWSER_EVENT_DUPLICATE] = st_bool(!inserted);
}
