#!/usr/bin/env python3
"""stele.compat.hermes does what the original does: a workload, sessions, messages.  Prints TAP."""

import os
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from python.hermes_db import MESSAGE_COLUMNS, SESSION_COLUMNS, hermes_test, opened  # noqa: E402
from python.tap import main, raises, same  # noqa: E402


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


if __name__ == "__main__":
    main()
