"""Faults, and what a call under a fault may and may not do: shared by run.py and lifecycle.py."""

import contextlib
import json
import os
import shutil
import sys
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from method import doors  # noqa: E402

NEVER = 10**9  # a call that is never reached: faults are only counted


class Failed(Exception):
    pass


@dataclass(frozen=True)
class Kind:
    name: str           # as the player knows it
    persistent: bool    # from the N-th on all fail, not only that one
    statuses: frozenset  # with which a call may fail

    def __str__(self):
        return f"{self.name} {'from then on' if self.persistent else 'once'}"

    def arm(self, n):
        return "fault", self.name, str(n), "persistent" if self.persistent else ""


def _kinds(name, *statuses):
    return [Kind(name, persistent, frozenset(statuses)) for persistent in (False, True)]


KINDS = [
    *_kinds("alloc", "NOMEM"),
    *_kinds("io", "IO"),
    *_kinds("full", "FULL"),
    *_kinds("short", "IO"),
    _kinds("busy", "BUSY")[0],  # a lock that is never given: SQLite alone would ask for ten seconds
]


def schedule(long, dense=16, growth=0.5):
    """Which N to try: each of the first, then fewer and fewer; or, with long, each."""
    n = 1
    while True:
        yield n
        n += 1 if long or n < dense else 1 + int((n - dense) * growth)


@dataclass
class Attempt:
    """What came of a fault."""
    n: int
    calls: int = 0   # that could have failed
    fired: int = 0   # that did
    syncs: int = 0   # of these, syncs
    last: str = ""   # the last of them

    def __str__(self):
        return f"fault {self.n} ({self.last or 'none'})"


class Player(doors.Player):
    """The player, with faults."""

    def __init__(self, bug=None, long=False):
        super().__init__("call", *(["--no-lookaside"] if long else []))
        self.injected = 0
        if bug:
            self.must("bug", bug)

    def _note(self, attempt, counts):
        vars(attempt).update(counts)
        self.injected += attempt.fired > 0

    def call_under(self, kind, n, method, args):
        """One call under a fault: (what came of the fault, the answer)."""
        attempt = Attempt(n)
        _, answer, (_, counts) = self.ask(kind.arm(n), ("call", method, args), ("fault", "off"))
        self._note(attempt, counts)
        return attempt, answer

    @contextlib.contextmanager
    def under(self, kind, n):
        """Whatever is asked in this block is under a fault; what came of it is known at its end."""
        attempt = Attempt(n)
        self.must(*kind.arm(n))
        yield attempt
        self._note(attempt, self.must("fault", "off"))

    def healthy(self):
        """SQLite's own checks find nothing."""
        problems = self.must("check")
        if problems:
            raise Failed(f"the file is damaged: {problems}")


def check_refusal(kind, attempt, reply):
    """A call that failed has to say so in the way that fits the fault."""
    if not attempt.fired:
        raise Failed(f"{attempt}: failed for no reason: {show(reply)}")
    if reply["code"] not in kind.statuses:
        raise Failed(f"{attempt}: failed with another status than {'/'.join(kind.statuses)}: {show(reply)}")
    if not reply["message"]:
        raise Failed(f"{attempt}: failed without a word: {show(reply)}")


def is_stopped(answer):
    """The store refuses writes since an earlier failure left it unknown what is on the disk."""
    word, reply = answer
    return word == "error" and reply["code"] in ("IO", "CORRUPT") and "writing was stopped" in reply["message"]


def point(good, name, why=""):
    """One line of TAP, and the reason below it."""
    print(f"{'ok' if good else 'not ok'} - {name}", *(f"# {line}" for line in why.splitlines()), sep="\n", flush=True)
    return good


class Homes(doors.Sqlite):
    """Each place is a copy of a home whose stores have been created: that takes time, and is tested
    by itself."""

    def __enter__(self):
        super().__enter__()
        self.template = super().new()
        with doors.Player() as player:
            player.open(self.template)
            for status in player.must("call", "stele.status", "{}"):
                player.must("begin", status["store"])
                player.must("commit")
            player.close()
        return self

    def empty(self):
        return super().new()

    def new(self):
        return self.copy(self.template)

    def copy(self, place):
        copy = super().new()
        shutil.copytree(place["home"], copy["home"])
        return copy


def options(place, kind):
    """Sync at every commit, and never wait long for a lock that is never given."""
    return {**place, "durability": "full", "wait_ms": 1 if kind.name == "busy" else 2000}


def show(value):
    return json.dumps(value, ensure_ascii=False)[:300]
