#!/usr/bin/env python3
"""Stores in PostgreSQL while requests to the server, or allocations, fail: the 1st, 2nd, 3rd ... of each scene, until it gets through.

A call that fails says so with the status that fits and has done nothing; where a connection ends during a commit it says INDOUBT,
and has done all or nothing.  One that succeeds has done its work once.  Either way the next call works.
Prints TAP: one line per scene and kind of fault.
"""

import concurrent.futures
import contextlib
import itertools
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from fault.faults import (KINDS as OF_MEMORY, Attempt, Failed, Kind, Player, check_refusal, kinds_here, options_of_scenes,  # noqa: E402
                          play_scenes, schedule, show, tell)
from fault.relay import Relay  # noqa: E402
from method import doors  # noqa: E402

STORES = ["assistant", "planner", "server", "telemetry"]
LIMIT = 60  # seconds until a server must have noticed that a session is gone, on a busy machine
LOST = frozenset({"UNAVAILABLE", "INDOUBT"})
KINDS = [
    *(Kind(name, False, LOST) for name in ("lost", "unanswered", "halved")),
    Kind("lost", True, LOST),
    Kind("40001", False, frozenset({"CONFLICT", "UNAVAILABLE"})),
    Kind("53100", False, frozenset({"FULL", "UNAVAILABLE"})),
    *(kind for kind in OF_MEMORY if kind.name in ("alloc", "arena") and not kind.persistent),
]
WAYS = len(KINDS) - sum(kind in OF_MEMORY for kind in KINDS)
THOROUGH = os.environ.get("STELE_TEST_COVERAGE") == "1"
SCENES = []
COSTLY = set()  # scenes that make stores each time: every fifth request fails, unless all is to be seen


def scene(function):
    """Played once per fault: scene(stage, n) answers what came of the n-th."""
    SCENES.append(function)
    return function


def costly(function):
    COSTLY.add(function)
    return scene(function)


def call(method, **args):
    return "call", method, json.dumps(args)


CREATE = call("telemetry.create_session", now=1)
LIST = call("telemetry.get_session_list", limit=10000)


class Stage:
    """What all scenes need, under one kind of fault: a player that reaches the server through the relay, and one that reaches it
    straight and tells what is there."""

    def __init__(self, kind, places, relay, player, reader):
        self.kind, self.places, self.relay, self.player, self.reader = kind, places, relay, player, reader
        self.here = places.new(STORES)
        self.ages = 0  # that have passed, of rows that are kept for some time
        reader.open(self.here)
        for store in STORES:
            reader.must("begin", store)
            reader.must("commit")
        reader.must(*CREATE)

    def through(self, place):
        wait_ms = 300 if self.kind.persistent else 20000  # nobody comes back
        return {**place, "wait_ms": wait_ms, "stores": {store: self.relay.url(url) for store, url in place["stores"].items()}}

    def open(self, place=None):
        self.player.open(self.through(place or self.here))

    @contextlib.contextmanager
    def under(self, n):
        """Whatever is asked in this block is under a fault."""
        if self.kind in OF_MEMORY:
            with self.player.under(self.kind, n) as attempt:
                yield attempt
            return
        attempt = Attempt(n, last=str(self.kind))
        self.relay.arm(self.kind.name, n, self.kind.persistent)
        yield attempt
        self.player._note(attempt, self.relay.disarm())

    def ask(self, *request):
        return self.player.ask(request)[0]

    def must(self, attempt, *request):
        """Without a fault, after one; a session that was lost may keep its locks for a moment."""
        deadline = time.monotonic() + LIMIT
        word, reply = self.ask(*request)
        while word != "ok" and reply["code"] == "BUSY" and time.monotonic() < deadline:
            word, reply = self.ask(*request)
        if word != "ok":
            raise Failed(f"{attempt}: the next call failed: {show(reply)}")
        return reply

    def judge(self, attempt, answer):
        """How often the work was done, for all one can know."""
        word, reply = answer
        if word == "ok":
            return {1}
        check_refusal(self.kind, attempt, reply)
        return {0, 1} if reply["code"] == "INDOUBT" else {0}


def expect(attempt, what, found, wanted):
    if found not in wanted:
        raise Failed(f"{attempt}: {what}: {show(found)}, not {' or '.join(map(show, wanted))}")


@costly
def a_store_is_made(stage, n):
    place = stage.places.new(["telemetry"])
    answer = None
    with stage.under(n) as attempt:
        opened = stage.ask("open", json.dumps(stage.through(place)))
        if opened[0] == "ok":
            answer = stage.ask(*CREATE)
    done = {0}
    if answer:
        done = stage.judge(attempt, answer)
    else:
        stage.judge(attempt, opened)
        stage.open(place)
    stage.must(attempt, *CREATE)
    expect(attempt, "sessions", len(stage.must(attempt, *LIST)) - 1, done)
    stage.player.close()
    return attempt


def write(stage, n, look, *requests):
    """The requests under a fault, the last of which ends the work that is to be done once; look: the rows it adds to."""
    count = len(stage.reader.must(*look))
    with stage.under(n) as attempt:
        answers = [stage.ask(*request) for request in requests]
    done = stage.judge(attempt, answers[-1])
    for answer in answers[:-1]:
        stage.judge(attempt, answer)
    expect(attempt, "rows", len(stage.reader.must(*look)) - count, done)
    stage.must(attempt, *look)
    return attempt


@scene
def a_store_is_opened_and_written_to(stage, n):
    stage.open()
    try:
        return write(stage, n, LIST, CREATE)
    finally:
        stage.player.close()


@scene
def an_open_store_is_written_to(stage, n):
    stage.open()
    stage.must(None, *CREATE)
    try:
        return write(stage, n, LIST, CREATE)
    finally:
        stage.player.close()


@scene
def a_call_that_is_made_twice_is_done_once(stage, n):
    key = f"{stage.kind} {n}"
    say = call("planner.receive_message", session=key, content="hello", idempotency_key=key)
    look = call("planner.get_recent_messages", session=key)
    stage.open()
    try:
        attempt = write(stage, n, look, say)
        stage.must(attempt, *say)
        expect(attempt, "messages", len(stage.reader.must(*look)), {1})
        return attempt
    finally:
        stage.player.close()


@scene
def rows_are_read(stage, n):
    stage.open()
    stage.must(None, *LIST)
    whole = stage.reader.must(*LIST)
    with stage.under(n) as attempt:
        word, reply = stage.ask(*LIST)
    if word == "ok" and reply != whole:
        raise Failed(f"{attempt}: {len(whole)} sessions are there, and {len(reply)} were told")
    stage.judge(attempt, (word, reply))
    if stage.must(attempt, *LIST) != whole:
        raise Failed(f"{attempt}: the next call told something else")
    stage.player.close()
    return attempt


@scene
def several_calls_are_one_transaction(stage, n):
    stage.open()
    stage.must(None, *LIST)
    count = len(stage.reader.must(*LIST))
    with stage.under(n) as attempt:
        begun = stage.ask("begin", "telemetry")
        answers = [stage.ask(*request) for request in (CREATE, CREATE, ("commit",))] if begun[0] == "ok" else []
    stage.judge(attempt, begun)
    failed = False
    for word, reply in answers:  # what comes after a failure tells that the transaction was ended
        if word == "error" and not (failed and reply["code"] in ("CONFLICT", "UNAVAILABLE", "INTERNAL", "MISUSE")):
            stage.judge(attempt, (word, reply))
        failed |= word == "error"
    done = {0, 2} if answers and answers[-1][1].get("code") == "INDOUBT" else {2} if answers and answers[-1][0] == "ok" else {0}
    if failed and answers[-1][0] == "ok":
        done = {sum(word == "ok" for word, _ in answers[:-1])}
    expect(attempt, "sessions", len(stage.reader.must(*LIST)) - count, done)
    stage.must(attempt, *LIST)
    stage.player.close()
    return attempt


@scene
def a_transaction_is_rolled_back(stage, n):
    stage.open()
    stage.must(None, *LIST)
    count = len(stage.reader.must(*LIST))
    with stage.under(n) as attempt:
        begun = stage.ask("begin", "telemetry")
        answers = [stage.ask(*request) for request in (CREATE, ("rollback",))] if begun[0] == "ok" else []
    for answer in (begun, *answers):
        stage.judge(attempt, answer)
    expect(attempt, "sessions", len(stage.reader.must(*LIST)) - count, {0})
    stage.must(attempt, *CREATE)
    stage.player.close()
    return attempt


# What makes raw SQL forget that it was ever used.
NO_ROLE = ("DO $$ DECLARE r text := 'stele_raw_' || left(md5(current_database() || '/' || current_schema()), 16); BEGIN "
           "IF EXISTS (SELECT FROM pg_roles WHERE rolname = r) THEN EXECUTE format('DROP OWNED BY %I; DROP ROLE %I', r, r); END IF; END $$")
RAW = "INSERT INTO notes (id, title, content, created_at) VALUES ($1, $2, 'c', now())"


@scene
def raw_sql_is_run(stage, n):
    notes = call("assistant.get_notes")
    stage.open()
    try:
        attempt = write(stage, n, notes, call("assistant.raw_sql_execute", sql=RAW, params=[f"{stage.kind} {n}", 1.5]))
        if attempt.fired:
            return attempt
        answer = None
        with stage.under(n) as attempt:
            answer = stage.ask(*call("assistant.raw_sql_query", sql="SELECT id, $1::int AS one FROM notes", params=[7]))
        stage.judge(attempt, answer)
        return attempt
    finally:
        stage.player.close()


@costly
def raw_sql_is_run_for_the_first_time(stage, n):
    """The role that it runs as is made."""
    stage.places.sql(stage.here, "assistant", NO_ROLE)
    stage.open()
    query = call("assistant.raw_sql_query", sql="SELECT 7 AS seven")
    with stage.under(n) as attempt:
        answer = stage.ask(*query)
    stage.judge(attempt, answer)
    expect(attempt, "rows", stage.must(attempt, *query)["rows"], [[[7]]])
    stage.player.close()
    return attempt


@scene
def a_home_is_looked_over(stage, n):
    """Whatever cannot be asked is told, as a line or as a failure."""
    stage.open()
    for request in (call("stele.schema", store="telemetry"), call("stele.doctor", stores=["telemetry"])):
        with stage.under(n) as attempt:
            answer = stage.ask(*request)
        stage.judge(attempt, answer)
        if attempt.fired:
            break
    stage.player.close()
    return attempt


# Kept for so long that the partitions are wide, and few: what a round makes, the one of the next age drops.
DAY, KEEP = 86400, 900
LISTENER = {"app_key": "a", "instance_index": 0, "handler_method": "h", "topic": "t", "source_location": "a.py:1"}


@costly
def partitions_are_made_and_dropped(stage, n):
    """Whatever fails of it, rows that are due go, now or with the next round, and no others."""
    now = (stage.ages * 1000 + 1000) * DAY + 3600
    stage.ages += 1
    times = [now, now + 2 * DAY]  # one beyond the partition that ends with the day
    stage.reader.must(*call("telemetry.register_listener", **LISTENER))
    stage.reader.must(*call("telemetry.persist_batch", executions=[], invocations=[
        {"listener_id": 1, "session_id": 1, "execution_start_dtme": at, "duration_ms": 1, "status": "success"} for at in times]))
    look = call("telemetry.get_handler_invocations", listener_id=1, limit=10000)
    retain = call("stele.retain", outside=True, again=True, only=["telemetry.invocations"], now=now, keep={"telemetry.invocations": f"{KEEP}d"})
    stage.open()
    with stage.under(n) as attempt:
        answer = stage.ask(*retain)
    stage.judge(attempt, answer)
    left = sorted(row["execution_start_dtme"] for row in stage.reader.must(*look))
    if left[-2:] != times:
        raise Failed(f"{attempt}: {times} are not due, and {left} are left")
    stage.must(attempt, *retain)
    expect(attempt, "rows", sorted(row["execution_start_dtme"] for row in stage.must(attempt, *look)), [times])
    stage.player.close()
    return attempt


def give_tokens(player, place):
    player.open(place)
    for name in ("one", "two"):
        player.must(*call("server.create_token", name=name))
    player.close()


def copy(stage, n, source, target, again=False):
    """Under a fault, and again until nothing fails: what was copied before is not lost."""
    request = call("stele.copy", to=target.get("stores", target).get("server") or target["home"], store="server", again=again)
    stage.player.open(source)
    with stage.under(n) as attempt:
        answer = stage.ask(*request)
    stage.judge(attempt, answer)
    stage.must(attempt, *request)
    stage.player.close()
    stage.player.open(target)
    expect(attempt, "tokens", sorted(token["name"] for token in stage.must(attempt, *call("server.list_tokens"))), [["one", "two"]])
    stage.player.close()
    return attempt


def files_beside(place):
    return {"home": place["home"] + "-files"}


@costly
def files_are_copied_to_the_server(stage, n):
    place = stage.places.new(["server"])
    give_tokens(stage.player, files_beside(place))
    return copy(stage, n, files_beside(place), stage.through(place))


@costly
def a_store_of_the_server_is_copied_to_files(stage, n):
    place = stage.places.new(["server"])
    give_tokens(stage.player, place)
    return copy(stage, n, stage.through(place), files_beside(place))


@costly
def a_copy_on_the_server_is_brought_up_to_date(stage, n):
    """What differs is removed, or put right."""
    place = stage.places.new(["server"])
    files = files_beside(place)
    give_tokens(stage.player, files)
    stage.player.open(files)
    stage.player.must(*call("stele.copy", to=place["stores"]["server"], store="server"))
    stage.player.close()
    stage.places.sql(place, "server", "DELETE FROM server_tokens WHERE id = 1; UPDATE server_tokens SET name = 'other'; "
                     "INSERT INTO server_tokens (id, name, prefix, hash, scopes, created_at) VALUES (9, 'nine', 'n', 'n', '[]', 1)")
    return copy(stage, n, files, stage.through(place), again=True)


# ---- The program ----

def numbers(kind, function, long):
    """Which N to try.  The ways in which a request fails take turns: each request fails in some way, and in each way some request."""
    every = 5 if function in COSTLY and not (long or THOROUGH) else 1
    if kind in OF_MEMORY:
        return schedule(long, 4 if every > 1 else 16)
    return itertools.count(1) if long else itertools.count(1 + KINDS.index(kind) * every, WAYS * every)


def play_scene(stage, function, long):
    """"" or what is wrong."""
    try:
        for n in numbers(stage.kind, function, long):
            if not function(stage, n).fired:
                return ""
    except Failed as error:
        stage.relay.disarm()
        if stage.player.ask(("close",))[0][0] != "ok":
            raise doors.Broken("the handle cannot be closed") from error
        return str(error)


def play_kind(kind, args):
    """(name, "" or what is wrong) of each scene, and the number of faults."""
    with doors.Postgres(STORES) as places, Relay(places.server) as relay, Player(long=args.long) as player, doors.Player() as reader:
        stage = Stage(kind, places, relay, player, reader)
        return play_scenes(SCENES, args.scene, kind, lambda function: play_scene(stage, function, args.long)), player.injected


def main():
    args = options_of_scenes("PostgreSQL under faults.").parse_args()
    if os.environ.get("STELE_WITHOUT_POSTGRES") == "1":
        print("1..0 # SKIP built without PostgreSQL")
        return 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        kinds = KINDS if THOROUGH and not args.kind else kinds_here(KINDS, args, both="unanswered once")
        runs = [pool.submit(play_kind, kind, args) for kind in kinds]
        return tell(runs)


if __name__ == "__main__":
    sys.exit(main())
