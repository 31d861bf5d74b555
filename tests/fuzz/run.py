#!/usr/bin/env python3
"""Build and run fuzz targets: tests/fuzz/run.py TARGET SECONDS; the target `all` runs each of them for so long, and tells what came of it.

The build directory is made with clang, AddressSanitizer and UndefinedBehaviorSanitizer.  Seeds are made up at
run time (seeds.py), into a directory of their own; what the fuzzer finds to be new is kept beside them, in the build
directory, so that the next run goes on from there.  An input that breaks a target is left there too, and told; once
what it shows is mended, it goes to tests/fuzz/regressions/TARGET/, from where every test run plays it.

A new target is fuzz_NAME.c here, its name in tests/fuzz/meson.build, and, if it has any, its seeds in a file of *_seeds.py.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import in_memory  # noqa: E402
from fuzz import seeds  # noqa: E402

REGRESSIONS = os.path.join(HERE, "regressions")
# A target whose one input is many calls may take long on a busy machine.
PATIENCE = 60
LONGEST = 4096
# Of what a fuzzer tells of itself: inputs tried, places of the code that were reached, inputs that were new.
FIGURES = (r"number_of_executed_units: (\d+)", r"cov: (\d+)", r"new_units_added: +(\d+)")


def targets():
    return sorted(name[len("fuzz_"):-len(".c")] for name in os.listdir(HERE) if name.startswith("fuzz_") and name.endswith(".c"))


def build(directory, names):
    if not os.path.exists(os.path.join(directory, "build.ninja")):
        subprocess.run(["meson", "setup", directory, SOURCE, "-Dfuzz=true", "-Db_lundef=false", "-Dtests=true"],
                       env={**os.environ, "CC": os.environ.get("CC", "ccache clang")}, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", directory, "-j2", *(f"tests/fuzz/fuzz_{name}" for name in names)], check=True, stdout=subprocess.DEVNULL)


def run(args, name, output=None):
    """The exit status of a target that ran for its time."""
    corpus = os.path.join(args.build_dir, "corpus", name)
    kept = os.path.join(REGRESSIONS, name)
    os.makedirs(corpus, exist_ok=True)
    seeds.write(name, corpus, random.Random(args.seed))
    program = os.path.join(args.build_dir, "tests", "fuzz", f"fuzz_{name}")
    with tempfile.TemporaryDirectory(prefix="stele-fuzz-", dir=in_memory.directory()) as place:
        return subprocess.run([program, corpus, *([kept] if os.path.isdir(kept) else []), f"-max_total_time={args.seconds}", f"-timeout={PATIENCE}",
                               f"-max_len={LONGEST}", "-rss_limit_mb=2048", "-print_final_stats=1", f"-artifact_prefix={corpus}-failed-"],
                              env={**os.environ, "TMPDIR": place}, stderr=output).returncode


def last(pattern, text):
    found = re.findall(pattern, text)
    return found[-1] if found else "?"


def run_all(args):
    """A line per target: inputs tried, places of the code reached, inputs that were new, and what broke it."""
    failed, executed = 0, {}
    print(f"{'target':16} {'executions':>11} {'coverage':>9} {'new':>6}", flush=True)
    for name in targets():
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            status = run(args, name, output)
            output.seek(0)
            text = output.read()
        figures = [last(pattern, text) for pattern in FIGURES]
        print("{:16} {:>11} {:>9} {:>6}".format(name, *figures) + ("" if status == 0 else "  FAILED"), flush=True)
        executed[name] = int(figures[0]) if status == 0 and figures[0].isdigit() else None
        if status != 0:
            failed += 1
            print("    " + "\n    ".join(text.splitlines()[-40:]), flush=True)
    if args.report:
        os.makedirs(os.path.dirname(args.report) or ".", exist_ok=True)
        with open(args.report, "w", encoding="utf-8") as file:
            json.dump(executed, file, indent=1)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description="Run a fuzz target for some seconds, or all of them one after another.")
    parser.add_argument("target", help="redact, reader_codex, http, mcp, raw_sql, ..., or all")
    parser.add_argument("seconds", type=int)
    parser.add_argument("--build-dir", default=os.path.join(SOURCE, "build-fuzz"))
    parser.add_argument("--seed", type=int, default=1, help="of the seeds that are made up")
    parser.add_argument("--report", metavar="FILE", help="of all: write how many inputs each target was given, as JSON; null: it failed")
    args = parser.parse_args()
    build(args.build_dir, targets() if args.target == "all" else [args.target])
    return run_all(args) if args.target == "all" else run(args, args.target)


if __name__ == "__main__":
    sys.exit(main())
