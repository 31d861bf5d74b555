#!/usr/bin/env python3
"""How soon every view of the dashboard is painted, and all of it is there, in front of a home with much in it.

    python3 bench/web/large.py HOME
    python3 bench/web/paint.py HOME [--build-dir build]

Prints a line for each view: the first paint, as the browser tells it, and the time until no part is waited for.  The medians of
three turns, each in a new browser context.  It needs what the browser tests need (make setup).
"""

import argparse
import glob
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "bench", "serve"))
import load  # noqa: E402

LIMIT = 900  # seconds


def main():
    parser = argparse.ArgumentParser(description="Measure how soon the dashboard's views are there.")
    parser.add_argument("home")
    parser.add_argument("--build-dir", default=os.path.join(TOP, "build"))
    args = parser.parse_args()
    node = glob.glob(os.path.join(TOP, "node_modules", "node-linux-*", "bin", "node"))
    if not node or not shutil.which("chromium"):
        print("paint: there is no Node, or no Chromium (make setup)", file=sys.stderr)
        return 1
    server = load.Server(os.path.join(args.build_dir, "stele"), args.home)
    try:
        script = [node[0], os.path.join(HERE, "paint.mjs"), server.address, server.token, shutil.which("chromium"), os.path.join(TOP, "node_modules")]
        figures = json.loads(subprocess.run(script, stdout=subprocess.PIPE, text=True, timeout=LIMIT, check=True).stdout)
    finally:
        server.stop()
    for view, times in figures.items():
        print(f"{view:24} first paint {times['paint_ms']:5.0f} ms, all of it {times['parts_ms']:5.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
