/* logfile.h - lines that are appended to a file of a folder, for their owner only: the audit of a day, a log. */
#ifndef SERVE_LOGFILE_H
#define SERVE_LOGFILE_H

#include <stdbool.h>
#include <stddef.h>

#define SV_LOGFILE_NAME 255

typedef struct sv_logfile {
  const char *directory;          /* made, with what is above it, when it is not there */
  char name[SV_LOGFILE_NAME + 1]; /* of the open file; "": none is open */
  int fd;
  bool torn; /* its last line has no end */
} sv_logfile;

/* Add a line to the file of that name, with one write.  False: errno says why, and the next line tries anew. */
bool sv_logfile_add(sv_logfile *file, const char *name, const char *line, size_t length);
void sv_logfile_close(sv_logfile *file);

#endif
