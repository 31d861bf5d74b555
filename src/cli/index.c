/* index.c - stele index, reindex: the search index of the conversations. */
#include <inttypes.h>
#include <stdlib.h>

#include "command.h"
#include "progress.h"
#include "said.h"
#include "text.h"

/* Call conversation.index_messages and tell how many messages were indexed. */
static int index_messages(cli *c, const char *rebuild) {
  argument arguments[] = {{"rebuild", rebuild}, {NULL, NULL}};
  progress_begin();
  if (c->options.json) return command_reply(c, "conversation.index_messages", arguments, NULL, "");
  stele_stmt *stmt = request_prepare(c->db, "conversation.index_messages", arguments);
  stele_status status = stmt ? stele_step(stmt) : STELE_INVALID;
  int64_t indexed = status == STELE_ROW ? stele_column_int(stmt, 0) : 0;
  stele_finalize(stmt);
  if (status != STELE_ROW) return command_failed(c);
  out_notes(&c->out, stele_notes(c->db));
  out_format(&c->out, "%" PRId64 " message%s indexed\n", indexed, indexed == 1 ? "" : "s");
  return 0;
}

static int run_index(cli *c) {
  return index_messages(c, NULL);
}

const command index_command = {
    .name = "index",
    .usage = "",
    .summary = "bring the search index of the conversations up to date now",
    .examples = "stele index",
    .details = "A search sees every message without it; this is for idle time, so that the next search has less to do.",
    .opens = true,
    .run = run_index,
};

static int run_reindex(cli *c) {
  return index_messages(c, "true");
}

const command reindex_command = {
    .name = "reindex",
    .usage = "",
    .summary = "make the search index of the conversations anew",
    .examples = "stele reindex --rebuild",
    .details = "",
    .opens = true,
    .takes =
        (const command_option[]){{OPTION_MODE, "stele or compatible"}, {OPTION_REBUILD, "make it anew"}, {0, NULL}},
    .run = run_reindex,
};
