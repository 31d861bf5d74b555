#!/usr/bin/env python3
"""Retention and legal holds: by several at once, in short transactions, of files of other programs, and as configured.  Prints TAP."""

import concurrent.futures
import contextlib
import json
import os
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from method import doors  # noqa: E402
from place import Place, has, lacks, main, postgres_test, same, test  # noqa: E402

AT_ONCE, RUNS, A_TURN = 4, 1203, 500
WEEK = 7 * 86400
LISTENER = {"app_key": "a", "instance_index": 0, "handler_method": "h", "topic": "t", "source_location": "a.py:1"}


def call(player, method, **args):
    return player.must("call", method, json.dumps(args))


def fill(player, runs=RUNS):
    """Old runs of a handler, and one that is not."""
    call(player, "telemetry.create_session", now=1)
    call(player, "telemetry.register_listener", **LISTENER)
    records = [{"listener_id": 1, "session_id": 1, "execution_start_dtme": 100 + n, "duration_ms": 1, "status": "success"} for n in range(runs)]
    records.append({**records[0], "execution_start_dtme": 10 * WEEK})
    call(player, "telemetry.persist_batch", invocations=records, executions=[])


def left(player):
    return len(call(player, "telemetry.get_handler_invocations", listener_id=1, limit=10000))


def many_at_once(places):
    with places as place, contextlib.ExitStack() as stack:
        where = place.new()
        players = [stack.enter_context(doors.Player()) for _ in range(AT_ONCE)]
        for player in players:
            player.open(where)
        fill(players[0])
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            told = list(pool.map(lambda player: call(player, "stele.retain", outside=True, again=True, only=["telemetry.invocations"],
                                                     now=10 * WEEK), players))
        same(sum(rows[0]["rows"] for rows in told), RUNS)
        same(left(players[0]), 1)
        [row] = call(players[1], "stele.retain", outside=True, only=["telemetry.invocations"], now=10 * WEEK)
        same((row["state"], row["rows"]), ("recent", 0))


@test(f"sqlite: {AT_ONCE} processes at once delete every row once, and each tells what it deleted itself")
def _():
    many_at_once(doors.Sqlite())


@postgres_test(f"postgres: {AT_ONCE} processes at once delete every row once, and each tells what it deleted itself")
def _():
    many_at_once(doors.Postgres(["telemetry"]))


@test(f"no transaction deletes more than {A_TURN} rows, or {A_TURN} messages of sessions")
def _():
    def commits(player, store):
        return next(row["commits"] for row in call(player, "stele.status") if row["store"] == store)
    with doors.Sqlite() as place, doors.Player() as player:
        player.open(place.new())
        fill(player)
        before = commits(player, "telemetry")
        call(player, "stele.retain", only=["telemetry.invocations"], now=10 * WEEK)
        same(commits(player, "telemetry") - before > RUNS / A_TURN, True)
        call(player, "conversation.create_session", session_id="a", source="cli", started_at=1)
        call(player, "conversation.replace_messages", session_id="a", messages=[{"role": "user", "content": str(n)} for n in range(RUNS)])
        call(player, "conversation.end_session", session_id="a", end_reason="done")
        before = commits(player, "conversation")
        same(call(player, "conversation.prune_sessions", older_than_days=1), {"pruned": 1, "messages": RUNS})
        same(commits(player, "conversation") - before > RUNS / A_TURN, True)


@test("what retention deleted is found no more")
def _():
    with doors.Sqlite() as place, doors.Player() as player:
        player.open(place.new())
        for session, started in (("old", 1), ("new", 10 * WEEK)):
            call(player, "conversation.create_session", session_id=session, source="cli", started_at=started)
            call(player, "conversation.append_message", session_id=session, role="user", content="a marmot")
            call(player, "conversation.end_session", session_id=session, end_reason="done")
        same(len(call(player, "conversation.search_messages", query="marmot")), 2)
        call(player, "stele.retain", keep={"conversation.sessions": "7d"}, now=10 * WEEK)
        same([hit["session_id"] for hit in call(player, "conversation.search_messages", query="marmot")], ["new"])


@test("a refused deletion names the holds that are in force, and why; a statement of others does not see it")
def _():
    with Place() as place:
        place.call("assistant.save_note", {"id": "a", "title": "t", "content": "c"}).reply()
        for case in range(5):
            place.run("hold", "place", "assistant", "--kind", "note", "--reason", f"case {case}", "--json").reply()
        place.run("hold", "release", "assistant", "1", "--json").reply()
        error = place.call("assistant.delete_note", {"id": "a"}, "--json").error(1, "HELD")
        has(error["hint"], "2 (case 1), 3 (case 2), 4 (case 3), and others", "`stele hold release assistant ID`")
        for number in (3, 4, 5):
            place.run("hold", "release", "assistant", str(number), "--json").reply()
        has(place.call("assistant.delete_note", {"id": "a"}, "--json").error(1, "HELD")["hint"], "hold 2 (case 1);")
        error = place.call("assistant.raw_sql_execute", {"sql": "DELETE FROM notes WHERE id = 'a'"}, "--json").error(1, "HELD")
        lacks(json.dumps(error), "case 1")


# ---- Files of other programs --------------------------------------------------------------------


@test("no other program deletes what is held, and it may delete the rest")
def _():
    with Place() as place:
        for note in "ab":
            place.call("assistant.save_note", {"id": note, "title": note, "content": "c", "created_at": f"2026-01-0{1 + (note == 'b')}"}).reply()
        place.run("hold", "place", "assistant", "--kind", "note", "--until", "2026-01-02", "--reason", "case 7", "--json").reply()
        with contextlib.closing(sqlite3.connect(os.path.join(place.home, "assistant.db"))) as db, db:
            try:
                db.execute("DELETE FROM notes")
                raise AssertionError("it was deleted")
            except sqlite3.IntegrityError as error:
                same(str(error), "under legal hold: note")
            same(db.execute("DELETE FROM notes WHERE id = 'b'").rowcount, 1)
        same([note["id"] for note in place.call("assistant.get_notes").reply()], ["a"])


@test("a file outside the home is another program's to keep in order, unless that is asked for; its columns may have other names")
def _():
    with Place() as place:
        path = place.at("hassette.db")
        place.call("telemetry.create_session").reply()
        with contextlib.closing(sqlite3.connect(path)) as db:
            for row in place.run("schema", "--json").reply():
                db.execute(row["ddl"].replace("execution_start_dtme", "execution_start_ts"))
        store = ("--store", f"telemetry={path}")
        place.call("telemetry.create_session", {"now": 1}, *store).reply()
        for app in "ab":
            number = place.call("telemetry.register_listener", {**LISTENER, "app_key": app}, *store).reply()["listener_id"]
            place.call("telemetry.record_invocation", {"listener_id": number, "session_id": 1, "execution_start_dtme": 1001, "duration_ms": 5,
                                                       "status": "error"}, *store).reply()
        same(place.run(*store, "retention", "run", "--json").reply(), [])
        same(place.run(*store, "hold", "place", "telemetry", "--project", "a", "--reason", "case 7", "--json").reply()["id"], 1)
        told = place.run(*store, "retention", "run", "--into-foreign", "--only", "telemetry.invocations", "--json").reply()
        same([(row["rows"], row["held"]) for row in told], [(1, 1)])


@test("a store that fails is told after the others were seen to")
def _():
    with Place() as place:
        place.call("assistant.add_seen_story", {"url": "u", "title": "t", "seen_at": "2020-01-01"}).reply()
        place.call("planner.save_fact", {"content": "x", "source": "s"}).reply()
        place.call("telemetry.create_session").reply()
        with contextlib.closing(sqlite3.connect(os.path.join(place.home, "assistant.db"))) as db, db:
            db.execute("CREATE TRIGGER stuck BEFORE DELETE ON seen_news BEGIN SELECT RAISE(ABORT, 'stuck'); END")
        done = place.run("retention", "run")
        same((done.status != 0, done.out), (True, ""))
        has(done.err, "stuck")
        told = place.run("retention", "run", "--only", "telemetry", "--json").reply()
        same([row["state"] for row in told], ["recent", "recent"])


# ---- As configured ------------------------------------------------------------------------------


def kept(place, *words, **more):
    """How long each rule keeps, in days; None: for ever."""
    return {row["rule"]: row["keep"] and row["keep"] / 86400 for row in place.run(*words, "retention", "--json", **more).reply()}


@test("the defaults of the configuration are those of the rules")
def _():
    with Place() as place:
        for method, args in (("telemetry.create_session", {}), ("planner.save_fact", {"content": "x", "source": "s"}),
                             ("conversation.create_session", {"session_id": "a", "source": "cli"}),
                             ("capture.record_lesson", {"repo": "r", "min_occurrences": 9}),
                             ("assistant.save_note", {"title": "t", "content": "c"})):
            place.call(method, args).reply()
        rules = {row["rule"]: row["keep"] / 86400 if row["on"] else None for row in place.call("stele.retention_rules").reply()}
        same(kept(place), rules)
        same(kept(place, "--set", "retention.conversation_sessions=on")["conversation.sessions"], 90)


@test("a key says how long, and an older one says it for telemetry where nothing else does")
def _():
    with Place() as place:
        place.call("telemetry.create_session").reply()
        both = ("telemetry.invocations", "telemetry.executions")

        def days(*words, **more):
            found = kept(place, *words, **more)
            return [found[rule] for rule in both]
        same(days(), [7, 7])
        same(days("--set", "retention.telemetry_executions=36h"), [7, 1.5])
        same(days("--set", "serve.retention=3"), [3, 3])
        same(days("--set", "serve.retention=0"), [None, None])
        same(days("--set", "serve.retention=3", "--set", "retention.telemetry_executions=off"), [3, None])
        same(days(env={"STELE_RETENTION_TELEMETRY_INVOCATIONS": "1d"}), [1, 7])
        has(place.run("--set", "retention.telemetry_executions=7", "retention").err, "must be off, on or a time, not 7")
        has(place.run("retention", "--only", "telemetry.runs").err, "there is no rule telemetry.runs")


@test("the list deletes nothing, and says so; what is held is told")
def _():
    with Place() as place:
        place.call("assistant.add_seen_story", {"url": "u", "title": "t", "seen_at": "2020-01-01"}).reply()
        place.run("hold", "place", "assistant", "--reason", "case 7", "--json").reply()
        done = place.run("retention", "--only", "assistant.seen_news", "--plain")
        same(done.out.split("\t")[:2], ["assistant.seen_news", "due"])
        has(done.err, "nothing was deleted")
        [row] = place.run("retention", "run", "--only", "assistant.seen_news", "--json").reply()
        same((row["state"], row["rows"], row["held"]), ("deleted", 0, 1))
        place.run("hold", "release", "assistant", "1", "--json").reply()
        [row] = place.run("retention", "run", "--only", "assistant.seen_news", "--again", "--json").reply()
        same((row["rows"], row["held"]), (1, 0))


if __name__ == "__main__":
    sys.exit(main())
