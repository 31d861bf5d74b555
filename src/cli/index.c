/* index.c - stele index, reindex: the search indexes of the stores. */
#include <inttypes.h>
#include <stdlib.h>

#include "command.h"
#include "progress.h"
#include "said.h"
#include "text.h"

/* Call a method that indexes, and tell how many messages that were, unless nobody asks. */
static int index_with(cli *c, const char *method, const argument *arguments, bool told) {
  progress_begin();
  if (told && c->options.json) return command_reply(c, method, arguments, NULL, "");
  stele_stmt *stmt = request_prepare(c->db, method, arguments);
  stele_status status = stmt ? stele_step(stmt) : STELE_INVALID;
  int64_t indexed = 0;
  if (status == STELE_ROW) indexed = stele_column_int(stmt, table_index(stele_method_find(method), "indexed"));
  stele_finalize(stmt);
  if (status != STELE_ROW) return command_failed(c);
  out_notes(&c->out, stele_notes(c->db));
  if (told) out_format(&c->out, "%" PRId64 " message%s indexed\n", indexed, indexed == 1 ? "" : "s");
  return 0;
}

/* The indexes of all stores, or of the one that is named; what was done in each is told. */
static int index_all(cli *c, bool rebuild) {
  const stele_method *method = stele_method_find("recall.index");
  const argument arguments[] = {{"rebuild", rebuild ? "true" : "false"}, {NULL, NULL}};
  progress_begin();
  if (c->options.json) return command_reply(c, "recall.index", arguments, NULL, "");
  stele_stmt *stmt = request_prepare(c->db, "recall.index", arguments);
  stele_status status = stmt ? stele_step(stmt) : STELE_INVALID;
  for (; status == STELE_ROW; status = stele_step(stmt)) {
    int64_t indexed = stele_column_int(stmt, table_index(method, "indexed"));
    int64_t embedded = stele_column_int(stmt, table_index(method, "embedded"));
    out_format(&c->out, "%-13s %" PRId64 " indexed", stele_column_text(stmt, table_index(method, "store")), indexed);
    if (embedded) out_format(&c->out, ", %" PRId64 " embedded", embedded);
    out_format(&c->out, "\n");
  }
  stele_finalize(stmt);
  if (status != STELE_DONE) return command_failed(c);
  out_notes(&c->out, stele_notes(c->db));
  return 0;
}

static int run_index(cli *c) { return index_all(c, false); }

/* Conversations: another mode first, then, if that is asked for, anew.  Without a mode, all stores anew. */
static int run_reindex(cli *c) {
  int status = 0;
  char *mode = said_text(c, OPTION_MODE, &status);
  bool rebuild = c->options.local[OPTION_REBUILD];
  if (!status && !mode) status = index_all(c, true);
  if (!status && mode)
    status = index_with(c, "conversation.reindex", (argument[]){{"mode", mode}, {NULL, NULL}}, !rebuild);
  if (!status && mode && rebuild)
    status = index_with(c, "conversation.index_messages", (argument[]){{"rebuild", "true"}, {NULL, NULL}}, true);
  free(mode);
  return status;
}

const command index_command = {
    .name = "index",
    .group = GROUP_STORES,
    .usage = "",
    .summary = "bring the search indexes of the stores up to date now",
    .examples = "stele index\n"
                "stele index --json",
    .details = "A search sees everything without it; this is for idle time, so that the next search has less to do.",
    .opens = true,
    .run = run_index,
};

const command reindex_command = {
    .name = "reindex",
    .group = GROUP_STORES,
    .usage = "",
    .summary = "make the search indexes of the stores anew, or move that of the conversations",
    .examples = "stele reindex\n"
                "stele reindex --mode compatible\n"
                "stele --store conversation=old.db reindex --mode stele",
    .details = "The work is done in short steps while others read and write.  If it is stopped, another call goes on\n"
               "from there.  The stores themselves are not touched.",
    .opens = true,
    .takes =
        (const command_option[]){
            {OPTION_MODE, "stele (a file of its own) or compatible (in the store, for its other programs)"},
            {OPTION_REBUILD, "throw it away and make it anew (also without any option)"},
            {0, NULL}},
    .run = run_reindex,
};
