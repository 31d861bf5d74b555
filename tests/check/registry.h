/* registry.h - what the two halves of the registry check share: one statement, on one engine. */
#ifndef ST_TEST_REGISTRY_H
#define ST_TEST_REGISTRY_H

#include "base/str.h"
#include "engine/opened.h"

/* A statement as st_variant_sql() assembled it. */
typedef struct subject {
  st_opened *opened;
  const st_method *method;
  const st_statement *statement;
  bool last; /* its rows are the reply */
  const char *sql;
  const st_variant *variant;
  st_str *wrong; /* what is wrong with it is appended here, one line each */
} subject;

/* The number of results that are columns; at i < that, the i-th of them. */
size_t result_count(const st_method *method);
const stele_field *result_at(const st_method *method, size_t i);

void check_sqlite(const subject *s);
#ifdef STELE_POSTGRES
void check_postgres(const subject *s);
void drop_schema(st_opened *opened);
#endif

/* Compare names and number of columns with the declaration. */
void check_columns(const subject *s, size_t count, const char *(*name)(const void *from, size_t i), const void *from);
void complain(const subject *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
