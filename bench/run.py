#!/usr/bin/env python3
"""Run the benchmarks and print one table: Stele beside what it is measured against, in the same run.

Every figure is a ratio: the programs (bench/*/*.c) let Stele and a bare C loop take turns on the same disk,
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

import capture.lines
import capture.transcripts
import conversation.lines
import python.lines
import serve.lines
import serve.load
import telemetry.lines
import vector.lines
from table import print_table

BUDGET = 210  # seconds after which no further round is begun
LIMIT = 240   # seconds that one program may take
STARTS = 40   # runs of the command line
ONCE = {"import", "nearest"}  # not in every round: one makes the large store that the others then use, both take long
SHARED = {"append", "import", "search"}  # work in one directory, where that store is
ROWS = {"import", "insert", "overhead", "query"}  # to which --rows is passed on
LINES = {**telemetry.lines.LINES, **conversation.lines.LINES, **capture.lines.LINES, **serve.lines.LINES,
         **python.lines.LINES, **vector.lines.LINES}
WORST = re.compile(r"_max$|_failures$|_slowest_sync_ms$")  # of several rounds the largest counts


class Bench:
    """What the benchmarks need: the programs, a directory on the disk, the options."""

    def __init__(self, args, directory):
        self.args = args
        self.directory = directory
        self.imported = False
        self.import_figures = None

    def fresh(self, name):
        path = os.path.join(self.directory, name)
        shutil.rmtree(path, ignore_errors=True)
        os.mkdir(path)
        return path

    def program(self, name, *words, place=()):
        """The numbers that bench_<name> prints."""
        path = os.path.join(self.args.build_dir, "bench", f"bench_{name}")
        words = [path, *(place or ("--dir", self.corpus() if name in SHARED else self.fresh(name))), *words]
        if self.args.rows and name in ROWS:
            words += ["--rows", str(self.args.rows)]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, timeout=LIMIT)
        if done.returncode != 0:
            raise RuntimeError(f"bench_{name} ended with status {done.returncode}")
        return json.loads(done.stdout)

    def corpus(self):
        """The directory of the large store; the first who asks has it made."""
        if not self.imported:
            self.imported = True
            self.import_figures = self.program("import", place=("--dir", self.fresh("corpus")))
        return os.path.join(self.directory, "corpus")

    def run(self, name):
        """The figures of one benchmark; None: it cannot be run here."""
        special = {"import": self.large_import, "start": self.start, "transcripts": self.transcripts, "serve": self.serve,
                   "python": self.python, "postgres": self.postgres, "beside": self.beside}
        return special[name]() if name in special else self.program(name)

    def large_import(self):
        self.corpus()
        return self.import_figures

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
        return capture.transcripts.measure(os.path.join(self.args.build_dir, "stele"), self.fresh("transcripts"), 120)

    def serve(self):
        if not shutil.which("wrk"):
            raise RuntimeError("there is no wrk (tools/setup bench installs it)")
        return serve.load.measure(self.args.build_dir, self.fresh("serve"))

    def python(self):
        """The package, beside the same call from C."""
        here, build = os.path.dirname(os.path.abspath(__file__)), os.path.abspath(self.args.build_dir)
        env = {**os.environ, "PYTHONPATH": os.path.join(build, "python"), "STELE_LIBRARY": os.path.join(build, "libstele.so")}
        done = subprocess.run([sys.executable, os.path.join(here, "python", "overhead.py"), str(self.args.rows or 50000)], env=env,
                              stdout=subprocess.PIPE, text=True, timeout=LIMIT, check=True)
        return {**json.loads(done.stdout), "c_us": self.program("overhead")["json_us"]}

    def beside(self):
        """Near vectors, and sqlite-vec with the same ones."""
        return vector.lines.measure_beside(self.program("beside"), os.path.join(self.directory, "beside"), LIMIT)

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


def combine(runs):
    """One set of figures from several rounds."""
    return {key: (max if WORST.search(key) else statistics.median)([run[key] for run in runs]) for key in runs[0]}


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
            if n and name in ONCE:
                continue
            show_progress(f"round {n + 1}: {name}")
            run = bench.run(name)
            if run is not None:
                figures[name].append(run)
    show_progress("")
    return {name: runs for name, runs in figures.items() if runs}


def parse_arguments():
    parser = argparse.ArgumentParser(description="Measure Stele beside bare C loops.")
    parser.add_argument("--build-dir", default="build-bench", help="where the programs are (build-bench)")
    parser.add_argument("--only", action="append", choices=LINES, help="only this benchmark; repeatable")
    parser.add_argument("--rows", type=int, default=0, help="rows to write (telemetry 200,000, messages 100,000; overhead: calls)")
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
