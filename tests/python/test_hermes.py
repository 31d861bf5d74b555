#!/usr/bin/env python3
"""stele.compat.hermes does what the original does: a workload, the edge cases that were observed on it, its file.
Prints TAP."""

import inspect
import os
import sqlite3
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from conversation import original  # noqa: E402
from python.tap import main, raises, same, test  # noqa: E402

from stele.compat import hermes  # noqa: E402
from stele.compat.hermes import SessionDB  # noqa: E402

SESSION_COLUMNS = [column.split()[0] for _, column in original.SESSIONS]
MESSAGE_COLUMNS = [column.split()[0] for _, column in original.MESSAGES]


class opened(SessionDB):
    """A SessionDB in the directory of a test, with a session s1; closed at the end of its `with`."""

    def __init__(self, place, name="state.db", session=True):
        super().__init__(os.path.join(place, name))
        if session:
            self.create_session("s1", "cli")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def say(self, *texts, session="s1", role="user", **more):
        return [self.append_message(session, role, text, **more) for text in texts]

    def ids(self, query, **more):
        return [row["id"] for row in self.search_messages(query, **more)]

    def start(self, session, at, **more):
        self.create_session(session, "cli", **more)
        self._conn.execute("UPDATE sessions SET started_at = ? WHERE id = ?", (at, session))


def hermes_test(name):
    """A test with an open database."""
    def keep(function):
        @test(name)
        def _(place):
            with opened(place) as db:
                function(db)
        return function
    return keep


# ---- A workload --------------------------------------------------------------------------------

@hermes_test("a day's work: sessions, messages with tool calls and reasoning, search, titles, lineage, export, prune")
def _(db):
    calls = [{"id": "c1", "function": {"name": "terminal", "arguments": "{}"}}]
    db.say("Fix the Docker build")
    db.append_message("s1", "assistant", "", tool_calls=calls, finish_reason="tool_calls", reasoning="let me look",
                      reasoning_details=[{"type": "text", "text": "hm"}])
    db.append_message("s1", "tool", "no space left on device", tool_name="terminal", tool_call_id="c1")
    db.append_message("s1", "assistant", "The disk is full.", finish_reason="stop", token_count=7, reasoning_content="")
    session = db.get_session("s1")
    same((session["message_count"], session["tool_call_count"]), (4, 1))
    same(list(session), SESSION_COLUMNS)
    messages = db.get_messages("s1")
    same(list(messages[0]), MESSAGE_COLUMNS)
    same(messages[1]["tool_calls"], calls)
    same(messages[1]["reasoning_details"], '[{"type": "text", "text": "hm"}]')
    same(db.get_messages_as_conversation("s1"), [
        {"role": "user", "content": "Fix the Docker build"},
        {"role": "assistant", "content": "", "tool_calls": calls, "finish_reason": "tool_calls", "reasoning": "let me look",
         "reasoning_details": [{"type": "text", "text": "hm"}]},
        {"role": "tool", "content": "no space left on device", "tool_call_id": "c1", "tool_name": "terminal"},
        {"role": "assistant", "content": "The disk is full.", "finish_reason": "stop", "reasoning_content": ""}])
    [hit] = db.search_messages("docker")
    same(list(hit), ["id", "session_id", "role", "snippet", "timestamp", "tool_name", "source", "model", "session_started", "context"])
    same(hit["snippet"].strip(), "Fix the >>>Docker<<< build")
    same(hit["context"], [{"role": "user", "content": "Fix the Docker build"}, {"role": "assistant", "content": ""}])
    same(sorted(db.ids("terminal")), [2, 3])  # a call and the name of a tool
    same(db.set_session_title("s1", "Fix Docker Build"), True)
    db.end_session("s1", "compression")
    db.create_session("s2", "cli", parent_session_id="s1")
    same(db.get_next_title_in_lineage("Fix Docker Build"), "Fix Docker Build #2")
    db.set_session_title("s2", "Fix Docker Build #2")
    same(db.resolve_session_by_title("Fix Docker Build"), "s2")
    same(db.get_compression_tip("s1"), "s2")
    exported = db.export_session("s1")
    same((list(exported)[-1], len(exported["messages"])), ("messages", 4))
    same([each["id"] for each in db.export_all()], ["s2", "s1"] if db.get_session("s2")["started_at"] >= messages[-1]["timestamp"]
         else ["s1", "s2"])
    same(db.prune_sessions(older_than_days=-1), 1)
    same((db.get_session("s1"), db.get_session("s2")["parent_session_id"]), (None, None))
    same(db.message_count(), 0)


# ---- Sessions ----------------------------------------------------------------------------------

@hermes_test("creating a session: the first one stays, a missing parent is an error, a missing source is none")
def _(db):
    same(db.create_session("s1", "telegram", model="x"), "s1")
    same(db.get_session("s1")["source"], "cli")
    raises(sqlite3.IntegrityError, db.create_session, "s2", "cli", parent_session_id="nobody", says="FOREIGN KEY constraint failed")
    same(db.create_session("s3", None), "s3")
    same(db.get_session("s3"), None)
    raises(TypeError, db.create_session, "s4", "cli", colour="red")
    db.create_session("s5", "cli", model_config={"ü": 1})
    db.create_session("s6", "cli", model_config={})
    same((db.get_session("s5")["model_config"], db.get_session("s6")["model_config"]), ('{"\\u00fc": 1}', None))
    same(db.ensure_session("s7"), "s7")
    same(db.get_session("s7")["source"], "unknown")
    same((db.session_count(), db.session_count(source="unknown"), db.session_count(source="")), (4, 1, 4))


@hermes_test("the first end of a session counts, until it is opened again")
def _(db):
    db.end_session("s1", "user_exit")
    ended = db.get_session("s1")["ended_at"]
    db.end_session("s1", "compression")
    same((db.get_session("s1")["ended_at"], db.get_session("s1")["end_reason"]), (ended, "user_exit"))
    db.reopen_session("s1")
    same((db.get_session("s1")["ended_at"], db.get_session("s1")["end_reason"]), (None, None))
    db.end_session("nobody", "x")
    db.update_system_prompt("s1", "be kind")
    same(db.get_session("s1")["system_prompt"], "be kind")


@hermes_test("counters are added, or set; a session that is missing is made")
def _(db):
    db.update_token_counts("s1", input_tokens=10, output_tokens=5, model="m1", estimated_cost_usd=0.5, billing_provider="p1")
    db.update_token_counts("s1", input_tokens=1, api_call_count=2, model="m2", actual_cost_usd=1.0, cost_status="known",
                           billing_provider="p2")
    s = db.get_session("s1")
    same([s[n] for n in ("input_tokens", "output_tokens", "api_call_count", "model", "estimated_cost_usd", "actual_cost_usd",
                         "cost_status", "billing_provider")], [11, 5, 2, "m1", 0.5, 1.0, "known", "p1"])
    db.update_token_counts("s1", input_tokens=3, absolute=True)
    s = db.get_session("s1")
    same([s[n] for n in ("input_tokens", "output_tokens", "api_call_count", "estimated_cost_usd", "actual_cost_usd")], [3, 0, 0, 0.0, 1.0])
    db.update_token_counts("new", input_tokens=4, model="m")
    same([db.get_session("new")[n] for n in ("source", "model", "input_tokens", "estimated_cost_usd", "actual_cost_usd")],
         ["unknown", "m", 4, 0.0, None])


# ---- Messages ----------------------------------------------------------------------------------

@hermes_test("contents of every kind come back as the original gives them")
def _(db):
    given = [5, 1.5, True, float("nan"), b"\x00\xff", [{"type": "text", "text": "hé"}], {"a": 1}, (1, 2), {1, 1}]
    wanted = ["5", "1.5", "1", None, b"\x00\xff", [{"type": "text", "text": "hé"}], {"a": 1}, [1, 2], "{1}"]
    db.say(*given)
    same([message["content"] for message in db.get_messages("s1")], wanted)
    raw = db._conn.execute("SELECT content FROM messages WHERE id = 6").fetchone()[0]
    same(raw, '\x00json:[{"type": "text", "text": "h\\u00e9"}]')
    db._conn.execute("UPDATE messages SET content = ?, tool_calls = '{' WHERE id = 6", ("\x00json:{",))
    same([db.get_messages("s1")[5][name] for name in ("content", "tool_calls")], ["\x00json:{", []])


@hermes_test("tool calls are counted by their number, and once if they are no list")
def _(db):
    for calls in ([{}, {}], {}, "", [], None, {"a": 1}):
        db.append_message("s1", "assistant", None, tool_calls=calls)
    db.append_message("s1", "tool", "x")
    same((db.get_session("s1")["message_count"], db.get_session("s1")["tool_call_count"]), (7, 5))
    same([row[0] for row in db._conn.execute("SELECT tool_calls FROM messages")],
         ["[{}, {}]", None, None, None, None, '{"a": 1}', None])


@hermes_test("a message that cannot be kept leaves no trace")
def _(db):
    raises(sqlite3.IntegrityError, db.append_message, "nobody", "user", "x", says="FOREIGN KEY constraint failed")
    raises(sqlite3.IntegrityError, db.append_message, "s1", None, "x", says="NOT NULL constraint failed: messages.role")
    raises(UnicodeEncodeError, db.append_message, "s1", "user", "\ud800")
    raises(OverflowError, db.append_message, "s1", "user", "x", token_count=2 ** 70)
    raises(TypeError, db.append_message, "s1", "user", "x", tool_calls=[object()])
    same((db.get_session("s1")["message_count"], db.message_count(), db._conn.in_transaction), (0, 0, False))
    [number] = db.say("y")
    db.clear_messages("s1")
    same((db.say("z")[0] > number, db.message_count("s1")), (True, 1))


@hermes_test("messages are replaced all at once, or not at all")
def _(db):
    db.say("a", "b")
    db.replace_messages("s1", [
        {"role": "user", "content": "q", "reasoning": "no", "timestamp": 5}, {"content": [1]},
        {"role": "assistant", "content": None, "tool_calls": [{}], "reasoning": "yes", "codex_message_items": [1], "tool_call_id": "t",
         "tool_name": "n", "token_count": 3, "finish_reason": "stop"}])
    got = db.get_messages("s1")
    same([m["role"] for m in got], ["user", "unknown", "assistant"])
    same([(m["reasoning"], m["codex_message_items"]) for m in got], [(None, None), (None, None), ("yes", "[1]")])
    same(got[0]["timestamp"] > 1e9 and got[0]["timestamp"] < got[1]["timestamp"] < got[2]["timestamp"], True)
    same((db.get_session("s1")["message_count"], db.get_session("s1")["tool_call_count"]), (3, 1))
    raises(AttributeError, db.replace_messages, "s1", [{"role": "user"}, "no dict"])
    same(db.get_messages("s1"), got)
    db.replace_messages("nobody", [])
    raises(sqlite3.IntegrityError, db.replace_messages, "nobody", [{"role": "user"}])
    db.replace_messages("s1", [])
    same((db.get_messages("s1"), db.get_session("s1")["message_count"]), ([], 0))


@hermes_test("a window around a message, with the ends of the session")
def _(db):
    for n in range(20):
        db.append_message("s1", ("user", "assistant", "tool")[n % 3], f"m{n}")
    db.append_message("s1", "user", [1])  # its text begins with NUL: it has no length
    around = db.get_messages_around("s1", 10, window=2)
    same(([m["id"] for m in around["window"]], around["messages_before"], around["messages_after"]), ([8, 9, 10, 11, 12], 2, 2))
    same([m["id"] for m in db.get_messages_around("s1", 1, window=-3)["window"]], [1])
    same(db.get_messages_around("s1", 99), {"window": [], "messages_before": 0, "messages_after": 0})
    same(db.get_messages_around("other", 10)["window"], [])
    view = db.get_anchored_view("s1", 9, window=2, bookend=2)
    same([[m["id"] for m in view[name]] for name in ("window", "bookend_start", "bookend_end")], [[7, 8, 9, 10, 11], [1, 2], [19, 20]])
    view = db.get_anchored_view("s1", 10, window=2, bookend=2, keep_roles=None)
    same([[m["id"] for m in view[name]] for name in ("window", "bookend_start", "bookend_end")], [[8, 9, 10, 11, 12], [1, 2], [19, 20]])


@hermes_test("the conversation is told without recalled memory and without repeated prompts")
def _(db):
    note = "[System note: The following is recalled memory context, NOT new user input. Treat as informational background data.]"
    db.say(f"{note}\n<memory-context>\nsecret\n</memory-context>\n  hello ", "x <MEMORY-CONTEXT> y")
    db.append_message("s1", "tool", " <memory-context>kept</memory-context> ")
    db.append_message("s1", "user", [{"type": "text", "text": " a "}])
    db._conn.execute("UPDATE messages SET role = 'assistant', tool_calls = '{', reasoning_details = '{' WHERE id = 2")
    got = db.get_messages_as_conversation("s1")
    same(got[0], {"role": "user", "content": "hello"})
    same(got[1], {"role": "assistant", "content": "x  y", "tool_calls": [], "reasoning_details": None})
    same(got[2]["content"], " <memory-context>kept</memory-context> ")
    same(got[3]["content"], [{"type": "text", "text": " a "}])


@hermes_test("the conversation of a lineage: every ancestor, and a replayed prompt once")
def _(db):
    db.say("do it")
    db.end_session("s1", "compression")
    db.create_session("s2", "cli", parent_session_id="s1")
    db.say("do it", session="s2")
    db.say("done", session="s2", role="assistant")
    db.say("do it", session="s2")
    same([m["content"] for m in db.get_messages_as_conversation("s2", include_ancestors=True)], ["do it", "done", "do it"])
    same(len(db.get_messages_as_conversation("s2")), 3)
    db._conn.execute("UPDATE sessions SET parent_session_id = 's2' WHERE id = 's1'")  # a circle ends
    same(len(db.get_messages_as_conversation("s2", include_ancestors=True)), 3)


# ---- Titles ------------------------------------------------------------------------------------

@test("titles are cleaned as the original cleans them")
def _(place):
    for given, wanted in {None: None, "": None, " \t ": None, "a\x0bb": "ab", "a\tb\r\nc": "a b c", "a\u00a0\u3000\u0085b": "a b",
                          "a\u200bb\ufeff": "ab", "\x00\x7f": None, "  Hi   there ": "Hi there", "x" * 100: "x" * 100}.items():
        same(SessionDB.sanitize_title(given), wanted)
    raises(ValueError, SessionDB.sanitize_title, "x" * 101, says="too long")


@hermes_test("a title belongs to one session; its lineage has numbers")
def _(db):
    db.start("s2", 5)
    same((db.set_session_title("s1", "My Proj"), db.set_session_title("nobody", "x")), (True, False))
    raises(ValueError, db.set_session_title, "s2", " My  Proj ", says="already in use by session s1")
    same(db.set_session_title("s1", "My Proj"), True)
    same((db.set_session_title("s2", "my proj"), db.get_session_title("s2"), db.get_session_title("nobody")), (True, "my proj", None))
    same((db.get_session_by_title("My Proj")["id"], db.get_session_by_title("MY PROJ")), ("s1", None))
    db.set_session_title("s2", "My Proj #9")
    same(db.resolve_session_by_title("My Proj"), "s2")
    same(db.resolve_session_by_title("my proj"), "s2")  # LIKE knows no case
    same(db.resolve_session_by_title("My Pro_"), None)
    same(db.get_next_title_in_lineage("my proj"), "my proj #10")
    same(db.get_next_title_in_lineage("My Proj #4"), "My Proj #10")
    same(db.get_next_title_in_lineage("Other #3"), "Other")
    db.set_session_title("s2", "My Proj #x")
    same((db.resolve_session_by_title("My Proj"), db.get_next_title_in_lineage("My Proj")), ("s2", "My Proj #2"))
    same((db.set_session_title("s2", ""), db.get_session_title("s2"), db.set_session_title("nobody", None)), (True, None, False))


# ---- Finding a session -------------------------------------------------------------------------

@hermes_test("a session is found by a part of its id, if only one begins so")
def _(db):
    db.create_session("20260101_a", "cli")
    db.create_session("20260101_b", "cli")
    db.create_session("ABC_1", "cli")
    same([db.resolve_session_id(x) for x in ("20260101_a", "20260101", "20260101_B", "abc", "2_", "nothing", "")],
         ["20260101_a", None, "20260101_b", "ABC_1", None, None, None])


@hermes_test("compressed sessions are followed to their last continuation, resumed ones to where messages are")
def _(db):
    now = time.time()
    db.end_session("s1", "compression")
    db.start("early", 5, parent_session_id="s1")  # before the end: a subagent
    same(db.get_compression_tip("s1"), "s1")
    db.start("c1", now + 10, parent_session_id="s1")
    db.start("c2", now + 20, parent_session_id="s1")
    same(db.get_compression_tip("s1"), "c2")
    db._conn.execute("UPDATE sessions SET ended_at = ?, end_reason = 'compression' WHERE id = 'c2'", (now + 30,))
    db.start("d", now + 40, parent_session_id="c2")
    same((db.get_compression_tip("s1"), db.get_compression_tip("nobody")), ("d", "nobody"))
    same([db.resolve_resume_session_id(x) for x in ("s1", "", None, "nobody")], ["s1", "", None, "nobody"])
    db.say("x", session="d")
    same((db.resolve_resume_session_id("s1"), db.resolve_resume_session_id("c1")), ("d", "c1"))
    db.say("y")
    same(db.resolve_resume_session_id("s1"), "s1")


# ---- Lists -------------------------------------------------------------------------------------

@hermes_test("previews are those of the original")
def _(db):
    for n, (said, preview) in enumerate({"a\nb\rc": "a b c", "x" * 80: "x" * 60 + "...", "x" * 60: "x" * 60, " " * 63 + "late": "",
                                         "y" * 62 + " z": "y" * 60 + "..."}.items()):
        db.start(f"p{n}", 100 + n)
        db.append_message(f"p{n}", "assistant", "not me")
        db.append_message(f"p{n}", "user", said)
        same(db._get_session_rich_row(f"p{n}")["preview"], preview)
    db.append_message("s1", "user", [{"type": "text", "text": "seen?"}])
    same(db._get_session_rich_row("s1")["preview"], "")


@hermes_test("lists hide children but branches, tell continuations, and are ordered by start or activity")
def _(db):
    db._conn.execute("DELETE FROM sessions")
    db.start("root", 100)
    db._conn.execute("UPDATE sessions SET ended_at = 200, end_reason = 'compression', input_tokens = 7 WHERE id = 'root'")
    db.start("tip", 210, parent_session_id="root")
    db.set_session_title("tip", "T #2")
    db.start("parent", 150)
    db._conn.execute("UPDATE sessions SET ended_at = 160, end_reason = 'branched' WHERE id = 'parent'")
    db.start("branch", 170, parent_session_id="parent")
    db.start("subagent", 155, parent_session_id="parent")
    db._conn.execute("UPDATE sessions SET source = 'cron' WHERE id = 'parent'")
    listed = db.list_sessions_rich()
    same([row["id"] for row in listed], ["branch", "parent", "tip"])
    tip = listed[-1]
    same([tip[name] for name in ("started_at", "ended_at", "title", "input_tokens", "_lineage_root_id", "last_active", "preview")],
         [100, None, "T #2", 7, "root", 210, ""])
    same("_lineage_root_id" in listed[0], False)
    same([row["id"] for row in db.list_sessions_rich(include_children=True)], ["tip", "branch", "subagent", "parent", "root"])
    same([row["id"] for row in db.list_sessions_rich(project_compression_tips=False)], ["branch", "parent", "root"])
    same([row["id"] for row in db.list_sessions_rich(order_by_last_active=True)], ["tip", "branch", "parent"])
    same([row["id"] for row in db.list_sessions_rich(source="cron")], ["parent"])
    same([row["id"] for row in db.list_sessions_rich(exclude_sources=["cron"], limit=1, offset=1)], ["tip"])
    same(len(db.list_sessions_rich(limit=-1)), 3)
    same(list(listed[0]), [*SESSION_COLUMNS, "preview", "last_active"])
    db.append_message("subagent", "user", "busy")
    same([row["id"] for row in db.search_sessions()][0], "subagent")
    same(len(db.search_sessions(limit=2)), 2)
    same(list(db.search_sessions()[0]), [*SESSION_COLUMNS, "last_active"])


# ---- Search ------------------------------------------------------------------------------------

@test("queries are cleaned as the original cleans them")
def _(place):
    for given, wanted in {
            "hello": "hello", '"exact phrase" x': '"exact phrase" x', 'half "open': "half  open", "a+b {c} (d) ^e": "a b  c   d   e",
            "deploy***": "deploy*", "* x": "x", "AND foo": "foo", "foo OR": "foo", "not working": "working", "AND OR foo": "OR foo",
            "chat-send": '"chat-send"', "P2.2": '"P2.2"', "my-app.config.ts": '"my-app.config.ts"', "snake_case": '"snake_case"',
            "my-app*": '"my-app"*', '"a-b" c-d': '"a-b" "c-d"', "   ": ""}.items():
        same(SessionDB._sanitize_fts5_query(given).split(), wanted.split())


@hermes_test("what FTS5 cannot read finds nothing, and fails in no way")
def _(db):
    db.say("TODO: fix it's user@host gateway/run.py 50% a,b docker compose")
    for query in ("TODO: fix", "it's", "user@host", "gateway/run.py", "50%", "a,b", "-docker", "docker -compose", "a AND AND b",
                  "", "  ", None, '"', "***", "AND"):
        same((query, db.search_messages(query)), (query, []))
    same(len(db.search_messages("content:docker")), 1)
    same(len(db.search_messages("NEAR(docker compose)")), 0)


@hermes_test("search: words, phrases, operators, filters, order, snippets of three fields")
def _(db):
    db.create_session("s2", "telegram", model="m")
    db.say("docker deployment", "kubernetes deployment", "the docker", "café docker-compose", "x")
    db.append_message("s2", "tool", "out", tool_name="docker", tool_calls=[{"name": "run"}])
    same([db.ids(q) for q in ("docker deployment", "docker OR kubernetes", '"docker deployment"', "deploy*", "cafe", "docker NOT the")],
         [[1], db.ids("docker OR kubernetes"), [1], [1, 2], [4], db.ids("docker NOT the")])
    same(sorted(db.ids("docker")), [1, 3, 4, 6])
    same(db.ids("docker", sort=" Newest "), [6, 4, 3, 1])
    same(db.ids("docker", sort="oldest"), [1, 3, 4, 6])
    same(db.ids("docker", sort="sideways"), db.ids("docker"))
    same((db.ids("docker", source_filter=["telegram"]), db.ids("docker", source_filter=[])), ([6], []))
    same((sorted(db.ids("docker", exclude_sources=["telegram"])), len(db.ids("docker", exclude_sources=[]))), ([1, 3, 4], 4))
    same((db.ids("docker", role_filter=["tool"]), len(db.ids("docker", role_filter=[]))), ([6], 4))
    same((db.ids("docker", limit=0), len(db.ids("docker", limit=-1)), len(db.ids("docker", limit=2, offset=3))), ([], 4, 1))
    [hit] = db.search_messages("run", source_filter=["telegram"])
    same(hit["snippet"], 'out docker [{"name": ">>>run<<<"}]')
    same((hit["source"], hit["model"], hit["tool_name"]), ("telegram", "m", "docker"))
    db.say("same words", "same words")
    same(db.ids("words"), [7, 8])  # ties by id


@hermes_test("CJK: trigrams from three characters on, every message below, as it was observed")
def _(db):
    db.say("大别山项目的部署计划", "桂林山水", "漓江风光", "修改youer服务端", "ab 部署计划")
    same([SessionDB._contains_cjk(x) for x in ("abc", "中", "한", "ア", "。", "é")], [False, True, True, True, True, False])
    same((db.ids("大别山"), db.ids("部署计划")), ([1], [5, 1]))
    same(db.ids('"大别山" OR "部署计划"'), [])
    same(db.ids("大别山*"), [])
    same(sorted(db.ids("ab 部署计划")), [1, 5])  # the two letters have no trigram
    same(sorted(db.ids("桂林 NOT 漓江")), [2, 3])  # and NOT means OR there
    same(db.ids("桂林"), [2])
    same(db.ids("youer"), [])
    db.append_message("s1", "user", [{"type": "text", "text": "服务器"}])
    db.append_message("s1", "assistant", None, tool_calls=[{"name": "查询"}])
    same((db.ids("服务器"), db.ids("查询")), ([], []))
    [hit] = db.search_messages("桂林")
    same(hit["snippet"], "桂林山水")
    db.say("x" * 100 + "漓江" + "y" * 100)
    same(db.search_messages("漓江")[0]["snippet"], "x" * 40 + "漓江" + "y" * 78)


@hermes_test("the context of a hit: before, itself, after, cut, multimodal told as text")
def _(db):
    db.append_message("s1", "user", [{"type": "text", "text": "look"}, {"type": "image"}, {"type": "text", "text": "here"}])
    db.say("needle" + "n" * 300)
    db.append_message("s1", "assistant", [{"type": "image"}])
    [hit] = db.search_messages("needle*")
    same([c["content"] for c in hit["context"]], ["look here", "needle" + "n" * 194, "[multimodal content]"])
    db.append_message("s1", "assistant", None)
    db.say("pin")
    same([c["content"] for c in db.search_messages("pin")[0]["context"]], ["", "pin"])


# ---- Upkeep ------------------------------------------------------------------------------------

@test("deleting: children stay, files go")
def _(place):
    with opened(place) as db:
        db.create_session("kid", "cli", parent_session_id="s1")
        db.say("x")
        for name in ("s1.json", "s1.jsonl", "request_dump_s1_1.json", "request_dump_s1_2.json", "s10.json"):
            open(os.path.join(place, name), "w").close()
        same((db.delete_session("s1", sessions_dir=place), db.delete_session("s1")), (True, False))
        same((db.get_session("kid")["parent_session_id"], db.message_count(), db.search_messages("x")), (None, 0, []))
        same(sorted(name for name in os.listdir(place) if name.endswith(("json", "jsonl"))), ["s10.json"])


@hermes_test("pruning: only what has ended; ghosts; orphaned continuations")
def _(db):
    old = time.time() - 100 * 86400
    for name in ("old", "running", "young", "ghost", "used"):
        db.start(name, old if name != "young" else time.time())
    db._conn.execute("UPDATE sessions SET ended_at = ? WHERE id IN ('old', 'young', 'ghost', 'used')", (old,))
    db._conn.execute("UPDATE sessions SET source = 'tui' WHERE id IN ('ghost', 'used')")
    db.say("x", session="used")
    same((db.prune_empty_ghost_sessions(), db.get_session("ghost")), (1, None))
    same(db.prune_sessions(source="nothing"), 0)
    same((db.prune_sessions(), sorted(row["id"] for row in db.search_sessions())), (2, ["running", "s1", "young"]))
    db._conn.execute("UPDATE sessions SET ended_at = 1, end_reason = 'compression' WHERE id = 'young'")
    db._conn.execute("UPDATE sessions SET parent_session_id = 'young' WHERE id = 'running'")
    same(db.finalize_orphaned_compression_sessions(), 0)  # it has no message
    db.say("x", session="running")
    same((db.finalize_orphaned_compression_sessions(), db.get_session("running")["end_reason"]), (1, "orphaned_compression"))
    db.start("haunted", old)
    db._conn.execute("UPDATE sessions SET source = 'tui', ended_at = 1 WHERE id = 'haunted'")
    db.create_session("kid", "cli", parent_session_id="haunted")
    raises(sqlite3.IntegrityError, db.prune_empty_ghost_sessions)


@hermes_test("automatic pruning: once in a while, and it never fails")
def _(db):
    db.start("old", 5)
    db.end_session("old", "x")
    same(db.maybe_auto_prune_and_vacuum(), {"skipped": False, "pruned": 1, "vacuumed": True})
    same(db.maybe_auto_prune_and_vacuum(), {"skipped": True, "pruned": 0, "vacuumed": False})
    db.set_meta("last_auto_prune", "garbage")
    same(db.maybe_auto_prune_and_vacuum(), {"skipped": False, "pruned": 0, "vacuumed": False})
    same(abs(float(db.get_meta("last_auto_prune")) - time.time()) < 60, True)
    db.set_meta("last_auto_prune", "0")
    db.prune_sessions = None
    same(sorted(db.maybe_auto_prune_and_vacuum()), ["error", "pruned", "skipped", "vacuumed"])
    db.set_meta("k", "v")
    db.set_meta("k", "w")
    same((db.get_meta("k"), db.get_meta("nothing")), ("w", None))


# ---- Handoff, topics, later versions -----------------------------------------------------------

@hermes_test("a handoff goes its way")
def _(db):
    same((db.get_handoff_state("s1"), db.get_handoff_state("nobody")), ({"state": None, "platform": None, "error": None}, None))
    same((db.request_handoff("s1", "telegram"), db.request_handoff("s1", "discord"), db.request_handoff("nobody", "x")), (True, False, False))
    same([row["id"] for row in db.list_pending_handoffs()], ["s1"])
    same((db.claim_handoff("s1"), db.claim_handoff("s1")), (True, False))
    db.fail_handoff("s1", "e" * 600)
    same(db.get_handoff_state("s1"), {"state": "failed", "platform": "telegram", "error": "e" * 500})
    same(db.request_handoff("s1", "discord"), True)
    db.complete_handoff("s1")
    same(db.get_handoff_state("s1"), {"state": "completed", "platform": "discord", "error": None})


@hermes_test("topics of Telegram: no table before they are switched on")
def _(db):
    def tables():
        return {row[0] for row in db._conn.execute("SELECT name FROM sqlite_master WHERE name LIKE 'telegram%'")}
    same((db.is_telegram_topic_mode_enabled(chat_id=1, user_id=2), db.get_telegram_topic_binding(chat_id=1, thread_id=2)), (False, None))
    same(db.list_telegram_topic_bindings_for_chat(chat_id=1), [])
    same(tables(), set())
    db.enable_telegram_topic_mode(chat_id=1, user_id=2, has_topics_enabled=True)
    same(tables(), {"telegram_dm_topic_mode", "telegram_dm_topic_bindings"})
    same((db.get_meta("telegram_dm_topic_schema_version"), db.is_telegram_topic_mode_enabled(chat_id="1", user_id="2")), ("2", True))
    db.create_session("t1", "telegram", user_id="2")
    db.create_session("t2", "telegram", user_id="2")
    db.bind_telegram_topic(chat_id=1, thread_id=7, user_id=2, session_key="k", session_id="t1")
    same(db.get_telegram_topic_binding(chat_id=1, thread_id=7)["managed_mode"], "auto")
    raises(ValueError, db.bind_telegram_topic, chat_id=1, thread_id=8, user_id=2, session_key="k", session_id="t1")
    same(db.get_telegram_topic_binding_by_session(session_id="t1")["thread_id"], "7")
    same((db.is_telegram_session_linked_to_topic(session_id="t1"), db.is_telegram_session_linked_to_topic(session_id="t2")), (True, False))
    same([row["id"] for row in db.list_unlinked_telegram_sessions_for_user(chat_id=1, user_id=2)], ["t2"])
    db.delete_session("t1")
    same(db.list_telegram_topic_bindings_for_chat(chat_id=1), [])
    db.disable_telegram_topic_mode(chat_id=1)
    same(db.is_telegram_topic_mode_enabled(chat_id=1, user_id=2), False)


@hermes_test("later versions: messages taken back, locks, archived sessions; a column comes when it is needed")
def _(db):
    ids = db.say("one", "two", "three")
    same("active" in db.get_messages("s1")[0], False)
    got = db.rewind_to_message("s1", ids[1])
    same((got["rewound_count"], got["target_message"]["content"], got["new_head_id"]), (2, "two", ids[0]))
    raises(ValueError, db.rewind_to_message, "s1", ids[1])
    same(([m["content"] for m in db.get_messages("s1")], len(db.get_messages("s1", include_inactive=True))), (["one"], 3))
    same((db.search_messages("three"), len(db.get_messages_as_conversation("s1"))), ([], 1))
    same((db.restore_rewound("s1", ids[2]), [m["content"] for m in db.list_recent_user_messages("s1")]), (1, ["three", "one"]))
    same(db.get_compression_lock_holder("s1"), None)
    same((db.try_acquire_compression_lock("s1", "a"), db.try_acquire_compression_lock("s1", "b")), (True, False))
    same(db.get_compression_lock_holder("s1"), "a")
    db.release_compression_lock("s1", "b")
    same(db.try_acquire_compression_lock("s1", "b"), False)
    db.release_compression_lock("s1", "a")
    same(db.try_acquire_compression_lock("s1", "b", ttl_seconds=-1), True)
    same(db.get_compression_lock_holder("s1"), None)
    same((db.set_session_archived("s1", True), db.list_sessions_rich(), len(db.list_sessions_rich(include_archived=True))), (True, [], 1))
    db.append_message("s1", "user", "x", platform_message_id="77", timestamp=5.5)
    same(db.get_messages_as_conversation("s1")[-1], {"role": "user", "content": "x", "message_id": "77"})
    db.create_session("cron_j1_5", "cron")
    db.create_session("cron_j10_5", "cron")
    same([row["id"] for row in db.list_cron_job_runs("j1")], ["cron_j1_5"])
    same([row["id"] for row in db.search_sessions_by_id("j10")], ["cron_j10_5"])
    same((db.delete_sessions(["cron_j1_5", "nobody"]), db.optimize_fts()), (1, 2))
    same(db._conn.execute("SELECT version FROM schema_version").fetchone()[0], 11)


# ---- The file ----------------------------------------------------------------------------------

@test("a fresh file has exactly what the original's has, also after use")
def _(place):
    with opened(place) as db:
        db.say("x")
        db.search_messages("x")
        db.list_sessions_rich()
        mode = [db._conn.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "foreign_keys", "synchronous")]
        same(mode, ["wal", 1, 2])
    made = os.path.join(place, "state.db")
    original.make(os.path.join(place, "theirs.db"), original.LATEST)
    same(original.shape(made), original.shape(os.path.join(place, "theirs.db")))
    same(set(original.definitions(made)), set(original.definitions(os.path.join(place, "theirs.db"))))
    with original.connect(made) as db:
        original.check_search_tables(db)
        names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type <> 'trigger' AND name NOT LIKE 'sqlite_auto%'")]
    same(names[:9], ["schema_version", "sessions", "messages", "sqlite_sequence", "state_meta", "idx_sessions_source",
                     "idx_sessions_parent", "idx_sessions_started", "idx_messages_session"])
    same([name for name in os.listdir(place) if "stele" in name], [])


@test("files of every version are opened, brought to version 11, and searched")
def _(place):
    for version in range(1, 17):
        path = os.path.join(place, f"v{version}.db")
        original.make(path, version)
        with original.connect(path) as db:
            original.insert(db, "sessions", id="a", source="cli", started_at=1.0)
            original.insert(db, "messages", session_id="a", role="user", content="ancient needle", timestamp=1.0)
        with opened(place, f"v{version}.db") as db:
            same(db._conn.execute("SELECT version FROM schema_version").fetchone()["version"], max(11, version))
            same((len(db.search_messages("needle")), db.get_session("a")["api_call_count"]), (1, 0))
            db.say("another needle")
            same(len(db.search_messages("needle")), 2)
        with original.connect(path) as db:
            original.check_search_tables(db)


@test("a file that lost a column, a table or its search tables gets them back, empty")
def _(place):
    with opened(place) as db:
        db.say("needle")
    with original.connect(os.path.join(place, "state.db")) as db:
        for statement in ("DROP TABLE state_meta", "ALTER TABLE messages DROP COLUMN reasoning_content", "DROP INDEX idx_sessions_title_unique",
                          *(f"DROP TRIGGER messages_fts_trigram_{event}" for event in ("insert", "delete", "update")),
                          "DROP TABLE messages_fts_trigram"):
            db.execute(statement)
    with opened(place) as db:
        same((db.get_meta("x"), db.get_messages("s1")[0]["reasoning_content"], len(db.search_messages("needle"))), (None, None, 1))
        same(db._conn.execute("SELECT count(*) FROM messages_fts_trigram").fetchone()[0], 0)
        db._conn.execute("ALTER TABLE messages DROP COLUMN finish_reason")
        db._reconcile_columns()
        same("finish_reason" in db.get_messages("s1")[0], True)
        same(db._parse_schema_columns(hermes.SCHEMA_SQL)["sessions"]["message_count"], "INTEGER DEFAULT 0")


@test("the original goes on with the file, and the file with the original, at the same time")
def _(place):
    code = ("import sys; sys.path.insert(0, sys.argv[2]); from conversation import original\n"
            "writer = original.Writer(sys.argv[1])\n"
            "for n in range(100): writer.append('s1', 'user', f'theirs {n}')\n"
            "writer.close()\n")
    import subprocess
    with opened(place) as db:
        env = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        other = subprocess.Popen([sys.executable, "-c", code, os.path.join(place, "state.db"), os.path.dirname(HERE)], env=env)
        for n in range(100):
            db.say(f"ours {n}")
        same(other.wait(), 0)
        same((db.message_count(), db.get_session("s1")["message_count"], len(db.search_messages("theirs", limit=-1))), (200, 200, 100))
    with original.connect(os.path.join(place, "state.db")) as db:
        original.check_search_tables(db)


# ---- The object --------------------------------------------------------------------------------

@test("where it opens, what it remembers of a failure, and what a closed one does")
def _(place):
    same((hermes.SCHEMA_VERSION, hermes.DEFAULT_DB_PATH.name), (11, "state.db"))
    path = os.path.join(place, "deep", "er", "state.db")
    db = SessionDB(path)
    same(os.path.exists(path), True)
    db.close()
    db.close()
    same(db._conn, None)
    raises(AttributeError, db.get_session, "s1", says="'NoneType' object has no attribute 'execute'")
    with open(os.path.join(place, "bad.db"), "w") as file:
        file.write("no database " * 1000)
    raises(sqlite3.DatabaseError, SessionDB, os.path.join(place, "bad.db"), says="file is not a database")
    same(hermes.get_last_init_error(), "DatabaseError: file is not a database")
    same(hermes.format_session_db_unavailable("No sessions"), "No sessions: DatabaseError: file is not a database.")
    hermes._last_init_error = "OperationalError: locking protocol"
    same("network file system" in hermes.format_session_db_unavailable("x"), True)
    hermes._last_init_error = None
    same(hermes.format_session_db_unavailable("x"), "x.")


@hermes_test("a write is tried again while others write, and no more often than it should")
def _(db):
    tries = []

    def busy(times, message="database is locked"):
        def write(conn):
            tries.append(1)
            if len(tries) <= times:
                raise sqlite3.OperationalError(message)
            return "done"
        return write
    db._WRITE_RETRY_MIN_S = db._WRITE_RETRY_MAX_S = 0
    same((db._execute_write(busy(3)), len(tries)), ("done", 4))
    tries.clear()
    raises(sqlite3.OperationalError, db._execute_write, busy(99), says="locked")
    same(len(tries), db._WRITE_MAX_RETRIES)
    tries.clear()
    raises(sqlite3.OperationalError, db._execute_write, busy(99, "no such table: x"))
    same((len(tries), db._conn.in_transaction, db._lock.locked()), (1, False, False))
    writes = db._write_count
    db.set_meta("a", "b")
    same(db._write_count, writes + 1)
    same((db._WRITE_MAX_RETRIES, SessionDB._WRITE_RETRY_MIN_S, SessionDB._WRITE_RETRY_MAX_S, db._CHECKPOINT_EVERY_N_WRITES),
         (15, 0.020, 0.150, 50))


@hermes_test("the log does not grow: every fiftieth write is followed by a checkpoint")
def _(db):
    asked = []
    db._try_wal_checkpoint = lambda: asked.append(db._write_count)
    for n in range(110):
        db.set_meta("k", str(n))
    same(asked, [50, 100])


@hermes_test("eight threads write and read through one object")
def _(db):
    problems = []

    def work(number):
        try:
            for n in range(25):
                db.append_message("s1", "user", f"thread{number} message{n}")
                db.get_session("s1")
                db.search_messages(f"thread{number}")
        except Exception as error:
            problems.append(error)
    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    same((problems, db.get_session("s1")["message_count"], len(db.search_messages("thread7", limit=-1))), ([], 200, 25))


@test("signatures and defaults are the original's")
def _(place):
    for name, wanted in {
            "__init__": "(self, db_path: pathlib.Path = None, read_only: bool = False)",
            "ensure_session": "(self, session_id, source='unknown', model=None, **kwargs)",
            "prune_sessions": "(self, older_than_days=90, source=None, sessions_dir=None)",
            "search_messages": "(self, query, source_filter=None, exclude_sources=None, role_filter=None, limit=20, offset=0, sort=None)",
            "get_anchored_view": "(self, session_id, around_message_id, window=5, bookend=3, keep_roles=('user', 'assistant'))",
            "maybe_auto_prune_and_vacuum": "(self, retention_days=90, min_interval_hours=24, vacuum=True, sessions_dir=None)"}.items():
        same(str(inspect.signature(getattr(SessionDB, name))), wanted)


@test("read only: nothing is made, and nothing written")
def _(place):
    opened(place).close()
    db = SessionDB(os.path.join(place, "state.db"), read_only=True)
    same(db.get_session("s1")["source"], "cli")
    raises(sqlite3.OperationalError, db.set_meta, "a", "b", says="read")
    db.close()
    raises(sqlite3.OperationalError, SessionDB, os.path.join(place, "none.db"), True)
    same(os.path.exists(os.path.join(place, "none.db")), False)


if __name__ == "__main__":
    main()
