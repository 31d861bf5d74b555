#!/usr/bin/env python3
"""Following a store by server-sent events.  Prints TAP."""

import contextlib
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cli.place import Database, has, main, postgres_test, same, test  # noqa: E402
from serve.server import CLI, serving, until  # noqa: E402


class Follower:
    """A client that reads one event after another."""

    def __init__(self, server, query="", headers=None):
        self.connection = server.connect()
        self.connection.request("GET", "/v1/follow" + query, headers={"Authorization": f"Bearer {server.token}", **(headers or {})})
        self.answer = self.connection.getresponse()
        self.comments = 0
        if self.answer.status == 200:
            same(self.answer.getheader("Content-Type"), "text/event-stream")
            same(self._line(), "retry: 2000")
            self._until_blank()

    def _line(self):
        line = self.answer.readline()
        if not line:
            raise EOFError("the stream has ended")
        return line.decode().rstrip("\n")

    def _until_blank(self):
        lines = []
        while line := self._line():
            if line.startswith(":"):
                self.comments += 1
            else:
                lines.append(line.partition(": ")[::2])
        return dict(lines)

    def event(self):
        """The next event: its id, and the row."""
        while True:
            found = self._until_blank()
            if "data" in found:
                row = json.loads(found["data"])
                same(found["id"], str(row["id"]))
                return row

    def close(self):
        self.connection.close()


def session(server, name):
    server.call("conversation.create_session", session_id=name, source="cli")


def say(server, name, text):
    return server.call("conversation.append_message", session_id=name, role="user", content=text)["id"]


def follow_all(server):
    session(server, "a")
    session(server, "b")
    say(server, "a", "before")
    with contextlib.closing(Follower(server)) as everything, \
            contextlib.closing(Follower(server, "?store=conversation&session=b")) as only_b:
        first = say(server, "a", "one")
        second = say(server, "b", "two\nlines")
        same([(row["id"], row["content"]) for row in (everything.event(), everything.event())],
             [(first, "one"), (second, "two\nlines")])
        same(only_b.event()["id"], second)
    third = [say(server, "b", f"later {n}") for n in range(250)]
    with contextlib.closing(Follower(server, headers={"Last-Event-ID": str(first)})) as again:
        same([again.event()["id"] for _ in range(251)], [second, *third])


@test("sqlite: new messages come to who follows, all or those of one session; Last-Event-ID goes on")
def _():
    with serving() as server:
        follow_all(server)


@postgres_test("postgres: new messages come to who follows, all or those of one session; Last-Event-ID goes on")
def _():
    with Database() as database, serving("--database", database.url) as server:
        follow_all(server)


@test("what another process writes comes too")
def _():
    with serving(settings="poll=50") as server:
        session(server, "a")
        with contextlib.closing(Follower(server)) as follower:
            subprocess.run([CLI, "--home", server.home, "call", "conversation.append_message",
                            '{"session_id":"a","role":"user","content":"from outside"}'], check=True, stdout=subprocess.DEVNULL)
            same(follower.event()["content"], "from outside")


@test("signs of life come while nothing happens")
def _():
    with serving(settings="heartbeat=1,poll=100") as server:
        with contextlib.closing(Follower(server)) as follower:
            before = follower.comments
            follower._until_blank()
            same(follower.comments, before + 1)


@test("followers that leave are forgotten; those that stay are told when the server stops")
def _():
    with serving(settings="heartbeat=1,poll=50") as server:
        session(server, "a")
        for _ in range(10):
            Follower(server).close()
        stays = Follower(server)
        until(lambda: json.loads(server.get("/v1/status").text)["followers"] == 1)
        server.stop()
        try:
            stays.event()
            raise AssertionError("the stream goes on")
        except EOFError:
            pass


@test("what cannot be followed, and too many that follow")
def _():
    with serving(settings="followers=1") as server:
        same(server.get("/v1/follow?store=telemetry").status, 404)
        same(server.get("/v1/follow", {"Last-Event-ID": "x"}).status, 400)
        token = server.call("server.create_token", name="x", scopes=["telemetry:read"])["token"]
        same(server.get("/v1/follow", token=token).status, 403)
        with contextlib.closing(Follower(server)):
            answer = server.get("/v1/follow")
            same(answer.status, 503)
            has(answer.text, "too many")


if __name__ == "__main__":
    sys.exit(main())
