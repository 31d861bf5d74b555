/* open_elsewhere.h - which other process has a file open, where the system tells (/proc). */
#ifndef ST_OPEN_ELSEWHERE_H
#define ST_OPEN_ELSEWHERE_H

/* The number of one, or 0: none that this user may know of. */
long st_open_elsewhere(const char *path);

#endif
