#!/usr/bin/env python3
"""The socket at which the server takes events: frames, requests, limits, who may send.  Prints TAP."""

import json
import os
import socket
import stat
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from capture import frames  # noqa: E402
from capture.frames import Client, envelope, ingest, request, shell  # noqa: E402
from check import tap  # noqa: E402
from serve.server import Server, serving, until  # noqa: E402

ACK = {"type": "Ack"}


def client(server):
    return Client(frames.path_of(server.home))


def expect(what, got, wanted):
    if got != wanted:
        yield f"{what}: {got!r}, not {wanted!r}"


def commands(server):
    return [row["command"] for row in server.call("capture.get_events", limit=1000)]


@tap.case
def _():
    """an event is acknowledged when it is stored, and once only"""
    sent = envelope(shell("make test"))
    with serving() as server, client(server) as one:
        yield from expect("the answer", one.ask(ingest(sent)), ACK)
        yield from expect("stored", commands(server), ["make test"])
        yield from expect("again", one.ask(ingest(sent)), ACK)
        yield from expect("still", commands(server), ["make test"])
        status = one.ask(request("GetStatus"))
        yield from expect("status", status["type"], "Status")
        told = {name: status["data"][name] for name in ("events_stored", "events_duplicate", "drop_count", "connections")}
        yield from expect("counts", told, {"events_stored": 1, "events_duplicate": 1, "drop_count": 0, "connections": 1})
        metrics = server.get("/metrics").text
        if "stele_events_stored_total 1\n" not in metrics:
            yield "the metrics do not tell it"


@tap.case
def _():
    """many requests in one piece are answered in their order, bytes that come one by one too"""
    first, second = envelope(shell("first")), envelope(shell("second"))
    with serving() as server, client(server) as one:
        texts = [json.dumps(value).encode() for value in
                 (ingest(first), ingest({"envelope_id": "no"}), request("GetEvents", {"limit": 1}), ingest(second))]
        one.raw(b"".join(struct.pack(">I", len(text)) + text for text in texts))
        yield from expect("types", [one.receive()["type"] for _ in texts], ["Ack", "Error", "Events", "Ack"])
        text = json.dumps(ingest(envelope(shell("slow")))).encode()
        for byte in struct.pack(">I", len(text)) + text:
            one.raw(bytes([byte]))
        yield from expect("byte by byte", one.receive(), ACK)
        yield from expect("stored", sorted(commands(server)), ["first", "second", "slow"])


@tap.case
def _():
    """what was stored is without secrets"""
    secret = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
    data = shell(f"curl -H 'Authorization: Bearer {secret}'", stdout={"content": secret, "truncated": False, "original_bytes": 40},
                 stderr={"content": secret, "truncated": False, "original_bytes": 40}, env_snapshot={"EDITOR": f"x {secret}"})
    with serving() as server, client(server) as one:
        yield from expect("the answer", one.ask(ingest(envelope(data))), ACK)
        row = server.call("capture.get_events")[0]
        if secret in json.dumps(row) or row["redaction_count"] < 3:
            yield f"{row}"


@tap.case
def _():
    """the other requests"""
    with serving() as server, client(server) as one:
        one.ask(ingest(envelope(shell("ls", cwd="/src/stele"))))
        sessions = one.ask(request("GetSessions", {"since_ms": 0, "limit": 5}))
        yield from expect("sessions", (sessions["type"], len(sessions["data"])), ("Sessions", 1))
        number = sessions["data"][0]["id"]
        events = one.ask(request("GetEvents", {"session_id": number, "since_ms": None, "project": "stele"}))
        yield from expect("events", [row["command"] for row in events["data"]], ["ls"])
        yield from expect("of another project", one.ask(request("GetEvents", {"project": "no"}))["data"], [])
        server.call("capture.upsert_entity", type="tool", name="ls")
        entities = one.ask(request("GetEntities", {"entity_type": "tool"}))
        yield from expect("entities", (entities["type"], [row["name"] for row in entities["data"]]), ("Entities", ["ls"]))
        found = one.ask(request("RawQuery", {"text": "LS"}))
        yield from expect("found", (found["type"], len(found["data"])), ("QueryResult", 1))
        yield from expect("watch", one.ask(request("RegisterWatchSha", {"sha": "abc", "repo": "a/b", "ttl_secs": 60})), ACK)
        yield from expect("watched", [row["sha"] for row in server.call("capture.list_watched")], ["abc"])
        yield from expect("beat", one.ask(request("UpdateSourceHealthHeartbeat", {"source": "browser", "ts": 1234})), ACK)
        health = server.call("capture.list_source_health", source="browser")
        yield from expect("heartbeat", health[0]["last_heartbeat_ts"], 1234)
        for kind, data, words in (("UpdateSourceHealthHeartbeat", {"source": "nobody", "ts": 1}, "source must be one of"),
                                  ("RegisterWatchSha", {}, "needs sha"), ("GetEvents", {"limit": 0}, "limit"), ("Shutdown", None, "not served"),
                                  ("IngestEvent", None, "there is no request"), ("Nonsense", {}, "there is no request")):
            answer = one.ask(request(kind, data))
            if answer["type"] != "Error" or words not in answer["data"]:
                yield f"{kind} {data}: {answer}"
        yield from expect("alive", one.ask(request("GetStatus"))["type"], "Status")


@tap.case
def _():
    """an envelope that cannot be kept is refused, and counted; the connection goes on"""
    bad = [{}, envelope(kind="FsChange"), envelope(kind="Raw"), envelope({"command": "x"}), envelope(shell(exit_code="one")),
           envelope(shell(env_snapshot=[1])), {**envelope(), "timestamp": "yesterday"}]
    with serving() as server, client(server) as one:
        for sent in bad:
            answer = one.ask(ingest(sent))
            if answer["type"] != "Error":
                yield f"{sent}: {answer}"
        yield from expect("a good one", one.ask(ingest(envelope())), ACK)
        yield from expect("drops", one.ask(request("GetStatus"))["data"]["drop_count"], len(bad))
        yield from expect("stored", commands(server), ["true"])


@tap.case
def _():
    """what is no JSON ends the connection with an error, and nothing else"""
    with serving() as server:
        for text in (b"{", b"", b"7", b"[]", b'{"type":7}', b'{"data":{}}', b"\xff\xfe", b'{"type":"GetStatus"} x'):
            with client(server) as one:
                one.raw(struct.pack(">I", len(text)) + text)
                answer = one.receive()
                if not answer or answer["type"] != "Error" or one.receive() is not None:
                    yield f"{text}: {answer}"
        with client(server) as one:
            yield from expect("others are served", one.ask(ingest(envelope())), ACK)


@tap.case
def _():
    """a frame has at most 10 MiB"""
    with serving() as server:
        with client(server) as one:
            one.raw(struct.pack(">I", frames.LARGEST + 1))
            answer = one.receive()
            if answer["type"] != "Error" or "10 MiB" not in answer["data"] or one.receive() is not None:
                yield f"{answer}"
        with client(server) as one:
            sent = ingest(envelope(shell("x")))
            sent["padding"] = "y" * (frames.LARGEST - len(json.dumps({**sent, "padding": ""})))
            yield from expect("the largest", one.ask(sent), ACK)
        with client(server) as one:
            one.raw(struct.pack(">I", 0xFFFFFFFF) + b"x" * 100)
            yield from expect("very large", one.receive()["type"], "Error")


@tap.case
def _():
    """clients that go away, in a frame or before their answer, harm nobody"""
    with serving() as server:
        for data in (b"\0", b"\0\0\0\x10half"):
            with client(server) as one:
                one.raw(data)
        with client(server) as one:
            one.send(ingest(envelope(shell("gone"))))
        with client(server) as one:
            one.send(ingest(envelope(shell("half closed"))))
            one.socket.shutdown(socket.SHUT_WR)
            yield from expect("answered all the same", one.receive(), ACK)
        until(lambda: sorted(commands(server)) == ["gone", "half closed"])
        with client(server) as one:
            until(lambda: one.ask(request("GetStatus"))["data"]["connections"] == 1)


@tap.case
def _():
    """a client that takes no answers is no longer read from; others are served"""
    with serving() as server, client(server) as greedy:
        for number in range(30):
            greedy.ask(ingest(envelope(shell("x" * 100000 + str(number)))))
        text = json.dumps(request("GetEvents", {"limit": 1000})).encode()
        frame = struct.pack(">I", len(text)) + text
        greedy.socket.setblocking(False)
        sent = 0
        try:
            while sent < 64 << 20:
                sent += greedy.socket.send(frame * 1000)
        except BlockingIOError:
            pass
        if sent >= 64 << 20:
            yield "it was read from for ever"
        with client(server) as one:
            yield from expect("others", one.ask(ingest(envelope())), ACK)


@tap.case
def _():
    """many large answers are given one after another, as they are taken"""
    with serving() as server, client(server) as one:
        for number in range(10):
            one.ask(ingest(envelope(shell("x" * 100000 + str(number)))))
        for _ in range(20):
            one.send(request("GetEvents"))
        one.send(request("GetStatus"))
        yield from expect("answers", [len(one.receive()["data"]) for _ in range(20)], [10] * 20)
        yield from expect("the last", one.receive()["type"], "Status")


@tap.case
def _():
    """a request that does not come to its end is given up"""
    with serving(settings="request=1s") as server, client(server) as one:
        one.raw(b"\0\0\0\x10half")
        yield from expect("closed", one.receive(), None)


@tap.case
def _():
    """only the user's own: the socket is private, and gone when the server ends"""
    with serving() as server:
        path = frames.path_of(server.home)
        mode = os.stat(path).st_mode
        if not stat.S_ISSOCK(mode) or mode & 0o077:
            yield f"its mode is {mode:o}"
        if os.geteuid() == 0:  # another user, whom the socket's mode would let in
            os.chmod(path, 0o777)
            os.chmod(server.home, 0o755)
            code = ("import os,socket,sys\nos.setuid(65534)\ns=socket.socket(socket.AF_UNIX)\ns.settimeout(60)\ns.connect(sys.argv[1])\n"
                    "sys.exit(0 if s.recv(1) == b'' else 1)")
            place, name = os.path.split(path)  # from inside: what is above is closed to that user
            if subprocess.run([sys.executable, "-c", code, name], cwd=place, check=False).returncode != 0:
                yield "another user is served"
        server.stop()
        if os.path.exists(path):
            yield "it is still there"


@tap.case
def _():
    """a socket that a dead server left is replaced, a living one's is not"""
    with tempfile.TemporaryDirectory() as directory:
        home = os.path.join(directory, "home")
        first = Server(home)
        first.kill()
        first.reader.join()
        first.process.stderr.close()
        if not os.path.exists(frames.path_of(home)):
            yield "the killed server left no socket"
        with Server(home) as second:
            with client(second) as one:
                yield from expect("the new one", one.ask(ingest(envelope())), ACK)
            with Server(home) as third:
                if not any("another server" in line for line in third.lines):
                    yield "the third does not tell"
            with client(second) as one:
                yield from expect("still the second's", one.ask(request("GetStatus"))["data"]["events_stored"], 1)


@tap.case
def _():
    """a home with a long path has its socket elsewhere, and it can be switched off"""
    with tempfile.TemporaryDirectory() as directory:
        home = os.path.join(directory, "h" * 120)
        with Server(home) as server:
            runtime = f"/run/user/{os.getuid()}"
            place = runtime if os.path.isdir(runtime) else "/tmp"
            found = [name for name in os.listdir(place) if name.startswith(f"stele-{os.getuid()}-") and name.endswith(".sock")]
            answers = []
            for name in found:
                try:
                    with Client(os.path.join(place, name)) as one:
                        answers.append(one.ask(request("GetStatus"))["data"]["version"])
                except ConnectionRefusedError:
                    pass
            if not answers or os.path.exists(frames.path_of(home)):
                yield f"found {found}"
            server.stop()
        with Server(os.path.join(directory, "off"), settings="ingest=off") as server:
            if os.path.exists(frames.path_of(server.home)):
                yield "there is a socket all the same"


if __name__ == "__main__":
    tap.main()
