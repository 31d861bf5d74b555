/* limits.h - what the server allows, and what of it can be set: keys of [serve] in the configuration.
**
** The command line makes keys of this list (src/cli/settings.c) and fills it in; the server reads it. */
#ifndef DOOR_LIMITS_H
#define DOOR_LIMITS_H

#include <stdint.h>

/* X(name, kind, default, least, what it is).  BYTES, SECONDS, MILLIS and NUMBER are counts of these; SWITCH is 0 or 1. */
#define LIMITS(X)                                                                                     \
  X(body, BYTES, 64 << 20, 1, "longest body of a request")                                            \
  X(bodies, BYTES, 512 << 20, 1, "all bodies together that are being received")                       \
  X(header, BYTES, 8 << 10, 1024, "longest line and headers of a request")                            \
  X(request, SECONDS, 30, 1, "time in which a request must have come")                                \
  X(idle, SECONDS, 120, 1, "time a connection may wait for its next request")                         \
  X(drain, SECONDS, 10, 0, "time for calls under way, when stopping")                                 \
  X(stall, SECONDS, 30, 1, "time a reader of a stream may take nothing")                              \
  X(connections, NUMBER, 16384, 1, "connections")                                                     \
  X(requests, NUMBER, 1024, 1, "requests being worked on")                                            \
  X(writes, NUMBER, 4096, 1, "writes waiting, per store")                                             \
  X(group, NUMBER, 256, 1, "writes that share a commit")                                              \
  X(long_calls, NUMBER, 4, 1, "long calls at a time")                                                 \
  X(streams, NUMBER, 16, 1, "streams of rows at a time")                                              \
  X(followers, NUMBER, 256, 0, "clients that follow")                                                 \
  X(workers, NUMBER, 0, 0, "threads that read; 0: by the number of processors")                       \
  X(poll, MILLIS, 500, 10, "time between two looks for what others wrote, while somebody follows")    \
  X(heartbeat, SECONDS, 15, 1, "time between two signs of life to followers")                         \
  X(jobs, SWITCH, 1, 0, "background work: indexing, watching, retention, backups")                    \
  X(ingest, SWITCH, 1, 0, "take events of shells and browsers, at capture.sock in the home")          \
  X(watch, SWITCH, 1, 0, "take in the sessions of coding agents, and go on as they do")               \
  X(watchdog, SECONDS, 60, 0, "time between two looks whether capturing keeps what it promises; 0: none") \
  X(record, SWITCH, 1, 0, "the server records its own life in the telemetry store")                   \
  X(backup, SECONDS, 0, 0, "time between two backups; 0: none")                                       \
  X(backup_hourly, NUMBER, 24, 0, "of so many hours a backup is kept; all three 0: every one is")     \
  X(backup_daily, NUMBER, 7, 0, "of so many days a backup is kept")                                   \
  X(backup_weekly, NUMBER, 4, 0, "of so many weeks a backup is kept")                                 \
  X(log_requests, SWITCH, 0, 0, "a line in the log for every request")                                \
  X(audit, SWITCH, 0, 0, "note every call in a file per day, audit/ in the home")                     \
  X(logs, SWITCH, 0, 0, "note events in logs/server.log in the home too, and calls in a file per session") \
  X(audit_queue, NUMBER, 1024, 0, "calls that may wait to be noted; more are dropped, and counted")

typedef struct serve_limits {
#define X(name, kind, value, least, doc) int64_t name;
  LIMITS(X)
#undef X
} serve_limits;

static inline serve_limits limits_default(void) {
#define X(name, kind, value, least, doc) .name = value,
  return (serve_limits){LIMITS(X)};
#undef X
}

#endif
