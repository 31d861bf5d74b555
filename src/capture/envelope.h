/* envelope.h - an event as it is sent: {"envelope_id":UUID,"timestamp":..,"payload":{"type":..,"data":..},"probe_tag":..}
**
** The payload is a command (Shell), a tool call (AgenticToolCall) or a page (Browser); docs/shell.md has their members. What
** is not known is passed over, so that senders of other versions are understood; what is missing or wrong is told. */
#ifndef ST_ENVELOPE_H
#define ST_ENVELOPE_H

#include "base/json.h"
#include "capture/redact_handle.h"
#include "engine/call.h"
#include "registry_ids.h"

typedef struct st_envelope {
  bool visit; /* arguments of insert_browser_event; else of insert_event, which has more */
  st_value values[ST_P_CAPTURE_INSERT_EVENT_ENV + 1];
} st_envelope;

/* Read an envelope that came in at `now`, and take the secrets out.  False: problem tells why it is refused; or the call has
** failed. */
bool st_envelope_read(st_call *call, const st_redaction *redaction, const st_json *envelope, st_value now, st_envelope *out,
                      st_error *problem);

/* Keep it.  False: it was there already. */
bool st_envelope_keep(st_call *call, const st_envelope *envelope);

#endif
