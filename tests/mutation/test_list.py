#!/usr/bin/env python3
"""The bugs of tests/mutation can still be put in: each text stands once in its file, and each test exists.  Prints TAP."""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
import mutations  # noqa: E402
from check import tap  # noqa: E402

SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(HERE)))


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


@tap.case
def stands_once():
    """what a bug replaces stands exactly once in its file"""
    for m in mutations.ALL:
        count = read(m.file).count(m.old) if m.old else 0
        if count != 1:
            yield f"{m.what}: {count} times in {m.file}"
        if m.old == m.new:
            yield f"{m.what}: changes nothing"


@tap.case
def tests_exist():
    """the test that must notice a bug is one of tests/meson.build"""
    listed = read("tests/meson.build")
    for m in mutations.ALL:
        suite, name = m.test.split("/")
        pattern = rf"'{name}'" if suite == "unit" else rf"\['{suite}', '{name}',"
        if not re.search(pattern, listed):
            yield f"{m.what}: {m.test}"


@tap.case
def enough():
    """there are at least twenty, in the engine and in the stores"""
    if len(mutations.ALL) < 20 or not mutations.ENGINE or not mutations.STORES:
        yield f"{len(mutations.ALL)}"
    names = [m.what for m in mutations.ALL]
    yield from (name for name in set(names) if names.count(name) > 1)


if __name__ == "__main__":
    tap.main()
