#!/usr/bin/env python3
"""Replays the method tests, and lets what can fail do so once at every place in the library from which it is asked.

run.py lets the first thing of every call fail that can, and then fewer and fewer; here it is what the library asks for, memory or something
of a file, at a place from which nothing was asked before (fault_place.c), wherever in the call that is.  What is judged is the same.
`make coverage` runs it.  Prints TAP: one line per case and kind of fault in which there was such a place.
"""

import argparse
import concurrent.futures
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from fault.faults import KINDS, NEVER, Failed, tell  # noqa: E402
from fault.run import Replay, play_kind, texts  # noqa: E402
from method import script  # noqa: E402


class Places(Replay):
    """The cases of all files under one kind of fault."""

    def play(self, case):
        """How many places were new."""
        self.calls = case.calls_on("sqlite")
        self.stores = case.stores_of(self.places.stores)
        found = 0
        try:
            self.rewind(0)
            for k, call in enumerate(self.calls):
                attempt, answer, after = self.player.call_and_look(self.kind, 0, call.method, call.args_with(self.names))
                self.expect(call, *answer)
                self.digest = None
                self.clean = k, after["rows"]
                if attempt.places:
                    found += len(attempt.places)
                    self.play_places(k, call, attempt.places)
            self.check()
            return found
        finally:
            self.end()
            self.forget()

    def play_places(self, k, call, numbers):
        """Each of these, and then the call is made."""
        self.rewind(k)
        try:
            self.inject(k, call, [*numbers, NEVER])
        except (Failed, script.Mismatch) as error:
            raise Failed(f"{call.where}: {call.method}  {call.args[:300]}\n{error}") from None


def main():
    parser = argparse.ArgumentParser(description="Replay the method tests, with a fault at every place.")
    parser.add_argument("--kind", default="", help="only kinds with this in their name")
    parser.add_argument("--file", help="only this text")
    parser.set_defaults(long=False, bug=None)
    args = parser.parse_args()
    files = [args.file] if args.file else [file for file in texts("*.txt") if not os.path.basename(file).startswith(("stele.", "recall"))]
    cases = [case for file in files for case in script.read(os.path.relpath(file))]
    with Places.homes() as places, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [pool.submit(play_kind, Places, kind, cases, places, args) for kind in KINDS if kind.exact and args.kind in str(kind)]
        return tell(runs)


if __name__ == "__main__":
    sys.exit(main())
