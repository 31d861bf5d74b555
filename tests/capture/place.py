"""A store and what is in it, for the tests of imports."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from method import doors  # noqa: E402

NEW = ("sessions", "messages", "updated")
NUMBERS = ("id", "message_id")  # given anew by every store


class Store:
    """A conversation store behind a player of its own."""

    def __init__(self, places, home, place=None):
        self.places, self.home = places, home
        self.place = place or places.new()
        self.player = doors.Player()
        self.player.open(self.place)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.player.process.stdin.close()
        self.player.process.wait()
        self.player.process.stdout.close()

    def call(self, method, **args):
        word, reply = self.player.call(f"conversation.{method}", json.dumps(args))
        assert word == "ok", (method, reply)
        return reply

    def refused(self, method, **args):
        word, reply = self.player.call(f"conversation.{method}", json.dumps(args))
        assert word == "error", (method, reply)
        return reply

    def take(self, **args):
        return self.call("import_transcripts", home=self.home, into_foreign=True, **args)

    def rows(self):
        """Everything that transcripts made, without the numbers that every store gives for itself."""
        sessions = {}
        for session in self.call("export_all"):
            for message in session["messages"]:
                del message["id"]
            session["origin"] = self.call("get_origin", session_id=session["id"])
            sessions[session["id"]] = session
        files = {file["path"]: {key: file[key] for key in ("session_id", "consumed", "records", "bad", "aside", "problem", "unfinished")}
                 for file in self.call("list_transcripts")}
        return {"sessions": sessions, "files": files}


def nothing_new(counts):
    assert not any(counts[name] for name in NEW), counts


def same(found, wanted, what="rows"):
    """Both are equal; else the first difference is told."""
    if found == wanted:
        return
    where, kind = what, (dict, list)
    while isinstance(found, kind) and isinstance(found, type(wanted)) and found != wanted:
        if isinstance(found, dict):
            assert found.keys() == wanted.keys(), f"{where}: {found.keys() ^ wanted.keys()}"
            step = next(key for key in found if found[key] != wanted[key])
        else:
            assert len(found) == len(wanted), f"{where}: {len(found)} instead of {len(wanted)}"
            step = next(n for n, one in enumerate(found) if one != wanted[n])
        found, wanted, where = found[step], wanted[step], f"{where}[{step!r}]"
    raise AssertionError(f"{where}: {str(found)[:300]} instead of {str(wanted)[:300]}")


def run(tests, engines):
    """Each test on each of its engines; prints TAP.  tests: (name, function of places)."""
    failed = number = 0
    for places in engines:
        with places:
            for name, test in tests:
                number += 1
                try:
                    test(places)
                    print(f"ok {number} - {places.engine}: {name}", flush=True)
                except Exception as error:  # pylint: disable=broad-except
                    failed += 1
                    print(f"not ok {number} - {places.engine}: {name}\n# {type(error).__name__}: {str(error)[:1500]}", flush=True)
    print(f"1..{number}")
    return 1 if failed else 0
