"""Bugs to put into the engine and the stores, one at a time, each with the test that must notice it.

`old` stands exactly once in its file (test_list.py sees to that, so that the list cannot rot) and becomes `new`.  `test` is a
suite/name of tests/meson.build, run with `args`.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Mutation:
    what: str   # the bug, as somebody would describe it
    file: str
    old: str
    new: str
    test: str
    args: tuple = field(default=())


def played(file, case="", engine="sqlite"):
    """The method tests of one file, through the C interface."""
    return "method/run", ("--file", f"tests/method/{file}.txt", "--door", "call", "--engine", engine,
                          *(("--case", case) if case else ()))


def replayed(kind, case):
    """Some method tests under faults of one kind."""
    return "fault/run", ("--kind", kind, "--case", case)


ENGINE = [
    Mutation("a call that failed is committed, not rolled back",
             "src/engine/call.c",
             "  else\n    driver->rollback(call->store->conn);\n",
             "  else\n    driver->commit(call->store->conn);\n",
             "unit/transaction"),
    Mutation("a call that failed inside a transaction is not undone",
             "src/engine/dispatch.c",
             "  driver->script(call->store->conn, UNDO);\n",
             "  driver->script(call->store->conn, KEEP);\n",
             "unit/transaction"),
    Mutation("a failed commit is told as done",
             "src/engine/sqlite_tx.c",
             "    st_sqlite_rollback(base);\n    return status;\n",
             "    st_sqlite_rollback(base);\n    return STELE_OK;\n",
             "fault/lifecycle", ("--kind", "io once", "--scene", "one transaction")),
    Mutation("the error of a statement is swallowed",
             "src/engine/dispatch.c",
             "  if (status != STELE_ROW && status != STELE_DONE) st_fail_conn(call, status);\n  if (st_ok(call)) call->changed[number]",
             "  if (st_ok(call)) call->changed[number]",
             *replayed("io once", "a clean stop")),
    Mutation("the last parameter of a statement is not bound",
             "src/engine/sqlite_stmt.c",
             "for (size_t i = 0; i < count && code == SQLITE_OK; i++) code = bind(",
             "for (size_t i = 0; i + 1 < count && code == SQLITE_OK; i++) code = bind(",
             *played("planner_facts")),
    Mutation("an idempotency key is not looked for",
             "src/engine/idempotency.c",
             "  if (!reply) return false;\n  refill(",
             "  if (!reply || length) return false;\n  refill(",
             *played("conversation")),
    Mutation("nobody waits for the turn to write",
             "src/engine/sqlite_tx.c",
             "  if (!conn->turn || conn->has_turn) return STELE_OK;\n",
             "  if (conn) return STELE_OK;\n",
             "unit/sharing"),
    Mutation("the turn is kept when a transaction could not begin",
             "src/engine/sqlite_tx.c",
             "  if (status != STELE_OK) leave_turn(conn);\n",
             "",
             "unit/sharing"),
    Mutation("who finds the file locked gives up at once",
             "src/engine/sqlite_tx.c",
             "  usleep(tries < 10 ? 200 : tries < 100 ? 1000 : 5000);\n  return 1;\n",
             "  return tries < 0;\n",
             "unit/sharing"),
    Mutation("the log is never moved into the file",
             "src/engine/sqlite_tx.c",
             "    base->counts.commits++;\n    checkpoint_if_due(conn);\n",
             "    base->counts.commits++;\n",
             "unit/transaction"),
    Mutation("a failed sync does not stop writing",
             "src/engine/driver_sqlite.c",
             "  if (st_sqlite_unsynced(code) || (code & 0xff) == SQLITE_CORRUPT) conn->base.stopped = true;\n",
             "  if ((code & 0xff) == SQLITE_CORRUPT) conn->base.stopped = true;\n",
             "fault/test_syncs"),
    Mutation("a migration marks a step that it did not run",
             "src/engine/migrate.c",
             "i < step->nparts[engine] && status == STELE_OK; i++",
             "i + 1 < step->nparts[engine] && status == STELE_OK; i++",
             "unit/migrate"),
    Mutation("a migration makes no copy of the file before it begins",
             "src/engine/migrate.c",
             "  stele_status status = st_backup_beside(opened, version, &(st_watch){opening->progress, opening->user}, path);\n",
             "  stele_status status = opening && version ? STELE_OK : STELE_IO;\n  path[0] = 0;\n",
             "unit/migrate"),
    Mutation("a statement that is being read sees what is written meanwhile",
             "src/engine/call.c",
             "  if (st_ok(call) && write) st_settle_streams(call->db, call->store);\n",
             "",
             "unit/transaction"),
    Mutation("a child goes on with the handle of its parent",
             "src/engine/guard.c",
             "static void forget(void) { known = 0; }",
             "static void forget(void) { known += 0; }",
             "unit/sharing"),
    Mutation("a conflict in PostgreSQL is told, not tried again",
             "src/engine/call.c",
             "  if (st_ok(call) && st_retry_fits(status)) call->again = true;\n",
             "",
             "planner/test_threads"),
    Mutation("a commit without an answer passes for one that was not done",
             "src/engine/driver_postgres.c",
             "st_conn_fail(&pg->base, STELE_INDOUBT,\n                          \"the connection",
             "st_conn_fail(&pg->base, STELE_UNAVAILABLE,\n                          \"the connection",
             "scale/test_lost"),
]

STORES = [
    Mutation("a list comes in the wrong order",
             "src/stores/conversation/messages.c",
             "    add_line(&found, l, backwards);\n",
             "    add_line(&found, l, false);\n",
             *played("conversation")),
    Mutation("a limit gives one row too many",
             "sql/planner/messages.sql",
             "      AND id < :before                                       -- @if before\n    ORDER BY id DESC LIMIT :limit) AS newest\n ORDER BY id;\n\n-- @method planner.get_oldest_messages",
             "      AND id < :before                                       -- @if before\n    ORDER BY id DESC LIMIT :limit + 1) AS newest\n ORDER BY id;\n\n-- @method planner.get_oldest_messages",
             *played("planner_inbox")),
    Mutation("clearing one session clears all",
             "sql/conversation/messages.sql",
             "DELETE FROM messages WHERE session_id = :session_id;\nUPDATE sessions SET message_count = 0",
             "DELETE FROM messages;\nUPDATE sessions SET message_count = 0",
             *played("conversation")),
    Mutation("a batch that fails keeps what it had written",
             "src/stores/conversation/messages.c",
             "    st_fail(call, STELE_NOTFOUND, \"session_id\", \"session_id %.100s does not exist\", session->bytes);\n  for",
             "    return;\n  for",
             *played("conversation")),
    Mutation("the time of a change is not written",
             "sql/planner/tasks.sql",
             "   SET updated_at = :now\n     , status = :status ",
             "   SET updated_at = COALESCE(updated_at, :now)\n     , status = :status ",
             *played("planner_plans")),
    Mutation("a changed message is not noted for the search index",
             "sql/conversation/features/changes.sql",
             "CREATE TRIGGER stele_change_update AFTER UPDATE OF session_id, role, content, tool_name,",
             "CREATE TRIGGER stele_change_update AFTER UPDATE OF session_id, role, tool_name,",
             "capture/test_stored"),
    Mutation("a lock is taken back from who still has it",
             "src/stores/capture/queues.c",
             "st_int(what->now.integer - what->timeout * MILLIS)",
             "st_int(what->now.integer + what->timeout * MILLIS)",
             *played("capture_queues")),
    Mutation("a ticket that was given back is still held",
             "src/stores/capture/queues.c",
             "  st_run(call, STELE_M_CAPTURE_DROP_CLAIMS, (st_value[]){ticket[QUEUE], ticket[ID]});\n",
             "",
             *played("capture_queues")),
    Mutation("an approval can be claimed after its time",
             "src/stores/assistant/approvals.c",
             "  if (need->now) args[ST_P_ASSISTANT_MOVE_PENDING_ACTION_NOW] = *need->now;\n",
             "",
             *played("assistant_approvals")),
    Mutation("an event that is sent twice is kept twice",
             "src/stores/capture/events.c",
             "  if (st_capture_find(call, kept.find, &kept.envelope, id)) return false; /* nor does it make a session */\n",
             "",
             *played("capture_events")),
    Mutation("secrets of a transcript are stored",
             "src/capture/taking.c",
             "  bool copied = clean.text != text.bytes &&",
             "  clean = (st_redacted){.text = text.bytes, .length = text.length};\n  bool copied = clean.text != text.bytes &&",
             "capture/test_claude"),
]

ALL = ENGINE + STORES
