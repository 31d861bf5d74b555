"""A browser's side of native messaging, and the server's side of the socket."""

import contextlib
import json
import os
import socket
import struct
import subprocess
import threading

from cli import place

DOMAINS = {"STELE_BROWSER_DOMAINS": "example.org,127.0.0.1,localhost"}
NOW = 1_800_000_000_000


def visit(url="https://docs.example.org/guide", **members):
    """What the extension tells of a page."""
    return {"url": url, "title": "A guide", "domain": "docs.example.org", "dwell_ms": 9000, "scroll_depth": 0.5,
            "extracted_text": "how it is done", "referrer": "", "timestamp": NOW, **members}


class Host:
    """A host that runs; `ask` says something and answers what it answers."""

    def __init__(self, where, words=(), env=DOMAINS):
        self.process = subprocess.Popen([place.BIN, "native-messaging-host", *words], env=where.environment(env),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.status = self.process.wait(60)
        self.err = self.process.stderr.read().decode()
        for pipe in (self.process.stdout, self.process.stderr):
            pipe.close()

    def send(self, body):
        self.process.stdin.write(struct.pack("=I", len(body)) + body)
        self.process.stdin.flush()

    def receive(self):
        """The next answer; None: it says no more."""
        head = self.process.stdout.read(4)
        return json.loads(self.process.stdout.read(struct.unpack("=I", head)[0])) if head else None

    def ask(self, message):
        self.send(json.dumps(message).encode())
        return self.receive()


class Ear:
    """Stands in the server's place: takes what is sent to the socket of a home, and acknowledges it, or answers otherwise."""

    def __init__(self, home, answer={"type": "Ack"}):
        os.makedirs(home, exist_ok=True)
        self.heard, self.answer = [], answer
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.path.join(home, "capture.sock"))
        self.listener.listen()
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join(60)
        self.listener.close()

    def _listen(self):
        with contextlib.suppress(OSError):  # it was closed
            while True:
                connection, _ = self.listener.accept()
                with connection, connection.makefile("rwb") as stream:
                    while head := stream.read(4):
                        self.heard.append(json.loads(stream.read(struct.unpack(">I", head)[0])))
                        body = json.dumps(self.answer).encode()
                        stream.write(struct.pack(">I", len(body)) + body)
                        stream.flush()


def kept(where):
    """The envelopes in the fallback files of a home."""
    directory = os.path.join(where.home, "fallback")
    lines = []
    for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            lines += [json.loads(line) for line in file]
    return lines
