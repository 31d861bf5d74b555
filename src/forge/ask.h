/* ask.h - a question to the forge: asked again when it was asked too often, or is out of order for a moment. */
#ifndef FORGE_ASK_H
#define FORGE_ASK_H

#include "forge.h"
#include "../http/http.h"

typedef struct known_page {
  struct known_page *next;
  char etag[200];
  char path[];
} known_page;

struct forge {
  forge_options options;
  char *api;
  stele_db *db;
  st_http *http;
  known_page *pages; /* what was answered last, so that the forge can say: nothing new */
  bool stopped;      /* somebody said stop */
  char problem[400];
};

/* Note a problem and return false. */
bool forge_fail(forge *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for what the library says of the last call. */
bool forge_fail_call(forge *f);

/* Ask for what is at /path.  True: an answer came, its status is 200 or, if `may_lack` it, 404 or 410.  The reply is to
** be freed in any case. */
bool forge_ask(forge *f, const char *path, bool may_lack, st_http_reply *reply);
/* The same for a log: its end. */
bool forge_ask_log(forge *f, const char *path, st_http_reply *reply);
/* The same for a page that is asked for again and again: 304 if it is as it was. */
bool forge_ask_page(forge *f, const char *path, st_http_reply *reply);
/* It could not be worked through: it will be asked for as if it were new. */
void forge_forget_page(forge *f, const char *path);

#endif
