#!/usr/bin/env python3
"""Ten thousand events from many senders at once, while the server is killed and started again: none is lost, none is doubled.
Prints TAP."""

import collections
import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from capture import frames  # noqa: E402
from capture.frames import Client, envelope, ingest, shell  # noqa: E402
from check import tap  # noqa: E402
from serve.server import Server  # noqa: E402

STELE = os.environ["STELE_TEST_CLI"]
EVENTS = 10000
SENDERS = 40
PROGRAMS = 60  # of these events, sent by the real program


class Storm:
    """Senders, each with a connection, who note which events they must keep themselves."""

    def __init__(self, home, count):
        self.path = frames.path_of(home)
        self.kept = [[] for _ in range(SENDERS)]
        self.all = [[envelope(shell(f"event {sender} {number}")) for number in range(count // SENDERS)] for sender in range(SENDERS)]
        self.acknowledged = set()
        self.begun = threading.Semaphore(0)
        self.threads = [threading.Thread(target=self._send, args=(sender,)) for sender in range(SENDERS)]
        for thread in self.threads:
            thread.start()

    def _send(self, sender):
        """As src/ingest does: what is not acknowledged is kept."""
        waiting = collections.deque(self.all[sender])
        while waiting:
            window = [waiting.popleft() for _ in range(min(20, len(waiting)))]
            answered = 0
            with contextlib.suppress(OSError):
                with Client(self.path) as client:
                    for one in window:
                        client.send(ingest(one))
                    while answered < len(window) and client.receive() == {"type": "Ack"}:
                        self.acknowledged.add(window[answered]["envelope_id"])
                        answered += 1
            self.kept[sender] += window[answered:]
            self.begun.release()

    def ids(self):
        return {one["envelope_id"] for sender in self.all for one in sender}


def rows(home):
    """How often each envelope is in the store."""
    with contextlib.closing(sqlite3.connect(os.path.join(home, "capture.db"))) as db:
        return collections.Counter(row[0] for row in db.execute("SELECT envelope_id FROM events"))


def keep(home, kept):
    directory = os.path.join(home, "fallback")
    os.makedirs(directory, mode=0o700, exist_ok=True)
    with open(os.path.join(directory, "2026-01-31.jsonl"), "a", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in kept)


@tap.case
def _():
    """senders with connections of their own; the server is killed twice"""
    with tempfile.TemporaryDirectory(prefix="stele-storm-") as directory:
        home = os.path.join(directory, "home")
        server = Server(home)
        storm = Storm(home, EVENTS)
        for _ in range(2):
            for _ in range(100):  # some windows have gone through
                storm.begun.acquire()
            server.kill()
            server.reader.join()
            server.process.stderr.close()
            server = Server(home)
        for thread in storm.threads:
            thread.join()
        server.stop()
        lost = storm.acknowledged - set(rows(home))
        if lost:
            yield f"{len(lost)} events were acknowledged, and are not there"
        keep(home, [one for kept in storm.kept for one in kept])
        subprocess.run([STELE, "--home", home, "replay"], check=True, stdout=subprocess.DEVNULL)
        found = rows(home)
        if set(found) != storm.ids():
            yield f"{len(storm.ids() - set(found))} events are lost, {len(set(found) - storm.ids())} came from nowhere"
        if any(count != 1 for count in found.values()):
            yield "some are doubled"
        if len(storm.acknowledged) == 0 or not any(storm.kept):
            yield f"{len(storm.acknowledged)} acknowledged, {sum(map(len, storm.kept))} kept: the test shows nothing"


@tap.case
def _():
    """the real program, many at a time; the server is killed and comes back, and takes in what was kept"""
    with tempfile.TemporaryDirectory(prefix="stele-storm-") as directory:
        home = os.path.join(directory, "home")
        server = Server(home)
        senders = [subprocess.Popen([STELE, "--home", home, "send-event", "shell", "--cmd", f"event {number}", "--cwd", "/"])
                   for number in range(PROGRAMS)]
        senders[0].wait()
        server.kill()
        server.reader.join()
        server.process.stderr.close()
        for number, sender in enumerate(senders):
            if sender.wait() != 0:
                yield f"sender {number} ended with {sender.returncode}"
        with Server(home):
            subprocess.run([STELE, "--home", home, "replay"], check=True, stdout=subprocess.DEVNULL)
            done = subprocess.run([STELE, "--home", home, "call", "capture.get_events", '{"limit":1000}'], check=True, capture_output=True, text=True)
        found = sorted(row["command"] for row in json.loads(done.stdout))
        if found != sorted(f"event {number}" for number in range(PROGRAMS)):
            yield f"{found}"


if __name__ == "__main__":
    tap.main()
