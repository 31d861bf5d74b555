/* numbers.h - a set of numbers. */
#ifndef ST_NUMBERS_H
#define ST_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct st_numbers {
  uint64_t *slots; /* 0: free; the number 0 itself is `zero` */
  size_t room;     /* a power of two, or 0 */
  size_t count;
  bool zero;
} st_numbers;

bool st_numbers_has(const st_numbers *set, uint64_t number);
/* False: out of memory.  *added (may be NULL): it was not there. */
bool st_numbers_add(st_numbers *set, uint64_t number, bool *added);
void st_numbers_free(st_numbers *set);

#endif
