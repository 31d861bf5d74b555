/* schema.c - stele schema: the live definitions of a store, as SQL. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "text.h"

/* A comment line where a store begins, then each definition with its semicolon. */
static stele_status print_rows(output *out, const stele_method *method, stele_stmt *stmt, size_t *rows) {
  size_t store = table_index(method, "store"), version = table_index(method, "version");
  size_t ddl = table_index(method, "ddl");
  char *current = NULL;
  stele_status status;
  for (*rows = 0; (status = stele_step(stmt)) == STELE_ROW; ++*rows) {
    const char *name = stele_column_text(stmt, store), *sql = stele_column_text(stmt, ddl);
    if (*rows) out_text(out, "\n");
    if (!current || strcmp(current, name) != 0)
      out_format(out, "-- %s, version %" PRId64 "\n\n", name, stele_column_int(stmt, version));
    out_lines(out, sql);
    out_text(out, sql[0] && sql[strlen(sql) - 1] == ';' ? "\n" : ";\n");
    free(current);
    current = text_format("%s", name);
  }
  free(current);
  return status;
}

static int print_schema(cli *c, const argument *arguments) {
  size_t rows = 0;
  if (c->options.json) return command_reply(c, "stele.schema", arguments, NULL, "");
  stele_stmt *stmt = request_prepare(c->db, "stele.schema", arguments);
  if (!stmt) return command_failed(c);
  stele_status status = print_rows(&c->out, stele_method_find("stele.schema"), stmt, &rows);
  stele_finalize(stmt);
  if (status != STELE_DONE) return command_failed(c);
  out_notes(&c->out, stele_notes(c->db));
  if (!rows) out_notes(&c->out, "nothing to show: the store does not exist yet");
  return 0;
}

static int run(cli *c) {
  const char *what = command_argument(c, 1), *dot = what ? strchr(what, '.') : NULL;
  char *store = NULL, *quoted_store = NULL, *table = NULL;
  int status = 2;
  if (what) store = text_need(strndup(what, dot ? (size_t)(dot - what) : strlen(what)));
  if (dot && !dot[1]) {
    out_bad(&c->out, "usage: stele schema [STORE[.TABLE]]", "schema: %s names no table", what);
  } else if (dot && !text_valid(dot + 1)) {
    out_bad(&c->out, NULL, "schema: the name of the table is not UTF-8");
  } else if (!store || command_store(c, store)) {
    quoted_store = store ? text_quote(store) : NULL;
    table = dot ? text_quote(dot + 1) : NULL;
    status = print_schema(c, (argument[]){{"store", quoted_store}, {"table", table}, {NULL, NULL}});
  }
  free(store);
  free(quoted_store);
  free(table);
  return status;
}

const command schema_command = {
    .name = "schema",
    .group = GROUP_STORES,
    .usage = "[STORE[.TABLE]]",
    .summary = "the live tables, indexes and triggers, as SQL",
    .examples = "stele schema\n"
                "stele schema telemetry.sessions\n"
                "stele schema telemetry --json",
    .details = "What is printed is what the file or the database has now.",
    .most = 1,
    .opens = true,
    .pages = true,
    .run = run,
};
