/* forge.h - workflows of a forge (GitHub's REST interface, or what speaks like it), taken into the capture store.
**
** A completed run is fetched whole, its jobs, what they found wrong and the ends of their logs, and then written in one
** transaction that also lets it wait to be learned from: what is interrupted is fetched again. */
#ifndef FORGE_H
#define FORGE_H

#include <stdbool.h>
#include <stdint.h>

#include "stele.h"

typedef struct forge forge;

typedef struct forge_options {
  const char *api;         /* "https://api.github.com", or https://HOST/api/v3 */
  const char *token;       /* NULL: none */
  int64_t log_bytes;       /* of the end of a log */
  int64_t longest_wait_ms; /* when the forge says that it was asked too often */
  bool (*wait)(void *user, int64_t ms);        /* false: stop; asked with 0 while something is fetched */
  void (*note)(void *user, const char *line);  /* what is worth knowing: that it waits, and why */
  void *user;
} forge_options;

/* What polling found. */
typedef struct forge_counts {
  int64_t runs;    /* told by the forge */
  int64_t fresh;   /* of these, not known before */
  int64_t fetched; /* of which everything was fetched */
} forge_counts;

typedef enum forge_state { FORGE_RUNNING, FORGE_GOOD, FORGE_BAD } forge_state;

/* False: it is no owner/name. */
bool forge_is_repo(const char *repo);
/* NULL: it may be used; else why not. */
const char *forge_api_problem(const char *api);

forge *forge_open(const forge_options *options, stele_db *db); /* NULL: no memory */
void forge_close(forge *f);

/* Why the last call failed. */
const char *forge_problem(const forge *f);

/* The newest runs of a repository.  False: it failed, which the health of the source tells too. */
bool forge_poll(forge *f, const char *repo, forge_counts *counts);

/* The runs of one commit, which is told by all of its 40 digits.  Once there are some, and all have ended, the watch of it
** has too. */
bool forge_look(forge *f, const char *repo, const char *sha, forge_counts *counts, forge_state *state);

/* Both for whoever polls now and then: commits that are watched, and, if `all`, these repositories (NULL at the end). */
bool forge_tend(forge *f, char *const *repos, bool all, forge_counts *counts);

/* All 40 digits of a commit, in new memory; NULL: it failed. */
char *forge_commit(forge *f, const char *repo, const char *sha);

#endif
