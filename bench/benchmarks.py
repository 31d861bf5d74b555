"""The benchmarks: how each is run, and in which order the table has them."""

import functools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import Callable

import capture.lines
import capture.transcripts
import conversation.growth
import conversation.lines
import count
import node
import python.lines
import recall.lines
import serve.lines
import serve.load
import start
import telemetry.lines
import vector.lines

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tests"))
import postgres  # noqa: E402

LIMIT = 900         # seconds that one program may take
LARGE_LIMIT = 7200  # and one with a million rows
SIZES = {"10k": 10_000, "100k": 100_000, "1m": 1_000_000}
LARGE = "1m"
ROWS = {"import", "overhead", "query", "upkeep"}  # programs to which --rows is passed on
SHARED = {"append", "import", "search"}           # work in one directory, where the store is that the import made
SCALE_BUFFERS = "4GB"       # a server of a million messages, and what they are found by, would have as much
SCALE_FIRST = "get_session"  # any one case: the first call fills the store


@dataclass
class Benchmark:
    name: str
    lines: Callable     # its lines of the table, from its figures
    run: Callable       # its figures, given a Bench
    repeated: bool = False
    large: bool = False


class Bench:
    """What the benchmarks need: the programs, a directory on the disk, the options."""

    def __init__(self, args, directory):
        self.args = args
        self.directory = directory
        self.import_figures = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def fresh(self, name):
        path = os.path.join(self.directory, name)
        shutil.rmtree(path, ignore_errors=True)
        os.mkdir(path)
        return path

    def path(self, name):
        """A program of the build."""
        return os.path.join(self.args.build_dir, name)

    def program(self, name, *words, place=(), limit=LIMIT):
        """The numbers that bench_<name> prints."""
        words = [self.path(f"bench/bench_{name}"), *(place or ("--dir", self.corpus() if name in SHARED else self.fresh(name))), *words]
        if self.args.rows and name in ROWS:
            words += ["--rows", str(self.args.rows)]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, timeout=limit)
        if done.returncode != 0:
            raise RuntimeError(f"bench_{name} ended with status {done.returncode}")
        return json.loads(done.stdout)

    def corpus(self):
        """The directory of the large store; the first who asks has it made."""
        if not self.import_figures:
            self.import_figures = self.program("import", place=("--dir", self.fresh("corpus")))
        return os.path.join(self.directory, "corpus")

    def script(self, name, *words, limit=LIMIT):
        """The numbers that a script prints which uses the Python package."""
        build = os.path.abspath(self.args.build_dir)
        env = {**os.environ, "PYTHONPATH": os.path.join(build, "python"), "STELE_LIBRARY": os.path.join(build, "libstele.so"),
               "STELE_CONFIG": os.devnull}
        done = subprocess.run([sys.executable, os.path.join(HERE, name), *words], env=env, stdout=subprocess.PIPE, text=True, timeout=limit, check=True)
        return json.loads(done.stdout)


# ---- How each is run ----

def program(name):
    return functools.partial(Bench.program, name=name)


def run_import(bench):
    bench.corpus()
    return bench.import_figures


def run_start(bench):
    return start.measure(bench.path("stele"), bench.fresh("start"))


def run_transcripts(bench):
    """The import, its rows once more, and a script that takes in the same files."""
    directory = bench.fresh("transcripts")
    figures = capture.transcripts.measure(bench.path("stele"), directory, bench.args.rows / 1000 or 120)
    figures |= bench.program("rewrite", place=("--dir", directory))
    bench.program("count", "--only", "original", place=("--dir", directory))  # makes the tables
    return figures | node.figures("capture/transcripts.mjs", capture.transcripts.place(os.path.join(directory, "agents")),
                                  os.path.join(directory, "original", "original.db"), limit=LARGE_LIMIT)


def run_serve(bench):
    return serve.load.measure(bench.args.build_dir, bench.fresh("serve"))


def run_python(bench):
    """The package, beside the same call from C."""
    return {**bench.script("python/overhead.py", str(bench.args.rows or 50000)), "c_us": bench.program("overhead")["json_us"]}


def run_count(bench):
    return count.measure(bench.path("bench/bench_count"), bench.fresh("count"), LIMIT)


def run_vectors(bench, rows):
    """Near vectors, and sqlite-vec with the same ones; not with a million, whose three gigabytes Node does not read at once."""
    figures = {"rows": rows, **bench.program("nearest", "--rows", str(rows), limit=LARGE_LIMIT)}
    if rows >= SIZES[LARGE]:
        return figures
    figures |= bench.program("beside", "--rows", str(rows))
    return figures | node.figures("vector/sqlite_vec.mjs", node.sqlite_vec(), os.path.join(bench.directory, "beside"), limit=LIMIT)


def beside_files(bench, rows, *words, only):
    """Warm, cold, and better-sqlite3 with what the original left; then it is all gone, for it is large."""
    directory = bench.fresh("growth")
    words = ("--rows", str(rows), "--only", ",".join(only), *words)
    try:
        figures = bench.program("growth", *words, place=("--dir", directory), limit=LARGE_LIMIT)
        figures |= bench.program("cold", *words, place=("--dir", directory), limit=LARGE_LIMIT)
        return figures | node.figures("conversation/better.mjs", directory, ",".join(only), limit=LARGE_LIMIT)
    finally:
        shutil.rmtree(directory)


def run_growth(bench, rows):
    return beside_files(bench, rows, "--per-session", "1000", only=[name for name in conversation.growth.WHAT if name != "list"])


def run_listing(bench, rows):
    """Sessions are short and many: as many messages make a hundred times as many of them."""
    return beside_files(bench, rows, "--per-session", "10", "--brief", only=["list"])


def run_postgres(bench, rows):
    with postgres.Server(durable=True) as server:
        return bench.program("growth", "--rows", str(rows), "--per-session", "1000", place=("--database", server.url), limit=LARGE_LIMIT)


def run_batches(bench, rows):
    directory = bench.fresh("batches")
    figures = bench.program("insert", "--rows", str(rows), place=("--dir", directory), limit=LARGE_LIMIT)
    return figures | node.figures("telemetry/better.mjs", os.path.join(directory, "bare", "telemetry.db"), limit=LIMIT)


def run_database_batches(bench, rows):
    with postgres.Server(durable=True) as server:
        return bench.program("insert", "--rows", str(rows), place=("--database", server.url), limit=LARGE_LIMIT)


def run_claims(bench, rows):
    directory = bench.fresh("claims")
    rows = max(rows, 5000)  # it takes 2,000 tickets, and then the other as many of what is left
    figures = bench.program("claims", "--rows", str(rows), place=("--dir", directory), limit=LARGE_LIMIT)
    return figures | node.figures("capture/better.mjs", os.path.join(directory, "bare", "capture.db"), limit=LIMIT)


def run_scale(bench, rows):
    """Every method that gets, lists or searches conversations, on both engines."""
    figures = {"sqlite": bench.program("scale", "--rows", str(rows), limit=LARGE_LIMIT)}
    with postgres.Server(durable=True, settings=[f"shared_buffers={SCALE_BUFFERS}"]) as server:
        place = ("--database", f"{server.url}&schema=stele_bench")
        filled = bench.program("scale", "--rows", str(rows), "--only", SCALE_FIRST, place=place, limit=2 * LARGE_LIMIT)
        for chore in ("VACUUM (ANALYZE)", "CHECKPOINT"):  # what a server does by itself soon after so many rows came, but not while calls are measured
            server.sql(chore)
        figures["postgres"] = filled | bench.program("scale", "--rows", str(rows), place=place, limit=LARGE_LIMIT)
    return {f"{engine}_{name}": value for engine, numbers in figures.items() for name, value in numbers.items()}


def run_recall(bench, rows):
    home = bench.fresh("recall")
    figures = bench.script("recall/scale.py", "--home", home, "--messages", str(rows), limit=LARGE_LIMIT)
    if rows >= SIZES[LARGE]:  # where a question takes the other way seconds
        return figures
    return figures | node.figures("recall/better.mjs", node.sqlite_vec(), home, "100", limit=LARGE_LIMIT)


# ---- Which there are ----

def sized(name, lines, run, sizes=tuple(SIZES)):
    """A benchmark of each size."""
    def with_rows(rows):
        return lambda bench: run(bench, bench.args.rows or rows)
    return [Benchmark(f"{name}-{label}", lines, with_rows(rows), large=label == LARGE) for label, rows in SIZES.items() if label in sizes]


def repeated(lines):
    return [Benchmark(name, one, program(name), repeated=True) for name, one in lines.items()]


ALL = [
    *sized("growth", conversation.growth.growth_lines, run_growth),
    *sized("listing", conversation.growth.listing_lines, run_listing),
    *sized("postgres", conversation.growth.postgres_lines, run_postgres),
    *sized("scale", conversation.lines.scale_lines, run_scale, ("100k", LARGE)),
    Benchmark("count", count.count_lines, run_count),
    Benchmark("import", conversation.lines.import_lines, run_import),
    *repeated(conversation.lines.REPEATED),
    Benchmark("upkeep", conversation.lines.upkeep_lines, program("upkeep")),
    *sized("batches", telemetry.lines.insert_lines, run_batches),
    *sized("postgres-batches", telemetry.lines.database_lines, run_database_batches),
    *repeated(telemetry.lines.REPEATED),
    *repeated(capture.lines.REPEATED),
    *sized("claims", capture.lines.claims_lines, run_claims),
    Benchmark("transcripts", capture.lines.transcripts_lines, run_transcripts),
    Benchmark("start", start.start_lines, run_start),
    Benchmark("serve", serve.lines.serve_lines, run_serve),
    Benchmark("python", python.lines.python_lines, run_python, repeated=True),
    *sized("vectors", vector.lines.near_lines, run_vectors),
    *sized("recall", recall.lines.recall_lines, run_recall),
]


def named(name, word):
    """Is it the benchmark that a word names, or one of its sizes?"""
    return name == word or name.rpartition("-")[0] == word


def chosen(order, only, large):
    """Those that are to be run: the large ones when they are asked for."""
    def wanted(one):
        if only and not any(named(one.name, word) for word in only):
            return False
        return large or not one.large or bool(only and one.name in only)
    return [one for one in order if wanted(one)]
