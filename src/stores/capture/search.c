/* search.c - capture.search_events. */
#include "registry_ids.h"
#include "search/scan.h"
#include "stores/capture/capture.h"

void st_capture_search_events(st_call *call) {
  static const size_t columns[] = {ST_R_CAPTURE_SCAN_EVENTS_SUMMARY, ST_R_CAPTURE_SCAN_EVENTS_CWD,
                                   ST_R_CAPTURE_SCAN_EVENTS_DETAIL};
  st_value args[] = {
      [ST_P_CAPTURE_SCAN_EVENTS_SOURCE] = call->args[ST_P_CAPTURE_SEARCH_EVENTS_SOURCE],
      [ST_P_CAPTURE_SCAN_EVENTS_SINCE] = call->args[ST_P_CAPTURE_SEARCH_EVENTS_SINCE],
      [ST_P_CAPTURE_SCAN_EVENTS_PROJECT] = call->args[ST_P_CAPTURE_SEARCH_EVENTS_PROJECT],
      [ST_P_CAPTURE_SCAN_EVENTS_BRANCH] = call->args[ST_P_CAPTURE_SEARCH_EVENTS_BRANCH],
      [ST_P_CAPTURE_SCAN_EVENTS_PATTERN] = {.type = ST_ABSENT},
  };
  st_scan scan = {.method = STELE_M_CAPTURE_SCAN_EVENTS,
                  .args = args,
                  .pattern = ST_P_CAPTURE_SCAN_EVENTS_PATTERN,
                  .columns = columns,
                  .ncolumns = sizeof columns / sizeof *columns,
                  .query = &call->args[ST_P_CAPTURE_SEARCH_EVENTS_QUERY],
                  .limit = st_arg_int(call, ST_P_CAPTURE_SEARCH_EVENTS_LIMIT)};
  st_scan_reply(call, &scan);
}
