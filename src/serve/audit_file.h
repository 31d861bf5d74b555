/* audit_file.h - the file of the day: <directory>/YYYY-MM-DD.jsonl, by UTC, for its owner only. */
#ifndef SERVE_AUDIT_FILE_H
#define SERVE_AUDIT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

typedef struct sv_audit_file {
  const char *directory; /* made when it is not there */
  char day[16];          /* of the open file; "": none is open */
  int fd;
  bool torn; /* its last line has no end */
} sv_audit_file;

/* Add a line of that day, with one write.  False: errno says why, and the next line tries anew. */
bool sv_audit_file_add(sv_audit_file *file, time_t day, const char *line, size_t length);
void sv_audit_file_close(sv_audit_file *file);

#endif
