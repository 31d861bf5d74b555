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
from capture_store.captured import NOW, SECOND, queue_test  # noqa: E402
from method import doors  # noqa: E402
from place import Place, has, main, same, server_of, test  # noqa: E402

MINUTE = 60 * SECOND
LINKS = ("knowledge_node_entities", "knowledge_node_agentic_sessions", "knowledge_node_events", "knowledge_node_browser_events",
         "knowledge_node_workflow_runs", "knowledge_node_lessons")


# ---- What there is to learn from ----

def fill(call, number):
    """One thing of each kind, an hour after those of the number before."""
    at = NOW - 1000 * MINUTE + number * MINUTE * 60
    call("insert_event", terminal=f"t{number}", timestamp=at, now=at, command=f"make part{number}", exit_code=0, cwd="/src/u/shop", hostname="h", shell="zsh")
    call("insert_event", terminal=f"t{number}", timestamp=at + 1, now=at, command="git push", exit_code=0, cwd="/src/u/shop", hostname="h", shell="zsh")
    call("insert_event", terminal=f"t{number}", timestamp=at + 2, now=at, command="clear", exit_code=0, cwd="/src/u/shop", hostname="h", shell="zsh")
    segment(call, number, "1", at)
    call("insert_browser_event", timestamp=at, now=at, url=f"https://example.org/{number}", title=f"Page {number}", domain="example.org", dwell_ms=60000)
    call("upsert_workflow_run", id=number + 1, repo="ada/shop", head_sha=f"{number:040x}", event="push", status="completed", conclusion="failure", html_url="u", raw_json={},
         started_at=at, now=at)
    call("upsert_workflow_job", id=number + 1, run_id=number + 1, name="lint", status="completed", conclusion="failure", raw_json={})
    call("replace_annotations", job_id=number + 1, annotations=[{"level": "failure", "tool": "ruff", "rule_id": "F401", "path": "app/a.py", "message": f"unused {number}"}])
    call("enqueue_workflow_run", id=number + 1, now=at)


def segment(call, number, content, at):
    return call("upsert_segment", session_id=f"s{number}", harness="codex", project_dir="p", cwd="/src/u/shop", summary_text="x", message_count=3,
                user_prompts_json=[f"Fix part{number}.py, version {content}"], content_hash=content, start_time=at, end_time=at, now=at)["enqueued"]


def caller(player):
    return lambda method, **args: player.must("call", f"capture.{method}", json.dumps(args))


# ---- What must be true afterwards ----

def is_empty(sql):
    """A statement that fails if the other has a row."""
    return (f"CREATE TEMP TABLE no_row (x BIGINT CHECK (x = 0)); INSERT INTO no_row SELECT COUNT(*) FROM ({sql}) AS found; DROP TABLE no_row;")


def once(table, link, key, kind):
    """Rows that were learned from, and not once."""
    return (f"SELECT s.id FROM {table} AS s WHERE s.enriched AND (SELECT COUNT(*) FROM {link} AS l JOIN knowledge_nodes AS n ON n.id = l.knowledge_node_id "
            f"WHERE l.{key} = s.id AND n.node_type = '{kind}') <> 1")


def orphans():
    return [f"SELECT 1 FROM {link} WHERE knowledge_node_id NOT IN (SELECT id FROM knowledge_nodes)" for link in LINKS] + [
        "SELECT 1 FROM stele_vectors WHERE CAST(id AS BIGINT) NOT IN (SELECT id FROM knowledge_nodes)",
        "SELECT 1 FROM relationships WHERE evidence_count < 1",
        "SELECT 1 FROM stele_claims"]


def check(sql, call):
    for depth in call("queue_depth"):
        same((depth["queue"], depth["pending"], depth["processing"], depth["failed"]), (depth["queue"], 0, 0, 0))
    for each in [*orphans(), once("agentic_sessions", "knowledge_node_agentic_sessions", "agentic_session_id", "observation"),
                 once("browser_events", "knowledge_node_browser_events", "browser_event_id", "observation"),
                 once("workflow_runs", "knowledge_node_workflow_runs", "run_id", "change_outcome"),
                 once("events", "knowledge_node_events", "event_id", "observation").replace("s.enriched", "s.command <> 'clear'")]:
        sql(is_empty(each))


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
        deaths = 0
        for _ in dying.each_death(place.home, "capture.db", before, "capture.enrich", json.dumps({"now": NOW})):
            deaths += 1
            with doors.Player() as player:
                player.open({"home": place.home})
                caller(player)("enrich", now=NOW + 20 * MINUTE)
                with contextlib.closing(sqlite3.connect(path)) as file:
                    check(file.executescript, caller(player))
                    same(file.execute("SELECT COUNT(*) FROM knowledge_nodes").fetchone()[0], 8)
                    same(file.execute("SELECT occurrences FROM lessons").fetchall(), [(2,)])
                    same(file.execute("SELECT COUNT(*) FROM knowledge_fts").fetchone()[0], 8)
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
