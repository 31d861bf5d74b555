/* method.c - see method.h. */
#include "method.h"

#include <openssl/evp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "server.h"
#include "stream.h"

#define KEY_MAX 255

static bool is_get(const sv_exchange *exchange) {
  return *exchange->verb == 'G' || *exchange->verb == 'H';
}

static sv_exchange *exchange_of(sv_call *call) {
  return (sv_exchange *)((char *)call - offsetof(sv_exchange, call));
}

/* ---- The reply ---- */

/* The library's remarks as a header: one line of what a header can hold. */
static void add_notes(sv_exchange *exchange) {
  sv_text line = {0};
  for (const char *at = exchange->call.notes; at && *at; at++) {
    unsigned char c = (unsigned char)*at;
    if (c == '\n')
      sv_addz(&line, at[1] ? "; " : "");
    else
      sv_addf(&line, c < 0x20 || c > 0x7E || c == '%' ? "%%%02X" : "%c", c);
  }
  if (line.bytes && !line.failed) sv_answer_header(exchange, "Stele-Notes", line.bytes);
  sv_text_free(&line);
}

static bool make_tag(const char *bytes, size_t length, char tag[40]) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  if (EVP_Digest(bytes, length, digest, NULL, EVP_sha256(), NULL) != 1) return false;
  sv_hex(tag + 1, digest, 16);
  tag[0] = '"';
  memcpy(tag + 33, "\"", 2);
  return true;
}

static void answer_reply(sv_exchange *exchange) {
  char tag[40];
  char *bytes = exchange->call.reply;
  void (*release)(void *) = stele_free;
  exchange->call.reply = NULL;
  if (exchange->resource && strcmp(bytes, "null") == 0) {
    stele_free(bytes);
    sv_answer_problem(exchange, 404, STELE_NOTFOUND, "", "there is none at %.200s", exchange->address);
    return;
  }
  if (exchange->page) {
    char *page = sv_arguments_page(exchange, bytes);
    stele_free(bytes);
    bytes = page;
    release = free;
  }
  size_t length = bytes ? strlen(bytes) : 0;
  bool tagged = bytes && is_get(exchange) && make_tag(bytes, length, tag);
  if (tagged && sv_answer_unchanged(exchange, tag))
    release(bytes);
  else
    sv_answer(exchange, 200, "application/json", bytes, length, release);
  if (tagged) sv_answer_header(exchange, "ETag", tag);
  sv_answer_header(exchange, "Cache-Control", tagged ? "private, no-cache" : "no-store");
  add_notes(exchange);
}

static void done(sv_call *call) {
  sv_exchange *exchange = exchange_of(call);
  if (call->failure.status == STELE_OK)
    answer_reply(exchange);
  else
    sv_answer_failure(exchange, &call->failure);
  sv_exchange_resume(exchange);
}

/* ---- The arguments ---- */

static bool is_key(const char *key) {
  size_t length = strlen(key);
  if (length == 0 || length > KEY_MAX) return false;
  for (; *key; key++)
    if (*key < 0x20 || *key > 0x7E) return false;
  return true;
}

/* Put the header's key among the arguments.  One that is there already stands twice then, which the
** library refuses. */
static void add_key(sv_exchange *exchange, const char *key) {
  const char *args = exchange->body.length ? exchange->body.bytes : "{}";
  size_t space = strspn(args, " \t\r\n");
  sv_text json = {0};
  if (args[space] != '{') return; /* no object: the library says so */
  sv_addz(&json, "{");
  sv_add_quoted(&json, exchange->call.method->idempotent);
  sv_addz(&json, ":");
  sv_add_quoted(&json, key);
  const char *rest = args + space + 1;
  sv_addz(&json, rest[strspn(rest, " \t\r\n")] == '}' ? "" : ",");
  sv_addz(&json, rest);
  exchange->args = sv_text_take(&json);
}

/* False: answered. */
static bool take_key(sv_exchange *exchange) {
  const char *key = sv_header(exchange, "Idempotency-Key"), *name = exchange->call.method->name;
  if (!key || strcmp(exchange->call.method->access, "read") == 0) return true; /* reading twice is no harm */
  if (!exchange->call.method->idempotent)
    sv_answer_problem(exchange, 400, STELE_INVALID, "send it without the header", "%s takes no Idempotency-Key", name);
  else if (!is_key(key))
    sv_answer_problem(exchange, 400, STELE_INVALID, "", "%s: Idempotency-Key must be 1 to %d printable characters",
                      name, KEY_MAX);
  else
    add_key(exchange, key);
  return !exchange->answered;
}

static bool check_body(sv_exchange *exchange) {
  const char *name = exchange->call.method->name;
  if (exchange->body.length && memchr(exchange->body.bytes, '\0', exchange->body.length))
    sv_answer_problem(exchange, 400, STELE_INVALID, "", "%s: the arguments are not JSON: they hold a NUL byte", name);
  return !exchange->answered;
}

static bool wanted(sv_call *call) {
  return !sv_peer_gone(exchange_of(call)->peer);
}

static bool wants_lines(const sv_exchange *exchange) {
  const char *accept = sv_header(exchange, "Accept");
  return accept && strstr(accept, "application/x-ndjson") && strcmp(exchange->call.method->shape, "many") == 0 &&
         strcmp(exchange->call.method->access, "read") == 0;
}

void sv_method_answer(sv_exchange *exchange, sv_worker *worker) {
  sv_call *call = &exchange->call;
  if (!check_body(exchange) || !take_key(exchange)) {
    sv_exchange_resume(exchange);
    return;
  }
  call->args = exchange->args ? exchange->args : exchange->body.length ? exchange->body.bytes : NULL;
  call->done = done;
  call->wanted = wanted;
  if (wants_lines(exchange))
    sv_stream_answer(exchange);
  else
    sv_dispatch(worker, call);
}

void sv_method_unknown(sv_exchange *exchange, sv_worker *worker) {
  char name[128];
  sv_failure failure;
  stele_stmt *none = NULL;
  snprintf(name, sizeof name, "%s", exchange->address + 4);
  char *slash = strchr(name, '/');
  if (slash) *slash = '.';
  stele_prepare(worker->reader, name, &none);
  stele_finalize(none); /* there is one only if the name was cut, which no method's is */
  sv_failure_copy(&failure, stele_error(worker->reader));
  if (failure.status == STELE_OK) sv_failure_set(&failure, STELE_NOTFOUND, name, "", "there is no method %s", name);
  sv_answer_failure(exchange, &failure);
  sv_exchange_resume(exchange);
}
