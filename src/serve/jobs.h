/* jobs.h - the background work of the server, and the record of the server's own life in the telemetry store. */
#ifndef SERVE_JOBS_H
#define SERVE_JOBS_H

#include <stdint.h>

#include "text.h"

typedef struct sv_server sv_server;
typedef struct sv_jobs sv_jobs;

sv_jobs *sv_jobs_open(sv_server *server); /* NULL: no memory, or no thread */
/* Stop what is running, end the record and the threads.  Closing does that too. */
void sv_jobs_end(sv_jobs *jobs);
void sv_jobs_close(sv_jobs *jobs);

/* Something was written to that store. */
void sv_jobs_wake(sv_server *server, const char *store);

/* The newest message that the server knows to be indexed; -1: it does not index. */
int64_t sv_jobs_indexed(sv_jobs *jobs);

/* The jobs as a JSON array: what each is, its runs, how far the present one is, and its last sign of life. */
void sv_jobs_status(sv_jobs *jobs, sv_text *out);
/* The same as figures for Prometheus. */
void sv_jobs_metrics(sv_jobs *jobs, sv_text *out);

#endif
