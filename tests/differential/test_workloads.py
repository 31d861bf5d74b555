#!/usr/bin/env python3
"""Random calls, played on SQLite, on PostgreSQL and on a model in memory: every reply and every refusal must be equal.

    test_workloads.py [--store NAME]... [--seed N] [--calls N] [--seconds N]

With --seconds workload follows workload, each with the next seed, for so long.  What differs is made as short as it can be, and
printed as a case for tests/method.
"""

import argparse
import contextlib
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from differential import compare, models, play, players  # noqa: E402
from method import workload  # noqa: E402

CALLS = 600
LISTED = 40   # after so many calls all that can be read without arguments is compared
REOPENED = 5  # and at every so many of these, the stores are opened anew
WRONG = 0.04
NOW = "2026-03-10T00:00:00+00:00"


def said_by(model, method):
    """A method's declaration, with the arguments that the model wants to be sent."""
    params = []
    for param in method["params"]:
        if param["name"] in model.always.get(method["name"], ()):
            param = {name: value for name, value in param.items() if name != "optional"}
        if param["name"] not in model.without.get(method["name"], ()):
            params.append(param)
    return {**method, "params": params}


def make_calls(methods, model, seed, count):
    """A workload: random calls, with everything listed and the stores reopened in between."""
    known = set(model.methods())
    others = [method["name"] for method in methods if method["name"] not in known]
    made = workload.Workload([said_by(model, method) for method in methods], model.store, seed, model.hints, others, model.weights, WRONG)
    listings = [(method["name"], {param["name"]: NOW for param in method["params"] if param.get("default") == "now"}) for method in methods
                if method["name"] in known and method["access"] == "read" and all(param.get("optional") for param in method["params"])]
    calls = []
    for number, each in enumerate(made.calls(count), start=1):
        calls.append(each)
        if number % LISTED == 0:
            calls += listings
        if number % (LISTED * REOPENED) == 0:
            calls.append((compare.REOPEN, {}))
    return calls


class Bench:
    """The players of one store, kept for many workloads."""

    def __init__(self, methods, stores, model, which):
        by_name = {method["name"]: method for method in methods}
        by_name.update(model.records(by_name))
        self.methods, self.model = list(by_name.values()), model
        self.stack = contextlib.ExitStack()
        self.players = players.engines(self.stack, stores, which, numbered=model.numbered, hidden=model.hidden)
        self.players.append(players.Memory(lambda: model(by_name)))

    def play(self, seed, count):
        calls = make_calls(self.methods, self.model, seed, count)
        used = {method for method, _ in calls}
        return play.play(self.players, calls, f"{self.model.store}: {len(calls)} calls of {len(used)} methods (seed {seed})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--store", action="append", choices=sorted(models.ALL), help="of these stores; may be repeated")
    args = play.read_options(parser, CALLS)
    which = ["sqlite"] + (["postgres"] if os.environ.get("STELE_TEST_POSTGRES") else [])
    methods, stores = play.declared()
    good, until = True, time.monotonic() + args.seconds
    with contextlib.ExitStack() as stack:
        benches = [Bench(methods, stores, models.ALL[store], which) for store in args.store or sorted(models.ALL)]
        for bench in benches:
            stack.enter_context(bench.stack)
        seed = args.seed
        while True:
            good &= all([bench.play(seed, args.calls) for bench in benches])
            seed += 1
            if not good or time.monotonic() >= until:
                return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
