#!/usr/bin/env python3
"""Writes that share a commit: each all or nothing by itself, none answered before it is safe.  Prints TAP."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cli.place import Database, main, postgres_test, same, test  # noqa: E402
from serve.server import Server, serving  # noqa: E402

CLIENTS, EACH = 16, 40


def append(connection, token, session, key, content):
    """The status and the reply."""
    connection.request("POST", "/v1/conversation/append_message",
                       json.dumps({"session_id": session, "role": "user", "content": content}),
                       {"Authorization": f"Bearer {token}", **({"Idempotency-Key": key} if key else {})})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def together(server, work):
    """work(number, connection) by many clients at once; their results."""
    def run(number):
        connection = server.connect()
        with contextlib.closing(connection):
            return work(number, connection)
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        return list(pool.map(run, range(CLIENTS)))


def contents(server, session):
    return sorted(row["content"] for row in server.call("conversation.get_messages", session_id=session))


def groups(server):
    figures = {}
    for line in server.get("/metrics").text.splitlines():
        if line.startswith("stele_write_"):
            name, _, value = line.partition(" ")
            figures[name] = value
    return int(figures["stele_write_calls_total"]), int(figures["stele_write_groups_total"])


def mix(server):
    """Good and bad calls together: every good one is there once, no bad one left anything."""
    server.call("conversation.create_session", session_id="s", source="cli")

    def work(number, connection):
        told = []
        for n in range(EACH):
            session = "s" if n % 3 else "unknown"
            status, reply = append(connection, server.token, session, None, f"{number}-{n}")
            same(status, 200 if n % 3 else 404)
            told += [reply["id"]] if n % 3 else []
        return told
    ids = sum(together(server, work), [])
    same(len(ids), len(set(ids)))
    same(contents(server, "s"), sorted(f"{c}-{n}" for c in range(CLIENTS) for n in range(EACH) if n % 3))
    same(server.call("conversation.get_session", session_id="s")["message_count"], len(ids))
    calls, commits = groups(server)
    if not commits < calls:
        raise AssertionError(f"{calls} writes in {commits} groups: nothing was shared")


@test("sqlite: good and bad calls in one group")
def _():
    with serving() as server:
        mix(server)


@postgres_test("postgres: good and bad calls in one group")
def _():
    with Database() as database, serving("--database", database.url) as server:
        mix(server)


def two_servers(one, other):
    """Both write into one session at once: whatever was answered is there, and counted."""
    one.call("conversation.create_session", session_id="s", source="cli")

    def work(number, connection):
        with contextlib.closing((one, other)[number % 2].connect()) as mine:
            for n in range(EACH):
                same(append(mine, (one, other)[number % 2].token, "s", None, f"{number}-{n}")[0], 200)
    together(one, work)
    same(contents(one, "s"), sorted(f"{c}-{n}" for c in range(CLIENTS) for n in range(EACH)))
    same(other.call("conversation.get_session", session_id="s")["message_count"], CLIENTS * EACH)


@test("sqlite: two servers on one home")
def _():
    with serving() as one, Server(one.home) as other:
        two_servers(one, other)


@postgres_test("postgres: two servers on one database, whose groups collide")
def _():
    with Database() as database, serving("--database", database.url) as one, Server(one.home, "--database", database.url) as other:
        two_servers(one, other)


@test("one key sent by all at once writes once, and all get the same reply")
def _():
    with serving() as server:
        server.call("conversation.create_session", session_id="s", source="cli")
        replies = together(server, lambda number, connection: [
            append(connection, server.token, "s", f"key {n}", f"{n}") for n in range(EACH)])
        same([reply for reply in replies if reply != replies[0]], [])
        same(contents(server, "s"), sorted(str(n) for n in range(EACH)))


@test("what was written is read by the next request, whichever thread reads it")
def _():
    with serving() as server:
        server.call("conversation.create_session", session_id="s", source="cli")

        def work(number, connection):
            for n in range(EACH):
                same(append(connection, server.token, "s", None, f"{number}-{n}")[0], 200)
                connection.request("GET", "/v1/conversation/message_count", headers={"Authorization": f"Bearer {server.token}"})
                if json.loads(connection.getresponse().read())["count"] < n + 1:
                    raise AssertionError("a read missed a write that was answered")
            return None
        together(server, work)
        server.call("conversation.rewind_to_message", session_id="s", target_message_id=3)  # a feature of the file, made just now
        for _ in range(20):
            same(len(server.call("conversation.get_messages", session_id="s")), 2)


@test("kill -9 under load: every answered write is there, once")
def _():
    with tempfile.TemporaryDirectory(prefix="stele-") as directory:
        home = os.path.join(directory, "home")
        answered = set()
        for round_number in range(3):
            server = Server(home)
            if round_number == 0:
                server.call("conversation.create_session", session_id="s", source="cli")
            answered |= kill_under_load(server, round_number)
        with Server(home) as server:
            found = contents(server, "s")
            same(sorted(set(found)), found)
            same(sorted(answered - set(found)), [])
            same(server.call("conversation.get_session", session_id="s")["message_count"], len(found))


def kill_under_load(server, round_number):
    answered, enough = set(), threading.Event()

    def work(number, connection):
        for n in range(100_000):
            name = f"{round_number}-{number}-{n}"
            try:
                status, _ = append(connection, server.token, "s", name, name)
            except (ConnectionError, http.client.HTTPException):
                return
            same(status, 200)
            answered.add(name)
            if len(answered) >= 300:
                enough.set()
    killer = threading.Thread(target=lambda: (enough.wait(60), server.kill()))
    killer.start()
    together(server, work)
    killer.join()
    server.stop()
    return answered


if __name__ == "__main__":
    sys.exit(main())
