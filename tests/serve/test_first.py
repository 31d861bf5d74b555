#!/usr/bin/env python3
"""`stele serve` as a new user meets it: with sessions to take in, with none, with files of other programs; on a terminal
and without one.  Prints TAP."""

import contextlib
import http.client
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cli.place import Place, has, lacks, main, same, test  # noqa: E402
from serve import agents  # noqa: E402
from serve.server import CLI, until  # noqa: E402

PLAIN = {"STELE_HOME": None}  # the usual home, below the user's directory
SESSIONS = 200


class Started:
    """The server of a place, with its output: on a terminal, or with stdout and stderr in one pipe each."""

    def __init__(self, place, *words, terminal=False, env={}):
        self.shown, self.place = "", place
        environment = place.environment({**PLAIN, "TMPDIR": place.path, **env})
        command = [CLI, "serve", "--port", "0", *words]
        if terminal:
            self.master, slave = pty.openpty()
            self.process = subprocess.Popen(command, env=environment, stdin=slave, stdout=slave, stderr=slave,
                                            start_new_session=True)
            os.close(slave)
        else:
            self.master, write = os.pipe()
            self.process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=write, stderr=write)
            os.close(write)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.rest()
        status = self.process.wait(60)
        os.close(self.master)
        if status not in (0, 1):
            raise AssertionError(f"the server ended with {status}: {self.shown}")

    def read(self, seconds=60):
        """False: there is nothing more."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            raise AssertionError(f"it said nothing more: {self.shown}")
        with contextlib.suppress(OSError):  # EIO: the other side is closed
            chunk = os.read(self.master, 65536)
            self.shown += chunk.decode(errors="replace")
            return bool(chunk)
        return False

    def rest(self):
        while self.read():
            pass

    def until(self, pattern):
        """Wait for what must be said."""
        while not (found := re.search(pattern, self.shown)):
            if not self.read():
                raise AssertionError(f"{pattern} was not said: {self.shown}")
        return found

    def answer(self, text):
        os.write(self.master, text.encode())

    def address(self):
        found = self.until(r"(http://127\.0\.0\.1:\d+)/(?:#token=(\w+))?[\s\x1b]")
        return found[1], found[2]

    def token(self):
        with open(self.place.at("user", ".local/share/stele/server.token"), encoding="utf-8") as file:
            return file.read().strip()


def get(address, path, token):
    host = urllib.parse.urlsplit(address).netloc
    connection = http.client.HTTPConnection(host, timeout=60)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def found(address, token, query):
    status, text = get(address, "/v1/search?" + urllib.parse.urlencode({"query": query}), token)
    same(status, 200)
    return json.loads(text)["items"]


def count(address, token):
    return json.loads(get(address, "/v1/conversation/session_count", token)[1])["count"]


def home_of_agents(place, sessions=SESSIONS):
    os.makedirs(place.at("user"), exist_ok=True)
    agents.make(place.at("user"), sessions)


@test("200 sessions, no terminal: the address, a search over HTTP that finds, and when it was possible")
def _():
    with Place() as place:
        home_of_agents(place)
        with Started(place) as server:
            address, token = server.address()
            same(token, None)  # not into a log
            until(lambda: found(address, server.token(), "widget7"))
            said = server.until(r"first search possible after (\d+\.\d) s")
            server.until(r"200 sessions with \d+ messages are here; new ones come in")
            same(count(address, server.token()), SESSIONS)
            print(f"# first search possible after {said[1]} s")
        with Started(place) as server:  # all is known already
            address, _ = server.address()
            server.until("200 sessions with")
            same(len(found(address, server.token(), "widget7")), 1)


@test("200 sessions on a terminal: the address with the token, progress, Ctrl-C")
def _():
    with Place() as place:
        home_of_agents(place)
        with Started(place, terminal=True) as server:
            address, token = server.address()
            same(token, server.token())
            until(lambda: found(address, token, "tuesdays"))
            server.until(r"first search possible after \d+\.\d s")
            server.until(r"200 sessions with \d+ messages are here")
            has(server.shown, "Ctrl-C stops it")
            lacks(server.shown, '"level"', "info:")
            same(get(address, "/", "")[0], 200)  # the dashboard itself needs none
            server.process.send_signal(signal.SIGINT)
            server.rest()
            same(server.process.wait(60), 0)


@test("stopped while it takes in, and started again: it goes on, and nothing is there twice")
def _():
    with Place() as place:
        home_of_agents(place)
        for terminal in (True, False):
            with Started(place, terminal=terminal) as server:
                server.address()
                server.process.send_signal(signal.SIGINT)
                server.rest()
                same(server.process.wait(60), 0)
        with Started(place) as server:
            address, _ = server.address()
            server.until("200 sessions with")
            same([len(found(address, server.token(), f"widget{n}")) for n in (0, 99, 199)], [1, 1, 1])


@test("the token is printed where it is asked for; as JSON; --quiet says only the address")
def _():
    with Place() as place:
        os.makedirs(place.at("user"))
        with Started(place, "--print-token") as server:
            same(server.address()[1], server.token())
        with Started(place, "--json", "--print-token") as server:
            said = server.until(r'\{"address":"(http://127\.0\.0\.1:\d+/#token=(\w+))"\}')
            same(said[2], server.token())
        with Started(place, "--quiet") as server:
            address, _ = server.address()
            until(lambda: '"what":"watch"' in get(address, "/v1/status", server.token())[1])
            time.sleep(0.5)  # longer than it would take to say it
        lacks(server.shown, "possible", "sessions are here")


@test("nothing to take in, on a terminal: a sample is offered, in a home that is gone afterwards")
def _():
    with Place() as place:
        os.makedirs(place.at("user"))
        with Started(place, terminal=True) as server:
            server.until(r"Look at a sample instead\? \[Y/n\] ")
            server.answer("\n")
            address, token = server.address()
            server.until("first search possible")
            hits = found(address, token, "locked sync")
            same({hit["session_id"] for hit in hits}, {"sample-sqlite-locked"})
            server.until("6 sessions with 49 messages")
            rows = json.loads(get(address, "/v1/sessions", token)[1])["items"]
            now = time.time()
            same(all(now - 9 * 86400 < row["started_at"] < now for row in rows), True)
        same([name for name in os.listdir(place.path) if name != "user"], [])
        same(os.listdir(place.at("user")), [])
        with Started(place, terminal=True) as server:
            server.until(r"Look at a sample instead")
            server.answer("n\n")
            address, token = server.address()
            server.until("no sessions are here yet")
            same(count(address, token), 0)
        with Started(place, terminal=True) as server:  # there is a store now: no question
            server.address()
            server.until("no sessions are here yet")
        lacks(server.shown, "sample instead")


@test("nothing to take in, without a terminal: no question; --sample chooses")
def _():
    with Place() as place:
        os.makedirs(place.at("user"))
        with Started(place) as server:
            server.until("--sample` shows some")
        with Started(place, "--sample", "--print-token") as server:
            address, token = server.address()
            same(len(found(address, token, "max_lifetime")) > 0, True)
            server.until("conversations that nobody had")
        same([name for name in os.listdir(place.path) if name.startswith("stele-sample")], [])


@test("--no-import leaves the sessions alone, and so does the configuration; import.except some")
def _():
    with Place() as place:
        home_of_agents(place, 3)
        for words in (["--no-import"], ["--set", "watch=off"], ["--set", "import.except=claude-code"]):
            with Started(place, *words) as server:
                address, _ = server.address()
                server.until("no sessions are here yet")
                same(count(address, server.token()), 0)
        with Started(place, "--set", "import.except=nobody") as server:
            server.until("harness nobody is not known")


@test("a port that is taken is told, with what to do")
def _():
    with Place() as place, socket.socket() as taken:
        os.makedirs(place.at("user"))
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for terminal in (False, True):
            with Started(place, "--no-import", "--port", port, terminal=terminal) as server:
                server.rest()
                same(server.process.wait(60), 1)
            has(server.shown, f"port {port} is in use", "--port 0", "stele config set serve.port")
            lacks(server.shown, "http://")


# ---- Files of other programs -----------------------------------------------------------------

def originals(place):
    """Files at their documented places; the conversation one is one that can be worked on."""
    user = place.at("user")
    paths = {name: os.path.join(user, path) for name, path in (
        ("Hermes", ".hermes/state.db"), ("hippo", ".local/share/hippo/hippo.db"),
        ("Hassette", ".local/share/hassette/hassette.db"), ("kiso", ".kiso/instances/one/store.db"))}
    for path in paths.values():
        os.makedirs(os.path.dirname(path))
    for name, path in paths.items():
        if name != "Hermes":
            with open(path, "wb") as file:
                file.write(b"theirs")
    subprocess.run([CLI, "--store", f"conversation={paths['Hermes']}", "call", "conversation.create_session",
                    '{"session_id":"h1","source":"cli"}'], env=place.environment(PLAIN), check=True, stdout=subprocess.DEVNULL)
    return paths


@test("files of the original programs are found and told, and not touched")
def _():
    with Place() as place:
        paths = originals(place)
        before = {name: open(path, "rb").read() for name, path in paths.items() if name != "Hermes"}
        with Started(place) as server:
            server.until("sessions? with|no sessions")
        has(server.shown, f"Hermes has {paths['Hermes']}", f"stele config set stores.conversation {paths['Hermes']}",
            f"Hassette has {paths['Hassette']}", f"stele config set stores.telemetry {paths['Hassette']}",
            f"hippo has {paths['hippo']}", "kiso has")
        for store in ("capture", "planner"):
            if f'stores.{store}"' not in place.run("config", "--json", env=PLAIN).out:
                has(server.shown, f"when it has a store {store}, which it has not yet")
        same({name: open(path, "rb").read() for name, path in paths.items() if name != "Hermes"}, before)
        same(os.path.exists(place.at("user", ".config")), False)


@test("on a terminal the first start asks about Hermes' file; a yes is kept in the configuration")
def _():
    with Place() as place:
        paths = originals(place)
        with Started(place, terminal=True) as server:
            server.until(r"Work on Hermes's own file .*\n?.*\[y/N\] ")
            server.answer("y\n")
            address, token = server.address()
            same([row["id"] for row in json.loads(get(address, "/v1/sessions", token)[1])["items"]], ["h1"])
        same(place.run("config", "get", "stores.conversation", env=PLAIN).out, paths["Hermes"] + "\n")
        with Started(place, terminal=True) as server:
            server.address()
        lacks(server.shown, "Hermes has", "[y/N]")


if __name__ == "__main__":
    sys.exit(main())
