#!/usr/bin/env python3
"""Run the benchmarks and print one table: Stele beside what it is measured against, in the same run.

Every figure is a ratio: the programs (bench/*.c) let Stele and a bare C loop take turns on the same disk,
so that a slow moment hits both.  A ratio is the median of those of the single turns, and so need not be
the quotient of the two speeds beside it.  The rounds of all benchmarks are repeated, and the median of each
figure counts; the slowest call and the slowest sync are those of all rounds.

The stores are made in a directory of their own inside the build directory, removed at the end.  The
figures go to bench.json in the build directory.  A missed target is shown, not an error: the exit status
is 1 only if a benchmark could not be run.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import transcripts

BUDGET = 165  # seconds after which no further round is begun
LIMIT = 120   # seconds that one program may take
STARTS = 40   # runs of the command line
WORST = re.compile(r"_max$|_failures$|_slowest_sync_ms$")  # of several rounds the largest counts


@dataclass
class Line:
    """One line of the table.  at_least or at_most is the target for the ratio; neither: for information."""
    what: str
    stele: str
    bare: str = ""
    ratio: float = None
    at_least: float = None
    at_most: float = None

    def target(self):
        if self.at_least is not None:
            return f">= {self.at_least:g}"
        return f"<= {self.at_most:g}" if self.at_most is not None else ""

    def met(self):
        if self.at_least is None and self.at_most is None:
            return ""
        good = self.ratio >= self.at_least if self.at_least is not None else self.ratio <= self.at_most
        return "yes" if good else "NO"

    def cells(self):
        return [self.what, self.stele, self.bare, "" if self.ratio is None else f"{self.ratio:.2f}",
                self.target(), self.met()]


class Bench:
    """What the benchmarks need: the programs, a directory on the disk, the options."""

    def __init__(self, args, directory):
        self.args = args
        self.directory = directory

    def fresh(self, name):
        path = os.path.join(self.directory, name)
        shutil.rmtree(path, ignore_errors=True)
        os.mkdir(path)
        return path

    def program(self, name, *words, place=()):
        """The numbers that bench_<name> prints."""
        path = os.path.join(self.args.build_dir, "bench", f"bench_{name}")
        words = [path, *(place or ("--dir", self.fresh(name))), *words]
        if self.args.rows and name != "writers":
            words += ["--rows", str(self.args.rows)]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, timeout=LIMIT)
        if done.returncode != 0:
            raise RuntimeError(f"bench_{name} ended with status {done.returncode}")
        return json.loads(done.stdout)

    def insert(self):
        return self.program("insert")

    def query(self):
        return self.program("query")

    def writers(self):
        return self.program("writers")

    def overhead(self):
        return self.program("overhead")

    def redact(self):
        return self.program("redact")

    def start(self):
        """Cold starts of the command line, in turns with a program that does nothing."""
        stele = os.path.join(self.args.build_dir, "stele")
        home = self.fresh("start")
        commands = {"nothing": [shutil.which("true")], "version": [stele, "version"],
                    "call": [stele, "--home", home, "call", "telemetry.check_health"]}
        times = {name: [] for name in commands}
        for n in range(STARTS + 1):
            for name, command in commands.items():
                took = timed_start(command)
                if n > 0:  # the first one reads the programs from the disk and creates the store
                    times[name].append(took * 1000)
        return {f"{name}_ms": statistics.median(taken) for name, taken in times.items()}

    def transcripts(self):
        return transcripts.measure(os.path.join(self.args.build_dir, "stele"), self.fresh("transcripts"), 120)

    def postgres(self):
        if not self.args.postgres:
            return None
        url = self.args.postgres
        schema = f"{url}{'&' if '?' in url else '?'}schema=stele_bench"
        drop = ["psql", "--quiet", "--no-psqlrc", "--set=client_min_messages=warning", url,
                "--command", "DROP SCHEMA IF EXISTS stele_bench CASCADE"]
        quiet = {**os.environ, "PGOPTIONS": "--client-min-messages=warning"}
        subprocess.run(drop, env=quiet, check=True)
        try:
            return self.program("insert", place=("--database", schema))
        finally:
            subprocess.run(drop, env=quiet, check=True)


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


# ---- From figures to lines of the table ----

def insert_lines(f):
    for way, name in (("call", "stele_call"), ("typed", "prepare, bind, step")):
        stele, bare = f[f"{way}_rows_per_s"], f["bare_rows_per_s"]
        yield Line(f"insert {f['rows']:,.0f} rows, batches of 100: {name}", f"{stele:,.0f} rows/s",
                   f"{bare:,.0f} rows/s", f[f"{way}_ratio"], at_least=0.9)
    for way in ("call", "typed"):
        stele, bare = f[f"{way}_cpu_us_per_row"], f["bare_cpu_us_per_row"]
        yield Line(f"  processor time, {way}", f"{stele:.2f} us/row", f"{bare:.2f} us/row", stele / bare)


def query_lines(f):
    def spread(name):
        return f"{f[name + '_p50']:.1f} ms (p95 {f[name + '_p95']:.1f}, max {f[name + '_max']:.1f})"
    yield Line(f"listener summary, {f['rows']:,.0f} rows", spread("listener_summary"), "30 ms",
               f["listener_summary_p50"] / 30, at_most=1)
    yield Line("  processor time", f"{f['listener_summary_cpu_ms']:.1f} ms", "30 ms", f["listener_summary_cpu_ms"] / 30)
    for key in f:
        if key.endswith("_p50") and key != "listener_summary_p50":
            name = key.removesuffix("_p50")
            yield Line(f"  {name.replace('_', ' ')}", spread(name))


def writers_lines(f):
    limit = max(100, 3 * f["eight_slowest_sync_ms"])
    yield Line("8 writers, durability full", f"{f['eight_per_s']:,.0f}/s",
               f"{f['lone_per_s']:,.0f}/s alone", f["ratio"], at_least=0.6)
    yield Line("  longest call", f"{f['eight_max']:.0f} ms (p50 {f['eight_p50']:.1f}, p99 {f['eight_p99']:.1f})",
               f"{limit:.0f} ms (slowest sync {f['eight_slowest_sync_ms']:.0f})", f["eight_max"] / limit, at_most=1)
    yield Line("  calls that failed", f"{f['eight_failures']:.0f}", "0", f["eight_failures"], at_most=0)
    yield Line("  the same with SQLite's busy timeout alone", "",
               f"{f['bare_per_s']:,.0f}/s, p99 {f['bare_p99']:.1f}, max {f['bare_max']:,.0f} ms",
               f["eight_per_s"] / f["bare_per_s"])


def start_lines(f):
    for name, command in (("version", "stele version"), ("call", "stele call telemetry.check_health")):
        yield Line(f"start: {command}", f"{f[name + '_ms']:.1f} ms", f"{f['nothing_ms']:.1f} ms (true)",
                   f[name + "_ms"] / f["nothing_ms"])


def overhead_lines(f):
    for way, name in (("json", "stele_call"), ("typed", "bind, step, reset")):
        yield Line(f"one write in memory: {name}", f"{f[way + '_us']:.2f} us", f"{f['bare_us']:.2f} us",
                   f[f"{way}_us"] / f["bare_us"])


def redact_lines(f):
    for kind, name, goal in (("clean", "redaction of clean text", 1), ("suspect", "  with a word like token in every 40 bytes", None),
                             ("dirty", "  with a secret in every 16 KB", None)):
        yield Line(name, f"{f[kind + '_mb_per_s']:,.0f} MB/s", "200 MB/s", f[kind + "_mb_per_s"] / 200, at_least=goal)
    yield Line("  making the rules", f"{f['making_ms']:.1f} ms")


def transcripts_lines(f):
    yield Line(f"import {f['bytes'] / 1e6:,.0f} MB of transcripts, redacted", f"{f['mb_per_s']:.0f} MB/s", "60 MB/s",
               f["mb_per_s"] / 60, at_least=1)
    yield Line("  processor time", f"{f['cpu_s_per_gb']:.1f} s/GB")
    yield Line("  memory", f"{f['peak_mb']:.0f} MB", "128 MB", f["peak_mb"] / 128, at_most=1)


def postgres_lines(f):
    yield Line(f"PostgreSQL: insert {f['rows']:,.0f} rows, batches of 100", f"{f['typed_rows_per_s']:,.0f} rows/s")


LINES = {"insert": insert_lines, "query": query_lines, "writers": writers_lines, "start": start_lines,
         "overhead": overhead_lines, "transcripts": transcripts_lines, "redact": redact_lines, "postgres": postgres_lines}


def combine(runs):
    """One set of figures from several rounds."""
    return {key: (max if WORST.search(key) else statistics.median)([run[key] for run in runs]) for key in runs[0]}


def print_table(lines):
    table = [["what", "Stele", "bare, or limit", "ratio", "target", "met"], *(line.cells() for line in lines)]
    widths = [max(map(len, column)) for column in zip(*table)]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def file_system(path):
    """The kind of file system a path is on, as the kernel names it."""
    path, found = os.path.realpath(path), ("", "unknown")
    with open("/proc/self/mounts") as mounts:
        for _, point, kind, *_ in map(str.split, mounts):
            inside = path == point or path.startswith(point.rstrip("/") + "/")
            if inside and len(point) >= len(found[0]):
                found = (point, kind)
    return found[1]


def show_progress(text):
    if sys.stderr.isatty():
        print(f"\r{text:30}\r", end="", file=sys.stderr, flush=True)


def run_rounds(bench, names):
    """{benchmark: [figures of each round]}; all benchmarks once, then all of them again."""
    figures = {name: [] for name in names}
    started = time.monotonic()
    for n in range(bench.args.repeat):
        elapsed = time.monotonic() - started
        if n and elapsed * (n + 1) / n > BUDGET:
            print(f"bench: stopped after {n} of {bench.args.repeat} rounds, {elapsed:.0f} s", file=sys.stderr)
            break
        for name in names:
            show_progress(f"round {n + 1}: {name}")
            run = getattr(bench, name)()
            if run is not None:
                figures[name].append(run)
    show_progress("")
    return {name: runs for name, runs in figures.items() if runs}


def parse_arguments():
    parser = argparse.ArgumentParser(description="Measure Stele beside bare C loops.")
    parser.add_argument("--build-dir", default="build-bench", help="where the programs are (build-bench)")
    parser.add_argument("--only", action="append", choices=LINES, help="only this benchmark; repeatable")
    parser.add_argument("--rows", type=int, default=0, help="rows to write (200,000; overhead: calls)")
    parser.add_argument("--repeat", type=int, default=3, help="rounds of all benchmarks (3, fewer if they take long)")
    parser.add_argument("--dir", help="a directory on the disk to measure (the build directory)")
    parser.add_argument("--postgres", default=os.environ.get("STELE_TEST_POSTGRES"), metavar="URL",
                        help="a PostgreSQL to measure too ($STELE_TEST_POSTGRES)")
    return parser.parse_args()


def main():
    args = parse_arguments()
    directory = tempfile.mkdtemp(prefix="bench-", dir=args.dir or args.build_dir)
    machine = {"processors": os.cpu_count(), "load": os.getloadavg()[0], "file_system": file_system(directory)}
    if machine["file_system"] in ("tmpfs", "ramfs"):
        print("bench: the directory is in memory, not on a disk: choose another with --dir", file=sys.stderr)
    try:
        figures = run_rounds(Bench(args, directory), args.only or list(LINES))
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    combined = {name: combine(runs) for name, runs in figures.items()}
    with open(os.path.join(args.build_dir, "bench.json"), "w") as out:
        json.dump({"machine": machine, "figures": combined, "rounds": figures}, out, indent=1)
    print(f"{machine['processors']} processors, load {machine['load']:.1f} at the start, {machine['file_system']}, "
          f"rounds: {max(map(len, figures.values()), default=0)}")
    print_table([line for name, f in combined.items() for line in LINES[name](f)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
