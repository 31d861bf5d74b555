#!/usr/bin/env python3
"""Replays the method tests call by call, letting the 1st, 2nd, 3rd ... allocation or file operation of
each call fail until it gets through untouched.

A call that fails must say so with the right status and leave every row as it was; one that succeeds
although something failed must have done all of its work, once.  Either way the handle goes on working
- after a failed sync, when nobody knows what is on the disk, only for reading, until it is opened
anew.  In the end SQLite finds the file in order.

Every method is called with each of the first faults and then with fewer and fewer, and so it is for every set of
arguments, with fewer from the beginning.  Calls that differ in nothing but values are made with a few, each case of
such calls under one of the common kinds of fault.  --long makes every call of every case with every fault.
Prints TAP: one line per case and kind of fault.
"""

import argparse
import concurrent.futures
import glob
import itertools
import os
import random
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from fault.faults import (COMMON, KINDS, NEVER, Failed, Homes, Player, check_refusal, is_stopped, kinds_here,  # noqa: E402
                          options, schedule, show, tell, turn_of)
from method import doors, script  # noqa: E402

# These work in several transactions, as they say: a failure may leave the first of them done.
STEPWISE = {"telemetry.size_failsafe", "conversation.prune_sessions", "conversation.maybe_auto_prune_and_vacuum",
            "conversation.reindex", "conversation.index_messages", "conversation.redact_stored", "capture.enrich", "stele.upkeep",
            "stele.retain", "stele.forget"}

MEMBER = re.compile(r'"(\w+)"\s*:')


class Replay:
    """The cases of a file under one kind of fault."""

    @staticmethod
    def homes():
        """Where they are played."""
        return Homes(features=True)

    def __init__(self, player, places, kind, long):
        self.player = player
        self.places = places
        self.kind = kind
        self.long = long
        self.seen = {}  # sorts of calls that were tried with many faults, and how many there could have been
        self.random = random.Random(7)
        self.place = self.saved = None
        methods = player.ask(("open", '{"home":":memory:"}'), ("call", "stele.methods", "{}"), ("close",))[1][1]
        self.readers = {method["name"] for method in methods if method["access"] == "read"}

    # ---- A case, clean, up to some call ----

    def open(self):
        self.player.open(options(self.place, self.kind))
        for store in sorted({call.method.split(".")[0] for call in self.calls} - {"stele", "recall"}):
            self.player.must("begin", store)  # opening under faults is another test: lifecycle.py
            self.player.must("commit")
        self.player.must("features")
        self.stopped = False  # a sync has failed since: writing may be refused
        self.digest = None    # of all rows, if it is known

    def reopen(self):
        self.player.close()
        self.open()

    def end(self):
        if self.place:
            self.player.close()
            self.places.forget(self.place)
        self.place = None

    def check(self):
        if self.place:
            self.player.healthy()

    def rewind(self, k):
        """A new store, in which the calls before the k-th have been made: they are made once, and then copied."""
        self.check()
        self.end()
        if self.saved and self.saved[0] == k:
            _, saved, names = self.saved
            self.place, self.names = self.places.copy(saved), dict(names)
            self.open()
            return
        self.place, self.names = self.places.new(self.stores), dict(script.KNOWN)
        self.open()
        for call in self.calls[:k]:
            word, reply = self.player.call(call.method, call.args_with(self.names))
            self.expect(call, word, reply)
        self.save(k)

    def save(self, k):
        self.forget()
        self.saved = k, self.places.copy(self.place), dict(self.names)

    def forget(self):
        if self.saved:
            self.places.forget(self.saved[1])
        self.saved = None

    def expect(self, call, word, reply):
        """The call did what its line in the text says."""
        if isinstance(call.expected, script.Failure):
            if word != "error" or reply["code"] != call.expected.status:
                raise Failed(f"should fail with {call.expected.status}: {show(reply)}")
        elif word != "ok":
            raise Failed(f"failed: {show(reply)}")
        else:
            script.match(call.expected, reply, self.names)

    # ---- A case under faults ----

    def play(self, case):
        """False: all of it was tried before, in another state or under another kind of fault."""
        self.calls = case.calls_on("sqlite")
        tried = self.to_be_tried(case)
        if not tried:
            return False
        self.stores = case.stores_of(self.places.stores)
        self.clean = None  # (k, the rows of each table after the k-th call)
        try:
            self.rewind(0)
            for k, call in enumerate(self.calls[:tried[-1] + 1]):
                try:
                    self.play_call(k, call)
                except (Failed, script.Mismatch) as error:
                    raise Failed(f"{call.where}: {call.method}  {call.args[:300]}\n{error}") from None
            self.check()
            return True
        finally:
            self.end()
            self.forget()

    def to_be_tried(self, case):
        """The places of those calls of a case for which it is played."""
        new = [k for k, call in enumerate(self.calls) if self.long or self.sort_of(call) not in self.seen]
        if new or not self.kind.common or COMMON[turn_of(case.title) % len(COMMON)] != self.kind.name:
            return new
        return list(range(len(self.calls)))

    def sort_of(self, call):
        """Of calls of one sort one is made with many faults; where a kind of fault is not common, whatever its arguments."""
        alike = call.method, type(call.expected)
        return (*alike, frozenset(MEMBER.findall(call.args))) if self.kind.common or self.long else alike

    def rows_after(self, k, call):
        """Of each table, when the call is made without a fault."""
        if not self.clean or self.clean[0] != k:
            self.rewind(k)
            _, answer, after = self.player.call_and_look(self.kind, NEVER, call.method, call.args_with(self.names))
            self.expect(call, *answer)
            self.clean = k, after["rows"]
        return self.clean[1]

    def play_call(self, k, call):
        sort = self.sort_of(call)
        if self.long or sort not in self.seen:
            self.seen[sort] = self.play_new_sort(k, call)
        elif self.kind.common:  # a few more, at other places, in another state
            most = max(1, self.seen[sort])
            self.inject(k, call, sorted(self.random.randint(1, most) for _ in range(2)) + [NEVER])
        else:
            self.inject(k, call, [NEVER])

    def play_new_sort(self, k, call):
        """First with its statements prepared, then in a fresh handle that prepares them: how many faults there could have been."""
        store, turn = call.method.split(".")[0], turn_of(str(self.kind), call.method, call.args)
        reads = call.method in self.readers
        if not reads:
            self.save(k)
        if store != "stele":  # which has no transactions to take it back by
            self.player.ask(("begin", store),
                            ("call", call.method, call.args_with(self.names)), ("rollback",))
        if not self.long and (not self.kind.common or any(sort[:2] == self.sort_of(call)[:2] for sort in self.seen)):
            return self.inject(k, call, schedule(False, 4, turn))
        self.inject(k, call, schedule(self.long, turn=turn))
        if reads:
            self.reopen()
        else:
            self.rewind(k)
        return self.inject(k, call, schedule(self.long, turn=turn // 2))

    def inject(self, k, call, numbers):
        """Faults until one does not come any more; the call has then been made.  How many there could have been."""
        for n in numbers:
            before, names = self.digest or self.player.digest()["digest"], dict(self.names)
            args = call.args_with(names)
            attempt, answer, after = self.player.call_and_look(self.kind, n, call.method, args)
            if is_stopped(answer):
                if not self.stopped:
                    raise Failed(f"{attempt}: writing was stopped, and no sync had failed")
                self.reopen()
                attempt, answer, after = self.player.call_and_look(self.kind, n, call.method, args)
            self.stopped |= attempt.syncs > 0
            self.digest = after["digest"]
            if self.judge(k, call, attempt, answer, before, after):
                if not attempt.fired:
                    return attempt.calls
                self.undo(k, call, names, before == after["digest"])  # it is done, though something had failed
        raise AssertionError("the last is never reached, so that the call is clean")

    def undo(self, k, call, names, unchanged):
        """Let it be as before the call, which is made once more, with the next fault."""
        if unchanged and call.method in self.readers:
            self.names = names
        else:
            self.rewind(k)

    def judge(self, k, call, attempt, answer, before, after):
        """True: the call was made.  False: it failed, and nothing has changed."""
        word, reply = answer
        if after["open"]:
            raise Failed(f"{attempt}: the call has ended, its transaction has not: {show(reply)}")
        wanted = isinstance(call.expected, script.Failure) and call.expected.status
        if word == "error" and reply["code"] != wanted:
            check_refusal(self.kind, attempt, reply)
            if after["digest"] == before:
                return False
            if call.method not in STEPWISE:
                raise Failed(f"{attempt}: failed, and has changed the store: {show(reply)}")
            self.rewind(k)
            return False
        if attempt.fired and isinstance(reply, dict) and reply.get("problem"):
            return False  # the reply tells it
        if self.kind.name == "busy" and attempt.fired and isinstance(reply, dict):
            if reply.get("busy"):
                return False  # the reply tells it
            if reply.get("purged") is False and call.method in STEPWISE:
                self.rewind(k)
                return False  # so does this one: what is left is done by the next call
        try:
            self.expect(call, word, reply)
        except (Failed, script.Mismatch) as error:
            raise Failed(f"{attempt}: {error}") from None
        if attempt.fired and not (call.method in self.readers and after["digest"] == before):
            wanted = self.rows_after(k, call)
            if after["rows"] != wanted:
                raise Failed(f"{attempt}: succeeded, and left other rows than without a fault: {after['rows']}, not {wanted}")
        return True


def play_kind(replaying, kind, cases, places, args):
    """(name, "" or what is wrong) of each case, and the number of faults."""
    found = []
    with Player(args.bug, args.long) as player:
        replay = replaying(player, places, kind, args.long)
        for case in cases:
            try:
                if replay.play(case):
                    found.append((f"{kind}: {case.title}", ""))
            except (Failed, script.Mismatch, doors.Broken) as error:
                found.append((f"{kind}: {case.title}", str(error)))
                if isinstance(error, doors.Broken) and player.process.poll() is not None:
                    break
        return found, player.injected


def by_subject(files, title):
    """The cases of all files whose names begin alike, conversation or capture_*, with this in their title: they call the same methods."""
    def subject(file):
        return os.path.basename(file).partition(".")[0].partition("_")[0]
    groups = ([case for file in group for case in script.read(os.path.relpath(file)) if title in case.title]
              for _, group in itertools.groupby(files, subject))
    return [cases for cases in groups if cases]


def main(replaying, files):
    """Play the texts; replaying is a Replay."""
    parser = argparse.ArgumentParser(description="Replay the method tests under faults.")
    parser.add_argument("--long", action="store_true", help="every fault of every call: takes minutes")
    parser.add_argument("--kind", help="only kinds with this in their name, e.g. alloc, 'io once'")
    parser.add_argument("--file", help="only this text", default=None)
    parser.add_argument("--case", help="only cases with this text in their title", default="")
    parser.add_argument("--bug", help="with this bug in the library: see tests/play/play.c")
    args = parser.parse_args()

    files = [args.file] if args.file else files
    with replaying.homes() as places, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [pool.submit(play_kind, replaying, kind, cases, places, args)
                for kind in kinds_here(KINDS, args) for cases in by_subject(files, args.case)]
        return tell(runs)


def texts(pattern):
    return sorted(glob.glob(os.path.join(HERE, "../method", pattern)))


if __name__ == "__main__":
    # The library's own methods are about stores, not about what is in them (lifecycle.py), or ask all of them, and pass over one that
    # fails (recall.py).
    sys.exit(main(Replay, [file for file in texts("*.txt") if not os.path.basename(file).startswith(("stele.", "recall"))]))
