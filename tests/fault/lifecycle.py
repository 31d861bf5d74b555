#!/usr/bin/env python3
"""Creating, opening, closing, recovering, checkpointing, copying, migrating, repairing and looking over a store, and transactions
of several calls, with the 1st, 2nd, 3rd ... allocation or file operation failing.

Whatever fails: a store is there whole or not at all, and what was acknowledged is in it, once.
Prints TAP: one line per scene and kind of fault.
"""

import concurrent.futures
import contextlib
import json
import os
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from fault.faults import (KINDS, SYSTEM_KINDS, Failed, Homes, Player, check_refusal, is_stopped, kinds_here, numbers,  # noqa: E402
                          options, options_of_scenes, play_scenes, show, tell, turn_of)
from capture_store import versions  # noqa: E402
from method import doors  # noqa: E402

CREATE = "call", "telemetry.create_session", '{"now":1}'
LIST = "call", "telemetry.get_session_list", "{}"
# What SQLite's check of a copy could not read, it calls damaged.
UNREAD = "unable to get the page", "failed to get page", "Failed to read ptrmap"
SCENES = []


def scene(function):
    """A scene is played once per fault: scene(stage, n) answers what came of the n-th."""
    SCENES.append(function)
    return function


class Stage:
    """What all scenes need, under one kind of fault."""

    def __init__(self, player, homes, kind):
        self.player, self.homes, self.kind = player, homes, kind
        self.used = None  # a home with one session in it
        self.crashed = None  # the same, as a killed process would leave it

    def open(self, place):
        self.player.open(options(place, self.kind))

    def prepare(self):
        self.used = self.homes.new(("telemetry", "capture"))
        self.open(self.used)
        self.player.must(*CREATE)
        self.crashed = self.homes.copy(self.used)
        self.player.close()

    def sessions(self):
        return len(self.player.must(*LIST))

    def holds(self, attempt, place, count):
        """Opened anew, without faults, the store is in order and has so many sessions."""
        self.open(place)
        state = self.player.must("call", "stele.status", "{}")[0]["state"]
        if state not in ("absent", "fresh", "current"):
            raise Failed(f"{attempt}: the store is {state}")
        found = self.sessions()
        if found != count:
            raise Failed(f"{attempt}: the store has {found} sessions, and {count} were acknowledged")
        self.player.healthy()
        self.player.close()
        self.homes.forget(place)

    def ask(self, *request):
        return self.player.ask(request)[0]

    def refused(self, attempt, answer):
        """Did it fail?  Then rightly."""
        if answer[0] == "ok":
            return False
        if attempt.fired and any(words in answer[1]["message"] for words in UNREAD):
            return True
        check_refusal(self.kind, attempt, answer[1])
        return True


def open_and_call(stage, place, n, request):
    """Open a home and make a call, all under a fault: (what came of it, the call's answer or None)."""
    called = None
    with stage.player.under(stage.kind, n) as attempt:
        opened = stage.ask("open", json.dumps(options(place, stage.kind)))
        if opened[0] == "ok":
            called = stage.ask(*request)
    if stage.refused(attempt, opened):
        return attempt, None
    stage.refused(attempt, called)
    return attempt, called


@scene
def a_store_is_created(stage, n):
    place = stage.homes.empty()
    attempt, called = open_and_call(stage, place, n, CREATE)
    count = 0
    if called:
        again = stage.ask(*CREATE)  # the handle must be good for another try
        if again[0] != "ok" and not (attempt.syncs and is_stopped(again)):
            raise Failed(f"{attempt}: the next call failed: {show(again[1])}")
        count = (called[0] == "ok") + (again[0] == "ok")
        stage.player.close()
    stage.holds(attempt, place, count)
    return attempt


@scene
def a_new_store_is_written_to(stage, n):
    place = stage.homes.empty()
    stage.open(place)
    stage.player.must("begin", "telemetry")  # creates it
    stage.player.must("commit")
    with stage.player.under(stage.kind, n) as attempt:
        called = stage.ask(*CREATE)
    stage.refused(attempt, called)
    again = stage.ask(*CREATE)
    if again[0] != "ok" and not (attempt.syncs and is_stopped(again)):
        raise Failed(f"{attempt}: the next call failed: {show(again[1])}")
    stage.player.close()
    stage.holds(attempt, place, (called[0] == "ok") + (again[0] == "ok"))
    return attempt


def read_one(stage, place, n):
    attempt, called = open_and_call(stage, place, n, LIST)
    if called:
        again = stage.ask(*LIST)
        for word, reply in (called, again):
            if word == "ok" and len(reply) != 1:
                raise Failed(f"{attempt}: one session was written, and {len(reply)} are read")
        if again[0] != "ok":
            raise Failed(f"{attempt}: the next call failed: {show(again[1])}")
        stage.player.close()
    stage.holds(attempt, place, 1)
    return attempt


@scene
def a_store_is_opened(stage, n):
    return read_one(stage, stage.homes.copy(stage.used), n)


@scene
def a_store_of_a_killed_process_is_opened(stage, n):
    return read_one(stage, stage.homes.copy(stage.crashed), n)


@scene
def a_handle_is_closed(stage, n):
    place = stage.homes.copy(stage.used)
    stage.open(place)
    stage.player.must(*CREATE)
    with stage.player.under(stage.kind, n) as attempt:
        stage.player.close()
    stage.holds(attempt, place, 2)
    return attempt


@scene
def several_calls_are_one_transaction(stage, n):
    place = stage.homes.copy(stage.used)
    stage.open(place)
    stage.sessions()  # it is open now
    with stage.player.under(stage.kind, n) as attempt:
        answers = [stage.ask(*request) for request in (("begin", "telemetry"), CREATE, CREATE, ("commit",))]
    begun, *calls, committed = answers
    if begun[0] == "error":  # then there is nothing to commit, and each call stands for itself
        if committed[1].get("code") != "MISUSE":
            raise Failed(f"{attempt}: a commit without a transaction: {show(committed[1])}")
        answers.pop()
    failed = False
    for word, reply in answers:  # a failure may end the whole; what follows then tells CONFLICT
        failed = (word, reply.get("code")) != ("error", "CONFLICT") and stage.refused(attempt, (word, reply)) or failed
        if word == "error" and not failed:
            raise Failed(f"{attempt}: a conflict with nobody: {show(reply)}")
    written = sum(word == "ok" for word, _ in calls) if begun[0] == "error" or committed[0] == "ok" else 0
    if stage.player.digest()["open"]:
        raise Failed(f"{attempt}: the transaction is still open")
    stage.player.close()
    stage.holds(attempt, place, 1 + written)
    return attempt


@scene
def a_transaction_is_rolled_back(stage, n):
    place = stage.homes.copy(stage.used)
    stage.open(place)
    stage.sessions()  # it is open now
    with stage.player.under(stage.kind, n) as attempt:
        begun, called, undone = (stage.ask(*request) for request in (("begin", "telemetry"), CREATE, ("rollback",)))
    stage.refused(attempt, called)
    count = 1
    if stage.refused(attempt, begun):
        count += called[0] == "ok"  # it stood for itself
    else:
        stage.refused(attempt, undone)
    if stage.sessions() != count:
        raise Failed(f"{attempt}: {stage.sessions()} sessions are read, and {count} were written")
    again = stage.ask(*CREATE)
    if again[0] != "ok" and not (attempt.syncs and is_stopped(again)):
        raise Failed(f"{attempt}: the next call failed: {show(again[1])}")
    stage.player.close()
    stage.holds(attempt, place, count + (again[0] == "ok"))
    return attempt


PUB = "call", "server.pub_link", '{"session":"s"}'


@scene
def the_key_of_the_server_is_made(stage, n):
    """An address that was given out stays the same."""
    place = stage.homes.copy(stage.used)
    stage.open(place)
    stage.player.must("begin", "server")  # creates the store
    stage.player.must("commit")
    with stage.player.under(stage.kind, n) as attempt:
        told = stage.ask(*PUB)
    failed = stage.refused(attempt, told)
    stage.player.close()
    stage.open(place)
    found = stage.player.must(*PUB)
    if not failed and found != told[1]:
        raise Failed(f"{attempt}: another address is given out: {show(found)}")
    stage.player.close()
    stage.holds(attempt, place, 1)
    return attempt


# Five megabytes, more than the write-ahead log may hold: the commit is followed by a checkpoint.
LARGE = json.dumps({"session_id": 1, "error_type": "E", "error_traceback": "x" * 5_000_000})


@scene
def a_large_write_is_checkpointed(stage, n):
    place = stage.homes.copy(stage.used)
    stage.open(place)
    with stage.player.under(stage.kind, n) as attempt:
        answer = stage.ask("call", "telemetry.record_session_error", LARGE)
    written = not stage.refused(attempt, answer)
    again = stage.ask("call", "telemetry.update_heartbeat", '{"session_id":1}')
    if again[0] != "ok" and not (attempt.syncs and is_stopped(again)):
        raise Failed(f"{attempt}: the next call failed: {show(again[1])}")
    stage.player.close()
    stage.open(place)
    found = stage.player.must(*LIST)[0]["error_traceback"]
    if (found or "") != ("x" * 5_000_000 if written else ""):
        raise Failed(f"{attempt}: {'written' if written else 'not written'}, and {len(found or '')} bytes are read")
    stage.player.close()
    stage.holds(attempt, place, 1)
    return attempt


@scene
def a_store_is_copied(stage, n):
    place = stage.homes.copy(stage.used)
    copies = os.path.join(place["home"], "copies")
    stage.open(place)
    with stage.player.under(stage.kind, n) as attempt:
        answer = stage.ask("call", "stele.backup", json.dumps({"to": copies, "store": "telemetry"}))
    failed = stage.refused(attempt, answer)
    stage.player.close()
    made = [name for name in (os.listdir(copies) if os.path.isdir(copies) else []) if ".partial" not in name]
    wanted = [] if failed else [os.path.basename(copy["path"]) for copy in answer[1]]
    if sorted(made) != sorted(wanted + [f"{copy}.json" for copy in wanted]):
        raise Failed(f"{attempt}: {'failed' if failed else 'succeeded'}, and there are copies {made}")
    for copy in wanted:
        stage.holds(attempt, {"home": os.path.join(place["home"], "other"),
                              "stores": {"telemetry": os.path.join(copies, copy)}}, 1)
    stage.holds(attempt, place, 1)
    return attempt


@scene
def a_home_is_looked_over(stage, n):
    """Whatever cannot be read is told, as a line or as a failure, and nothing is changed."""
    place = stage.homes.copy(stage.used)
    stage.open(place)
    before = stage.player.digest()["digest"]
    with stage.player.under(stage.kind, n) as attempt:
        answers = [stage.ask("call", *request) for request in (("stele.handshake", "{}"), ("stele.status", "{}"), ("stele.doctor", '{"full":true}'))]
    for answer in answers:
        stage.refused(attempt, answer)
    if stage.player.digest()["digest"] != before:
        raise Failed(f"{attempt}: looking has changed the store")
    stage.player.close()
    stage.holds(attempt, place, 1)
    return attempt


def count_objects(path):
    with contextlib.closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]


@scene
def a_store_is_repaired(stage, n):
    """It is whole afterwards, or lacks what it lacked."""
    place = stage.homes.copy(stage.used)
    path = os.path.join(place["home"], "capture.db")
    whole = count_objects(path)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript("DROP INDEX idx_events_source_kind; DROP TABLE sha_watchlist; DELETE FROM source_health WHERE source = 'shell'")
    lacking = count_objects(path)
    stage.open(place)
    with stage.player.under(stage.kind, n) as attempt:
        answer = stage.ask("call", "stele.repair", '{"store":"capture"}')
    failed = stage.refused(attempt, answer)
    stage.player.close()
    found = count_objects(path)
    if found < whole and not (failed and found == lacking):
        raise Failed(f"{attempt}: {'failed' if failed else 'succeeded'}, and {found} of {whole} objects are there")
    stage.holds(attempt, place, 1)
    return attempt


@scene
def an_older_store_is_migrated(stage, n):
    """It is of the present version, or of the one it was."""
    place = stage.homes.copy(stage.used, "capture.*")
    path = os.path.join(place["home"], "capture.db")
    versions.make(path, 12)
    attempt, _ = open_and_call(stage, place, n, ("call", "capture.get_events", "{}"))
    stage.ask("close")
    with contextlib.closing(sqlite3.connect(path)) as db:
        version = db.execute("PRAGMA user_version").fetchone()[0]
    if version not in (12, versions.LATEST):
        raise Failed(f"{attempt}: the store is of version {version}")
    stage.open(place)
    if not stage.player.must("call", "capture.get_events", "{}"):
        raise Failed(f"{attempt}: its events are gone")
    stage.player.close()
    stage.holds(attempt, place, 1)
    return attempt


def play_scene(stage, function, long):
    """"" or what is wrong."""
    try:
        dense = 4 if function is a_large_write_is_checkpointed else 8
        for n in numbers(stage.kind, long, function(stage, 0), dense, turn_of(str(stage.kind), function.__name__)):
            function(stage, n)
        return ""
    except Failed as error:
        if stage.player.ask(("close",))[0][0] != "ok":
            raise doors.Broken("the handle cannot be closed") from error
        return str(error)


def play_kind(scenes, setting, kind, args):
    """(name, "" or what is wrong) of each scene, and the number of faults."""
    with Homes() as homes, Player(args.bug, args.long, kind.system) as player:
        stage = setting(player, homes, kind)
        stage.prepare()
        return play_scenes(scenes, args.scene, kind, lambda function: play_scene(stage, function, args.long)), player.injected


def main(scenes, setting):
    """Play the scenes; setting is a Stage."""
    parser = options_of_scenes("The life of a store under faults.")
    parser.add_argument("--bug", help="with this bug in the library: see tests/play/play.c")
    args = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [pool.submit(play_kind, scenes, setting, kind, args) for kind in kinds_here([*KINDS, *SYSTEM_KINDS], args, both="io once")]
        return tell(runs)


if __name__ == "__main__":
    sys.exit(main(SCENES, Stage))
