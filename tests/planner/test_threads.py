#!/usr/bin/env python3
"""Many write to one task at once, and nothing is lost.  Prints TAP."""

import collections
import concurrent.futures
import contextlib
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from method import doors  # noqa: E402
from place import Database, main, postgres_test, same, test  # noqa: E402
from serve.server import serving  # noqa: E402

TASKS = [{"type": "msg", "detail": "x"}]


def check(calls, writers, each):
    """Every entry is there once, and those of each writer in its order."""
    same(len(calls), writers * each)
    by_writer = collections.defaultdict(list)
    for call in calls:
        by_writer[call["w"]].append(call["n"])
    same(dict(by_writer), {writer: list(range(each)) for writer in range(writers)})


def through_server(server, threads, each):
    server.call("planner.create_plan", session="s", message_id=1, goal="g", tasks=TASKS)

    def append(writer):
        with contextlib.closing(server.connect()) as connection:
            for n in range(each):
                connection.request("POST", "/v1/planner/append_task_llm_call",
                                   json.dumps({"id": 1, "llm_call": {"w": writer, "n": n}}),
                                   {"Authorization": f"Bearer {server.token}"})
                answer = connection.getresponse()
                body = answer.read()
                if answer.status != 200:
                    raise AssertionError(f"{answer.status}: {body}")
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        list(pool.map(append, range(threads)))
    check(server.call("planner.get_task", id=1)["llm_calls"], threads, each)


def through_handles(places, writers, each):
    """Each writer is a process with a handle of its own."""
    with places as place, contextlib.ExitStack() as stack:
        where = place.new()
        players = [stack.enter_context(doors.Player()) for _ in range(writers)]
        for player in players:
            player.open(where)
        players[0].must("call", "planner.create_plan", json.dumps({"session": "s", "message_id": 1, "goal": "g", "tasks": TASKS}))

        def append(writer):
            for n in range(each):
                players[writer].must("call", "planner.append_task_llm_call", json.dumps({"id": 1, "llm_call": {"w": writer, "n": n}}))
        with concurrent.futures.ThreadPoolExecutor(writers) as pool:
            list(pool.map(append, range(writers)))
        check(players[0].must("call", "planner.get_task", '{"id":1}')["llm_calls"], writers, each)


@test("sqlite: 100 threads add 100 calls each to one task of a server: 10,000 entries")
def _():
    with serving() as server:
        through_server(server, 100, 100)


@postgres_test("postgres: 100 threads add 20 calls each to one task of a server")
def _():
    with Database() as database, serving("--store", f"planner={database.schema('planner')}") as server:
        through_server(server, 100, 20)


@test("sqlite: 8 processes add 50 calls each to one task")
def _():
    through_handles(doors.Sqlite(), 8, 50)


@postgres_test("postgres: 8 processes add 50 calls each to one task")
def _():
    through_handles(doors.Postgres(["planner"]), 8, 50)


if __name__ == "__main__":
    sys.exit(main())
