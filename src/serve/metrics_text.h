/* metrics_text.h - figures in the form that Prometheus reads. */
#ifndef SERVE_METRICS_TEXT_H
#define SERVE_METRICS_TEXT_H

#include "stele.h"
#include "text.h"

typedef struct sv_server sv_server;

/* What a figure is; its lines follow. */
void sv_metric_head(sv_text *out, const char *name, const char *type, const char *help);
/* One that has a single line. */
void sv_metric(sv_text *out, const char *name, const char *type, const char *help, long long value);

/* What the stores tell of themselves. */
void sv_metrics_build(stele_db *db, sv_text *out);
void sv_metrics_stores(const sv_server *server, stele_db *db, sv_text *out);

#endif
