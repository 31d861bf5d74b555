"""Cold starts of the command line, in turns with a program that does nothing, and with scripts that open a store and ask it one thing."""

import os
import shutil
import statistics
import sys
import time

import node
from table import Line, Rival, short

STARTS = 40
QUESTION = "SELECT count(*) FROM sessions"


def timed_start(command):
    """Seconds from starting a program to its end."""
    null = os.open(os.devnull, os.O_RDWR)
    quiet = [(os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1)]
    started = time.monotonic()
    _, status = os.waitpid(os.posix_spawn(command[0], command, os.environ, file_actions=quiet), 0)
    took = time.monotonic() - started
    os.close(null)
    if status != 0:
        raise RuntimeError(f"{' '.join(command)} failed")
    return took


def measure(stele, home):
    store = os.path.join(home, "telemetry.db")
    commands = {"nothing": [shutil.which("true")], "version": [stele, "version"],
                "call": [stele, "--home", home, "call", "telemetry.check_health"],
                "python": [sys.executable, "-c", "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone())", store, QUESTION],
                "better": node.command("start.mjs", store, QUESTION)}
    timed_start(commands["call"])  # creates the store
    times = {name: [] for name in commands}
    for n in range(STARTS + 1):
        for name, command in commands.items():
            took = timed_start(command)
            if n > 0:  # the first one reads the programs from the disk
                times[name].append(took * 1000)
    return {f"{name}_{part}_ms": value for name, taken in times.items()
            for part, value in (("p50", statistics.median(taken)), ("p95", sorted(taken)[int(0.95 * len(taken))]), ("max", max(taken)))}


def start_lines(f):
    rivals = tuple(Rival(what, f"{short(f[name + '_p50_ms'])} ms", f[name + "_p50_ms"] / f["call_p50_ms"])
                   for name, what in (("python", "Python's sqlite3"), ("better", "better-sqlite3")))
    for name, command in (("version", "stele version"), ("call", "stele call telemetry.check_health")):
        yield Line(f"start: {command}", f"{short(f[name + '_p50_ms'])} ms (p95 {short(f[name + '_p95_ms'])}, max {short(f[name + '_max_ms'])})",
                   f"{f['nothing_p50_ms']:.1f} ms (true)", f["nothing_p50_ms"] / f[name + "_p50_ms"], more=True,
                   rivals=rivals if name == "call" else ())
