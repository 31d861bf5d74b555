"""Transcripts such as Claude Code writes them, and how fast they become conversations.

The shares are those of real files: more than half of the bytes are repetitions (toolUseResult, progress) that an
import steps over; a line has about 3.4 KB, most have less, some have hundreds.
"""

import json
import os
import random
import subprocess
import time

COPY = "@@COPY@@"  # stands for what tells the copies of a session apart
WORDS = ("the return value of a function when none is given error file line test build import parse token index "
         "buffer length query session message result commit branch merge table column select insert update check "
         "for while if else static const struct int void char size next first last open close read write").split()
TOOLS = ["Bash", "Read", "Edit", "Grep", "Write", "Glob"]


class Session:
    """The lines of one session, as JSON texts."""

    def __init__(self, number, lines):
        self.random = random.Random(number)
        self.number, self.count, self.parent = number, 0, None
        self.clock = 1_760_000_000 + number * 10_000
        self.lines = []
        while len(self.lines) < lines:
            self.turn()

    def text(self, about):
        size = max(8, int(self.random.lognormvariate(0, 1.1) * about * 0.55))
        out, line = [], []
        while size > 0:
            word = self.random.choice(WORDS)
            line.append(word)
            size -= len(word) + 1
            if self.random.random() < 0.12:
                out.append(" " * self.random.choice((0, 2, 4, 8)) + " ".join(line) + self.random.choice((";", "", " {", ".")))
                line = []
        return "\n".join([*out, " ".join(line)])

    def uuid(self):
        self.count += 1
        return f"{COPY}-{self.number % 65536:04x}-4000-8000-{self.count:012x}"

    def record(self, kind, **more):
        self.clock += self.random.random() * 3
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(self.clock)) + f".{int(self.clock * 1000) % 1000:03d}Z"
        uuid = self.uuid()
        record = {"parentUuid": self.parent, "isSidechain": False, "userType": "external", "cwd": "/srv/project",
                  "sessionId": f"{COPY}-{self.number % 65536:04x}-4000-8000-000000000000", "version": "2.1.42",
                  "gitBranch": "main", "slug": "brave-quiet-river", "type": kind, **more, "uuid": uuid,
                  "timestamp": stamp}
        self.parent = uuid
        self.lines.append(json.dumps(record, separators=(",", ":")))

    def say(self, message, part, last):
        usage = {"input_tokens": 4, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 30_000,
                 "output_tokens": self.random.randrange(1, 900), "service_tier": "standard"}
        self.record("assistant", requestId=f"req_{message}", message={
            "model": "claude-opus-4-5", "id": message, "type": "message", "role": "assistant", "content": [part],
            "stop_reason": "tool_use" if last else None, "stop_sequence": None, "usage": usage})

    def turn(self):
        chance = self.random
        if chance.random() < 0.1:
            self.record("user", message={"role": "user", "content": self.text(300)})
        if chance.random() < 0.15:
            self.lines.append(json.dumps({"type": "file-history-snapshot", "messageId": self.uuid(),
                                          "snapshot": {"trackedFileBackups": {}}, "isSnapshotUpdate": False}))
        message, call = f"msg_{self.uuid()}", f"toolu_{self.uuid()}"
        if chance.random() < 0.5:
            self.say(message, {"type": "thinking", "thinking": self.text(500), "signature": "A" * 300}, False)
        if chance.random() < 0.4:
            self.say(message, {"type": "text", "text": self.text(300)}, False)
        tool = chance.choice(TOOLS)
        self.say(message, {"type": "tool_use", "id": call, "name": tool, "input": {"command": self.text(400)}}, True)
        for n in range(chance.choice((0, 1, 1, 2, 3))):
            self.record("progress", toolUseID=call, parentToolUseID=call, data={
                "type": "bash_progress", "output": self.text(600), "fullOutput": self.text(1500), "elapsedTimeSeconds": n})
        said = self.text(2600)
        self.record("user", message={"role": "user", "content": [
            {"tool_use_id": call, "type": "tool_result", "content": said, "is_error": chance.random() < 0.04}]},
            toolUseResult={"stdout": said, "stderr": "", "interrupted": False, "originalFile": self.text(4200),
                           "structuredPatch": [{"oldStart": 1, "lines": self.text(600).split("\n")}]})
        if chance.random() < 0.12:
            self.record("system", subtype="turn_duration", durationMs=chance.randrange(90_000), isMeta=False)


def place(home):
    """Where the files are."""
    return os.path.join(home, ".claude", "projects", "-srv-project")


def make(home, megabytes):
    """Write that much below home, and return the bytes."""
    directory = place(home)
    os.makedirs(directory)
    sessions = [("\n".join(Session(number, 600).lines) + "\n").encode() for number in range(6)]
    written = copy = 0
    while written < megabytes * 1_000_000:
        for number, text in enumerate(sessions):
            token = f"{copy:08x}"
            path = os.path.join(directory, f"{token}-{number:04x}-4000-8000-000000000000.jsonl")
            with open(path, "wb") as file:
                written += file.write(text.replace(COPY.encode(), token.encode()))
            if written >= megabytes * 1_000_000:
                break
        copy += 1
    return written


def peak_kilobytes(pid_status):
    """ru_maxrss of a finished child, as wait4 told it."""
    return pid_status[2].ru_maxrss


def measure(stele, directory, megabytes):
    """Figures of one import of so many megabytes, from the first byte to the last commit."""
    home = os.path.join(directory, "agents")
    size = make(home, megabytes)
    command = [stele, "--home", os.path.join(directory, "store"), "--quiet", "call",
               "conversation.import_transcripts", json.dumps({"home": home})]
    started = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    reply = child.stdout.read()
    ended = os.wait4(child.pid, 0)
    took = time.monotonic() - started
    child.stdout.close()
    if ended[1] != 0:
        raise RuntimeError(f"{' '.join(command)} failed")
    counts = json.loads(reply)
    return {"bytes": size, "mb_per_s": size / 1e6 / took, "messages_per_s": counts["messages"] / took,
            "cpu_s_per_gb": (ended[2].ru_utime + ended[2].ru_stime) / size * 1e9,
            "peak_mb": peak_kilobytes(ended) / 1024, "messages": counts["messages"]}
