/* commands.h - the commands of a shell that the benchmarks of capturing take in: made up, the same ones in every run.  What one
** prints is a few hundred bytes, and every seventh fails. */
#ifndef BENCH_COMMANDS_H
#define BENCH_COMMANDS_H

#include "bench.h"

#define BENCH_COMMANDS 1000 /* taken in at once */

/* The n-th command, with another number in it; what it printed, as it stands in JSON. */
void bench_command(char *out, size_t room, int n, int number, int other);
void bench_command_output(char *out, size_t room, int n);

/* Take in commands first to first + BENCH_COMMANDS - 1: each has a ticket for enrichment then. */
void bench_insert_commands(stele_db *db, int first);

#endif
