#!/usr/bin/env python3
"""Finding by meaning, against the same searches computed in Python, on both engines.  Prints TAP."""

import contextlib
import json
import os
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from assistant import meaning  # noqa: E402
from method import doors  # noqa: E402
from place import main, postgres_test, same, test  # noqa: E402


class Store:
    """An assistant store of its own, and SQL beside it."""

    def __init__(self, player, place):
        self.player, self.place = player, place

    def call(self, method, **args):
        return self.player.must("call", "assistant." + method, json.dumps(args))

    def sql(self, script):
        url = self.place["stores"].get("assistant") if "stores" in self.place else None
        if url:
            schema = url.partition("schema=")[2]
            done = subprocess.run(["psql", "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "-f", "-",
                                   url.partition("&schema=")[0]], input=f"SET search_path = {schema};\n{script}",
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            same((done.returncode, done.stdout), (0, ""))
        else:
            with contextlib.closing(sqlite3.connect(os.path.join(self.place["home"], "assistant.db"))) as db:
                db.executescript(script)


@contextlib.contextmanager
def store_in(places):
    with places as keeper, doors.Player() as player:
        place = keeper.new()
        player.open(place)
        store = Store(player, place)
        store.call("get_notes")  # makes it
        yield store


def both(name):
    """A test on SQLite, and on PostgreSQL, where it must return the same."""
    def keep(function):
        @test(f"sqlite: {name}")
        def _():
            with store_in(doors.Sqlite()) as store:
                function(store)

        @postgres_test(f"postgres: {name}")
        def _():
            with store_in(doors.Sqlite()) as one, store_in(doors.Postgres(["assistant"])) as other:
                same(function(other), function(one))
        return function
    return keep


def told(found, *columns):
    return [tuple(row[column] for column in columns) for row in found]


def close(got, wanted, within=1e-12):
    """The same rows in the same order, with nearly the same last number."""
    same([row[:-1] for row in got], [row[:-1] for row in wanted])
    for one, other in zip(got, wanted):
        if abs(one[-1] - other[-1]) > within:
            raise AssertionError(f"{one} is not {other}")


def filled(store, made, dimension, left_out=()):
    """Keep rows and their embeddings; those by id."""
    store.sql("\n".join(meaning.inserts(made)))
    embedded = {row[1]: vector for row, vector in zip(made, meaning.vectors(5, len(made), dimension))}
    for source, name, _, _ in made:
        if name in left_out:
            del embedded[name]
        else:
            same(store.call("set_embedding", source=source, id=name, embedding=embedded[name]), {"updated": 1})
    return embedded


@both("embeddings of 3072 numbers are kept in their rows, and the nearest found as exactly as can be")
def _(store):
    made = meaning.rows(1, 30)
    embedded = filled(store, made, meaning.DIMENSION)
    [wanted] = meaning.vectors(6, 1, meaning.DIMENSION)
    found = store.call("semantic_search", embedding=wanted, limit=12)
    close(told(found, "source", "id", "similarity"),
          [(*row[:2], max(0, row[2])) for row in meaning.nearest(made, embedded, wanted, 12)])
    for source in meaning.SOURCES:
        only = store.call("semantic_search", embedding=wanted, limit=4, sources=[source, source])
        close(told(only, "source", "id", "similarity"),
              [(*row[:2], max(0, row[2])) for row in meaning.nearest([row for row in made if row[0] == source],
                                                                     embedded, wanted, 4)])
        same(store.call("list_unembedded", source=source), [])
    kept = store.call("get_embedding", source=made[0][0], id=made[0][1])
    same((kept["dimension"], kept["model"]), (meaning.DIMENSION, None))
    same([meaning.single(number) for number in kept["embedding"]] == embedded[made[0][1]], True)
    return found


@both("embeddings of any other dimension are found likewise")
def _(store):
    made = meaning.rows(2, 60)
    embedded = filled(store, made, 24, left_out=[made[3][1], made[4][1]])
    [wanted] = meaning.vectors(7, 1, 24)
    found = store.call("semantic_search", embedding=wanted, limit=1000)
    close(told(found, "source", "id", "similarity"),
          [(*row[:2], max(0, row[2])) for row in meaning.nearest(made, embedded, wanted, 1000)])
    same(told(store.call("list_unembedded", source=made[3][0]), "id"), [(made[3][1],)])
    same(told(store.call("list_unembedded", source=made[4][0]), "text"), [("\n".join(made[4][3]),)])
    return found


@both("words and meaning are joined as the documented arithmetic says")
def _(store):
    made = meaning.rows(3, 120)
    embedded = filled(store, made, 16, left_out=[row[1] for row in made[::5]])
    replies = []
    for number, query in enumerate(("amber", "birch cedar", "delta ember fjord grove heath inlet jetty knoll lagoon marsh nook oasis")):
        [wanted] = meaning.vectors(8 + number, 1, 16)
        words = meaning.by_words(made, query, 50)
        near = [row[:2] for row in meaning.nearest(made, embedded, wanted, 50)]
        found = store.call("hybrid_search", query=query, embedding=wanted, limit=100)
        close(told(found, "source", "id", "score"), meaning.fused(made, words, near, 100))
        for row in found:
            key = (row["source"], row["id"])
            same(row["keyword_rank"], words.index(key) + 1 if key in words else None)
            same(row["vector_rank"], near.index(key) + 1 if key in near else None)
        only = store.call("hybrid_search", query=query, limit=100)
        close(told(only, "source", "id", "score"), meaning.fused(made, words, [], 100))
        replies += [found, only]
    return replies


@both("what other programs wrote into the columns is read, and what is no embedding passed over")
def _(store):
    store.sql("INSERT INTO notes (id, title, content, created_at, embedding) VALUES "
              "('a', 'A', 'x', '2026-01-01T00:00:00.000000+00:00', ' [ 1, 0.0 ,1E0 ] '), ('b', 'B', 'x', '2026-01-02T00:00:00.000000+00:00', '[1, 2]'), "
              "('c', 'C', 'x', '2026-01-03T00:00:00.000000+00:00', 'nonsense'), ('d', 'D', 'x', '2026-01-04T00:00:00.000000+00:00', '[1,2,3'), "
              "('e', 'E', 'x', '2026-01-05T00:00:00.000000+00:00', '[0, 0, 0]');")
    found = store.call("semantic_search", embedding=[1, 0, 1])
    close(told(found, "id", "similarity"), [("a", 1.0), ("e", 0.0)])
    same(store.call("get_embedding", source="notes", id="c"), None)
    same(store.call("get_embedding", source="notes", id="a")["embedding"], [1, 0, 1])
    same(store.call("clear_embedding", source="notes", id="c"), {"updated": 1})
    return found


@both("an embedding moves with its dimension, and is gone with its row")
def _(store):
    [long], [short] = meaning.vectors(1, 1, meaning.DIMENSION), meaning.vectors(1, 1, 5)
    store.call("save_note", id="a", title="A", content="x")
    for vector in (short, long, short):
        same(store.call("set_embedding", source="notes", id="a", embedding=vector), {"updated": 1})
        same(told(store.call("semantic_search", embedding=vector), "id"), [("a",)])
        same(store.call("semantic_search", embedding=long if vector is short else short), [])
        same(store.call("list_unembedded", source="notes"), [])
    store.sql("DELETE FROM notes;")
    same(store.call("semantic_search", embedding=short), [])
    same(store.call("sweep_embeddings"), {"deleted": 1})
    store.call("save_note", id="a", title="A", content="x")
    same(told(store.call("list_unembedded", source="notes"), "id"), [("a",)])


if __name__ == "__main__":
    sys.exit(main())
