/* web.c - see web.h. */
#include "web.h"

#include <string.h>

#include "exchange.h"

#define FILES "/web/"

/* A page that is taken over by what it shows, or framed by another, could send what its reader may see
** elsewhere: so it runs only what is in the program, and speaks only with it. */
#define POLICY                                                                                      \
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "   \
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " \
  "trusted-types 'none'"

/* The views have addresses of their own; all of them are the same page, which reads its address. */
static bool is_view(const char *address) {
  static const char *const views[] = {"/",        "/search",    "/recall",    "/item",   "/timeline", "/sessions", "/planner",
                                      "/assistant", "/knowledge", "/telemetry", "/health", "/status",   "/json"};
  static const char session[] = "/session/";
  for (size_t i = 0; i < sizeof views / sizeof *views; i++)
    if (strcmp(views[i], address) == 0) return true;
  if (strncmp(address, session, sizeof session - 1) != 0) return false;
  const char *id = address + sizeof session - 1;
  return *id && !strchr(id, '/');
}

static const sv_web_file *find(const char *address) {
  const char *name = NULL;
  if (strncmp(address, FILES, sizeof FILES - 1) == 0) name = address + sizeof FILES - 1;
  if (is_view(address)) name = "index.html";
  for (const sv_web_file *file = sv_web_files; name && file->name; file++)
    if (strcmp(file->name, name) == 0) return file;
  return NULL;
}

static void keep(void *bytes) {
  (void)bytes; /* they are the program's */
}

static void answer(sv_exchange *exchange, sv_worker *worker) {
  const sv_web_file *file = find(exchange->address);
  (void)worker;
  if (!sv_answer_unchanged(exchange, file->tag))
    sv_answer(exchange, 200, file->type, (char *)file->bytes, file->length, keep);
  sv_answer_header(exchange, "ETag", file->tag);
  sv_answer_header(exchange, "Cache-Control", "no-cache"); /* kept, but asked for by its tag each time */
  sv_answer_header(exchange, "Content-Security-Policy", POLICY);
  sv_answer_header(exchange, "Cross-Origin-Opener-Policy", "same-origin");
  sv_answer_header(exchange, "Cross-Origin-Resource-Policy", "same-origin");
  sv_answer_header(exchange, "Referrer-Policy", "no-referrer");
}

const sv_route *sv_web_route(const char *address) {
  static const sv_route route = {"/", "GET, HEAD", true, NULL, NULL, answer, NULL};
  return find(address) ? &route : NULL;
}
