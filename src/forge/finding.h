/* finding.h - which tool found something wrong, and by which of its rules: read from what an annotation says, and from
** the name of its job. */
#ifndef FORGE_FINDING_H
#define FORGE_FINDING_H

typedef struct finding {
  const char *tool; /* NULL: unknown */
  char rule[64];    /* "": unknown */
} finding;

finding finding_of(const char *job, const char *message);

#endif
