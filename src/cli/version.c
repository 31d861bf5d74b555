/* version.c - stele version. */
#include "command.h"

static int run(cli *c) {
  const stele_method *method = stele_method_find("stele.version");
  argument none[] = {{NULL, NULL}};
  if (c->options.json) return command_reply(c, method->name, none, NULL, "");
  stele_stmt *stmt = request_prepare(c->db, method->name, none);
  if (!stmt || stele_step(stmt) != STELE_ROW) return command_failed(c);
  out_format(&c->out, "stele %s (SQLite %s%s, %s PostgreSQL)\n",
             stele_column_text(stmt, table_index(method, "version")),
             stele_column_text(stmt, table_index(method, "sqlite")),
             stele_column_int(stmt, table_index(method, "sqlite_wal_safe")) ? "" : " with the WAL-reset bug",
             stele_column_int(stmt, table_index(method, "postgres")) ? "with" : "without");
  stele_finalize(stmt);
  return 0;
}

const command version_command = {
    .name = "version",
    .usage = "",
    .summary = "versions of Stele and of what it was built with",
    .examples = "stele version\n"
                "stele version --json",
    .details = "",
    .opens = true,
    .unconfigured = true,
    .run = run,
};
