/* tending.h - what the server does for the forge: commits that are watched are looked at often, repositories now and then. */
#ifndef CLI_TENDING_H
#define CLI_TENDING_H

#include "command.h"

typedef struct tending tending;

/* NULL: the configuration is wrong, which is told. */
tending *tending_open(cli *c, int *status);
void tending_close(tending *t);

/* Seconds between two looks. */
int64_t tending_every_s(const tending *t);

/* As run of serve_work; user is the tending. */
bool tending_run(void *user, stele_db *db, bool (*wait)(void *waiter, int64_t ms), void *waiter, char *problem, size_t room);

#endif
