#!/usr/bin/env python3
"""Embeddings on PostgreSQL with pgvector: columns, indexes, conversions, and the same answers.  Prints TAP."""

import contextlib
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
import pglite  # noqa: E402
import postgres  # noqa: E402
from assistant import meaning  # noqa: E402
from method import doors  # noqa: E402
from place import WITHOUT_POSTGRES, has, main, postgres_test, same  # noqa: E402

HALF = 2e-3  # what 16-bit floats may change in a cosine
SCHEMA = "kept"


class Store:
    """A store of the server.  Its backend is shared, with all that a session leaves behind: calls and SQL come one after
    the other, and each cleans up."""

    def __init__(self, server, home):
        self.server = server
        self.place = {"home": home, "stores": {"assistant": f"{server.url}&schema={SCHEMA}"}}

    @contextlib.contextmanager
    def opened(self):
        with doors.Player() as player:
            player.open(self.place)
            yield lambda method, **args: player.must("call", "assistant." + method, json.dumps(args))
            player.close()
        self.server.sql("DISCARD ALL;")

    def call(self, method, **args):
        with self.opened() as call:
            return call(method, **args)

    def sql(self, script):
        return self.server.sql(f"SET search_path = {SCHEMA};\n{script}")

    def types(self):
        return self.sql("SELECT format_type(a.atttypid, a.atttypmod) FROM pg_attribute a WHERE a.attname = 'embedding' AND "
                        "a.attrelid IN ('notes'::regclass, 'interactions'::regclass, 'read_later'::regclass) ORDER BY 1;")

    def indexes(self):
        """Those of the columns; the collections, of which recall's search is made, have others."""
        return self.sql("SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND indexdef LIKE '%hnsw%' "
                        "AND tablename <> 'stele_embeddings' ORDER BY 1;")


def pgvector_test(name):
    """A test of a new store, on a server without the extension."""
    def keep(function):
        @postgres_test(name)
        def _():
            SERVER.sql(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; DROP EXTENSION IF EXISTS vector CASCADE; DISCARD ALL;")
            with tempfile.TemporaryDirectory(prefix="stele-") as directory:
                function(Store(SERVER, os.path.join(directory, "home")))
        return function
    return keep


def texts(made, embedded):
    """Statements that put embeddings into columns as text."""
    for source, name, _, _ in made:
        yield f"UPDATE {source} SET embedding = '{json.dumps(embedded[name])}' WHERE id = '{name}';"


def check_found(call, made, embedded):
    """Searches find what an exact computation does, within the precision of 16 bits."""
    [wanted] = meaning.vectors(6, 1, meaning.DIMENSION)
    found = call("semantic_search", embedding=wanted, limit=8)
    exact = {row[:2]: row[2] for row in meaning.nearest(made, embedded, wanted, len(made))}
    best = sorted(exact.values(), reverse=True)
    same(len(found), 8)
    for row, nearest in zip(found, best):
        for other in (exact[row["source"], row["id"]], nearest):
            if abs(row["similarity"] - max(0, other)) > HALF:
                raise AssertionError(f"{row['source']} {row['id']}: {row['similarity']}, not {other}")
    same(len({(row["source"], row["id"]) for row in found}), 8)
    fused = call("hybrid_search", query="amber", embedding=wanted, limit=100)
    same({row["vector_rank"] for row in fused if row["vector_rank"]}, set(range(1, len(made) + 1)))


MADE = meaning.rows(1, 24)
EMBEDDED = {row[1]: vector for row, vector in zip(MADE, meaning.vectors(5, len(MADE), meaning.DIMENSION))}


@pgvector_test("the first embedding makes the columns halfvec(3072), each with an index, which searches use")
def _(store):
    store.call("get_notes")
    store.sql("\n".join(meaning.inserts(MADE)))
    same(store.types(), ["text"] * 3)
    with store.opened() as call:
        for source, name, _, _ in MADE:
            same(call("set_embedding", source=source, id=name, embedding=EMBEDDED[name]), {"updated": 1})
        check_found(call, MADE, EMBEDDED)
        same(call("upgrade_embeddings"), {"storage": "halfvec"})
        for source in meaning.SOURCES:
            same(call("list_unembedded", source=source), [])
        kept = call("get_embedding", source=MADE[0][0], id=MADE[0][1])["embedding"]
        same(max(abs(a - b) for a, b in zip(kept, EMBEDDED[MADE[0][1]])) < 1e-4, True)
        same(call("clear_embedding", source=MADE[0][0], id=MADE[0][1]), {"updated": 1})
        same(call("get_embedding", source=MADE[0][0], id=MADE[0][1]), None)
    same(store.types(), ["public.halfvec(3072)"] * 3)
    same([line.partition(" USING ")[2] for line in store.indexes()], ["hnsw (embedding public.halfvec_cosine_ops)"] * 3)
    vector = json.dumps(EMBEDDED[MADE[1][1]])
    for source in meaning.SOURCES:
        plan = store.sql(f"SET enable_seqscan = off; SET enable_sort = off; EXPLAIN SELECT id FROM {source} WHERE 'a' = 'a' AND "
                         f"embedding IS NOT NULL ORDER BY stele_distance(embedding, stele_embedding('{vector}')) LIMIT 5;")
        has("\n".join(plan), f"Index Scan using idx_{source}_embedding")


@pgvector_test("a legacy vector(3072) is searched as it is, and converted in place by the next embedding")
def _(store):
    store.call("get_notes")
    store.sql("CREATE EXTENSION vector SCHEMA public;" + "".join(
        f"ALTER TABLE {source} ALTER COLUMN embedding TYPE public.vector(3072) USING embedding::public.vector(3072);"
        for source in meaning.SOURCES) + "\n".join([*meaning.inserts(MADE), *texts(MADE, EMBEDDED)]))
    same(store.types(), ["public.vector(3072)"] * 3)
    with store.opened() as call:
        check_found(call, MADE, EMBEDDED)
    same(store.types(), ["public.vector(3072)"] * 3)
    with store.opened() as call:
        same(call("set_embedding", source=MADE[0][0], id=MADE[0][1], embedding=EMBEDDED[MADE[0][1]]), {"updated": 1})
        check_found(call, MADE, EMBEDDED)
    same(store.types(), ["public.halfvec(3072)"] * 3)
    same(len(store.indexes()), 3)


@pgvector_test("a store with embeddings as text keeps them so, until it is upgraded")
def _(store):
    store.call("get_notes")
    store.sql("\n".join([*meaning.inserts(MADE), *texts(MADE, EMBEDDED)]))
    with store.opened() as call:
        same(call("set_embedding", source=MADE[0][0], id=MADE[0][1], embedding=EMBEDDED[MADE[0][1]]), {"updated": 1})
        check_found(call, MADE, EMBEDDED)
    same(store.types(), ["text"] * 3)
    with store.opened() as call:
        same(call("upgrade_embeddings"), {"storage": "halfvec"})
        same(call("upgrade_embeddings"), {"storage": "halfvec"})
        check_found(call, MADE, EMBEDDED)
    same(store.types(), ["public.halfvec(3072)"] * 3)


@pgvector_test("embeddings of another dimension are kept apart, and found beside the indexes")
def _(store):
    with store.opened() as call:
        for name, vector in (("a", [1, 0]), ("b", [3, 4])):
            call("save_note", id=name, title=name, content="x")
            same(call("set_embedding", source="notes", id=name, embedding=vector), {"updated": 1})
        [long] = meaning.vectors(1, 1, meaning.DIMENSION)
        call("save_note", id="c", title="c", content="x")
        same(call("set_embedding", source="notes", id="c", embedding=long), {"updated": 1})
        same([(row["id"], row["similarity"]) for row in call("semantic_search", embedding=[1, 0])], [("a", 1.0), ("b", 0.6)])
        same([row["id"] for row in call("semantic_search", embedding=long)], ["c"])
        same(call("set_embedding", source="notes", id="a", embedding=long), {"updated": 1})
        same({row["id"] for row in call("semantic_search", embedding=long)}, {"a", "c"})
        same([row["id"] for row in call("semantic_search", embedding=[1, 0])], ["b"])


if __name__ == "__main__":
    if WITHOUT_POSTGRES:
        sys.exit(main())
    postgres.stop_on_signals()
    with pglite.Server() as SERVER:  # it takes seconds to start: one for all
        sys.exit(main())
