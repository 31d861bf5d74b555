/* copy_value.h - values of two engines beside each other: are they the same, and which key comes first? */
#ifndef ST_COPY_VALUE_H
#define ST_COPY_VALUE_H

#include <stdbool.h>

#include "base/arena.h"
#include "engine/value.h"

/* What an engine may write differently though it means the same. */
typedef enum st_copy_form {
  ST_COPY_PLAIN,
  ST_COPY_TIME, /* PostgreSQL keeps a point in time, SQLite the text */
  ST_COPY_JSON  /* PostgreSQL keeps what was meant: order and spaces of an object are its own */
} st_copy_form;

/* The arena is for the time of the call; without memory two texts that are not equal are not the same. */
bool st_copy_same(const st_value *a, const st_value *b, st_copy_form form, st_arena *arena);

/* Below, at or above 0, in the order both engines sort keys in: numbers by size, texts and bytes bytewise. */
int st_copy_order(const st_value *a, const st_value *b);

#endif
