#!/usr/bin/env python3
"""Rows by meaning on PostgreSQL with pgvector: an index for each collection, asked where there is no filter, and the same
answers as without it.  Prints TAP."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import pglite  # noqa: E402
import postgres  # noqa: E402
from documents.embedded import DIMENSION, embed, nearest, save, vector  # noqa: E402
from documents.finder import Home, uuid  # noqa: E402
from place import WITHOUT_POSTGRES, has, main, postgres_test, same  # noqa: E402

SCHEMA = "kept"
ROWS = 60


def place_of(home):
    return {"home": home, "stores": {store: f"{SERVER.url}&schema={SCHEMA}_{store}" for store in ("assistant", "conversation")}}


def sql(store, script):
    return SERVER.sql(f"SET search_path = {SCHEMA}_{store};\n{script}")


def halfvec_test(name):
    """A test of new stores.  The backend is shared, with all that a session leaves behind: one after the other."""
    def keep(function):
        @postgres_test(name)
        def _():
            SERVER.sql(f"DROP SCHEMA IF EXISTS {SCHEMA}_assistant CASCADE; DROP SCHEMA IF EXISTS {SCHEMA}_conversation CASCADE; "
                       "DROP EXTENSION IF EXISTS vector CASCADE; DISCARD ALL;")
            with tempfile.TemporaryDirectory(prefix="stele-") as directory:
                with Home(place_of(os.path.join(directory, "home"))) as home:
                    function(home)
                    home.player.close()
            SERVER.sql("DISCARD ALL;")
        return function
    return keep


def indexes(store):
    return sql(store, "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND indexdef LIKE '%hnsw%' ORDER BY 1;")


@halfvec_test("notes are found by an index of their collection")
def _(home):
    save(home, range(ROWS))
    embed(home, range(ROWS))
    home.embed("assistant", [("note", uuid(n), vector(n, 7)) for n in range(5)])
    query = vector(1000)
    same(home.near("assistant", query), nearest(range(ROWS), query))
    same(home.near("assistant", vector(3, 7))[0], uuid(3))
    left = set(range(ROWS))
    for number in (int(key[-12:]) for key in nearest(left, query, 4)):
        home.call("assistant.delete_note", id=uuid(number))
        left.remove(number)
    same(home.near("assistant", query), nearest(left, query))
    same(home.near("assistant", query, kinds=["note"]), nearest(left, query))
    same(home.near("assistant", query, until=0.0), [])
    same(len(home.near("assistant", query, limit=500)), len(left))
    home.player.close()
    same([f"dimension = {DIMENSION}" in line or "dimension = 7" in line for line in indexes("assistant")], [True, True])
    plan = sql("assistant", f"SET enable_seqscan = off; SET enable_sort = off; EXPLAIN SELECT number FROM stele_embeddings WHERE dimension = {DIMENSION} "
               f"ORDER BY (near::public.halfvec({DIMENSION})) OPERATOR(public.<=>) '{vector(1)}'::public.halfvec({DIMENSION}) LIMIT 5;")
    has("\n".join(plan), f"Index Scan using stele_near_{DIMENSION}")
    home.player.open(home.place)


@halfvec_test("messages are found so too")
def _(home):
    home.call("conversation.create_session", session_id="a", source="cli", started_at=1000)
    for number in range(ROWS):
        home.call("conversation.append_message", session_id="a", role="user", content=f"message {number}", timestamp=1000 + number)
    home.embed("conversation", [("message", str(n + 1), vector(n)) for n in range(ROWS)])
    query = vector(1000)
    wanted = [str(int(key[-12:]) + 1) for key in nearest(range(ROWS), query)]
    same(home.near("conversation", query), wanted)
    same(home.near("conversation", query, sessions=["a"]), wanted)
    home.player.close()
    same(len(indexes("conversation")), 1)
    home.player.open(home.place)


if __name__ == "__main__":
    if WITHOUT_POSTGRES:
        sys.exit(main())
    postgres.stop_on_signals()
    with pglite.Server() as SERVER:  # it takes seconds to start: one for all
        sys.exit(main())
