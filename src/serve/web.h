/* web.h - the dashboard: files that are inside the program (tools/embed.py made the table from web/).  They
** hold no data, so that nobody needs a token for them; what they show they ask for at /v1, with one. */
#ifndef SERVE_WEB_H
#define SERVE_WEB_H

#include <stddef.h>

typedef struct sv_web_file {
  const char *name; /* "app.js" */
  const char *type;
  const char *tag; /* in its quotes, as an ETag is sent */
  const unsigned char *bytes;
  size_t length;
} sv_web_file;

extern const sv_web_file sv_web_files[]; /* ends with a NULL name */

/* What answers an address of the dashboard, /web/FILE or one of its views; NULL: it is none. */
const struct sv_route *sv_web_route(const char *address);

#endif
