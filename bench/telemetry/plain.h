/* plain.h - invocations written to PostgreSQL with nothing between the program and libpq: a prepared statement for each row, a
** transaction for each batch, in the tables that Stele made. */
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

/* They end the program on failure, and in a build without PostgreSQL. */
void bench_plain_open(const char *database, const char *schema);
void bench_plain_write(unsigned first, int count);
void bench_plain_close(void);

#endif
