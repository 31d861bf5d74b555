#!/usr/bin/env python3
"""Run the benchmarks and print one table: Stele beside what it is measured against, in the same run.

Every figure is a ratio: the programs (bench/*/*.c) let Stele and a bare C loop take turns on the same disk,
so that a slow moment hits both.  A ratio is the median of those of the single turns, and so need not be
the quotient of the two speeds beside it.  Short benchmarks are repeated in rounds, and the median of each
figure counts; the slowest call and the slowest sync are those of all rounds.

The stores are made in a directory of their own inside the build directory, removed at the end.  The
figures go to bench.json in the build directory as soon as each benchmark has ended, beside those of earlier runs (--only
measures some of them, --resume those that this commit lacks), and the table is of all that is there; bench.svg has the
pictures.  --keep puts the ratios into bench/history, --write the table into docs/performance.md.  A missed target is
shown, not an error: the exit status is 1 only if a benchmark could not be run, or if --check found a ratio that is worse
than it may be (by more than 15 %; instruction counts: 3 %) than when it was kept last, and still is when its benchmark is
run once more.
"""

import argparse
import datetime
import os
import shutil
import subprocess
import sys
import tempfile
import time

import benchmarks
import conversation.growth
import history
import machine
import plot
import report
from results import Results
from table import keyed, print_table

BUDGET = 210  # seconds after which no further round of the short benchmarks is begun


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


class Run:
    """One run of some benchmarks; what could not be run is noted, and the others go on."""

    def __init__(self, bench, results, chosen):
        self.bench, self.results, self.chosen = bench, results, chosen
        self.commit, self.failed = machine.commit(), []
        self.rounds = {one.name: [] for one in chosen}

    def measure(self, one):
        """One round of a benchmark; False: it failed."""
        started = time.monotonic()
        try:
            figures = one.run(self.bench)
        except (OSError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
            say(f"{one.name} failed: {error}")
            self.failed.append(one.name)
            return False
        self.rounds[one.name].append(figures)
        self.results.put(one.name, self.rounds[one.name], now(), self.commit)
        say(f"{one.name}: {time.monotonic() - started:.0f} s")
        return True

    def all(self):
        """All of them once; then the short ones again."""
        started = time.monotonic()
        for n, one in enumerate(self.chosen):
            say(f"{n + 1} of {len(self.chosen)}: {one.name} ...")
            self.measure(one)
        say(f"all: {time.monotonic() - started:.0f} s")
        short = [one for one in self.chosen if one.repeated and one.name not in self.failed]
        started = time.monotonic()
        for n in range(2, self.bench.args.repeat + 1):
            elapsed = time.monotonic() - started
            if not short or elapsed * n / (n - 1) > BUDGET:
                break
            for one in short:
                self.measure(one)

    def again(self, names):
        """Measure these anew, without what they had before."""
        for one in self.chosen:
            if one.name in names:
                self.rounds[one.name] = []
                self.measure(one)


def lines_of(results, order):
    """{key: Line} of all benchmarks that were ever measured here, in the order of the table."""
    lines = {}
    for one in order:
        figures = results.figures().get(one.name)
        if figures:
            try:
                lines |= keyed(one.name, one.lines(figures))
            except KeyError as missing:
                say(f"{one.name} was measured by an earlier version, which did not tell {missing}: left out")
    return lines


def check(run, order):
    """What is worse than when it was kept last, twice: a slow moment is not reported."""
    known = history.last_known(history.entries())
    if not known:
        say("no run was kept (bench/run.py --keep): there is nothing to compare with")
        return []

    def found():
        chosen = {one.name for one in run.chosen}
        return history.worsened({key: line for key, line in lines_of(run.results, order).items() if key.partition(":")[0] in chosen}, known)
    worse = {name for name, *_ in found()}
    run.again({name.partition(":")[0] for name in worse})
    return [one for one in found() if one[0] in worse]


def hand_out(args, results, order, about):
    """Everything a run leaves behind."""
    lines = lines_of(results, order)
    kept = history.entry(now(), machine.commit(), about, lines)
    charts = list(conversation.growth.charts(results.figures()))
    results.finish(kept)
    if charts:
        plot.write(os.path.join(args.build_dir, "bench.svg"), charts)
    print(machine.sentence(about))
    print_table(lines.values())
    if args.keep:
        print(f"kept in {os.path.relpath(history.keep(kept))}")
    if args.write:
        report.write(kept, results.measured, lines.values(), charts)


def parse_arguments(names):
    parser = argparse.ArgumentParser(description="Measure Stele beside bare C loops and what one would pick instead.",
                                     epilog=f"The benchmarks: {', '.join(names)}.")
    parser.add_argument("--build-dir", default="build-bench", help="where the programs are (build-bench)")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this benchmark, or all of that name with a size behind it; repeatable")
    parser.add_argument("--resume", action="store_true", help="only what this commit has no figures of")
    parser.add_argument("--rows", type=int, default=0, help="rows to write, instead of each benchmark's own number: to try it out (bench-tried.json)")
    parser.add_argument("--repeat", type=int, default=3, help="rounds of the short benchmarks (3, fewer if they take long)")
    parser.add_argument("--large", action="store_true", help="also with a million rows (hours)")
    parser.add_argument("--check", action="store_true", help="compare with what was kept last")
    parser.add_argument("--keep", action="store_true", help="put the ratios into bench/history")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    parser.add_argument("--dir", help="a directory on the disk to measure (the build directory)")
    args = parser.parse_args()
    for name in args.only or []:
        if not any(benchmarks.named(one, name) for one in names):
            parser.error(f"there is no benchmark {name}: {', '.join(names)}")
    if args.rows and (args.keep or args.write or args.check):
        parser.error("with --rows nothing is kept, written or compared: only the benchmarks' own numbers of rows are")
    return args


def main():
    order = benchmarks.ALL
    args = parse_arguments([one.name for one in order])
    results = Results(args.build_dir, tried=bool(args.rows))
    directory = tempfile.mkdtemp(prefix="bench-", dir=args.dir or args.build_dir)
    about = machine.described(directory)
    if about["file_system"] in ("tmpfs", "ramfs"):
        say("the directory is in memory, not on a disk: choose another with --dir")
    chosen = benchmarks.chosen(order, args.only, args.large)
    if args.resume:
        chosen = [one for one in chosen if not results.has(one.name, machine.commit())]
    worse, failed = [], []
    try:
        with benchmarks.Bench(args, directory) as bench:
            run = Run(bench, results, chosen)
            run.all()
            if args.check:
                worse = check(run, order)
            failed = run.failed
        hand_out(args, results, order, about)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    for name, then, measured, part in worse:
        print(f"WORSE by {part:.0%}: {name}: {then:.2f} was kept, {measured:.2f} is measured")
    for name in failed:
        print(f"NOT RUN: {name}")
    return 1 if worse or failed else 0


if __name__ == "__main__":
    sys.exit(main())
