#!/usr/bin/env python3
"""Embeddings that nobody here made are found by recall: what callers bring, and what files have.  Prints TAP."""

import contextlib
import glob
import json
import os
import sqlite3
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from documents.embedded import vector  # noqa: E402
from documents.finder import Home, on_both  # noqa: E402
from method import doors  # noqa: E402
from place import main, same, test  # noqa: E402

SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
DOCUMENTED = 3072  # numbers, for which the assistant's format has a column


def refs(home, numbers, **options):
    return [hit["ref"] for hit in home.call("recall.search", query="zebra", vector=numbers, **options)]


@on_both("an embedding of the documented length is in its row, and found")
def _(home, engine, place):
    for name in "ab":
        home.call("assistant.save_note", id=name, title="t", content=name)
    one, other = vector(1, DOCUMENTED), vector(2, DOCUMENTED)
    home.call("assistant.set_embedding", source="notes", id="a", embedding=one, model="m")
    same(refs(home, one), ["assistant/note/a"])
    home.call("assistant.set_embedding", source="notes", id="b", embedding=other)
    same(refs(home, other, limit=1), ["assistant/note/b"])
    home.call("assistant.set_embedding", source="notes", id="a", embedding=other)
    same(sorted(refs(home, other)), ["assistant/note/a", "assistant/note/b"])
    home.call("assistant.set_embedding", source="notes", id="a", embedding=[1, 0])
    same((refs(home, other), refs(home, [1, 0])), (["assistant/note/b"], ["assistant/note/a"]))
    home.call("assistant.update_note", id="b", title="t", content="another")
    same(refs(home, other), [])
    home.call("assistant.clear_embedding", source="notes", id="a")
    same(refs(home, [1, 0]), [])


@on_both("those that count no more leave no gaps")
def _(home, engine, place):
    for number in range(60):
        home.call("assistant.save_note", id=f"{number:02}", title="t", content=f"{number}")
        home.call("assistant.set_embedding", source="notes", id=f"{number:02}", embedding=[60, number])
    engine.sql(place, "assistant", "UPDATE notes SET content = 'changed' WHERE id < '40'")
    same(refs(home, [1, 0], limit=10), [f"assistant/note/{number}" for number in range(40, 50)])


# ---- Older files ----

BYTES = {"sqlite": "BLOB", "postgres": "BYTEA"}
COLLECTIONS = {"note": "notes", "interaction": "interactions", "article": "read_later", "node": "vec_knowledge", "node_command": "vec_command"}


def make_older(engine, place, store, *more):
    """Put the embeddings of a store back to where an older Stele kept them."""
    named = " ".join(f"WHEN '{kind}' THEN '{collection}'" for kind, collection in COLLECTIONS.items())
    engine.sql(place, store, f"CREATE TABLE stele_vectors (collection TEXT NOT NULL, id TEXT NOT NULL, model TEXT, dimension BIGINT NOT NULL, "
                             f"vector {BYTES[engine.engine]} NOT NULL, text_hash BIGINT NOT NULL, PRIMARY KEY (collection, id)); "
                             f"INSERT INTO stele_vectors SELECT CASE kind {named} END, id, NULLIF(model, ''), dimension, vector, text_hash "
                             f"FROM stele_embeddings WHERE origin = 'caller'; DELETE FROM stele_embeddings WHERE origin = 'caller'; {'; '.join(more)}")


@on_both("what an older file kept in a table of its own is found where all is")
def _(home, engine, place):
    for name in "abc":
        home.call("assistant.save_note", id=name, title="t", content=name)
    home.call("assistant.save_interaction", id="i", user_message="u", agent_response="a")
    for source, name, numbers, model in (("notes", "a", [1, 0.1, 0], "m"), ("notes", "b", [0, 2], None), ("notes", "c", [1, 1, 1, 1], None),
                                         ("interactions", "i", [1, 1, 0], None)):
        home.call("assistant.set_embedding", source=source, id=name, embedding=numbers, model=model)
    home.call("assistant.update_note", id="c", title="t", content="changed")
    make_older(engine, place, "assistant", "ALTER TABLE stele_embeddings DROP COLUMN origin")
    with Home(place) as newer:
        same(refs(newer, [1, 0.1, 0]), ["assistant/note/a", "assistant/interaction/i"])
        same((refs(newer, [0, 1]), refs(newer, [1, 1, 1, 1])), (["assistant/note/b"], []))
        same(newer.call("assistant.get_embedding", source="notes", id="a"), {"dimension": 3, "model": "m", "embedding": [1, 0.1, 0]})
        same(newer.call("assistant.get_embedding", source="notes", id="b"), {"dimension": 2, "model": None, "embedding": [0, 2]})
        same(newer.call("assistant.sweep_embeddings"), {"deleted": 1})
    engine.sql(place, "assistant", "CREATE TABLE stele_vectors (id TEXT)")  # it is gone


@on_both("an older file without embeddings that were made here keeps what was brought, of nodes too")
def _(home, engine, place):
    home.call("capture.list_unembedded_nodes")  # makes the store
    engine.sql(place, "capture", "INSERT INTO knowledge_nodes (id, uuid, content, embed_text, created_at, updated_at) VALUES (1, 'u', '{}', 'text', 1, 1)")
    home.call("capture.save_node_embedding", uuid="u", model="m", vector=[1, 0])
    home.call("capture.save_node_embedding", uuid="u", model="m", vector=[0, 1], collection="vec_command")
    make_older(engine, place, "capture", "DROP TABLE stele_embeddings")
    with Home(place) as newer:
        same((refs(newer, [1, 0]), refs(newer, [0, 1])), (["capture/node/1"], []))
        for collection, numbers in (("vec_knowledge", [1, 0]), ("vec_command", [0, 1])):
            [found] = newer.call("capture.search_knowledge", mode="semantic", vector=numbers, model="m", collection=collection)
            same((found["id"], found["similarity"]), (1, 1.0))


# ---- What the formats themselves keep ----

def index(home, store):
    [told] = home.call("recall.index", stores=[store])
    return told["embedded"]


def note(name, content, numbers):
    """A note that another program wrote, with its embedding."""
    embedding = f"'{json.dumps(numbers)}'" if numbers else "NULL"
    return f"INSERT INTO notes (id, title, content, created_at, embedding) VALUES ('{name}', 't', '{content}', '2026-01-01T00:00:00.000000+00:00', {embedding});"


@on_both("JSON arrays in the rows of a file are found once it is indexed")
def _(home, engine, place):
    home.call("assistant.get_notes")  # makes the store
    many = "".join(note(f"n{number}", "c", [1000, number, 1]) for number in range(150))
    engine.sql(place, "assistant", many + note("a", "green", [1, 0]) + note("b", "black", [0, 1]) + note("c", "none", None) + note("z", "zeros", [0, 0]))
    engine.sql(place, "assistant", "UPDATE notes SET embedding = 'no vector' WHERE id = 'c'")
    same(refs(home, [1, 0]), [])
    same((index(home, "assistant"), index(home, "assistant")), (152, 0))
    same((refs(home, [1, 0]), refs(home, [0, 1])), (["assistant/note/a"], ["assistant/note/b"]))
    same(refs(home, [1, 0, 0], limit=3), ["assistant/note/n0", "assistant/note/n1", "assistant/note/n2"])
    engine.sql(place, "assistant", "UPDATE notes SET content = 'white', embedding = '[1, 1]' WHERE id = 'a'; UPDATE notes SET embedding = NULL WHERE id = 'b'; "
                                   "DELETE FROM notes WHERE id = 'n0';" + note("d", "red", [1, 2]))
    same(refs(home, [1, 0, 0], limit=1), ["assistant/note/n1"])
    same(index(home, "assistant") > 0, True)
    same(refs(home, [1, 1]), ["assistant/note/a", "assistant/note/d"])
    same(home.call("assistant.get_embedding", source="notes", id="a")["embedding"], [1, 1])


@on_both("what a caller brings stands in the place of what the file has")
def _(home, engine, place):
    home.call("assistant.get_notes")
    engine.sql(place, "assistant", note("a", "green", [1, 0]))
    same(index(home, "assistant"), 1)
    home.call("assistant.set_embedding", source="notes", id="a", embedding=[0, 1, 0])
    same(index(home, "assistant"), 0)
    same((refs(home, [1, 0]), refs(home, [0, 1, 0])), ([], ["assistant/note/a"]))
    same(home.call("assistant.clear_embedding", source="notes", id="a"), {"updated": 1})
    same((index(home, "assistant"), refs(home, [1, 0])), (0, []))


ROOM = 8  # vectors in a chunk
NODES = "INSERT INTO knowledge_nodes (id, uuid, content, embed_text, created_at, updated_at) VALUES "
TABLE = (f"CREATE VIRTUAL TABLE knowledge_vectors USING vec0(knowledge_node_id INTEGER PRIMARY KEY, vec_knowledge FLOAT[3] distance_metric=cosine, "
         f"vec_command FLOAT[3] distance_metric=cosine, chunk_size={ROOM})")


def floats(numbers):
    return struct.pack(f"<{len(numbers)}f", *numbers)


def vec0_beside(path, vectors):
    """The tables that vec0 keeps vectors in, as it writes them: {node: (vec_knowledge, vec_command)}."""
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE knowledge_vectors_info (key TEXT PRIMARY KEY, value ANY)")
        db.execute("CREATE TABLE knowledge_vectors_chunks (chunk_id INTEGER PRIMARY KEY AUTOINCREMENT, size INTEGER NOT NULL, validity BLOB NOT NULL, rowids BLOB NOT NULL)")
        db.execute("CREATE TABLE knowledge_vectors_rowids (rowid INTEGER PRIMARY KEY AUTOINCREMENT, id, chunk_id INTEGER, chunk_offset INTEGER)")
        for column in (0, 1):
            db.execute(f"CREATE TABLE knowledge_vectors_vector_chunks{column:02} (rowid PRIMARY KEY, vectors BLOB NOT NULL)")
        nodes = list(vectors)
        for chunk in range(1, 1 + -(-len(nodes) // ROOM)):
            some = nodes[(chunk - 1) * ROOM:chunk * ROOM]
            db.execute("INSERT INTO knowledge_vectors_chunks VALUES (?, ?, zeroblob(1), zeroblob(64))", (chunk, ROOM))
            for place, node in enumerate(some):
                db.execute("INSERT INTO knowledge_vectors_rowids VALUES (?, NULL, ?, ?)", (node, chunk, place))
            for column in (0, 1):
                kept = b"".join(floats(vectors[node][column]) for node in some).ljust(ROOM * 12, b"\0")
                db.execute(f"INSERT INTO knowledge_vectors_vector_chunks{column:02} (_rowid_, rowid, vectors) VALUES (?, ?, ?)", (chunk, chunk, kept))
        db.execute("PRAGMA writable_schema = ON")
        db.execute("INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'knowledge_vectors', 'knowledge_vectors', 0, ?)", (TABLE,))


EXTENSION = glob.glob(os.path.join(SOURCE, "node_modules", "sqlite-vec-linux-*", "vec0.so"))


def vec0_itself(path, vectors):
    """The same by the extension."""
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.enable_load_extension(True)
        db.load_extension(EXTENSION[0])
        db.execute(TABLE)
        db.executemany("INSERT INTO knowledge_vectors VALUES (?, ?, ?)", [(node, *map(floats, both)) for node, both in vectors.items()])


def vec0_is_found(write):
    vectors = {node: ([20, node, 1], [1, node, 20]) for node in range(1, 21)}
    with doors.Sqlite() as engine:
        place = engine.new()
        path = os.path.join(place["home"], "capture.db")
        with Home(place) as home:
            home.call("capture.list_unembedded_nodes")  # makes the store
        engine.sql(place, "capture", NODES + ", ".join(f"({node}, 'u{node}', '{{}}', 'text {node}', 1, 1)" for node in range(1, 20)) +
                   "; CREATE TABLE embed_model_meta (id INTEGER PRIMARY KEY CHECK (id = 1), model TEXT NOT NULL); INSERT INTO embed_model_meta VALUES (1, 'nomic');")
        write(path, vectors)
        with Home(place) as home:
            same((index(home, "capture"), index(home, "capture")), (38, 0))  # of 19 nodes, two each
            for node in (1, 9, 19):
                same(refs(home, vectors[node][0], limit=1), [f"capture/node/{node}"])
            same(refs(home, vectors[7][0], limit=30)[-1], "capture/node/19")
            [found] = home.call("capture.search_knowledge", mode="semantic", vector=vectors[3][1], collection="vec_command", model="nomic", limit=1)
            same(found["id"], 3)
            home.call("capture.save_node_embedding", uuid="u5", model="nomic", vector=[0, 0, 1])
            same((index(home, "capture"), refs(home, [0, 0, 1], limit=1)), (0, ["capture/node/5"]))
            engine.sql(place, "capture", "DELETE FROM knowledge_vectors_rowids WHERE rowid = 1; UPDATE knowledge_nodes SET embed_text = 'other' WHERE id = 2;")
            same(refs(home, vectors[2][0], limit=1), ["capture/node/3"])  # until it is indexed
            index(home, "capture")
            same(refs(home, vectors[1][0], limit=1), ["capture/node/2"])


@test("the vectors of a vec0 table are found, without the extension")
def _():
    vec0_is_found(vec0_beside)


if EXTENSION and hasattr(sqlite3.Connection, "enable_load_extension"):
    @test("those that the extension itself wrote are")
    def _():
        vec0_is_found(vec0_itself)


if __name__ == "__main__":
    main()
