/* safetensors.h - tables of numbers in the safetensors format: eight bytes with the length of a header, the header as
** JSON (of each table its type, its shape and where it is), the tables.  All of it is checked before it is used. */
#ifndef ST_SAFETENSORS_H
#define ST_SAFETENSORS_H

#include <stdint.h>

#include "base/problem.h"
#include "base/text.h"

typedef enum st_tensor_type { ST_TENSOR_F32, ST_TENSOR_F64, ST_TENSOR_F16, ST_TENSOR_BF16, ST_TENSOR_I8, ST_TENSOR_I32, ST_TENSOR_I64 } st_tensor_type;

typedef struct st_tensor {
  st_tensor_type type;
  size_t rows, columns; /* a list has one column */
  const unsigned char *bytes;
} st_tensor;

/* The table of that name in the bytes of a file; one of no rows if there is none.  False: the problem says what is
** wrong with the file, or that the table is of a type or a shape that is not known here. */
bool st_tensor_find(st_text file, const char *name, st_tensor *out, st_problem *problem);

/* A number of it, by its place among all; it must be one of them. */
double st_tensor_number(const st_tensor *tensor, size_t place);

#endif
