/* row.h - one row of a method's reply as JSON. */
#ifndef CLI_ROW_H
#define CLI_ROW_H

#include "stele.h"

/* The current row as an object on one line, as stele_call() writes it, in new memory. */
char *row_json(const stele_method *method, stele_stmt *stmt);

#endif
