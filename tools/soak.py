#!/usr/bin/env python3
"""Run the long forms of the tests that have one: hours of kills, power losses, faults and crowds.

The programs are those of `make test` (tests/meson.build), given more to do.  A program that starts and one that ends are told; what failed
is shown with its output, in which a seed stands.  --share 0.01 is a hundredth of it, --filter TEXT what has TEXT in its name.
What is tried whole or not (every fault, every door) is tried whole only from a share of 0.1 on.

The last line is `N passed, N failed`; the exit status is 0 if nothing failed, else 1.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import sys
from contextlib import nullcontext

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run_tests  # noqa: E402

LIMIT = 24 * 3600  # seconds of one program

# What each is given: options and variables.  Their numbers are for the whole.
LONG = {
    "kill/sqlite": ["--cycles", 5000],
    "kill/named": ["--cycles", 5000],
    "kill/postgres": ["--cycles", 1000],
    "fault/power": ["--every", "--seeds", 12],
    "fault/lifecycle": ["--long"],
    "fault/rescue": ["--long"],
    "fault/recall": ["--long"],
    "fault/run": ["--long"],
    "method/run": ["--whole"],
    "concurrency/crowd": ["--processes", 4, "--threads", 8, "--rounds", 5000],
    "concurrency/test_pressure": [],
    "differential/test_workloads": ["--seconds", 7200],
    "differential/test_engines": ["--seconds", 3600],
    "backup/test_backup": [],
    "backup/test_salvage": [],
}
VARIABLES = {"STELE_SOAK": 50}
LEAST = 3  # of anything, however small the share
WHOLE = 0.1  # the least share with which words that have no number are said


def of_share(word, share):
    return str(max(LEAST, round(word * share))) if isinstance(word, int) else word


def words_of(test, share):
    words = LONG[test.name]
    for k, word in enumerate(words):
        counted = isinstance((*words, "")[k + 1], int)
        if isinstance(word, int) or counted or share >= WHOLE:
            yield of_share(word, share)


def lengthen(test, share):
    words = list(words_of(test, share))
    variables = {name: of_share(number, share) for name, number in VARIABLES.items()}
    return dataclasses.replace(test, command=test.command + words, env={**test.env, **variables}, limit=LIMIT)


def run(runner, test):
    print(f"      {test.build:16} {test.name} begins: {' '.join(test.command[1:])[-100:]}", flush=True)
    return runner.run(test)


def run_all(tests, jobs):
    passed = failed = 0
    url = os.environ.get("STELE_TEST_POSTGRES")
    start = not url and any(run_tests.has_postgres(build) for build in {test.build for test in tests})
    with run_tests.postgres.Server() if start else nullcontext() as server, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runner = run_tests.Runner(server.url if start else url)
        try:
            for future in concurrent.futures.as_completed([pool.submit(run, runner, test) for test in tests]):
                result = future.result()
                run_tests.report(result, False)
                passed, failed = passed + result.passed, failed + result.failed
        finally:
            runner.stop()
            pool.shutdown(cancel_futures=True)
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description="Run the long forms of the tests.")
    parser.add_argument("--build-dir", action="append", metavar="DIR", help="may be given several times")
    parser.add_argument("--share", type=float, default=1.0, help="of the whole, e.g. 0.01")
    parser.add_argument("--filter", default="", metavar="TEXT", help="only tests with TEXT in suite/name")
    parser.add_argument("--jobs", type=int, default=run_tests.JOBS, metavar="N", help="programs at a time")
    args = parser.parse_args()
    builds = args.build_dir or ["build"]

    run_tests.postgres.stop_on_signals()
    passed, failed = 0, run_tests.build_all(builds)
    if not failed:
        found = [test for build in builds for test in run_tests.tests_of(build) if test.name in LONG and args.filter in test.name]
        passed, failed = run_all([lengthen(test, args.share) for test in found], args.jobs) if found else (0, 1)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
