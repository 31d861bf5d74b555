#!/usr/bin/env python3
"""stele.compat.hermes does what the original does: its file, which stays the original's, and the object.  Prints TAP."""

import inspect
import os
import sqlite3
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from conversation import original  # noqa: E402
from python.hermes_db import hermes_test, opened  # noqa: E402
from python.tap import main, raises, same, test  # noqa: E402
from stele.compat import hermes  # noqa: E402
from stele.compat.hermes import SessionDB  # noqa: E402


# ---- The file ----------------------------------------------------------------------------------

@test("a fresh file has exactly what the original's has, also after use")
def _(place):
    with opened(place) as db:
        db.say("x")
        db.search_messages("x")
        db.list_sessions_rich()
        mode = [db._conn.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "foreign_keys", "synchronous")]
        same(mode, ["wal", 1, 2])
    made = os.path.join(place, "state.db")
    original.make(os.path.join(place, "theirs.db"), original.LATEST)
    same(original.shape(made), original.shape(os.path.join(place, "theirs.db")))
    same(set(original.definitions(made)), set(original.definitions(os.path.join(place, "theirs.db"))))
    with original.connect(made) as db:
        original.check_search_tables(db)
        names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type <> 'trigger' AND name NOT LIKE 'sqlite_auto%'")]
    same(names[:9], ["schema_version", "sessions", "messages", "sqlite_sequence", "state_meta", "idx_sessions_source",
                     "idx_sessions_parent", "idx_sessions_started", "idx_messages_session"])
    same([name for name in os.listdir(place) if "stele" in name], [])


@test("files of every version are opened, brought to version 11, and searched")
def _(place):
    for version in range(1, 17):
        path = os.path.join(place, f"v{version}.db")
        original.make(path, version)
        with original.connect(path) as db:
            original.insert(db, "sessions", id="a", source="cli", started_at=1.0)
            original.insert(db, "messages", session_id="a", role="user", content="ancient needle", timestamp=1.0)
        with opened(place, f"v{version}.db") as db:
            same(db._conn.execute("SELECT version FROM schema_version").fetchone()["version"], max(11, version))
            same((len(db.search_messages("needle")), db.get_session("a")["api_call_count"]), (1, 0))
            db.say("another needle")
            same(len(db.search_messages("needle")), 2)
        with original.connect(path) as db:
            original.check_search_tables(db)


@test("a file that lost a column, a table or its search tables gets them back, empty")
def _(place):
    with opened(place) as db:
        db.say("needle")
    with original.connect(os.path.join(place, "state.db")) as db:
        for statement in ("DROP TABLE state_meta", "ALTER TABLE messages DROP COLUMN reasoning_content", "DROP INDEX idx_sessions_title_unique",
                          *(f"DROP TRIGGER messages_fts_trigram_{event}" for event in ("insert", "delete", "update")),
                          "DROP TABLE messages_fts_trigram"):
            db.execute(statement)
    with opened(place) as db:
        same((db.get_meta("x"), db.get_messages("s1")[0]["reasoning_content"], len(db.search_messages("needle"))), (None, None, 1))
        same(db._conn.execute("SELECT count(*) FROM messages_fts_trigram").fetchone()[0], 0)
        db._conn.execute("ALTER TABLE messages DROP COLUMN finish_reason")
        db._reconcile_columns()
        same("finish_reason" in db.get_messages("s1")[0], True)
        same(db._parse_schema_columns(hermes.SCHEMA_SQL)["sessions"]["message_count"], "INTEGER DEFAULT 0")


@test("the original goes on with the file, and the file with the original, at the same time")
def _(place):
    code = ("import sys; sys.path.insert(0, sys.argv[2]); from conversation import original\n"
            "writer = original.Writer(sys.argv[1])\n"
            "for n in range(100): writer.append('s1', 'user', f'theirs {n}')\n"
            "writer.close()\n")
    with opened(place) as db:
        other = subprocess.Popen([sys.executable, "-c", code, os.path.join(place, "state.db"), os.path.dirname(HERE)], env=interpreter.of_others())
        for n in range(100):
            db.say(f"ours {n}")
        same(other.wait(), 0)
        same((db.message_count(), db.get_session("s1")["message_count"], len(db.search_messages("theirs", limit=-1))), (200, 200, 100))
    with original.connect(os.path.join(place, "state.db")) as db:
        original.check_search_tables(db)


# ---- The object --------------------------------------------------------------------------------

@test("where it opens, what it remembers of a failure, and what a closed one does")
def _(place):
    same((hermes.SCHEMA_VERSION, hermes.DEFAULT_DB_PATH.name), (11, "state.db"))
    path = os.path.join(place, "deep", "er", "state.db")
    db = SessionDB(path)
    same(os.path.exists(path), True)
    db.close()
    db.close()
    same(db._conn, None)
    raises(AttributeError, db.get_session, "s1", says="'NoneType' object has no attribute 'execute'")
    with open(os.path.join(place, "bad.db"), "w") as file:
        file.write("no database " * 1000)
    raises(sqlite3.DatabaseError, SessionDB, os.path.join(place, "bad.db"), says="file is not a database")
    same(hermes.get_last_init_error(), "DatabaseError: file is not a database")
    same(hermes.format_session_db_unavailable("No sessions"), "No sessions: DatabaseError: file is not a database.")
    hermes._last_init_error = "OperationalError: locking protocol"
    same("network file system" in hermes.format_session_db_unavailable("x"), True)
    hermes._last_init_error = None
    same(hermes.format_session_db_unavailable("x"), "x.")


@hermes_test("a write is tried again while others write, and no more often than it should")
def _(db):
    tries = []

    def busy(times, message="database is locked"):
        def write(conn):
            tries.append(1)
            if len(tries) <= times:
                raise sqlite3.OperationalError(message)
            return "done"
        return write
    db._WRITE_RETRY_MIN_S = db._WRITE_RETRY_MAX_S = 0
    same((db._execute_write(busy(3)), len(tries)), ("done", 4))
    tries.clear()
    raises(sqlite3.OperationalError, db._execute_write, busy(99), says="locked")
    same(len(tries), db._WRITE_MAX_RETRIES)
    tries.clear()
    raises(sqlite3.OperationalError, db._execute_write, busy(99, "no such table: x"))
    same((len(tries), db._conn.in_transaction, db._lock.locked()), (1, False, False))
    writes = db._write_count
    db.set_meta("a", "b")
    same(db._write_count, writes + 1)
    same((db._WRITE_MAX_RETRIES, SessionDB._WRITE_RETRY_MIN_S, SessionDB._WRITE_RETRY_MAX_S, db._CHECKPOINT_EVERY_N_WRITES),
         (15, 0.020, 0.150, 50))


@hermes_test("the log does not grow: every fiftieth write is followed by a checkpoint")
def _(db):
    asked = []
    db._try_wal_checkpoint = lambda: asked.append(db._write_count)
    for n in range(110):
        db.set_meta("k", str(n))
    same(asked, [50, 100])


@hermes_test("eight threads write and read through one object")
def _(db):
    problems = []

    def work(number):
        try:
            for n in range(25):
                db.append_message("s1", "user", f"thread{number} message{n}")
                db.get_session("s1")
                db.search_messages(f"thread{number}")
        except Exception as error:
            problems.append(error)
    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    same((problems, db.get_session("s1")["message_count"], len(db.search_messages("thread7", limit=-1))), ([], 200, 25))


@test("signatures and defaults are the original's")
def _(place):
    for name, wanted in {
            "__init__": "(self, db_path: pathlib.Path = None, read_only: bool = False)",
            "ensure_session": "(self, session_id, source='unknown', model=None, **kwargs)",
            "prune_sessions": "(self, older_than_days=90, source=None, sessions_dir=None)",
            "search_messages": "(self, query, source_filter=None, exclude_sources=None, role_filter=None, limit=20, offset=0, sort=None)",
            "get_anchored_view": "(self, session_id, around_message_id, window=5, bookend=3, keep_roles=('user', 'assistant'))",
            "maybe_auto_prune_and_vacuum": "(self, retention_days=90, min_interval_hours=24, vacuum=True, sessions_dir=None)"}.items():
        same(str(inspect.signature(getattr(SessionDB, name))), wanted)


@test("read only: nothing is made, and nothing written")
def _(place):
    opened(place).close()
    db = SessionDB(os.path.join(place, "state.db"), read_only=True)
    same(db.get_session("s1")["source"], "cli")
    raises(sqlite3.OperationalError, db.set_meta, "a", "b", says="read")
    db.close()
    raises(sqlite3.OperationalError, SessionDB, os.path.join(place, "none.db"), True)
    same(os.path.exists(os.path.join(place, "none.db")), False)


if __name__ == "__main__":
    main()
