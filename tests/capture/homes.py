"""A home of Claude Code, with everything that its transcripts were seen to do.

`claude(home)` writes the files and returns their paths by name.  Files are dated in the order in which they are listed
here, so that a session is older than those that go on from it.
"""

import json
import os

START = 1_767_323_045  # 2026-01-02T03:04:05Z
PROJECT = os.path.join(".claude", "projects", "-srv-project")


def session_id(number):
    return f"{number:08x}-aaaa-4bbb-8ccc-000000000000"


class Transcript:
    """The lines of one file, as bytes."""

    def __init__(self, number, **common):
        self.id = session_id(number)
        self.number, self.count, self.parent, self.clock = number, 0, None, START + number * 1000
        self.common = {"isSidechain": False, "userType": "external", "cwd": "/srv/project", "sessionId": self.id,
                       "version": "2.1.7", "gitBranch": "main", **common}
        self.lines = []

    def uuid(self):
        self.count += 1
        return f"{self.number:08x}-0000-4000-8000-{self.count:012x}"

    def stamp(self, step=1):
        self.clock += step
        seconds = self.clock - START
        return f"2026-01-02T{3 + (245 + seconds) // 3600:02d}:{(245 + seconds) // 60 % 60:02d}:{(245 + seconds) % 60:02d}.500Z"

    def record(self, kind, step=1, **more):
        """One record, as text; it is not written yet."""
        record = {"parentUuid": self.parent, **self.common, "type": kind, "uuid": self.uuid(), "timestamp": self.stamp(step)}
        record.update(more)
        self.parent = record["uuid"]
        return json.dumps(record, ensure_ascii=False)

    def line(self, text, end="\n"):
        self.lines.append((text if isinstance(text, bytes) else text.encode()) + end.encode())
        return self

    def add(self, kind, **more):
        return self.line(self.record(kind, **more))

    def user(self, content, **more):
        return self.add("user", message={"role": "user", "content": content}, **more)

    def assistant(self, part, message="msg_1", output=5, model="claude-opus", stop=None, **more):
        usage = {"input_tokens": 3, "output_tokens": output, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20}
        return self.add("assistant", message={"id": message, "type": "message", "role": "assistant", "model": model,
                                              "content": [part], "stop_reason": stop, "usage": usage}, **more)

    def tool(self, call, name, arguments, message="msg_1", **more):
        return self.assistant({"type": "tool_use", "id": call, "name": name, "input": arguments}, message, stop="tool_use", **more)

    def result(self, call, content, **more):
        return self.user([{"type": "tool_result", "tool_use_id": call, "content": content}],
                         toolUseResult={"stdout": content, "again": [content] * 3}, **more)

    def bytes(self):
        return b"".join(self.lines)


IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


def everything():
    """The session with all the quirks that are not about files."""
    t = Transcript(1)
    t.line(json.dumps({"type": "file-history-snapshot", "messageId": "x", "snapshot": {}, "isSnapshotUpdate": False}))
    t.user("please fix the login")
    t.assistant({"type": "thinking", "thinking": "Where is it?", "signature": "c2ln"}, output=1)
    t.assistant({"type": "text", "text": "I look for it."}, output=2)
    t.tool("toolu_1", "Bash", {"command": "grep -r login ."}, output=40)  # the last one counts: 40
    t.add("progress", data={"type": "bash_progress", "output": "lib/login.c"}, toolUseID="toolu_1")
    t.result("toolu_1", "lib/login.c")
    t.tool("toolu_2", "Read", {"file_path": "lib/login.c"}, "msg_2", output=7)
    t.tool("toolu_3", "Read", {"file_path": "lib/user.c"}, "msg_2", output=7)
    t.user([{"type": "tool_result", "tool_use_id": "toolu_2", "content": "int login;"},
            {"type": "tool_result", "tool_use_id": "toolu_3", "is_error": True, "content": [{"type": "text", "text": "no such file"}]},
            {"type": "text", "text": "and"}, {"type": "text", "text": "quickly"}])
    t.user([{"type": "text", "text": "it looks so"}, IMAGE])
    t.add("system", subtype="turn_duration", durationMs=5)
    t.add("system", subtype="local_command", content="<command-name>/cost</command-name>", step=-40)  # a clock that goes back
    t.add("system", subtype="api_error", error={"status": 529})
    t.assistant({"type": "text", "text": "API Error: 529"}, "msg_3", model="<synthetic>", isApiErrorMessage=True)
    boundary = t.record("system", subtype="compact_boundary", content="Conversation compacted", logicalParentUuid=t.parent,
                        compactMetadata={"trigger": "auto", "preTokens": 155000})
    summary = t.record("user", message={"role": "user", "content": "What happened so far"}, isCompactSummary=True,
                       isVisibleInTranscriptOnly=True)
    t.line(boundary + summary)  # glued: two records on one line
    t.line(t.record("user", message={"role": "user", "content": "carriage"}), end="\r\n")
    t.line("")
    t.line(b'{"type":"user","uuid":"bad-utf8","timestamp":"2026-01-02T04:00:00Z","message":{"content":"caf\xe9 \xff"}}')
    t.line('{"type":"user","uuid":"cut off in the mid')  # bad
    t.line(b"\0\0\0\0")  # bad
    t.line("nothing of that kind")  # bad
    t.line(json.dumps({"type": "pr-link", "prNumber": 7, "sessionId": t.id, "timestamp": "2026-01-02T04:00:01Z"}))
    repeated = t.record("user", message={"role": "user", "content": "first said so"})
    t.line(repeated)
    t.line(repeated.replace("first said so", "then so"))
    t.user("long " + "x" * 2_000_000)
    t.user("nul \0 inside")
    t.line(json.dumps({"type": "summary", "summary": "A title from afar", "leafUuid": "00000002-0000-4000-8000-000000000002"}))
    t.line(json.dumps({"type": "ai-title", "aiTitle": "Worse title", "sessionId": t.id}))
    t.line(json.dumps({"type": "custom-title", "customTitle": "Fix the login", "sessionId": t.id}))
    t.line(json.dumps({"type": "ai-title", "aiTitle": "A worse title again", "sessionId": t.id}))
    t.line(t.record("user", message={"role": "user", "content": "the last line"}), end="")
    return t


def plain(number, turns=2, **common):
    t = Transcript(number, **common)
    for turn in range(turns):
        t.user(f"question {turn} of {number}")
        t.assistant({"type": "text", "text": f"answer {turn} of {number}"}, f"msg_{number}_{turn}")
    return t


def sidechains():
    """Two sub-agents whose lines stand between those of the session, as the first versions wrote them."""
    t = plain(3)
    tips = {"one": None, "two": None}
    for step in range(3):
        for name in tips:
            t.parent = tips[name]
            t.user(f"{name} {step}", isSidechain=True)
            tips[name] = t.parent
    t.user("back in the session")
    return t


def copies(number, of, lines, own):
    """A session that begins with copies of another's lines, under its own id."""
    t = Transcript(number)
    t.clock += 100
    for line in of.lines[:lines]:
        t.line(line.rstrip(b"\n").replace(of.id.encode(), t.id.encode()))
    t.parent = json.loads(of.lines[lines - 1])["uuid"]
    t.user(own)
    return t


def claude_files():
    """{name: (path below the home, bytes)}"""
    files = {}

    def put(name, t, path=None, end=b""):
        files[name] = (os.path.join(PROJECT, path or f"{t.id}.jsonl"), t.bytes() + end)

    put("everything", everything())
    put("far", plain(2))
    put("sidechains", sidechains())
    put("beside", plain(4, isSidechain=True, sessionId=session_id(2), agentId="b1"), "agent-b1.jsonl")
    put("below", plain(5, isSidechain=True, sessionId=session_id(2), agentId="c1"), f"{session_id(2)}/subagents/agent-c1.jsonl")
    put("deep", plain(6, isSidechain=True, sessionId=session_id(2), agentId="d1"), f"{session_id(2)}/subagents/workflows/w1/agent-d1.jsonl")
    base = plain(7, 3)
    put("base", base)
    put("resumed", copies(8, base, 6, "and now"))
    put("forked", copies(9, base, 2, "or rather"))
    two = plain(10)
    two.common["sessionId"] = "somebody else"
    put("two ids", two.user("of another id"))
    put("cut", plain(11), end=b'{"type":"user","uuid":"never","mess')
    put("empty", Transcript(12))
    return files


def write(home, files):
    """Write them, each a minute younger than the one before; their paths by name."""
    paths = {}
    for minute, (name, (below, data)) in enumerate(files.items()):
        path = os.path.join(home, below)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        date(path, minute)
        paths[name] = path
    return paths


def date(path, minute):
    os.utime(path, (START + 60 * minute, START + 60 * minute))


def claude(home):
    return write(home, claude_files())
