"""Events as they are sent: envelopes, and frames on the server's socket."""

import json
import os
import socket
import struct
import uuid

LARGEST = 10 << 20  # bytes of a frame's text


def shell(command="true", **data):
    """The data of a command."""
    return {"session_id": "11111111-2222-4333-8444-555555555555", "command": command, "exit_code": 0, "duration_ms": 5, "cwd": "/work",
            "hostname": "here", "shell": "Zsh", "stdout": None, "stderr": None, "env_snapshot": {}, "git_state": None,
            "redaction_count": 0, "tool_name": None, **data}


def envelope(data=None, kind="Shell", **members):
    return {"envelope_id": str(uuid.uuid4()), "producer_version": 1, "timestamp": "2026-01-31T12:00:00Z",
            "payload": {"type": kind, "data": shell() if data is None else data}, **members}


def request(kind, data=None):
    return {"type": kind, "data": data} if data is not None else {"type": kind}


def ingest(sent):
    return request("IngestEvent", sent)


def path_of(home):
    """Where the server of a home listens."""
    return os.path.join(os.path.realpath(home), "capture.sock")


class Client:
    """A connection to a server's socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def raw(self, data):
        self.socket.sendall(data)

    def send(self, value):
        text = json.dumps(value).encode()
        self.raw(struct.pack(">I", len(text)) + text)

    def receive(self):
        """The next answer; None: the server has closed."""
        head = self._bytes(4)
        return json.loads(self._bytes(struct.unpack(">I", head)[0])) if head else None

    def _bytes(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                return None
            data += part
        return data

    def ask(self, value):
        self.send(value)
        return self.receive()
