"""What the tests of the command line share: a place of their own to run the program in, and TAP.

The program is the one that STELE_BIN (or, from Meson, STELE_TEST_CLI) names.  STELE_TEST_POSTGRES names a
PostgreSQL server, unless STELE_WITHOUT_POSTGRES=1 says that the program was built without it.
"""

import base64
import contextlib
import fcntl
import hashlib
import json
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
import textwrap
import time
import urllib.parse

BIN = os.environ.get("STELE_BIN") or os.environ.get("STELE_TEST_CLI")
POSTGRES = os.environ.get("STELE_TEST_POSTGRES")
WITHOUT_POSTGRES = os.environ.get("STELE_WITHOUT_POSTGRES") == "1"
SANITIZED = os.environ.get("STELE_TEST_SANITIZED") == "1"
SOME_KEY = base64.urlsafe_b64encode(bytes(range(32))).decode()  # of a vault

LISTENER = {"app_key": "kitchen", "instance_index": 0, "handler_method": "on_light", "topic": "light.on",
            "source_location": "kitchen.py:42"}
F_OFD_SETLK = 37
TESTS = []


def test(name):
    def keep(function):
        TESTS.append((name, function))
        return function
    return keep


def some(many):
    """All of them; where a sanitizer watches, and a process takes four times as long, every fourth."""
    return list(many)[::4 if SANITIZED else 1]


def same(got, wanted):
    if got != wanted:
        raise AssertionError(f"got\n{got!r}\ninstead of\n{wanted!r}")


def has(text, *parts):
    for part in parts:
        if part not in text:
            raise AssertionError(f"{part!r} is not in\n{text}")


def lacks(text, *parts):
    for part in parts:
        if part in text:
            raise AssertionError(f"{part!r} is in\n{text}")


class Done:
    """How a run of the program ended."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return f"status {self.status}\nstdout: {self.out}\nstderr: {self.err}"

    def reply(self):
        """The JSON on stdout of a call that went well, with nothing on stderr."""
        same((self.status, self.err), (0, ""))
        same(self.out.count("\n"), 1)
        return json.loads(self.out)

    def error(self, status, code=None, **members):
        """The JSON on stderr of a call that did not, with nothing on stdout."""
        same((self.status, self.out), (status, ""))
        same(self.err.count("\n"), 1)
        found = json.loads(self.err)
        same(list(found), ["error"])
        same(list(found["error"]), ["code", "method", "field", "message", "hint"])
        if code:
            same(found["error"]["code"], code)
        for name, value in members.items():
            same(found["error"][name], value)
        return found["error"]


class Place:
    """A directory of the test's own: the user's (HOME), the home of the stores, and whatever else."""

    def __enter__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="stele-cli-")
        self.path = self._directory.name
        self.home = self.at("home")
        return self

    def __exit__(self, *_):
        self._directory.cleanup()

    def at(self, *names):
        return os.path.join(self.path, *names)

    def environment(self, env):
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("STELE_", "XDG_", "PG", "LC_")) and name not in ("NO_COLOR", "COLUMNS", "LANG")}
        kept.update({"HOME": self.at("user"), "STELE_HOME": self.home, "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "xterm",
                     "PAGER": "cat"})
        kept.update(env)
        return {name: value for name, value in kept.items() if value is not None}

    def run(self, *words, stdin=subprocess.DEVNULL, text=None, env={}, **more):
        """Run the program.  A value of None takes a variable out of its environment."""
        given = {"input": text} if text is not None else {"stdin": stdin}
        done = subprocess.run([BIN, *words], env=self.environment(env), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=60, **given, **more)
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def call(self, method, args=None, *words, **more):
        return self.run("call", method, *([] if args is None else [json.dumps(args)]), *words, **more)

    def telemetry(self, *words, **more):
        """What status tells of the telemetry store."""
        [row] = [row for row in self.run("status", "--json", *words, **more).reply() if row["store"] == "telemetry"]
        return row

    def listener(self):
        """A session and a listener: (session_id, listener_id)."""
        return (self.call("telemetry.create_session").reply()["session_id"],
                self.call("telemetry.register_listener", LISTENER).reply()["listener_id"])

    def listing(self):
        """Every path below the directory with what is in it."""
        found = {}
        for directory, names, files in os.walk(self.path):
            for name in names:
                found[os.path.join(directory, name)] = "directory"
            for name in files:
                found[os.path.join(directory, name)] = digest(os.path.join(directory, name))
        return found


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def in_terminal(place, *words, columns=80, env={}):
    """Run with stdout and stderr on a terminal of that width: (status, all it showed)."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
    process = subprocess.Popen([BIN, *words], env=place.environment(env), stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    os.close(slave)
    shown = b""
    with contextlib.suppress(OSError):  # EIO: the other side is closed
        while chunk := os.read(master, 65536):
            shown += chunk
    os.close(master)
    return process.wait(60), shown.decode().replace("\r\n", "\n")


@contextlib.contextmanager
def server_of(home, text):
    """As if a server ran on that home: serve.pid with that text, and locked."""
    path = os.path.join(home, "serve.pid")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        fcntl.fcntl(file, F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0))
        yield
    os.remove(path)


class Database:
    """A database of the test's own on the server."""

    def __enter__(self):
        self.name = f"cli_{os.getpid()}_{time.monotonic_ns()}"
        self._sql(f"CREATE DATABASE {self.name}")
        parts = urllib.parse.urlsplit(POSTGRES)
        self.url = f"{parts.scheme}://{parts.netloc}/{self.name}" + (f"?{parts.query}" if parts.query else "")
        return self

    def __exit__(self, *_):
        self._sql(f"DROP DATABASE {self.name} WITH (FORCE)")

    def _sql(self, sql):
        subprocess.run(["psql", "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "-c", sql, POSTGRES], check=True,
                       stdout=subprocess.DEVNULL)

    def run(self, *statements):
        """What they answer, as text."""
        command = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "-v", "ON_ERROR_STOP=1", self.url]
        return subprocess.run([*command, *(word for sql in statements for word in ("-c", sql))], check=True, stdout=subprocess.PIPE).stdout.decode().strip()

    def schema(self, name):
        return self.url + ("&" if "?" in self.url else "?") + f"schema={name}"


def postgres_test(name):
    return test(name) if not WITHOUT_POSTGRES else lambda function: function


def engines(name):
    """A test of a place and the options that name its database, on both engines."""
    def keep(function):
        @test(f"{name} (SQLite)")
        def _():
            with Place() as place:
                function(place, ())

        if not WITHOUT_POSTGRES:
            @test(f"{name} (PostgreSQL)")
            def _():
                with Place() as place, Database() as database:
                    function(place, ("--database", database.url))
    return keep


def main():
    if not BIN:
        print("Bail out! STELE_BIN does not name the program")
        return 1
    if not POSTGRES and not WITHOUT_POSTGRES:
        print("Bail out! STELE_TEST_POSTGRES names no server, and STELE_WITHOUT_POSTGRES is not 1")
        return 1
    print(f"1..{len(TESTS)}")
    failures = 0
    for number, (name, function) in enumerate(TESTS, start=1):
        try:
            function()
            print(f"ok {number} - {name}")
        except Exception as error:  # a test that breaks has failed
            failures += 1
            print(f"not ok {number} - {name}")
            print(textwrap.indent(f"{type(error).__name__}: {error}", "# ", lambda line: True))
        sys.stdout.flush()
    return 1 if failures else 0
