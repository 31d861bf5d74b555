/* limits.h - what the server allows, and what of it can be set: `--set body=1M,request=5s,pub=DIR`. */
#ifndef SERVE_LIMITS_H
#define SERVE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

/* X(name, default, least, what it is).  Sizes may be said as 64K or 1M, times as 5s, 2m or 1h,
** 1 and 0 as on and off. */
#define SV_LIMITS(X)                                                                               \
  X(body, 64 << 20, 1, "bytes of one request's body")                                              \
  X(bodies, 512 << 20, 1, "bytes of all bodies that are being received")                           \
  X(header, 8 << 10, 1024, "bytes of one request's line and headers")                              \
  X(request, 30, 1, "seconds in which a request must have come")                                   \
  X(idle, 120, 1, "seconds a connection may wait for its next request")                            \
  X(drain, 10, 0, "seconds for calls under way, when stopping")                                    \
  X(stall, 30, 1, "seconds a reader of a stream may take nothing")                                 \
  X(connections, 16384, 1, "connections")                                                          \
  X(requests, 1024, 1, "requests being worked on")                                                 \
  X(writes, 4096, 1, "writes waiting, per store")                                                  \
  X(group, 256, 1, "writes that share a commit")                                                   \
  X(long_calls, 4, 1, "long calls at a time")                                                      \
  X(streams, 16, 1, "streams of rows at a time")                                                   \
  X(followers, 256, 0, "clients that follow")                                                      \
  X(workers, 0, 0, "threads that read; 0: by the number of processors")                            \
  X(poll, 500, 10, "milliseconds between two looks for what others wrote, while somebody follows") \
  X(heartbeat, 15, 1, "seconds between two signs of life to followers")                            \
  X(jobs, 1, 0, "0: no background work")                                                           \
  X(watch, 1, 0, "0: the sessions of coding agents are not taken in")                              \
  X(record, 1, 0, "0: the server does not record its own life")                                    \
  X(retention, 7, 0, "days that runs of handlers and jobs are kept; 0: for ever")                  \
  X(backup, 0, 0, "seconds between two backups; 0: none")                                          \
  X(log_requests, 0, 0, "1: a line for every request")                                             \
  X(audit, 0, 0, "1: every call is noted in a file per day, audit/ in the home")                   \
  X(logs, 0, 0, "1: events are also in logs/server.log in the home; calls in a file per session")   \
  X(audit_queue, 1024, 0, "calls that may wait to be noted; what is more is dropped, and counted")

/* X(name, what it is).  Without commas: they separate settings. */
#define SV_FOLDERS(X) X(pub, "folder of the sessions whose pub folders are given out at /pub/; none: nothing is")

typedef struct sv_limits {
#define X(name, value, least, doc) int64_t name;
  SV_LIMITS(X)
#undef X
#define X(name, doc) char *name; /* NULL: not set */
  SV_FOLDERS(X)
#undef X
} sv_limits;

/* The defaults, changed by the settings.  NULL, or what is wrong (in new memory). */
char *sv_limits_set(sv_limits *limits, const char *settings);
void sv_limits_clear(sv_limits *limits);

#endif
