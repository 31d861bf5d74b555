#!/usr/bin/env python3
"""How much of the engine and of the stores do the tests reach?

Runs tests in a build directory that counts (the option `coverage`, see meson_options.txt), has gcov tell what was counted, and prints
lines and branches of every file and directory.  Counts add up from run to run until `--fresh`, so that one test can be added to those
of an hour ago.  Ends with status 1 below FLOORS.

What counts as a branch: both ways out of a condition in the source, each operand of && and || being one, and every case of a switch;
it is compiled without optimisation, so that there are no others.  Not counted are the conditions of an assert, of which the second
way out is an error of ours, and lines with the words `not reached:` in a comment, which goes on to say why.
"""

import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DIRECTORIES = ("src/engine", "src/stores")
FLOORS = {"lines": 95.0, "branches": 90.0}
# What is about the engine and the stores.  Killed programs tell no counts, so that the kill tests are not among them.
SUITES = ("unit", "method", "fault", "backup", "retention", "forget", "scale", "assistant", "capture_store", "conversation", "documents",
          "planner", "cli", "serve")
LEFT_OUT = re.compile(r"\bassert\(|\bnot reached:")


@dataclass
class File:
    """What was reached in one source file."""
    lines: dict = field(default_factory=collections.Counter)  # number of the line: how often
    branches: dict = field(default_factory=dict)              # number of the line: how often each way was taken

    def add(self, number, line):
        self.lines[number] += line["count"]
        counts = [branch["count"] for branch in line["branches"]]
        if counts:  # a function of a header is in several objects, each with counts of its own
            known = self.branches.get(number, [])
            self.branches[number] = [sum(pair) for pair in zip(known, counts)] if len(known) == len(counts) else counts

    def leave_out(self, source):
        for number, text in enumerate(source, 1):
            if LEFT_OUT.search(text):
                self.lines.pop(number, None)
                self.branches.pop(number, None)

    def tally(self):
        ways = [count for counts in self.branches.values() for count in counts]
        return Tally(sum(map(bool, self.lines.values())), len(self.lines), sum(map(bool, ways)), len(ways))


@dataclass
class Tally:
    """How much of how much was reached."""
    lines: int = 0
    of_lines: int = 0
    branches: int = 0
    of_branches: int = 0

    def __add__(self, other):
        return Tally(self.lines + other.lines, self.of_lines + other.of_lines,
                     self.branches + other.branches, self.of_branches + other.of_branches)

    def share(self, what):
        of = getattr(self, f"of_{what}")
        return 100.0 * getattr(self, what) / of if of else 100.0


def told_by_gcov(build, note):
    """What gcov knows of one object: the places of its sources, below the root, and their lines."""
    # Without a file of counts, none of its functions was ever called: gcov then reads the notes alone.
    done = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", note],
                          cwd=build, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    for line in done.stdout.splitlines():
        for file in json.loads(line)["files"] if line.startswith("{") else []:
            yield os.path.relpath(os.path.join(build, file["file"]), ROOT), file["lines"]


def counted(build):
    """{path: File} of all that was compiled in DIRECTORIES."""
    files = collections.defaultdict(File)
    notes = [note for note in glob.glob(f"{build}/**/*.gcno", recursive=True)
             if os.path.basename(note).startswith(tuple(os.path.basename(d) + "_" for d in DIRECTORIES))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for told in pool.map(lambda note: list(told_by_gcov(build, note)), notes):
            for path, lines in told:
                if path.startswith(DIRECTORIES) and os.path.exists(os.path.join(ROOT, path)):  # notes of a file that is gone may be left
                    for line in lines:
                        files[path].add(line["line_number"], line)
    for path, file in files.items():
        with open(os.path.join(ROOT, path), encoding="utf-8") as source:
            file.leave_out(source)
    return files


def directories_of(path):
    """Those a file's counts belong to: src/stores/planner and src/stores."""
    while (path := os.path.dirname(path)).startswith(DIRECTORIES):
        yield path


def table(files):
    """[(name, Tally)]: every directory, followed by its files."""
    sums = collections.defaultdict(Tally)
    for path, file in files.items():
        for directory in directories_of(path):
            sums[directory] += file.tally()
    rows = []
    for directory in sorted(sums):
        rows.append((directory + "/", sums[directory]))
        rows += [(path, files[path].tally()) for path in sorted(files) if os.path.dirname(path) == directory]
    return rows


def show_missing(path, file):
    """The lines of a file that were not reached, and those left in one way only."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as source:
        for number, text in enumerate(source, 1):
            ways = file.branches.get(number, [])
            if number in file.lines and not file.lines[number]:
                print(f"{path}:{number}: never        {text.rstrip()}")
            elif not all(ways):
                print(f"{path}:{number}: {sum(map(bool, ways))} of {len(ways)} ways  {text.rstrip()}")


def forget(build):
    for path in glob.glob(f"{build}/**/*.gcda", recursive=True):
        os.remove(path)


def run_tests(build, suites, more):
    command = [sys.executable, os.path.join(ROOT, "tools/run_tests.py"), "--build-dir", build]
    return subprocess.run([*command, *(f"--suite={suite}" for suite in suites), *more], cwd=ROOT).returncode


def main():
    parser = argparse.ArgumentParser(description="Measure how much of the engine and the stores the tests reach.")
    parser.add_argument("--build-dir", default="build-coverage", metavar="DIR")
    parser.add_argument("--fresh", action="store_true", help="forget what was counted before")
    parser.add_argument("--no-run", action="store_true", help="run nothing, tell what was counted until now")
    parser.add_argument("--suite", action="append", help="only this suite; may be given several times")
    parser.add_argument("--missing", action="append", metavar="PATH",
                        help="what was not reached in this file, or in those of this directory; may be given several times")
    parser.add_argument("--report", metavar="FILE", help="write the figures of both directories there, as JSON")
    args, more = parser.parse_known_args()  # the rest is for run_tests.py
    build = os.path.join(ROOT, args.build_dir)

    if args.fresh:
        forget(build)
    failed = 0 if args.no_run else run_tests(build, args.suite or SUITES, more)
    files = counted(build)
    if args.missing:
        for path in sorted(files):
            if path.startswith(tuple(args.missing)):
                show_missing(path, files[path])
        return failed
    rows = table(files)
    print(f"{'':44}{'lines':>16}{'branches':>18}")
    for name, t in rows:
        print(f"{name if name.endswith('/') else '  ' + name:44}{t.lines:6}/{t.of_lines:<5}{t.share('lines'):5.1f} %"
              f"{t.branches:6}/{t.of_branches:<5}{t.share('branches'):5.1f} %")
    figures = {name.strip("/"): t for name, t in rows if name.strip("/") in DIRECTORIES}
    if args.report:
        os.makedirs(os.path.dirname(os.path.abspath(args.report)), exist_ok=True)
        with open(args.report, "w", encoding="utf-8") as out:
            json.dump({name: vars(t) for name, t in figures.items()}, out, indent=1)
    for name, t in figures.items():
        for what, floor in FLOORS.items():
            if t.share(what) < floor:
                print(f"FAIL  {name}: {t.share(what):.1f} % of the {what} were reached, not {floor:.0f} %")
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
