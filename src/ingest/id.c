/* id.c - see id.h. */
#include "id.h"

#include <stdio.h>
#include <sys/random.h>

bool st_id_new(char out[ST_ID_SIZE]) {
  unsigned char b[16];
  if (getrandom(b, sizeof b, 0) != (ssize_t)sizeof b) return false;
  b[6] = (unsigned char)(0x40 | (b[6] & 0x0F)); /* version 4 */
  b[8] = (unsigned char)(0x80 | (b[8] & 0x3F)); /* variant of RFC 9562 */
  snprintf(out, ST_ID_SIZE, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3],
           b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
  return true;
}
