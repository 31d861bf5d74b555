/* times.h - the times of the rows of a part, as PostgreSQL keeps them (postings.sql): eight bytes for each, lowest first. */
#ifndef ST_SEARCH_TIMES_H
#define ST_SEARCH_TIMES_H

#include <stddef.h>

#include "base/str.h"

#define ST_TIME_BYTES 8

void st_times_add(st_str *to, double time);
double st_times_at(const char *bytes, size_t place);

#endif
