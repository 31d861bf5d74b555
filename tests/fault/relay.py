"""A relay between the library and PostgreSQL, in which the N-th request fails.

A request is what libpq waits for an answer to: the words a session begins with, a query, or the messages up to a Sync.  In which
way it fails is its kind:

    lost         it never comes to the server, and the connection ends
    unanswered   the server does it; the connection ends before a word of the answer has come
    halved       ... in the middle of the answer
    SQLSTATE     it comes to the server as a statement that fails with this state, in whatever transaction there is
"""

import contextlib
import os
import select
import shutil
import socket
import struct
import tempfile
import threading
import urllib.parse

STARTUP, CANCEL = b"", 80877102


class Closed(Exception):
    """One of the two sides has gone."""


def _read(sock, count):
    data = b""
    while len(data) < count:
        more = sock.recv(count - len(data))
        if not more:
            raise Closed
        data += more
    return data


def _message(sock):
    """(its type, all of its bytes)"""
    kind = _read(sock, 1)
    length = _read(sock, 4)
    return kind, kind + length + _read(sock, struct.unpack("!I", length)[0] - 4)


def _startup(sock):
    length = _read(sock, 4)
    return length + _read(sock, struct.unpack("!I", length)[0] - 4)


def _failing(state):
    """A query that fails so."""
    text = f"DO $$ BEGIN RAISE EXCEPTION 'the relay refuses' USING ERRCODE = '{state}'; END $$".encode() + b"\0"
    return b"Q" + struct.pack("!I", 4 + len(text)) + text


def _refusal(state):
    """What a server says that does not let somebody in."""
    fields = b"".join(kind + value + b"\0" for kind, value in
                      ((b"S", b"FATAL"), (b"V", b"FATAL"), (b"C", state.encode()), (b"M", b"the relay lets nobody in"))) + b"\0"
    return b"E" + struct.pack("!I", 4 + len(fields)) + fields


class Relay:
    """Between `with` and the end of its block; url() is where to connect instead."""

    def __init__(self, server):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(server).query)
        self.server = os.path.join(query["host"][0], f".s.PGSQL.{query['port'][0]}")
        self.lock = threading.Lock()
        self.disarm()

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="stele-", dir="/tmp")  # a socket's path is short
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.path.join(self.directory, ".s.PGSQL.5432"))
        self.listener.listen(50)
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()
        shutil.rmtree(self.directory)

    def url(self, server):
        """The same, through the relay."""
        parts = urllib.parse.urlsplit(server)
        query = urllib.parse.parse_qs(parts.query)
        rest = "".join(f"&{name}={value}" for name, [value] in query.items() if name not in ("host", "port"))
        return f"{parts.scheme}://{parts.netloc}{parts.path}?host={self.directory}&port=5432{rest}"

    # ---- Faults ----

    def arm(self, kind, n, persistent):
        with self.lock:
            self.kind, self.n, self.persistent, self.calls, self.fired = kind, n, persistent, 0, 0

    def disarm(self):
        """No more faults: how many requests there were, and how many failed."""
        with self.lock:
            counts = {"calls": getattr(self, "calls", 0), "fired": getattr(self, "fired", 0)}
            self.kind, self.n, self.persistent, self.calls, self.fired = None, 0, False, 0, 0
        return counts

    def _due(self):
        """The kind of fault that the present request meets; None: none."""
        with self.lock:
            self.calls += 1
            due = self.kind and (self.calls == self.n or self.persistent and self.calls > self.n)
            self.fired += bool(due)
            return self.kind if due else None

    # ---- Connections ----

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=[client], daemon=True).start()

    def _serve(self, client):
        with client, socket.socket(socket.AF_UNIX) as server, contextlib.suppress(Closed, OSError):
            server.connect(self.server)
            first = _startup(client)
            if struct.unpack("!I", first[4:8])[0] == CANCEL:
                server.sendall(first)
                return
            self._pass(client, server, STARTUP, first)
            while True:
                self._pass(client, server, *self._request(client, server))

    def _request(self, client, server):
        """(type of its last message, its bytes)"""
        if server in select.select([client, server], [], [])[0]:
            client.sendall(server.recv(65536))  # the server has ended the session, and says why
            raise Closed
        request = b""
        while True:
            kind, message = _message(client)
            request += message
            if kind in b"QSX":
                return kind, request

    def _pass(self, client, server, kind, request):
        if kind == b"X":
            server.sendall(request)
            raise Closed
        fault = self._due()
        if fault == "lost":
            raise Closed
        if fault in (None, "unanswered", "halved"):
            server.sendall(request)
        elif kind == STARTUP:
            client.sendall(_refusal(fault))
            raise Closed
        else:
            server.sendall(_failing(fault))
        self._answer(client, server, fault)

    def _answer(self, client, server, fault):
        whole, kind = b"", None
        while kind != b"Z":
            kind, message = _message(server)
            if fault in ("unanswered", "halved"):
                whole += message
            else:
                client.sendall(message)
        if fault == "halved":
            client.sendall(whole[:len(whole) // 2])
        if fault in ("unanswered", "halved"):
            raise Closed
