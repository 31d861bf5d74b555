#!/usr/bin/env python3
"""The connection to PostgreSQL is lost at every message that a call sends: the call is done once, or says that this is not known.
Prints TAP."""

import contextlib
import json
import os
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli"), HERE]
import postgres  # noqa: E402
from cutting import Proxy  # noqa: E402
from method import doors  # noqa: E402
from place import Place, has, lacks, main, postgres_test, same  # noqa: E402
from servers import LIMIT, port_of, url_of, wait_until  # noqa: E402

SAYING, SAID = "planner.receive_message", "planner.get_recent_messages"
USER, MORE = "postgres:hunter22", "?sslmode=disable&gssencmode=disable"


class Talk:
    """One who writes and reads through a proxy."""

    def __init__(self, player, proxy):
        self.player, self.proxy, self.count = player, proxy, 0

    def say(self, content, **more):
        return self.player.call(SAYING, json.dumps({"session": "s", "content": content, **more}))

    def said(self, content):
        """How often it is there."""
        rows = self.player.must("call", SAID, json.dumps({"session": "s", "limit": 1000000}))
        return [row["content"] for row in rows].count(content)


@contextlib.contextmanager
def talking(*hosts, wait_ms=LIMIT * 1000, **settings):
    """hosts: ports besides the proxy's."""
    with Place() as place, postgres.Server(tcp=True, **settings) as server, Proxy(port_of(server)) as proxy, doors.Player() as player:
        player.open({"home": place.home, "database": url_of(*hosts, proxy.port, user=USER, more=MORE), "wait_ms": wait_ms})
        talk = Talk(player, proxy)
        same(talk.say("first")[0], "ok")
        yield talk, server


def at_every_message(talk, call):
    """Cut at the first message of a call, the second, ... until it sends no more; what was cut, each time, with the answer."""
    for number in range(1, 200):
        talk.proxy.cut(number)
        answer = call(number)
        if talk.proxy.what is None:
            talk.proxy.wanted = None
            return
        yield number, talk.proxy.what, answer
    raise AssertionError("a call that never ends")


@postgres_test("a write is done once wherever the connection is lost before its commit")
def _():
    with talking() as (talk, _):
        commits = 0
        for number, what, (word, reply) in at_every_message(talk, lambda n: talk.say(f"m{n}")):
            if b"COMMIT" in what:
                commits += 1
                same((word, reply["code"], talk.said(f"m{number}")), ("error", "INDOUBT", 0))
            else:
                same((what, word, talk.said(f"m{number}")), (what, "ok", 1))
        same(commits, 1)


@postgres_test("a read is answered wherever the connection is lost")
def _():
    with talking() as (talk, _):
        for method in (SAID, "planner.status", "planner.context"):  # streamed, of one statement, of several
            whole = talk.player.call(method, '{"session":"s"}')
            same(whole[0], "ok")
            for _, what, answer in at_every_message(talk, lambda n: talk.player.call(method, '{"session":"s"}')):
                same((what, answer), (what, whole))


@postgres_test("a commit without an answer: the call says that it does not know, and one with a key finds out")
def _():
    with talking() as (talk, _):
        talk.proxy.cut("COMMIT", answer=True)
        word, reply = talk.say("alone")
        same((word, reply["code"], talk.said("alone")), ("error", "INDOUBT", 1))
        has(reply["message"], "whether it was done is unknown")
        has(reply["hint"], "look whether it was done before you call again", "idempotency_key")
        for answer in (True, False):
            content = f"key {answer}"
            talk.proxy.cut("COMMIT", answer=answer)
            same((talk.say(content, idempotency_key=content)[0], talk.said(content)), ("ok", 1))


@postgres_test("a server that stays away: the call waits as long as it was told, and keeps the password to itself")
def _():
    with talking(wait_ms=300) as (talk, server):
        talk.proxy.stop()
        word, reply = talk.say("nobody")
        same((word, reply["code"]), ("error", "UNAVAILABLE"))
        lacks(json.dumps(reply), "hunter22")


@postgres_test("a session that ended while nothing was asked of it is not missed")
def _():
    with talking() as (talk, _):
        talk.proxy.cut_all()
        same((talk.say("second")[0], talk.said("second")), ("ok", 1))


@postgres_test("of several servers the first that takes writes is used; if none does, all are named")
def _():
    with Proxy(0) as nobody:
        nobody.stop()
        with talking(nobody.port) as (talk, server):
            same(talk.said("first"), 1)
        with Place() as place, doors.Player() as player:
            player.open({"home": place.home, "database": url_of(nobody.port, talk.proxy.port, user=USER, more=MORE)})
            word, reply = player.call(SAID, '{"session":"s"}')
            same((word, reply["code"]), ("error", "UNAVAILABLE"))
            has(reply["message"], f"port {nobody.port}", f"port {talk.proxy.port}")
            lacks(json.dumps(reply), "hunter22")


def read_only(server, on):
    server.sql(f"ALTER SYSTEM SET default_transaction_read_only = {'on' if on else 'off'}")
    server.sql("SELECT pg_reload_conf()")
    wait_until(lambda: server.sql("SHOW default_transaction_read_only") == ("on" if on else "off"))


@postgres_test("a server that takes no writes any more: with one address that is said, with several another is looked for")
def _():
    with talking() as (talk, server):
        read_only(server, True)
        talk.proxy.cut_all()
        word, reply = talk.say("refused")
        same((word, reply["code"], talk.said("refused")), ("error", "READONLY", 0))
    with Proxy(0) as nobody:
        nobody.stop()
        with talking(nobody.port) as (talk, server):
            before = talk.proxy.connections
            read_only(server, True)
            talk.proxy.cut_all()
            answers = []
            writer = threading.Thread(target=lambda: answers.append(talk.say("patient")))
            writer.start()
            wait_until(lambda: talk.proxy.connections > before + 1)
            read_only(server, False)
            writer.join(LIMIT)
            same((answers[0][0], talk.said("patient")), ("ok", 1))


@postgres_test("a commit that the standby did not confirm is in doubt")
def _():
    with talking(durable=True) as (talk, server):
        server.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        server.sql("SELECT pg_reload_conf()")
        answers = []
        writer = threading.Thread(target=lambda: answers.append(talk.say("unconfirmed")))
        writer.start()
        waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        wait_until(lambda: server.sql(f"SELECT count(*) {waiting}") != "0")
        server.sql(f"SELECT pg_cancel_backend(pid) {waiting}")
        writer.join(LIMIT)
        same((answers[0][0], answers[0][1]["code"]), ("error", "INDOUBT"))
        has(answers[0][1]["message"], "no standby confirmed it")


if __name__ == "__main__":
    sys.exit(main())
