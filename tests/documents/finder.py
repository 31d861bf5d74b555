"""What the tests of the search index share: a home behind the player, and what can be written into each store of it."""

import json
import os
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), name) for name in ("", "cli")]
from method import doors  # noqa: E402
from place import WITHOUT_POSTGRES, test  # noqa: E402

STORES = ["conversation", "capture", "telemetry", "assistant", "planner", "server"]


class Home:
    """A home behind a player of its own."""

    def __init__(self, place, **options):
        self.player = doors.Player()
        self.place = place
        self.player.open({**place, **options})

    def __enter__(self):
        return self

    def __exit__(self, *about):
        self.player.__exit__(*about)

    def call(self, method, **args):
        return self.player.must("call", method, json.dumps(args, ensure_ascii=False))

    def find(self, store, query=None, **options):
        if query is not None:
            options["query"] = query
        return self.player.must("find", store, json.dumps(options, ensure_ascii=False))

    def found(self, store, query=None, **options):
        """Kinds and ids."""
        return [(hit["kind"], hit["id"]) for hit in self.find(store, query, **options)]

    def index(self, store):
        return self.player.must("index", store)

    def reindex(self, store):
        return self.player.must("reindex", store)

    def embed(self, store, rows, model="m", **options):
        """Keep embeddings: [(kind, id, vector)]; without a vector, forget those of the row."""
        rows = [{"kind": kind, "id": id, **({"vector": vector} if vector else {})} for kind, id, vector in rows]
        return self.player.must("embed", store, json.dumps({"model": model, "rows": rows, **options}))

    def near(self, store, vector, **options):
        """Keys of what is nearest."""
        return [id for _, id, _ in self.player.must("near", store, json.dumps({"vector": vector, **options}))]

    def code(self, store):
        return self.player.must("code", store)

    def notes(self):
        return self.player.must("notes")


def uuid(number):
    return f"00000000-0000-4000-8000-{number:012}"


def engines():
    yield doors.Sqlite()
    if not WITHOUT_POSTGRES:
        yield doors.Postgres(STORES)


def on_both(name):
    """A test of a home on each engine."""
    def keep(function):
        for engine in engines():
            def run(engine=engine):
                with engine:
                    place = engine.new()
                    with Home(place) as home:
                        function(home, engine, place)
            test(f"{engine.engine}: {name}")(run)
        return function
    return keep
