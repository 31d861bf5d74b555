/* confine.h - one statement of somebody else's, which sees only a part of the store.
**
** What it may not see is kept from it by the database itself, whatever the text says: on SQLite by an authorizer, which
** is asked about every table that a statement touches, also through views and triggers; on PostgreSQL by the rights
** of a role made for it.  The order of use, inside a transaction: confinable (once, before), confine, the driver's step
** and column functions, release. */
#ifndef ST_CONFINE_H
#define ST_CONFINE_H

#include "engine/driver.h"

#define ST_CONFINED_PARAMS 100 /* parameters of one statement, at most */
#define ST_CONFINED_COUNT "the statement has %zu parameters, and %zu values were given"

struct st_confined {
  const char *sql;
  const st_value *params; /* of $1, $2, ... */
  size_t nparams;
  const char *const *hidden; /* names of tables in lower case, up to NULL; one that ends in * is the beginning of names */
  bool write;                /* INSERT, UPDATE and DELETE may be: the transaction is one that writes */
  int64_t rows;              /* of a statement that reads: no more than these are wanted */
  int timeout_ms;            /* it is stopped after this time, with STELE_CANCELLED or STELE_BUSY */
  int bytes_max;             /* of one value; SQLite only */
  bool silent;               /* out: its rows only count what was changed, and are not for the caller */
};

/* Is that table kept from the statement? */
bool st_confined_hides(const char *const *hidden, const char *table);

/* sqlite_confine.c */
stele_status st_sqlite_confinable(st_conn *conn, const char *const *hidden);
stele_status st_sqlite_confine(st_conn *conn, st_confined *what, st_prepared **out);
stele_status st_sqlite_release(st_conn *conn, st_prepared *prepared);

/* postgres_confine.c, and postgres_role.c for the role */
stele_status st_postgres_confinable(st_conn *conn, const char *const *hidden);
stele_status st_postgres_confine(st_conn *conn, st_confined *what, st_prepared **out);
stele_status st_postgres_release(st_conn *conn, st_prepared *prepared);

#endif
