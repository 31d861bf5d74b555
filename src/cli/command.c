/* command.c - what commands share.  See command.h. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "suggest.h"
#include "text.h"

const command *command_find(const char *name) {
  for (const command *const *at = command_list; *at; at++)
    if (strcmp((*at)->name, name) == 0) return *at;
  return NULL;
}

const char *command_argument(const cli *c, size_t n) {
  return n < c->options.nwords ? c->options.words[n] : NULL;
}

int command_failed(cli *c) {
  out_notes(&c->out, stele_notes(c->db));
  return out_failure(&c->out, stele_error(c->db));
}

bool command_store(cli *c, const char *name) {
  suggestion near = suggest(name);
  const stele_method *method;
  for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++) {
    if (method->flags & STELE_METHOD_LIBRARY) continue; /* not a store's */
    if (strcmp(method->store, name) == 0) return true;
    suggest_offer(&near, method->store);
  }
  char *hint = suggest_hint(&near, "`stele status` lists the stores");
  out_bad(&c->out, hint, "there is no store %s", name);
  free(hint);
  return false;
}

int command_verb(cli *c, const command *of, const char *verb) {
  suggestion near = suggest(verb);
  char *verbs[16] = {NULL};
  size_t count = 0;
  for (const char *form = of->usage; form && count < sizeof verbs / sizeof *verbs; count++) {
    verbs[count] = text_need(strndup(form, strcspn(form, " ")));
    suggest_offer(&near, verbs[count]);
    form = strstr(form, " | ");
    if (form) form += 3;
  }
  char *usage = text_format("usage: stele %s %s", of->name, of->usage), *hint = suggest_hint(&near, usage);
  int status = near.edits == 0 ? out_bad(&c->out, usage, "%s %s: something is missing, or too much", of->name, verb)
                               : out_bad(&c->out, hint, "%s: there is no %s", of->name, verb);
  free(usage);
  free(hint);
  while (count > 0) free(verbs[--count]);
  return status;
}

char *command_ask(cli *c, const char *method, const argument *arguments, int *status) {
  char *request = request_json(arguments), *reply = NULL;
  if (!*status && stele_call(c->db, method, request, &reply) != STELE_OK) *status = command_failed(c);
  free(request);
  return reply;
}

static int reply_json(cli *c, const char *method, const argument *arguments) {
  int status = 0;
  char *reply = command_ask(c, method, arguments, &status);
  if (!reply) return status;
  out_notes(&c->out, stele_notes(c->db));
  out_text(&c->out, reply);
  out_text(&c->out, "\n");
  stele_free(reply);
  return 0;
}

int command_reply(cli *c, const char *method, const argument *arguments, const column *columns, const char *none) {
  size_t count = 0;
  if (c->options.json) return reply_json(c, method, arguments);
  stele_stmt *stmt = request_prepare(c->db, method, arguments);
  if (!stmt) return command_failed(c);
  stele_status status = table_print(&c->out, stele_method_find(method), &(row_source){.stmt = stmt, .left = -1}, columns, &count);
  stele_finalize(stmt);
  if (status != STELE_DONE) return command_failed(c);
  out_notes(&c->out, stele_notes(c->db));
  if (!count) out_notes(&c->out, none);
  return 0;
}
