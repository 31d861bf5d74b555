/* narrowing.c - see narrowing.h. */
#include "narrowing.h"

#include <stdlib.h>
#include <string.h>

#include "resolve.h"
#include "said.h"
#include "text.h"

void narrowing_arguments(cli *c, argument out[NARROWING_ARGUMENTS], int *status) {
  const char *session = c->options.local[OPTION_SESSION];
  char *id = session ? resolve_session(c, session, status) : NULL;
  const argument said[NARROWING_ARGUMENTS] = {
      {"stores", said_texts(c, OPTION_IN, status)},
      {"kinds", said_texts(c, OPTION_KIND, status)},
      {"sources", said_texts(c, OPTION_SOURCE, status)},
      {"roles", said_texts(c, OPTION_ROLE, status)},
      {"projects", said_list_of(said_directory(c, OPTION_PROJECT, status))},
      {"sessions", said_list_of(id ? text_quote(id) : NULL)},
      {"since", said_time(c, OPTION_SINCE, status)},
      {"until", said_time(c, OPTION_UNTIL, status)},
  };
  memcpy(out, said, sizeof said);
  free(id);
}
