#!/usr/bin/env python3
"""Segments, their hashes, their tickets and the tool calls that transcripts give are those of the documented rules: at once, as files grow,
rewritten, rotated, killed on the way.  Prints TAP."""

import contextlib
import hashlib
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from capture import home_opencode  # noqa: E402
from capture.place import Store as Conversations, nothing_new, run, same  # noqa: E402
from capture.segment_model import compact, expected, expected_events  # noqa: E402
from capture.segment_samples import BRANCH, CWD, START, Claude, Codex, Cursor, secret  # noqa: E402
from method import doors  # noqa: E402

COLUMNS = ("segment_index", "tool_calls_json", "user_prompts_json", "message_count", "token_count", "start_time", "end_time",
           "content_hash")
EVENT = ("timestamp", "command", "tool_name", "source_kind", "cwd", "exit_code", "duration_ms")
SOURCE = {"claude-code": "agentic-session-claude", "codex": "agentic-session-codex", "cursor": "agentic-session-cursor"}


def session_id(number):
    return f"0199c0de-{number:04x}-7000-8000-00000000{number:04x}"


class Store(Conversations):
    """A conversation store and a capture store."""

    def ask(self, method, **args):
        return self.player.must("call", f"capture.{method}", json.dumps(args))

    def segments(self, session, harness):
        found = self.ask("get_segments", session_id=session, harness=harness, limit=1000)
        return sorted(found, key=lambda segment: segment["segment_index"])

    def events(self):
        return [{name: event[name] for name in EVENT} for event in self.ask("get_events", limit=1000)]

    def everything(self):
        """What a second import must not change; without what tells when."""
        return {"segments": self.ask("get_segments", limit=1000), "events": self.ask("get_events", limit=1000),
                "tickets": self.ask("list_queue", limit=1000)}


@contextlib.contextmanager
def directory():
    path = tempfile.mkdtemp(prefix="stele-segments-")
    try:
        yield path
    finally:
        shutil.rmtree(path)


def write(home, session, happenings=None, at=START):
    path = os.path.join(home, session.path())
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"".join(h.lines for h in (session.happenings if happenings is None else happenings)))
    os.utime(path, (at, at))
    return path


def as_expected(store, session, happenings=None):
    happenings = session.happenings if happenings is None else happenings
    rules = session.rules
    found = store.segments(session.name, rules.harness)
    same([{name: segment[name] for name in COLUMNS} for segment in found], expected(rules, happenings), rules.harness)
    for segment in found:
        assert segment["cwd"] == CWD, segment
        assert segment["summary_text"].startswith(f"Session in {CWD}"), segment["summary_text"]
        assert "ghp_" not in json.dumps(segment), segment
    return found


def tickets_as_expected(store, segments):
    tickets = store.ask("list_queue", queue="agentic", limit=1000)
    assert sorted(t["source_id"] for t in tickets) == sorted(s["id"] for s in segments), (tickets, segments)
    assert {t["status"] for t in tickets} <= {"pending"}, tickets


def events_as_expected(store, sessions):
    wanted = [event for session in sessions for event in expected_events(session.rules, session.happenings, CWD).values()]
    key = json.dumps
    same(sorted(store.events(), key=key), sorted(wanted, key=key), "events")


def test_first(places, maker):
    """One import: segments, hashes, tickets, events, health; a second one changes nothing."""
    with directory() as home, Store(places, home) as store:
        sessions = [maker(number, session_id(number)).some(60 * number) for number in range(1, 4)]
        for session in sessions:
            write(home, session)
        store.take()
        segments = [segment for session in sessions for segment in as_expected(store, session)]
        assert len(segments) > len(sessions), segments
        tickets_as_expected(store, segments)
        events_as_expected(store, sessions)
        health = {row["source"]: row for row in store.ask("list_source_health")}[SOURCE[maker.rules.harness]]
        assert health["last_event_ts"] == max(s["end_time"] for s in segments) and health["consecutive_failures"] == 0, health
        before = store.everything()
        counts = store.take()
        assert counts["unchanged"] == counts["files"] == 3, counts
        store.take(again=True)
        same(store.everything(), before, "imported again")


def test_growth(places, maker):
    """The file grows in pieces that end anywhere; after each, the segments are those of the lines that are complete."""
    with directory() as home, Store(places, home) as store:
        session = maker(7, session_id(7)).some(120)
        path = write(home, session, [])
        data, at = b"".join(h.lines for h in session.happenings), 0
        while at < len(data):
            step = session.random.randint(1, 4000)
            with open(path, "ab") as file:
                file.write(data[at:at + step])
            os.utime(path, (START, START + at))
            at += step
            store.take()
            if data[:at].endswith(b"\n"):
                continue
            reached, complete = 0, []
            for h in session.happenings:
                reached += len(h.lines)
                if reached > at:
                    break
                complete.append(h)
            partly = data[reached - len(session.happenings[len(complete)].lines):at] if reached > at else b""
            if b"\n" not in partly and not partly.strip().endswith(b"}"):
                times_aside(store, session, complete)
        times_aside(store, session, session.happenings)
        events = len([h for h in session.happenings if h.kind == "call"])
        assert len(store.events()) == events, (len(store.events()), events)


def times_aside(store, session, happenings):
    """Cursor's transcripts have no times: theirs are those of the file, when it was read."""
    found = store.segments(session.name, session.rules.harness)
    names = COLUMNS if session.rules.harness != "cursor" else [n for n in COLUMNS if not n.endswith("_time")]
    same([{n: s[n] for n in names} for s in found], [{n: s[n] for n in names} for s in expected(session.rules, happenings)], "grown")


def test_rewritten(places, maker):
    """Written anew, in place or as another file, shorter or with other words: the segments are those of the file as it is."""
    with directory() as home, Store(places, home) as store:
        for rotated in (False, True):
            old, new = maker(11, session_id(11)).some(200), maker(12, session_id(11)).some(40)
            path = write(home, old)
            store.take()
            segments = as_expected(store, old)
            if rotated:
                os.unlink(path)
                with open(path + ".other", "wb") as file:  # it keeps the inode from being given again
                    file.write(b"x")
            write(home, new, at=START + 9)
            store.take()
            left = as_expected_but_start(store, new)
            assert len(left) < len(segments), (len(left), len(segments))
            tickets_as_expected(store, left)
            shutil.rmtree(os.path.dirname(path))
            store.ask("record_source_error", source="shell", error="x")  # any other writing goes on


def as_expected_but_start(store, session):
    """When a segment began is not changed."""
    found = store.segments(session.name, session.rules.harness)
    names = [name for name in COLUMNS if name != "start_time" and not (name == "end_time" and session.rules.harness == "cursor")]
    same([{n: s[n] for n in names} for s in found], [{n: s[n] for n in names} for s in expected(session.rules, session.happenings)], "rewritten")
    return found


def filled(session, sizes, letter):
    """A session of prompts with so many letters each."""
    for size in sizes:
        session.tick()
        session.clock = START
        session.add("prompt", session.plain(letter * size), text=letter * size)
    return session


def test_size(places):
    """A segment of 12,000 goes on, one of 12,001 does not: bytes of Claude Code, characters of Codex."""
    with directory() as home, Store(places, home) as store:
        for number, (maker, full) in enumerate([(Claude, [500] * 12), (Codex, [500] * 24)]):
            for more, count in ((0, 1), (1, 2)):
                session = maker(number, session_id(50 + 2 * number + more))
                filled(session, [*full, *[1] * more, 7], "ä")
                write(home, session)
                store.take()
                assert len(as_expected(store, session)) == count, (maker, more)


def test_moved(places):
    """A transcript with another name is not read again."""
    with directory() as home, Store(places, home) as store:
        session = Claude(21, session_id(21)).some(40)
        path = write(home, session)
        store.take()
        os.rename(os.path.dirname(path), os.path.dirname(path) + "-x")
        counts = store.take()
        assert counts["unchanged"] == counts["files"] == 1, counts
        as_expected(store, session)


def test_subagents(places):
    """The path tells whose sub-agent a session is."""
    with directory() as home, Store(places, home) as store:
        session = Claude(22, "agent-c1").some(20)
        session.path = lambda: f".claude/projects/-srv-me-app/{session_id(22)}/subagents/agent-c1.jsonl"
        write(home, session)
        sub = Cursor(23, session_id(23)).some(20)
        sub.path = lambda: f".cursor/projects/srv-me-app/agent-transcripts/{session_id(24)}/subagents/{sub.name}.jsonl"
        write(home, sub)
        store.take()
        for one, parent, project in ((session, session_id(22), "-srv-me-app"), (sub, session_id(24), "srv-me-app")):
            for segment in as_expected(store, one):
                assert segment["is_subagent"] and segment["parent_session_id"] == parent, segment
                assert segment["project_dir"] == project, segment
        assert store.segments("agent-c1", "claude-code")[0]["git_branch"] == BRANCH


def test_off(places):
    """Without capture nothing goes there; the next import with it makes up for that, and the conversations stay as they are."""
    with directory() as home, Store(places, home) as store:
        session = Claude(31, session_id(31)).some(80)
        write(home, session)
        store.take(capture=False)
        assert store.segments(session.name, "claude-code") == []
        nothing_new(store.take())
        as_expected(store, session)
        events_as_expected(store, [session])


def test_bad(places):
    """What cannot be read is counted as an error of the source, and the rest is taken in."""
    with directory() as home, Store(places, home) as store:
        session = Claude(32, session_id(32)).some(30)
        path = write(home, session)
        with open(path, "ab") as file:
            file.write(b'{"type":"user","uuid":\n')
        store.take()
        as_expected(store, session)
        health = {row["source"]: row for row in store.ask("list_source_health")}["agentic-session-claude"]
        assert health["consecutive_failures"] == 1 and path in health["last_error_msg"], health


# ---- opencode: one segment per session, out of a database ----

class Base(home_opencode.Database):
    def __init__(self, home):
        path = os.path.join(home, ".local/share/opencode/opencode.db")
        os.makedirs(os.path.dirname(path))
        super().__init__(path)
        for name in ("additions", "deletions", "files"):
            self.db.execute(f"ALTER TABLE session ADD COLUMN summary_{name} integer")

    def change(self, id, at, diffs, *counts):
        self.db.execute("UPDATE session SET time_updated=?, summary_diffs=?, summary_additions=?, summary_deletions=?, summary_files=? "
                        "WHERE id=?", (home_opencode.T0 + at, diffs, *counts, id))
        self.db.commit()


def opencode_hash(calls, prompts, texts, diffs="", counts=(0, 0, 0), files=()):
    head = "|".join([compact(calls), compact(prompts), "\n".join(texts)]).encode()
    more = [b"".join(struct.pack("<q", count) for count in counts), diffs.encode(), compact(list(files)).encode()]
    return hashlib.sha256(b"|".join([head, *more])).hexdigest()


def opencode_row(store, id):
    rows = store.segments(id, "opencode")
    assert len(rows) == 1 and rows[0]["segment_index"] == 0, rows
    return rows[0]


def test_opencode(places):
    """A session is one row, which changes with it; its hash has the changes in it."""
    text, tool, t0 = home_opencode.text, home_opencode.tool, home_opencode.T0
    key = secret(random.Random(5))
    with directory() as home, Store(places, home) as store:
        base = Base(home)
        base.session("ses_1", f"Build {key}")
        base.session("ses_2", "Sub", parent="ses_1", at=1)
        base.message("msg_1", "ses_1", 10, [text("p" * 490 + f" {key} x")], role="user")
        base.message("msg_2", "ses_1", 20, [
            text("a" * 400), tool("call_1", "bash", "completed", input={"command": "make"}, output="ok\nthen", metadata={"exit": 2},
                                  time={"start": t0 + 100, "end": t0 + 350}),
            {"type": "patch", "hash": "h", "files": ["/srv/me/app/a.c", "b.c"]}],
            role="assistant", modelID="m1", tokens=home_opencode.TOKENS)
        base.message("msg_3", "ses_2", 30, [text("look")], role="user")
        base.db.commit()
        store.take()
        row = opencode_row(store, "ses_1")
        calls, prompts, texts = ["bash: make -> ok"], [("p" * 490 + " [REDACTED] x")[:500]], ["a" * 300]
        wanted = {"tool_calls_json": compact(calls), "user_prompts_json": compact(prompts), "message_count": 2, "token_count": 35,
                  "start_time": t0, "end_time": t0, "cwd": "/srv/me/app", "project_dir": "/srv/me/app", "title": "Build [REDACTED]",
                  "model": "m1", "is_subagent": False,
                  "content_hash": opencode_hash(calls, prompts, texts, files=["/srv/me/app/a.c", "b.c"])}
        same({name: row[name] for name in wanted}, wanted)
        assert opencode_row(store, "ses_2")["parent_session_id"] == "ses_1"
        event, = store.events()
        same(event, {"timestamp": t0 + 100, "command": "make", "tool_name": "bash", "source_kind": "opencode-tool", "cwd": "/srv/me/app",
                     "exit_code": 2, "duration_ms": 250})
        tickets_as_expected(store, store.ask("get_segments"))
        before = store.everything()
        store.take(again=True)
        same(store.everything(), before, "again")
        base.message("msg_4", "ses_1", 40_000, [text("next")], role="user")
        base.change("ses_1", 40_001, '[{"file":"a.c"}]', 3, 1, 2)
        store.take()
        row = opencode_row(store, "ses_1")
        assert row["end_time"] == t0 + 40_001 and row["message_count"] == 3, row
        assert row["content_hash"] == opencode_hash(calls, [*prompts, "next"], texts, '[{"file":"a.c"}]', (3, 1, 2),
                                                    ["/srv/me/app/a.c", "b.c"]), row
        assert len(store.events()) == 1
        base.db.close()


TESTS = [(f"{name} of {maker.__name__}", lambda places, test=test, maker=maker: test(places, maker))
         for maker in (Claude, Codex, Cursor)
         for name, test in (("first import", test_first), ("growth", test_growth), ("rewritten", test_rewritten))]
TESTS += [("size", test_size), ("moved", test_moved), ("sub-agents", test_subagents), ("off", test_off), ("bad lines", test_bad), ("opencode", test_opencode)]


# ---- On SQLite alone ----

def killed_at(home, place, number):
    """Import until the number-th operation on a file, at which the process is killed.  True: it was."""
    with doors.Player() as player:
        player.open(place)
        player.must("call", "conversation.session_count", "{}")
        player.must("fault", "kill", str(number))
        try:
            player.must("call", "conversation.import_transcripts", json.dumps({"home": home}))
        except doors.Broken:
            player.process.stdin.close()
            player.process.wait()
            player.process = subprocess.Popen(["true"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # for its end
            return True
        return False


def test_unwritable(places):
    """A capture store that cannot be opened keeps no conversation out; when it can, what is missing comes in."""
    with directory() as home:
        session, place = Claude(33, session_id(33)).some(50), places.new()
        write(home, session)
        os.makedirs(place["home"], mode=0o700)
        broken = os.path.join(place["home"], "capture.db")
        with open(broken, "wb") as file:
            file.write(b"this is no database " * 500)
        with Store(places, home, place) as store:
            assert store.take()["messages"] > 0
        os.unlink(broken)
        with Store(places, home, place) as store:
            nothing_new(store.take())
            as_expected(store, session)


def test_failing(places):
    """A transaction that fails is an error of its source, and is made up for."""
    with directory() as home, Store(places, home) as store:
        session = Claude(34, session_id(34)).some(50)
        write(home, session)
        store.ask("list_source_health")
        places.sql(store.place, "capture", "CREATE TRIGGER no BEFORE INSERT ON agentic_sessions BEGIN SELECT RAISE(ABORT, 'not now'); END")
        assert store.take()["messages"] > 0
        health = {row["source"]: row for row in store.ask("list_source_health")}["agentic-session-claude"]
        assert health["consecutive_failures"] == 1 and "not now" in health["last_error_msg"], health
        assert store.events() == []
        places.sql(store.place, "capture", "DROP TRIGGER no")
        nothing_new(store.take())
        as_expected(store, session)
        events_as_expected(store, [session])


def test_fifth(places):
    """Another agent's sessions are conversations only."""
    with directory() as home, Store(places, home) as store:
        path = os.path.join(home, "run.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for record in ({"type": "thread.started", "thread_id": session_id(35)}, {"type": "turn.started"},
                           {"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": "done with all of it"}}):
                file.write(compact(record) + "\n")
        assert store.take(paths=[path])["messages"] == 1
        assert store.ask("get_segments") == [] and store.events() == []


def test_killed(places):
    """Killed at one operation after the other, also between the two stores: the next import makes both whole."""
    with directory() as home:
        sessions = [Claude(41, session_id(41)).some(1500), Codex(42, session_id(42)).some(400)]
        for session in sessions:
            write(home, session)
        number, killed, kills = 1, True, 0
        while killed:
            place = places.new()
            killed = killed_at(home, place, number)
            with Store(places, home, place) as store:
                store.take()
                found = [segment for session in sessions for segment in as_expected(store, session)]
                tickets_as_expected(store, found)
                wanted = sum(len(expected_events(s.rules, s.happenings, CWD)) for s in sessions)
                assert len(store.ask("get_events", limit=1000)) == min(wanted, 1000)
            places.forget(place)
            kills += killed
            number += 1 + number // 4
        assert kills > 15, kills


ALONE = [("an unwritable store", test_unwritable), ("a failing store", test_failing), ("a fifth agent", test_fifth), ("killed", test_killed)]


def main():
    failed = run(TESTS, [doors.Sqlite(), doors.Postgres(["conversation", "capture"])])
    return run(ALONE, [doors.Sqlite()]) or failed


if __name__ == "__main__":
    sys.exit(main())
