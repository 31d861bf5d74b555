/* keep.c - see keep.h. */
#include "stores/capture/keep.h"

#include "base/sha256.h"
#include "registry_ids.h"

bool st_capture_find(st_call *call, int find, const st_value *envelope, int64_t *id) {
  st_value found;
  if (envelope->type != ST_TEXT || !st_one(call, find, envelope, &found)) return false;
  *id = found.integer;
  return true;
}

void st_capture_well(st_call *call, st_value source, st_value newest, int64_t brought, st_value now) {
  st_value args[] = {
      [ST_P_CAPTURE_RECORD_SOURCE_SUCCESS_SOURCE] = source,
      [ST_P_CAPTURE_RECORD_SOURCE_SUCCESS_LAST_EVENT_TS] = newest,
      [ST_P_CAPTURE_RECORD_SOURCE_SUCCESS_BROUGHT] = st_int(brought),
      [ST_P_CAPTURE_RECORD_SOURCE_SUCCESS_NOW] = now,
  };
  st_run(call, STELE_M_CAPTURE_RECORD_SOURCE_SUCCESS, args);
}

void st_capture_probed(st_call *call, st_value source, st_value newest, st_value now) {
  st_run(call, STELE_M_CAPTURE_NOTE_PROBE_ROW, (st_value[]){source, newest, now});
}

bool st_capture_keep(st_call *call, const st_kept *kept, int64_t *id) {
  st_value row;
  if (!st_one(call, kept->write, kept->args, &row)) {
    st_capture_find(call, kept->find, &kept->envelope, id);
    return false;
  }
  *id = row.integer;
  if (kept->probe.type == ST_TEXT) {
    st_capture_probed(call, kept->source, kept->timestamp, kept->now);
    return true;
  }
  st_run(call, kept->enqueue, (st_value[]){row, kept->now});
  st_capture_well(call, kept->source, kept->timestamp, 1, kept->now);
  return true;
}

st_value st_capture_hash(st_call *call, const char *text, size_t length) {
  char hash[ST_SHA256_TEXT];
  if (st_sha256_text(text, length, hash)) return st_call_text(call, hash, sizeof hash - 1);
  st_fail(call, STELE_NOMEM, NULL, "out of memory");
  return st_textz(NULL);
}
