/* server_cpu.h - the time that a PostgreSQL server on this machine spends computing for this process. */
#ifndef BENCH_SERVER_CPU_H
#define BENCH_SERVER_CPU_H

/* Seconds of all processes of the server that this process is connected to through a socket file; 0 without one. */
double bench_server_cpu(void);

#endif
