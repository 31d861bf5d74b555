#!/usr/bin/env python3
"""The library shows what its header declares, and nothing else.  Prints TAP."""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from check import tap  # noqa: E402

SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(HERE)))
SHARED = os.environ.get("STELE_TEST_LIBRARY", "")
STATIC = re.sub(r"\.so[.\d]*$", ".a", SHARED)

DECLARED = re.compile(r"^STELE_API\b[^;{]*?\b(\w+)\s*\(", re.MULTILINE)
SANITIZER = re.compile(r"_*(odr_)?(asan|ubsan|lsan|sanitizer)")  # names that the compiler adds


def declared():
    """The functions of the public header."""
    with open(os.path.join(SOURCE, "include", "stele.h"), encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    return set(DECLARED.findall(text))


def exported():
    """What a program that links the shared library can see."""
    out = subprocess.check_output(["nm", "--dynamic", "--defined-only", SHARED], text=True)
    return {line.split()[-1].split("@")[0] for line in out.splitlines() if line}


def archived():
    """(name, visibility) of the global symbols that the static library defines."""
    out = subprocess.check_output(["readelf", "--wide", "--symbols", STATIC], text=True, stderr=subprocess.DEVNULL)
    for line in out.splitlines():
        words = line.split()
        if len(words) == 8 and words[4] in ("GLOBAL", "WEAK") and words[6] not in ("UND", "Ndx"):
            yield words[7], words[5]


@tap.case
def _():
    """the header declares at most 32 functions, named stele_..."""
    functions = declared()
    if not 0 < len(functions) <= 32:
        yield f"{len(functions)} functions"
    yield from (f"{name} does not begin with stele_" for name in sorted(functions) if not name.startswith("stele_"))


@tap.case
def _():
    """the shared library exports the functions of the header, and nothing else"""
    found = {name for name in exported() if not SANITIZER.match(name)}
    yield from (f"{name} is declared, and not exported" for name in sorted(declared() - found))
    yield from (f"{name} is exported, and not declared" for name in sorted(found - declared()))


@tap.case
def _():
    """the static library shows the functions of the header, and hides the rest"""
    found = {name for name, visibility in archived() if visibility == "DEFAULT" and not SANITIZER.match(name)}
    yield from (f"{name} is declared, and not shown" for name in sorted(declared() - found))
    yield from (f"{name} is shown, and not declared" for name in sorted(found - declared()))


@tap.case
def _():
    """what the static library hides has a prefix of its own: st_, stele_, or SQLite's"""
    for name, _ in archived():
        if not name.startswith(("st_", "stele_", "sqlite3")) and not SANITIZER.match(name):
            yield name


if __name__ == "__main__":
    tap.main()
