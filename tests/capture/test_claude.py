#!/usr/bin/env python3
"""What becomes of the transcripts of Claude Code.  Prints TAP."""

import contextlib
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from capture import homes  # noqa: E402
from capture.place import Store, nothing_new, run, same  # noqa: E402
from method import doors  # noqa: E402

TEXT = ("role", "content", "reasoning", "tool_calls", "tool_call_id", "tool_name", "finish_reason")


@contextlib.contextmanager
def taken(places):
    """A store that took in the whole home, the counts, the rows."""
    home = tempfile.mkdtemp(prefix="stele-claude-")
    try:
        paths = homes.claude(home)
        with Store(places, home) as store:
            counts = store.take()
            yield store, paths, counts, store.rows()
    finally:
        shutil.rmtree(home)


def short(message):
    """(role, content), and what else is said."""
    more = {key: message[key] for key in TEXT[2:] if message[key] is not None}
    return (message["role"], message["content"], *([more] if more else []))


def call(number, name, arguments):
    return {"tool_calls": [{"id": f"toolu_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}],
            "finish_reason": "tool_use"}


def test_messages(places):
    with taken(places) as (_, paths, _, rows):
        session = rows["sessions"][homes.session_id(1)]
        messages = [short(message) for message in session["messages"]]
        expected = [
            ("user", "please fix the login"),
            ("assistant", None, {"reasoning": "Where is it?"}),
            ("assistant", "I look for it."),
            ("assistant", None, call(1, "Bash", '{"command":"grep -r login ."}')),
            ("tool", "lib/login.c", {"tool_call_id": "toolu_1", "tool_name": "Bash"}),
            ("assistant", None, call(2, "Read", '{"file_path":"lib/login.c"}')),
            ("assistant", None, call(3, "Read", '{"file_path":"lib/user.c"}')),
            ("tool", "int login;", {"tool_call_id": "toolu_2", "tool_name": "Read"}),
            ("tool", "no such file", {"tool_call_id": "toolu_3", "tool_name": "Read", "finish_reason": "error"}),
            ("user", "and\nquickly"),
            ("user", [{"type": "text", "text": "it looks so"}, homes.IMAGE]),
            ("system", "<command-name>/cost</command-name>", {"finish_reason": "local_command"}),
        ]
        same(messages[:len(expected)], expected, "messages")
        event = session["messages"][len(expected)]
        assert event["role"] == "event" and event["content"]["error"] == {"status": 529}, event
        rest = messages[len(expected) + 1:]
        pr_link = rest.pop(5)
        assert pr_link[0] == "event" and pr_link[1]["prNumber"] == 7, pr_link
        same(rest, [
            ("assistant", "API Error: 529", {"finish_reason": "error"}),
            ("system", "Conversation compacted", {"finish_reason": "compact_boundary"}),
            ("user", "What happened so far", {"finish_reason": "compact_summary"}),
            ("user", "carriage"),
            ("user", "caf\ufffd \ufffd"),
            ("user", "then so"),
            ("user", "long " + "x" * 2_000_000),
            ("user", "nul \ufffd inside"),
            ("user", "the last line"),
        ], "messages")
        times = [message["timestamp"] for message in session["messages"]]
        assert times[0] == homes.START + 1001.5 and times != sorted(times), times


def test_session(places):
    with taken(places) as (store, paths, _, rows):
        session = rows["sessions"][homes.session_id(1)]
        assert session["title"] == "Fix the login" and session["model"] == "claude-opus" and session["source"] == "claude-code", session
        tokens = {key: session[key] for key in ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")}
        # three requests are told on five lines, and each counts once, with what was told last; <synthetic> is none
        assert tokens == {"input_tokens": 6, "output_tokens": 47, "cache_read_tokens": 200, "cache_write_tokens": 40}, tokens
        assert session["api_call_count"] == 2 and session["tool_call_count"] == 3, session
        assert session["message_count"] == len(session["messages"]) == 23, session["message_count"]
        assert session["started_at"] == homes.START + 1001.5, session["started_at"]
        origin = session["origin"]
        assert (origin["cwd"], origin["branch"], origin["version"], origin["link"]) == ("/srv/project", "main", "2.1.7", None), origin
        assert origin["path"] == paths["everything"] and origin["native_id"] == session["id"], origin
        assert rows["sessions"][homes.session_id(2)]["title"] == "A title from afar"
        assert store.call("get_origin", session_id="nobody") is None


def test_counts(places):
    with taken(places) as (store, paths, counts, rows):
        assert counts["files"] == len(paths) - 1, counts  # of an empty one nobody knows what it is
        assert counts["bad"] == 3 and counts["aside"] == 3 and counts["unfinished"] == 1 and counts["removed"] == 0, counts
        assert all(problem.startswith(f"{paths['everything']}:") for problem in counts["problems"]), counts["problems"]
        with open(paths["everything"], "rb") as file:
            texts = file.read().split(b"\n")
        for problem in counts["problems"]:
            number = int(problem[len(paths["everything"]) + 1:].split(":")[0])
            assert texts[number - 1][:4] in (b'{"ty', b"\0\0\0\0", b"noth"), problem
        assert len(counts["problems"]) == 3, counts["problems"]
        assert counts["messages"] == sum(len(session["messages"]) for session in rows["sessions"].values()), counts
        assert counts["sessions"] == len(rows["sessions"]), counts
        assert counts["updated"] == 1, counts
        assert counts["bytes"] == sum(os.path.getsize(path) for path in paths.values()), counts
        file = rows["files"][paths["everything"]]
        assert file["bad"] == 3 and file["aside"] == 3 and file["session_id"] == homes.session_id(1), file
        assert [path for path, file in rows["files"].items() if file["unfinished"]] == [paths["cut"]], rows["files"]


def test_lineage(places):
    with taken(places) as (_, _, _, rows):
        sessions = rows["sessions"]

        def linked(id, parent, link, first):
            session = sessions[id]
            assert session["parent_session_id"] == parent and session["origin"]["link"] == link, (id, session["origin"])
            assert session["messages"][0]["content"] == first, session["messages"][0]

        parent = homes.session_id(2)
        linked(f"{parent}:agent-b1", parent, "subagent", "question 0 of 4")
        linked(f"{parent}:agent-c1", parent, "subagent", "question 0 of 5")
        linked(f"{parent}:agent-d1", parent, "subagent", "question 0 of 6")
        linked(homes.session_id(8), homes.session_id(7), "resume", "question 0 of 7")
        linked(homes.session_id(9), homes.session_id(7), "fork", "question 0 of 7")
        assert [m["content"] for m in sessions[homes.session_id(9)]["messages"]][1:] == ["answer 0 of 7", "or rather"]
        own = homes.session_id(3)
        chains = {id: s for id, s in sessions.items() if id.startswith(own + ":agent-")}
        said = sorted([m["content"] for m in s["messages"]] for s in chains.values())
        assert said == [["one 0", "one 1", "one 2"], ["two 0", "two 1", "two 2"]], said
        assert all(s["parent_session_id"] == own for s in chains.values())
        assert sessions[own]["messages"][-1]["content"] == "back in the session"
        assert homes.session_id(10) in sessions and "somebody else" not in sessions
        assert homes.session_id(12) not in sessions


def test_again(places):
    with taken(places) as (store, paths, counts, rows):
        second = store.take()
        nothing_new(second)
        assert second["unchanged"] == second["files"] == counts["files"], second
        same(store.rows(), rows)
        anew = store.take(again=True)
        assert anew["messages"] == anew["sessions"] == 0 and anew["updated"] == 2, anew  # one is told twice, differently
        same(store.rows(), rows)


def test_secrets(places):
    """Every text of a transcript loses its secrets before it is stored: nothing of them is in the files."""
    secret = "ghp_" + "0a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r"
    t = homes.Transcript(1, gitBranch=f"try-{secret}")
    t.user(f"use {secret}")
    t.assistant({"type": "thinking", "thinking": f"so {secret} it is"})
    t.assistant({"type": "text", "text": f"I use {secret}."})
    t.tool("toolu_1", "Bash", {"command": f"curl -H 'Authorization: token {secret}'", "deep": [{"of": secret}]})
    t.result("toolu_1", [{"type": "text", "text": secret}, homes.IMAGE])
    t.add("unknown", anything={"goes": [secret]})
    t.line(json.dumps({"type": "custom-title", "customTitle": f"About {secret}"}))
    t.line(json.dumps({"type": "summary", "summary": f"From afar {secret}", "leafUuid": "nowhere"}))
    with tempfile.TemporaryDirectory(prefix="stele-claude-") as home:
        homes.write(home, {"one": (f"{homes.PROJECT}/{t.id}.jsonl", t.bytes())})
        with Store(places, home) as store:
            counts = store.take()
            rows = store.rows()
            assert secret not in json.dumps(rows) and counts["messages"] == 6, counts
            session = rows["sessions"][t.id]
            assert session["messages"][0]["content"] == "use [REDACTED]" and session["title"] == "About [REDACTED]", session
            assert session["messages"][4]["content"][1] == homes.IMAGE, session["messages"][4]
            kept = store.call("redaction_counts")
            assert counts["redacted"] == sum(row["count"] for row in kept) >= 10, (counts, kept)
            nothing_new(store.take(again=True))
            if places.engine == "sqlite":
                for name in os.listdir(store.place["home"]):
                    with open(os.path.join(store.place["home"], name), "rb") as file:
                        assert secret.encode() not in file.read(), name


def test_projects(places):
    """The directory a session worked in is its project: sessions and messages are found, counted and summed by it."""
    one, two = homes.plain(1, cwd="/srv/one", gitBranch="try"), homes.plain(2, turns=3, cwd="/srv/two")
    with tempfile.TemporaryDirectory(prefix="stele-claude-") as home:
        homes.write(home, {t.id: (f"{homes.PROJECT}/{t.id}.jsonl", t.bytes()) for t in (one, two)})
        with Store(places, home) as store:
            store.take()
            found = {row["id"]: row for row in store.call("find_sessions")}
            assert {id: row["project"] for id, row in found.items()} == {one.id: "/srv/one", two.id: "/srv/two"}, found
            assert found[one.id]["branch"] == "try" and found[one.id]["preview"] == "question 0 of 1", found
            assert [row["id"] for row in store.call("find_sessions", project_filter=["/srv/two"])] == [two.id]
            assert [row["id"] for row in store.call("find_sessions", text="SRV/ONE")] == [one.id]
            hits = store.call("search_messages", query="question", project_filter=["/srv/two", "/nowhere"])
            assert [(hit["session_id"], hit["project"]) for hit in hits] == [(two.id, "/srv/two")] * 3, hits
            assert store.call("search_messages", query="question", project_filter=["/nowhere"]) == []
            facets = {(row["facet"], row["value"]): row["matches"] for row in store.call("search_facets", query="question", project_filter=["/srv/one"])}
            assert facets["all", ""] == 2 and facets["project", "/srv/one"] == 2 and facets["project", "/srv/two"] == 3, facets
            assert facets["source", "claude-code"] == facets["role", "user"] == 2, facets
            listed = [(row["facet"], row["value"], row["sessions"]) for row in store.call("session_facets")]
            assert listed == [("source", "claude-code", 2), ("project", "/srv/one", 1), ("project", "/srv/two", 1)], listed
            usage = store.call("usage_over_time", project_filter=["/srv/two"])
            assert [(row["sessions"], row["messages"]) for row in usage] == [(1, 6)], usage


def test_usage(places):
    """What a request took is told at the message that it ended with, and once, however often it is told."""
    t = homes.plain(1, turns=2)
    with tempfile.TemporaryDirectory(prefix="stele-claude-") as home:
        homes.write(home, {t.id: (f"{homes.PROJECT}/{t.id}.jsonl", t.bytes())})
        with Store(places, home) as store:
            for again in (False, True):
                store.take(again=again)
                session = store.call("get_session", session_id=t.id)
                answers = [row["id"] for row in store.call("get_messages", session_id=t.id) if row["role"] == "assistant"]
                rows = store.call("list_message_usage", session_id=t.id)
                assert rows and {row["message_id"] for row in rows} <= set(answers), (rows, answers)
                assert sum(row["output_tokens"] for row in rows) == session["output_tokens"] > 0, (rows, session)
                assert sum(row["input_tokens"] for row in rows) == session["input_tokens"], (rows, session)
                assert store.call("list_message_usage", session_id=t.id, after=rows[-1]["message_id"]) == []
                assert store.call("list_message_usage", session_id="nobody") == []


TESTS = [("messages", test_messages), ("what each message took", test_usage), ("a session's facts", test_session), ("what is counted", test_counts),
         ("lineage", test_lineage), ("again", test_again), ("projects", test_projects),
         ("secrets", test_secrets)]

if __name__ == "__main__":
    sys.exit(run(TESTS, (doors.Sqlite(), doors.Postgres(["conversation"]))))
