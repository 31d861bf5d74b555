/* help_json.c - the help for programs: what there is to type, as one line of JSON. */
#include <stdlib.h>
#include <string.h>

#include "../door/json.h"
#include "command.h"
#include "text.h"

static void member(FILE *to, const char *separator, const char *name, const char *text) {
  fprintf(to, "%s\"%s\":", separator, name);
  if (text)
    text_json(to, text);
  else
    fputs("null", to);
}

static void put_option(FILE *to, const char *separator, const option *o, const char *doc) {
  member(to, separator, "name", o->name);
  member(to, ",", "short", o->brief);
  member(to, ",", "value", o->value);
  member(to, ",", "doc", doc);
  fputc('}', to);
}

static void put_command(FILE *to, const command *of) {
  member(to, "{", "name", of->name);
  member(to, ",", "usage", of->usage);
  member(to, ",", "summary", of->summary);
  member(to, ",", "details", of->details);
  fputs(",\"examples\":[", to);
  for (const char *line = of->examples; *line;) {
    size_t length = strcspn(line, "\n");
    json_write(to, line, length);
    line += length + (line[length] != '\0');
    fputs(*line ? "," : "", to);
  }
  fputs("],\"options\":[", to);
  for (const command_option *taken = of->takes; taken && taken->doc; taken++)
    put_option(to, taken == of->takes ? "{" : ",{", option_of(taken->id), taken->doc);
  fputs("]}", to);
}

static void put_fields(FILE *to, const char *name, const stele_field *fields, size_t count) {
  fprintf(to, ",\"%s\":[", name);
  for (size_t i = 0; i < count; i++) {
    char *type = help_type(&fields[i]);
    member(to, i ? ",{" : "{", "name", fields[i].name);
    member(to, ",", "type", type);
    member(to, ",", "default", fields[i].fallback);
    member(to, ",", "doc", fields[i].doc);
    fputc('}', to);
    free(type);
  }
  fputc(']', to);
}

static void put_method(FILE *to, const stele_method *of) {
  char *example = help_example(of);
  member(to, "{", "name", of->name);
  member(to, ",", "store", of->store);
  member(to, ",", "shape", of->shape);
  member(to, ",", "access", of->access);
  member(to, ",", "doc", of->doc);
  member(to, ",", "example", example);
  put_fields(to, "params", of->params, of->nparams);
  put_fields(to, "results", of->results, of->nresults);
  fputc('}', to);
  free(example);
}

static void put_all(FILE *to) {
  const char *separator = "";
  fputs("{\"commands\":[", to);
  for (const command *const *at = command_list; *at; at++) {
    fputs(separator, to);
    put_command(to, *at);
    separator = ",";
  }
  fputs("],\"options\":[", to);
  separator = "{";
  for (const option *o = option_list; o->name; o++) {
    if (!o->doc) continue;
    put_option(to, separator, o, o->doc);
    separator = ",{";
  }
  fputs("]}", to);
}

void help_json(output *out, const command *of, const stele_method *method) {
  char *text = NULL;
  size_t length = 0;
  FILE *to = text_need(open_memstream(&text, &length));
  if (of)
    put_command(to, of);
  else if (method)
    put_method(to, method);
  else
    put_all(to);
  fclose(to);
  out_text(out, text_need(text));
  out_text(out, "\n");
  free(text);
}
