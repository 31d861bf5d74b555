#!/usr/bin/env python3
"""Each directory of src/ uses only what is below it.  Prints TAP."""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from check import tap  # noqa: E402

SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(HERE)))
SRC = os.path.join(SOURCE, "src")

# From the top down.  Those of one line are strangers to each other.
LAYERS = [["cli", "serve"], ["forge", "ingest"], ["door"], ["recall", "forget"], ["capture"], ["enrich"], ["stores"], ["search"], ["chat", "embed", "vector"], ["engine"],
          ["http"], ["base"]]
DOORS = LAYERS[0] + LAYERS[1] + LAYERS[2]
SHARED = ("forge", "ingest", "door", "http")  # what doors have in common
# Where the command line starts another door: the only headers of one that it includes.
SEAMS = (("cli/serve.c", "../serve/serve.h"), ("cli/mcp.c", "../serve/mcp_stdio.h"))
LEVEL = {directory: number for number, line in enumerate(LAYERS) for directory in line}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)


def sources():
    """(path below src/, text) of every C file."""
    for directory, _, files in sorted(os.walk(SRC)):
        for name in sorted(files):
            if name.endswith((".c", ".h")):
                path = os.path.join(directory, name)
                with open(path, encoding="utf-8") as file:
                    yield os.path.relpath(path, SRC), file.read()


def includes():
    """(path below src/, its directory, what it includes, whether that is ours)"""
    for path, text in sources():
        for quote, name in INCLUDE.findall(text):
            if (path, name) in SEAMS:
                continue
            yield path, path.split(os.sep)[0], name, quote == '"'


def home_of(path, name):
    """The directory of src/ that an included file is in, or None."""
    beside = os.path.join(os.path.dirname(path), name)
    for candidate in (beside, name):
        if os.path.exists(os.path.join(SRC, candidate)):
            return os.path.normpath(candidate).split(os.sep)
    return None


@tap.case
def _():
    """every directory of src/ has a place among the layers"""
    for name in sorted(os.listdir(SRC)):
        if os.path.isdir(os.path.join(SRC, name)) and name not in LEVEL:
            yield f"src/{name}: put it into LAYERS of tests/check/test_layering.py"


@tap.case
def _():
    """a file includes only what is below it, or beside it in its own directory"""
    for path, directory, name, _ in includes():
        home = home_of(path, name)
        if home and home[0] != directory and LEVEL.get(home[0], -1) <= LEVEL.get(directory, 99):
            yield f"src/{path} includes {name}"


@tap.case
def _():
    """a store knows no other store"""
    for path, directory, name, _ in includes():
        home = home_of(path, name)
        if directory == "stores" and home and home[0] == "stores" and home[1] != path.split(os.sep)[1]:
            yield f"src/{path} includes {name}"


@tap.case
def _():
    """a door includes only stele.h, files of its own and what doors share"""
    for path, directory, name, ours in includes():
        if directory not in DOORS:
            continue
        home = home_of(path, name)
        if ours and name != "stele.h" and (not home or home[0] not in (directory, *SHARED)):
            yield f"src/{path} includes {name}"
        if name in ("sqlite3.h", "libpq-fe.h"):
            yield f"src/{path} includes {name}"


@tap.case
def _():
    """raw statements are for bindings: no door uses them"""
    for path, text in sources():
        if path.split(os.sep)[0] in DOORS and "stele_raw" in text:
            yield f"src/{path} uses stele_raw()"


@tap.case
def _():
    """base and vector know neither methods nor databases"""
    for path, directory, name, _ in includes():
        if directory in ("base", "vector") and name in ("stele.h", "registry_ids.h", "sqlite3.h", "libpq-fe.h"):
            yield f"src/{path} includes {name}"


@tap.case
def _():
    """libpq and libcurl are met only where they are loaded, and libpq only in the PostgreSQL driver"""
    loaded = {"libpq-fe.h": "engine/postgres_library.h", "curl/curl.h": "http/curl.h"}
    for path, _, name, _ in includes():
        if name in loaded and path != os.path.normpath(loaded[name]):
            yield f"src/{path} includes {name}"
        if name == "engine/postgres_library.h" and not re.match(r"engine/(driver_)?postgres", path):
            yield f"src/{path} includes {name}"


@tap.case
def _():
    """the public header needs nothing of ours"""
    with open(os.path.join(SOURCE, "include", "stele.h"), encoding="utf-8") as file:
        for quote, name in INCLUDE.findall(file.read()):
            if quote == '"':
                yield f"stele.h includes {name}"


if __name__ == "__main__":
    tap.main()
