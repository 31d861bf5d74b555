/* cosine.h - how near two vectors are in direction. */
#ifndef ST_COSINE_H
#define ST_COSINE_H

#include <stddef.h>

/* From -1 to 1, summed up in doubles; 0 if one of them has no direction. */
double st_cosine(const float *a, const float *b, size_t count);

#endif
