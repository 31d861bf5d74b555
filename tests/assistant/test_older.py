#!/usr/bin/env python3
"""Stores of earlier releases are completed: every table, column and index is there afterwards, and every row.
Prints TAP."""

import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from assistant import older  # noqa: E402
from place import BIN, Database, Place, digest, has, main, postgres_test, same, test  # noqa: E402


def in_home(place, tables=older.FIRST):
    os.makedirs(place.home, exist_ok=True)
    path = os.path.join(place.home, "assistant.db")
    older.make(path, tables)
    return path


def fresh(place):
    """What a store that was made today is."""
    path = place.at("fresh.db")
    place.call("assistant.get_notes", {}, "--store", f"assistant={path}").reply()
    return older.definitions(path)


def check_whole(path, wanted, tables):
    same(older.definitions(path), wanted)
    with older.opened(path) as db:
        for table, count in older.COUNTS.items():
            same((table, *db.execute(f"SELECT count(*) FROM {table}").fetchone()), (table, count))
        for sql, rows in {**older.ADDED, **(older.ADDED_LATER if tables is older.LATER else {})}.items():
            same((sql, db.execute(sql).fetchall()), (sql, rows))


def resting(path):
    """The file as it is when nobody has it open."""
    with older.opened(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return digest(path)


for name, tables in (("the first release", older.FIRST), ("a later release", older.LATER)):
    @test(f"a file of {name} in the home is completed when it is opened; a second time changes nothing")
    def _(tables=tables):
        with Place() as place:
            path = in_home(place, tables)
            same(place.call("assistant.get_notes").reply()[0]["content"], "Grüße 你好")
            check_whole(path, fresh(place), tables)
            [backup] = glob.glob(f"{path}.v1.*.backup")
            same(("table", "user_facts") in older.definitions(backup), False)
            before = resting(path)
            place.call("assistant.get_notes").reply()
            same(resting(path), before)
            same(len(glob.glob(f"{path}.*.backup")), 1)

    @test(f"a file of {name} elsewhere is refused with advice and stays as it is; asked, it is completed")
    def _(tables=tables):
        with Place() as place:
            path = place.at("kwasi.db")
            older.make(path, tables)
            wanted, before, words = fresh(place), digest(path), ["--json", "--store", f"assistant={path}"]
            error = place.call("assistant.get_notes", {}, *words).error(1, "FORMAT")
            has(error["message"], "is an older assistant store: it has no ")
            has(error["hint"], "stele migrate", "--migrate")
            [row] = [row for row in place.run("status", *words).reply() if row["store"] == "assistant"]
            same((row["state"], row["version"]), ("old", 1))
            same(digest(path), before)
            same(place.run("migrate", "assistant", *words).reply(), [{"store": "assistant", "before": 1, "after": 1}])
            check_whole(path, wanted, tables)
            same(len(glob.glob(f"{path}.v1.*.backup")), 1)
            same(len(place.call("assistant.get_notes", {}, *words).reply()), 1)


@test("a file that lacks only an index is completed too")
def _():
    with Place() as place:
        path = place.at("kwasi.db")
        words = ["--json", "--store", f"assistant={path}"]
        wanted = fresh(place)
        place.call("assistant.get_notes", {}, *words).reply()
        with older.opened(path) as db:
            db.execute("DROP INDEX idx_news_topics_topic")
        has(place.call("assistant.get_notes", {}, *words).error(1, "FORMAT")["message"], "idx_news_topics_topic")
        place.call("assistant.get_notes", {}, "--migrate", *words).reply()
        same(older.definitions(path), wanted)


@test("an incomplete file is not opened for reading only")
def _():
    with Place() as place:
        path = in_home(place)
        before = digest(path)
        error = place.call("assistant.get_notes", {}, "--json", "--readonly").error(1, "FORMAT")
        has(error["message"], "is an older assistant store")
        has(error["hint"], "reading only", "stele migrate")
        same(digest(path), before)


@test("a file of another program is refused, in the home too, and asked to be migrated")
def _():
    for tables, why in (("CREATE TABLE notes (id TEXT PRIMARY KEY, body TEXT)", "it has no column notes."),
                        ("CREATE TABLE notes (id TEXT PRIMARY KEY, title TEXT, content TEXT, created_at TEXT); "
                         "CREATE TABLE songs (id INTEGER)", "it has 1 of the tables"),
                        ("CREATE TABLE songs (id INTEGER)", "it has 0 of the tables")):
        with Place() as place:
            path = in_home(place, tables)
            before = digest(path)
            for words in ([], ["--migrate"]):
                has(place.call("assistant.get_notes", {}, "--json", *words).error(1, "FORMAT")["message"], why)
            same(digest(path), before)


def crowd(place, *words):
    """Several processes at once, each of which finds the note."""
    started = [subprocess.Popen([BIN, "call", "assistant.get_notes", *words], env=place.environment({}),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)]
    for one in started:
        out, err = one.communicate()
        same((one.returncode, err), (0, b""))
        has(out.decode(), "你好")


@test("several processes complete a file once")
def _():
    with Place() as place:
        path = in_home(place)
        wanted = fresh(place)
        crowd(place)
        check_whole(path, wanted, older.FIRST)
        same(len(glob.glob(f"{path}.*.backup")), 1)


# ---- PostgreSQL ---------------------------------------------------------------------------

# Which transactions have written the catalogue.
WRITTEN = "SELECT string_agg(relname || xmin::text, ' ' ORDER BY oid) FROM pg_class WHERE relnamespace = 'kwasi'::regnamespace"


def columns(url, schema):
    """Every column with its type and default, and every index; a column's place in its table does not matter."""
    return (older.psql(url, "SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name "
                            f"FROM information_schema.columns WHERE table_schema = '{schema}' ORDER BY 1, 2"),
            older.psql(url, f"SELECT replace(indexdef, '{schema}.', '') FROM pg_indexes WHERE schemaname = '{schema}' ORDER BY 1"))


@postgres_test("PostgreSQL: a schema that the program made is refused with advice; asked, it is completed, once")
def _():
    for tables in (older.FIRST, older.LATER):
        with Place() as place, Database() as database:
            older.make_postgres(database.url, "kwasi", tables)
            words = ["--json", "--store", f"assistant={database.schema('kwasi')}"]
            place.call("assistant.get_notes", {}, "--store", f"assistant={database.schema('fresh')}").reply()
            before = columns(database.url, "kwasi")
            error = place.call("assistant.get_notes", {}, *words).error(1, "FORMAT")
            has(error["message"], "is an older assistant store: it has no ")
            has(error["hint"], "--migrate")
            same(columns(database.url, "kwasi"), before)
            same(place.call("assistant.get_notes", {}, "--migrate", *words).reply()[0]["content"], "Grüße 你好")
            after, wanted = columns(database.url, "kwasi"), columns(database.url, "fresh")
            # The program's own columns keep its collation.
            same([line.rsplit("|", 1)[0] for line in after[0]], [line.rsplit("|", 1)[0] for line in wanted[0]])
            same(after[1], wanted[1])
            same(older.psql(database.url, "SELECT notified, title FROM kwasi.tasks ORDER BY id"), ["f|Buy tea", "f|Pour it"])
            same(older.psql(database.url, "SELECT channel FROM kwasi.reminders"), ["telegram"])
            written = older.psql(database.url, WRITTEN)
            place.call("assistant.get_notes", {}, "--migrate", *words).reply()
            same(older.psql(database.url, WRITTEN), written)


@postgres_test("PostgreSQL: several processes complete a schema once")
def _():
    with Place() as place, Database() as database:
        older.make_postgres(database.url, "kwasi")
        crowd(place, "--migrate", "--store", f"assistant={database.schema('kwasi')}")
        same(older.psql(database.url, "SELECT key, value FROM kwasi.stele_meta ORDER BY key"), ["store|assistant", "version|1"])
        same(older.psql(database.url, "SELECT count(*) FROM kwasi.tasks"), ["2"])


@postgres_test("PostgreSQL: a schema of another program is refused, whatever is asked")
def _():
    with Place() as place, Database() as database:
        older.make_postgres(database.url, "other", "CREATE TABLE notes (id TEXT PRIMARY KEY, body TEXT)")
        for words in ([], ["--migrate"]):
            error = place.call("assistant.get_notes", {}, "--json", *words, "--store", f"assistant={database.schema('other')}")
            has(error.error(1, "FORMAT")["message"], "is not a assistant store: it has no column notes.")


if __name__ == "__main__":
    sys.exit(main())
