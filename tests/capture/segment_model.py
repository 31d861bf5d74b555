"""What segments a session must give, by the rules of docs/capture-store.md, written down once more.

A session is a list of happenings, each with the lines that tell it in the transcript of its harness; `expected` makes the segments of any
number of them."""

import hashlib
import json
import uuid
from dataclasses import dataclass, field

PAUSE, FULL, PROMPT, ANSWER = 300, 12_000, 500, 300


@dataclass
class Happening:
    """kind: prompt, answer, call, result, note (counts as a message where every record does) or nothing"""
    kind: str
    at: float
    lines: bytes
    text: str = ""
    call: str = ""
    tool: str = ""
    tokens: int = 0
    exit_code: int | None = None


@dataclass
class Rules:
    harness: str
    kind: str  # source_kind of its tool calls
    by_record: bool = False
    from_prompt: bool = False
    size: object = len  # of a text: characters
    pause: int = PAUSE
    least: int = 0


def utf8(text):
    return len(text.encode())


CLAUDE = Rules("claude-code", "claude-tool", by_record=True, size=utf8, least=20)
CODEX = Rules("codex", "codex-tool", from_prompt=True)
CURSOR = Rules("cursor", "cursor-tool", pause=0)


@dataclass
class Segment:
    prompts: list = field(default_factory=list)
    calls: list = field(default_factory=list)
    texts: list = field(default_factory=list)
    size: int = 0
    messages: int = 0
    tokens: int = 0
    start: float = 0
    end: float = 0

    def full(self):
        return bool(self.prompts or self.calls or self.texts)

    def row(self, index):
        calls, prompts = compact(self.calls), compact(self.prompts)
        content = f"{calls}|{prompts}|" + "\n".join(self.texts)
        return {"segment_index": index, "tool_calls_json": calls, "user_prompts_json": prompts, "message_count": self.messages,
                "token_count": self.tokens, "start_time": round(self.start * 1000), "end_time": round(self.end * 1000),
                "content_hash": hashlib.sha256(content.encode()).hexdigest()}


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Model:
    def __init__(self, rules):
        self.rules = rules
        self.done, self.open = [], Segment()
        self.last_user, self.begun = None, False

    def boundary(self, at):
        rules, segment = self.rules, self.open
        paused = rules.pause and self.last_user is not None and at - self.last_user > rules.pause
        if (paused or segment.size > FULL) and segment.full():
            self.done.append(segment)
            self.open = Segment()
        self.last_user = at

    def add(self, h):
        if h.kind == "nothing":
            return
        if h.kind == "prompt" or (h.kind == "result" and self.rules.by_record):
            self.boundary(h.at)
        self.begun = self.begun or h.kind == "prompt"
        if self.rules.from_prompt and not self.begun:
            return
        segment = self.open
        segment.messages += self.rules.by_record or h.kind in ("prompt", "answer", "call")
        segment.start = segment.start or h.at
        segment.end = max(segment.end, h.at)
        segment.tokens += h.tokens
        words = h.text.strip()
        if h.kind == "prompt" and words and not (self.rules.by_record and words.startswith("<")):
            self.keep(segment.prompts, words[:PROMPT], words[:PROMPT])
        elif h.kind == "answer" and utf8(words) > self.rules.least:
            self.keep(segment.texts, words[:ANSWER], words[:ANSWER])
        elif h.kind == "call":
            self.keep(segment.calls, {"name": h.tool, "summary": h.text}, h.text)

    def keep(self, into, what, words):
        into.append(what)
        self.open.size += self.rules.size(words)


def expected(rules, happenings):
    """The rows of the segments."""
    model = Model(rules)
    for h in happenings:
        model.add(h)
    segments = model.done + ([model.open] if model.open.full() else [])
    return [segment.row(index) for index, segment in enumerate(segments)]


def expected_events(rules, happenings, cwd):
    """The tool calls, by their envelopes."""
    events = {}
    for h in happenings:
        envelope = str(uuid.uuid5(uuid.NAMESPACE_URL, h.call)) if h.call else None
        if h.kind == "call":
            events[envelope] = {"timestamp": round(h.at * 1000), "command": h.text, "tool_name": h.tool, "source_kind": rules.kind,
                                "cwd": cwd, "exit_code": None, "duration_ms": 0}
        elif h.kind == "result" and envelope in events:
            events[envelope]["duration_ms"] = max(0, round(h.at * 1000) - events[envelope]["timestamp"])
            events[envelope]["exit_code"] = h.exit_code
    return events
