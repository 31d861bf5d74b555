#!/usr/bin/env python3
"""One workload of random calls, played on SQLite and on PostgreSQL: every reply and every refusal must be equal.

    test_differential.py [--seed N] [--calls N] [--store NAME]

What differs is shortened before it is shown: calls are left out as long as the engines still differ at the end.
"""

import argparse
import contextlib
import json
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from method import doors, workload  # noqa: E402

SEED = 20260301
TRIES = 300  # plays while shortening

# What depends on the engine by its nature, or on chance.
WITHOUT = {
    "telemetry": {"telemetry.checkpoint_wal", "telemetry.size_failsafe", "telemetry.check_health"},
    "assistant": {
        "assistant.describe_schema", "assistant.raw_sql_query", "assistant.raw_sql_execute", "assistant.raw_sql_dryrun",
        "assistant.vault_put", "assistant.vault_get", "assistant.vault_totp", "assistant.vault_rotate",
    },
}
# What a store begins with carries the time at which it was made.
FIRST = {
    "assistant": [("assistant.delete_alert_rule", {"id": f"system:{name}"}) for name in ("task_due_today", "task_overdue")],
}
HINTS = {
    "assistant": {
        "source": ["notes", "interactions", "read_later", "agent", "reflection", "voice"],
        "sources": ["notes", "interactions", "read_later"],
        "status": ["pending", "todo", "done", "open", "active", "candidate", "sent", "running", "queued", "confirmed", "odd"],
        "metric_type": ["steps", "heart_rate", "weight"],
    },
}


def outcome(answer):
    """A reply as it is; of a refusal its kind and the field it names: the words may tell what the engine said."""
    word, told = answer
    if word == "ok":
        return told
    return {"code": told["code"], "field": told["field"]}


def same(one, other):
    """Equal as JSON values; numbers by their value, not by how they are written."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12)  # sums are not added up in the same order
    return one == other


class Engines:
    """The same empty store on both engines, again and again."""

    def __init__(self, stores, first):
        self.first = first
        self.stack = contextlib.ExitStack()
        self.sides = []
        for places in (doors.Sqlite(), doors.Postgres(stores)):
            entered = self.stack.enter_context(places)
            self.sides.append((entered, self.stack.enter_context(doors.Player())))

    def first_difference(self, calls):
        """(number of the call, what SQLite said, what PostgreSQL said), or None."""
        opened, self.answered = [], 0
        for places, player in self.sides:
            opened.append(places.new())
            player.open(opened[-1])
            for method, args in self.first:
                player.must("call", method, json.dumps(args))
        try:
            for number, (method, args) in enumerate(calls):
                text = json.dumps(args)
                answers = [player.call(method, text) for _, player in self.sides]
                said = [outcome(each) for each in answers]
                self.answered += answers[0][0] == "ok"
                if not same(*said):
                    return number, *said
            return None
        finally:
            for (places, player), place in zip(self.sides, opened):
                player.close()
                places.forget(place)

    def shorten(self, calls):
        """Leave out what the difference does not need: halves, quarters, ... then single calls."""
        size, tries = len(calls) // 2, 0
        while size >= 1 and tries < TRIES:
            start = 0
            while start < len(calls) - 1 and tries < TRIES:
                shorter = calls[:start] + calls[min(start + size, len(calls) - 1):]
                tries += 1
                found = self.first_difference(shorter)
                if found:
                    calls = shorter[:found[0] + 1]
                else:
                    start += size
            size //= 2
        return calls


def show(engines, calls):
    number, sqlite, postgres = engines.first_difference(calls)
    for method, args in calls[:number + 1]:
        print(f"#   {method}  {json.dumps(args, ensure_ascii=False)}")
    print(f"# SQLite:     {json.dumps(sqlite, ensure_ascii=False)[:2000]}")
    print(f"# PostgreSQL: {json.dumps(postgres, ensure_ascii=False)[:2000]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--calls", type=int, default=10000)
    parser.add_argument("--store", default="assistant")
    args = parser.parse_args()
    if not os.environ.get("STELE_TEST_POSTGRES"):
        print("not ok - STELE_TEST_POSTGRES names no server (tests/postgres.py starts one)")
        return 1
    with doors.Sqlite() as places, doors.Player() as player:
        player.open(places.new())
        methods = player.must("call", "stele.methods", "{}")
        stores = [status["store"] for status in player.must("call", "stele.status", "{}")]
    made = workload.Workload(methods, args.store, args.seed, HINTS.get(args.store), WITHOUT.get(args.store, ()))
    calls = list(made.calls(args.calls))
    engines = Engines(stores, FIRST.get(args.store, []))
    with engines.stack:
        found = engines.first_difference(calls)
        title = f"{args.store}: {len(calls)} random calls (seed {args.seed}) are answered alike by both engines ({engines.answered} done)"
        print(("not ok - " if found else "ok - ") + title)
        if found:
            show(engines, engines.shorten(calls[:found[0] + 1]))
    used = {method for method, _ in calls}
    missing = sorted(set(made.names) - used)
    print(("not ok" if missing else "ok") + f" - {args.store}: every method that can be compared was called {missing or ''}")
    return 1 if found or missing else 0


if __name__ == "__main__":
    sys.exit(main())
