#!/usr/bin/env python3
"""What was changed or deleted is noted until the index has it, and not much longer.  Prints TAP."""

import json
import os
import shutil
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from conversation import test_search  # noqa: E402
from method import doors  # noqa: E402
from place import Place, has, main, same, test  # noqa: E402

MANY = 1500  # messages of a session; replacing them notes as many changes


class Busy:
    """A store with a session whose messages are replaced again and again."""

    def __init__(self, place, player):
        self.place = place
        self.store = test_search.Store({"home": place.home}, player)
        self.path = os.path.join(place.home, "conversation.db")
        self.index = os.path.join(place.home, "conversation.index.db")
        self.store.append("a needle")
        self.store.call("create_session", session_id="busy", source="cli")

    def replace(self, word):
        messages = [{"role": "user", "content": f"{word} {n}"} for n in range(MANY)]
        self.store.call("replace_messages", session_id="busy", messages=messages)
        self.store.call("index_messages")

    def noted(self):
        with sqlite3.connect(self.path) as db:
            return db.execute("SELECT COUNT(*), MAX(seq) FROM stele_change").fetchone()

    def check(self, word):
        same(len(self.store.ids(word, limit=1000)), 1000)
        same(len(self.store.ids("needle")), 1)


@test("what the index has is struck out, all but the last")
def _():
    with Place() as place, doors.Player() as player:
        busy = Busy(place, player)
        for word in ("one", "two", "three", "four", "five", "six"):
            busy.replace(word)
        same(busy.noted(), (5 * MANY - 3 * 2000, 5 * MANY))
        busy.check("six")
        same(busy.store.ids("five"), [])


@test("after that, an index that is made anew lacks nothing")
def _():
    with Place() as place, doors.Player() as player:
        busy = Busy(place, player)
        for word in ("one", "two", "three", "four"):
            busy.replace(word)
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(busy.index + suffix):
                os.remove(busy.index + suffix)
        same(place.call("conversation.search_messages", {"query": "needle"}).err, "")
        busy.check("four")
        same(busy.store.ids("three"), [])


@test("who noted that there was nothing to write sees what another process then writes")
def _():
    with Place() as place, doors.Player() as player:
        busy = Busy(place, player)
        busy.store.call("index_messages")
        gone = busy.store.append("gone before it was ever indexed")
        with sqlite3.connect(busy.path) as db:
            db.execute("DELETE FROM messages WHERE id = ?", (gone,))
        same(len(busy.store.ids("needle")), 1)
        place.run("call", "conversation.append_message", json.dumps({"session_id": "s1", "role": "user", "content": "another needle"}))
        place.run("call", "conversation.index_messages")
        same(len(busy.store.ids("needle")), 2)


@test("an index that missed what was struck out is made anew")
def _():
    with Place() as place:
        with doors.Player() as player:
            busy = Busy(place, player)
            busy.replace("one")
        shutil.copy(busy.index, busy.index + ".old")
        with doors.Player() as player:
            busy.store = test_search.Store({"home": place.home}, player)
            for word in ("two", "three", "four", "five"):
                busy.replace(word)
        shutil.move(busy.index + ".old", busy.index)
        done = place.call("conversation.search_messages", {"query": "one"})
        same(json.loads(done.out), [])
        has(done.err, "made anew")
        with doors.Player() as player:
            busy.store = test_search.Store({"home": place.home}, player)
            busy.check("five")


if __name__ == "__main__":
    sys.exit(main())
