#!/usr/bin/env python3
"""The views over all stores in a real browser: what they show, and what can be done in them.  Prints TAP."""

import glob
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from web import place, sample, stores  # noqa: E402


def nothing_made():
    """Whoever only looks makes no store."""
    with place.serve() as (server, _):
        failed = place.drive("empty.mjs", server)
        made = [os.path.basename(path) for path in glob.glob(os.path.join(server.home, "*.db"))]
    good = made == ["server.db"]
    print(f"{'ok' if good else 'not ok'} - looking at the views makes no store")
    if not good:
        print(f"# {made}")
    sys.stdout.flush()
    return failed | (not good)


def main():
    with place.serve(stores.fill) as (server, sessions):
        failed = place.drive("boards.mjs", server, str(sample.NOW), sessions[0])
    return failed | nothing_made()


if __name__ == "__main__":
    sys.exit(main())
