/* sample.c - native methods of the sample store. */
#include "sample/sample.h"

#include "engine/doctor.h"
#include "registry_ids.h"

void st_sample_put_items(st_call *call) {
  const st_value *items = &call->args[ST_P_SAMPLE_PUT_ITEMS_ITEMS];
  for (uint32_t i = 0; i < items->count && st_ok(call); i++)
    st_run(call, STELE_M_SAMPLE_PUT_ITEM, items->items + (size_t)i * items->width);
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_SAMPLE_PUT_ITEMS_COUNT] = st_int(items->count);
}

static st_value count_items(st_call *call) {
  st_rows rows;
  st_value count = st_int(0);
  st_rows_start(call, &rows, STELE_M_SAMPLE_COUNT_ITEMS, NULL);
  if (st_rows_next(call, &rows)) st_rows_value(call, &rows, ST_R_SAMPLE_COUNT_ITEMS_COUNT, &count);
  st_rows_end(call, &rows);
  return count;
}

void st_sample_describe(st_call *call) {
  const char *query = st_arg_text(call, ST_P_SAMPLE_DESCRIBE_QUERY);
  if (st_arg_int(call, ST_P_SAMPLE_DESCRIBE_REMARK)) {
    st_note(call, "%s was taken literally", query);
    st_note(call, "everything was counted");
  }
  st_value count = count_items(call);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_SAMPLE_DESCRIBE_QUERY] = st_textz(query);
  reply[ST_R_SAMPLE_DESCRIBE_COUNT] = count;
}

void st_sample_doctor(st_call *call) {
  st_value count = count_items(call);
  if (st_ok(call) && !count.integer) st_fail(call, STELE_CONFLICT, NULL, "there is nothing to count");
  st_doctor_line(call, ST_HEALTH_OK, "things", "%d %s", (int)count.integer, st_arg_int(call, ST_P_SAMPLE_DOCTOR_FULL) ? "in full" : "or so");
}

void st_sample_put_up(st_call *call) {
  const char *second = st_arg_text(call, ST_P_SAMPLE_PUT_UP_SECOND);
  st_value shelf[] = {call->args[ST_P_SAMPLE_PUT_UP_NAME], st_textz(NULL)};
  st_call_begin(call, true);
  st_run(call, STELE_M_SAMPLE_ADD_SHELF, shelf);
  st_call_end(call);

  st_value twins[] = {call->args[ST_P_SAMPLE_PUT_UP_SECOND], st_textz("last")};
  st_call_begin(call, true);
  st_run(call, STELE_M_SAMPLE_ADD_TWINS, twins);
  if (!second[0]) st_fail(call, STELE_INVALID, "second", "second must not be empty");
  st_call_end(call);

  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_SAMPLE_PUT_UP_COUNT] = count_items(call);
}
