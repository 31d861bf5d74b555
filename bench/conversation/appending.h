/* appending.h - a process of a crowd that appends messages. */
#ifndef BENCH_APPENDING_H
#define BENCH_APPENDING_H

#include "crowd.h"

/* To a session of its own, until the round ends. */
void bench_append_round(const bench_crowd *c, const bench_gate *g, unsigned seed, bench_tally *report);

/* Fill a store with sessions of 200 messages, all ended, and index them. */
void bench_import_sessions(const char *home, unsigned sessions);

#endif
