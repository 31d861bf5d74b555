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


def probe(home, *words):
    done = subprocess.run([STELE, "--home", home, "probe", "--json", *words], capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


def health(server, source):
    return server.call("capture.list_source_health", source=source)[0]


@tap.case
def _():
    """probes arrive, are noted, and are shown to nobody"""
    with serving() as server:
        status, rows = probe(server.home)
        if status != 0 or [(row["source"], row["ok"], row["error"]) for row in rows] != [(way, True, None) for way in ("shell", "claude-tool", "browser")]:
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
        if status != 1 or any(row["ok"] or not row["error"] for row in rows):
            yield f"{status}: {rows}"
        if os.path.exists(os.path.join(home, "fallback")):
            yield "there is a fallback file"
        with Server(home) as server:
            noted = health(server, "shell")
            if noted["probe_ok"] or noted["consecutive_failures"]:
                yield f"{noted}"


@tap.case
def _():
    """a source that has no probe"""
    with tempfile.TemporaryDirectory() as directory:
        status, told = probe(os.path.join(directory, "home"), "--source", "weather")
        if status != 2 or "weather" not in str(told):
            yield f"{status}: {told}"


if __name__ == "__main__":
    tap.main()
