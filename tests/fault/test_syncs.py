#!/usr/bin/env python3
"""A sync that fails stops the writing: nobody knows what is on the disk, and the next sync would report success for what was dropped.

Whatever failed to be synced (a commit, a checkpoint, also one after a commit that was acknowledged), the handle refuses to
write from then on, says why, and goes on reading; opened anew it writes again.  A search index is made anew; a copy that failed
is none, and the store it is of is not concerned.  Prints TAP.
"""

import contextlib
import glob
import json
import os
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from fault.faults import NEVER, SYSTEM_KINDS, Homes, Kind, Player, is_stopped  # noqa: E402
from place import main, same, test  # noqa: E402

SYNC = Kind("sync", False, frozenset({"IO"}))
EIO = SYSTEM_KINDS[0]

# What is written, and what reads it.
STORES = {
    "conversation": (("conversation.append_message", {"session_id": "s", "role": "user", "content": "c"}), "conversation.session_count"),
    "assistant": (("assistant.save_note", {"title": "t", "content": "c"}), "assistant.get_notes"),
    "planner": (("planner.save_message", {"session": "s", "role": "user", "content": "c"}), "planner.get_unprocessed_messages"),
    "telemetry": (("telemetry.create_session", {}), "telemetry.get_session_list"),
    "capture": (("capture.insert_event", {"command": "ls", "cwd": "/", "hostname": "h", "shell": "zsh", "terminal": "t"}), "capture.get_events"),
}


class Scene:
    """A home with every store in it, and a player."""

    def __init__(self, system=False):
        self.homes, self.player = Homes(), Player(system=system)

    def __enter__(self):
        self.homes.__enter__()
        self.player.__enter__()
        self.place = {**self.homes.new(), "durability": "full"}
        self.player.open(self.place)
        same(self.call("conversation.create_session", session_id="s", source="cli")[0], "ok")
        return self

    def __exit__(self, *about):
        self.player.__exit__(*about)
        self.homes.__exit__(*about)

    def call(self, method, **args):
        return self.player.call(method, json.dumps(args))

    def under(self, kind, n, method, **args):
        return self.player.call_under(kind, n, method, json.dumps(args))

    def fails(self, answer, kind=SYNC):
        same((answer[0], answer[1].get("code") in kind.statuses), ("error", True))

    def must_be_stopped(self, store):
        (method, args), reads = STORES[store]
        for _ in range(2):
            answer = self.call(method, **args)
            same(is_stopped(answer), True)
            same("open it anew" in answer[1]["message"], True)
        same(self.player.ask(("begin", store))[0][1].get("code"), "IO")
        same(self.call(reads)[0], "ok")

    def must_write_anew(self, store):
        (method, args), reads = STORES[store]
        self.player.close()
        self.player.open(self.place)
        same(self.call(method, **args)[0], "ok")
        same(self.call(reads)[0], "ok")
        self.player.healthy()


for name in STORES:
    @test(f"{name}: a commit that was not synced stops its writing")
    def _(name=name):
        (method, args), _ = STORES[name]
        with Scene() as scene:
            same(scene.call(method, **args)[0], "ok")
            attempt, answer = scene.under(SYNC, 1, method, **args)
            same(attempt.fired, 1)
            scene.fails(answer)
            scene.must_be_stopped(name)
            other = next(store for store in STORES if store != name)
            same(scene.call(STORES[other][0][0], **STORES[other][0][1])[0], "ok")  # other stores are other files
            scene.must_write_anew(name)


@test("a checkpoint whose syncs fail, one after the other, stops the writing")
def _():
    with Scene() as scene:
        attempt, answer = scene.under(SYNC, NEVER, "telemetry.checkpoint_wal", mode="truncate")
        same(answer[0], "ok")
        n, fired = 0, 1
        while fired:
            n += 1
            same(scene.call("telemetry.create_session")[0], "ok")
            attempt, answer = scene.under(SYNC, n, "telemetry.checkpoint_wal", mode="truncate")
            fired = attempt.fired
            if fired:
                scene.fails(answer)
                scene.must_be_stopped("telemetry")
                scene.must_write_anew("telemetry")
        same(n >= 3, True)  # the log and the file


@test("a commit is acknowledged, its checkpoint fails: the next write is refused, what was acknowledged is there")
def _():
    large = "x" * 5_000_000
    with Scene() as scene:
        same(scene.call("telemetry.create_session")[0], "ok")
        attempt, answer = scene.under(SYNC, 2, "telemetry.record_session_error", session_id=1, error_type="E", error_traceback=large)
        same((attempt.fired, answer[0]), (1, "ok"))
        scene.must_be_stopped("telemetry")
        scene.must_write_anew("telemetry")
        rows = scene.player.must("call", "telemetry.get_session_list", "{}")
        same([row["error_traceback"] for row in rows if row["id"] == 1], [large])


@test("a search index that was not synced is made anew, and the store is written to")
def _():
    with Scene() as scene:
        n, fired, renewed = 0, 1, 0
        while fired:
            n += 1
            same(scene.call("conversation.append_message", session_id="s", role="user", content=f"needle {n}")[0], "ok")
            before = index_of(scene)
            attempt, answer = scene.under(SYNC, n, "conversation.index_messages")
            fired = attempt.fired
            if answer[0] == "error":  # the store itself was not synced
                scene.must_be_stopped("conversation")
                scene.must_write_anew("conversation")
            elif fired and before:
                same(index_of(scene) != before, True)
                renewed += 1
            found = scene.call("conversation.search_messages", query="needle", limit=100)[1]
            same(len(found), n)
        same(renewed > 0, True)
        scene.player.healthy()


def index_of(scene):
    """Its name for itself: the number of a file may be given to the next."""
    def identity(path):
        with contextlib.closing(sqlite3.connect(path)) as db:
            return db.execute("SELECT value FROM stele_index WHERE key = 'identity'").fetchone()
    return [identity(path) for path in glob.glob(os.path.join(scene.place["home"], "conversation.index.db"))]


@test("a copy of which anything was not synced is none, and the store is written to")
def _():
    with Scene(system=True) as scene:
        copies = os.path.join(scene.place["home"], "backups")
        n, fired, synced = 0, 1, 0
        while fired:
            n += 1
            attempt, answer = scene.under(EIO, n, "stele.backup", store="planner")
            fired = attempt.fired
            synced += attempt.syncs
            whole = [name for name in os.listdir(copies) if ".partial" not in name] if os.path.isdir(copies) else []
            if answer[0] == "error":
                scene.fails(answer, EIO)
                same(whole, [])
            else:
                same(len([name for name in whole if name.endswith(".db")]), 1)
                for name in whole:
                    os.remove(os.path.join(copies, name))
            same(scene.call("planner.save_message", session="s", role="user", content="c")[0], "ok")
        same(synced >= 3, True)  # the directory's name, the copy, its name


if __name__ == "__main__":
    sys.exit(main())
