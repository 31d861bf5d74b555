"""Sessions at random for the tests of segments: what happens in each, and the lines by which its harness tells it."""

import json
import random
import string

from capture.segment_model import CLAUDE, CODEX, CURSOR, Happening

START = 1_767_323_045  # 2026-01-02T03:04:05Z
LETTERS = string.ascii_letters + "  äöü€𝄞\"\\\n"
CWD, BRANCH = "/srv/me/app", "main"


def stamp(at):
    seconds = int(at) - START + 3 * 3600 + 4 * 60 + 5
    day, rest = divmod(seconds, 86400)
    return f"2026-01-{2 + day:02d}T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}.000Z"


def secret(r):
    return "ghp_" + "".join(r.choice(string.ascii_letters + string.digits) for _ in range(36))


def words(r, most):
    """(as it is written, as it is kept): sometimes with a secret in it, which may lie across the place where texts are cut"""
    text = "".join(r.choice(LETTERS) for _ in range(r.randint(1, most)))
    if r.random() < 0.2:
        before = text[:r.choice([0, 280, 490])]
        return f"{before} {secret(r)} after", f"{before} [REDACTED] after"
    return text, text


class Session:
    """Happenings one after the other."""

    def __init__(self, seed, name):
        self.random, self.name = random.Random(seed), name
        self.clock, self.number, self.calls = START, 0, []
        self.happenings = []

    def tick(self):
        self.clock += self.random.choice([0, 1, 5, 60, 299, 300, 301, 4000]) if self.random.random() < 0.5 else 1
        self.number += 1
        return self.clock

    def add(self, kind, *records, **more):
        lines = b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)
        self.happenings.append(Happening(kind, self.clock, lines, **more))

    def some(self, count):
        for _ in range(count):
            self.tick()
            self.random.choices([self.prompt, self.answer, self.call, self.result, self.note], [3, 3, 4, 4, 1])[0]()
        return self

    def note(self):
        pass


class Claude(Session):
    rules = CLAUDE

    def record(self, kind, **more):
        return {"type": kind, "uuid": f"{self.name}-{self.number}", "sessionId": self.name, "cwd": CWD, "gitBranch": BRANCH,
                "timestamp": stamp(self.clock), "version": "2.1.7", "isSidechain": False, **more}

    def user(self, content):
        return self.record("user", message={"role": "user", "content": content})

    def assistant(self, block, output):
        return self.record("assistant", message={"id": f"msg_{self.number}", "role": "assistant", "model": "m", "content": [block],
                                                 "usage": {"input_tokens": 3, "output_tokens": output}})

    def plain(self, text):
        return self.user(text)

    def prompt(self):
        text, kept = words(self.random, 900)
        if self.random.random() < 0.1:
            text = kept = "<command-name>/cost</command-name>"
        self.add("prompt", self.user(text if self.random.random() < 0.5 else [{"type": "text", "text": text}]), text=kept)

    def answer(self):
        text, kept = words(self.random, self.random.choice([30, 2000]))
        output = self.random.randint(0, 99)
        self.add("answer", self.assistant({"type": "text", "text": text}, output), text=kept, tokens=output)

    def call(self):
        text, kept = words(self.random, 300)
        tool, arguments, told = self.random.choice([
            ("Bash", {"description": "d", "command": text}, kept[:200]),
            ("Read", {"file_path": "/srv/me/app/ä.c"}, "/srv/me/app/ä.c"),
            ("Edit", {"old_string": text, "file_path": "b.c"}, "b.c"),
            ("Grep", {"pattern": "a+", "path": "src"}, "a+ in src"),
            ("Grep", {"pattern": "a+"}, "a+"),
            ("Glob", {"pattern": "*.c"}, "*.c"),
            ("Task", {"description": "x" * 150, "prompt": text}, "x" * 100),
            ("Bash", {"command": "printf 'a\0b'"}, "printf 'a\ufffdb'"),
            ("mcp__x__y", {"first": "y" * 90, "then": 1}, "first=" + "y" * 74),
        ])
        id = f"toolu_{self.name}_{self.number}"
        self.calls.append(id)
        self.add("call", self.assistant({"type": "tool_use", "id": id, "name": tool, "input": arguments}, 7), text=told, tool=tool,
                 call=id, tokens=7)

    def result(self):
        if not self.calls:
            return
        id, code = self.calls.pop(), self.random.choice([None, 1, 127])
        said = "fine" if code is None else f"Exit code {code}\nno such file"
        self.add("result", self.user([{"type": "tool_result", "tool_use_id": id, "content": said}]), call=id, exit_code=code)

    def note(self):
        kind = self.random.choice(["turn_duration", "local_command", "aside"])
        if kind == "aside":
            self.add("nothing", {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}}, {"type": "progress", "data": {}},
                     {"type": "queue-operation"}, {"type": "last-prompt", "text": "x"}, {"type": "pr-link", "prNumber": 1})
        else:
            self.add("note", self.record("system", subtype=kind, content="done"))

    def path(self):
        return f".claude/projects/-srv-me-app/{self.name}.jsonl"


class Codex(Session):
    rules = CODEX

    def __init__(self, seed, name):
        super().__init__(seed, name)
        self.total = 0
        self.add("nothing", self.line("session_meta", id=name, timestamp=stamp(START), cwd=CWD, cli_version="0.40.0",
                                      git={"branch": BRANCH}),
                 self.line("turn_context", cwd=CWD, model="gpt-5-codex"),
                 self.item(type="message", role="developer", content=[{"type": "input_text", "text": "rules"}]),
                 self.item(type="message", role="user", content=[{"type": "input_text", "text": "<environment_context>x"}]))

    def line(self, kind, **payload):
        return {"timestamp": stamp(self.clock), "type": kind, "payload": payload}

    def item(self, **payload):
        return self.line("response_item", **payload)

    def both(self, role, text):
        """A text is told as an item, as an event, or as both."""
        kind, name = ("output_text", "agent_message") if role == "assistant" else ("input_text", "user_message")
        records = [self.item(type="message", role=role, content=[{"type": kind, "text": text}]),
                   self.line("event_msg", type=name, message=text)]
        return self.random.choice([records, records[:1], records[1:], records[::-1]])

    def plain(self, text):
        return self.line("event_msg", type="user_message", message=text)

    def prompt(self):
        text, kept = words(self.random, 900)
        text, kept = f"{self.number} {text}", f"{self.number} {kept}"
        if self.random.random() < 0.1:
            text = f"# Context from my IDE setup:\n\n## Open tabs:\n- x.c\n\n## My request for Codex:\n{text}"
        self.add("prompt", *self.both("user", text), text=kept)

    def answer(self):
        text, kept = words(self.random, 900)
        self.add("thought", self.item(type="reasoning", summary=[{"type": "summary_text", "text": f"thought {self.number}"}]))
        self.add("answer", *self.both("assistant", f"{self.number} {text}"), text=f"{self.number} {kept}")
        self.total += 11
        usage = {"input_tokens": 5, "cached_input_tokens": 1, "output_tokens": self.total, "reasoning_output_tokens": 0}
        begun = any(h.kind == "prompt" for h in self.happenings)
        self.add("tokens", self.line("event_msg", type="token_count", info={"total_token_usage": usage}), tokens=11 if begun else 0)

    def call(self):
        text, kept = words(self.random, 300)
        tool, arguments, told = self.random.choice([
            ("shell", json.dumps({"workdir": "/", "command": ["bash", "-lc", text]}), f"bash -lc {kept}"[:120]),
            ("exec_command", json.dumps({"cmd": text}), kept[:120]),
            ("view", json.dumps({"detail": 1, "path": "a.c"}), "a.c"),
            ("other", json.dumps({"n": 1, "what": "z" * 100}), "z" * 80),
            ("plain", "no JSON at all", "no JSON at all"),
        ])
        id = f"call_{self.name}_{self.number}"
        self.calls.append(id)
        self.add("call", self.item(type="function_call", name=tool, arguments=arguments, call_id=id), text=told, tool=tool, call=id)

    def result(self):
        if not self.calls:
            return
        id, code = self.calls.pop(), self.random.choice([None, 0, 2])
        said = "fine" if code is None else json.dumps({"output": "x", "metadata": {"exit_code": code, "duration_seconds": 0.1}})
        self.add("result", self.item(type="function_call_output", call_id=id, output=said), call=id, exit_code=code)

    def path(self):
        return f".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-{self.name}.jsonl"


class Cursor(Session):
    rules = CURSOR

    def tick(self):
        self.number += 1
        return self.clock

    def prompt(self):
        text, kept = words(self.random, 900)
        record = {"role": "user", "message": {"content": [{"type": "text", "text": f"<user_query>\n{self.number} {text}\n</user_query>"}]}}
        self.add("prompt", record, text=f"{self.number} {kept}")

    def answer(self):
        text, kept = words(self.random, 900)
        hidden = self.random.choice(["", "\n\n[REDACTED]"])
        self.add("answer", {"role": "assistant", "message": {"content": [{"type": "text", "text": f"{self.number} {text}x{hidden}"}]}},
                 text=f"{self.number} {kept}x")

    def call(self):
        id = f"tool_{self.name}_{self.number}"
        self.calls.append(id)
        self.add("call", {"role": "assistant", "message": {"content": [
            {"type": "tool_use", "id": id, "name": "Shell", "input": {"command": "ls /srv/me/app/src"}}]}},
                 text="ls /srv/me/app/src", tool="Shell", call=id)

    def result(self):
        if not self.calls:
            return
        id = self.calls.pop()
        self.add("result", {"role": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": id, "content": "x"}]}}, call=id)

    def path(self):
        return f".cursor/projects/srv-me-app/agent-transcripts/{self.name}/{self.name}.jsonl"
