#!/usr/bin/env python3
"""Upkeep by several at once, of files outside the home, and of a store that fails.  Prints TAP."""

import concurrent.futures
import contextlib
import json
import os
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from method import doors  # noqa: E402
from place import Place, has, main, postgres_test, same, test  # noqa: E402

THEN, NOW = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"
AT_ONCE, FACTS = 6, 20


def many_at_once(places):
    """Each has a handle in a process of its own, and all are asked at the same time."""
    with places as place, contextlib.ExitStack() as stack:
        where = place.new()
        players = [stack.enter_context(doors.Player()) for _ in range(AT_ONCE)]
        for player in players:
            player.open(where)

        def call(player, method, **args):
            return player.must("call", method, json.dumps(args))
        call(players[0], "planner.save_fact", content="FACT 0", source="s", now=THEN)
        for n in range(FACTS):
            call(players[0], "planner.save_fact", content=f"fact {n}", source="s", now=THEN)
            for session in "ab":
                call(players[0], "planner.save_learning", content=f"learning {n}", session=session, now=NOW)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            told = list(pool.map(lambda player: call(player, "stele.upkeep", outside=True, now=NOW), players))
        same(sorted(len(rows) for rows in told), [0] * (AT_ONCE - 1) + [FACTS * 3 + 2])  # one fact was there twice, and both decay
        facts = call(players[0], "planner.get_facts")
        same([fact["confidence"] for fact in facts], [0.9] * FACTS + [0.5] * FACTS)


@test(f"sqlite: of {AT_ONCE} processes at once one makes the day's step of decay, and every learning is promoted once")
def _():
    many_at_once(doors.Sqlite())


@postgres_test(f"postgres: of {AT_ONCE} processes at once one makes the day's step of decay, and every learning is promoted once")
def _():
    many_at_once(doors.Postgres(["planner"]))


def old_fact(place, *options):
    place.run(*options, "call", "planner.save_fact", json.dumps({"content": "x", "source": "s", "now": THEN})).reply()


@test("a file outside the home is another program's to keep in order, unless that is asked for")
def _():
    with Place() as place:
        outside = ("--store", f"planner={place.at('store.db')}")
        old_fact(place, *outside)
        same(place.run(*outside, "upkeep", "--json").reply(), [])
        told = place.run(*outside, "upkeep", "--into-foreign", "--json").reply()
        same([(row["chore"], row["what"]) for row in told], [("planner.decay", "fact 1")])


@test("a store that fails is told after the others were seen to, and nothing of it is changed")
def _():
    with Place() as place:
        old_fact(place)
        place.call("assistant.save_user_fact", {"key": "done_x", "value": "v", "source": "reflection", "updated_at": THEN}).reply()
        place.call("capture.record_lesson", {"repo": "r", "min_occurrences": 9}).reply()
        with contextlib.closing(sqlite3.connect(os.path.join(place.home, "assistant.db"))) as db, db:
            db.execute("CREATE TRIGGER stuck BEFORE DELETE ON user_facts BEGIN SELECT RAISE(ABORT, 'stuck'); END")
        done = place.run("upkeep")
        same((done.status != 0, done.out), (True, ""))
        has(done.err, "assistant.upkeep_decay", "stuck")
        same(place.call("planner.get_fact", {"id": 1}).reply()["confidence"], 0.9)
        same(len(place.call("assistant.get_all_user_facts").reply()), 1)


@test("the command tells every change and why, a dry run changes nothing, and the configuration has its say")
def _():
    with Place() as place:
        old_fact(place)
        done = place.run("upkeep", "--dry-run", "--plain", "--set", "upkeep.fact_decay_percent=25")
        same((done.status, done.out), (0, "planner.decay\tfact 1\tdecayed\tnot used since 2026-01-01 00:00:00: confidence 1.00 becomes 0.75\n"))
        same(place.run("upkeep", "--json", "--set", "upkeep.except=planner.decay").reply(), [])
        same(place.run("upkeep", "--json", "--only", "planner.archive,capture").reply(), [])
        same(len(place.run("upkeep", "--json").reply()), 1)
        has(place.run("upkeep").err, "everything is in order")
        same(len(place.run("upkeep", "--json", "--again").reply()), 1)
        has(place.run("upkeep", "--only", "planner.deacy").err, "there is no chore planner.deacy")


if __name__ == "__main__":
    sys.exit(main())
