#!/usr/bin/env python3
"""The official programs of the Model Context Protocol against the server: the conformance suite, both
generations of the SDK's client, and the inspector.  Prints TAP.

Set-up has fetched them (tools/setup test); nothing here uses the network beyond this machine.
"""

import contextlib
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cli.place import has, main, same, test  # noqa: E402
from mcp.client import CLI, LEGACY, MODERN  # noqa: E402
from mcp.relay import Relay  # noqa: E402
from serve.server import serving  # noqa: E402

SERVER = os.environ.get("STELE_TEST_MCP_SERVER", "")
SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(HERE)))
MODULES = os.path.join(SOURCE, "node_modules")
TOOLS = ["search", "timeline", "get", "sessions", "append", "memory", "runs", "plan", "tasks", "facts", "status"]


def node(*words, cwd=SOURCE):
    found = glob.glob(os.path.join(MODULES, "node-linux-*", "bin", "node"))
    if not found:
        raise AssertionError("Node has not been fetched: run `make setup`")
    return subprocess.run([found[0], *words], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=300)


def module(*path):
    return os.path.join(MODULES, *path)


@contextlib.contextmanager
def fixtures():
    """The address of a server with the suite's fixtures, which needs no token."""
    with tempfile.TemporaryDirectory(prefix="stele-mcp-") as directory:
        socket = os.path.join(directory, "socket")
        server = subprocess.Popen([SERVER, os.path.join(directory, "home"), socket], stderr=subprocess.PIPE, text=True)
        try:
            for line in server.stderr:
                if f"listening on {socket}" in line:
                    break
            else:
                raise AssertionError(f"the server ended with {server.wait()}")
            with Relay(socket) as relay:
                yield f"http://127.0.0.1:{relay.port}/mcp"
        finally:
            server.terminate()
            server.communicate(timeout=60)
        same(server.returncode, 0)


def conform(revision, required, *words):
    """All that the revision requires, by the suite's own list; what is besides in the list does not count."""
    suite = module("@modelcontextprotocol", "conformance", "dist", "index.js")
    listed = node(suite, "list", "--requirements", revision).stdout.partition("Client scenarios")[0]
    same(len(re.findall(r"^  - ", listed, re.M)), required)
    with fixtures() as url, tempfile.TemporaryDirectory(prefix="stele-mcp-") as results:
        done = node(suite, "server", "--url", url, "--requirements", revision, *words, cwd=results)
    summary = done.stdout.partition("=== SUMMARY ===")[2]
    same((done.returncode, done.returncode and summary), (0, 0))
    scenarios = set(re.findall(r"^  - (\S+)", listed, re.M))
    return sorted(scenarios & set(re.findall(r"✗ ([\w-]+): ", summary)))


@test("conformance, 2026-07-28: every required scenario passes")
def _():
    same(conform(MODERN, 37), [])


@test("conformance, 2025-11-25: every required scenario passes, or stands in the baseline with its reason")
def _():
    failed = conform(LEGACY, 30, "--expected-failures", os.path.join(HERE, f"baseline-{LEGACY}.yml"))
    same((len(failed), {name.partition("-")[0] for name in failed}), (6, {"tools", "elicitation", "resources"}))


def check(line, version):
    told = json.loads(line)
    same(told, {"version": version, "tools": TOOLS, "same": True, "failed": True,
                "resources": ["stele://status", "stele://memory", "stele://session/s1"], "read": 1,
                "prompts": ["recall_fix", "summarise_session", "pick_up"], "prompt": True, "completed": ["s1"]})


def exercised(script, version):
    def run(*place):
        done = node(os.path.join(HERE, script), *place)
        same((done.returncode, done.stderr), (0, ""))
        check(done.stdout, version)
    with tempfile.TemporaryDirectory(prefix="stele-mcp-") as directory:
        run("stdio", CLI, "mcp", "--quiet", "--home", os.path.join(directory, "home"))
    with serving() as server:
        run("http", f"http://127.0.0.1:{server.port}/mcp", server.token)


@test("the SDK's client of 2025-11-25, over both transports")
def _():
    exercised("sdk_v1.mjs", LEGACY)


@test("the SDK's client of 2026-07-28, over both transports")
def _():
    exercised("sdk_v2.mjs", MODERN)


@test("the inspector's command line, over both transports")
def _():
    with open(module("@modelcontextprotocol", "inspector", "package.json"), encoding="utf-8") as file:
        program = module("@modelcontextprotocol", "inspector", json.load(file)["bin"]["mcp-inspector"])

    def inspect(place, *words):
        done = node(program, "--cli", *place, *words)
        # It warns of columns that hold any JSON, and so have no type.
        remarks = re.sub(r"Schema portability: 0 errors, \d+ warnings across .*\n", "", done.stderr)
        same((done.returncode, remarks), (0, ""))
        return json.loads(done.stdout)
    with tempfile.TemporaryDirectory(prefix="stele-mcp-") as directory, serving() as server:
        url = f"http://127.0.0.1:{server.port}/mcp"
        for place in ([CLI, "mcp", "--quiet", "--home", os.path.join(directory, "home")],
                      [url, "--transport", "http", "--header", f"Authorization: Bearer {server.token}"]):
            same([tool["name"] for tool in inspect(place, "--method", "tools/list")["tools"]], TOOLS)
            told = inspect(place, "--method", "tools/call", "--tool-name", "memory", "--tool-arg", "command=view",
                           "--tool-arg", "path=/memories")
            has(told["structuredContent"]["view"]["text"], "\t/memories")
            same(len(inspect(place, "--method", "prompts/list")["prompts"]), 3)


if __name__ == "__main__":
    main()
