#!/usr/bin/env python3
"""The search index is derived: whatever becomes of its file, every message is found, and nothing that is written
ever fails because of it.  Prints TAP."""

import contextlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from conversation import original, test_search  # noqa: E402
from method import doors  # noqa: E402
from place import Place, has, main, same, test  # noqa: E402


class Home:
    """A store with a few hundred messages, indexed, with a needle early and a needle late."""

    def __init__(self, place):
        self.place = place
        self.path = os.path.join(place.home, "conversation.db")
        self.index = os.path.join(place.home, "conversation.index.db")
        with doors.Player() as player:
            store = test_search.Store({"home": place.home}, player)
            self.needles = [store.append("a needle")]
            test_search.corpus(store, 600, random.Random(7))
            self.needles.append(store.append("a late needle"))
            store.call("index_messages")
        same(os.path.exists(self.index), True)

    def append(self):
        """Writing does not meet the index."""
        done = self.place.call("conversation.append_message", {"session_id": "s1", "role": "user", "content": "one more needle"})
        self.needles.append(done.reply()["id"])

    def search(self):
        done = self.place.call("conversation.search_messages", {"query": "needle", "sort": "oldest"})
        same(done.status, 0)
        same([hit["id"] for hit in json.loads(done.out)], self.needles)
        return done.err

    def check(self, told=None):
        """What a damaged index is told to be, once; then it is as good as new."""
        self.append()
        note = self.search()
        if told:
            has(note, told)
        same(self.search(), "")
        self.append()
        same(self.search(), "")
        with original.connect(self.index) as db:
            same(db.execute("PRAGMA integrity_check").fetchone(), ("ok",))


def overwrite(path, at, data):
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(data)


def damaged(name, told="damaged"):
    """A test that does something to the closed index file."""
    def keep(function):
        @test(name)
        def _():
            with Place() as place:
                home = Home(place)
                function(home)
                home.check(told)
    return keep


@damaged("the index is deleted", None)
def _(home):
    os.remove(home.index)


@damaged("the index is empty", None)
def _(home):
    os.truncate(home.index, 0)


@damaged("the index is something else")
def _(home):
    with open(home.index, "wb") as file:
        file.write(random.Random(1).randbytes(100000))


@damaged("the index is a text")
def _(home):
    with open(home.index, "w", encoding="utf-8") as file:
        file.write("hello\n")


@damaged("the index begins well and ends too soon")
def _(home):
    os.truncate(home.index, os.path.getsize(home.index) // 2 // 4096 * 4096)


@damaged("the index is cut inside of a page")
def _(home):
    os.truncate(home.index, 4096 * 3 + 100)


@damaged("the first page is overwritten")
def _(home):
    overwrite(home.index, 0, b"\xAA" * 4096)


@damaged("all pages but the first are overwritten")
def _(home):
    size = os.path.getsize(home.index)
    overwrite(home.index, 4096, random.Random(2).randbytes(size - 4096))


# Garbage that FTS5 recognizes as such: it has no checksums, and takes one page in twenty of random bytes for an empty one.
SPOIL = """
import contextlib, sqlite3, sys
with contextlib.closing(sqlite3.connect(sys.argv[1])) as db, db:
    db.create_function("garbage", 1, lambda length: b"\\xff" * length)
    db.execute("UPDATE stele_text_data SET block = garbage(length(block)) WHERE id > 10")
"""


def spoil(path):
    """In another process."""
    same(subprocess.run([sys.executable, "-c", SPOIL, path], check=False).returncode, 0)


@damaged("the words of the index are garbage")
def _(home):
    spoil(home.index)


@damaged("the rows of the index are garbage")
def _(home):
    with sqlite3.connect(home.index) as db:
        db.execute("UPDATE stele_lengths SET data = x'00'")


@damaged("the numbers of rows are beyond any row")
def _(home):
    with sqlite3.connect(home.index) as db:
        db.execute("UPDATE stele_kinds SET block = 2000000000")


@test("numbers of names are beyond any name")
def _():
    for number in (-1, 0, 2**32 - 1, 2**40):
        with Place() as place:
            home = Home(place)
            with contextlib.closing(sqlite3.connect(home.index)) as db, db:
                db.execute("UPDATE stele_roles SET number = ? WHERE name = 'user'", [number])
            done = place.call("conversation.search_messages", {"query": "needle", "sort": "oldest", "role_filter": ["user"]})
            same((done.status, [hit["id"] for hit in json.loads(done.out)]), (0, home.needles))
            has(done.err, "damaged")
            home.check()


@damaged("a table of the index is missing")
def _(home):
    with sqlite3.connect(home.index) as db:
        db.execute("DROP TABLE stele_kinds")


@damaged("a shadow of a table is missing")
def _(home):
    with sqlite3.connect(home.index) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("DELETE FROM sqlite_master WHERE name = 'stele_text_config'")


@damaged("the index is of an older format", "another version")
def _(home):
    with sqlite3.connect(home.index) as db:
        db.execute("UPDATE stele_index SET value = '1 1 14.0.0' WHERE key = 'format'")


@damaged("the index is a database of other tables", "another version")
def _(home):
    os.remove(home.index)
    with sqlite3.connect(home.index) as db:
        db.execute("CREATE TABLE stele_text (content)")


@damaged("the log of the index is garbage", None)
def _(home):
    with open(home.index + "-wal", "wb") as file:
        file.write(random.Random(3).randbytes(50000))


@test("an older copy of the store is put back: the index that knows more is made anew")
def _():
    with Place() as place:
        home = Home(place)
        [backup] = place.run("backup", "--json").reply()[:1]
        for _ in range(3):
            home.append()
        home.search()
        with doors.Player() as player:
            store = test_search.Store({"home": place.home}, player)
            store.call("index_messages")
        shutil.copy(backup["path"], home.path)
        for suffix in ("-wal", "-shm"):
            if os.path.exists(home.path + suffix):
                os.remove(home.path + suffix)
        home.needles = home.needles[:2]
        home.check("another store")


@test("the store is made anew beside an index that was left")
def _():
    with Place() as place:
        home = Home(place)
        for name in os.listdir(place.home):
            if "index" not in name:
                os.remove(os.path.join(place.home, name))
        place.call("conversation.create_session", {"session_id": "s1", "source": "cli"})
        home.needles = []
        home.check(None)


@test("the index is deleted, damaged and replaced under processes that have it open")
def _():
    with Place() as place:
        home = Home(place)
        with doors.Player() as one, doors.Player() as other:
            stores = [test_search.Store({"home": place.home}, player) for player in (one, other)]

            def check():
                for store in stores:
                    home.needles.append(store.append("needle"))
                    same(sorted(store.ids("needle")), home.needles)
                for store in stores:
                    same(sorted(store.ids("needle")), home.needles)

            check()
            os.remove(home.index)
            check()
            same(os.path.exists(home.index), True)
            stores[0].call("index_messages", rebuild=True)
            check()
            home.search()
            for suffix in ("", "-wal", "-shm"):
                if os.path.exists(home.index + suffix):
                    os.remove(home.index + suffix)
            check()
            place.run("reindex", "--rebuild")
            check()
            stores[1].call("index_messages")
            check()
        home.search()


@test("an index whose place is taken makes a search fail, and nothing else")
def _():
    with Place() as place:
        home = Home(place)
        os.remove(home.index)
        os.mkdir(home.index)
        home.append()
        place.call("conversation.search_messages", {"query": "needle"}, "--json").error(1, "IO")
        place.run("sessions", "--json").reply()
        os.rmdir(home.index)
        home.search()


@test("appends go on while the index is damaged again and again")
def _():
    with Place() as place:
        home = Home(place)
        with doors.Player() as writer, doors.Player() as reader:
            stores = [test_search.Store({"home": place.home}, player) for player in (writer, reader)]
            rng = random.Random(9)
            for number in range(20):
                home.needles.append(stores[0].append("needle"))
                if number % 4 == 1:
                    spoil(home.index)
                if number % 4 == 3:
                    test_search.corpus(stores[0], 300, rng)  # more than a search would read one by one
                same(sorted(stores[1].ids("needle")), home.needles)


if __name__ == "__main__":
    sys.exit(main())
