#!/usr/bin/env python3
"""stele check: what is wrong with what the stores hold is told, and the exit status says so; nothing is changed.  Prints TAP."""

import contextlib
import json
import os
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from capture_store import versions  # noqa: E402
from place import Database, Place, digest, has, main, postgres_test, same, test  # noqa: E402


def filled(place, *words):
    place.call("conversation.create_session", {"session_id": "s", "source": "cli"}, *words).reply()
    for n in range(30):
        place.call("conversation.append_message", {"session_id": "s", "role": "user", "content": f"{n} " + "word " * 100}, *words).reply()
    return os.path.join(place.home, "conversation.db")


def check(place, *words):
    """The exit status, and the lines by their names."""
    done = place.run("check", "--json", *words)
    lines = json.loads(done.out)
    return done.status, {line["check"]: line for line in lines}


def overwrite(path, root, data):
    db = sqlite3.connect(path)
    page = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [root]).fetchone()[0]
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    with open(path, "r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(data)


@test("a store that is well: every line is ok, the rows are counted, and nothing is made")
def _():
    with Place() as place:
        same(check(place, "conversation"), (0, check(place, "conversation")[1]))
        same(os.path.exists(place.home), False)
        filled(place)
        before = digest(os.path.join(place.home, "conversation.db"))
        status, lines = check(place, "conversation")
        same((status, {line["state"] for line in lines.values()} <= {"ok", "warn"}), (0, True))
        has(lines["rows"]["summary"], "messages 30", "sessions 1")
        has(lines["integrity"]["summary"], "every page, row and index")
        has(check(place, "conversation", "--quick")[1]["integrity"]["summary"], "structure")
        same(digest(os.path.join(place.home, "conversation.db")), before)
        shown = place.run("check", "conversation")
        same(shown.status, 0)
        has(shown.out, "conversation.integrity", "conversation.rows")


@test("a damaged page of a table, and one of an index")
def _():
    for name in ("messages", "idx_messages_session"):
        with Place() as place:
            path = filled(place)
            db = sqlite3.connect(path)
            names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE tbl_name = 'messages' AND rootpage > 0")]
            db.close()
            root = name if name in names else next(one for one in names if one != "messages")
            overwrite(path, root, b"\xA5" * 4096)
            status, lines = check(place, "conversation")
            same((status, lines["integrity"]["state"]), (1, "fail"))
            has(lines["integrity"]["fix"], "stele restore conversation", "--salvage")
            has(place.run("check", "conversation").err, "stele check --explain")


@test("a damaged definition: calls that need it say so, and what to do; others work on")
def _():
    with Place() as place:
        with contextlib.closing(sqlite3.connect(filled(place))) as db:
            db.execute("PRAGMA writable_schema = ON")
            db.execute("UPDATE sqlite_schema SET sql = replace(sql, 'tool_name', 'tool_nbme') WHERE name = 'messages'")
            db.commit()
        for method, more in (("get_messages", {}), ("append_message", {"role": "user", "content": "c"})):
            error = place.call(f"conversation.{method}", {"session_id": "s", **more}, "--json").error(1, "CORRUPT")
            has(error["message"], "the definitions in the file are damaged", "tool_name")
            has(error["hint"], "stele check", "stele repair --salvage")
        same(place.call("conversation.get_session", {"session_id": "s"}).reply()["id"], "s")


@test("the header of a file")
def _():
    with Place() as place:
        path = filled(place)
        with open(path, "r+b") as file:
            file.write(b"\0" * 100)
        status, lines = check(place, "conversation")
        same((status, {line["state"] for line in lines.values()} & {"fail"}), (1, {"fail"}))


@test("rows without a parent, and a full-text table that does not agree")
def _():
    with Place() as place:
        os.makedirs(place.home, mode=0o700)
        path = os.path.join(place.home, "capture.db")
        versions.make(path, 18)
        with versions.opened(path) as db:
            versions.orphan(db)
        status, lines = check(place, "capture")
        same((status, lines["references"]["state"]), (0, "warn"))
        has(lines["references"]["summary"], "3 rows")
        db = sqlite3.connect(path)
        db.execute("DELETE FROM knowledge_fts_data WHERE id > 10")
        db.commit()
        db.close()
        status, lines = check(place, "capture")
        same((status, lines["fts"]["state"]), (1, "fail"))


@postgres_test("PostgreSQL: the rows are counted, and amcheck is used where it is")
def _():
    with Place() as place, Database() as database:
        words = ["--database", database.url]
        filled(place, *words)
        status, lines = check(place, "conversation", *words)
        same((status, lines["integrity"]["state"], lines["references"]["state"]), (0, "ok", "ok"))
        has(lines["rows"]["summary"], "messages 30")
        same("amcheck" in lines["integrity"]["summary"], True)


@postgres_test("PostgreSQL: an index that does not agree with its table, a rule that was never checked, a role that may not ask")
def _():
    with Place() as place, Database() as database:
        if not database.run("SELECT 1 FROM pg_available_extensions WHERE name = 'amcheck'"):
            return
        words, role = ["--database", database.url], f"check_{os.getpid()}"
        filled(place, *words)
        table = database.run("SELECT quote_ident(schemaname) || '.messages' FROM pg_tables WHERE tablename = 'messages'")
        database.run("CREATE EXTENSION amcheck", f"CREATE ROLE {role}")
        try:
            status, lines = check(place, "conversation", *words)
            same((status, lines["integrity"]["state"]), (0, "ok"))
            has(lines["integrity"]["summary"], "indexes agree with their tables")
            schema = table.partition(".")[0]
            database.run(f"GRANT USAGE ON SCHEMA {schema} TO {role}", f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}")
            less = ["--database", database.url + ("&" if "?" in database.url else "?") + f"options=-crole%3D{role}"]
            line = check(place, "conversation", *less)[1]["integrity"]
            same(line["state"], "warn")
            has(line["fix"], "GRANT EXECUTE ON FUNCTION bt_index_check")
            database.run("CREATE FUNCTION public.turned(bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT $1'",
                         f"CREATE INDEX turned ON {table} (public.turned(id))",
                         "CREATE OR REPLACE FUNCTION public.turned(bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT -$1'",
                         f"ALTER TABLE {table} ADD CONSTRAINT later CHECK (id > 0) NOT VALID")
            status, lines = check(place, "conversation", *words)
            same((status, lines["integrity"]["state"], lines["references"]["state"]), (1, "fail", "warn"))
            has(lines["integrity"]["fix"], "REINDEX")
            has(lines["references"]["fix"], "VALIDATE CONSTRAINT")
        finally:
            database.run(f"DROP OWNED BY {role}", f"DROP ROLE {role}")


@test("tables with odd and long names are counted, too")
def _():
    with Place() as place:
        path = filled(place)
        words = check(place, "conversation")[1]["rows"]["summary"].split()  # 40 rows in 9 tables
        before = int(words[0]), int(words[3])
        db = sqlite3.connect(path)
        for name in ('an ""odd"" one', "x" * 380, "y" * 500):
            db.execute(f'CREATE TABLE "{name}" (t)')
            db.execute(f'INSERT INTO "{name}" VALUES (1)')
        db.commit()
        db.close()
        status, lines = check(place, "conversation")
        same((status, lines["rows"]["state"]), (0, "ok"))
        has(lines["rows"]["summary"], 'an "odd" one 1')
        rows, tables = int(lines["rows"]["summary"].split()[0]), int(lines["rows"]["summary"].split()[3])
        same((rows - before[0], tables - before[1]), (3, 3))


if __name__ == "__main__":
    sys.exit(main())
