#!/usr/bin/env python3
"""Random calls of every method of a store, played on SQLite and on PostgreSQL: every reply and every refusal must be equal.

    test_engines.py [--store NAME] [--seed N] [--calls N] [--seconds N]

With --seconds workload follows workload, each with the next seed, for so long.  What differs is made as short as it can be, and
printed as a case for tests/method.
"""

import argparse
import contextlib
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from differential import play, players  # noqa: E402
from method import workload  # noqa: E402

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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--store", default="assistant")
    args = play.read_options(parser, calls=10000)
    if not os.environ.get("STELE_TEST_POSTGRES"):
        print("not ok - STELE_TEST_POSTGRES names no server (tests/postgres.py starts one)")
        return 1
    methods, stores = play.declared()
    called, until = set(), time.monotonic() + args.seconds
    with contextlib.ExitStack() as stack:
        engines = players.engines(stack, stores, first=FIRST.get(args.store, []))
        while True:
            made = workload.Workload(methods, args.store, args.seed, HINTS.get(args.store), WITHOUT.get(args.store, ()))
            calls = list(made.calls(args.calls))
            called |= {method for method, _ in calls}
            good = play.play(engines, calls, f"{args.store}: {len(calls)} random calls (seed {args.seed})")
            args.seed += 1
            if not good or time.monotonic() >= until:
                break
    missing = set(made.names) - called
    print(("not ok" if missing else "ok") + f" - {args.store}: every method that can be compared was called {sorted(missing) or ''}".rstrip())
    return 1 if missing or not good else 0


if __name__ == "__main__":
    sys.exit(main())
