#!/usr/bin/env python3
"""stele copy between stores that do not fit each other: what it refuses and how it says so, rows that the target cannot keep, tables
that others have made, long pages, and being stopped.  Prints TAP."""

import contextlib
import json
import os
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from capture_store import versions  # noqa: E402
from method import doors  # noqa: E402
from place import Database, Place, has, main, postgres_test, same, test  # noqa: E402

FACT = {"content": "a", "source": "s"}


def sqlite(path, sql, *rows):
    """What another program does to a file."""
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        if rows:
            db.executemany(sql, rows)
        else:
            db.executescript(sql)


def psql(url, sql):
    subprocess.run(["psql", "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "-c", f"SET search_path TO planner; {sql}", url], check=True,
                   stdout=subprocess.DEVNULL)


@contextlib.contextmanager
def planners():
    """A place with a fact, another home with an empty store, and the files of both."""
    with Place() as place:
        place.call("planner.save_fact", FACT).reply()
        place.call("planner.get_facts", {}, "--home", place.at("other")).reply()
        yield place, place.at("home", "planner.db"), place.at("other", "planner.db")


def refused(place, code, message, hint="", store="planner"):
    error = place.run("copy", place.at("other"), store, "--json").error(2 if code == "INVALID" else 1, code)
    has(error["message"], message)
    has(error["hint"] or "", hint)


@test("a source that is not of the present version, or no store at all, is refused")
def _():
    with Place() as place:
        file = place.at("home", "capture.db")
        place.call("capture.get_events").reply()
        for version, hint in ((versions.LATEST + 1, ""), (versions.LATEST - 1, "stele migrate capture")):
            sqlite(file, f"PRAGMA user_version = {version}")
            refused(place, code="FORMAT", store="capture", hint=hint,
                    message=f"capture is of version {version}, and copies are of version {versions.LATEST}")
        sqlite(file, "PRAGMA user_version = 0; DROP TABLE source_health")
        refused(place, code="FORMAT", store="capture", message="capture cannot be copied")
        with open(file, "r+b") as damaged:
            damaged.write(b"no database" * 100)
        refused(place, code="CORRUPT", store="capture", message="capture cannot be copied")


@test("tables of others: one that the target has not stays where it is, one with another key or none is refused")
def _():
    with planners() as (place, file, other):
        sqlite(file, "CREATE TABLE theirs (id INTEGER PRIMARY KEY, v TEXT)")
        done = place.run("copy", place.at("third"), "planner", "--json").reply()
        same([row["state"] for row in done if row["table"] == "theirs"], ["foreign"])
        sqlite(other, "CREATE TABLE theirs (id INTEGER, v TEXT PRIMARY KEY)")
        refused(place, code="FORMAT", message="planner.theirs cannot be copied: its key is another one in the target: column v")
        sqlite(other, "DROP TABLE theirs; CREATE TABLE theirs (id INTEGER PRIMARY KEY)")
        refused(place, code="FORMAT", message="planner.theirs cannot be copied: the target's has no column v")
        for each in (file, other):
            sqlite(each, "DROP TABLE theirs; CREATE TABLE theirs (id INTEGER, v TEXT)")
        refused(place, code="FORMAT", message="planner.theirs cannot be copied: it has no key")


@test("a copy that is not finished is not continued from another source")
def _():
    with planners() as (place, _, other):
        sqlite(other, "CREATE TABLE stele_copying (what TEXT NOT NULL, value TEXT NOT NULL); INSERT INTO stele_copying VALUES ('source', 'sqlite /x')")
        refused(place, code="INVALID", message="a copy of another source (sqlite /x) into planner is not finished")


@test("a store in memory and a transaction have nothing that another connection could read")
def _():
    with Place() as place, doors.Player() as player:
        to = json.dumps({"to": place.at("other"), "store": "planner"})
        player.open({"home": ":memory:"})
        player.must("call", "planner.save_fact", json.dumps(FACT))
        word, reply = player.call("stele.copy", to)
        same((word, reply["code"]), ("error", "INVALID"))
        has(reply["message"], "planner has no place that another connection could read")
        player.close()
        player.open({"home": place.home})
        player.must("begin", "planner")
        word, reply = player.call("stele.copy", to)
        same((word, reply["code"]), ("error", "MISUSE"))
        player.must("rollback")
        player.close()


@test("a column that has another name in the source is found")
def _():
    with Place() as place:
        session, listener = place.listener()
        place.call("telemetry.record_invocation", {"listener_id": listener, "session_id": session, "duration_ms": 1, "status": "success",
                                                   "execution_start_dtme": 5.5}).reply()
        for table in ("handler_invocations", "job_executions"):
            sqlite(place.at("home", "telemetry.db"), f"ALTER TABLE {table} RENAME COLUMN execution_start_dtme TO execution_start_ts")
        place.run("copy", place.at("other"), "telemetry", "--json").reply()
        with contextlib.closing(sqlite3.connect(place.at("other", "telemetry.db"))) as db:
            same(db.execute("SELECT execution_start_dtme FROM handler_invocations").fetchall(), [(5.5,)])


@test("pages end where rows are long, and the target may have more rows than a page")
def _():
    with planners() as (place, file, other):
        keyed = "CREATE TABLE theirs (\"a \"\"b\" TEXT, n INTEGER, v BLOB, PRIMARY KEY (\"a \"\"b\", n))"
        for each in (file, other):
            sqlite(each, keyed)
        sqlite(file, "INSERT INTO theirs VALUES (?, ?, ?)", *(["x", n, bytes(3_000_000)] for n in range(4)))
        done = place.run("copy", place.at("other"), "planner", "--json").reply()
        same([row["written"] for row in done if row["table"] == "theirs"], [4])
        sqlite(other, "INSERT INTO theirs VALUES (?, ?, ?)", *(["more", n, None] for n in range(2500)))
        done = place.run("copy", place.at("other"), "planner", "--again", "--json").reply()
        same([row["written"] for row in done if row["table"] == "theirs"], [2500])
        with contextlib.closing(sqlite3.connect(other)) as db:
            same(db.execute("SELECT count(*), sum(length(v)) FROM theirs").fetchall(), [(4, 12_000_000)])


# What a row is named by, for each kind of key.
KEYS = [("TEXT", "varchar(20)", "it's", "it's"), ("REAL", "double precision", 0.5, "0.5"), ("BLOB", "bytea", b"\0", "(bytes)"),
        ("INTEGER", "bigint", 7, "7")]


@postgres_test("rows that cannot be kept are named by their keys, whatever these are, and only the first twenty")
def _():
    with Place() as place, Database() as database:
        file = place.at("home", "planner.db")
        place.call("planner.save_fact", FACT).reply()
        place.call("planner.get_facts", env={"STELE_DATABASE_URL": database.url}).reply()
        for n, (kind, other, key, _) in enumerate(KEYS):
            sqlite(file, f"CREATE TABLE theirs{n} (k {kind}, n INTEGER, v TEXT, PRIMARY KEY (k, n))")
            sqlite(file, f"INSERT INTO theirs{n} VALUES (?, ?, ?)", [key, 1, "a\0b"], [key, 2, "good"])
            psql(database.url, f"CREATE TABLE theirs{n} (k {other}, n bigint, v text, PRIMARY KEY (k, n))")
        sqlite(file, "CREATE TABLE zebras (id INTEGER PRIMARY KEY, v TEXT)")
        sqlite(file, "INSERT INTO zebras VALUES (?, ?)", *([n, "a\0b"] for n in range(30)))
        psql(database.url, "CREATE TABLE zebras (id bigint PRIMARY KEY, v text)")
        done = place.run("copy", database.url, "planner")
        has(done.err, *(f"planner.theirs{n} {name}, 1: text with a NUL" for n, (_, _, _, name) in enumerate(KEYS)), "34 rows of planner")
        same(done.err.count("text with a NUL"), 20)
        done = json.loads(place.run("copy", database.url, "planner", "--leave-out", "--json", "--quiet").out)
        same([(row["rows"], row["left_out"]) for row in done if row["table"].startswith("theirs")], [(2, 1)] * len(KEYS))


@postgres_test("a target in which rows change as they are written is given up, and nothing is lost")
def _():
    with Place() as place, Database() as database:
        place.call("planner.save_fact", FACT).reply()
        place.call("planner.get_facts", env={"STELE_DATABASE_URL": database.url}).reply()
        psql(database.url, "CREATE FUNCTION changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.content := NEW.content || 'x'; "
                           "RETURN NEW; END $$; CREATE TRIGGER changes BEFORE INSERT ON facts FOR EACH ROW EXECUTE FUNCTION changed()")
        error = place.run("copy", database.url, "planner", "--json").error(1, "BUSY")
        has(error["message"], "others keep writing to planner")
        psql(database.url, "DROP TRIGGER changes ON facts")
        place.run("copy", database.url, "planner", "--json").reply()
        [fact] = place.call("planner.get_facts", env={"STELE_DATABASE_URL": database.url}).reply()
        same(fact["content"], "a")


if __name__ == "__main__":
    sys.exit(main())
