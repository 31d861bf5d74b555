/* fuzz_mcp.c - any bytes as messages of the Model Context Protocol, one per line, to a home in memory: nothing
** breaks, and whatever is answered is one JSON-RPC message on one line, within its budget.  The first byte
** chooses the era, the tools and the budget. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/json.h"
#include "fuzz/target.h"
#include "serve/mcp.h"

#define BUDGET 2000

/* What reaches beyond the home is left out. */
static bool may(void *user, const stele_method *method) {
  (void)user;
  return strcmp(method->access, "admin") != 0;
}

static void make_call(void *user, mcp_request *r, const mcp_call *call, mcp_outcome *outcome) {
  static char *reply;
  stele_db *db = user;
  mcp_progress(r, "fuzzing", 1, 2);
  stele_free(reply);
  reply = NULL;
  if (stele_call(db, call->method->name, call->args, &reply) != STELE_OK)
    *outcome = (mcp_outcome){.failure = stele_error(db)};
  else
    *outcome = (mcp_outcome){.reply = reply, .notes = stele_notes(db)};
}

static void check(const char *text, size_t length) {
  json message = json_read(text, length);
  must(message.text && !memchr(text, '\n', length), "an answer that is not JSON on one line");
  must(json_kind(message) == '[' || json_is(json_member(message, "jsonrpc"), "2.0"), "an answer that is not JSON-RPC");
}

static void notified(void *user, const char *text, size_t length) {
  (void)user;
  check(text, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static stele_db *db;
  if (!db)
    must(stele_open(&(stele_options){.size = sizeof(stele_options), .home = ":memory:"}, &db) == STELE_OK, "no home");
  if (size == 0) return 0;
  mcp_peer peer = {0};
  mcp_caller caller = {.all = data[0] & 1, .budget = data[0] & 2 ? BUDGET : 0, .may = may, .notify = notified};
  if (data[0] & 4) caller.peer = &peer;
  if (data[0] & 8) strcpy(peer.version, "2025-03-26");
  const char *at = (const char *)data + 1, *end = (const char *)data + size;
  while (at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((stop ? stop : end) - at);
    char *line = strndup(at, length), *reply = NULL; /* a NUL is behind a message, as the reader promises */
    must(line != NULL, "no memory");
    length = strlen(line);
    free(mcp_cancels(line, length));
    free(mcp_id_of(line, length));
    must(mcp_handle(&caller, line, length, make_call, db, &reply), "no memory");
    if (reply) check(reply, strlen(reply));
    free(reply);
    free(line);
    at = stop ? stop + 1 : end;
  }
  return 0;
}
