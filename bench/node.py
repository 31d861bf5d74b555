"""Programs that run in Node: what one would pick instead, from the npm registry."""

import glob
import json
import os
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _found(pattern):
    path = glob.glob(os.path.join(TOP, "node_modules", pattern))
    if not path:
        raise RuntimeError(f"there is no {pattern.split('/')[0]} (tools/setup bench fetches it)")
    return path[0]


def program():
    return _found("node-linux-*/bin/node")


def sqlite_vec():
    """The extension of SQLite."""
    return _found("sqlite-vec-linux-*/vec0.so")


def command(script, *words):
    _found("better-sqlite3/package.json")
    return [program(), "--no-warnings", os.path.join(TOP, "bench", script), *words]


def figures(script, *words, limit):
    """The numbers that a script prints."""
    done = subprocess.run(command(script, *words), stdout=subprocess.PIPE, text=True, timeout=limit, check=True)
    return json.loads(done.stdout)
