#!/usr/bin/env python3
"""The index of documents is derived: whatever becomes of its file, or of the store under it, everything that is there is
found and nothing else; and nothing that is written ever fails because of it.  Prints TAP."""

import contextlib
import os
import shutil
import signal
import sqlite3
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from documents.finder import Home, uuid  # noqa: E402
from method import doors  # noqa: E402
from place import has, main, same, test  # noqa: E402

ROWS = 300


class Notes:
    """A store of notes, indexed, in a directory of its own."""

    def __enter__(self):
        self.engine = doors.Sqlite().__enter__()
        self.place = self.engine.new()
        self.file = os.path.join(self.place["home"], "assistant.db")
        self.index = os.path.join(self.place["home"], "assistant.index.db")
        with Home(self.place) as home:
            for number in range(ROWS):
                self.save(home, number, f"tea number{number}")
            same(len(home.found("assistant", "tea")), ROWS)
        same(os.path.exists(self.index), True)
        return self

    def __exit__(self, *about):
        self.engine.__exit__(*about)

    def save(self, home, number, content):
        home.call("assistant.save_note", id=uuid(number), title="t", content=content)

    def copy(self, name):
        """The store as it is now, in one file."""
        with contextlib.closing(sqlite3.connect(self.file)) as db:
            db.execute("VACUUM INTO ?", (name,))

    def put_back(self, name):
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(self.file + suffix):
                os.remove(self.file + suffix)
        shutil.copy(name, self.file)

    def sql(self, path, *statements):
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.create_function("ones", 1, lambda length: b"\xFF" * length)
            for statement in statements:
                db.execute(statement)
            db.commit()


def damaged(name, told="made anew"):
    def keep(damage):
        def run():
            with Notes() as notes:
                damage(notes)
                with Home(notes.place) as home:
                    notes.save(home, ROWS, "tea at last")
                    same(len(home.found("assistant", "tea")), ROWS + 1)
                    if told:
                        has(home.notes(), told)
                    same(home.found("assistant", "number7"), [("note", uuid(7))])
                    same(home.notes(), "")
        test(f"all is found though {name}")(run)
    return keep


@damaged("the index is deleted", None)
def _(notes):
    os.remove(notes.index)


@damaged("the index is empty", None)
def _(notes):
    with open(notes.index, "w"):
        pass


@damaged("the index is cut in half")
def _(notes):
    with open(notes.index, "r+b") as file:
        file.truncate(os.path.getsize(notes.index) // 2)


@damaged("the index is no database")
def _(notes):
    with open(notes.index, "wb") as file:
        file.write(b"\xAA" * 20000)


@damaged("the numbers of the documents are gone")
def _(notes):
    notes.sql(notes.index, "DROP TABLE stele_docs")


@damaged("the words of the index are garbage")
def _(notes):
    notes.sql(notes.index, "UPDATE stele_text_data SET block = ones(length(block)) WHERE id > 10")


@damaged("the names of its documents are lost")
def _(notes):
    notes.sql(notes.index, "DELETE FROM stele_docs")


@damaged("the index is of other sources", "another version")
def _(notes):
    notes.sql(notes.index, "UPDATE stele_index SET value = value || 'x' WHERE key = 'format'")


@test("an older copy of the store that was put back is noticed, before and after it has gone on")
def _():
    for later in (0, 3, 20):
        with Notes() as notes:
            old = os.path.join(notes.engine.directory, "old.db")
            notes.copy(old)
            with Home(notes.place) as home:
                for number in range(3):
                    notes.save(home, 1000 + number, "only in the newer one")
                same(len(home.found("assistant", "newer")), 3)
            notes.put_back(old)
            with Home(notes.place) as home:
                for number in range(later):
                    notes.save(home, 1000 + number, "of the older one")
                same(home.found("assistant", "newer"), [])
                has(home.notes(), "another store")
                same(len(home.found("assistant", "older")), later)
                same(len(home.found("assistant", "tea")), ROWS)


@test("an index beside a copy of the store is not taken for the copy's, once they differ")
def _():
    with Notes() as notes:
        other = {**notes.place, "home": os.path.join(notes.engine.directory, "other")}
        os.mkdir(other["home"])
        notes.copy(os.path.join(other["home"], "assistant.db"))
        shutil.copy(notes.index, os.path.join(other["home"], "assistant.index.db"))
        with Home(notes.place) as one, Home(other) as two:
            notes.save(one, 2000, "only here")
            notes.save(two, 2001, "only there")
            same(one.found("assistant", "here"), [("note", uuid(2000))])
            same(two.found("assistant", "there"), [("note", uuid(2001))])
            same(two.found("assistant", "here"), [])


@test("an indexer that is killed is gone on after")
def _():
    with Notes() as notes:
        with contextlib.closing(sqlite3.connect(notes.file)) as db:
            db.execute("BEGIN")
            for number in range(40000):
                db.execute("INSERT INTO notes (id, title, content, created_at) VALUES (?, 't', ?, '2026-01-01T00:00:00.000000+00:00')",
                           (f"n{number:06}", f"coffee number{number} and some more words to be read"))
            db.commit()
        for rebuild in (False, True):
            player = doors.Player()
            player.open(notes.place)
            if rebuild:
                os.remove(notes.index)
            player.process.stdin.write(b"index\tassistant\n")
            player.process.stdin.flush()
            while not turns(notes.index):
                pass
            player.process.send_signal(signal.SIGKILL)
            player.process.wait()
            with Home(notes.place) as home:
                same(len(home.found("assistant", "coffee", limit=50000)), 40000)
                same(len(home.found("assistant", "tea")), ROWS)
                same(home.found("assistant", "number39999"), [("note", "n039999")])


def turns(path):
    """How many parcels have been written into an index."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            found = db.execute("SELECT value FROM stele_index WHERE key = 'turn'").fetchone()
            return int(found[0]) if found else 0
    except sqlite3.OperationalError:
        return 0


@test("two processes that index at once number each document once")
def _():
    with Notes() as notes:
        os.remove(notes.index)
        with contextlib.closing(sqlite3.connect(notes.file)) as db:
            for number in range(12000):
                db.execute("INSERT INTO notes (id, title, content, created_at) VALUES (?, 't', 'coffee', '2026-01-01T00:00:00.000000+00:00')",
                           (f"n{number:06}",))
            db.commit()
        with Home(notes.place) as one, Home(notes.place) as two:
            threads = [threading.Thread(target=home.index, args=("assistant",)) for home in (one, two)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for home in (one, two):
                same(len(set(home.found("assistant", "coffee", limit=20000))), 12000)
        with contextlib.closing(sqlite3.connect(notes.index)) as db:
            same(db.execute("SELECT COUNT(*) FROM stele_docs").fetchone()[0], 12000 + ROWS)
            same(db.execute("SELECT value FROM stele_index WHERE key = 'rows'").fetchone()[0], str(12000 + ROWS))


@test("a store that is open for reading is searched, though nothing was ever noted in it")
def _():
    with Notes() as notes:
        with Home(notes.place) as home:
            home.call("planner.save_learning", content="tea is good", session="s")
        path = os.path.join(notes.place["home"], "planner.db")
        with Home(notes.place, flags=["readonly"]) as reader, Home(notes.place) as writer:
            same(len(reader.found("planner", "tea")), 1)
            writer.call("planner.save_learning", content="tea is bad", session="s")
            same(len(reader.found("planner", "tea")), 2)
            same(os.path.exists(path.replace(".db", ".index.db")), False)
            with contextlib.closing(sqlite3.connect(path)) as db:
                same(db.execute("SELECT COUNT(*) FROM sqlite_master WHERE name LIKE 'stele_document%'").fetchone()[0], 0)
            same(len(writer.found("planner", "tea")), 2)
            writer.call("planner.save_learning", content="tea is tea", session="s")
            same(len(reader.found("planner", "tea")), 3)
            same(len(reader.found("assistant", "tea")), ROWS)


@test("a store in memory is searched")
def _():
    with Home({"home": ":memory:"}) as home:
        home.call("planner.save_learning", content="tea is good", session="s")
        same(len(home.found("planner", "tea")), 1)
        home.call("planner.save_learning", content="tea is bad", session="s")
        same(len(home.found("planner", "tea")), 2)


@test("noted changes are struck out, except the last")
def _():
    with Notes() as notes:
        with Home(notes.place) as home:
            for number in range(4500):
                notes.save(home, 10000 + number, "coffee")
            home.index("assistant")
            same(len(home.found("assistant", "coffee", limit=9000)), 4500)
            notes.save(home, 5, "coffee too")
            same(len(home.found("assistant", "coffee", limit=9000)), 4501)
            same(home.notes(), "")
        with contextlib.closing(sqlite3.connect(notes.file)) as db:
            left = db.execute("SELECT COUNT(*) FROM stele_document_change").fetchone()[0]
            same(1000 <= left < 3100, True)


@test("a number that was given once is never another's")
def _():
    with Notes() as notes:
        with Home(notes.place) as home:
            before = number_of(notes, uuid(ROWS - 1))
            home.call("assistant.delete_note", id=uuid(ROWS - 1))
            same(len(home.found("assistant", "tea")), ROWS - 1)
            notes.save(home, ROWS, "tea again")
            same(len(home.found("assistant", "tea")), ROWS)
            same(number_of(notes, uuid(ROWS)) > before, True)
            kept = number_of(notes, uuid(7))
            home.call("assistant.delete_note", id=uuid(8))
            home.call("assistant.save_note", id=uuid(ROWS + 1), title="t", content="tea")
            home.found("assistant", "tea")
            same(number_of(notes, uuid(7)), kept)


def number_of(notes, key):
    with contextlib.closing(sqlite3.connect(notes.index)) as db:
        return db.execute("SELECT number FROM stele_docs WHERE id = ?", (key,)).fetchone()[0]


if __name__ == "__main__":
    main()
