#!/usr/bin/env python3
"""The Python package: stores and methods, rows, errors, transactions, threads, forks, the end of the interpreter.  Prints TAP."""

import inspect
import os
import pathlib
import sqlite3
import subprocess
import sys
import threading
import urllib.parse
import uuid
from datetime import datetime, timezone

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from python.tap import main, raises, same, test  # noqa: E402

import stele  # noqa: E402
from stele import _abi, dbapi  # noqa: E402


def filled(place, **options):
    """A database with a session s of three messages."""
    db = stele.open(os.path.join(place, "home"), **options)
    db.conversation.create_session(session_id="s", source="cli")
    for text in ("one", "two", "three"):
        db.conversation.append_message(session_id="s", role="user", content=text)
    return db


def in_threads(count, function):
    """function(number) in so many threads at once; what they raised."""
    problems = []

    def work(number):
        try:
            function(number)
        except BaseException as error:
            problems.append(error)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return problems


# ---- Methods -------------------------------------------------------------------------------------

@test("replies are dicts, lists of dicts, or None")
def _(place):
    with filled(place) as db:
        same(db.conversation.get_session(session_id="s")["source"], "cli")
        same(db.conversation.get_session("nobody"), None)
        same([row["content"] for row in db.conversation.get_messages(session_id="s")], ["one", "two", "three"])
        same(db.conversation.end_session("s", end_reason="x"), {"ended": 1})
        same(db.call("conversation.session_count", source="cli"), {"count": 1})
        same(db.call("conversation.session_count", {"source": "x"}), {"count": 0})
    same(db.closed, True)


@test("arguments: by position or name, JSON of any depth, bytes, times")
def _(place):
    with filled(place) as db:
        content = [{"type": "text", "text": "é\0\U0001F600"}, {"n": [1, 2.5, None, True]}]
        when = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
        number = db.conversation.append_message("s", "user", content=content, timestamp=when)["id"]
        got = db.conversation.get_message(number)
        same((got["content"], got["timestamp"]), (content, when.timestamp()))
        raises(TypeError, db.conversation.get_session, "s", session_id="s", says="twice")
        raises(TypeError, db.conversation.get_session, "s", "t", says="takes 1 arguments")
        raises(TypeError, db.conversation.get_session, object(), says="cannot be sent")
        same(raises(stele.InvalidError, db.conversation.get_session, "\ud800").code, "INVALID")


@test("methods are documented, and have signatures")
def _(place):
    method = stele.open(place).conversation.list_sessions_rich
    same(str(inspect.signature(method)).startswith("(*, source=..., exclude_sources=..., limit=20"), True)
    same(method.__name__, "list_sessions_rich")
    for words in ("Sessions with a preview", "limit (int, default 20): at most this many; negative: all", "A list of dicts."):
        same((words, words in method.__doc__), (words, True))
    same(str(inspect.signature(stele.open(place).conversation.end_session)), "(session_id, end_reason, *, ended_at=...)")


@test("every method that the library lists is there, and no other")
def _(place):
    db = stele.open(place)
    listed = {row["name"] for row in db.stele.methods()}
    found = {f"{name}.{method}" for name, store in vars(db).items() if isinstance(store, stele._store.Store)
             for method, function in vars(type(store)).items() if inspect.isfunction(function)}
    same(found, listed)


# ---- Errors --------------------------------------------------------------------------------------

@test("an error tells code, method, field, message and hint")
def _(place):
    with filled(place) as db:
        error = raises(stele.InvalidError, db.conversation.get_session, sesion_id="s", says="has no argument sesion_id")
        same((error.code, error.method, error.field), ("INVALID", "conversation.get_session", "sesion_id"))
        same((isinstance(error, stele.StatusError), isinstance(error, ValueError), error.hint != ""), (True, True, True))
        error = raises(stele.NotFoundError, db.call, "conversation.nothing")
        same((error.code, isinstance(error, LookupError)), ("NOTFOUND", True))
    raises(stele.MisuseError, db.conversation.get_session, "s", says="closed")
    raises(stele.InvalidError, stele.open, "", says="no name")
    raises(stele.InvalidError, stele.open, "x", stores={"nothing": "y"}, says="there is no store nothing")
    raises(TypeError, stele.open, "x", colour="red", says="no option colour")
    raises(TypeError, stele.open, store="conversation")


@test("there is a class for every status that is a failure")
def _(place):
    codes = {name for name, _, _ in _abi.STATUSES} - {"OK", "ROW", "DONE"}
    same({getattr(stele, name).code for name in stele.errors.__all__ if name != "StatusError"}, codes)


# ---- Places --------------------------------------------------------------------------------------

@test("a directory, one file, memory, a path, the default")
def _(place):
    filled(place).close()
    file = pathlib.Path(place) / "home" / "conversation.db"
    with stele.open(file, store="conversation") as db:
        same(db.conversation.message_count(), {"count": 3})
        raises(stele.InvalidError, db.telemetry.create_session, says="has no place")
    with stele.open(pathlib.Path(place) / "home", readonly=True) as db:
        raises(stele.ReadOnlyError, db.conversation.end_session, "s", "x")
    with stele.open(place, stores={"conversation": file}) as db:
        same(db.conversation.message_count(), {"count": 3})
    code = "import stele; print(stele.open().stele.status()[0]['location'])"
    for env, wanted in (({"STELE_HOME": "/a/b"}, "/a/b/"), ({"XDG_DATA_HOME": "/c"}, "/c/stele/"), ({"HOME": "/d"}, "/d/.local/share/stele/")):
        clean = {name: value for name, value in interpreter.environment().items() if name not in ("STELE_HOME", "XDG_DATA_HOME")}
        shown = subprocess.check_output([sys.executable, "-c", code], env={**clean, **env}, text=True)
        same((shown.startswith(wanted), shown), (True, shown))


@test("PostgreSQL, by its address")
def _(place):
    if os.environ.get("STELE_WITHOUT_POSTGRES") == "1":
        raises(stele.UnsupportedError, stele.open("postgres:///x").telemetry.create_session)
        return
    url = os.environ["STELE_TEST_POSTGRES"]
    schema = "python_" + uuid.uuid4().hex[:8]
    parts = urllib.parse.urlsplit(url)
    address = f"{parts.scheme}://{parts.netloc}{parts.path}?{parts.query + '&' if parts.query else ''}schema={schema}"
    try:
        with stele.open(place, stores={"telemetry": address}) as db:
            same(db.telemetry.create_session(), {"session_id": 1})
            same(in_threads(4, lambda number: db.telemetry.create_session()), [])
            same(len(list(db.telemetry.rows.get_session_list())), 5)
        raises(sqlite3.OperationalError, dbapi.connect, address, store="telemetry", says="telemetry is not in SQLite")
    finally:
        subprocess.run(["psql", "-q", "-c", f"DROP SCHEMA {schema} CASCADE", url], check=True, stderr=subprocess.DEVNULL, env=interpreter.of_others())


@test("log, progress, redaction, notes")
def _(place):
    steps = []
    with filled(place, log=lambda *what: None, progress=lambda *what: steps.append(what) or True,
                redaction='[[rule]]\nname = "me"\nregex = "three"\n') as db:
        raises(stele.CancelledError, db.recall.index, stores=["conversation"])
        raises(stele.CancelledError, db.conversation.reindex, "compatible")
        same([what for what, *_ in steps], ["index conversation", "reindex"])
        same(db.stele.redact("one three")["count"], 1)
        db.conversation.search_messages("one AND (")
        same(db.notes() != "", True)
        db.conversation.search_messages("one")
        same(db.notes(), "")


# ---- Rows ----------------------------------------------------------------------------------------

@test("rows come one by one, and may be left")
def _(place):
    with filled(place) as db:
        rows = db.conversation.rows.get_messages(session_id="s")
        same((next(rows)["content"], [row["content"] for row in rows], next(rows, None)), ("one", ["two", "three"], None))
        with db.conversation.rows.get_messages(session_id="s") as rows:
            next(rows)
        same(list(rows), [])
        rows = db.conversation.rows.get_messages(session_id="s")
        db.conversation.append_message("s", "user", content="four")  # a write beside an open stream
        same(len(list(rows)), 4)
        raises(stele.InvalidError, db.conversation.rows.get_messages, nothing=1)
        raises(stele.NotFoundError, db._stream, b"no.method", {}, ())
        left = db.conversation.rows.get_messages(session_id="s")
        next(left)
    same(list(left), [])  # closed with the database


# ---- Transactions --------------------------------------------------------------------------------

@test("a transaction is all or nothing; a call that fails undoes itself only")
def _(place):
    with filled(place) as db:
        with db.transaction("conversation"):
            db.conversation.append_message("s", "user", content="four")
            raises(stele.NotFoundError, db.conversation.append_message, "nobody", "user")
        same(db.conversation.message_count(), {"count": 4})
        try:
            with db.transaction("conversation") as inside:
                inside.conversation.append_message("s", "user", content="five")
                raise KeyError
        except KeyError:
            pass
        same(db.conversation.message_count(), {"count": 4})
        raises(stele.InvalidError, db.transaction("nothing").__enter__)
        with db.transaction("conversation"):
            raises(stele.MisuseError, db.transaction("conversation").__enter__)


# ---- Threads -------------------------------------------------------------------------------------

@test("eight threads, each with a handle of its own, closed with the thread")
def _(place):
    with filled(place) as db:
        def work(number):
            for n in range(20):
                db.conversation.append_message("s", "user", content=f"t{number} {n}")
                list(db.conversation.rows.get_messages(session_id="s", limit=5))
        same(in_threads(8, work), [])
        same((db.conversation.message_count(), len(db._handles)), ({"count": 163}, 1))


@test("a database in memory is one for all threads")
def _(place):
    with stele.open(":memory:") as db:
        db.conversation.create_session("s", "cli")
        same(in_threads(8, lambda number: [db.conversation.append_message("s", "user", content="x") for _ in range(20)]), [])
        same((db.conversation.message_count(), len(db._handles)), ({"count": 160}, 1))


@test("other threads run while a call waits in the library")
def _(place):
    with filled(place) as db:
        written = threading.Event()

        def write(number):
            db.conversation.append_message("s", "user", content="after")
            written.set()
        with db.transaction("conversation"):
            thread = threading.Thread(target=write, args=(1,))
            thread.start()  # it waits for the turn; this thread goes on, and ends the transaction
            for _ in range(100):
                db.conversation.message_count()
            same(written.is_set(), False)
        thread.join()
        same(written.is_set(), True)


@test("threads that call while it is closed are told so")
def _(place):
    db = filled(place)
    ready = threading.Barrier(5)

    def work(number):
        ready.wait()
        while True:
            db.conversation.message_count()
    closer = threading.Thread(target=lambda: (ready.wait(), db.close()))
    closer.start()
    problems = in_threads(4, work)
    closer.join()
    same([type(problem) for problem in problems], [stele.MisuseError] * 4)


# ---- Processes -----------------------------------------------------------------------------------

def child(function):
    """The exit status of a forked child that runs function(), 0 if it answers something true."""
    number = os.fork()
    if number == 0:
        try:
            os._exit(0 if function() else 3)
        except BaseException:
            os._exit(4)
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


@test("a child goes on with handles of its own, and the parent with its own")
def _(place):
    with filled(place) as db, stele.open(":memory:") as memory:
        memory.telemetry.create_session()
        rows = db.conversation.rows.get_messages(session_id="s")
        next(rows)

        def work():
            db.conversation.append_message("s", "user", content="child")
            raises(stele.MisuseError, memory.telemetry.create_session)
            return list(rows) == [] and in_threads(2, lambda number: db.conversation.message_count()) == []
        same(child(work), 0)
        same((len(list(rows)) >= 2, db.conversation.message_count()), (True, {"count": 4}))


@test("a child forked inside a transaction is not part of it")
def _(place):
    with filled(place) as db:
        with db.transaction("conversation"):
            db.conversation.append_message("s", "user", content="mine")
            same(child(lambda: db.conversation.message_count() == {"count": 3}), 0)
        same(db.conversation.message_count(), {"count": 4})


END = """
import stele, sys, threading
db = stele.open(sys.argv[1], queue=True, queue_flush=60)
db.telemetry.create_session()
db.telemetry.register_listener(app_key="a", instance_index=0, handler_method="h", topic="t", source_location="x")
for n in range(10):
    db.telemetry.record_invocation(listener_id=1, session_id=1, duration_ms=1.0, status="success")
rows = db.telemetry.rows.get_session_list()
next(rows)
transaction = db.transaction("conversation")
transaction.__enter__()
db.conversation.create_session("lost", "cli")
def forever():
    other = stele.open(sys.argv[1])
    while True:
        other.telemetry.check_health()
for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
"""


@test("the interpreter ends with open handles, streams, transactions and busy threads: what was queued is written")
def _(place):
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", END, place], env=interpreter.environment(), capture_output=True, text=True)
        same((done.returncode, done.stderr if done.returncode else ""), (0, ""))
    with stele.open(place) as db:
        same(len(db.telemetry.get_handler_invocations(listener_id=1, limit=100)), 30)
        same(db.conversation.get_session("lost"), None)


if __name__ == "__main__":
    main()
