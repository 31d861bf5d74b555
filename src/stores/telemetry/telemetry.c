/* telemetry.c - the methods of the telemetry store that SQL alone cannot say. */
#include "stores/telemetry/telemetry.h"

#include "engine/handle.h"
#include "engine/queue.h"
#include "registry_ids.h"

/* Insert each record of a list argument; one whose parents are unknown changes no row. */
static int64_t insert_each(st_call *call, int param, int method, int64_t *written) {
  const st_value *records = &call->args[param];
  if (records->type != ST_RECORDS) return 0;
  for (uint32_t i = 0; i < records->count && st_ok(call); i++)
    st_post_child(call, method, records->items + (size_t)i * records->width);
  int64_t inserted = st_posted(call);
  *written += inserted;
  return records->count - inserted;
}

void st_telemetry_persist_batch(st_call *call) {
  int64_t written = 0;
  int64_t dropped =
      insert_each(call, ST_P_TELEMETRY_PERSIST_BATCH_INVOCATIONS, STELE_M_TELEMETRY_INSERT_INVOCATION, &written);
  dropped += insert_each(call, ST_P_TELEMETRY_PERSIST_BATCH_EXECUTIONS, STELE_M_TELEMETRY_INSERT_EXECUTION, &written);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_TELEMETRY_PERSIST_BATCH_WRITTEN] = st_int(written);
  reply[ST_R_TELEMETRY_PERSIST_BATCH_DROPPED] = st_int(dropped);
}

void st_telemetry_flush_all(st_call *call) {
  st_queue *queue = call->db->queue;
  st_queue_counts before = {0}, after = {0};
  if (queue) {
    st_queue_read(queue, &before);
    if (!st_queue_flush(queue, call->db->wait_ms))
      st_fail(call, STELE_BUSY, NULL, "not all was written within %d ms; the rest stays queued", call->db->wait_ms);
    st_queue_read(queue, &after);
  }
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_TELEMETRY_FLUSH_ALL_WRITTEN] = st_int(after.written - before.written);
  reply[ST_R_TELEMETRY_FLUSH_ALL_DROPPED] = st_int(after.overflow + after.unknown + after.failed);
  reply[ST_R_TELEMETRY_FLUSH_ALL_DROPPED_OVERFLOW] = st_int(after.overflow);
  reply[ST_R_TELEMETRY_FLUSH_ALL_DROPPED_UNKNOWN] = st_int(after.unknown);
  reply[ST_R_TELEMETRY_FLUSH_ALL_DROPPED_FAILED] = st_int(after.failed);
}

#define ROUND 1000 /* rows deleted per transaction: short enough that no writer notices */

static int64_t size_in_use(st_call *call) {
  st_rows rows;
  st_value bytes = st_int(0);
  st_rows_start(call, &rows, STELE_M_TELEMETRY_GET_SIZE, NULL);
  if (st_rows_next(call, &rows)) st_rows_value(call, &rows, 0, &bytes);
  st_rows_end(call, &rows);
  return bytes.integer;
}

/* Delete the oldest rows of both tables together; answers how many. */
static int64_t delete_oldest(st_call *call) {
  st_value limit = st_int(ROUND), invocations = st_int(0), executions = st_int(0);
  st_rows rows;
  int64_t deleted = 0;
  st_call_begin(call, true);
  st_rows_start(call, &rows, STELE_M_TELEMETRY_GET_OLDEST, &limit);
  if (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_TELEMETRY_GET_OLDEST_INVOCATIONS, &invocations);
    st_rows_value(call, &rows, ST_R_TELEMETRY_GET_OLDEST_EXECUTIONS, &executions);
  }
  st_rows_end(call, &rows);
  deleted += st_run(call, STELE_M_TELEMETRY_DELETE_OLDEST_INVOCATIONS, &invocations);
  deleted += st_run(call, STELE_M_TELEMETRY_DELETE_OLDEST_EXECUTIONS, &executions);
  st_call_end(call);
  return deleted;
}

void st_telemetry_size_failsafe(st_call *call) {
  double limit = st_arg_real(call, ST_P_TELEMETRY_SIZE_FAILSAFE_LIMIT_MB) * 1048576.0;
  int64_t deleted = 0, round = ROUND;
  int64_t size = size_in_use(call);
  while (limit > 0 && (double)size > limit && round > 0 && st_ok(call)) {
    round = delete_oldest(call);
    deleted += round;
    size = size_in_use(call);
  }
  if (deleted > 0 && st_ok(call)) {
    stele_status status = call->store->driver->shrink(call->store->conn);
    if (status != STELE_OK) st_fail_conn(call, status);
  }
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_TELEMETRY_SIZE_FAILSAFE_DELETED] = st_int(deleted);
  reply[ST_R_TELEMETRY_SIZE_FAILSAFE_SIZE_BYTES] = st_int(size);
  reply[ST_R_TELEMETRY_SIZE_FAILSAFE_UNDER_LIMIT] = st_bool(limit <= 0 || (double)size <= limit);
}

void st_telemetry_checkpoint_wal(st_call *call) {
  bool busy = false;
  int64_t log = 0, done = 0;
  const char *mode = st_arg_text(call, ST_P_TELEMETRY_CHECKPOINT_WAL_MODE);
  stele_status status = call->store->driver->checkpoint(call->store->conn, mode, &busy, &log, &done);
  if (status != STELE_OK) st_fail_conn(call, status);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_TELEMETRY_CHECKPOINT_WAL_BUSY] = st_bool(busy);
  reply[ST_R_TELEMETRY_CHECKPOINT_WAL_LOG_PAGES] = st_int(log);
  reply[ST_R_TELEMETRY_CHECKPOINT_WAL_CHECKPOINTED_PAGES] = st_int(done);
}
