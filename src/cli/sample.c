/* sample.c - see sample.h. */
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "text.h"

/* {"sessions": ...} with times instead of how long ago it was. */
static char *arguments(void) {
  char *text = NULL;
  size_t length = 0;
  long long now = (long long)time(NULL);
  FILE *to = text_need(open_memstream(&text, &length));
  const char *at = sample_json, *ago;
  fputs("{\"sessions\":", to);
  while ((ago = strstr(at, "\"@-")) != NULL) {
    char *end;
    long long seconds = strtoll(ago + 3, &end, 10);
    fprintf(to, "%.*s%lld", (int)(ago - at), at, now - seconds);
    at = end + 1; /* the quote */
  }
  fprintf(to, "%s}", at);
  fclose(to);
  return text_need(text);
}

int sample_import(output *out, const char *home) {
  stele_options wanted = {.size = sizeof wanted, .home = home, .log = out_log, .user = out};
  stele_db *db = NULL;
  char *args = arguments();
  stele_status status = stele_open(&wanted, &db);
  if (status == STELE_OK) status = stele_call(db, "conversation.import_sessions", args, NULL);
  if (status == STELE_OK) status = stele_call(db, "conversation.index_messages", NULL, NULL); /* before anybody searches */
  int failed = status == STELE_OK ? 0 : out_failure(out, stele_error(db));
  stele_close(db);
  free(args);
  return failed;
}
