"""The real server on a port of its own, and a client of it."""

import collections
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

CLI = os.environ.get("STELE_TEST_CLI", "")
QUIET = "jobs=0,record=0"  # nothing but what a test asks for

Answer = collections.namedtuple("Answer", "status headers text")


class Server:
    """Started when made; `stop` waits for its end."""

    def __init__(self, home, *options, settings="", env=None):
        self.home = home
        self.lines = []
        words = [CLI, "--home", home, *options, "serve", "--port", "0",
                 "--set", ",".join(part for part in (QUIET, settings) if part)]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        text=True, env={**os.environ, **(env or {})})
        self.port = self._port()
        self.token = self._token()
        self.connection = None
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _port(self):
        for line in self.process.stderr:
            self.lines.append(line)
            found = re.search(r"listening on http://[^:]*:(\d+)", line)
            if found:
                return int(found[1])
        raise AssertionError(f"the server ended with {self.process.wait()}: {''.join(self.lines)}")

    def _token(self):
        with open(os.path.join(self.home, "server.token"), encoding="utf-8") as file:
            return file.read().strip()

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.connection:
            self.connection.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(60)
        self.reader.join(10)
        self.process.stderr.close()
        if status not in (0, -signal.SIGKILL):
            raise AssertionError(f"the server ended with {status}: {''.join(self.lines[-20:])}")

    def kill(self):
        self.process.kill()
        self.process.wait()

    # ---- Requests ----

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def socket(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def request(self, verb, path, body=None, headers=None, token=None):
        """On the kept connection, anew if the server closed it."""
        sent = {"Authorization": f"Bearer {token or self.token}", **(headers or {})}
        sent = {name: value for name, value in sent.items() if value is not None}
        if self.connection is None:
            self.connection = self.connect()
        data = body.encode() if isinstance(body, str) else body
        try:
            self.connection.request(verb, path, data, sent)
            answer = self.connection.getresponse()
        except (ConnectionError, http.client.BadStatusLine):
            self.connection.close()
            self.connection.request(verb, path, data, sent)
            answer = self.connection.getresponse()
        text = answer.read().decode()
        return Answer(answer.status, answer.headers, text)

    def post(self, path, body="", headers=None, token=None):
        return self.request("POST", path, body, headers, token)

    def get(self, path, headers=None, token=None):
        return self.request("GET", path, None, headers, token)

    def call(self, method, **args):
        answer = self.post("/v1/" + method.replace(".", "/", 1), json.dumps(args))
        if answer.status != 200:
            raise AssertionError(f"{method} {args}: {answer.status} {answer.text}")
        return json.loads(answer.text)


class Local(http.client.HTTPConnection):
    """Through a unix socket."""

    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


@contextlib.contextmanager
def serving(*options, settings="", env=None):
    """A server with a home of its own, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="stele-") as directory:
        with Server(os.path.join(directory, "home"), *options, settings=settings, env=env) as server:
            yield server


def methods():
    """The registry, as the command line tells it."""
    return json.loads(subprocess.check_output([CLI, "methods", "--json"], text=True))


def pages(server, path, column="id"):
    """A resource in pages of two: a column of its rows, page by page."""
    found, cursor = [], ""
    while True:
        answer = server.get(f"{path}{'&' if '?' in path else '?'}limit=2{cursor}")
        assert answer.status == 200, (path, answer.text)
        reply = json.loads(answer.text)
        found.append([row[column] for row in reply["items"]])
        if not reply["next"]:
            return found
        cursor = f"&cursor={reply['next']}"


def until(condition, seconds=120):
    """Wait for what must come; how long it takes does not matter."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it did not come")
        time.sleep(0.01)
