/* fault_statement.c - tells of every statement that SQLite is about to run, but for questions.  See fault.h. */
#include <sqlite3.h>
#include <stddef.h>

#include "fault/fault.h"

static int on_statement(unsigned event, void *context, void *statement, void *text) {
  (void)event, (void)context, (void)text;
  bool asks = sqlite3_stmt_readonly(statement) && sqlite3_column_count(statement) > 0; /* after it all is as before */
  if (!asks) fault_due(FAULT_STATEMENT, "statement");
  return 0;
}

/* SQLite calls it for each connection, as it does for extensions. */
static int watch(sqlite3 *db, const char **problem, const void *api) {
  (void)problem, (void)api;
  return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, on_statement, NULL);
}

bool fault_statement_install(void) { return sqlite3_auto_extension((void (*)(void))watch) == SQLITE_OK; }
