/* value.h - one value on its way between a door and a database. */
#ifndef ST_VALUE_H
#define ST_VALUE_H

#include <stddef.h>
#include <stdint.h>

typedef enum st_value_type {
  ST_ABSENT, /* never sent; bound as NULL where a statement uses it all the same */
  ST_NULL,
  ST_INT, /* booleans too: 0 or 1 */
  ST_REAL,
  ST_TEXT,
  ST_BLOB,
  ST_LIST,   /* of scalars */
  ST_RECORDS /* of arguments of another method */
} st_value_type;

typedef struct st_value st_value;
struct st_value {
  st_value_type type;
  union {
    int64_t integer;
    double real;
    struct { /* TEXT ends in a NUL; BLOB need not */
      const char *bytes;
      size_t length;
    };
    struct {
      const st_value *items; /* LIST: count values.  RECORDS: count * width values, one record after another */
      uint32_t count;
      uint32_t width;
    };
  };
};

/* Stands before the JSON of a content that is not a text. */
#define ST_CONTENT_MARK "\0json:"

#endif
