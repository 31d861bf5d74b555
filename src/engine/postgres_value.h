/* postgres_value.h - values on their way to and from libpq. */
#ifndef ST_POSTGRES_VALUE_H
#define ST_POSTGRES_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/number.h"
#include "engine/postgres_library.h"
#include "engine/value.h"
#include "stele.h"

/* Parameters in the form that PQexecPrepared wants.  All zero is an empty one. */
typedef struct st_postgres_params {
  size_t count;
  size_t room;
  const char **values;
  int *lengths;
  int *formats;
  char **lists;                 /* array literals and escaped texts, owned */
  char (*numbers)[ST_REAL_MAX]; /* text of integers and reals */
} st_postgres_params;

/* Text, numbers and lists go as text, bytes as they are; absent and null as NULL.  Text and bytes
** are borrowed from the values.  Anything but OK leaves the reason in *why, and nothing bound. */
stele_status st_postgres_bind(st_postgres_params *to, const st_value *const *params, size_t count, const char **why);
void st_postgres_unbind(st_postgres_params *params); /* lets lists go, keeps the room */
void st_postgres_params_free(st_postgres_params *params);

/* Rows of text, whole numbers and bytes may come as the server has them: bytes take half the room, and need no decoding.  Does
** a result have such rows, with bytes? */
bool st_postgres_suits_binary(const PGresult *result);

/* The values of a row that do not come in the form they are told in (bytes, times), decoded one after another. */
bool st_postgres_has_decoded(const PGresult *result);
size_t st_postgres_decoded_size(const PGresult *result, int row);
bool st_postgres_decode(const PGresult *result, int row, char *to); /* false: bytes that are not hexadecimal */

/* One column of a row, perhaps taken from the decoded values. */
void st_postgres_value(const PGresult *result, int row, int column, const char *decoded, st_value *out);

#endif
