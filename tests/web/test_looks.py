#!/usr/bin/env python3
"""How the dashboard looks: no serious fault of accessibility, and the pictures of the README can be made.  Prints TAP."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from web import place, sample, stores  # noqa: E402

PICTURES = {f"{name}.png" for name in ("assistant", "health", "knowledge", "phone", "planner", "recall", "search", "session", "sessions", "telemetry", "timeline")}


def kept():
    """The pictures in the repository are those that are made here, each small enough to be there."""
    folder = os.path.join(place.SOURCE, "docs", "images")
    sizes = {name: os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)}
    good = set(sizes) == PICTURES and all(size <= 200_000 for size in sizes.values())
    print(f"{'ok' if good else 'not ok'} - the pictures of the README are these, and small")
    if not good:
        print(f"# {sizes}")
    return 0 if good else 1


def main():
    with place.serve(stores.fill) as (server, sessions), tempfile.TemporaryDirectory(prefix="stele-web-") as pictures:
        told = str(sample.NOW), sessions[0]
        failed = place.drive("access.mjs", server, *told)
        failed |= place.drive("shots.mjs", server, pictures, *told)
        made = set(os.listdir(pictures)) == PICTURES
    print(f"{'ok' if made else 'not ok'} - every picture was made")
    sys.stdout.flush()
    return failed | kept() | (not made)


if __name__ == "__main__":
    sys.exit(main())
