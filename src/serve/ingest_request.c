/* ingest_request.c - see ingest_request.h. */
#include "ingest_request.h"

static const sv_request_kind KINDS[] = {
    {"GetSessions", "capture.list_sessions", "Sessions", {{"since_ms", "since"}, {"limit", "limit"}}, true},
    {"GetEvents",
     "capture.get_events",
     "Events",
     {{"session_id", "session_id"}, {"since_ms", "since"}, {"project", "project"}, {"limit", "limit"}},
     true},
    {"GetEntities", "capture.get_entities", "Entities", {{"entity_type", "type"}}, true},
    {"RawQuery", "capture.search_events", "QueryResult", {{"text", "query"}}, true},
    {"RegisterWatchSha", "capture.watch_sha", "Ack", {{"sha", "sha"}, {"repo", "repo"}, {"ttl_secs", "ttl"}}, false},
    {"UpdateSourceHealthHeartbeat", "capture.heartbeat", "Ack", {{"source", "source"}, {"ts", "now"}}, false},
    {"Shutdown", NULL, "Shutdown is not served: a signal stops the server", {{0}}, false},
};

const sv_request_kind *sv_request_find(json type) {
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
    if (json_is(type, KINDS[i].type)) return &KINDS[i];
  return NULL;
}

void sv_request_arguments(const sv_request_kind *kind, json data, sv_text *out) {
  sv_addz(out, "{");
  for (size_t i = 0; i < sizeof kind->members / sizeof *kind->members && kind->members[i].member; i++) {
    json value = json_member(data, kind->members[i].member);
    if (!value.text || json_kind(value) == 'n') continue; /* null: as if it were not there */
    sv_addf(out, "%s\"%s\":", out->length > 1 ? "," : "", kind->members[i].param);
    sv_add(out, value.text, value.length);
  }
  sv_addz(out, "}");
}
