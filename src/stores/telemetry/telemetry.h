/* telemetry.h - native methods of the telemetry store; the registry refers to them. */
#ifndef ST_TELEMETRY_H
#define ST_TELEMETRY_H

#include "engine/call.h"

void st_telemetry_persist_batch(st_call *call);
void st_telemetry_flush_all(st_call *call);
void st_telemetry_size_failsafe(st_call *call);
void st_telemetry_checkpoint_wal(st_call *call);

#endif
