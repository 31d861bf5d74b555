#!/usr/bin/env python3
"""What hostile or careless clients do, and that the server goes on serving.  Prints TAP."""

import json
import os
import resource
import socket
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cli.place import has, main, same, test  # noqa: E402
from serve.server import serving, until  # noqa: E402

IDLE = 10_000


def alive(server):
    same(server.get("/v1/stele/version").status, 200)


def receive(connection):
    """All that comes until the server closes; what came before an abrupt end, too."""
    got = b""
    try:
        while chunk := connection.recv(65536):
            got += chunk
    except ConnectionError:
        pass
    return got.decode("latin-1")


def metric(server, name):
    for line in server.get("/metrics").text.splitlines():
        if line.startswith(name + " "):
            return int(line.split()[1])
    raise AssertionError(f"there is no {name}")


def head(server, *lines):
    return "".join(line + "\r\n" for line in (*lines, f"Authorization: Bearer {server.token}", "Host: localhost")).encode()


@test("a body that is too large: 413, announced or not")
def _():
    with serving(settings="body=1000") as server:
        same(server.post("/v1/telemetry/create_session", " " * 998 + "{}").status, 200)
        answer = server.post("/v1/telemetry/create_session", " " * 999 + "{}")
        same((answer.status, json.loads(answer.text)["code"]), (413, "INVALID"))
        with server.socket() as connection:
            connection.sendall(head(server, "POST /v1/telemetry/create_session HTTP/1.1", "Transfer-Encoding: chunked",
                                    "Connection: close") + b"\r\n")
            for _ in range(5):
                connection.sendall(b"190\r\n" + b" " * 0x190 + b"\r\n")
            connection.sendall(b"0\r\n\r\n")
            has(receive(connection), "HTTP/1.1 413")
        alive(server)


@test("headers that are too large: 431, and an address: 414")
def _():
    with serving(settings="header=4K") as server:
        with server.socket() as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X-Many: " + b"a" * 20_000 + b"\r\n\r\n")
            has(receive(connection), "HTTP/1.1 431")
        with server.socket() as connection:
            connection.sendall(b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n")
            has(receive(connection), "HTTP/1.1 414")
        alive(server)


@test("slow-loris: a request must have come within its time: 408")
def _():
    with serving(settings="request=1,idle=2") as server:
        slow = [server.socket() for _ in range(20)]
        for connection in slow[:10]:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
        for connection in slow[10:]:
            connection.sendall(head(server, "POST /v1/telemetry/create_session HTTP/1.1", "Content-Length: 10") + b"\r\n{")
        alive(server)
        for connection in slow:
            has(receive(connection), "HTTP/1.1 408", "application/problem+json")
            connection.close()
        with server.socket() as silent:
            silent.sendall(b"GE")  # not even a line
            same(receive(silent), "")
        same(metric(server, "stele_requests_timed_out_total"), 20)


@test("garbage, also behind a good request, ends that connection only")
def _():
    with serving() as server:
        for garbage in (b"\x00" * 1000, b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"POST / HTTP/9.9\r\n\r\n",
                        b"GET /healthz HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
                        b"GET /healthz HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
                        b"GET /%00%zz?%%% HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            for before in (b"", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"):
                with server.socket() as connection:
                    connection.sendall(before + garbage)
                    connection.shutdown(socket.SHUT_WR)
                    text = receive(connection)
                    if before:
                        has(text, "HTTP/1.1 200")
        alive(server)


@test("pipelined requests are answered in their order")
def _():
    with serving() as server:
        with server.socket() as connection:
            one = head(server, "POST /v1/telemetry/create_session HTTP/1.1", "Content-Length: 2") + b"\r\n{}"
            last = head(server, "GET /healthz HTTP/1.1", "Connection: close") + b"\r\n"
            connection.sendall(one * 20 + last)
            text = receive(connection)
        same([f'"session_id":{n}}}' in text for n in range(1, 21)], [True] * 20)
        same(sorted(text.index(f'"session_id":{n}}}') for n in range(1, 21)),
             [text.index(f'"session_id":{n}}}') for n in range(1, 21)])


@test("ten thousand idle connections, or as many as the system allows, cost little")
def _():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    count = min(IDLE, (most if most != resource.RLIM_INFINITY else IDLE * 2) - 200)
    with serving() as server:
        alive(server)
        before = memory(server)
        idle = [server.socket() for _ in range(count)]
        until(lambda: metric(server, "stele_connections") >= count)
        alive(server)
        each = (memory(server) - before) / count
        for connection in idle:
            connection.close()
        until(lambda: metric(server, "stele_connections") < 10)
        if each > 16_384:
            raise AssertionError(f"{each:.0f} bytes of memory for each of {count}")


def memory(server):
    """What it holds for itself, in bytes."""
    with open(f"/proc/{server.process.pid}/smaps_rollup", encoding="utf-8") as file:
        return sum(int(line.split()[1]) * 1024 for line in file if line.startswith("Private_"))


def fill(server, count, size):
    server.call("conversation.create_session", session_id="s", source="cli")
    messages = [{"role": "user", "content": f"{n} " + "x" * size} for n in range(count)]
    server.call("conversation.replace_messages", session_id="s", messages=messages)


@test("a client that vanishes in the middle of its lines; one that takes them slowly; the memory of neither")
def _():
    with serving() as server:
        fill(server, 3000, 10_000)
        request = head(server, "GET /v1/sessions/s/messages HTTP/1.1", "Accept: application/x-ndjson") + b"\r\n"
        for _ in range(20):
            with server.socket() as connection:
                connection.sendall(request)
                same(connection.recv(4096)[:12], b"HTTP/1.1 200")
        until(lambda: metric(server, "stele_streams") == 0)
        before = memory(server)
        with server.socket() as connection:
            connection.sendall(request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            begun = connection.recv(1000).decode()
            until(lambda: metric(server, "stele_streams") == 1)
            server.call("conversation.append_message", session_id="s", role="user", content="a writer does not wait")
            grown = memory(server) - before
            text = begun + receive(connection)
        same(text.count('"session_id":"s"'), 3000)
        if grown > 8 << 20:
            raise AssertionError(f"{grown} bytes more while 30 MB were read slowly")


@test("a reader of lines that takes nothing is dropped, and counted")
def _():
    with serving(settings="stall=1") as server:
        fill(server, 3000, 10_000)
        with server.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(head(server, "GET /v1/sessions/s/messages HTTP/1.1", "Accept: application/x-ndjson") + b"\r\n")
            until(lambda: metric(server, "stele_streams_dropped_total") == 1)
            until(lambda: metric(server, "stele_streams") == 0)


@test("a reader of lines that takes nothing does not keep the server from stopping")
def _():
    with serving(settings="drain=0") as server:
        fill(server, 3000, 10_000)
        with server.socket() as connection:
            connection.sendall(head(server, "GET /v1/sessions/s/messages HTTP/1.1", "Accept: application/x-ndjson") + b"\r\n")
            connection.recv(100)
            until(lambda: metric(server, "stele_streams") == 1)
            server.stop()


@test("more at once than allowed: 503 with Retry-After")
def _():
    with serving(settings="streams=1,stall=60") as server:
        fill(server, 3000, 10_000)
        lines = {"Accept": "application/x-ndjson"}
        with server.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(head(server, "GET /v1/sessions/s/messages HTTP/1.1", "Accept: application/x-ndjson") + b"\r\n")
            connection.recv(100)
            answer = server.get("/v1/sessions/s/messages", lines)
            same((answer.status, answer.headers["Retry-After"]), (503, "1"))
        until(lambda: server.get("/v1/sessions", lines).status == 200)
    with serving(settings="requests=1,workers=1") as server:
        fill(server, 3000, 10_000)
        busy = server.socket()
        busy.sendall(head(server, "GET /v1/export HTTP/1.1") + b"\r\n")
        seen = {server.get("/v1/stele/version").status for _ in range(200)}
        busy.close()
        if not seen <= {200, 503}:
            raise AssertionError(seen)


@test("deep and strange JSON is refused in words")
def _():
    with serving() as server:
        for body in ("[" * 1_000_000, '{"a":' * 100_000, '{"now":1e999}', '{"now":"\\ud800"}', '"\\u0000"', b"\xff\xfe", "{" * 10):
            answer = server.post("/v1/telemetry/create_session", body)
            same((answer.status, json.loads(answer.text)["method"]), (400, "telemetry.create_session"))
        alive(server)


if __name__ == "__main__":
    sys.exit(main())
