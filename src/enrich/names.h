/* names.h - what a bundle speaks about: names by type, each once, in the order in which they were met. */
#ifndef ST_NAMES_H
#define ST_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/text.h"

/* X(constant, type of entity, list of a node's content or NULL, at most this many).  All pairs of a node's entities become relationships:
** what names more than this says little about each. */
#define ST_NAME_TYPES(X)                   \
  X(PROJECT, "project", "projects", 3)     \
  X(TOOL, "tool", "tools", 14)             \
  X(FILE, "file", "files", 16)             \
  X(SERVICE, "service", "services", 6)     \
  X(ERROR, "concept", "errors", 8)         \
  X(ENV_VAR, "env_var", "env_vars", 8)     \
  X(DOMAIN, "domain", "domains", 6)        \
  X(REPO, "repo", NULL, 3)                 \
  X(HOST, "host", NULL, 3)

typedef enum st_name_type {
#define X(constant, type, list, most) ST_NAME_##constant,
  ST_NAME_TYPES(X)
#undef X
      ST_NAMES
} st_name_type;

#define ST_NAMES_MOST 16
#define ST_NAME_MAX 200 /* bytes; what is longer is no name */

typedef struct st_names {
  st_arena *arena;
  st_text of[ST_NAMES][ST_NAMES_MOST];
  size_t count[ST_NAMES];
  bool failed; /* no memory */
} st_names;

/* The bytes are copied.  What is known already, in whatever case, or not UTF-8, is left out. */
void st_names_add(st_names *names, st_name_type type, st_text name);
bool st_names_have(const st_names *names, st_name_type type, st_text name);

const char *st_name_entity(st_name_type type); /* "concept" */
const char *st_name_list(st_name_type type);   /* "errors"; NULL: content has no such list */

#endif
