/* damage.h - how bytes that a fuzzer makes up become damage to files: a list of steps, each of which knows what a page of SQLite's is. */
#ifndef FUZZ_DAMAGE_H
#define FUZZ_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

#define DAMAGE_STEP 8 /* bytes: which file, what, which page, two for where in it, three for values */

typedef struct damaged_file {
  uint8_t *bytes; /* from malloc() */
  size_t length;
  int gone; /* it was deleted */
} damaged_file;

/* Take the steps, one after another; what is left of the last bytes is no step. */
void damage(damaged_file *files, size_t count, const uint8_t *steps, size_t length);

#endif
