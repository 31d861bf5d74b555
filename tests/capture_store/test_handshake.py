#!/usr/bin/env python3
"""File, server and worker that expect different versions do not work together; each of the five causes is told with its fix.  Prints TAP."""

import json
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from capture_store import versions  # noqa: E402
from capture_store.captured import SESSION, event, queue_test  # noqa: E402
from place import BIN, Place, digest, has, lacks, main, same, server_of, test  # noqa: E402

SERVE = ("serve", "--port", "0", "--no-import", "--set", "jobs=0,record=0")


def in_home(place, version):
    os.makedirs(place.home, mode=0o700, exist_ok=True)
    path = os.path.join(place.home, "capture.db")
    versions.make(path, version)
    return path


def line(place, *words):
    """The line about the versions: (state, the numbers, cause, fix); and what people see."""
    rows = json.loads(place.run("doctor", "capture", "--json", *words).out)
    [row] = [row for row in rows if row["check"] == "handshake"]
    shown = place.run("doctor", "capture", "--explain", *words).out
    has(shown, row["summary"])
    if row["state"] != "ok":
        has(shown, "CAUSE", row["cause"], "FIX", row["fix"], "DOC", "docs/doctor.md#handshake")
    return row["state"], row["summary"], row["cause"], row["fix"]


def expects(place, version, **more):
    return place.call("capture.handshake", {"worker": "brain", "expects": version, **more}).reply()


def refused(place):
    """The server does not start; what it said."""
    done = place.run(*SERVE)
    same(done.status, 1)
    return done.err


# ---- The five causes ---------------------------------------------------------------------------


@test("Stele was updated, the worker not yet")
def _():
    with Place() as place:
        same(expects(place, 17)["agree"], False)
        state, numbers, cause, fix = line(place)
        same((state, numbers), ("fail", "file 18, this program 18, no server, worker brain 17"))
        same(cause, "Stele was updated, the worker not yet")
        same(fix, "first `stele backup capture`; then update the worker brain and start it again")
        has(refused(place), "does not start", cause, fix)
        same(expects(place, 18)["agree"], True)  # it was updated
        same(line(place)[:2], ("ok", "file 18, this program 18, no server, worker brain 18"))


@test("the worker was updated, Stele not yet")
def _():
    with Place() as place:
        reply = expects(place, 19)
        same((reply["file"], reply["library"], reply["server"], reply["agree"], reply["cause"]),
             (18, 18, None, False, "the worker was updated, Stele not yet"))
        state, numbers, cause, fix = line(place)
        same((state, numbers, cause), ("fail", "file 18, this program 18, no server, worker brain 19", "the worker was updated, Stele not yet"))
        has(fix, "first `stele backup capture`", "update Stele")
        has(refused(place), cause)


@test("the file is of a higher version than the programs")
def _():
    with Place() as place:
        path = in_home(place, 19)
        before = digest(path)
        state, numbers, cause, fix = line(place)
        same((state, numbers), ("fail", "file 19, this program 18, no server, no worker"))
        has(cause, "versions only go forward")
        has(fix, "first keep a copy of", "newer Stele", "put back the backup")
        place.call("capture.handshake", {"worker": "brain", "expects": 19}, "--json").error(1, "FORMAT")
        same(digest(path), before)


@test("the file is of a lower version than the programs")
def _():
    with Place() as place:
        path = in_home(place, 12)
        state, numbers, cause, fix = line(place)
        same((state, numbers), ("warn", "file 12, this program 18, no server, no worker"))
        has(cause, "an older program made it")
        has(fix, "stele migrate capture", "after a backup")
        same(expects(place, 18)["agree"], True)
        same(line(place)[0], "ok")
        same(versions.counts(path), versions.EXPECTED[12])


@test("there is no file yet")
def _():
    with Place() as place:
        same(line(place)[:2], ("ok", "no file yet, this program 18, no server, no worker"))
        [row] = place.call("stele.handshake").reply()
        same((row["file"], row["discord"], row["refuses"], row["fix"]), (0, "fresh", False, "nothing: the first use makes it"))
        same(os.path.exists(place.home), False)


# ---- Who refuses -------------------------------------------------------------------------------


@test("a server does not migrate a file under a worker that expects the older version")
def _():
    with Place() as place:
        path = in_home(place, 12)
        with versions.opened(path) as db:
            db.execute("CREATE TABLE stele_workers (worker TEXT PRIMARY KEY, expects INTEGER, seen_at INTEGER)")
            db.execute("INSERT INTO stele_workers VALUES ('brain', 12, ?)", [time.time() * 1000])
        before = digest(path)
        has(refused(place), "Stele was updated, the worker not yet", "brain")
        same(digest(path), before)


@test("a worker that was not seen for ten minutes is no obstacle")
def _():
    with Place() as place:
        expects(place, 17, now=int((time.time() - 700) * 1000))
        [row] = place.call("stele.handshake").reply()
        same((row["worker"], row["refuses"], row["discord"]), (None, False, None))


@test("another server with another version holds the home")
def _():
    with Place() as place:
        place.call("capture.list_source_health").reply()
        for text, server in (("0.0.1 4711 capture=17\n", "server 17"), ("0.0.1 4711\n", "a server of another version")):
            with server_of(place.home, text):
                state, numbers, cause, fix = line(place)
                same((state, numbers), ("fail", f"file 18, this program 18, {server}, no worker"))
                has(fix, "first `stele backup capture`", "start the server again")
                has(refused(place), cause)
                same(expects(place, 18)["agree"], False)
                with versions.opened(os.path.join(place.home, "capture.db")) as db:
                    db.execute("DELETE FROM stele_workers")
        with server_of(place.home, "0.0.1 4711 capture=18\n"):
            same(line(place)[:2], ("ok", "file 18, this program 18, server 18, no worker"))


@test("a server tells its numbers")
def _():
    with Place() as place:
        place.call("capture.list_source_health").reply()
        process = subprocess.Popen([BIN, *SERVE], env=place.environment({}), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        try:
            for shown in process.stderr:
                if "listening on http" in shown:
                    break
            with open(os.path.join(place.home, "serve.pid"), encoding="utf-8") as file:
                has(file.read(), f" {process.pid} capture=18\n")
            same(line(place)[:2], ("ok", "file 18, this program 18, server 18, no worker"))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
            process.stderr.close()


@queue_test("a worker that expects another version claims nothing")
def _(store):
    store.sql(SESSION + event(1))
    for number, why in ((17, "Stele was updated"), (19, "the worker was updated")):
        word, reply = store.ask("claim", queue="shell", worker="w", expects=number)
        has(json.dumps(reply), "DENIED", f"w expects version {number}, and the store is of version 18", why)
    same(store.tickets("shell")[101][0], "pending")
    [ticket] = store.call("claim", queue="shell", worker="w", expects=18)
    same(ticket["id"], 101)
    same(store.call("handshake", worker="w", expects=18)["agree"], True)


@queue_test("what workers expect is read on each engine")
def _(store):
    reply = store.player.must("call", "capture.handshake", json.dumps({"worker": "w", "expects": 17}))
    same((reply["file"], reply["library"], reply["agree"]), (18, 18, False))
    store.player.must("call", "capture.handshake", json.dumps({"worker": "v", "expects": 18}))
    [row] = store.player.must("call", "stele.handshake", "{}")
    same((row["file"], row["worker"], row["discord"], row["refuses"]), (18, 17, "worker_older", True))
    store.player.must("call", "capture.handshake", json.dumps({"worker": "w", "expects": 18}))
    [row] = store.player.must("call", "stele.handshake", "{}")
    same((row["worker"], row["discord"], row["refuses"]), (18, None, False))
    lacks(json.dumps(row), "backup")


if __name__ == "__main__":
    sys.exit(main())
