#!/usr/bin/env python3
"""Many want the same thing at once, and one gets it: actions are claimed, keys marked, contents consumed.  Prints TAP."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from method import doors  # noqa: E402
from place import Database, main, postgres_test, same, test  # noqa: E402
from serve.server import serving  # noqa: E402

CLAIMS = 100
PROCESSES = 10
ACTION = {"id": "a", "tool_name": "send_email", "action_type": "email", "payload": {"to": "ada"},
          "preview_text": "Send it?", "chat_id": "c"}


# ---- Ways to call at once: each is (call, ask), where ask makes a number of calls and gives their answers ----------

@contextlib.contextmanager
def processes(places):
    """Players, processes with a handle each; every one of them gets its share of the calls."""
    with places as place, contextlib.ExitStack() as stack:
        where = place.new()
        players = [stack.enter_context(doors.Player()) for _ in range(PROCESSES)]
        for player in players:
            player.open(where)

        def ask(method, args):
            def share(player):
                return [player.call(method, json.dumps(args)) for _ in range(CLAIMS // PROCESSES)]
            with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
                return [answer for answers in pool.map(share, players) for answer in answers]

        def call(method, args):
            return players[0].must("call", method, json.dumps(args))
        yield call, ask


@contextlib.contextmanager
def threads(*options):
    """A server, which every caller has a connection of its own to."""
    with serving(*options) as server:
        def post(method, args):
            connection = server.connect()
            with contextlib.closing(connection):
                connection.request("POST", "/v1/" + method.replace(".", "/"), json.dumps(args),
                                   {"Authorization": f"Bearer {server.token}"})
                answer = connection.getresponse()
                body = json.loads(answer.read())
            return ("ok", body) if answer.status == http.client.OK else ("error", body)

        def ask(method, args):
            with concurrent.futures.ThreadPoolExecutor(CLAIMS) as pool:
                return list(pool.map(lambda _: post(method, args), range(CLAIMS)))

        def call(method, args):
            return server.call(method, **args)
        yield call, ask


# ---- What must come of it ------------------------------------------------------------------------------------------

def one_claims(call, ask):
    call("assistant.save_pending_action", ACTION)
    answers = ask("assistant.claim_pending_action", {"id": "a"})
    won = [reply for word, reply in answers if word == "ok"]
    lost = [(reply["code"], reply["field"]) for word, reply in answers if word == "error"]
    same([(each["status"], json.loads(each["payload"])) for each in won], [("confirmed", {"to": "ada"})])
    same(lost, [("INVALID", "status")] * (CLAIMS - 1))
    same(call("assistant.get_pending_action", {"id": "a"})["status"], "confirmed")


def one_is_first(call, ask):
    answers = ask("assistant.mark_once", {"key": "system:briefing", "content": "2026-01-01"})
    same(sorted(reply["first"] for word, reply in answers if word == "ok"), [False] * (CLAIMS - 1) + [True])


def one_consumes(call, ask):
    call("assistant.save_context", {"user_id": "system:pending_self_redeploy", "content": "x"})
    answers = ask("assistant.consume_context", {"key": "system:pending_self_redeploy"})
    same({word for word, _ in answers}, {"ok"})
    same([reply["content"] for _, reply in answers if reply], ["x"])


def all_are_counted(call, ask):
    answers = ask("assistant.save_agent_learning", {"rule": "Ask first", "category": "tone"})
    same(sorted(reply["recurrence_count"] for _, reply in answers), list(range(1, CLAIMS + 1)))


def one_skill_is_kept(call, ask):
    answers = ask("assistant.save_proposed_skill", {"name": "n", "description": "d", "code": "c"})
    same(sorted(word for word, _ in answers), ["error"] * (CLAIMS - 1) + ["ok"])
    same({(reply["code"], reply["field"]) for word, reply in answers if word == "error"}, {("INVALID", "name")})


def play(way):
    with way as (call, ask):
        one_claims(call, ask)
        one_is_first(call, ask)
        one_consumes(call, ask)
        all_are_counted(call, ask)
        one_skill_is_kept(call, ask)


@test("sqlite: 100 calls from 10 processes")
def _():
    play(processes(doors.Sqlite()))


@postgres_test("postgres: 100 calls from 10 processes")
def _():
    play(processes(doors.Postgres(["assistant"])))


@test("sqlite: 100 threads call a server")
def _():
    play(threads())


@postgres_test("postgres: 100 threads call a server")
def _():
    with Database() as database:
        play(threads("--store", f"assistant={database.schema('assistant')}"))


if __name__ == "__main__":
    sys.exit(main())
