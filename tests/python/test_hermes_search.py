#!/usr/bin/env python3
"""stele.compat.hermes does what the original does: titles, finding sessions, lists, searching.  Prints TAP."""

import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from python.hermes_db import SESSION_COLUMNS, hermes_test  # noqa: E402
from python.tap import main, raises, same, test  # noqa: E402
from stele.compat.hermes import SessionDB  # noqa: E402


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


if __name__ == "__main__":
    main()
