/* answer.c - answers, and the problems of RFC 9457.  See exchange.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange.h"
#include "metrics.h"
#include "server.h"

static const int HTTP[] = {
#define STELE_X(name, text, http) http,
    STELE_STATUSES(STELE_X)
#undef STELE_X
};
static const char *const MEANINGS[] = {
#define STELE_X(name, text, http) text,
    STELE_STATUSES(STELE_X)
#undef STELE_X
};

void sv_answer_response(sv_exchange *exchange, int status, struct MHD_Response *response) {
  exchange->status = status;
  exchange->response = response; /* NULL: the connection is closed, which says enough when there is no memory */
  exchange->answered = true;
  if (status == 401 || status == 403) sv_count(exchange->server->metrics, SV_DENIED);
  if (status == 503) sv_count(exchange->server->metrics, SV_REFUSED);
}

void sv_answer_header(sv_exchange *exchange, const char *name, const char *value) {
  if (exchange->response) MHD_add_response_header(exchange->response, name, value);
}

void sv_answer(sv_exchange *exchange, int status, const char *type, char *bytes, size_t length,
               void (*release)(void *)) {
  struct MHD_Response *response =
      bytes ? MHD_create_response_from_buffer_with_free_callback(length, bytes, release) : NULL;
  if (bytes && !response) release(bytes);
  sv_answer_response(exchange, status, response);
  sv_answer_header(exchange, "Content-Type", type);
  sv_answer_header(exchange, "X-Content-Type-Options", "nosniff");
}

void sv_answer_text(sv_exchange *exchange, int status, const char *type, sv_text *text) {
  size_t length = text->length;
  sv_answer(exchange, status, type, sv_text_take(text), length, free);
}

/* If-None-Match: "a", W/"b" or * */
bool sv_answer_unchanged(sv_exchange *exchange, const char *tag) {
  const char *list = sv_header(exchange, "If-None-Match");
  if (!list || (strcmp(list, "*") != 0 && !strstr(list, tag))) return false;
  sv_answer_response(exchange, 304, MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT));
  return true;
}

static void add_optional(sv_text *text, const char *name, const char *words) {
  if (*words) sv_add_member(text, name, words);
}

static void problem(sv_exchange *exchange, int status, const sv_failure *failure) {
  sv_text text = {0};
  exchange->outcome = failure->status;
  sv_addz(&text, "{\"type\":\"about:blank\",\"title\":");
  sv_add_quoted(&text, MEANINGS[failure->status]);
  sv_addf(&text, ",\"status\":%d", status);
  sv_add_member(&text, "detail", failure->message);
  sv_add_member(&text, "code", stele_status_name(failure->status));
  add_optional(&text, "method", failure->method);
  add_optional(&text, "field", failure->field);
  add_optional(&text, "hint", failure->hint);
  sv_addz(&text, "}");
  sv_answer_text(exchange, status, "application/problem+json", &text);
  if (status == 401) sv_answer_header(exchange, "WWW-Authenticate", "Bearer realm=\"stele\"");
  if (status == 503) sv_answer_header(exchange, "Retry-After", "1");
}

void sv_answer_failure(sv_exchange *exchange, const sv_failure *failure) {
  problem(exchange, HTTP[failure->status], failure);
}

void sv_answer_problem(sv_exchange *exchange, int status, stele_status word, const char *hint, const char *format,
                       ...) {
  char message[400];
  sv_failure failure;
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  sv_failure_set(&failure, word, exchange->call.method ? exchange->call.method->name : "", hint ? hint : "", "%s",
                 message);
  problem(exchange, status, &failure);
}
