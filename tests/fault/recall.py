#!/usr/bin/env python3
"""Recall under faults: what the texts of recall read is read again with the 1st, 2nd, 3rd ... allocation or file operation failing.

Recall asks all stores, and passes over one that fails.  So under a fault a call either fails with the status that fits, or it
answers: all of it; or, with a note that names the stores it passed over, what it answers without a fault when only the other
stores are asked.  Nothing is changed by it, and the same call then gives the whole answer.  Prints TAP: one line per case and
kind of fault.
"""

import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from fault.faults import Failed, Homes, check_refusal, options, schedule, show  # noqa: E402
from fault.run import Replay, main, texts  # noqa: E402

METHODS = {"recall.search", "recall.get", "recall.timeline", "recall.sources", "recall.index_status"}
PASSED_OVER = re.compile(r"^the store (\w+) was passed over: .", re.MULTILINE)
VOLATILE = {"score", "parts", "bytes"}  # of age, measured among all that was found, or of files that grow


def told(rows):
    return [{name: value for name, value in row.items() if name not in VOLATILE} for row in rows]


class Bare(Homes):
    """Homes in which nothing is yet."""

    def new(self, stores=None):
        place = self.empty()
        os.makedirs(place["home"], exist_ok=True)
        return place


class Recall(Replay):
    """The cases of a file, whose calls that list what recall finds are made under one kind of fault."""

    homes = Bare

    def open(self):
        """Opening under faults is another test (lifecycle.py), and so what is there is opened here."""
        self.player.open(options(self.place, self.kind))
        for row in self.player.must("call", "stele.status", "{}"):
            if row["state"] != "absent":
                self.player.must("begin", row["store"])
                self.player.must("commit")

    def to_be_tried(self, case):
        return [k for k, call in enumerate(self.calls)
                if call.method in METHODS and (self.long or self.sort_of(call) not in self.seen)]

    def play_call(self, k, call):
        args = call.args_with(self.names)
        whole = self.player.call(call.method, args)
        self.expect(call, *whole)
        sort = self.sort_of(call)
        if call.method not in METHODS or (sort in self.seen and not self.long):
            return
        self.seen[sort] = True
        self.read_under_faults(call.method, args, whole)  # with its statements prepared, and its indexes open,
        self.reopen()
        self.read_under_faults(call.method, args, whole)  # and without

    def read_under_faults(self, method, args, whole):
        for n in schedule(self.long):
            before = self.player.digest()
            attempt, answer, after = self.player.call_and_look(self.kind, n, method, args)
            notes = self.player.must("notes")
            if after["open"] or after["digest"] != before["digest"]:
                raise Failed(f"{attempt}: the store was changed, or a transaction left open: {show(answer[1])}")
            self.judge_read(attempt, method, args, whole, answer, set(PASSED_OVER.findall(notes)))
            if not attempt.fired:
                return
            self.must_tell(f"{attempt}, and then without it", self.player.call(method, args), whole)

    def must_tell(self, attempt, answer, wanted):
        same = answer[0] == wanted[0] and (answer[0] == "error" or told(answer[1]) == told(wanted[1]))
        if not same:
            raise Failed(f"{attempt}: {show(answer[1])}\ninstead of {show(wanted[1])}")

    def judge_read(self, attempt, method, args, whole, answer, passed):
        if answer[0] == "error" and answer[1]["code"] != (whole[0] == "error" and whole[1]["code"]):
            check_refusal(self.kind, attempt, answer[1])
        elif not passed:
            self.must_tell(attempt, answer, self.with_problems(attempt, answer, whole))
        elif not attempt.fired:
            raise Failed(f"{attempt}: stores were passed over for no reason")
        else:
            self.must_tell(f"{attempt}, {'/'.join(sorted(passed))} passed over", answer, self.without(passed, method, args, whole))

    def with_problems(self, attempt, answer, whole):
        """The whole answer, but for rows that tell a problem themselves."""
        if answer[0] != "ok" or whole[0] != "ok" or not attempt.fired or len(answer[1]) != len(whole[1]):
            return whole
        return whole[0], [self.with_problem(row, clean) for row, clean in zip(answer[1], whole[1])]

    def with_problem(self, row, clean):
        if row.get("problem"):
            return row
        return {**clean, "index": "unreadable"} if row.get("index") == "unreadable" else clean

    def without(self, passed, method, args, whole):
        """What is told without a fault, of the stores that were not passed over."""
        if method == "recall.get":
            nothing = {name: None for row in whole[1] for name in row}
            return "ok", [{**nothing, "ref": row["ref"]} if row["store"] in passed else row for row in whole[1]]
        asked = json.loads(args)
        asked["stores"] = [name for name in asked.get("stores", self.places.stores) if name not in passed]
        return self.player.call(method, json.dumps(asked))


if __name__ == "__main__":
    sys.exit(main(Recall, texts("recall*.txt")))
