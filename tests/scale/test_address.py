#!/usr/bin/env python3
"""What the address of a database may say: reads from a standby, never older than one's own writes, and how long a statement may take.
Prints TAP."""

import contextlib
import json
import os
import secrets
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli"), HERE]
import postgres  # noqa: E402
from method import doors  # noqa: E402
from place import POSTGRES, Place, has, main, postgres_test, same  # noqa: E402
from servers import LIMIT, url_of, wait_until  # noqa: E402


@contextlib.contextmanager
def opened(place, url, **more):
    with doors.Player() as player:
        player.open({"home": place.home, "database": url, "wait_ms": LIMIT * 1000, **more})
        yield player


def say(player, content):
    return player.must("call", "planner.receive_message", json.dumps({"session": "s", "content": content}))


def said(player):
    return [row["content"] for row in player.must("call", "planner.get_recent_messages", '{"session":"s"}')]


@postgres_test("reads go to a standby, but never to one that lacks what this process wrote, nor to one that is gone")
def _():
    with Place() as place, postgres.Server(durable=True, tcp=True) as first, postgres.Standby(first) as second:
        url = url_of(first, second, more="?reads=replica")
        with opened(place, url) as writer, opened(place, url) as other, opened(place, url, flags=["readonly"]) as reader:
            say(writer, "one")
            same(said(writer), ["one"])
            written = first.sql("SELECT pg_current_wal_insert_lsn()")
            wait_until(lambda: second.sql(f"SELECT pg_last_wal_replay_lsn() >= '{written}'") == "t")
            same((said(other), said(reader)), (["one"], ["one"]))
            second.sql("SELECT pg_wal_replay_pause()")
            wait_until(lambda: second.sql("SELECT pg_get_wal_replay_pause_state()") == "paused")
            say(writer, "two")
            same((said(writer), said(other), said(reader)), (["one", "two"], ["one"], ["one"]))
            second.sql("SELECT pg_wal_replay_resume()")
            wait_until(lambda: said(other) == said(reader) == ["one", "two"])
            same(said(writer), ["one", "two"])
            second.stop()
            say(writer, "three")
            same((said(writer), said(other), said(reader)), (["one", "two", "three"],) * 3)


@postgres_test("a store that no standby has yet is made by the primary")
def _():
    with Place() as place, opened(place, with_parameter(f"reads=replica&tenant=fresh{secrets.token_hex(8)}")) as player:
        same(said(player), [])
        say(player, "first")
        same(said(player), ["first"])


def with_parameter(text):
    return f"{POSTGRES}{'&' if '?' in POSTGRES else '?'}{text}"


@postgres_test("reads= says primary or replica, and nothing else")
def _():
    with Place() as place, doors.Player() as player:
        word, reply = player.ask(("open", json.dumps({"home": place.home, "database": with_parameter("reads=anywhere")})))[0]
        same((word, reply["code"]), ("error", "INVALID"))
        has(reply["message"], "primary or replica")


@contextlib.contextmanager
def locked(server, table):
    """Somebody holds the table until the end of the block."""
    hold = f"BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep({LIMIT})"
    holder = subprocess.Popen([f"{postgres._programs()}/psql", "--no-psqlrc", "-c", hold, server.url], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    granted = "FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation = '{}'::regclass".format(table)
    try:
        wait_until(lambda: server.sql(f"SELECT count(*) {granted}") == "1")
        yield
        server.sql(f"SELECT pg_terminate_backend(pid) {granted}")
    finally:
        holder.kill()
        holder.wait()


@postgres_test("a statement that takes longer than it may is BUSY, and the next one goes on")
def _():
    with Place() as place, postgres.Server(tcp=True) as server, opened(place, url_of(server, more="?statement_timeout=300ms")) as player:
        say(player, "before")
        with locked(server, "planner.messages"):
            for method in ("planner.receive_message", "planner.get_recent_messages"):
                word, reply = player.call(method, '{"session":"s","content":"x"}' if "receive" in method else '{"session":"s"}')
                same((word, reply["code"]), ("error", "BUSY"))
                has(reply["message"], "timeout")
        wait_until(lambda: player.call("planner.get_recent_messages", '{"session":"s"}')[0] == "ok")
        same(said(player), ["before"])
        player.close()
        player.open({"home": place.home, "database": url_of(server, more="?statement_timeout=soon")})
        word, reply = player.call("planner.get_recent_messages", '{"session":"s"}')
        same((word, reply["code"]), ("error", "INVALID"))


if __name__ == "__main__":
    sys.exit(main())
