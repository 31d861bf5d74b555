/* listing.h - a list, page by page: --limit says how long a page is, --cursor where it begins.
**
** One row more than asked for is read; if there is one, a note tells the command for the next page.  With
** --json the reply is the method's array; with --json and --cursor it is {"items":[...],"next":"..."},
** whose next is null on the last page. */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include "command.h"

/* The options of a list; `limit` is what --limit is said to mean. */
#define LISTING_OPTIONS(limit)                                                                                       \
  {OPTION_LIMIT, limit}, {                                                                                           \
    OPTION_CURSOR, "the page that begins there, as the page before said; `start`: the first. With --json the reply " \
                   "is a page: items, next"                                                                          \
  }

typedef struct listing {
  const stele_method *method;
  const argument *arguments; /* all but where the page begins and ends */
  int64_t limit;             /* rows of the page; below 0: all */
  int64_t start;             /* rows before it, or the number of the last one before it */
  bool by_number;            /* start is a row's number */
  bool paged;                /* --cursor was said */
} listing;

/* Read the options.  `usual`: the rows of a page if nobody says.  False: that is told, *status is set. */
bool listing_begin(cli *c, listing *l, const char *method, const argument *arguments, int64_t usual, int *status);

/* The rows of the page.  its stmt NULL: stele_error() tells why. */
row_source listing_rows(cli *c, const listing *l);

/* The next page begins at `next`: tell the command. */
void listing_more(cli *c, int64_t next);

/* Print the page as JSON.  Returns the exit status. */
int listing_json(cli *c, const listing *l);

/* The whole command: a table, or JSON.  `none` is remarked when the table would be empty. */
int listing_print(cli *c, const char *method, const argument *arguments, const column *columns, int64_t usual,
                  const char *none);

#endif
