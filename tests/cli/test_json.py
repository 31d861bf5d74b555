#!/usr/bin/env python3
"""The shape of what each command prints with --json: names and types of members, pinned in json_shapes.txt.

A member that is new, gone or of another type is a difference.  `test_json.py --write` writes the file anew: what
changes in it is what programs that read the JSON will see.  Prints TAP."""

import contextlib
import json
import os
import sqlite3
import sys

from place import SOME_KEY, Place, main, same, test

SHAPES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "json_shapes.txt")

# Each command with --json, on the home that fill() makes, in this order.
COMMANDS = [
    ["help"], ["help", "search"], ["help", "stele.version"], ["methods", "stele"], ["version"], ["status"], ["doctor"], ["repair"],
    ["schema", "conversation.state_meta"], ["sessions"], ["sessions", "--cursor", "start"], ["show", "s"],
    ["show", "s", "--cursor", "start"], ["search", "word"], ["search", "word", "--cursor", "start"], ["ask", "word"], ["show", "conversation/message/1"],
    ["timeline", "conversation/message/1"], ["stats"],
    ["timeline"], ["timeline", "--cursor", "start"], ["ci-status", "0123456", "--repo", "me/stele"], ["export", "s"],
    ["import", "{export}"], ["import", "--harness", "codex"], ["index"], ["reindex", "--mode", "compatible"], ["reindex", "--rebuild"],
    ["redact", "test", "password=correct-horse-battery"], ["redact", "rules"], ["redact", "apply", "--dry-run"], ["migrate"],
    ["model", "import", "{vectors}"], ["model", "info"], ["model", "check"], ["embed"],
    ["backup", "conversation"], ["backup", "--list"], ["restore", "conversation", "--replace", "--dry-run"], ["check", "conversation"], ["copy", "{copy}"], ["token", "create", "laptop"], ["token", "list"], ["token", "list", "--cursor", "start"],
    ["token", "pub", "s"], ["token", "revoke", "1"], ["rename", "s", "A title"], ["archive", "s"],
    ["call", "conversation.get_session", '{"session_id":"s"}'], ["prune", "--dry-run"], ["delete", "s", "--yes"],
    ["send-event", "shell", "--cmd", "ls"], ["replay"], ["enrich"], ["enrich", "--dry-run"], ["enrich", "status"], ["enrich", "use"], ["enrich", "failed"], ["enrich", "retry"], ["enrich", "pause"], ["enrich", "resume"],
    ["upkeep", "--dry-run"], ["upkeep"],
    ["retention"], ["retention", "run"], ["forget", "nothing-of-it"], ["forgotten"],
    ["hold", "place", "planner", "--reason", "case 7"], ["hold"], ["hold", "release", "planner", "1"],
    ["import-history", "bash", "/dev/null"], ["probe"],
    ["config"], ["config", "get", "wait"], ["setup"],
    ["vault", "key"], ["vault", "put", "navette"], ["vault", "list"], ["vault", "list", "--cursor", "start"],
    ["vault", "get", "navette"], ["vault", "totp", "navette"], ["vault", "rotate"],
    ["watchdog"], ["alarms"], ["alarms", "ack", "1", "--note", "seen"], ["alarms", "prune"],
]
LOGIN = b"bob\ncorrect horse\nGEZDGNBVGY3TQOJQ\n"  # what `vault put` reads
KEY = {"VAULT_MASTER_KEY": SOME_KEY}
ERRORS = [["nothing"], ["show", "nobody"], ["call", "conversation.get_session"], ["resume", "s2"]]
WITHOUT = {"tour": "tells a story", "serve": "is a server", "mcp": "speaks a protocol", "watch": "goes on for ever",
           "native-messaging-host": "speaks a protocol",
           "completion": "prints a script", "hook": "prints a script",
           "gh-poll": "asks a forge: tests/capture/test_github.py", "watch-sha": "asks a forge: tests/capture/test_github.py",
           "tenant": "needs PostgreSQL: tests/scale/test_tenants.py",
           "resume": "needs an agent's session; its failure is below"}


def fill(place):
    for name in ("s", "s2"):
        place.call("conversation.create_session", {"session_id": name, "source": "cli", "model": "m", "model_config": {"t": 1}}).reply()
    place.call("conversation.append_message", {"session_id": "s", "role": "user", "content": "a word"}).reply()
    place.call("conversation.append_message", {"session_id": "s", "role": "assistant", "content": "another word",
                                               "tool_calls": [{"id": "1"}]}).reply()
    place.call("conversation.update_token_counts", {"session_id": "s", "input_tokens": 5, "estimated_cost_usd": 0.5}).reply()
    place.call("capture.insert_event", {"terminal": "t", "command": "make", "exit_code": 0, "cwd": "/src", "hostname": "h", "shell": "zsh"}).reply()
    place.call("capture.upsert_workflow_run", {"id": 70, "repo": "me/stele", "head_sha": "0123456789", "event": "push", "status": "completed",
                                               "conclusion": "failure", "html_url": "https://forge.example/70", "raw_json": {}}).reply()
    place.call("capture.upsert_workflow_job", {"id": 700, "run_id": 70, "name": "lint", "status": "completed", "raw_json": {}}).reply()
    place.call("capture.replace_annotations", {"job_id": 700, "annotations": [{"level": "failure", "message": "no"}]}).reply()
    place.call("telemetry.create_session", {"now": 1}).reply()  # for doctor: there is always something to explain
    place.call("capture.record_drops", {"source": "shell", "dropped": 1}).reply()
    place.call("capture.list_source_health").reply()
    place.call("planner.save_fact", {"content": "x", "source": "s", "now": "2026-01-01"}).reply()  # for upkeep: it has faded
    with contextlib.closing(sqlite3.connect(os.path.join(place.home, "capture.db"))) as db, db:  # for repair
        db.execute("INSERT INTO event_entities (event_id, entity_id, role, created_at) VALUES (1, 1, 'r', 1)")
        db.execute("DROP INDEX idx_lessons_repo")
    with open(place.at("export.jsonl"), "w", encoding="utf-8") as file:
        file.write(place.run("export", "s2").out)
    with open(place.at("vectors.txt"), "w", encoding="utf-8") as file:
        file.write("cat 1 0\ndog 0 1\n")


def shape(value):
    """Types in the place of values; of an array, what its elements have in common."""
    if isinstance(value, dict):
        return {name: shape(member) for name, member in value.items()}
    if isinstance(value, list):
        shapes = []
        for element in value:
            found = shape(element)
            if found not in shapes:
                shapes.append(found)
        return merged(shapes)
    return "null" if value is None else "bool" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


def merged(shapes):
    if not shapes or not all(isinstance(one, dict) for one in shapes):
        return sorted(shapes, key=str)
    names = dict.fromkeys(name for one in shapes for name in one)
    return [{name: alternatives([one[name] for one in shapes if name in one]) for name in names}]


def alternatives(found):
    if all(isinstance(one, str) for one in found):
        return "|".join(sorted({word for one in found for word in one.split("|")}))
    return found[0]


def shapes(place):
    lines = []
    for words in COMMANDS:
        given = {"text": LOGIN} if words[:2] == ["vault", "put"] else {}
        named = [word.replace("{export}", place.at("export.jsonl")).replace("{vectors}", place.at("vectors.txt")).replace("{copy}", place.at("copy"))
                 for word in words]
        done = place.run(*named, "--json", env=KEY, **given)
        if done.status != (words in (["alarms"], ["probe"])):  # there is one, and no server for the other
            raise AssertionError(f"{words}: {done}")
        for line in done.out.splitlines():
            lines.append(f"stele {' '.join(words)}\n  {json.dumps(shape(json.loads(line)))}\n")
    for words in ERRORS:
        done = place.run(*words, "--json")
        same((done.status == 0, done.out), (False, ""))
        lines.append(f"stele {' '.join(words)}  (fails)\n  {json.dumps(shape(json.loads(done.err)))}\n")
    return "\n".join(lines)


@test("the JSON of each command has the shape that it had")
def _():
    with Place() as place, open(SHAPES, encoding="utf-8") as file:
        fill(place)
        for got, kept in zip(shapes(place).split("\n\n"), file.read().split("\n\n"), strict=True):
            same(got, kept)


@test("every command that can print JSON is pinned")
def _():
    with Place() as place:
        known = {command["name"] for command in place.run("help", "--json").reply()["commands"]}
        same(known - {words[0] for words in COMMANDS} - set(WITHOUT), set())


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        with Place() as here, open(SHAPES, "w", encoding="utf-8") as out:
            fill(here)
            out.write(shapes(here))
        sys.exit(0)
    sys.exit(main())
