/* mcp_handle.c - a message handled at once, and several in one, which only the first revisions have. */
#include <stdlib.h>
#include <string.h>

#include "mcp_core.h"

typedef struct maker {
  mcp_call_maker *make;
  void *user;
} maker;

/* Append the answer, if one is due.  False: no memory. */
static bool answer(const mcp_caller *caller, const char *text, size_t length, maker m, sv_text *out) {
  mcp_request *r = mcp_begin(caller, text, length);
  mcp_call call;
  size_t size;
  if (!r) return false;
  while (mcp_wants(r, &call)) {
    mcp_outcome outcome = {0};
    m.make(m.user, r, &call, &outcome);
    mcp_give(r, &outcome);
  }
  const char *reply = mcp_reply(r, &size);
  if (reply) {
    sv_addz(out, out->length > 1 ? "," : "");
    sv_add(out, reply, size);
  }
  mcp_end(r);
  return !out->failed;
}

static bool has_batches(const mcp_peer *peer) {
  return peer && (strcmp(peer->version, "2025-03-26") == 0 || strcmp(peer->version, "2024-11-05") == 0);
}

/* The answers of a batch are one, unless there are none. */
static bool answer_batch(const mcp_caller *caller, json batch, maker m, sv_text *out) {
  json message = {NULL, 0};
  bool good = true;
  sv_addz(out, "[");
  while (good && json_next(batch, &message)) good = answer(caller, message.text, message.length, m, out);
  if (out->length == 1)
    out->length = 0;
  else
    sv_addz(out, "]");
  return good && !out->failed;
}

bool mcp_handle(const mcp_caller *caller, const char *text, size_t length, mcp_call_maker *make, void *user,
                char **reply) {
  json batch = has_batches(caller->peer) ? json_read(text, length) : (json){NULL, 0}, first = {NULL, 0};
  maker m = {make, user};
  sv_text out = {0};
  bool several = json_kind(batch) == '[' && json_next(batch, &first);
  bool good = several ? answer_batch(caller, batch, m, &out) : answer(caller, text, length, m, &out);
  *reply = NULL;
  if (good && out.length) good = (*reply = sv_text_take(&out)) != NULL;
  sv_text_free(&out);
  return good;
}
