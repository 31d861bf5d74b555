/* statements.h - every statement of the registry, in every form, on fresh stores of both engines, handed to a check.
**
** Each is assembled without its optional arguments, with each of them alone and with all.  Prints TAP: one line per method and engine. */
#ifndef ST_TEST_STATEMENTS_H
#define ST_TEST_STATEMENTS_H

#include "base/str.h"
#include "engine/opened.h"

typedef struct subject subject;
typedef void statement_check(const subject *s);

/* A statement as st_variant_sql() assembled it. */
struct subject {
  st_opened *opened;
  const st_method *method;
  const st_statement *statement;
  bool last; /* its rows are the reply */
  const char *sql;
  const st_value *args; /* which arguments it was assembled for: those that are not absent */
  const st_variant *variant;
  statement_check *check;
  st_str *wrong; /* what is wrong with it is appended here, one line each */
};

/* Hand over all that can be run on this store; the label stands in each line. */
void each_statement(st_opened *opened, const char *label, statement_check *check);
void complain(const subject *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One line of TAP, and how many of them were bad. */
void point(bool good, const char *engine, const char *name);
int failed_points(void);

/* Open all stores of a home, or those places; NULL after a bad point. */
stele_db *open_all(const char *home, const stele_place *places, size_t count, const char *engine);
/* Give a store every feature it can have. */
bool make_features(st_opened *opened);

/* A new directory for files; it goes with all that is in it. */
bool make_directory(char *path, size_t size);
void remove_directory(const char *path);

#ifdef STELE_POSTGRES
/* All stores, in schemas of their own on the server of STELE_TEST_POSTGRES; NULL after a bad point. */
stele_db *open_on_postgres(void);
void close_on_postgres(stele_db *db); /* and drop the schemas */
#endif

#endif
