/* arguments.c - see arguments.h. */
#include "arguments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../door/cursor.h"

#define PAGE 50

void sv_arguments_add(sv_arguments *arguments, const char *name, size_t name_length, const char *value, size_t length,
                      bool query) {
  char *key = sv_decode(name, name_length, query), *text = sv_decode(value, length, query);
  if (key && text && arguments->count < SV_ARGUMENTS) {
    arguments->all[arguments->count].name = key;
    arguments->all[arguments->count++].value = text;
    return;
  }
  arguments->bad = true;
  free(key);
  free(text);
}

void sv_arguments_clear(sv_arguments *arguments) {
  for (size_t i = 0; i < arguments->count; i++) {
    free(arguments->all[i].name);
    free(arguments->all[i].value);
  }
  arguments->count = 0;
  arguments->bad = false;
}

static void read_query(sv_arguments *arguments, const char *query) {
  while (query && *query) {
    size_t length = strcspn(query, "&"), named = strcspn(query, "=&");
    size_t at = named < length ? named + 1 : length;
    if (length) sv_arguments_add(arguments, query, named, query + at, length - at, true);
    query += length + (query[length] == '&');
  }
}

static const stele_field *field_of(const stele_method *method, const char *name) {
  for (size_t i = 0; i < method->nparams; i++)
    if (strcmp(method->params[i].name, name) == 0) return &method->params[i];
  return NULL;
}

static bool looks_like_number(const char *text) {
  size_t sign = *text == '-', digits = strspn(text + sign, "0123456789");
  const char *rest = text + sign + digits;
  if (digits == 0 || (digits > 1 && text[sign] == '0')) return false;
  if (*rest == '.' && strspn(rest + 1, "0123456789")) rest += 1 + strspn(rest + 1, "0123456789");
  return *rest == '\0';
}

/* Texts are texts; of the other types, what JSON would not take is sent as a text and refused in words. */
static void add_value(sv_text *json, const stele_field *field, const char *value) {
  bool number = false, word = false;
  switch (field ? field->type : STELE_TYPE_TEXT) {
    case STELE_TYPE_INT:
    case STELE_TYPE_REAL:
    case STELE_TYPE_TIME:
    case STELE_TYPE_DURATION: number = looks_like_number(value); break;
    case STELE_TYPE_BOOL: word = strcmp(value, "true") == 0 || strcmp(value, "false") == 0; break;
    case STELE_TYPE_JSON:
    case STELE_TYPE_RECORD:
    case STELE_TYPE_VECTOR: word = true; break;
    default: break;
  }
  if (number || word)
    sv_addz(json, *value ? value : "null");
  else
    sv_add_quoted(json, value);
}

/* A list is a name that stands several times, or once. */
static void add_argument(sv_text *json, const sv_arguments *arguments, size_t first, const stele_method *method) {
  const char *name = arguments->all[first].name;
  const stele_field *field = field_of(method, name);
  bool list = field && (field->flags & STELE_LIST);
  for (size_t i = 0; i < first; i++)
    if (list && strcmp(arguments->all[i].name, name) == 0) return; /* said there */
  sv_addz(json, json->length > 1 ? "," : "");
  sv_add_quoted(json, name);
  sv_addz(json, list ? ":[" : ":");
  add_value(json, field, arguments->all[first].value);
  for (size_t i = first + 1; list && i < arguments->count; i++) {
    if (strcmp(arguments->all[i].name, name) != 0) continue;
    sv_addz(json, ",");
    add_value(json, field, arguments->all[i].value);
  }
  if (list) sv_addz(json, "]");
}

/* ---- Pages ---- */

/* By numbers: the page goes on behind the last row's id.  Else by counting the rows before it. */
static bool by_number(const stele_method *method) {
  const stele_field *after = field_of(method, "after");
  return after && after->type == STELE_TYPE_INT && strcmp(method->results[0].name, "id") == 0;
}

static bool in_pages(const stele_method *method) {
  return strcmp(method->shape, "many") == 0 && field_of(method, "limit") &&
         (by_number(method) || field_of(method, "offset"));
}

/* Take an argument out, when it is there; its value is the caller's. */
static char *take(sv_arguments *arguments, const char *name) {
  for (size_t i = 0; i < arguments->count; i++) {
    if (strcmp(arguments->all[i].name, name) != 0) continue;
    char *value = arguments->all[i].value;
    free(arguments->all[i].name);
    arguments->all[i] = arguments->all[--arguments->count];
    return value;
  }
  return NULL;
}

/* One row more than asked for is read: it tells whether there is another page. */
static void set_page(sv_arguments *arguments, sv_exchange *exchange) {
  const stele_field *field = field_of(exchange->call.method, "limit");
  char *limit = take(arguments, "limit"), *cursor = take(arguments, "cursor"), number[24];
  double most = isinf(field->max) ? 1000 : field->max - 1;
  int64_t wanted = limit && looks_like_number(limit) ? strtoll(limit, NULL, 10) : limit ? 0 : PAGE;
  if (wanted < 1 || (cursor && !cursor_read(cursor, &exchange->offset))) {
    sv_answer_problem(exchange, 400, STELE_INVALID, "", "%s",
                      wanted < 1 ? "limit must be a number above 0" : "the cursor is not one of this resource's");
  } else {
    exchange->page = (double)wanted > most ? (int64_t)most : wanted;
    snprintf(number, sizeof number, "%lld", (long long)exchange->page + 1);
    sv_arguments_add(arguments, "limit", 5, number, strlen(number), false);
    snprintf(number, sizeof number, "%lld", (long long)exchange->offset);
    const char *name = by_number(exchange->call.method) ? "after" : "offset";
    if (cursor) sv_arguments_add(arguments, name, strlen(name), number, strlen(number), false);
  }
  free(limit);
  free(cursor);
}

/* Where the row of that number begins in an array of rows, or where the array ends. */
static const char *row_at(const char *rows, int64_t number, bool *there) {
  int depth = 0;
  bool inside = false;
  const char *at = rows;
  for (; *at; at++) {
    if (inside && *at == '\\') {
      at++;
    } else if (*at == '"') {
      inside = !inside;
    } else if (!inside && (*at == '{' || *at == '[')) {
      if (depth++ == 1 && number-- == 0) break;
    } else if (!inside && (*at == '}' || *at == ']') && --depth == 0) {
      *there = false;
      return at;
    }
  }
  *there = true;
  return at;
}

/* What the cursor of the next page says. */
static int64_t next_start(const sv_exchange *exchange, const char *rows) {
  bool there;
  if (!by_number(exchange->call.method)) return exchange->offset + exchange->page;
  const char *last = row_at(rows, exchange->page - 1, &there);
  return there ? strtoll(last + strlen("{\"id\":"), NULL, 10) : 0;
}

char *sv_arguments_page(const sv_exchange *exchange, const char *rows) {
  bool more = false;
  char cursor[CURSOR_SIZE];
  sv_text out = {0};
  const char *end = row_at(rows, exchange->page, &more);
  cursor_write(cursor, next_start(exchange, rows));
  sv_addz(&out, "{\"items\":");
  sv_add(&out, rows, (size_t)(end - rows) - more); /* without the comma before the row too many */
  sv_addz(&out, "],\"next\":");
  if (more)
    sv_add_quoted(&out, cursor);
  else
    sv_addz(&out, "null");
  sv_addz(&out, "}");
  return sv_text_take(&out);
}

void sv_arguments_query(sv_arguments *arguments, sv_exchange *exchange, bool resource) {
  sv_text json = {0};
  read_query(arguments, exchange->query);
  if (arguments->bad) {
    sv_answer_problem(exchange, 400, STELE_INVALID, "", "the address cannot be decoded");
    return;
  }
  const char *accept = sv_header(exchange, "Accept");
  bool lines = accept && strstr(accept, "application/x-ndjson"); /* then all of it, row by row */
  if (resource && !lines && in_pages(exchange->call.method)) set_page(arguments, exchange);
  sv_addz(&json, "{");
  for (size_t i = 0; i < arguments->count; i++) add_argument(&json, arguments, i, exchange->call.method);
  sv_addz(&json, "}");
  exchange->args = sv_text_take(&json);
}

char *sv_query(const sv_exchange *exchange, const char *name) {
  sv_arguments all = {0};
  read_query(&all, exchange->query);
  char *value = take(&all, name);
  sv_arguments_clear(&all);
  return value;
}
