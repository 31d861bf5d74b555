"""Faults, and what a call under a fault may and may not do: shared by run.py, lifecycle.py and rescue.py."""

import argparse
import contextlib
import itertools
import json
import os
import shutil
import sys
import zlib
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from method import doors  # noqa: E402

NEVER = 10**9  # a call that is never reached: faults are only counted


class Failed(Exception):
    pass


COMMON = "io", "alloc", "arena"


@dataclass(frozen=True)
class Kind:
    name: str           # as the player knows it
    persistent: bool    # from the N-th on all fail, not only that one
    statuses: frozenset  # with which a call may fail
    system: bool = False  # the system's functions fail, not SQLite's

    def __str__(self):
        return f"{self.name} {'from then on' if self.persistent else 'once'}"

    @property
    def common(self):
        """Is nearly all that can go wrong found under this kind?  The others fail in the same places, and differ in what SQLite makes of
        it or in what comes afterwards: they are tried in fewer, and with statements prepared only."""
        return self.name in COMMON and not self.persistent

    @property
    def exact(self):
        """Is every place tried where this can happen?"""
        return self.name in (*COMMON, "eio") and not self.persistent

    def arm(self, n):
        return "fault", self.name, str(n), "persistent" if self.persistent else ""


def _kinds(name, *statuses, system=False):
    return [Kind(name, persistent, frozenset(statuses), system) for persistent in (False, True)]


KINDS = [
    *_kinds("alloc", "NOMEM"),
    _kinds("arena", "NOMEM")[0],
    *_kinds("io", "IO"),
    *_kinds("full", "FULL"),
    *_kinds("short", "IO"),
    _kinds("busy", "BUSY")[0],  # a lock that is never given: SQLite alone would ask for ten seconds
]

# Beneath SQLite, where the library's own files (codes, copies, directories) are hit too: see disk.h.  What cannot be opened for
# writing SQLite opens for reading.
SYSTEM_KINDS = [*_kinds("eio", "IO", "READONLY", system=True), *_kinds("enospc", "FULL", "IO", system=True)]


def kinds_here(kinds, args, both=None):
    """Those asked for, or all with --long; else each in one of the builds, one of them in both: what lacks memory where a sanitizer watches
    it, what concerns files in the other.  What counts coverage has one build, and needs few."""
    if args.kind or args.long:
        return [kind for kind in kinds if (args.kind or "") in str(kind)]
    if os.environ.get("STELE_TEST_COVERAGE") == "1":
        return [kind for kind in kinds if kind.common or kind.system]
    watched = os.environ.get("STELE_TEST_SANITIZED") == "1"
    return [kind for kind in kinds if (kind.name == "alloc") == watched or str(kind) == both]


def numbers(kind, long, clean, dense, turn):
    """Which N to try, after one round without faults (n = 0), clean: each of the first, then fewer and fewer; and one from every place of
    the library that was not tried before, if the kind is one that finds nearly everything."""
    tried = set(itertools.takewhile(lambda n: n <= clean.calls, schedule(long, 4 if kind.exact else dense, turn)))
    return sorted(tried | set(clean.places if kind.exact else ()))


TURNS = 4


def schedule(long, dense=8, turn=0):
    """Which N to try: each of the first, then fewer and fewer, and other ones in every turn; or, with long, each."""
    n = 1
    while True:
        yield n
        if long or n < dense:
            n += 1
        else:
            n += 1 + n - dense + turn % TURNS
            turn //= TURNS


def turn_of(*words):
    """A number for them: always the same, and any for many of them."""
    return zlib.crc32(" ".join(words).encode())


@dataclass
class Attempt:
    """What came of a fault."""
    n: int
    calls: int = 0   # that could have failed
    fired: int = 0   # that did
    syncs: int = 0   # of these, syncs
    last: str = ""   # the last of them
    places: list = ()  # with n = 0, when none fails: which of the calls came from a place of the library that none came from before

    def __str__(self):
        return f"fault {self.n} ({self.last or 'none'})"


class Player(doors.Player):
    """The player, with faults."""

    def __init__(self, bug=None, long=False, system=False):
        super().__init__("call", *(["--no-lookaside"] if long else []), *(["--system"] if system else []))
        self.injected = 0
        if bug:
            self.must("bug", bug)

    def _note(self, attempt, counts):
        vars(attempt).update(counts)
        self.injected += attempt.fired > 0

    def call_under(self, kind, n, method, args, *then):
        """One call under a fault: (what came of the fault, the answer, and those to what is asked then)."""
        attempt = Attempt(n)
        _, answer, (_, counts), *more = self.ask(kind.arm(n), ("call", method, args), ("fault", "off"), *then)
        self._note(attempt, counts)
        return attempt, answer, *more

    def call_and_look(self, kind, n, method, args):
        """The same, and the rows afterwards."""
        attempt, answer, (word, rows) = self.call_under(kind, n, method, args, ("digest",))
        if word != "ok":
            raise doors.Broken(f"digest: {rows}")
        return attempt, answer, rows

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


def tell(runs):
    """What came of runs that are under way, as TAP: of each, [(name, "" or what is wrong)] and the number of faults.  What to exit with."""
    failed = injected = 0
    for run in runs:
        found, faults = run.result()
        injected += faults
        for name, why in found:
            failed += not point(not why, name, why)
    print(f"# {injected} faults")
    return 1 if failed else 0


def options_of_scenes(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--long", action="store_true", help="every fault")
    parser.add_argument("--kind", default="", help="only kinds with this in their name")
    parser.add_argument("--scene", default="", help="only scenes with this in their name")
    return parser


def play_scenes(scenes, wanted, kind, play):
    """(name, "" or what is wrong) of each that has `wanted` in its title, as `play` tells it; none after one that broke the player."""
    found = []
    for function in scenes:
        title = function.__name__.replace("_", " ")
        if wanted not in title:
            continue
        try:
            found.append((f"{kind}: {title}", play(function)))
        except doors.Broken as error:
            found.append((f"{kind}: {title}", str(error)))
            break
    return found


class Homes(doors.Sqlite):
    """Each place is a copy of a home whose stores have been created: that takes time, and is tested
    by itself."""

    def __init__(self, features=False):
        """features: with all that stores get when it is asked for."""
        self.features = features

    def __enter__(self):
        super().__enter__()
        self.template = super().new()
        with doors.Player() as player:
            player.open(self.template)
            self.stores = [status["store"] for status in player.must("call", "stele.status", "{}")]
            for store in self.stores:
                player.must("begin", store)
                player.must("commit")
            if self.features:
                player.must("features")
            player.close()
        return self

    def empty(self):
        return super().new()

    def new(self, stores=None):
        """With these stores only, or all."""
        left_out = [store for store in self.stores if stores is not None and store not in stores]
        return self.copy(self.template, *(f"{store}.*" for store in left_out))

    def copy(self, place, *left_out):
        """As it is now, also if it is open, while nobody writes."""
        copy = super().new()
        shutil.copytree(place["home"], copy["home"], ignore=shutil.ignore_patterns(*left_out))
        return copy


def options(place, kind):
    """Sync at every commit, and never wait long for a lock that is never given."""
    return {**place, "durability": "full", "wait_ms": 1 if kind.name == "busy" else 2000}


def show(value):
    return json.dumps(value, ensure_ascii=False)[:300]
