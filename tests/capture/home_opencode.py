"""A sample home of opencode: its database, with messages of both forms, and tables that nobody may read."""

import json
import os
import sqlite3

from capture.expect import message, session, usage

T0 = 1_770_000_000_000  # ms

SCHEMA = """
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, time_created integer, time_updated integer);
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL, directory text NOT NULL,
  title text NOT NULL, version text NOT NULL, share_url text, summary_diffs text, revert text, time_created integer NOT NULL,
  time_updated integer NOT NULL, time_compacting integer, time_archived integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL,
  data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
CREATE INDEX part_message_idx ON part (message_id);
CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE account (id text PRIMARY KEY, access_token text);
CREATE TABLE control_account (email text PRIMARY KEY, refresh_token text);
CREATE TABLE credential (id text PRIMARY KEY, secret text);
INSERT INTO account VALUES ('a', 'oc-secret-access');
INSERT INTO control_account VALUES ('me@example.com', 'oc-secret-refresh');
INSERT INTO credential VALUES ('c', 'oc-secret-credential');
"""

SECRET_TABLES = {"account", "control_account", "credential"}


class Database:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.executescript(SCHEMA)
        self.parts = 0

    def session(self, id, title, parent=None, at=0):
        self.db.execute("INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, time_created, time_updated) "
                        "VALUES (?,?,?,?,?,?,?,?,?)", (id, "prj_1", parent, "slug", "/srv/me/app", title, "1.2.0", T0 + at, T0 + at))

    def message(self, id, session, at, parts, **data):
        self.db.execute("INSERT INTO message VALUES (?,?,?,?,?)", (id, session, T0 + at, T0 + at, json.dumps(data)))
        for part in parts:
            self.parts += 1
            self.db.execute("INSERT INTO part VALUES (?,?,?,?,?,?)",
                            (f"prt_{self.parts:04d}", id, session, T0 + at, T0 + at, json.dumps(part)))

    def message_2(self, id, session, at, type, **data):
        self.db.execute("INSERT INTO session_message VALUES (?,?,?,?,?,?)", (id, session, type, T0 + at, T0 + at, json.dumps(data)))

    def update_part(self, id, at, **data):
        self.db.execute("UPDATE part SET data=?, time_updated=? WHERE id=?", (json.dumps(data), T0 + at, id))
        self.db.commit()


def text(words, **more):
    return {"type": "text", "text": words, **more}


def tool(call, name, status, **state):
    return {"type": "tool", "callID": call, "tool": name, "state": {"status": status, **state}}


TOKENS = {"input": 10, "output": 20, "reasoning": 5, "cache": {"read": 100, "write": 7}}
FILE = {"type": "file", "mime": "image/png", "filename": "a.png", "url": "data:image/png;base64,AAAA"}


def fill(base):
    base.session("ses_1", "Fix the build")
    base.session("ses_2", "Explore (sub-agent)", parent="ses_1", at=1)
    base.session("ses_3", "Second form", at=2)
    base.session("ses_4", "Both forms", at=3)
    base.message("msg_01", "ses_1", 1000, [text("fix it"), text("Called the Read tool", synthetic=True), FILE], role="user",
                 summary={"title": "x"}, agent="build")
    base.message("msg_02", "ses_1", 2000, [
        {"type": "step-start", "snapshot": "s"},
        {"type": "reasoning", "text": "let me think"},
        text("I will run it."),
        tool("call_1", "bash", "completed", input={"command": "make"}, output="ok\n", title="make", time={"start": 1, "end": T0 + 2500}),
        tool("call_2", "bash", "error", input={"command": "nope"}, error="not found", time={"start": 1, "end": T0 + 2600}),
        tool("call_3", "bash", "running", input={"command": "sleep"}, time={"start": 1}),
        {"type": "step-finish", "reason": "tool-calls", "cost": 0.5, "tokens": TOKENS},
        {"type": "patch", "hash": "h", "files": ["a"]},
        {"type": "retry", "attempt": 1},
    ], role="assistant", modelID="claude-x", providerID="p", cost=0.5, tokens=TOKENS, finish="tool-calls",
        path={"cwd": "/srv/me/app", "root": "/"})
    base.message("msg_03", "ses_1", 3000, [text("Done.")], role="assistant", modelID="claude-y", providerID="p", cost=0.25, tokens=TOKENS,
                 error={"name": "APIError", "data": {"message": "late"}})
    base.message("msg_04", "ses_1", 4000, [text("What happened so far.")], role="assistant", summary=True, modelID="claude-y", tokens=TOKENS)
    base.message("msg_05", "ses_2", 2100, [text("explored")], role="assistant", modelID="claude-x")
    base.message_2("msg_11", "ses_3", 5000, "user", text="second form", files=[], agents=[])
    base.message_2("msg_12", "ses_3", 6000, "assistant", agent="build", model={"id": "claude-z", "providerID": "p"}, cost=1,
                   tokens=TOKENS, finish="stop", content=[
                       {"type": "reasoning", "id": "r", "text": "hm"}, {"type": "text", "id": "t", "text": "answer"},
                       {"type": "tool", "id": "call_9", "name": "read", "state": {
                           "status": "completed", "input": {"path": "a"}, "content": [{"type": "text", "text": "inside"}], "structured": {}}}])
    base.message_2("msg_13", "ses_3", 7000, "shell", callID="sh_1", command="ls", output="a b", time={"created": 1, "completed": 2})
    base.message_2("msg_14", "ses_3", 8000, "synthetic", sessionID="ses_3", text="note")
    base.message_2("msg_15", "ses_3", 9000, "compaction", reason="auto", summary="short", recent="r")
    base.message_2("msg_16", "ses_3", 9500, "model-switched", model={"id": "m"})
    base.message("msg_21", "ses_4", 1000, [text("in both")], role="user")
    base.message_2("evt_legacy_backfill_m_1", "ses_4", 1000, "user", text="in both")
    base.message_2("msg_22", "ses_4", 600_000, "user", text="only in the second")
    base.db.execute("INSERT INTO message VALUES ('msg_99', 'ses_4', ?, ?, '{broken')", (T0 + 1, T0 + 1))
    base.db.commit()


def expected():
    spent = dict(input=10, output=20, reasoning=5, cache_read=100, cache_write=7)
    first = session("opencode", "ses_1", [
        message("user", parts=[{"type": "text", "text": "fix it"}, FILE], at=(T0 + 1000) / 1000),
        message("system", "Called the Read tool"),
        message("assistant", "I will run it.", thought="let me think", calls=[
            ("call_1", "bash", '{"command":"make"}'), ("call_2", "bash", '{"command":"nope"}'), ("call_3", "bash", '{"command":"sleep"}')]),
        message("tool", "ok\n", call_id="call_1", tool="bash", at=(T0 + 2500) / 1000),
        message("tool", "not found", call_id="call_2", tool="bash"),
        message("event", parts={"type": "retry", "attempt": 1}),
        message("assistant", "Done."),
        message("event", parts={"name": "APIError", "data": {"message": "late"}}),
        message("system", "What happened so far."),
    ], usage(cost=0.75, **{name: 3 * n for name, n in spent.items()}), title="Fix the build", cwd="/srv/me/app", version="1.2.0",
        model="claude-y", started_at=T0 / 1000)
    second = session("opencode", "ses_2", [message("assistant", "explored")], parent="ses_1", link="subagent")
    third = session("opencode", "ses_3", [
        message("user", "second form"),
        message("assistant", "answer", thought="hm", calls=[("call_9", "read", '{"path":"a"}')]),
        message("tool", "inside", call_id="call_9", tool="read"),
        message("assistant", calls=[("sh_1", "shell", "ls")]),
        message("tool", "a b", call_id="sh_1", tool="shell"),
        message("system", "note"),
        message("system", "short"),
        message("event", parts={"model": {"id": "m"}}),
    ], usage(cost=1, **spent), model="claude-z")
    fourth = session("opencode", "ses_4", [message("user", "in both"), message("user", "only in the second")])
    return [first, second, third, fourth]


def make(root):
    """The database stays open for writing: {"writer"} is it."""
    directory = os.path.join(root, ".local", "share", "opencode")
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, "opencode-dev.db")
    base = Database(path)
    fill(base)
    return {"root": directory, "files": [path], "sessions": expected(), "bad": 1, "writer": base}
