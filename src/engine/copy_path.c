/* copy_path.c - see copy_path.h. */
#include "engine/copy_path.h"

#include <stdio.h>
#include <unistd.h>

#include "base/time.h"

bool st_copy_path(const char *stem, const char *suffix, char out[ST_PATH_MAX]) {
  char time[ST_TIME_MAX] = "", again[16] = "";
  st_time_rfc3339(st_time_now(), time);
  for (char *c = time; *c; c++)
    if (*c == ':') *c = '-'; /* some file systems have no colon */
  for (int n = 1;; n++) {
    if (snprintf(out, ST_PATH_MAX, "%s%s%s%s", stem, time, again, suffix) >= ST_PATH_MAX) return false;
    if (access(out, F_OK) != 0) return true;
    snprintf(again, sizeof again, "-%d", n);
  }
}
