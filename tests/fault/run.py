#!/usr/bin/env python3
"""Replays the method tests call by call, letting the 1st, 2nd, 3rd ... allocation or file operation of
each call fail until it gets through untouched.

A call that fails must say so with the right status and leave every row as it was; one that succeeds
although something failed must have done all of its work, once.  Either way the handle goes on working
- after a failed sync, when nobody knows what is on the disk, only for reading, until it is opened
anew.  In the end SQLite finds the file in order.  Prints TAP: one line per case and kind of fault.
"""

import argparse
import concurrent.futures
import glob
import os
import random
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from fault.faults import (KINDS, NEVER, Failed, Homes, Player, check_refusal, is_stopped, options, point,  # noqa: E402
                          schedule, show)
from method import doors, script  # noqa: E402

# These work in several transactions, as they say: a failure may leave the first of them done.
STEPWISE = {"telemetry.size_failsafe", "conversation.prune_sessions", "conversation.maybe_auto_prune_and_vacuum",
            "conversation.reindex", "conversation.index_messages", "conversation.redact_stored", "capture.enrich"}

MEMBER = re.compile(r'"(\w+)"\s*:')


class Replay:
    """The cases of a file under one kind of fault."""

    def __init__(self, player, places, kind, long):
        self.player = player
        self.places = places
        self.kind = kind
        self.long = long
        self.seen = set()  # kinds of calls that were tried with every fault
        self.random = random.Random(7)
        self.place = None
        methods = player.ask(("open", '{"home":":memory:"}'), ("call", "stele.methods", "{}"), ("close",))[1][1]
        self.readers = {method["name"] for method in methods if method["access"] == "read"}

    # ---- A case, clean, up to some call ----

    def open(self):
        self.player.open(options(self.place, self.kind))
        for store in sorted({call.method.split(".")[0] for call in self.calls} - {"stele"}):
            self.player.must("begin", store)  # opening under faults is another test: lifecycle.py
            self.player.must("commit")
        self.player.must("features")
        self.stopped = False  # a sync has failed since: writing may be refused

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
        """A new store, in which the calls before the k-th have been made."""
        self.check()
        self.end()
        self.place = self.places.new()
        self.names = dict(script.KNOWN)
        self.open()
        for call in self.calls[:k]:
            word, reply = self.player.call(call.method, call.args_with(self.names))
            self.expect(call, word, reply)

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
        self.calls = case.calls_on("sqlite")
        try:
            self.rewind(0)
            self.counts = [self.count(call) for call in self.calls]
            self.rewind(0)
            for k, call in enumerate(self.calls):
                try:
                    self.play_call(k, call)
                except (Failed, script.Mismatch) as error:
                    raise Failed(f"{call.where}: {call.method}  {call.args[:300]}\n{error}") from None
            self.check()
        finally:
            self.end()

    def count(self, call):
        """Make the call cleanly: (what could fail in it, the rows of each table afterwards)."""
        attempt, answer = self.player.call_under(self.kind, NEVER, call.method, call.args_with(self.names))
        self.expect(call, *answer)
        return attempt.calls, self.player.digest()["rows"]

    def play_call(self, k, call):
        sort = call.method, frozenset(MEMBER.findall(call.args)), type(call.expected)
        if self.long or sort not in self.seen:
            self.seen.add(sort)
            # First with its statements prepared, then in a fresh handle that prepares them.
            self.player.ask(("begin", call.method.split(".")[0]),
                            ("call", call.method, call.args_with(self.names)), ("rollback",))
            self.inject(k, call, schedule(self.long))
            if call.method in self.readers:
                self.reopen()
            else:
                self.rewind(k)
            self.inject(k, call, schedule(self.long))
        else:  # a few more, at other places, in another state
            most = max(1, self.counts[k][0])
            self.inject(k, call, sorted(self.random.randint(1, most) for _ in range(3)) + [NEVER])

    def inject(self, k, call, numbers):
        """Faults until one does not come any more; the call has then been made."""
        for n in numbers:
            before = self.player.digest()["digest"]
            args = call.args_with(self.names)
            attempt, answer = self.player.call_under(self.kind, n, call.method, args)
            if is_stopped(answer):
                if not self.stopped:
                    raise Failed(f"{attempt}: writing was stopped, and no sync had failed")
                self.reopen()
                attempt, answer = self.player.call_under(self.kind, n, call.method, args)
            self.stopped |= attempt.syncs > 0
            if self.judge(k, call, attempt, answer, before, self.player.digest()):
                if not attempt.fired:
                    return
                self.rewind(k)  # it is done, though something had failed: once more, with the next fault
        raise AssertionError("the last is never reached, so that the call is clean")

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
        if after["rows"] != self.counts[k][1]:
            raise Failed(f"{attempt}: succeeded, and left other rows than without a fault: "
                         f"{after['rows']}, not {self.counts[k][1]}")
        return True


def play_kind(kind, cases, args):
    """(name, "" or what is wrong) of each case, and the number of faults."""
    found = []
    with Homes() as places, Player(args.bug, args.long) as player:
        replay = Replay(player, places, kind, args.long)
        for case in cases:
            try:
                replay.play(case)
                found.append((f"{kind}: {case.title}", ""))
            except (Failed, script.Mismatch, doors.Broken) as error:
                found.append((f"{kind}: {case.title}", str(error)))
                if isinstance(error, doors.Broken) and player.process.poll() is not None:
                    break
        return found, player.injected


def kinds_here(args):
    """Those asked for, or all with --long; else each in one of the builds: what lacks memory where a sanitizer watches it,
    what concerns files in the other."""
    if args.kind or args.long:
        return [kind for kind in KINDS if (args.kind or "") in str(kind)]
    watched = os.environ.get("STELE_TEST_SANITIZED") == "1"
    return [kind for kind in KINDS if (kind.name == "alloc") == watched]


def main():
    parser = argparse.ArgumentParser(description="Replay the method tests under faults.")
    parser.add_argument("--long", action="store_true", help="every fault of every call: takes minutes")
    parser.add_argument("--kind", help="only kinds with this in their name, e.g. alloc, 'io once'")
    parser.add_argument("--file", help="only this text", default=None)
    parser.add_argument("--case", help="only cases with this text in their title", default="")
    parser.add_argument("--bug", help="with this bug in the library: see tests/play/play.c")
    args = parser.parse_args()

    # The library's own methods are about stores, not about what is in them (lifecycle.py), or ask all of them, and pass over
    # one that fails.
    files = [args.file] if args.file else [file for file in sorted(glob.glob(os.path.join(HERE, "../method/*.txt")))
                                           if os.path.basename(file) not in ("stele.txt", "recall.txt")]
    cases = [case for file in files for case in script.read(os.path.relpath(file)) if args.case in case.title]
    failed = injected = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [pool.submit(play_kind, kind, cases, args) for kind in kinds_here(args)]
        for run in runs:
            found, faults = run.result()
            injected += faults
            for name, why in found:
                failed += not point(not why, name, why)
    print(f"# {injected} faults")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
