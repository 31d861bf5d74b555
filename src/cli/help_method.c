/* help_method.c - the help of one method, made from its declaration: first a call to copy. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "text.h"

static const char *const TYPES[] = {
    [STELE_TYPE_TEXT] = "text",     [STELE_TYPE_INT] = "int",         [STELE_TYPE_REAL] = "real",
    [STELE_TYPE_BOOL] = "bool",     [STELE_TYPE_JSON] = "json",       [STELE_TYPE_JSONTEXT] = "jsontext",
    [STELE_TYPE_TIME] = "time",     [STELE_TYPE_UUID] = "uuid",       [STELE_TYPE_DURATION] = "duration",
    [STELE_TYPE_QUERY] = "query",   [STELE_TYPE_VECTOR] = "vector",   [STELE_TYPE_BLOB] = "blob",
    [STELE_TYPE_RECORD] = "record", [STELE_TYPE_CONTENT] = "content",   [STELE_TYPE_DATE] = "date",
    [STELE_TYPE_CRON] = "cron",     [STELE_TYPE_TIMEZONE] = "timezone",
};

/* A value that passes the check of each type. */
static const char *const SAMPLES[] = {
    [STELE_TYPE_TEXT] = "\"...\"",
    [STELE_TYPE_BOOL] = "true",
    [STELE_TYPE_JSON] = "{}",
    [STELE_TYPE_JSONTEXT] = "{}",
    [STELE_TYPE_TIME] = "\"2026-01-31T12:00:00Z\"",
    [STELE_TYPE_UUID] = "\"00000000-0000-4000-8000-000000000000\"",
    [STELE_TYPE_DURATION] = "\"7d\"",
    [STELE_TYPE_QUERY] = "\"...\"",
    [STELE_TYPE_VECTOR] = "[0.1,0.2]",
    [STELE_TYPE_BLOB] = "\"AAEC\"",
    [STELE_TYPE_CONTENT] = "\"...\"",
    [STELE_TYPE_DATE] = "\"2026-01-31\"",
    [STELE_TYPE_CRON] = "\"30 9 * * MON-FRI\"",
    [STELE_TYPE_TIMEZONE] = "\"UTC\"",
};

static void sample_object(FILE *to, const stele_method *method);

static void sample_value(FILE *to, const stele_field *field) {
  if (field->flags & STELE_LIST) fputc('[', to);
  if (field->type == STELE_TYPE_RECORD)
    sample_object(to, field->record);
  else if (field->choices)
    text_json(to, field->choices[0]);
  else if (field->type == STELE_TYPE_INT || field->type == STELE_TYPE_REAL)
    fprintf(to, "%.15g", fmin(fmax(1, field->min), field->max));
  else
    fputs(SAMPLES[field->type], to);
  if (field->flags & STELE_LIST) fputc(']', to);
}

static bool required(const stele_field *field) {
  return !field->fallback && !(field->flags & STELE_OPTIONAL);
}

/* What must be sent; where nothing must, the records, which are what such a method is for. */
static void sample_object(FILE *to, const stele_method *method) {
  const char *separator = "";
  fputc('{', to);
  for (size_t i = 0; i < method->nparams; i++) {
    const stele_field *field = &method->params[i];
    if (!required(field) && field->type != STELE_TYPE_RECORD) continue;
    fputs(separator, to);
    text_json(to, field->name);
    fputc(':', to);
    sample_value(to, field);
    separator = ",";
  }
  fputc('}', to);
}

char *help_example(const stele_method *method) {
  char *text = NULL;
  size_t length = 0;
  FILE *to = text_need(open_memstream(&text, &length));
  sample_object(to, method);
  fclose(to);
  char *call = text_format("stele call %s%s%s%s", method->name, length > 2 ? " '" : "", length > 2 ? text : "",
                           length > 2 ? "'" : "");
  free(text_need(text));
  return call;
}

/* int 1..10000, list of telemetry.record_invocation, text success|error, time or null, text, secret */
char *help_type(const stele_field *field) {
  char *text = NULL;
  size_t length = 0;
  FILE *to = text_need(open_memstream(&text, &length));
  fputs(field->flags & STELE_LIST ? "list of " : "", to);
  fputs(field->record ? field->record->name : TYPES[field->type], to);
  for (const char *const *choice = field->choices; choice && *choice; choice++)
    fprintf(to, "%s%s", choice == field->choices ? " " : "|", *choice);
  if (!isinf(field->min) || !isinf(field->max)) fputc(' ', to);
  if (!isinf(field->min)) fprintf(to, "%.15g", field->min);
  if (!isinf(field->min) || !isinf(field->max)) fputs("..", to);
  if (!isinf(field->max)) fprintf(to, "%.15g", field->max);
  if (field->flags & STELE_NULLABLE) fputs(" or null", to);
  if (field->flags & STELE_SECRET) fputs(", secret", to);
  fclose(to);
  return text_need(text);
}

static size_t name_width(const stele_field *fields, size_t count) {
  size_t width = 0;
  for (size_t i = 0; i < count; i++)
    if (strlen(fields[i].name) > width) width = strlen(fields[i].name);
  return width;
}

static void print_field(help_page *p, const stele_field *field, size_t names, bool result) {
  char *type = help_type(field), *presence = NULL;
  if (field->fallback)
    presence = text_format("; %s if absent", field->fallback);
  else if (field->flags & STELE_OPTIONAL)
    presence = text_format("; optional");
  char *line = text_format("%s (%s%s)", field->doc, type, presence ? presence : result ? "" : "; required");
  page_item(p, field->name, names, line);
  free(type);
  free(presence);
  free(line);
}

static void print_fields(help_page *p, const char *title, const stele_field *fields, size_t count, bool result) {
  size_t names = name_width(fields, count);
  page_part(p, title);
  for (size_t i = 0; i < count; i++) print_field(p, &fields[i], names, result);
}

void help_method_body(help_page *p, const stele_method *of) {
  bool many = strcmp(of->shape, "many") == 0, one = strcmp(of->shape, "one") == 0;
  const char *reply = many ? "Reply: an array of objects" : one ? "Reply: an object, or null" : "Reply: an object";
  char *access = text_format("%s%sAccess: %s.", of->nparams ? "" : "It takes no arguments.\n\n",
                             of->nresults ? "" : "It replies with {}.\n\n", of->access);
  page_text(p, of->doc);
  if (of->nparams) print_fields(p, "Arguments", of->params, of->nparams, false);
  if (of->nresults) print_fields(p, reply, of->results, of->nresults, true);
  page_gap(p);
  page_text(p, access);
  free(access);
}

void help_of_method(help_page *p, const stele_method *of) {
  char *call = help_example(of);
  page_begin(p, of->name, 7, "a method of Stele", "");
  page_examples(p, call);
  page_gap(p);
  if (p->man) page_section(p, "Description");
  help_method_body(p, of);
  free(call);
}
