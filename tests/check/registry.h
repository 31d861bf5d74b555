/* registry.h - what the two halves of the registry check share: one statement, on one engine. */
#ifndef ST_TEST_REGISTRY_H
#define ST_TEST_REGISTRY_H

#include "check/statements.h"

/* The number of results that are columns; at i < that, the i-th of them. */
size_t result_count(const st_method *method);
const stele_field *result_at(const st_method *method, size_t i);

void check_sqlite(const subject *s);
#ifdef STELE_POSTGRES
void check_postgres(const subject *s);
#endif

/* Compare names and number of columns with the declaration. */
void check_columns(const subject *s, size_t count, const char *(*name)(const void *from, size_t i), const void *from);

#endif
