#!/usr/bin/env python3
"""Long readers, logs that grow, disks that are full, handles by the thousand: what a store bears for long, and how it comes back.

While somebody reads and does not end, the log of a store grows, and doctor tells; once the reader is gone the next writes empty
it, however many write.  A disk that was full is written to again, by the same handle, as soon as there is room.
Handles that were opened and closed, in good and in bad times, leave no descriptor behind.  STELE_SOAK=N makes it N times as long.
Prints TAP.
"""

import contextlib
import itertools
import json
import os
import sqlite3
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from fault.faults import KINDS, SYSTEM_KINDS, Homes, Player  # noqa: E402
from place import main, same, test  # noqa: E402

NUMBERS = itertools.count()
TIMES = int(os.environ.get("STELE_SOAK", "1"))
BOUND = 2000       # pages of a log that nobody holds: a checkpoint at 1000, and what one write adds
ALARM = 64 << 20   # above this doctor warns
HANDLES = 200 if os.environ.get("STELE_TEST_SANITIZED") == "1" else 1000  # a sanitizer is slow
LARGE = 3_000_000  # bytes of a write


@contextlib.contextmanager
def home():
    """A home with every store, and a player that has it open."""
    with Homes() as homes, Player() as player:
        place = homes.new()
        player.open(place)
        yield place["home"], player


def call(player, method, **args):
    return player.must("call", method, json.dumps(args))


def wal(path, store):
    try:
        return os.path.getsize(os.path.join(path, f"{store}.db-wal"))
    except FileNotFoundError:
        return 0


def pages(player):
    """Of the log, since it was begun."""
    return call(player, "telemetry.checkpoint_wal", mode="passive")["log_pages"]


@contextlib.contextmanager
def reader(path, store, table):
    """Another program that has begun to read, and does not end."""
    with contextlib.closing(sqlite3.connect(os.path.join(path, f"{store}.db"), isolation_level=None)) as db:
        db.execute("BEGIN")
        before = db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        yield
        same(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0], before)  # of one moment, all the while


def warned(player, store):
    return [line["summary"] for line in call(player, "stele.doctor", stores=[store]) if line["check"] == "wal" and line["state"] == "warn"]


def write(player, times, size=LARGE):
    """Each time another text: what is the same in a page is not written again."""
    for _ in range(times):
        mark = f"{next(NUMBERS)} "
        call(player, "telemetry.record_session_error", session_id=1, error_type="E", error_traceback=mark * (size // len(mark)))


@test("a reader that does not end: the log grows, doctor warns; when it has ended the next writes empty the log")
def _():
    with home() as (path, player):
        call(player, "telemetry.create_session", now=1)
        same(warned(player, "telemetry"), [])
        with reader(path, "telemetry", "sessions"):
            write(player, ALARM // LARGE + 2)
            same(wal(path, "telemetry") > ALARM, True)
            same(len(warned(player, "telemetry")), 1)
        until = time.monotonic() + 60
        while warned(player, "telemetry") and time.monotonic() < until:
            write(player, 1, 100)  # a second later at the latest
        same(wal(path, "telemetry") <= ALARM, True)  # what SQLite keeps of a log that was longer
        write(player, 4 * TIMES)
        same(wal(path, "telemetry") <= ALARM, True)
        call(player, "telemetry.checkpoint_wal", mode="truncate")
        same(wal(path, "telemetry"), 0)
        player.healthy()


@test("readers that come and go while many write: when they have gone the log is begun anew")
def _():
    largest, stop = [0], threading.Event()
    with home() as (path, player):
        call(player, "telemetry.create_session", now=1)

        def read():
            while not stop.is_set():
                with contextlib.closing(sqlite3.connect(os.path.join(path, "telemetry.db"), timeout=60)) as db:
                    db.execute("SELECT count(*), max(error_traceback) FROM sessions").fetchall()

        def write_on():
            with Player() as other:
                other.open({"home": path})
                for _ in range(40 * TIMES):
                    write(other, 1, 400_000)
                    largest[0] = max(largest[0], wal(path, "telemetry"))

        threads = [threading.Thread(target=read) for _ in range(2)]
        writers = [threading.Thread(target=write_on) for _ in range(3)]
        for thread in threads + writers:
            thread.start()
        for thread in writers:
            thread.join()
        stop.set()
        for thread in threads:
            thread.join()
        print(f"# the log grew to {largest[0] >> 20} MB")
        until = time.monotonic() + 60
        while pages(player) > BOUND and time.monotonic() < until:
            write(player, 1, 100)  # a second later at the latest
        same(pages(player) <= BOUND, True)
        player.healthy()


class Overlapping:
    """Two other programs that read in turn: one ends only when the other has begun, so that there is always one that reads."""

    def __init__(self, path):
        self.path, self.stop, self.began = path, threading.Event(), [threading.Semaphore(0), threading.Semaphore(1)]
        self.threads = [threading.Thread(target=self.read, args=(number,)) for number in (0, 1)]

    def read(self, number):
        with contextlib.closing(sqlite3.connect(self.path, isolation_level=None, timeout=60)) as db:
            while not self.stop.is_set():
                db.execute("BEGIN")
                db.execute("SELECT count(*) FROM sessions").fetchall()
                self.began[number].release()
                self.began[1 - number].acquire()
                self.stop.wait(0.005)
                db.execute("COMMIT")
            self.began[number].release()

    def __enter__(self):
        for thread in self.threads:
            thread.start()

    def __exit__(self, *_):
        self.stop.set()
        for thread in self.threads:
            thread.join()


def beginnings(path, store):
    """A number in the head of the log that changes whenever it is begun anew."""
    with open(os.path.join(path, f"{store}.db-wal"), "rb") as file:
        return file.read(32)[16:20]


@test("readers that overlap without end: the log is begun anew all the same")
def _():
    with home() as (path, player):
        call(player, "telemetry.create_session", now=1)
        with Overlapping(os.path.join(path, "telemetry.db")):
            for _ in range(TIMES):
                write(player, 1, 400_000)
                before, writes, until = beginnings(path, "telemetry"), 0, time.monotonic() + 240
                while beginnings(path, "telemetry") == before and time.monotonic() < until:
                    write(player, 1, 400_000)
                    writes += 1
                same(beginnings(path, "telemetry") == before, False)
                print(f"# begun anew after {writes} writes, at {wal(path, 'telemetry') >> 20} MB")
        player.healthy()


for kind in [kind for kind in (*KINDS, *SYSTEM_KINDS) if kind.name in ("full", "enospc") and kind.persistent]:
    @test(f"a disk that is full ({kind.name}) takes no write, and is read; with room again the same handle writes")
    def _(kind=kind):
        with Homes() as homes, Player(system=kind.system) as player:
            player.open({**homes.new(), "durability": "full"})
            call(player, "planner.save_message", session="s", role="user", content="before")
            call(player, "conversation.create_session", session_id="s", source="cli")
            for number in range(3):
                with player.under(kind, 1 + number):
                    refused = [player.call("planner.save_message", json.dumps({"session": "s", "role": "user", "content": "during"}))
                               for _ in range(3)]
                    rows = call(player, "planner.get_oldest_messages", session="s")
                same({reply.get("code") for word, reply in refused if word == "error"}, {"FULL"})
                done = sum(word == "ok" for word, _ in refused)
                same(done <= 1, True)  # the room that there was
                call(player, "planner.save_message", session="s", role="user", content="after")
                same(len(call(player, "planner.get_oldest_messages", session="s")), len(rows) + 1)
            call(player, "conversation.append_message", session_id="s", role="user", content="needle")
            with player.under(kind, 1):
                player.call("conversation.index_messages", "{}")
            same(len(call(player, "conversation.search_messages", query="needle")), 1)
            player.healthy()


def descriptors(player):
    return len(os.listdir(f"/proc/{player.process.pid}/fd"))


@test(f"{HANDLES} handles leave no descriptor behind")
def _():
    with Homes() as homes, Player() as player:
        place = homes.new()

        def use():
            player.open(place)
            call(player, "planner.count_messages", session="s")
            call(player, "conversation.search_messages", query="x")
            player.close()
        use()
        before = descriptors(player)
        for _ in range(HANDLES * TIMES):
            use()
        same(descriptors(player), before)


for kind in [kind for kind in (*KINDS, *SYSTEM_KINDS) if kind.name in ("alloc", "io", "eio")]:
    @test(f"handles that fail leave no descriptor behind: {kind}")
    def _(kind=kind):
        with Homes() as homes, Player(system=kind.system) as player:
            place = homes.new()
            player.open(place)
            player.close()
            before, calls = descriptors(player), 1
            n = 0
            while calls > n:
                n += 1 + n // 8
                with player.under(kind, n) as attempt:
                    opened = player.ask(("open", json.dumps({**place, "wait_ms": 100})))[0]
                    if opened[0] == "ok":
                        player.call("conversation.session_count", "{}")
                        player.call("conversation.search_messages", '{"query":"x"}')
                if opened[0] == "ok":
                    player.close()
                same(descriptors(player), before)
                calls = attempt.calls


if __name__ == "__main__":
    sys.exit(main())
