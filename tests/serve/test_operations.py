#!/usr/bin/env python3
"""Running the server: health, figures, signals, the service manager, stores that cannot be used.  Prints TAP."""

import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cli.place import has, main, same, test  # noqa: E402
from serve.server import CLI, Server, methods, serving, until  # noqa: E402

SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(HERE)))


@test("healthy and ready, without a token")
def _():
    with serving() as server:
        for path, word in (("/healthz", "ok\n"), ("/readyz", "ready\n")):
            answer = server.get(path, {"Authorization": None})
            same((answer.status, answer.text), (200, word))


@test("figures: names and types as Prometheus wants them, histograms that add up")
def _():
    with serving() as server:
        for _ in range(3):
            server.call("telemetry.create_session")
        text = server.get("/metrics").text
        types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
        for line in text.splitlines():
            if line.startswith("#"):
                continue
            found = re.fullmatch(r'(\w+?)(_bucket|_sum|_count)?(\{\w+="[^"]*"(?:,\w+="[^"]*")*\})? (-?[\d.]+)', line)
            if not found:
                raise AssertionError(f"this is no sample: {line}")
            name = found[1] if types.get(found[1]) == "histogram" else found[1] + (found[2] or "")
            if name not in types:
                raise AssertionError(f"{name} has no type: {line}")
            if types[name] == "counter" and not name.endswith("_total"):
                raise AssertionError(f"the counter {name} does not end in _total")
        route = 'route="/v1/telemetry/create_session"'
        has(text, f'stele_http_request_duration_seconds_bucket{{{route},le="+Inf"}} 3',
            f"stele_http_request_duration_seconds_count{{{route}}} 3", 'stele_http_responses_total{code="200"}',
            'stele_store_wal_bytes{store="telemetry"}', "stele_build_info{version=")


@test("the user's rules of redaction hold here too")
def _():
    with tempfile.TemporaryDirectory(prefix="stele-") as home:
        with open(os.path.join(home, "redact.toml"), "w", encoding="utf-8") as file:
            file.write("[[rule]]\nname = 'fruit'\nregex = 'apple'\nreplacement = '<fruit>'\n")
        with Server(home) as server:
            same(server.call("stele.redact", text="an apple")["text"], "an <fruit>")


@test("events are lines of JSON")
def _():
    with serving() as server:
        server.call("telemetry.create_session")
    for line in server.lines:
        same(sorted(json.loads(line)), ["level", "message", "time"])


@test("SIGTERM: what is under way is finished, the logs are emptied, the exit status is 0")
def _():
    with tempfile.TemporaryDirectory(prefix="stele-") as directory:
        server = Server(os.path.join(directory, "home"))
        for _ in range(50):
            server.call("telemetry.create_session")
        server.process.send_signal(signal.SIGTERM)
        server.stop()
        same(server.process.returncode, 0)
        left = [name for name in os.listdir(server.home) if name.endswith(("-wal", "-shm"))]
        same(left, [])


@test("a store that cannot be used ends the start before anything is bound")
def _():
    with tempfile.TemporaryDirectory(prefix="stele-") as directory:
        home, path = os.path.join(directory, "home"), os.path.join(directory, "sock")
        os.mkdir(home)
        database = sqlite3.connect(os.path.join(home, "telemetry.db"))
        database.execute("CREATE TABLE something (else_ TEXT)")
        database.commit()
        database.close()
        done = subprocess.run([CLI, "--home", home, "serve", "--port", "0", "--socket", path], text=True,
                              stderr=subprocess.PIPE, timeout=60)
        same((done.returncode, os.path.exists(path)), (1, False))
        has(done.stderr, "is not a telemetry store")
        same("listening" in done.stderr, False)


@test("a port or a setting that cannot be")
def _():
    with serving() as server:
        for words, told in ((["--port", str(server.port)], "in use"), (["--host", "nowhere.invalid"], "nowhere.invalid"),
                            (["--set", "bodi=1"], "there is no key bodi"), (["--set", "body=x"], "--set body must be"),
                            (["--socket", "/" + "x" * 200], "path of a socket")):
            done = subprocess.run([CLI, "--home", server.home, "serve", *(words if "--port" in words else ["--port", "0", *words])],
                                  text=True, stderr=subprocess.PIPE, timeout=60)
            same(done.returncode, 2 if "--set" in words else 1)
            has(done.stderr, told)


@test("the service manager is told: ready, alive, stopping")
def _():
    with tempfile.TemporaryDirectory(prefix="stele-") as directory:
        path = os.path.join(directory, "notify")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        listener.bind(path)
        listener.settimeout(60)
        with Server(os.path.join(directory, "home"), env={"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"}):
            same(listener.recv(100), b"READY=1")
            same(listener.recv(100), b"WATCHDOG=1")
        told = b""
        while told != b"STOPPING=1":
            told = listener.recv(100)
        listener.close()


@test("the server records its own life and its background work")
def _():
    with serving(settings="jobs=1,record=1") as server:
        server.call("conversation.create_session", session_id="a", source="cli")
        server.call("conversation.append_message", session_id="a", role="user", content="to be indexed")

        def index():
            return job_of(server, "index")
        until(lambda: index()["runs"] > 0)
        same((index()["failures"], index()["last_error"]), (0, ""))
        until(lambda: "stele_index_backlog_messages 0\n" in server.get("/metrics").text)
        same(job_of(server, "index-planner")["runs"], 0)
        server.call("planner.save_learning", content="to be indexed too", session="s")
        until(lambda: job_of(server, "index-planner")["runs"] > 0)
        same(job_of(server, "index-planner")["last_error"], "")
        until(lambda: os.path.exists(os.path.join(server.home, "planner.index.db")))
        if not index()["heartbeat"] > 0:
            raise AssertionError("no sign of life")
        rows = server.call("telemetry.get_session_list")
        same([row["status"] for row in rows], ["running"])
        until(lambda: any(row["total_executions"] for row in
                          server.call("telemetry.get_job_summary", app_key="stele.serve", instance_index=0)))
        server.stop()
        done = subprocess.check_output([CLI, "--home", server.home, "call", "telemetry.get_session_list"], text=True)
        same([row["status"] for row in json.loads(done)], ["success"])


def job_of(server, name):
    return next((job for job in json.loads(server.get("/v1/status").text)["jobs"] if job["name"] == name), None)


@test("the server looks whether capturing keeps what it promises, once there is a store of it")
def _():
    with serving(settings="jobs=1,watchdog=1") as server:
        until(lambda: job_of(server, "watchdog")["heartbeat"] > 0)
        same(job_of(server, "watchdog")["runs"], 0)
        for _ in range(4):
            server.call("capture.record_source_error", source="agentic-session-codex", error="no route")
        server.call("capture.record_drops", source='a "source"', dropped=3, cause="full")
        until(lambda: "stele_capture_alarms 2\n" in server.get("/metrics").text)
        has(server.get("/metrics").text, 'stele_capture_drops_total{source="a \\"source\\"",cause="full"} 3\n',
            'stele_job_failures_total{job="watchdog"} 0\n')
        same(sorted(each["invariant_id"] for each in server.call("capture.list_alarms")), ["I-13", "I-6"])
        same((job_of(server, "watchdog")["method"], job_of(server, "watchdog")["last_error"]), ("capture.run_watchdog", ""))
        health = server.call("capture.list_source_health", source="watchdog")[0]
        until(lambda: server.call("capture.list_source_health", source="watchdog")[0]["last_heartbeat_ts"] > health["last_heartbeat_ts"])


@test("unless it is told not to")
def _():
    with serving(settings="jobs=1,watchdog=0") as server:
        same(job_of(server, "watchdog"), None)


@test("it learns from what was captured, while that is not paused")
def _():
    def wait(number):
        server.call("capture.insert_event", terminal=f"t{number}", timestamp=1000, command=f"make part{number}", exit_code=0, cwd="/srv/shop/web", hostname="h",
                    shell="zsh")

    def learned(number):
        return len(server.call("capture.search_knowledge", query=f"part{number}", mode="lexical"))
    with serving(settings="jobs=1", env={"STELE_ENRICH_INTERVAL": "1s"}) as server:
        wait(1)
        until(lambda: learned(1) == 1)
        same((job_of(server, "enrich")["method"], job_of(server, "enrich")["failures"]), ("capture.enrich", 0))
        server.call("capture.pause_enrichment", reason="a test")
        wait(2)
        runs = job_of(server, "enrich")["runs"]
        until(lambda: job_of(server, "enrich")["runs"] > runs + 1)
        same((learned(2), server.call("capture.enrichment_status")["paused"], job_of(server, "enrich")["paused"]), (0, True, True))
        server.call("capture.resume_enrichment")
        until(lambda: learned(2) == 1)
        until(lambda: not job_of(server, "enrich")["paused"])
    with serving(settings="jobs=1", env={"STELE_ENRICH_ENABLED": "false"}) as server:
        same(job_of(server, "enrich"), None)


@test("it keeps what is known in order, unless it is told not to")
def _():
    with serving(settings="jobs=1", env={"STELE_UPKEEP_INTERVAL": "1s"}) as server:
        server.call("planner.save_fact", content="x", source="s", now="2026-01-01")
        until(lambda: server.call("planner.get_fact", id=1)["confidence"] == 0.9)
        runs = job_of(server, "upkeep")["runs"]
        until(lambda: job_of(server, "upkeep")["runs"] > runs + 1)
        same(server.call("planner.get_fact", id=1)["confidence"], 0.9)
        same((job_of(server, "upkeep")["method"], job_of(server, "upkeep")["failures"]), ("stele.upkeep", 0))
    with serving(settings="jobs=1", env={"STELE_UPKEEP_ENABLED": "false"}) as server:
        same(job_of(server, "upkeep"), None)


@test("it deletes what is old enough, as it is configured, unless it is told not to")
def _():
    news = {"url": "u", "title": "t", "seen_at": "2026-01-01"}
    with serving(settings="jobs=1", env={"STELE_RETENTION_INTERVAL": "1s"}) as server:
        server.call("assistant.add_seen_story", **news)
        server.call("stele.hold", store="assistant", kind="note", reason="a test")
        until(lambda: server.call("assistant.get_seen_urls") == [])
        same((job_of(server, "retention")["method"], job_of(server, "retention")["failures"]), ("stele.retain", 0))
    with serving(settings="jobs=1", env={"STELE_RETENTION_INTERVAL": "1s", "STELE_RETENTION_ASSISTANT_SEEN_NEWS": "off"}) as server:
        server.call("assistant.add_seen_story", **news)
        until(lambda: job_of(server, "retention")["runs"] > 1)
        same(len(server.call("assistant.get_seen_urls")), 1)
    with serving(settings="jobs=1", env={"STELE_RETENTION_ENABLED": "false"}) as server:
        same(job_of(server, "retention"), None)


def claude_record(n, text):
    return json.dumps({"type": "user", "uuid": f"00000000-0000-4000-8000-{n:012}", "parentUuid": None, "sessionId": "work",
                       "timestamp": f"2026-01-01T00:00:{n:02}.000Z", "cwd": "/srv/project", "version": "2.0.0",
                       "message": {"role": "user", "content": text}}) + "\n"


def watch_job(server):
    return job_of(server, "watch")


@test("the sessions of coding agents are taken in, and what is appended to them comes to those who follow")
def _():
    with tempfile.TemporaryDirectory(prefix="stele-") as user:
        folder = os.path.join(user, ".claude", "projects", "-srv-project")
        os.makedirs(folder)
        path = os.path.join(folder, "work.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write(claude_record(1, "the first question") + "{broken\n")
        with serving(settings="jobs=1", env={"HOME": user, "CLAUDE_CONFIG_DIR": ""}) as server:
            def found(word):
                return json.loads(server.get(f"/v1/search?query={word}").text)["items"]
            until(lambda: found("first"))
            until(lambda: (watch_job(server)["progress"] or {}).get("what") == "watch")
            before = watch_job(server)["heartbeat"]
            with open(path, "a", encoding="utf-8") as file:
                file.write(claude_record(2, "the second question"))
            until(lambda: found("second"))
            until(lambda: watch_job(server)["heartbeat"] > before)
            until(lambda: "stele_index_backlog_messages 0\n" in server.get("/metrics").text)
            same((watch_job(server)["running"], watch_job(server)["last_error"]), (True, ""))
            figures = server.get("/metrics").text
            has(figures, "stele_import_transcripts 1\n", "stele_import_errors_total 1\n", "stele_import_records_total 3\n",
                'stele_job_failures_total{job="watch"} 0\n', 'stele_job_heartbeat_timestamp_seconds{job="watch"} ')


@test("a store outside the home gets no transcripts, and that is told once")
def _():
    with tempfile.TemporaryDirectory(prefix="stele-") as user:
        foreign = os.path.join(user, "theirs.db")
        with serving("--store", f"conversation={foreign}", settings="jobs=1", env={"HOME": user}) as server:
            until(lambda: watch_job(server)["runs"] == 1)
            has(watch_job(server)["last_error"], "not in the home")


@test("a long call is stopped when its client has gone, and nobody waits for it")
def _():
    with serving() as server:
        server.call("conversation.create_session", session_id="s", source="cli")
        messages = [{"role": "user", "content": f"{n} some words to be indexed " * 5} for n in range(20_000)]
        server.call("conversation.replace_messages", session_id="s", messages=messages)
        connection = server.connect()
        connection.request("POST", "/v1/conversation/index_messages", '{"rebuild":true}', {"Authorization": f"Bearer {server.token}"})
        connection.close()
        server.call("conversation.append_message", session_id="s", role="user", content="meanwhile")
        until(lambda: 'responses_total{code="499"} 1' in server.get("/metrics").text)
        until(lambda: "stele_requests_in_progress 1\n" in server.get("/metrics").text)  # this one itself
        same(json.loads(server.get("/v1/search?query=meanwhile").text)["items"][0]["role"], "user")


@test("the description names every method and every resource, and Redocly finds nothing wrong with it")
def _():
    with serving() as server, tempfile.TemporaryDirectory(prefix="stele-") as directory:
        described = json.loads(server.get("/openapi.json").text)
        same(described["openapi"], "3.1.0")
        for method in methods():
            path = "/v1/" + method["name"].replace(".", "/", 1)
            same(described["paths"][path]["post"]["operationId"], method["name"])
            if method["http"]:
                has(described["paths"][method["http"].split()[1]]["get"]["operationId"], method["name"])
        file = os.path.join(directory, "openapi.json")
        with open(file, "w", encoding="utf-8") as out:
            json.dump(described, out, indent=1)
        modules = os.path.join(SOURCE, "node_modules")
        node = os.path.join(modules, ".bin", "node")
        done = subprocess.run([node if os.path.exists(node) else shutil.which("node"),
                               os.path.join(modules, "@redocly", "cli", "bin", "cli.js"), "lint", file, "--extends", "recommended"],
                              cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                              env={**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"})
        if done.returncode != 0 or "warning" in done.stdout.lower():
            raise AssertionError(done.stdout[-3000:])


if __name__ == "__main__":
    sys.exit(main())
