/* number.h - numbers from and to text, the same in every locale. */
#ifndef ST_NUMBER_H
#define ST_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole text must be the number: [sign] digits, and of a real [. digits] [e [sign] digits].  No
** space, no hexadecimal, no infinity.  False: it is not, or does not fit; too small for a double is 0. */
bool st_parse_int(const char *text, size_t length, int64_t *out);
bool st_parse_real(const char *text, size_t length, double *out);

/* The shortest decimal form that reads back as the same double ("0.1", "1e+300", "3.0"): always
** with a point or an exponent, so that it stays a real.  Finite values only.  Returns its length. */
#define ST_REAL_MAX 32
size_t st_format_real(double value, char out[ST_REAL_MAX]);

/* The same for a float, whose digits are fewer; a whole number has no point. */
size_t st_format_single(float value, char out[ST_REAL_MAX]);

#endif
