#!/usr/bin/env python3
"""GET /pub/{token}/{file}: what sessions give out, and nothing else.  Prints TAP."""

import contextlib
import hashlib
import hmac
import json
import os
import random
import stat
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cli.place import has, main, same, test  # noqa: E402
from serve.server import CLI, Server  # noqa: E402


def put(path, data=b"x"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


@contextlib.contextmanager
def giving(settings="log_requests=1"):
    """A server, and the folder of its sessions: s/pub/a.txt among others."""
    with tempfile.TemporaryDirectory(prefix="stele-") as directory:
        sessions = os.path.join(directory, "sessions")
        put(os.path.join(sessions, "s", "pub", "a.txt"), b"of s")
        put(os.path.join(sessions, "s", "secret.txt"), b"not given out")
        put(os.path.join(sessions, "t", "pub", "a.txt"), b"of t")
        put(os.path.join(directory, "outside.txt"), b"not given out")
        with Server(os.path.join(directory, "home"), settings=f"{settings},pub={sessions}") as server:
            yield server, sessions


def link(server, session):
    return server.call("server.pub_link", session=session)["path"]


def get(server, path, verb="GET"):
    """Without a token, and the path as it stands; the answer with its bytes."""
    connection = server.connect()
    connection.putrequest(verb, path, skip_accept_encoding=True)
    connection.endheaders()
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer.status, answer.headers, data


@test("a file of a session, by whoever has the address: GET and HEAD, no other verb")
def _():
    with giving() as (server, _):
        for session in ("s", "t"):
            status, headers, data = get(server, link(server, session) + "a.txt")
            same((status, data), (200, f"of {session}".encode()))
            same((headers["Content-Type"], headers["X-Content-Type-Options"]), ("text/plain; charset=utf-8", "nosniff"))
            same((headers["Content-Disposition"], headers["Referrer-Policy"]), (None, "no-referrer"))
        status, headers, data = get(server, link(server, "s") + "a.txt", "HEAD")
        same((status, headers["Content-Length"], data), (200, "4", b""))
        for verb in ("POST", "PUT", "DELETE"):
            same(get(server, link(server, "s") + "a.txt", verb)[0], 405)
        same(server.get(link(server, "s") + "a.txt", {"Host": "evil.example"}).status, 403)


@test("the token is the HMAC-SHA256 of the session under server.key, which only its owner can read")
def _():
    with giving() as (server, sessions):
        path = os.path.join(server.home, "server.key")
        same((stat.S_IMODE(os.stat(path).st_mode), os.path.getsize(path)), (0o600, 32))
        with open(path, "rb") as file:
            key = file.read()
        wanted = f"/pub/{hmac.new(key, b's', hashlib.sha256).hexdigest()}/"
        same(link(server, "s"), wanted)
        told = subprocess.check_output([CLI, "--home", server.home, "token", "pub", "s"], text=True)
        has(told, wanted)
        server.stop()
        with Server(server.home, settings=f"pub={sessions}") as again:
            same(link(again, "s"), wanted)
        same([name for name in os.listdir(server.home) if name.startswith("server.key")], ["server.key"])


@test("a wrong token, a missing file, a folder: one and the same answer")
def _():
    with giving() as (server, sessions):
        os.mkdir(os.path.join(sessions, "s", "pub", "folder"))
        good, other = link(server, "s"), link(server, "never made")
        texts = set()
        for path in (good + "b.txt", good + "folder", good, good + ".", good[:-1], other + "a.txt", good[:-2] + "/a.txt", "/pub//a.txt",
                     "/pub/s/a.txt", "/pub/", "/pub/a.txt", f"/pub/{'0' * 64}/a.txt", f"/pub/{'0' * 6000}/a.txt", good.upper() + "a.txt",
                     good + "a.txt%00", good + "%zz", good + "x" * 300):
            status, _, data = get(server, path)
            if status != 404:
                raise AssertionError(f"{path}: {status}")
            if path.startswith("/pub/"):
                texts.add(data)
        same(len(texts), 1)


@test("nothing outside the pub folder is reached: dots, escapes, links, pipes")
def _():
    with giving() as (server, sessions):
        pub, good = os.path.join(sessions, "s", "pub"), link(server, "s")
        outside = os.path.join(os.path.dirname(sessions), "outside.txt")
        os.symlink(outside, os.path.join(pub, "link.txt"))
        os.symlink("a.txt", os.path.join(pub, "near.txt"))
        os.symlink("..", os.path.join(pub, "up"))
        os.mkfifo(os.path.join(pub, "pipe.txt"))
        os.symlink(os.path.join(sessions, "s"), os.path.join(sessions, "linked"))
        os.makedirs(os.path.join(sessions, "half"))
        os.symlink(os.path.join(sessions, "s"), os.path.join(sessions, "half", "pub"))
        for path in (good + "../secret.txt", good + "..%2fsecret.txt", good + "%2e%2e/secret.txt", good + "%2e%2e%2fsecret.txt",
                     good + "..", good + "%2e%2e", good + "up/secret.txt", good + "up%2fsecret.txt", good + "/etc/passwd",
                     good + "%2fetc%2fpasswd", good + "..%5csecret.txt", good + "../../t/pub/a.txt", good + "../pub/a.txt", good + "./a.txt",
                     good + "link.txt", good + "near.txt", good + "pipe.txt", link(server, "linked") + "a.txt",
                     link(server, "linked") + "secret.txt", link(server, "half") + "secret.txt"):
            status, _, data = get(server, path)
            if status != 404 or b"not given out" in data:
                raise AssertionError(f"{path}: {status} {data[:100]}")
        same(get(server, good + "a.txt")[0], 200)


@test("what a browser may show is shown, everything else is saved")
def _():
    with giving() as (server, sessions):
        for name, kind, shown in (("p.PNG", "image/png", True), ("n.md", "text/plain; charset=utf-8", True),
                                  ("v.svg", "application/octet-stream", False), ("h.html", "application/octet-stream", False),
                                  ("none", "application/octet-stream", False), ("ä b.json", "application/json", False)):
            put(os.path.join(sessions, "s", "pub", name))
            path = link(server, "s") + name.replace(" ", "%20").replace("ä", "%C3%A4")
            status, headers, _ = get(server, path)
            same((name, status, headers["Content-Type"], headers["Content-Disposition"], headers["X-Content-Type-Options"]),
                 (name, 200, kind, None if shown else "attachment", "nosniff"))


@test("a large file comes whole, and the server's memory does not grow with it; an empty one too")
def _():
    with giving() as (server, sessions):
        data = random.Random(1).randbytes(1 << 20) * 96
        put(os.path.join(sessions, "s", "pub", "big.bin"), data)
        put(os.path.join(sessions, "s", "pub", "empty.bin"), b"")

        def peak():
            with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
                return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
        before = peak()
        status, headers, got = get(server, link(server, "s") + "big.bin")
        same((status, headers["Content-Length"], got == data), (200, str(len(data)), True))
        if peak() - before > 48 << 10:
            raise AssertionError(f"the server grew by {peak() - before} KiB")
        same(get(server, link(server, "s") + "empty.bin")[::2], (200, b""))


@test("many sessions: each is found")
def _():
    with giving() as (server, sessions):
        for number in range(1200):
            put(os.path.join(sessions, f"n{number}", "pub", "a"), str(number).encode())
        for number in (0, 601, 1199):
            same(get(server, link(server, f"n{number}") + "a")[::2], (200, str(number).encode()))


@test("the address, which is a secret, is in no log and no audit")
def _():
    with giving("log_requests=1,audit=on") as (server, _):
        path = link(server, "s")
        get(server, path + "a.txt")
        get(server, path + "none.txt")
        server.stop()
        told = "".join(server.lines)
        has(told, "GET /pub 200", "GET /pub 404")
        audit = os.path.join(server.home, "audit")
        for name in os.listdir(audit):
            with open(os.path.join(audit, name), encoding="utf-8") as file:
                told += file.read()
        same(path.split("/")[2] in told, False)


@test("without --set pub there is nothing at /pub/; a folder or a key that cannot be ends the start")
def _():
    with tempfile.TemporaryDirectory(prefix="stele-") as directory:
        home = os.path.join(directory, "home")
        with Server(home) as server:
            same(get(server, link(server, "s") + "a.txt")[0], 404)

        def refused(setting, told, status=1):
            done = subprocess.run([CLI, "--home", home, "serve", "--port", "0", "--set", setting], text=True,
                                  stderr=subprocess.PIPE, timeout=60)
            same((done.returncode, "listening" in done.stderr), (status, False))
            has(done.stderr, told)
        refused(f"pub={directory}/nowhere", "nowhere cannot be read")
        refused("pub", "--set must be KEY=VALUE, not pub", 2)
        put(os.path.join(home, "server.key"), b"short")
        refused(f"pub={directory}", "is not a key of 32 bytes")


@test("where no key can be read or kept, no address is given out")
def _():
    with tempfile.TemporaryDirectory(prefix="stele-") as home:
        def refused(home, code, told):
            done = subprocess.run([CLI, "--home", home, "call", "server.pub_link", '{"session":"s"}', "--json"], text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            error = json.loads(done.stderr)["error"]
            same((done.stdout, error["code"]), ("", code))
            has(error["message"], told)
        key = os.path.join(home, "server.key")
        refused(":memory:", "INVALID", "there is no home to keep the server's key in")
        os.mkdir(key)
        refused(home, "IO", "server.key cannot be read: Is a directory")
        os.rmdir(key)
        os.symlink(os.path.join(home, "elsewhere"), key)
        refused(home, "IO", "server.key cannot be read: Too many levels of symbolic links")
        same(os.path.lexists(os.path.join(home, "elsewhere")), False)
        os.remove(key)
        put(key, b"x" * 33)
        refused(home, "CORRUPT", "is not a key of 32 bytes")


if __name__ == "__main__":
    sys.exit(main())
