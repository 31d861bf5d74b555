#!/usr/bin/env python3
"""Through PgBouncer: with a session for each client everything works; where sessions change hands between transactions, no statement reaches another
store's tables: it is refused.  Prints TAP."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
import postgres  # noqa: E402
from method import doors  # noqa: E402
from place import POSTGRES, Database, Place, has, main, postgres_test, same  # noqa: E402

PLAY = os.path.join(os.path.dirname(HERE), "method", "run.py")
CASES = ("assistant_raw_sql", "holds", "retention", "telemetry")  # roles, triggers, changes of tables, batches
STARTS = 5  # another process may take a port that was free

CONFIGURATION = """\
[databases]
* = host={host} port={port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
unix_socket_dir =
auth_type = trust
auth_file = {directory}/users
pool_mode = {mode}
default_pool_size = {size}
logfile = {directory}/log
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Pooler:
    """PgBouncer before the tests' server, on a port of its own."""

    def __init__(self, mode, size=20):
        self.mode, self.size = mode, size
        self.directory = self.process = self.port = None

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="stele-pool-", dir="/tmp")
        try:
            for _ in range(STARTS):
                if self._start():
                    return self
            with open(os.path.join(self.directory, "log"), encoding="utf-8", errors="replace") as log:
                raise RuntimeError(f"PgBouncer did not start:\n{log.read()}")
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _start(self):
        self.port = free_port()
        asked = urllib.parse.parse_qs(urllib.parse.urlsplit(POSTGRES).query)
        with open(os.path.join(self.directory, "ini"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(host=asked["host"][0], port=asked["port"][0], listen=self.port, directory=self.directory,
                                            mode=self.mode, size=self.size))
        with open(os.path.join(self.directory, "users"), "w", encoding="utf-8") as file:
            file.write('"postgres" ""\n')
        user = postgres._as_server_user(self.directory)  # pylint: disable=protected-access
        self.process = subprocess.Popen([*user, shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin"), "--quiet", "ini"], cwd=self.directory,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while self.process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return True
            time.sleep(0.02)
        return False

    def url(self, database="postgres"):
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"


@contextlib.contextmanager
def opened(place, url):
    with doors.Player() as player:
        player.open({"home": place.at("nowhere"), "database": url})
        yield player


def save(player, number):
    return player.call("planner.save_fact", json.dumps({"content": f"fact {number}", "source": "s"}))


@postgres_test("with a session for each client, methods, batches, locks and changes of tables work as without it")
def _():
    with Pooler("session") as pooler:
        for case in CASES:
            done = subprocess.run([sys.executable, PLAY, "--file", os.path.join(os.path.dirname(PLAY), case + ".txt"), "--door", "call", "--engine", "postgres"],
                                  env={**os.environ, "STELE_TEST_POSTGRES": pooler.url()}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            same((case, done.returncode, [line for line in done.stdout.split("\n") if line.startswith("not ok")]), (case, 0, []))


@postgres_test("with a session for each client, several write to different stores at once, and one after the other gets the same session")
def _():
    with Place() as place, Database() as database, Pooler("session", 4) as pooler:
        url = pooler.url(database.name)
        with opened(place, url) as one, opened(place, url) as other:
            for number in range(10):
                same(save(one, number)[0], "ok")
                same(other.call("conversation.create_session", json.dumps({"session_id": f"s{number}", "source": "cli"}))[0], "ok")
        for _ in range(6):  # the pooler's four sessions are used again, with nothing of who had them before
            with opened(place, url) as later:
                same(len(later.must("call", "planner.get_facts", "{}")), 10)


@postgres_test("where sessions change hands, whoever lost his is refused, and what was acknowledged is all there is")
def _():
    with Place() as place, Database() as database, Pooler("transaction", 1) as pooler:
        url, kept, refused = pooler.url(database.name), 0, 0
        with opened(place, database.url) as direct:
            direct.must("call", "planner.get_facts", "{}")
            direct.must("call", "conversation.find_sessions", "{}")
        with opened(place, url) as one, opened(place, url) as other:
            same(save(one, 0)[0], "ok")  # alone it has the session to itself
            for number in range(1, 12):
                word, reply = other.call("conversation.create_session", json.dumps({"session_id": f"s{number}", "source": "cli"}))
                if word == "error":
                    same(reply["code"], "UNSUPPORTED")
                word, reply = save(one, number)
                kept += word == "ok"
                if word == "error":
                    refused += 1
                    has(reply["message"], "pool_mode = session")
        same(refused > 0, True)
        with opened(place, database.url) as direct:
            same(len(direct.must("call", "planner.get_facts", "{}")), 1 + kept)


if __name__ == "__main__":
    sys.exit(main())
