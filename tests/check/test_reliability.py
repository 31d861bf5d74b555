#!/usr/bin/env python3
"""docs/reliability.md names every test there is, and none that is gone.  Prints TAP."""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(HERE)))
BUILD = os.environ.get("STELE_TEST_BUILD", os.path.join(SOURCE, "build"))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(SOURCE, "tools")]
import reliability  # noqa: E402
from check import tap  # noqa: E402

TEXT = reliability.read(reliability.DOCUMENT)
KNOWN = {program.name: program.path for program in reliability.programs(BUILD)}
ITSELF = "check/test_reliability"  # whose row is written after it was run
HOW = "`make test TEST_ARGS='--filter suite/name' && make reliability` writes it"


@tap.case
def every_test_is_listed():
    """every test has a row, with what it shows"""
    rows = reliability.rows_of(TEXT, "tests")
    for name, path in KNOWN.items():
        if name not in rows:
            if name != ITSELF:
                yield f"{name} has no row: {HOW}"
        elif rows[name][0] != reliability.first_sentence(path):
            yield f"{name} says {rows[name][0]!r}, its file {reliability.first_sentence(path)!r}: {HOW}"


@tap.case
def no_test_is_gone():
    """every row, and every promise, names a test there is"""
    named = set(re.findall(r"`([a-z_]+/[a-z_]+)`", TEXT)) - {"src/engine", "src/stores", "build/reports", "suite/name"}
    for name in sorted(named | reliability.rows_of(TEXT, "tests").keys()):
        if reliability.is_gone(name, KNOWN):
            yield name


@tap.case
def files_say_what_they_show():
    """the file of every test begins with a sentence"""
    for name, path in KNOWN.items():
        if len(reliability.first_sentence(path)) < 10:
            yield f"{name}: {path}"


if __name__ == "__main__":
    tap.main()
