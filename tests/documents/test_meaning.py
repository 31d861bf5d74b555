#!/usr/bin/env python3
"""Rows are found by what they mean: the nearest embeddings, of rows that are there and within a filter, on both engines; and
whatever becomes of the file of codes.  Prints TAP."""

import contextlib
import os
import random
import signal
import sqlite3
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from documents.embedded import DIMENSION, embed, fill, nearest, save, vector  # noqa: E402
from documents.finder import Home, on_both, uuid  # noqa: E402
from method import doors  # noqa: E402
from place import has, main, same, test  # noqa: E402

ROWS = 700  # more than a search compares without codes


@on_both("the nearest are found, few or many")
def _(home, _, __):
    same(home.near("assistant", vector(1)), [])
    fill(home, 100)
    query = vector(1000)
    same(home.near("assistant", query), nearest(range(100), query))
    save(home, range(100, ROWS))
    embed(home, range(100, ROWS))
    for query in (vector(1000), vector(1001), vector(50)):
        same(home.near("assistant", query), nearest(range(ROWS), query))
    same(home.near("assistant", vector(50))[0], uuid(50))
    same(len(home.near("assistant", query, limit=2000)), ROWS)


@on_both("rows that are deleted, changed or forgotten are not found by what they were")
def _(home, _, __):
    fill(home, ROWS)
    left = set(range(ROWS))
    query = vector(1000)
    same(home.near("assistant", query), nearest(left, query))
    for number in (int(key[-12:]) for key in nearest(left, query, 6)):
        home.call("assistant.delete_note", id=uuid(number))
        left.remove(number)
    same(home.near("assistant", query), nearest(left, query))
    first, second = (int(key[-12:]) for key in nearest(left, query, 2))
    home.embed("assistant", [("note", uuid(first), [-x for x in query]), ("note", uuid(second), None)])
    left -= {first, second}
    same(home.near("assistant", query), nearest(left, query))
    same(home.near("assistant", [-x for x in query])[0], uuid(first))
    save(home, [first])  # saved again: it keeps its embedding
    same(home.near("assistant", [-x for x in query])[0], uuid(first))


@on_both("filters are applied before the best are chosen")
def _(home, engine, place):
    fill(home, ROWS)
    engine.sql(place, "assistant", "UPDATE notes SET created_at = '2020-01-01T00:00:00.000000+00:00' WHERE id > '%s'" % uuid(ROWS - 30))
    query = vector(1000)
    old = {"until": 1600000000.0}
    same(home.near("assistant", query, **old), nearest(range(ROWS - 29, ROWS), query))
    same(len(home.near("assistant", query, limit=100, **old)), 29)
    same(home.near("assistant", query, since=1600000000.0), nearest(range(ROWS - 29), query))
    same(home.near("assistant", query, kinds=["note"]), nearest(range(ROWS), query))
    same(home.near("assistant", query, kinds=["task"]), [])
    same(home.near("assistant", query, kinds=[]), [])
    same(home.near("assistant", query, sessions=["none"]), [])


@on_both("messages are found by meaning, within sessions and roles")
def _(home, _, __):
    for name in ("a", "b"):
        home.call("conversation.create_session", session_id=name, source="cli", started_at=1000)
    for number in range(400):
        home.call("conversation.append_message", session_id="ab"[number % 2], role=("user", "assistant")[number // 2 % 2], content=f"message {number}",
                  timestamp=1000 + number)
    home.embed("conversation", [("message", str(n + 1), vector(n)) for n in range(400)])
    query = vector(1000)

    def wanted(*numbers):
        return [str(int(key[-12:]) + 1) for key in nearest(numbers, query)]
    same(home.near("conversation", query), wanted(*range(400)))
    same(home.near("conversation", query, sessions=["b"]), wanted(*range(1, 400, 2)))
    same(home.near("conversation", query, roles=["user"]), wanted(*(n for n in range(400) if n // 2 % 2 == 0)))
    same(home.near("conversation", query, since=1390.0), wanted(*range(390, 400)))
    same(home.near("conversation", query, projects=["/none"]), [])


@on_both("collections are told apart by their dimension, and have one model each")
def _(home, _, __):
    save(home, range(3))
    embed(home, range(2), model="one")
    home.embed("assistant", [("note", uuid(0), vector(5, 7)), ("note", uuid(2), vector(6, 7))], model="two")
    same(home.near("assistant", vector(6, 7))[0], uuid(2))
    same(len(home.near("assistant", vector(6))), 2)
    same(home.near("assistant", vector(6, 9)), [])
    request = '{"model":"two","rows":[{"kind":"note","id":"%s","vector":[%s]}]}' % (uuid(1), ",".join(map(str, vector(1))))
    word, reply = home.player.ask(("embed", "assistant", request))[0]
    same(word, "error")
    has(str(reply), "of dimension 48 here are made by one, and cannot be compared with those of two")
    embed(home, [1], model="two", clear=DIMENSION)
    same(home.near("assistant", vector(0)), [uuid(1)])


@on_both("a vector without a direction is refused")
def _(home, _, __):
    save(home, [1])
    for numbers in ("0,0,0", "1e39,1", ""):
        request = '{"model":"m","rows":[{"kind":"note","id":"%s","vector":[%s]}]}' % (uuid(1), numbers)
        word, reply = home.player.ask(("embed", "assistant", request))[0]
        same(word, "error")
        has(str(reply), "vector")
    embed(home, [1])
    same(home.player.ask(("near", "assistant", '{"vector":[%s]}' % ",".join(["0"] * DIMENSION)))[0][0], "error")


@on_both("what one process embeds, another finds at once")
def _(home, _, place):
    with Home(place) as other:
        fill(home, 400)
        query = vector(1000)
        same(other.near("assistant", query), nearest(range(400), query))
        for number in range(403, 403 + 5):
            save(home, [number])
            embed(home, [number])
            same(other.near("assistant", vector(number))[0], uuid(number))
            other.embed("assistant", [("note", uuid(number), None)])
            same(home.near("assistant", query), nearest(range(400), query))


# ---- the file of codes ----

class Coded:
    """A store whose embeddings are coded."""

    def __enter__(self):
        self.engine = doors.Sqlite().__enter__()
        self.place = self.engine.new()
        self.codes = os.path.join(self.place["home"], f"assistant.codes.{DIMENSION}")
        with Home(self.place) as home:
            fill(home, ROWS)
            same(home.code("assistant"), ROWS)
            same(home.code("assistant"), 0)
        return self

    def __exit__(self, *about):
        self.engine.__exit__(*about)


def damaged(name):
    def keep(damage):
        def run():
            with Coded() as coded:
                damage(coded)
                with Home(coded.place) as home:
                    for query in (vector(1000), vector(1001)):
                        same(home.near("assistant", query), nearest(range(ROWS), query))
                    home.code("assistant")
                    same(os.path.getsize(coded.codes) > ROWS * DIMENSION // 2, True)
        test(f"all is found though {name}")(run)
    return keep


@damaged("the codes are deleted")
def _(coded):
    os.remove(coded.codes)


@damaged("the codes are empty")
def _(coded):
    with open(coded.codes, "w"):
        pass


@damaged("the codes are cut in half")
def _(coded):
    os.truncate(coded.codes, os.path.getsize(coded.codes) // 2)


@damaged("the codes are something else")
def _(coded):
    with open(coded.codes, "wb") as file:
        file.write(b"\xAA" * 600000)


@damaged("bytes of the codes are wrong")
def _(coded):
    source = random.Random(1)
    with open(coded.codes, "r+b") as file:
        for _ in range(2000):
            file.seek(source.randrange(4096, os.path.getsize(coded.codes)))
            file.write(b"\x55")


@damaged("the search index was made anew, with other numbers")
def _(coded):
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(coded.place["home"], "assistant.index.db" + suffix))


@test("codes that cannot be written are done without")
def _():
    with Coded() as coded:
        os.remove(coded.codes)
        os.mkdir(coded.codes)
        with Home(coded.place) as home:
            query = vector(1000)
            same(home.near("assistant", query), nearest(range(ROWS), query))


@test("embeddings of a transaction that is undone are never coded")
def _():
    with Coded() as coded, Home(coded.place) as home:
        home.player.must("begin", "assistant")
        save(home, range(2000, 2400))
        home.player.must("rollback")
        query = vector(1000)
        same(home.near("assistant", query), nearest(range(ROWS), query))


@test("a store that is open for reading, or in memory, is searched")
def _():
    with Coded() as coded:
        with Home(coded.place, flags=["readonly"]) as reader:
            same(reader.near("assistant", vector(1000)), nearest(range(ROWS), vector(1000)))
            os.remove(coded.codes)
            same(reader.near("assistant", vector(1000)), nearest(range(ROWS), vector(1000)))
    with Home({"home": ":memory:"}) as home:
        fill(home, 300)
        same(home.near("assistant", vector(1000)), nearest(range(300), vector(1000)))


@test("one who is killed while coding leaves what another goes on with")
def _():
    with Coded() as coded:
        with contextlib.closing(sqlite3.connect(os.path.join(coded.place["home"], "assistant.db"))) as db:
            db.execute("INSERT INTO stele_embeddings (kind, id, dimension, model, vector, text_hash) "
                       "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19999) "
                       "SELECT 'note', 'x' || i, dimension, model, vector, 0 FROM stele_embeddings, n WHERE number = 1")
            db.commit()
        for wait in (0.0, 0.005, 0.02, 0.05):
            os.remove(coded.codes)
            player = doors.Player()
            player.open(coded.place)
            player.process.stdin.write(b"code\tassistant\n")
            player.process.stdin.flush()
            time.sleep(wait)
            player.process.send_signal(signal.SIGKILL)
            player.process.wait()
            with Home(coded.place) as home:
                same(home.near("assistant", vector(1000)), nearest(range(ROWS), vector(1000)))


if __name__ == "__main__":
    main()
