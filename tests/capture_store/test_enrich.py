#!/usr/bin/env python3
"""The worker: whatever happens to it, everything that waits is learned from once.  Prints TAP."""

import contextlib
import json
import os
import sqlite3
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from capture_store import dying  # noqa: E402
from capture_store.captured import NOW, queue_test  # noqa: E402
from capture_store.learning import MINUTE, caller, check, fill, segment  # noqa: E402
from method import doors  # noqa: E402
from place import Place, has, main, same, server_of, test  # noqa: E402


# ---- Killed ----

@test("sqlite: killed before every statement, the next worker brings all of it to the same end")
def _():
    with Place() as place:
        os.makedirs(place.home)
        path = os.path.join(place.home, "capture.db")
        with doors.Player() as player:
            player.open({"home": place.home})
            for number in range(2):
                fill(caller(player), number)
        with contextlib.closing(sqlite3.connect(path)) as file:
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with open(path, "rb") as file:
            before = file.read()
        with doors.Player() as player:
            for deaths, _ in dying.each_death(place.home, "capture.db", before, "capture.enrich", json.dumps({"now": NOW})):
                player.open({"home": place.home})
                caller(player)("enrich", now=NOW + 20 * MINUTE)
                with contextlib.closing(sqlite3.connect(path)) as file:
                    check(file.executescript, caller(player))
                    same(file.execute("SELECT COUNT(*) FROM knowledge_nodes").fetchone()[0], 8)
                    same(file.execute("SELECT occurrences FROM lessons").fetchall(), [(2,)])
                    same(file.execute("SELECT COUNT(*) FROM knowledge_fts").fetchone()[0], 8)
                player.close()
        print(f"# {deaths} deaths")
        same(deaths > 80, True)


@queue_test("killed again and again, it goes on where it was, and nothing is learned twice")
def _(captured):
    at = 0
    for number, statement in enumerate(range(3, 60, 8)):
        fill(captured.call, number)
        player = captured.another()
        player.must("fault", "statement", str(statement))
        try:
            player.must("call", "capture.enrich", json.dumps({"now": NOW + at}))
        except doors.Broken:
            same(player.process.wait(), -9)
            player.process.returncode = 0  # as it was meant
        at += 20 * MINUTE
    captured.call("enrich", now=NOW + at)
    check(captured.sql, captured.call)


# ---- Several ----

@queue_test("two workers at once learn from nothing twice")
def _(captured):
    for number in range(12):
        fill(captured.call, number)
    replies, players = [], [captured.another() for _ in range(2)]

    def work(player):
        replies.append(player.must("call", "capture.enrich", json.dumps({"now": NOW, "batch": 3})))

    threads = [threading.Thread(target=work, args=(player,)) for player in players]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    same(sum(each["claimed"] for each in replies), 72)
    same([sum(each[name] for each in replies) for name in ("skipped", "failed", "lost", "lessons")], [12, 0, 0, 12])
    check(captured.sql, captured.call)


# ---- Again ----

@queue_test("a segment that changed is learned from again, and nothing of the first time is left")
def _(captured):
    first = NOW - 100 * MINUTE
    same(segment(captured.call, 1, "1", first), True)
    same(captured.call("enrich", now=first)["learned"], 1)
    old, = captured.call("search_knowledge", query="part1", mode="lexical")
    captured.call("save_node_embedding", uuid=old["uuid"], model="m", vector=[1, 2])
    for number in range(3):
        segment(captured.call, 1, "1", first + number * 10 * MINUTE)
        captured.call("sweep_unqueued", now=first + number * 10 * MINUTE)
        same(captured.call("enrich", now=first + number * 10 * MINUTE)["claimed"], 0)
    same(segment(captured.call, 1, "2", NOW), True)
    same(captured.call("enrich", now=NOW)["learned"], 1)
    new, = captured.call("search_knowledge", query="part1", mode="lexical")
    same(new["uuid"] == old["uuid"], False)
    same(captured.call("get_node", uuid=old["uuid"]), None)
    same([each["uuid"] for each in captured.call("search_knowledge", query="part1 version", mode="lexical")], [new["uuid"]])
    check(captured.sql, captured.call)


@queue_test("a node says what made it, and is the same every time")
def _(captured):
    fill(captured.call, 1)
    first, second = (captured.call("enrich", dry_run=True)["bundles"] for _ in range(2))
    same(first, second)
    captured.call("enrich")
    node = captured.call("get_node", uuid=captured.call("search_knowledge", query="part1.py", mode="lexical")[0]["uuid"])
    same((node["enrichment_model"], node["enrichment_version"], json.loads(node["content"])["tags"][0]), ("stele-extractive", 100, "extractive"))


@test("nothing is claimed while a server of another version is at work")
def _():
    with Place() as place, doors.Player() as player:
        player.open({"home": place.home})
        fill(caller(player), 1)
        with server_of(place.home, "0.0.1 4711 capture=17\n"):
            status, error = player.call("capture.enrich", json.dumps({"now": NOW}))
            same((status, error["code"]), ("error", "DENIED"))
            has(error["message"], "nothing is claimed")
            same([each["processing"] for each in caller(player)("queue_depth")], [0, 0, 0, 0])
        same(caller(player)("enrich", now=NOW)["claimed"], 6)


# ---- Hostile ----

def hostile():
    yield "x" * 300_000
    yield "a " * 100_000
    yield "`" * 100_000
    yield "$" * 100_000
    yield "http://" * 20_000
    yield "(" * 50_000 + "git@" * 20_000
    yield "é" * 100_000
    yield "error: " * 50_000
    yield "\n".join(["E0425 TypeError: x"] * 20_000)
    yield "a.c:1 " * 30_000
    yield "<<" * 40_000
    yield "\\\n" * 50_000
    yield "a \v b \f c"


@queue_test("what is huge or strange is learned from all the same")
def _(captured):
    for number, text in enumerate(hostile()):
        at = NOW - 1000 * MINUTE + number * 10 * MINUTE
        captured.call("insert_event", terminal="t", timestamp=at, now=at, command=text, exit_code=1, stdout=text, stderr=text, cwd="/" + text[:5000], hostname="h", shell="zsh")
        captured.call("upsert_segment", session_id=f"s{number}", harness="codex", project_dir="p", cwd="/x", summary_text="\n\nAnswers:\n- " + text, message_count=3,
                      user_prompts_json=[text], tool_calls_json=[{"name": "Bash", "summary": text}], start_time=at, end_time=at, now=at)
        captured.call("insert_browser_event", timestamp=at, now=at, url="https://example.org/" + text, title=text, domain="example.org", dwell_ms=60000, extracted_text=text)
    reply = captured.call("enrich")
    same((reply["failed"], reply["lost"], reply["learned"] > 24), (0, 0, True))
    for each in captured.call("search_knowledge", mode="recent", limit=100):
        same(0 < len(each["summary"].encode()) <= 400, True)


if __name__ == "__main__":
    sys.exit(main())
