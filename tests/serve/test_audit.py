#!/usr/bin/env python3
"""The audit: who called what, and what came of it, in a file per day, without secrets.  Prints TAP."""

import glob
import json
import os
import random
import re
import stat
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from capture import samples  # noqa: E402
from cli.place import has, main, same, test  # noqa: E402
from serve.server import Local, serving, until  # noqa: E402


def text_of(server):
    text = ""
    for path in sorted(glob.glob(os.path.join(server.home, "audit", "*.jsonl"))):
        with open(path, encoding="utf-8") as file:
            text += file.read()
    return text


def lines_of(server):
    return [json.loads(line) for line in text_of(server).splitlines()]


def written(server, count):
    """The lines, once there are so many."""
    until(lambda: text_of(server).count("\n") >= count)
    return lines_of(server)


def figure(server, name):
    return int(re.search(rf"^{name} (\d+)$", server.get("/metrics").text, re.M)[1])


@test("nothing is noted unless it is asked for")
def _():
    with serving() as server:
        server.call("stele.version")
        server.stop()
        same(os.path.exists(os.path.join(server.home, "audit")), False)


@test("a line per call: time, method, actor, door, outcome, time taken, arguments; for its owner only")
def _():
    with serving(settings="audit=on") as server:
        days = {time.strftime("%Y-%m-%d", time.gmtime())}
        server.call("conversation.create_session", session_id="a", source="cli")
        server.get("/v1/sessions/a")
        server.post("/v1/conversation/append_message", '{"session_id":"a"}')
        server.get("/healthz")
        server.get("/metrics")
        lines = written(server, 3)
        days.add(time.strftime("%Y-%m-%d", time.gmtime()))
        same([line["method"] for line in lines], ["conversation.create_session", "conversation.get_session",
                                                  "conversation.append_message"])
        same([line["outcome"] for line in lines], ["OK", "OK", "INVALID"])
        same({(line["actor"], line["door"]) for line in lines}, {("token:1:local", "http")})
        same([line["arguments"] for line in lines], [{"session_id": "a", "source": "cli"}, {"session_id": "a"}, {"session_id": "a"}])
        for line in lines:
            same(sorted(line), ["actor", "arguments", "door", "method", "ms", "outcome", "time"])
            same((line["time"][:10] in days, line["time"][-1], line["ms"] > 0), (True, "Z", True))
        directory = os.path.join(server.home, "audit")
        same(stat.S_IMODE(os.stat(directory).st_mode), 0o700)
        for name in os.listdir(directory):
            same((name[:10] in days, name[10:]), (True, ".jsonl"))
            same(stat.S_IMODE(os.stat(os.path.join(directory, name)).st_mode), 0o600)


@test("a line is in the file of its day")
def _():
    with serving(settings="audit=on") as server:
        server.call("stele.version")
        server.stop()
        for path in glob.glob(os.path.join(server.home, "audit", "*")):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    same(json.loads(line)["time"][:10] + ".jsonl", os.path.basename(path))


@test("every door: HTTP, the unix socket, MCP")
def _():
    with serving() as other:
        path = os.path.join(os.path.dirname(other.home), "sock")
        with serving("--socket", path, settings="audit=on") as server:
            connection = Local(path)
            connection.request("POST", "/v1/stele/version")
            same(connection.getresponse().read()[:1], b"{")
            connection.close()
            written(server, 1)  # calls that end at the same time are noted in any order
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": {"name": "stele.version", "arguments": {}}}
            server.post("/mcp?profile=all", json.dumps(message), {"MCP-Protocol-Version": "2025-11-25"})
            lines = written(server, 2)
            same([(line["method"], line["door"], line["actor"], line["outcome"]) for line in lines],
                 [("stele.version", "socket", f"uid:{os.geteuid()}", "OK"), ("stele.version", "mcp", "token:1:local", "OK")])


@test("whoever has no right is noted: by name if there is one")
def _():
    with serving(settings="audit=on") as server:
        token = server.call("server.create_token", name="guest", scopes=["telemetry:read"])["token"]
        written(server, 1)
        for number, (path, headers, token) in enumerate([("/v1/sessions", {}, token), ("/v1/sessions", {}, "wrong"), ("/metrics", {"Authorization": None}, None),
                                                         ("/healthz", {"Host": "evil.example"}, None)]):
            server.get(path, headers, token)
            lines = written(server, 2 + number)[1:]
        same([(line["method"], line["actor"], line["outcome"]) for line in lines],
             [("conversation.list_sessions_rich", "token:2:guest", "DENIED"), ("conversation.list_sessions_rich", None, "DENIED"),
              ("/metrics", None, "DENIED"), ("other", None, "DENIED")])


@test("no secret is ever in it: in arguments, in names, in headers, in what is broken")
def _():
    rng = random.Random(5)
    secrets = [make(rng) for make in samples.TOKENS.values()]
    with serving(settings="audit=on") as server:
        made = server.call("server.create_token", name="x")["token"]
        secrets += [server.token, made]
        count = 1
        for secret in secrets:
            for body in (json.dumps({"session_id": f"id {secret}", "source": "cli"}),
                         json.dumps({"session_id": "x", secret: 1}),
                         json.dumps({"text": "use " + secret}),
                         '{"session_id":"' + secret):
                server.post("/v1/conversation/create_session", body)
                server.post("/v1/stele/redact", body)
                count += 2
        secrets.append(server.call("server.pub_link", session="x")["token"])
        server.post("/v1/server/find_pub", json.dumps({"token": secrets[-1], "sessions": []}))
        server.get("/v1/stele/version", token=made + "x")
        written(server, count + 3)
        text = text_of(server)
        for secret in secrets:
            if secret in text or json.dumps(secret)[1:-1] in text:
                raise AssertionError(f"a secret is in the audit: {secret[:12]}...")
        same(figure(server, "stele_audit_dropped_total"), 0)


@test("the rules of the user count too")
def _():
    with serving() as other:
        rules = os.path.join(os.path.dirname(other.home), "rules.toml")
        with open(rules, "w", encoding="utf-8") as file:
            file.write("[[rule]]\nname='ours'\nregex='our-[0-9]+'\n")
        with serving("--redact", rules, settings="audit=on") as server:
            server.call("conversation.create_session", session_id="our-12345", source="cli")
            written(server, 1)
            same("our-12345" in text_of(server), False)


@test("long arguments are told by their length, and a line stays short")
def _():
    with serving(settings="audit=on") as server:
        server.call("conversation.create_session", session_id="a", source="cli")
        server.call("conversation.append_message", session_id="a", role="user", content="x" * 1000)
        server.call("conversation.append_message", session_id="a", role="user", content="x" * 100_000)
        server.post("/v1/conversation/append_message", '{"session_id":"a",\n"rôle":1}')
        lines = written(server, 4)
        same(lines[1]["arguments"], {"session_id": "a", "role": "user", "content": {"bytes": 1002}})
        same((lines[2]["arguments"], lines[2]["arguments_bytes"] > 100_000), (None, True))
        same((lines[3]["arguments"], lines[3]["unknown_arguments"]), ({"session_id": "a"}, 1))


@test("what waits too long is dropped, counted and told; every call is either noted or counted")
def _():
    with serving(settings="audit=on,audit_queue=0") as server:
        for _ in range(7):
            server.call("stele.version")
        until(lambda: figure(server, "stele_audit_dropped_total") == 7)
        server.stop()
        same(lines_of(server), [])
        has("".join(server.lines), "7 calls are missing in the audit")
    with serving(settings="audit=on,audit_queue=1") as server:
        for _ in range(500):
            server.call("stele.version")
        until(lambda: figure(server, "stele_audit_dropped_total") + figure(server, "stele_audit_lines_total") == 500)
        same(len(lines_of(server)), figure(server, "stele_audit_lines_total"))


def log_of(server, name):
    path = os.path.join(server.home, "logs", name)
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


@test("logs in words: events of the server, and the calls of each session, whatever its name; no secret is a name")
def _():
    with serving(settings="logs=on") as server:
        secret = "sk-ant-api03-" + "Zk4" * 31 + "AA"
        for name in ("a", "../up", ".hidden", "ä/b", secret, "n" * 200):
            server.call("conversation.create_session", session_id=name, source="cli")
        server.call("conversation.append_message", session_id="a", role="user", content="x" * 30_000)
        server.post("/v1/conversation/append_message", '{"session_id":"a"}')
        until(lambda: log_of(server, "sessions/a.log").count("\n") == 3)
        lines = log_of(server, "sessions/a.log").splitlines()
        forger = server.call("server.create_token", name="x\n2026 forged", scopes=["*:write"])["token"]
        server.post("/v1/conversation/end_session", '{"session_id":"b","end_reason":"x"}', token=forger)
        until(lambda: "?2026 forged" in log_of(server, "sessions/b.log"))
        same(log_of(server, "sessions/b.log").count("\n"), 1)
        same([line.split()[1:3] for line in lines], [["conversation.create_session", "OK"], ["conversation.append_message", "OK"],
                                                     ["conversation.append_message", "INVALID"]])
        has(lines[0], "token:1:local over http")
        server.stop()
        folder = os.path.join(server.home, "logs", "sessions")
        same(sorted(os.listdir(folder)), ["%2E.%2Fup.log", "%2Ehidden.log", "%C3%A4%2Fb.log", "a.log", "b.log"])
        same(stat.S_IMODE(os.stat(os.path.join(folder, "a.log")).st_mode), 0o600)
        has(log_of(server, "server.log"), "info: listening on http://127.0.0.1:")
        has(log_of(server, "server.log"), "info: stopped\n")
        same(os.path.exists(os.path.join(server.home, "audit")), False)


@test("where nothing can be written: told once, counted, and no call fails; then it goes on")
def _():
    with serving(settings="audit=on") as server:
        directory = os.path.join(server.home, "audit")
        with open(directory, "w", encoding="utf-8"):
            pass
        for _ in range(3):
            server.call("stele.version")
        until(lambda: figure(server, "stele_audit_errors_total") == 3)
        until(lambda: "cannot be written" in "".join(server.lines))
        os.unlink(directory)
        server.call("stele.version")
        same(len(written(server, 1)), 1)
        until(lambda: "is written again" in "".join(server.lines))
        same("".join(server.lines).count("cannot be written"), 1)


@test("a link is not followed; a line that was cut short is ended before the next")
def _():
    with serving(settings="audit=on") as server:
        server.call("stele.version")
        written(server, 1)
        server.stop()
        path = glob.glob(os.path.join(server.home, "audit", "*"))[0]
        with open(path, "a", encoding="utf-8") as file:
            file.write('{"time":"cut')
        with type(server)(server.home, settings="audit=on") as again:
            again.call("stele.version")
            until(lambda: figure(again, "stele_audit_lines_total") == 1)
        text = text_of(server)
        same([line[:12] for line in text.splitlines()][1:2], ['{"time":"cut'])
        same(json.loads(text.splitlines()[-1])["method"], "stele.version")
        for name in os.listdir(os.path.dirname(path)):
            os.unlink(os.path.join(os.path.dirname(path), name))
        target = os.path.join(server.home, "elsewhere")
        for offset in (0, 86400):  # the day may change meanwhile
            day = time.strftime("%Y-%m-%d", time.gmtime(time.time() + offset))
            os.symlink(target, os.path.join(os.path.dirname(path), day + ".jsonl"))
        with type(server)(server.home, settings="audit=on") as again:
            again.call("stele.version")
            until(lambda: figure(again, "stele_audit_errors_total") == 1)
        same(os.path.exists(target), False)


if __name__ == "__main__":
    sys.exit(main())
