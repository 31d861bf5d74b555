/* showing.h - what a dry run shows: a list, one element after the other. */
#ifndef ST_SHOWING_H
#define ST_SHOWING_H

#include "base/str.h"
#include "enrich/enricher.h"

/* Each begins the list, or goes on with it; whoever shows ends it. */
void st_show_skipped(st_str *out, const char *queue, int64_t ticket, const char *reason);
void st_show_problem(st_str *out, const st_bundle *bundle, const char *problem);
/* What it would ask; only of an enricher that asks somebody. */
void st_show_prompt(st_str *out, const st_bundle *bundle, const st_enricher *by);
void st_show_learned(st_str *out, const st_enricher *by, const st_bundle *bundle, const st_learned *learned);

#endif
