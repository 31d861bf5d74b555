#!/usr/bin/env python3
"""stele.dbapi does what the sqlite3 module does: each case is run with both, and must give the same.  Prints TAP."""

import asyncio
import datetime
import os
import sqlite3
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from python.tap import main, raises, same, test  # noqa: E402

import stele  # noqa: E402
from stele import aiosqlite, dbapi  # noqa: E402


def outcome(function, module, place):
    path = os.path.join(place, f"{module.__name__}.db")
    connection = module.connect(path)
    try:
        return function(connection, module)
    except Exception as error:
        return type(error), str(error), getattr(error, "sqlite_errorname", None)
    finally:
        connection.close()


def alike(name):
    """A test of what both modules answer or raise."""
    def keep(function):
        @test(name)
        def _(place):
            theirs, ours = (outcome(function, module, place) for module in (sqlite3, dbapi))
            same(ours, theirs)
        return function
    return keep


@alike("statements, values, rows, transactions")
def _(c, m):
    c.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE, c)")
    seen = [c.in_transaction]
    cur = c.execute("INSERT INTO t (b, c) VALUES (?, ?)", ("x\0y", b"\0\1"))
    seen += [c.in_transaction, cur.lastrowid, cur.rowcount, c.total_changes, cur.description]
    cur = c.executemany("INSERT INTO t (b, c) VALUES (?, ?)", [("q", 1.5), ("w", None)])
    seen += [cur.rowcount, cur.lastrowid]
    c.commit()
    c.row_factory = m.Row
    rows = c.execute("SELECT * FROM t ORDER BY a").fetchall()
    seen += [tuple(row) for row in rows]
    seen += [rows[0]["B"], rows[0].keys(), len(rows[0]), dict(rows[1]), rows[0][-1], rows[0][1:], rows[0] == rows[0], list(rows[1])]
    with c:
        c.execute("DELETE FROM t WHERE a = 1")
    try:
        with c:
            c.execute("DELETE FROM t")
            raise KeyError
    except KeyError:
        seen.append(c.in_transaction)
    seen.append(c.execute("SELECT count(*) FROM t").fetchone()[0])
    c.executescript("CREATE TABLE u (x); INSERT INTO u VALUES (1); /* ; */ INSERT INTO u VALUES (2); -- end\n")
    seen.append([tuple(row) for row in c.execute("SELECT x FROM u WHERE x = :x", {"x": 2, "more": 1})])
    seen += [c.execute("SELECT x, 1 AS \"one two\" FROM u").description, c.execute("SELECT 1 WHERE 0").fetchone()]
    seen += [c.execute("INSERT INTO u VALUES (7) RETURNING x").fetchone()[0], c.execute("UPDATE u SET x = x + 1").rowcount]
    seen += [[tuple(r) for r in c.execute("SELECT x FROM u").fetchmany(2)], c.execute("WITH q AS (SELECT 1) SELECT * FROM q").fetchall()[0][0]]
    return seen


@alike("isolation levels")
def _(c, m):
    seen = []
    c.execute("CREATE TABLE t (a)")
    for level in ("", "DEFERRED", "IMMEDIATE", "EXCLUSIVE", None):
        c.isolation_level = level
        c.execute("INSERT INTO t VALUES (1)")
        seen.append(c.in_transaction)
        c.execute("CREATE TABLE IF NOT EXISTS u (b)")
        c.rollback()
        seen.append(c.execute("SELECT count(*) FROM t").fetchone())
    c.execute("BEGIN IMMEDIATE")
    c.execute("INSERT INTO t VALUES (1)")
    c.rollback()
    c.execute("BEGIN")
    c.executescript("INSERT INTO t VALUES (2)")  # ends the transaction first
    return seen, c.in_transaction, c.execute("SELECT count(*) FROM t").fetchone()


@alike("a cursor goes on while its table changes, and has the new columns the next time")
def _(c, m):
    c.executescript("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
    cur = c.cursor()
    cur.execute("SELECT * FROM t")
    first = cur.fetchone()
    c.commit()
    rest = cur.fetchall()
    c.execute("SELECT * FROM t").fetchall()
    c.execute("ALTER TABLE t RENAME COLUMN a TO z")
    c.execute("ALTER TABLE t ADD COLUMN b DEFAULT 7")
    cur = c.execute("SELECT * FROM t")
    return first, rest, cur.description, cur.fetchall(), cur.fetchone(), cur.fetchall()


# Each with a table t (a INTEGER PRIMARY KEY, b TEXT UNIQUE NOT NULL) that has one row, (1, 'x').
STATEMENTS = [
    ("SELECT ?", (1, 2)), ("SELECT ?", ()), ("SELECT ?", "a"), ("SELECT ?", 5), ("SELECT ?", {"a": 1}), ("SELECT :a", (1,)),
    ("SELECT :a", {}), ("SELECT :a", {"a": {}}), ("SELECT ?1, ?1", (1,)),
    ("SELECT ?", ([],)), ("SELECT ?", (2 ** 70,)), ("SELECT ?", ("\ud800",)), ("SELECT ?, ?", (True, float("nan"))),
    ("SELECT ?", [bytearray(b"x")]), ("SELECT ?, ?", (datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3))),
    *((sql, ()) for sql in (
        "SELECT 1; SELECT 2", "SELECT 1;  -- x", "/* c */ SELECT 1", "", "-- only", "SELEC", "SELECT * FROM nope", "SELECT nope FROM t",
        "SELECT 'a' = \"a\"", "SELECT '\0'", "SELECT X'', ''", "SELECT CAST(X'ff' AS TEXT)", 5, "BEGIN", "COMMIT", "ROLLBACK",
        "SELECT 9223372036854775807, -9223372036854775808, 1e308", "PRAGMA table_info(t)", "INSERT INTO t VALUES (2, 'x')",
        "INSERT INTO t VALUES (2, NULL)", "INSERT INTO t VALUES ('q', 'z')", "INSERT INTO t VALUES (9, 'w', 1)")),
]

for sql, params in STATEMENTS:
    @alike(f"{sql!r} with {params!r}"[:100].replace("#", ""))
    def _(c, m, sql=sql, params=params):
        c.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE NOT NULL)")
        c.execute("INSERT INTO t VALUES (1, 'x')")
        return c.execute(sql, params).fetchall()


@alike("a connection that is closed, a cursor that is closed")
def _(c, m):
    cur = c.execute("SELECT 1")
    cur.close()
    said = []
    for function in (lambda: cur.fetchone(), lambda: (c.close(), c.close(), c.execute("SELECT 1")), lambda: c.commit(), lambda: c.in_transaction):
        try:
            function()
        except Exception as error:
            said.append((type(error), str(error)))
    return said[:3]


@alike("executemany is for statements that change rows")
def _(c, m):
    c.executemany("SELECT 1", [])


@alike("another thread may not use it, unless that was said")
def _(c, m):
    said = []

    def use():
        try:
            c.execute("SELECT 1")
        except Exception as error:
            said.append((type(error), str(error).split("The object")[0]))
    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    return said


@alike("two connections: the second waits, then is told that the database is locked")
def _(c, m):
    path = c.execute("PRAGMA database_list").fetchone()[2]
    c.execute("CREATE TABLE t (a)")
    c.execute("INSERT INTO t VALUES (1)")
    other = m.connect(path, timeout=0.05)
    try:
        other.execute("INSERT INTO t VALUES (2)")
    except m.OperationalError as error:
        said = type(error), str(error), error.sqlite_errorname
    c.commit()
    other.execute("INSERT INTO t VALUES (2)")
    other.commit()
    other.close()
    return said, c.execute("SELECT count(*) FROM t").fetchone()


@alike("text factories and row factories")
def _(c, m):
    c.text_factory = bytes
    seen = [c.execute("SELECT 'é'").fetchone()]
    c.text_factory = lambda data: data.decode() + "!"
    seen.append(c.execute("SELECT 'é'").fetchone())
    c.row_factory = lambda cursor, row: {column[0]: value for column, value in zip(cursor.description, row)}
    return seen, c.execute("SELECT 1 AS a").fetchone(), c.cursor().execute("SELECT 2 AS b").fetchall()


@test("sqlite3.Row may be given as the row factory")
def _(place):
    c = dbapi.connect(":memory:")
    c.row_factory = sqlite3.Row
    same(c.execute("SELECT 1 AS a").fetchone()["a"], 1)
    raises(IndexError, c.execute("SELECT 1 AS a").fetchone().__getitem__, "b", says="No item with that key")
    same(c.execute("SELECT 1 AS a").fetchone() == (1,), False)


@test("files that are none, and places that are not there")
def _(place):
    with open(os.path.join(place, "bad.db"), "w") as file:
        file.write("no database " * 1000)
    raises(sqlite3.DatabaseError, dbapi.connect, os.path.join(place, "bad.db"), says="file is not a database")
    raises(sqlite3.OperationalError, dbapi.connect, os.path.join(place, "no", "where.db"), says="unable to open database file")
    raises(sqlite3.NotSupportedError, dbapi.connect, os.path.join(place, "a.db"), uri=True)


@test("methods of the library are part of the connection's transaction")
def _(place):
    c = dbapi.connect(os.path.join(place, "conversation.db"), isolation_level=None)
    c.call("conversation.create_session", session_id="a", source="cli")
    c.execute("BEGIN IMMEDIATE")
    c.call("conversation.create_session", session_id="b", source="cli")
    same(c.execute("SELECT count(*) FROM sessions").fetchone(), (2,))
    c.rollback()
    same((c.call("conversation.session_count"), c.in_transaction), ({"count": 1}, False))
    raises(stele.InvalidError, c.call, "conversation.session_count", colour="red")


@test("interrupt stops what another thread runs")
def _(place):
    c = dbapi.connect(":memory:", check_same_thread=False)
    timer = threading.Timer(0.05, c.interrupt)
    timer.start()
    error = raises(sqlite3.OperationalError, c.execute, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
                   says="interrupted")
    timer.join()
    same((error.sqlite_errorname, c.execute("SELECT 1").fetchone()), ("SQLITE_INTERRUPT", (1,)))


# ---- One library ---------------------------------------------------------------------------------

OPENED = []
sys.addaudithook(lambda event, args: OPENED.append(args) if event.startswith("sqlite3.connect") else None)


def descriptors(path):
    """How often this process has a file open."""
    links = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
    return sum(os.path.realpath(link) == os.path.realpath(path) for link in links if os.path.exists(link))


@test("no second library opens a store's file: neither through dbapi, nor through the drop-in for Hermes")
def _(place):
    from stele.compat.hermes import SessionDB
    OPENED.clear()
    path = os.path.join(place, "state.db")
    db = SessionDB(path)
    db.create_session("s", "cli")
    db.append_message("s", "user", "x")
    db.search_messages("x")
    db._parse_schema_columns("CREATE TABLE t (a)")
    same((OPENED, descriptors(path)), ([], 1))
    other = dbapi.connect(path)
    other.execute("SELECT count(*) FROM messages").fetchone()
    other.close()
    same((OPENED, descriptors(path)), ([], 2))  # closing it at once would cancel the first one's locks: SQLite waits
    sqlite3.connect(":memory:").close()
    same(len(OPENED) > 0, True)  # it would have been seen
    db.close()


@test("the package alone does not even load the sqlite3 module")
def _(place):
    import subprocess
    code = "import stele, sys; stele.open(':memory:').telemetry.create_session(); print('sqlite3' in sys.modules, 'libsqlite3' in open('/proc/self/maps').read())"
    same(subprocess.check_output([sys.executable, "-c", code], text=True, env=interpreter.environment()).split(), ["False", "False"])


# ---- aiosqlite -----------------------------------------------------------------------------------

@test("the same, awaited, as aiosqlite has it")
def _(place):
    async def use():
        path = os.path.join(place, "planner.db")
        db = await aiosqlite.connect(path, store="telemetry")
        db.row_factory = aiosqlite.Row
        await db.executescript("CREATE TABLE t (a INTEGER PRIMARY KEY, b UNIQUE)")
        cursor = await db.execute("INSERT INTO t (b) VALUES (?)", ("x",))
        same((cursor.lastrowid, cursor.rowcount, db.in_transaction, db.total_changes), (1, 1, True, 1))
        await db.commit()
        await db.executemany("INSERT INTO t (b) VALUES (?)", [("y",), ("z",)])
        await db.rollback()
        async with db.execute("SELECT * FROM t") as cursor:
            same(([row["b"] async for row in cursor], [column[0] for column in cursor.description]), (["x"], ["a", "b"]))
        same(await (await db.execute("SELECT 1 WHERE 0")).fetchone(), None)
        same(([tuple(row) for row in await db.execute_fetchall("SELECT a FROM t")], await db.execute_insert("INSERT INTO t (b) VALUES (2)")),
             ([(1,)], (2,)))
        try:
            await db.execute("INSERT INTO t (b) VALUES ('x')")
            raise AssertionError("a second x")
        except aiosqlite.IntegrityError as error:
            same(str(error), "UNIQUE constraint failed: t.b")
        async with db.cursor() as cursor:
            await cursor.execute("SELECT 5")
            same(tuple(await cursor.fetchone()), (5,))
        await db.close()
        await db.close()
        try:
            await db.execute("SELECT 1")
            raise AssertionError("a closed connection was used")
        except ValueError as error:
            same(str(error), "no active connection")
        async with aiosqlite.connect(path, store="telemetry") as db:
            same((await (await db.execute("SELECT count(*) FROM t")).fetchall())[0][0], 1)
    asyncio.run(use())


if __name__ == "__main__":
    main()
