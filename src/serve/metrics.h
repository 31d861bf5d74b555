/* metrics.h - what the server measures, in the form that Prometheus reads. */
#ifndef SERVE_METRICS_H
#define SERVE_METRICS_H

#include <stdint.h>

#include "stele.h"
#include "text.h"

typedef struct sv_server sv_server;
typedef struct sv_metrics sv_metrics;

typedef enum sv_timing { SV_COMMIT, SV_WAIT, SV_TIMINGS } sv_timing;

typedef enum sv_counter {
  SV_REFUSED,         /* requests answered 503: too many at a time */
  SV_DENIED,          /* 401 and 403 */
  SV_TIMED_OUT,       /* connections cut: a request took too long to come */
  SV_DROPPED_STREAMS, /* readers of rows or events that took nothing */
  SV_CONNECTIONS,     /* accepted */
  SV_AUDITED,         /* calls noted in the audit */
  SV_AUDIT_DROPPED,   /* calls not noted: too many waited */
  SV_AUDIT_FAILED,    /* calls not noted: they could not be written */
  SV_COUNTERS
} sv_counter;

sv_metrics *sv_metrics_new(void); /* NULL: no memory */
void sv_metrics_free(sv_metrics *metrics);

void sv_observe(sv_metrics *metrics, sv_timing what, int64_t us);
/* One answered request; method NULL: none of the registry's, and route says which. */
void sv_observe_request(sv_server *server, const stele_method *method, const char *route, int status, int64_t us);
void sv_count(sv_metrics *metrics, sv_counter what);
int64_t sv_counted(const sv_metrics *metrics, sv_counter what);
/* So many writes shared a commit. */
void sv_count_group(sv_metrics *metrics, int64_t calls);

/* Everything, as text.  db: to ask the stores how they are. */
void sv_metrics_text(const sv_server *server, stele_db *db, sv_text *out);

#endif
