#!/usr/bin/env python3
"""stele import, watch and resume for transcripts, from the outside.  Prints TAP.

A watch runs beside the test, which waits for what must come of each change, however long that takes; only a watch that
never sees it makes a case fail, after a minute."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from capture import homes  # noqa: E402
from check import tap  # noqa: E402

STELE = os.environ["STELE_TEST_CLI"]
LIMIT = 240  # seconds: a busy machine is slow, not wrong


class Place:
    """A directory with a user's home and a store."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="stele-watch-")
        self.home = os.path.join(self.path, "user")
        self.project = os.path.join(self.home, homes.PROJECT)
        os.makedirs(self.project)
        self.environment = {**os.environ, "HOME": self.home, "STELE_HOME": os.path.join(self.path, "store")}
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "HERMES_HOME", "STELE_DATABASE_URL"):
            self.environment.pop(name, None)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def run(self, *words, **more):
        return subprocess.run([STELE, *words], env={**self.environment, **more}, capture_output=True, text=True, timeout=LIMIT)

    def reply(self, *words):
        done = self.run(*words)
        assert done.returncode == 0, (words, done)
        return json.loads(done.stdout)

    def said(self, id):
        """What the messages of a session say; None: there is no such session."""
        if self.reply("call", "conversation.get_session", json.dumps({"session_id": id})) is None:
            return None
        return [row["content"] for row in self.reply("call", "conversation.get_messages", json.dumps({"session_id": id}))]

    def put(self, below, t, mode="wb"):
        path = os.path.join(self.project, below)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, mode) as file:
            file.write(t.bytes())
        return path

    def wait_for(self, id, said):
        deadline = time.monotonic() + LIMIT
        while self.said(id) != said:
            assert time.monotonic() < deadline, f"{self.said(id)} instead of {said}"
            time.sleep(0.02)

    @contextlib.contextmanager
    def watch(self, *words):
        process = subprocess.Popen([STELE, "watch", *words], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            self.out, self.err = process.communicate(timeout=LIMIT)


def one(text, number=1):
    return homes.Transcript(number).user(text)


def follow(place, *words):
    """What grows, comes, goes and moves while it is watched."""
    first = homes.plain(1, 1)
    path = place.put(f"{first.id}.jsonl", first)
    said = ["question 0 of 1", "answer 0 of 1"]
    with place.watch(*words):
        place.wait_for(first.id, said)
        more = one("appended", 91)
        place.put(f"{first.id}.jsonl", more, "ab")
        place.wait_for(first.id, [*said, "appended"])
        half = one("in two pieces", 92).bytes()
        with open(path, "ab") as file:
            file.write(half[:50])
            file.flush()
            file.write(half[50:])
        place.wait_for(first.id, [*said, "appended", "in two pieces"])
        place.put(f"../-another/deep/er/{homes.session_id(2)}.jsonl", one("in a new directory", 2))
        place.wait_for(homes.session_id(2), ["in a new directory"])
        place.put(f"../-another/deep/er/{homes.session_id(2)}.jsonl", one("and on", 93), "ab")
        place.wait_for(homes.session_id(2), ["in a new directory", "and on"])
        outside = os.path.join(place.path, "outside.jsonl")
        with open(outside, "wb") as file:
            file.write(one("moved in", 3).bytes())
        os.rename(outside, os.path.join(place.project, f"{homes.session_id(3)}.jsonl"))
        place.wait_for(homes.session_id(3), ["moved in"])
        os.unlink(path)  # rotated: another file under the same name
        place.put(f"{first.id}.jsonl", one("a new file", 94))
        place.wait_for(first.id, [*said, "appended", "in two pieces", "a new file"])
        shutil.rmtree(os.path.dirname(place.project))
        place.put(f"{homes.session_id(4)}.jsonl", one("after all was gone", 4))
        place.wait_for(homes.session_id(4), ["after all was gone"])
    if place.out.splitlines()[-1].split(" from ")[0] != "4 sessions with 9 messages imported":
        yield f"{place.out} {place.err}"


@tap.case
def _():
    """watch: what is appended, new, moved, rotated or made again comes in"""
    with Place() as place:
        yield from follow(place)


@tap.case
def _():
    """watch: a place that does not exist yet is seen when it does"""
    with Place() as place:
        shutil.rmtree(os.path.join(place.home, ".claude"))
        with place.watch():
            place.put(f"{homes.session_id(5)}.jsonl", one("at last", 5))
            place.wait_for(homes.session_id(5), ["at last"])
        if "1 session with 1 message" not in place.out:
            yield f"{place.out}"


@tap.case
def _():
    """watch: one file, and the same by looking from time to time"""
    with Place() as place:
        path = place.put(f"{homes.session_id(6)}.jsonl", one("one file", 6))
        place.put(f"{homes.session_id(7)}.jsonl", one("not this one", 7))
        with place.watch(path):
            place.wait_for(homes.session_id(6), ["one file"])
            place.put(f"{homes.session_id(6)}.jsonl", one("and on", 95), "ab")
            place.wait_for(homes.session_id(6), ["one file", "and on"])
        if place.said(homes.session_id(7)) is not None:
            yield "another file was taken too"
        arguments = {"home": place.home, "poll": True, "duration": 600}
        process = subprocess.Popen([STELE, "call", "conversation.watch_transcripts", json.dumps(arguments)],
                                   env=place.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            place.wait_for(homes.session_id(7), ["not this one"])
            place.put(f"{homes.session_id(7)}.jsonl", one("seen by looking", 96), "ab")
            place.wait_for(homes.session_id(7), ["not this one", "seen by looking"])
        finally:
            process.kill()
            process.communicate()


@tap.case
def _():
    """watch --for: it ends by itself"""
    with Place() as place:
        place.put(f"{homes.session_id(1)}.jsonl", one("short", 1))
        done = place.run("watch", "--for", "10ms")
        if done.returncode != 0 or "1 session with 1 message imported from 1 transcript" not in done.stdout:
            yield f"{done}"


@tap.case
def _():
    """import: without words all agents, the second time nothing, as JSON, dry"""
    with Place() as place:
        homes.claude(place.home)
        dry = place.reply("import", "--dry-run", "--json")
        if place.reply("call", "conversation.session_count", "{}") != {"count": 0}:
            yield "a dry run wrote"
        done = place.run("import")
        if f"{dry['sessions']} sessions with {dry['messages'] - 1} messages imported from 11 transcripts" not in done.stdout:
            yield f"{done} {dry}"
        if done.stderr.count(".jsonl:") != 3 or "3 bad records" not in done.stdout or "1 unfinished" not in done.stdout:
            yield f"{done}"
        if place.run("import", "auto").stdout != "0 sessions with 0 messages imported from 11 transcripts, 11 unchanged\n":
            yield "the second time something was new"
        if place.run("import", "--harness", "codex").stdout or place.run("import", "--harness", "word").returncode != 2:
            yield "--harness"


@tap.case
def _():
    """import: a transcript, a directory, an export: each is known for what it is"""
    with Place() as place:
        paths = homes.claude(place.home)
        copy = os.path.join(place.path, "copied.jsonl")
        shutil.copy(paths["far"], copy)
        done = place.run("import", copy)
        if done.stdout != "1 session with 4 messages imported from 1 transcript\n" or place.said("copied") is None:
            yield f"{done}"
        done = place.run("import", os.path.dirname(paths["below"]))
        if not done.stdout.startswith("2 sessions with 8 messages"):
            yield f"{done}"
        exported = os.path.join(place.path, "exported.jsonl")
        place.run("export", "--to", exported)
        done = place.run("--home", os.path.join(place.path, "second"), "import", exported)
        if done.stdout != "3 sessions with 12 messages imported, 0 skipped\n":
            yield f"{done}"
        done = place.run("import", exported, "--dry-run")
        if done.returncode != 2 or "is not a transcript" not in done.stderr:
            yield f"{done}"
        elsewhere = ["--store", f"conversation={os.path.join(place.path, 'other.db')}", "import"]
        done = place.run(*elsewhere)
        if done.returncode != 1 or "not in the home" not in done.stderr:
            yield f"{done}"
        if place.run(*elsewhere, "--into-foreign").returncode != 0:
            yield "--into-foreign"


@tap.case
def _():
    """import: stopped by Ctrl-C, it says how to go on, and does"""
    with Place() as place:
        data = b"".join(homes.plain(1, 40).lines)
        for number in range(400):
            with open(os.path.join(place.project, f"{homes.session_id(number)}.jsonl"), "wb") as file:
                file.write(data)
        process = subprocess.Popen([STELE, "import"], env=place.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        database = os.path.join(place.environment["STELE_HOME"], "conversation.db-wal")
        while process.poll() is None and not (os.path.exists(database) and os.path.getsize(database) > 100_000):
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LIMIT)
        if process.returncode != 0 and ("stopped" not in err or "again" not in err):  # it may have been faster
            yield f"{process.returncode} {out} {err}"
        place.run("import")
        if place.reply("call", "conversation.session_count", "{}") != {"count": 400}:
            yield "not all sessions are there"
        if place.reply("call", "conversation.message_count", "{}") != {"count": 400 * 80}:
            yield f"{place.reply('call', 'conversation.message_count', '{}')}"


@tap.case
def _():
    """resume: the command for the agent, or why there is none"""
    with Place() as place:
        t = homes.plain(1, 1, cwd="/srv/it's here")
        place.put(f"{t.id}.jsonl", t)
        agent = homes.plain(2, 1, sessionId=t.id, isSidechain=True, agentId="a1")
        place.put(f"{t.id}/subagents/agent-a1.jsonl", agent)
        place.run("import")
        done = place.run("resume", t.id[:8])
        words = subprocess.run(["sh", "-c", done.stdout.replace("cd ", "printf '%s|' ", 1).replace("&&", "'&&'")],
                               capture_output=True, text=True, check=True).stdout
        if done.returncode != 0 or words != f"/srv/it's here|&&|claude|--resume|{t.id}|":
            yield f"{done} {words}"
        done = place.run("resume", f"{t.id}:agent-a1")
        if done.returncode != 1 or "sub-agent" not in done.stderr or t.id not in done.stderr:
            yield f"{done}"
        place.run("call", "conversation.create_session", '{"session_id":"own","source":"cli"}')
        done = place.run("resume", "own")
        if done.returncode != 1 or "did not come from a transcript" not in done.stderr:
            yield f"{done}"
        if place.run("resume", "nobody").returncode != 1:
            yield "nobody"


if __name__ == "__main__":
    tap.main()
