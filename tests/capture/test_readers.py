#!/usr/bin/env python3
"""What the readers tell of the sample homes, without the engine.  Prints TAP."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from capture import expect, home_codex, home_cursor, home_opencode, home_originals  # noqa: E402
from check import tap  # noqa: E402

TELL = os.environ["STELE_TEST_TELL"]


def lines_of(*words):
    done = subprocess.run([TELL, *words], capture_output=True, timeout=60)
    if done.returncode:
        raise AssertionError(f"tell {words}: {done.stderr.decode()}")
    return done.stdout.decode().splitlines()


def told_of(home):
    told = expect.Told()
    for path in home["files"]:
        told.take(lines_of(path))
    return told


def check(home, told):
    for wanted in home["sessions"]:
        yield from expect.differences(told.seen(wanted["harness"], wanted["id"]), wanted)
    known = {(wanted["harness"], wanted["id"]) for wanted in home["sessions"]}
    for harness, id in told.sessions.keys() - known:
        yield f"{harness} {id} was told, and is none of the home's"
    if len(told.bad) != home["bad"]:
        yield f"bad records: {told.bad}"


class Place:
    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="stele-readers-")
        return self.path

    def __exit__(self, *unused):
        shutil.rmtree(self.path)


def with_home(maker):
    with Place() as place:
        home = maker.make(place)
        yield from check(home, told_of(home))


@tap.case
def _():
    """Codex: three generations, compressed and archived, every text once"""
    yield from with_home(home_codex)


@tap.case
def _():
    """Cursor: transcripts of three ages, directories from tool inputs"""
    yield from with_home(home_cursor)


@tap.case
def _():
    """opencode: both forms of messages, tokens once, with a writer alive"""
    yield from with_home(home_opencode)


@tap.case
def _():
    """the files of the five systems are known by their tables and read by column"""
    with Place() as place:
        home = home_originals.make(place)
        told = told_of(home)
        yield from check(home, told)
        if "--store telemetry=" not in "".join(told.bad):
            yield f"the way to open telemetry is not told: {told.bad}"


@tap.case
def _():
    """hippo: where a segment is in both tables, the newer one is told"""
    with Place() as place:
        home = home_originals.make_both(place)
        yield from check(home, told_of(home))


@tap.case
def _():
    """opencode: no table but those of sessions is read"""
    with Place() as place:
        home = home_opencode.make(place)
        told = told_of(home)
        if told.tables != {"session", "message", "part", "session_message"}:
            yield f"read were {sorted(told.tables)}"
        if "oc-secret" in json.dumps(list(told.sessions.values())):
            yield "a secret was told"


@tap.case
def _():
    """opencode: a row that changed is told again, one that did not is not, and an output that was cleared stays"""
    with Place() as place:
        home = home_opencode.make(place)
        state = os.path.join(place, "state")
        told = expect.Told()
        told.take(lines_of("--state", state, home["files"][0]))
        path, writer = home["files"][0], home["writer"]
        later = 600_000  # when the last of its messages was written
        writer.update_part("prt_0009", later + 50_000, **home_opencode.tool("call_3", "bash", "completed", input={"command": "sleep"}, output="slept",
                           time={"start": 1, "end": home_opencode.T0 + 700_000}))
        again = lines_of("--state", state, path)
        keys = {json.loads(line)["message"]["key"] for line in again if '"message":{' in line}
        if "msg_02" not in keys or "msg_03" in keys:
            yield f"told again were {sorted(keys)}"
        told.take(again)
        texts = [m.get("content") for m in told.seen("opencode", "ses_1")["messages"]]
        if "slept" not in texts or texts.count("ok\n") != 1:
            yield f"after the change: {texts}"
        writer.update_part("prt_0007", later + 100_000, **home_opencode.tool("call_1", "bash", "completed", input={"command": "make"}, output="",
                           time={"start": 1, "end": 2, "compacted": 3}))
        told.take(lines_of("--state", state, path))
        if "ok\n" not in [m.get("content") for m in told.seen("opencode", "ses_1")["messages"]]:
            yield "the cleared output has replaced the one that was told"


def growing(path, place, harness, id):
    """A file read in pieces, at every line, with what is remembered in between: the same as in one go."""
    whole = expect.Told()
    whole.take(lines_of(path))
    with open(path, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    pieces, state = expect.Told(), os.path.join(place, "state")
    copy = os.path.join(place, "piece", os.path.relpath(path, place))
    os.makedirs(os.path.dirname(copy), exist_ok=True)
    for count in range(len(lines)):
        with open(copy, "wb") as file:
            file.write(b"".join(lines[:count + 1]))
        os.utime(copy, (os.stat(path).st_mtime,) * 2)
        pieces.take(lines_of("--state", state, "--skip", str(count), copy))
    os.unlink(state)
    got, wanted = pieces.seen(harness, id), whole.seen(harness, id)
    if got != wanted:
        yield from expect.differences(got, wanted)
        yield f"{path}: read in pieces it is not the same"


@tap.case
def _():
    """a transcript that grows line by line tells the same as a whole one"""
    with Place() as place:
        home = home_codex.make(place)
        for path, wanted in zip(home["files"][:3], home["sessions"]):
            yield from growing(path, place, "codex", wanted["id"])
    with Place() as place:
        home = home_cursor.make(place)
        for path, wanted in zip(home["files"][:2], home["sessions"]):
            yield from growing(path, place, "cursor", wanted["id"])


@tap.case
def _():
    """Codex: whichever family comes first, or alone, a text is told once"""
    dice = random.Random(7)
    for number in range(40):
        records, wanted = [home_codex.meta(50)], []
        for second in range(8):
            role, repeated = dice.choice(["user", "assistant"]), dice.random() < 0.5
            words = "same  words" if repeated else f"words {second}"
            pair = [home_codex.said(second, role, words),
                    home_codex.event(second, "user_message" if role == "user" else "agent_message", message=words.replace("  ", "\n"))]
            dice.shuffle(pair)
            if not repeated and dice.random() < 0.5:
                pair.pop()
            records += pair
            wanted.append((role, words.split()))
        with Place() as place:
            path = os.path.join(place, f"rollout-2025-10-09T08-53-20-{home_codex.thread(50)}.jsonl")
            with open(path, "w", encoding="utf-8") as file:
                file.write(home_codex.text_of(records))
            told = expect.Told()
            told.take(lines_of(path))
            got = [(m["role"], m["content"].split()) for m in told.seen("codex", home_codex.thread(50))["messages"]]
        if got != wanted:
            yield f"round {number}: {got}, not {wanted}"


@tap.case
def _():
    """Codex: a file that turns into .zst and back is the same session with the same keys"""
    with Place() as place:
        home = home_codex.make(place)
        path = home["files"][2]
        plain = lines_of(path)
        with open(path, "rb") as file:
            data = file.read()
        with open(path + ".zst", "wb") as file:
            file.write(home_codex.zstd(data[:1000]) + home_codex.zstd(data[1000:]))  # two frames
        if lines_of(path + ".zst") != plain:
            yield "what is told differs"
        with open(path + ".zst", "wb") as file:
            file.write(home_codex.zstd(data)[:-5])
        done = subprocess.run([TELL, path + ".zst"], capture_output=True, timeout=60)
        if b"ends inside a frame" not in done.stderr:
            yield f"a file cut short: {done.stderr}"


if __name__ == "__main__":
    tap.main()
