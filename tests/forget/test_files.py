#!/usr/bin/env python3
"""What is forgotten, and the files around the stores: backups, lines, logs; and who is stopped in the middle of it.  Prints TAP.

A run is killed at random moments; with STELE_FORGET_KILLS=1000 it is a long one."""

import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from place import BIN, has, main, same, test  # noqa: E402
from method import doors  # noqa: E402

MARK = "Quetzalcoatlus"
KILLS = int(os.environ.get("STELE_FORGET_KILLS", "12"))


class Home:
    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="stele-forget-")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def command(self, *words):
        return [BIN, "--home", self.path, *words]

    def run(self, *words, status=0):
        done = subprocess.run(self.command(*words), capture_output=True, text=True, stdin=subprocess.DEVNULL)
        same((done.returncode, done.stderr if done.returncode != status else ""), (status, ""))
        return done.stdout + done.stderr if status else done.stdout

    def call(self, method, **args):
        return json.loads(self.run("call", method, json.dumps(args), "--quiet"))

    def fill(self, messages=3):
        self.call("conversation.create_session", session_id="s", source="cli")
        for number in range(messages):
            self.call("conversation.append_message", session_id="s", role="user", content=f"{MARK} number {number}, a word that no other has")
        self.call("conversation.append_message", session_id="s", role="user", content="what stays")
        self.call("assistant.save_note", id="n", title=f"on {MARK}", content="x")
        self.run("search", MARK)

    def forget(self, *more):
        return json.loads(self.run("forget", MARK, "--json", "--quiet", *more))

    def write(self, name, text):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def holding(self, text=MARK):
        found = []
        for root, _, names in os.walk(self.path):
            for name in names:
                with open(os.path.join(root, name), "rb") as file:
                    if text.encode() in file.read():
                        found.append(os.path.relpath(os.path.join(root, name), self.path))
        return sorted(found)


def told(rows, action):
    return [row for row in rows if row["action"] == action]


@test("without --yes nothing is changed")
def _():
    with Home() as home:
        home.fill()
        before = home.holding()
        same([(row["name"], row["rows"]) for row in home.forget()], [("messages", 3), ("notes", 1)])
        has(home.run("forget", MARK), "messages")
        same((home.holding(), home.call("stele.forgotten")), (before, []))


@test("lines of the audit, of logs and of events that wait are blanked where they stand")
def _():
    with Home() as home:
        home.fill()
        path = home.write("audit/2026-01-31.jsonl", f'{{"args":"{MARK}"}}\n{{"args":"other"}}\n')
        home.write("fallback/2026-01-31.jsonl", f'{{"command":"echo {MARK}"}}\n')
        home.forget("--yes")
        with open(path, encoding="utf-8") as file:
            same(file.read(), '{"args":"' + "#" * len(MARK) + '"}\n{"args":"other"}\n')
        same(home.holding(), [])


@test("a backup is named; written anew if that is wanted; or deleted")
def _():
    for wanted, left in (("keep", 1), ("rewrite", 0), ("delete", 0)):
        with Home() as home:
            home.fill()
            home.run("backup", "conversation", "--quiet")
            rows = told(home.forget("--yes", "--set", f"forget.backups={wanted}"), "backup")
            copies = [row for row in rows if row["rows"]]
            same([bool(row["found"]) for row in copies], [bool(left)] * len(copies))
            same((len(copies) > 0, len([name for name in home.holding() if name.startswith("backups")]) > 0), (True, bool(left)))
            if wanted == "rewrite":
                with sqlite3.connect(f"file:{copies[0]['name']}?mode=ro", uri=True) as db:
                    same(db.execute("SELECT content FROM messages").fetchall(), [("what stays",)])


@test("by session nothing is left of what it said, but what others said stays")
def _():
    with Home() as home:
        home.fill()
        home.call("conversation.create_session", session_id="t", source="cli")
        home.call("conversation.append_message", session_id="t", role="user", content="something that another session said, and keeps")
        rows = json.loads(home.run("forget", "--session", "s", "--yes", "--json", "--quiet", "--in", "conversation"))
        same([row["found"] for row in told(rows, "search") + told(rows, "words")], [0] * 5)
        same([name for name in home.holding() if name.startswith("conversation")], [])
        same(home.holding("another session said"), ["conversation.db"])


@test("a file that came with search tables inside forgets in these too")
def _():
    with Home() as home:
        home.fill()
        home.run("reindex", "--mode", "compatible", "--quiet")
        home.forget("--yes")
        with sqlite3.connect(os.path.join(home.path, "conversation.db")) as db:
            db.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, messages_fts, row)")
            same([row[0] for row in db.execute("SELECT term FROM temp.words ORDER BY term")], ["stays", "what"])
        same(home.holding(), [])


@test("a text in a table that is not Stele's is told, with its file")
def _():
    with Home() as home:
        home.fill()
        with sqlite3.connect(os.path.join(home.path, "conversation.db")) as db:
            db.execute("CREATE TABLE somebody_elses (text TEXT)")
            db.execute("INSERT INTO somebody_elses VALUES (?)", (MARK,))
        has(home.run("forget", MARK, "--yes", status=1), "conversation.db still holds what was to be forgotten")
        same(home.call("stele.forgotten")[0]["proven_at"], None)


@test("who forgets keeps its locks on a store, whatever the store is called")
def _():
    for name in ("conversation.db", "talk.sqlite", "talk"):
        with Home() as home, doors.Player() as player:
            path = os.path.join(home.path, name)
            player.open({"home": home.path, "stores": {"conversation": path}})

            def call(method, player=player, **args):
                return player.must("call", method, json.dumps(args))

            call("conversation.create_session", session_id="s", source="cli")
            call("conversation.append_message", session_id="s", role="user", content=MARK)
            call("conversation.search_messages", query=MARK)
            call("stele.forget", text=MARK, dry_run=False)
            index = path.removesuffix(".db") + ".index.db"
            same([(file, in_use(file)) for file in (path, index)], [(file, True) for file in (path, index)])


def in_use(path):
    """Who alone has a database open can change its journal."""
    with contextlib.closing(sqlite3.connect(path, timeout=0)) as db:
        try:
            db.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError as error:
            return "locked" in str(error)
        return False


@test(f"killed at any of {KILLS} moments, a second call finishes")
def _():
    chance = random.Random(4711)
    for _ in range(KILLS):
        with Home() as home:
            home.fill(1)
            running = subprocess.Popen(home.command("forget", MARK, "--yes", "--quiet"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                running.wait(chance.uniform(0.005, 0.2))
            except subprocess.TimeoutExpired:
                running.send_signal(signal.SIGKILL)
            running.wait()
            home.forget("--yes")
            same((home.holding(), home.forget()), ([], []))
            same([row["proven_at"] is not None for row in home.call("stele.forgotten")], [True] * len(home.call("stele.forgotten")))
            same(home.call("conversation.get_session", session_id="s")["message_count"], 1)


if __name__ == "__main__":
    main()
