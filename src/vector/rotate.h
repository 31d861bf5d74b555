/* rotate.h - a fixed pseudo-random rotation.  It spreads every vector over all its dimensions, so that the sign
** of each tells about as much as that of any other, whatever the model that made it.
**
** The same on every machine, for ever: codes of it are kept in files.  Only added, subtracted and scaled is done,
** in an order of its own. */
#ifndef ST_ROTATE_H
#define ST_ROTATE_H

#include <stddef.h>
#include <stdint.h>

#define ST_ROTATION UINT64_C(0x5354454C45524F54) /* which one; a file made with another is made anew */

/* How many numbers come out: the dimension, up to the next 64. */
static inline size_t st_rotated(size_t dimension) { return (dimension + 63) / 64 * 64; }

/* In place; there is room for st_rotated(dimension) numbers.  Lengths and angles are kept. */
void st_rotate(float *vector, size_t dimension);

#endif
