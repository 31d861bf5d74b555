/* plans.h - what the two halves of the check of query plans share. */
#ifndef ST_TEST_PLANS_H
#define ST_TEST_PLANS_H

#include "check/statements.h"

/* Rows that every table that grows is filled with; of a column that is not unique, each value is that of ROWS / VALUES rows. */
#define ROWS 2000
#define VALUES 200
#define SOME_VALUE "17" /* a number, and as a text also JSON */
#define ASKED_FOR 5     /* at most so many rows */

#define TEXT_OF(x) TEXT_OF_(x)
#define TEXT_OF_(x) #x

/* Is the table one that stays small, as tests/scale/plans.txt says? */
bool stays_small(const st_store *store, const char *table);
/* Is this a parameter that says how many rows are wanted? */
bool is_limit(const stele_field *param);

/* Fill the tables of an open store; complains by a bad point. */
void fill_sqlite(st_opened *opened);
void check_sqlite_plan(const subject *s);
#ifdef STELE_POSTGRES
void fill_postgres(st_opened *opened);
void check_postgres_plan(const subject *s);
#endif

#endif
