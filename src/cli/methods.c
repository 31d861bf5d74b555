/* methods.c - stele methods: what can be called. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "text.h"

/* The length of the first sentence, without its full stop. */
static size_t first_sentence(const char *doc) {
  const char *stop = strstr(doc, ". ");
  size_t length = stop ? (size_t)(stop - doc) : strlen(doc);
  return length && doc[length - 1] == '.' ? length - 1 : length;
}

static size_t widest_name(void) {
  const stele_method *method;
  size_t widest = 0;
  for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++)
    if (strlen(method->name) > widest) widest = strlen(method->name);
  return widest;
}

static void print_method(output *out, const stele_method *method, size_t widest) {
  size_t length = first_sentence(method->doc), room = length;
  if (out->width) room = out->width > widest + 4 ? out->width - widest - 4 : 0;
  const char *cut = length > room ? "..." : "";
  if (length > room) length = room > 3 ? room - 3 : 0;
  out_format(out, "  %-*s  %.*s%s\n", (int)widest, method->name, (int)length, method->doc, room ? cut : "");
}

static void print_store(output *out, const char *store, size_t widest) {
  const stele_method *method;
  out_format(out, "%s%s%s\n", out->bold, store, out->normal);
  for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++)
    if (strcmp(method->store, store) == 0) print_method(out, method, widest);
}

/* Is this the first method of its store in the list? */
static bool opens_store(size_t index) {
  const char *store = stele_method_at(index)->store;
  for (size_t i = 0; i < index; i++)
    if (strcmp(stele_method_at(i)->store, store) == 0) return false;
  return true;
}

/* All methods, or those of a store, in one man page. */
static void print_manual(output *out, const char *store) {
  help_page p = {out, true};
  const stele_method *method;
  page_begin(&p, "stele-methods", 7, "the methods of Stele", "stele call METHOD [JSON|-]");
  page_section(&p, "Description");
  page_text(&p, "What the stores can do. Each method can be called from the command line, from C, over HTTP (POST "
                "/v1/STORE/METHOD) and by agents (MCP), with the same arguments and the same reply.");
  for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++) {
    if (store && strcmp(store, method->store) != 0) continue;
    char *call = help_example(method);
    page_topic(&p, method->name);
    page_lines(&p, call);
    help_method_body(&p, method);
    free(call);
  }
}

static int run(cli *c) {
  const char *store = command_argument(c, 1), *separator = "";
  const stele_method *method;
  size_t widest = widest_name();
  if (store && strcmp(store, "stele") != 0 && !command_store(c, store)) return 2;
  if (c->options.json) {
    char *quoted = store ? text_quote(store) : NULL;
    int status = command_reply(c, "stele.methods", (argument[]){{"store", quoted}, {NULL, NULL}}, NULL, "");
    free(quoted);
    return status;
  }
  if (c->options.local[OPTION_MAN]) {
    print_manual(&c->out, store);
    return 0;
  }
  for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++) {
    if ((store && strcmp(store, method->store) != 0) || !opens_store(i)) continue;
    out_text(&c->out, separator);
    print_store(&c->out, method->store, widest);
    separator = "\n";
  }
  return 0;
}

const command methods_command = {
    .name = "methods",
    .group = GROUP_DOORS,
    .usage = "[STORE]",
    .summary = "list the methods",
    .examples = "stele methods\n"
                "stele methods telemetry\n"
                "stele methods --json\n"
                "stele methods conversation --man | man -l -",
    .details = "With --json: an array of objects with name, store, shape, access, doc, params and results.",
    .most = 1,
    .opens = true,
    .pages = true,
    .takes = (const command_option[]){{OPTION_MAN, "as a man page, with all that is said of each"}, {0, NULL}},
    .run = run,
};
