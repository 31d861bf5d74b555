#!/usr/bin/env python3
"""stele probe: through the real socket into the store, and noted.  Prints TAP."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from check import tap  # noqa: E402
from serve.server import Server, serving  # noqa: E402

STELE = os.environ["STELE_TEST_CLI"]


WAYS = ["shell", "claude-tool", "browser", *(f"agentic-session-{agent}" for agent in ("claude", "codex", "cursor", "opencode"))]


def probe(home, *words, of="/nonexistent"):
    """of: the home directory of whose agents it is asked."""
    done = subprocess.run([STELE, "--home", home, "probe", "--json", *words], capture_output=True, text=True, check=False,
                          env={**os.environ, "HOME": of})
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


def health(server, source):
    return server.call("capture.list_source_health", source=source)[0]


@tap.case
def _():
    """probes arrive, are noted, and are shown to nobody"""
    with serving() as server:
        status, rows = probe(server.home)
        if status != 0 or [(row["source"], row["ok"], row["error"]) for row in rows] != [(way, True, None) for way in WAYS]:
            yield f"{status}: {rows}"
        for row in rows:
            noted = health(server, row["source"])
            if not noted["probe_ok"] or noted["probe_lag_ms"] != row["lag_ms"] or not noted["probe_last_run_ts"]:
                yield f"{noted}"
        if server.call("capture.get_events") or server.call("capture.get_browser_events") or server.call("capture.search_events", query="probe"):
            yield "a probe is shown"
        status, rows = probe(server.home, "--source", "shell")
        if status != 0 or [row["source"] for row in rows] != ["shell"]:
            yield f"one source: {status}: {rows}"


@tap.case
def _():
    """without a server they do not arrive: that is noted, and nothing is left behind"""
    with tempfile.TemporaryDirectory() as directory:
        home = os.path.join(directory, "home")
        status, rows = probe(home)
        if status != 1 or [row["source"] for row in rows if row["ok"] or not row["error"]] != WAYS[3:]:  # agents wrote nothing
            yield f"{status}: {rows}"
        if os.path.exists(os.path.join(home, "fallback")):
            yield "there is a fallback file"
        with Server(home) as server:
            noted = health(server, "shell")
            if noted["probe_ok"] or noted["consecutive_failures"]:
                yield f"{noted}"


@tap.case
def _():
    """what an agent wrote lately must have been taken in"""
    with tempfile.TemporaryDirectory() as directory:
        home, projects = os.path.join(directory, "home"), os.path.join(directory, ".claude", "projects", "-src-stele")
        os.makedirs(projects)
        with open(os.path.join(projects, "11111111-2222-4333-8444-555555555555.jsonl"), "w", encoding="utf-8") as file:
            file.write(json.dumps({"type": "user", "uuid": "u1", "sessionId": "11111111-2222-4333-8444-555555555555", "cwd": "/src/stele",
                                   "timestamp": "2026-01-31T12:00:00Z", "message": {"role": "user", "content": "hello"}}) + "\n")
        asked = ("--source", "agentic-session-claude")
        status, rows = probe(home, *asked, of=directory)
        if status != 1 or "that are not taken in yet: 1" not in rows[0]["error"]:
            yield f"not taken in: {status}: {rows}"
        subprocess.run([STELE, "--home", home, "import", "--quiet", projects], check=True, capture_output=True)
        status, rows = probe(home, *asked, of=directory)
        if status != 0 or not rows[0]["ok"]:
            yield f"taken in: {status}: {rows}"


@tap.case
def _():
    """a source that has no probe"""
    with tempfile.TemporaryDirectory() as directory:
        status, told = probe(os.path.join(directory, "home"), "--source", "weather")
        if status != 2 or "weather" not in str(told):
            yield f"{status}: {told}"


if __name__ == "__main__":
    tap.main()
