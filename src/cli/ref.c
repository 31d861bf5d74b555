/* ref.c - see ref.h. */
#include "ref.h"

#include <stdlib.h>
#include <string.h>

#include "said.h"
#include "text.h"

#define METHOD "recall.get"

bool ref_is(const char *text) {
  const char *slash = strchr(text, '/');
  const stele_method *method;
  if (!slash || !strchr(slash + 1, '/')) return false;
  for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++)
    if (!(method->flags & STELE_METHOD_LIBRARY) && strncmp(method->store, text, (size_t)(slash - text)) == 0 &&
        !method->store[slash - text])
      return true;
  return false;
}

static const char *text_at(const stele_method *method, stele_stmt *stmt, const char *name) {
  return stele_column_text(stmt, table_index(method, name));
}

/* A line of what is known besides the text: the ref, who, when, where. */
static void print_about(output *out, const stele_method *method, stele_stmt *stmt) {
  static const char *const names[] = {"role", "session", "project", "url", "mark"};
  char *clean = text_clean(text_at(method, stmt, "ref"));
  out_text(out, clean);
  free(clean);
  if (stele_column_type(stmt, table_index(method, "time")) != STELE_NULL) {
    char *time = table_time(stele_column_real(stmt, table_index(method, "time")), "%Y-%m-%d %H:%M:%S");
    out_format(out, ", %s", time);
    free(time);
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *value = text_at(method, stmt, names[i]);
    if (!value || !*value) continue;
    clean = text_clean(value);
    out_format(out, ", %s", clean);
    free(clean);
  }
  out_text(out, "\n");
}

static void print_lines(output *out, const char *text) {
  if (!text || !*text) return;
  out_text(out, "\n");
  out_lines(out, text);
  if (text[strlen(text) - 1] != '\n') out_text(out, "\n");
}

static void print(output *out, const stele_method *method, stele_stmt *stmt) {
  const char *title = text_at(method, stmt, "title");
  if (title && *title) {
    char *clean = text_clean(title);
    out_format(out, "%s%s%s\n", out->bold, clean, out->normal);
    free(clean);
  }
  print_about(out, method, stmt);
  print_lines(out, text_at(method, stmt, "text"));
  print_lines(out, text_at(method, stmt, "extra"));
}

static int tell_missing(cli *c, const char *ref) {
  char *message = text_format("there is no %s, or it may not be seen", ref);
  int status = out_failure(&c->out, &(stele_failure){STELE_NOTFOUND, "", "", message,
                                                     "`stele search` tells refs; what is private needs --session"});
  free(message);
  return status;
}

/* Print it, unless it shall be JSON.  Returns the exit status. */
static int show(cli *c, const char *ref, const argument *arguments) {
  const stele_method *method = stele_method_find(METHOD);
  stele_stmt *stmt = request_prepare(c->db, METHOD, arguments);
  bool row = stmt && stele_step(stmt) == STELE_ROW, there = row && text_at(method, stmt, "store");
  if (there && !c->options.json) print(&c->out, method, stmt);
  stele_finalize(stmt);
  if (!row) return command_failed(c);
  return there ? 0 : tell_missing(c, ref);
}

int ref_show(cli *c, const char *ref) {
  int status = 0;
  char *quoted = text_quote(ref), *refs = quoted ? text_format("[%s]", quoted) : NULL;
  argument arguments[] = {{"refs", refs}, {"session", said_text(c, OPTION_SESSION, &status)}, {NULL, NULL}};
  free(quoted);
  if (!status) status = show(c, ref, arguments);
  if (!status && c->options.json) status = command_reply(c, METHOD, arguments, NULL, "");
  request_free(arguments);
  return status;
}
