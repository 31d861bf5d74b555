#!/usr/bin/env python3
"""Calling methods over HTTP: addresses, replies, problems, pages, lines.  Prints TAP."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cli.place import has, main, same, test  # noqa: E402
from serve.server import methods, serving  # noqa: E402


def problem(answer, status, **members):
    same((answer.status, answer.headers["Content-Type"]), (status, "application/problem+json"))
    found = json.loads(answer.text)
    same(found["status"], status)
    for name, value in members.items():
        has(found.get(name, ""), value)
    return found


def conversation(server, count):
    server.call("conversation.create_session", session_id="s/1", source="cli")
    return [server.call("conversation.append_message", session_id="s/1", role="user", content=f"message {n}")["id"]
            for n in range(count)]


@test("a call replies what the library replies")
def _():
    with serving() as server:
        same(server.post("/v1/telemetry/create_session", '{"now":5}').text, '{"session_id":1}')
        same(server.post("/v1/telemetry/create_session").text, '{"session_id":2}')
        answer = server.get("/v1/telemetry/get_session_list?limit=1")
        same([row["id"] for row in json.loads(answer.text)], [2])
        same(answer.headers["Content-Type"], "application/json")


@test("what is wrong with a call is a problem with the library's fields")
def _():
    with serving() as server:
        problem(server.post("/v1/telemetry/update_heartbeat", '{"session_id":7}'), 404, code="NOTFOUND",
                method="telemetry.update_heartbeat", field="session_id", detail="7 does not exist")
        problem(server.post("/v1/telemetry/update_heartbeat", "{}"), 400, code="INVALID", field="session_id")
        problem(server.post("/v1/telemetry/update_heartbeat", "nonsense"), 400, detail="not JSON")
        problem(server.post("/v1/telemetry/update_heartbeat", b'{"session_id":1}\0'), 400, detail="NUL")
        problem(server.post("/v1/telemetry/update_heartbeat", "[" * 100_000), 400, detail="nested too deeply")
        problem(server.get("/v1/telemetry/get_session_list?limit=many"), 400, field="limit")
        problem(server.get("/v1/telemetry/get_session_list?limit=%zz"), 400, detail="decoded")


@test("what is not there: 404 with the nearest name; 405 with what is allowed")
def _():
    with serving() as server:
        problem(server.post("/v1/telemetry/create_sesion"), 404, hint="did you mean telemetry.create_session?")
        problem(server.get("/v1/nothing/at/all"), 404)
        problem(server.get("/elsewhere"), 404)
        problem(server.get("/index.html"), 404)
        answer = server.get("/v1/telemetry/create_session")
        problem(answer, 405)
        same(answer.headers["Allow"], "POST")
        same(server.request("DELETE", "/v1/telemetry/get_session_list").headers["Allow"], "GET, HEAD, POST")
        same(server.post("/v1/sessions").headers["Allow"], "GET, HEAD")
        problem(server.post("/v1/telemetry/insert_invocation"), 404)  # private


@test("a connection goes on after a problem")
def _():
    with serving() as server:
        connection = server.connect()
        for path, status in (("/elsewhere", 404), ("/v1/stele/version", 401), ("/healthz", 200)):
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            same((answer.status, answer.getheader("Connection")), (status, None))


@test("a read has a tag, and is not sent again to who has it")
def _():
    with serving() as server:
        answer = server.get("/v1/telemetry/get_session_list")
        tag = answer.headers["ETag"]
        again = server.get("/v1/telemetry/get_session_list", {"If-None-Match": f'W/"x", {tag}'})
        same((again.status, again.text, again.headers["ETag"]), (304, "", tag))
        server.call("telemetry.create_session")
        same(server.get("/v1/telemetry/get_session_list", {"If-None-Match": tag}).status, 200)
        same(server.request("HEAD", "/v1/telemetry/get_session_list").text, "")


@test("Idempotency-Key: the second call writes nothing and gets the first one's reply")
def _():
    with serving() as server:
        server.call("conversation.create_session", session_id="a", source="cli")
        message, key = '{"session_id":"a","role":"user","content":"once"}', {"Idempotency-Key": 'k "1"'}
        first = server.post("/v1/conversation/append_message", message, key)
        same((first.status, server.post("/v1/conversation/append_message", message, key).text), (200, first.text))
        same(server.call("conversation.message_count"), {"count": 1})
        problem(server.post("/v1/conversation/append_message", message[:-1] + ',"idempotency_key":"x"}', key), 400,
                field="idempotency_key", detail="stands twice")
        problem(server.post("/v1/conversation/append_message", "", key), 400, detail="needs session_id")
        problem(server.post("/v1/conversation/append_message", "[]", key), 400, detail="object")
        problem(server.post("/v1/conversation/append_message", message, {"Idempotency-Key": "x" * 256}), 400)
        problem(server.post("/v1/telemetry/create_session", "{}", key), 400, detail="takes no Idempotency-Key")


@test("remarks of the library are a header")
def _():
    with serving() as server:
        conversation(server, 1)
        answer = server.post("/v1/conversation/search_messages", '{"query":"\\"message"}')
        same(answer.status, 200)
        has(answer.headers["Stele-Notes"], " ")


@test("lines: every row is a line of JSON")
def _():
    with serving() as server:
        ids = conversation(server, 50)
        lines = {"Accept": "application/x-ndjson"}
        answer = server.get("/v1/conversation/get_messages?session_id=s%2F1", lines)
        same(answer.headers["Content-Type"], "application/x-ndjson")
        same([json.loads(line)["id"] for line in answer.text.splitlines()], ids)
        answer = server.post("/v1/conversation/get_messages", '{"session_id":"s/1","limit":3}', lines)
        same(len(answer.text.splitlines()), 3)
        same(server.get("/v1/conversation/get_messages?session_id=none", lines).text, "")
        problem(server.post("/v1/conversation/get_messages", '{"session":1}', lines), 400, field="session")
        same(len(json.loads(server.get("/v1/export", lines).text)["messages"]), 50)
        same(server.get("/v1/sessions/s%2F1/messages", lines).text.count("\n"), 50)  # all, not a page


@test("resources: what people look at has an address of its own")
def _():
    with serving() as server:
        ids = conversation(server, 5)
        same(json.loads(server.get("/v1/sessions/s%2F1").text)["id"], "s/1")
        problem(server.get("/v1/sessions/none"), 404)
        same([row["id"] for row in json.loads(server.get("/v1/sessions").text)["items"]], ["s/1"])
        same(json.loads(server.get("/v1/sessions/s%2F1/export").text)["message_count"], 5)
        same(len(json.loads(server.get("/v1/search?query=message&role_filter=user&role_filter=tool").text)["items"]), 5)
        same(json.loads(server.get("/v1/search?query=message&role_filter=tool").text), {"items": [], "next": None})
        for method in methods():
            if method["http"]:
                has(method["http"], "GET /v1/")
        seen, cursor = [], ""
        for expected in (2, 2, 1):
            page = json.loads(server.get(f"/v1/sessions/s%2F1/messages?limit=2{cursor}").text)
            same(len(page["items"]), expected)
            seen += [row["id"] for row in page["items"]]
            cursor = f"&cursor={page['next']}"
        same((seen, page["next"]), (ids, None))
        for cursor in ("what", "p", "pzzzzzzzzzzzzz", "p" + "z" * 40):
            problem(server.get("/v1/sessions?cursor=" + cursor), 400, detail="cursor")
        problem(server.get("/v1/sessions?limit=0"), 400, detail="limit")


@test("pages by counting: every row once")
def _():
    with serving() as server:
        for number in range(7):
            server.call("conversation.create_session", session_id=f"s{number}", source="cli", started_at=number + 1)
        seen, cursor = [], ""
        while cursor is not None:
            page = json.loads(server.get("/v1/sessions?limit=3" + cursor).text)
            seen += [row["id"] for row in page["items"]]
            cursor = page["next"] and "&cursor=" + page["next"]
        same(seen, [f"s{number}" for number in reversed(range(7))])


if __name__ == "__main__":
    sys.exit(main())
