#!/usr/bin/env python3
"""The shrinker: a fault is put into a model, and the random workload that meets it shrinks to the few calls that show it."""

import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from differential import case, compare, models, play, players, test_workloads  # noqa: E402
from method import script  # noqa: E402


class ForgetsRead(models.ALL["assistant"]):
    """Says of an article that is saved again that it was not read."""

    def save_read_later(self, args):
        return self._anew("articles", args, "added_at")


class NeverExpires(models.ALL["assistant"]):
    """Lets an action be confirmed whose time is over."""

    def claim_pending_action(self, args):
        return self._decide(args, "pending", status="confirmed")


class CountsRewound(models.ALL["conversation"]):
    """Counts messages that were taken back."""

    def message_count(self, args):
        return {"count": sum(row["session_id"] == args.get("session_id", row["session_id"]) for row in self.rows["messages"].values())}


class ForgetsListeners(models.ALL["telemetry"]):
    """Takes the second registration of a listener for another one."""

    def register_listener(self, args):
        return {"listener_id": self._add("listeners", {**args, "first_registered_at": args.get("first_registered_at", args["last_registered_at"])})}


# The fault, and the most calls that it takes to show it.
FAULTS = {ForgetsRead: 4, NeverExpires: 2, CountsRewound: 4, ForgetsListeners: 2}


def shortest(faulty, methods):
    """(the players, a workload that shows the fault as it was made, the same shrunk)."""
    declared = {method["name"]: method for method in methods}
    right = next(base for base in faulty.__mro__ if base in models.ALL.values())
    sides = [players.Memory(lambda: faulty(declared)), players.Memory(lambda: right(declared))]
    for seed in range(play.SEED, play.SEED + 50):  # the first that meets the fault
        calls = test_workloads.make_calls(methods, right, seed, 300)
        found = compare.first_difference(sides, calls)
        if found:
            break
    return sides, calls[:found[0] + 1], play.shorten(sides, calls[:found[0] + 1])


def as_case(sides, calls):
    """What the case expects, read back from its text."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "case.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(case.text("a fault", sides, calls, 1))
        return [(call.method, json.loads(call.args)) for call in script.read(path)[0].calls]


def main():
    methods, _ = play.declared()
    good = True
    for faulty, most in FAULTS.items():
        sides, long, short = shortest(faulty, methods)
        few = len(short) <= most and compare.first_difference(sides, short) is not None
        print(f"{'ok' if few else 'not ok'} - {faulty.__name__}: {len(long)} calls become {len(short)}, at most {most}")
        same = as_case(sides, short) == short
        print(f"{'ok' if same else 'not ok'} - {faulty.__name__}: the case that is printed plays the same calls")
        if not few:
            print("".join(f"# {method} {json.dumps(args)}\n" for method, args in short), end="")
        good = good and few and same
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
