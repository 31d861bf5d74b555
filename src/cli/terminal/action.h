/* action.h - which key does what, and where.  The help on the screen is this list. */
#ifndef CLI_TERMINAL_ACTION_H
#define CLI_TERMINAL_ACTION_H

/* Where the keys go. */
typedef enum place {
  PLACE_QUERY = 1,  /* letters are typed into the query */
  PLACE_LIST = 2,   /* letters are commands */
  PLACE_READER = 4, /* a session is read */
  PLACE_HELP = 8,
} place;

typedef enum action {
  ACTION_NONE,
  ACTION_UP,
  ACTION_DOWN,
  ACTION_PAGE_UP,
  ACTION_PAGE_DOWN,
  ACTION_FIRST,
  ACTION_LAST,
  ACTION_OPEN,
  ACTION_BACK,
  ACTION_SWITCH,
  ACTION_COPY,
  ACTION_RESUME,
  ACTION_PREVIEW,
  ACTION_PREVIEW_UP,
  ACTION_PREVIEW_DOWN,
  ACTION_NEXT_MATCH,
  ACTION_LAST_MATCH,
  ACTION_NEXT_PASSAGE,
  ACTION_LAST_PASSAGE,
  ACTION_STORE,
  ACTION_KIND,
  ACTION_ROLE,
  ACTION_PROJECT,
  ACTION_SINCE,
  ACTION_UNFILTER,
  ACTION_HELP,
  ACTION_REDRAW,
  ACTION_SUSPEND,
  ACTION_LEAVE,
} action;

/* One key.  Several may do the same: one of them has the line of the help. */
typedef struct binding {
  int key; /* of KEY_TEXT: the character, an ASCII one */
  unsigned places;
  action does;
  const char *doc; /* the keys, and what they do, as the help shows it; NULL: another line has it */
} binding;

extern const binding action_keys[]; /* ends with ACTION_NONE */

struct key;
/* What a key does in a place; ACTION_NONE: nothing, so it may be text. */
action action_of(const struct key *k, place in);

#endif
