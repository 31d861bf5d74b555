"""A sample home of Cursor: agent transcripts of three ages."""

import json
import os

from capture.expect import message, session

MODIFIED = 1_770_000_000  # of files that say no time


def line(role, *blocks, **more):
    return {"role": role, "message": {"content": list(blocks)}, **more}


def text(words):
    return {"type": "text", "text": words}


def old_json():
    """Neither times nor ids; prompts wrapped, with context around them; hidden thinking at the end of an answer."""
    records = [
        line("user", text("<attached_files>\na.py\n</attached_files>\n<user_query>\nwhy does it fail?\n</user_query>")),
        line("assistant", text("Let me look.\n\n[REDACTED]"),
             {"type": "tool_use", "name": "Read", "input": {"target": {"path": "/srv/me/my.app_x/src/a.py"}}}),
        line("assistant", text("[REDACTED]")),
        "{broken",
        line("assistant", text("It fails here."), {"type": "tool_use", "id": "toolu_2", "name": "Shell", "input": {"command": "ls"}}),
        line("user", {"type": "tool_result", "tool_use_id": "toolu_2", "content": [{"type": "text", "text": "a.py"}]}),
        line("user", text("<user_query>look</user_query>"), {"type": "image", "source": {"data": "AAAA"}}),
        {"unknown": True},
    ]
    return records, session("cursor", "c0000000-0000-4000-8000-000000000001", [
        message("system", "<attached_files>\na.py\n</attached_files>", at=MODIFIED),
        message("user", "why does it fail?", at=MODIFIED),
        message("assistant", "Let me look.", calls=[("r2.2", "Read", '{"target":{"path":"/srv/me/my.app_x/src/a.py"}}')]),
        message("assistant", "It fails here.", calls=[("toolu_2", "Shell", '{"command":"ls"}')]),
        message("tool", "a.py", call_id="toolu_2"),
        message("user", parts=[{"type": "text", "text": "<user_query>look</user_query>"}, {"type": "image", "source": {"data": "AAAA"}}]),
        message("event", parts={"unknown": True}),
    ], cwd="/srv/me/my.app_x", started_at=float(MODIFIED))


def new_json():
    """2026.06: times, and the ends of turns."""
    records = [
        line("user", text("<user_query>\nhello\n</user_query>"), timestamp="2026-06-01T12:00:00.500Z"),
        line("assistant", {"type": "thinking", "thinking": "hm"}, text("Hi."), timestamp="2026-06-01T12:00:02Z"),
        {"event": "turn_ended", "timestamp": "2026-06-01T12:00:03Z"},
        {"role": "user", "message": {"content": "plain words"}, "timestamp": 1780315204000},
    ]
    return records, session("cursor", "c0000000-0000-4000-8000-000000000002", [
        message("user", "hello", at=1780315200.5),
        message("assistant", "Hi.", thought="hm", at=1780315202.0),
        message("user", "plain words", at=1780315204.0),
    ], cwd="/srv/me/app")


def sub():
    records = [line("user", text("explore")), line("assistant", text("explored"))]
    return records, session("cursor", "c0000000-0000-4000-8000-000000000003", [message("user", "explore"), message("assistant", "explored")],
                            parent="c0000000-0000-4000-8000-000000000002", link="subagent", cwd="/srv/me/app")


def flat_json():
    """In the folder itself, of a window without a folder."""
    records = [line("user", text("no place"))]
    return records, session("cursor", "c0000000-0000-4000-8000-000000000004", [message("user", "no place")], cwd=None)


PLAIN = """user:
<user_query>
what is in the log?
</user_query>

assistant:
[Thinking] I should read it.

I will read it.
[Tool call] Read
  path: /var/log/x
  limit: 10
[Tool result] Read
line one
line two

assistant:
Two lines. [REDACTED]

user:
thanks
"""


def plain():
    return session("cursor", "c0000000-0000-4000-8000-000000000005", [
        message("user", "what is in the log?"),
        message("assistant", thought="I should read it."),
        message("assistant", "I will read it."),
        message("assistant", calls=[("t5", "Read", "path: /var/log/x\n  limit: 10")]),
        message("tool", "line one\nline two", tool="Read"),
        message("assistant", "Two lines."),
        message("user", "thanks"),
    ], cwd="/srv/me/app")


def make(root):
    projects = os.path.join(root, ".cursor", "projects")
    first = os.path.join(projects, "srv-me-my-app-x", "agent-transcripts")
    second = os.path.join(projects, "srv-me-app", "agent-transcripts")
    third = os.path.join(projects, "1748000000000", "agent-transcripts")
    files, sessions = [], []

    def put(directory, name, data, expected):
        os.makedirs(directory, exist_ok=True)
        path = os.path.join(directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(data)
        os.utime(path, (MODIFIED, MODIFIED))
        files.append(path)
        sessions.append(expected)

    for directory, build in ((first, old_json), (second, new_json), (third, flat_json)):
        records, expected = build()
        id = expected["id"]
        data = "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records)
        put(os.path.join(directory, id) if build is not flat_json else directory, id + ".jsonl", data, expected)
    records, expected = sub()
    put(os.path.join(second, expected["parent"], "subagents"), expected["id"] + ".jsonl",
        "".join(json.dumps(r) + "\n" for r in records), expected)
    put(second, plain()["id"] + ".txt", PLAIN, plain())
    return {"root": os.path.join(root, ".cursor"), "files": files, "sessions": sessions, "bad": 1}
