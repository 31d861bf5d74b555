#!/usr/bin/env python3
"""The host that browsers talk to: its frames, what it wants, what it makes of it, and where that goes.  Prints TAP."""

import json
import os
import struct
import sys
import uuid

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from capture.native import DOMAINS, NOW, Ear, Host, kept, visit  # noqa: E402
from cli.place import Place, has, main, same, test  # noqa: E402
from serve.server import Server  # noqa: E402

SPACE = uuid.UUID("8a3b7c01-d4e5-4f6a-9b2c-1e0fa85d3c7e")
MOST = 1 << 20


def data(request):
    """The visit in a request to the server."""
    same(request["type"], "IngestEvent")
    same(request["data"]["payload"]["type"], "Browser")
    return request["data"]["payload"]["data"]


def sent(message, **env):
    """What reaches the server of one message, and the host's answer."""
    with Place() as where, Ear(where.home) as ear:
        with Host(where, env={**DOMAINS, **env}) as host:
            answer = host.ask(message)
        same((host.status, host.err, kept(where)), (0, "", []))
    return answer, ear.heard


@test("a visit goes to the server as an envelope")
def _():
    answer, [request] = sent(visit())
    same(answer, {"status": "ok"})
    same(request, {"type": "IngestEvent", "data": {
        "envelope_id": str(uuid.uuid5(SPACE, f"https://docs.example.org/guide:{NOW // 60000 // 30}")),
        "producer_version": 1, "timestamp": "2027-01-15T08:00:00.000000+00:00", "payload": {"type": "Browser", "data": {
            "dwell_ms": 9000, "scroll_depth": 0.5, "url": "https://docs.example.org/guide", "domain": "docs.example.org",
            "title": "A guide", "extracted_text": "how it is done", "search_query": None, "referrer": None}}}})


@test("messages without a type, and many of them, are visits; the words of the browser are passed over")
def _():
    with Place() as where, Ear(where.home) as ear:
        with Host(where, words=["chrome-extension://abcdefghijklmnopabcdefghijklmnop/"]) as host:
            for number in range(20):
                same(host.ask({**visit(f"https://example.org/{number}"), **({"type": "visit"} if number % 2 else {})}), {"status": "ok"})
        same(host.status, 0)
    same([data(request)["url"] for request in ear.heard], [f"https://example.org/{number}" for number in range(20)])


@test("parameters, users and texts come without their secrets")
def _():
    _, [request] = sent(visit("https://bob:pw@example.org/a?Token=1&b=%20#sig=2", title="password" + "=aX9-k2pQ7z",
                              extracted_text="g" + "hp_0a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r",
                              referrer="https://www.google.com/search?q=how+to&key=3"))
    found = data(request)
    same(found["url"], "https://example.org/a?b=%20")
    same(found["title"], "password=[REDACTED]")
    same(found["extracted_text"], "[REDACTED]")
    same((found["referrer"], found["search_query"]), ("https://www.google.com/search?q=how+to", "how to"))


@test("a long text is cut to 51200 characters")
def _():
    _, [request] = sent(visit(extracted_text="é" * 60000))
    same(data(request)["extracted_text"], "é" * 51200)


@test("what is not wanted is filtered, and goes nowhere")
def _():
    for message, reason in ((visit("https://evil.test/"), "domain"), (visit("https://badexample.org/"), "domain"),
                            (visit("file:///etc/passwd"), "http"), (visit(dwell_ms=2999), "in view"),
                            (visit("https://mail.example.org/"), "excepted")):
        answer, heard = sent(message, STELE_BROWSER_EXCEPT="mail.example.org")
        same((answer["status"], heard), ("filtered", []))
        has(answer["reason"], reason)


@test("the settings say what is wanted")
def _():
    def status(message, **env):
        return sent(message, **env)[0]["status"]
    same(status(visit(), STELE_BROWSER_ENABLED="false"), "filtered")
    same(status(visit(), STELE_BROWSER_DOMAINS=""), "filtered")
    same(status(visit("https://EXAMPLE.org./")), "ok")
    same(status(visit(dwell_ms=500), STELE_BROWSER_MIN_DWELL="400ms"), "ok")
    same(status(visit(scroll_depth=0.1), STELE_BROWSER_MIN_SCROLL="15"), "filtered")
    same(status(visit(scroll_depth=0.1, dwell_ms=120000), STELE_BROWSER_MIN_SCROLL="15"), "ok")
    _, [request] = sent(visit("https://example.org/?a=1&key=2"), STELE_BROWSER_STRIP_PARAMS="a")
    same(data(request)["url"], "https://example.org/?key=2")


@test("visits of a page in the same half hour have one envelope")
def _():
    def envelope(**members):
        return sent(visit(**members))[1][0]["data"]["envelope_id"]
    first = envelope()
    same(envelope(timestamp=NOW + 1_799_999, dwell_ms=4000), first)
    assert envelope(timestamp=NOW + 1_800_000) != first
    assert envelope(url="https://docs.example.org/other") != first


@test("a probe goes through whatever the settings are")
def _():
    answer, [request] = sent(visit("https://probe.hippo.local/synthetic", dwell_ms=0, probe_tag="t1"), STELE_BROWSER_DOMAINS="")
    same((answer, request["data"]["probe_tag"]), ({"status": "ok"}, "t1"))
    same(request["data"]["envelope_id"], str(uuid.uuid5(SPACE, "probe:t1")))
    with Place() as where, Host(where) as host:
        same(host.ask(visit("https://probe.hippo.local/synthetic", probe_tag="t1"))["status"], "error")
        same(kept(where), [])


@test("a heartbeat is told to the server, and one that cannot be told is an error")
def _():
    message = {"type": "heartbeat", "extension_version": "1.0", "enabled_state": True, "sent_at_ms": NOW}
    answer, [request] = sent(message)
    same(answer, {"status": "ok"})
    same(request, {"type": "UpdateSourceHealthHeartbeat", "data": {"source": "browser", "ts": NOW}})
    with Place() as where, Host(where) as host:
        same(host.ask(message)["status"], "error")
        same(host.ask({"type": "heartbeat"})["status"], "error")


@test("the extension can ask who is here and what is wanted")
def _():
    answer, heard = sent({"type": "status"}, STELE_BROWSER_EXCEPT="mail.example.org")
    same({name: answer[name] for name in answer if name != "version"},
         {"status": "ok", "enabled": True, "domains": ["example.org", "127.0.0.1", "localhost"], "except": ["mail.example.org"],
          "min_dwell_ms": 3000})
    same(heard, [])


@test("what is no message is answered, and the next one is taken")
def _():
    with Place() as where, Ear(where.home) as ear:
        with Host(where) as host:
            for body in (b"", b"{", b"\xff", b"[1]", b"null", b'{"type":"other"}', b'{"type":7}'):
                host.send(body)
                same(host.receive()["status"], "error")
            for message in ({}, visit(url=7), visit(dwell_ms="long"), visit(timestamp=-1), visit(timestamp=None)):
                answer = host.ask(message)
                same((answer["status"], bool(answer["error"])), ("error", True))
            same(host.ask(visit()), {"status": "ok"})
        same((host.status, len(ear.heard)), (0, 1))


@test("a message of one MiB is taken, a longer one is refused and ends it")
def _():
    with Place() as where, Ear(where.home):
        with Host(where) as host:
            most = json.dumps(visit()).encode()
            host.send(most + b" " * (MOST - len(most)))
            same(host.receive(), {"status": "ok"})
            host.process.stdin.write(struct.pack("=I", MOST + 1))
            host.process.stdin.flush()
            answer = host.receive()
            same(answer["status"], "error")
            has(answer["error"], "1 MiB")
            same(host.receive(), None)
        same(host.status, 1)


@test("half a message ends it with an error")
def _():
    for piece in (b"\x05", struct.pack("=I", 5) + b"{"):
        with Place() as where:
            with Host(where) as host:
                host.process.stdin.write(piece)
            same(host.status, 1)


@test("while there is no server, a visit is kept in the fallback file, without its secrets")
def _():
    with Place() as where:
        with Host(where) as host:
            answer = host.ask(visit("https://example.org/?token=1"))
        same((answer["status"], "kept" in answer, host.status), ("ok", True, 0))
        [envelope] = kept(where)
        same(envelope["payload"]["data"]["url"], "https://example.org/")


@test("a visit that the server refuses is kept too")
def _():
    with Place() as where, Ear(where.home, {"type": "Error", "data": "not now"}):
        with Host(where) as host:
            same(host.ask(visit()), {"status": "ok", "kept": "not now"})
        same(len(kept(where)), 1)


@test("what can be kept nowhere is an error, not ok")
def _():
    with Place() as where:
        os.makedirs(where.home)
        with open(where.at("home", "fallback"), "w", encoding="utf-8"):
            pass  # a file where the directory should be
        with Host(where) as host:
            same(host.ask(visit())["status"], "error")


@test("the server stores a page once in its half hour, shows no probe, and knows when the extension was last there")
def _():
    with Place() as where, Server(where.home) as server:
        with Host(where) as host:
            for message in (visit(), visit(dwell_ms=60000, scroll_depth=1), visit("https://example.org/other"),
                            visit("https://probe.hippo.local/synthetic", probe_tag="t1"),
                            {"type": "heartbeat", "extension_version": "1.0", "enabled_state": True, "sent_at_ms": NOW}):
                same(host.ask(message), {"status": "ok"})
        rows = server.call("capture.get_browser_events")
        same([(row["url"], row["dwell_ms"]) for row in rows], [("https://example.org/other", 9000), ("https://docs.example.org/guide", 9000)])
        [health] = server.call("capture.list_source_health", source="browser")
        same(health["last_heartbeat_ts"], NOW)


@test("what was kept while there was no server is stored once by a replay")
def _():
    with Place() as where:
        with Host(where) as host:
            same((host.ask(visit())["status"], host.ask(visit())["status"]), ("ok", "ok"))
        same(len(kept(where)), 2)
        same(where.run("replay").status, 0)
        [row] = where.call("capture.get_browser_events").reply()
        same((row["url"], row["extracted_text"]), ("https://docs.example.org/guide", "how it is done"))


if __name__ == "__main__":
    sys.exit(main())
