#!/usr/bin/env python3
"""The documents agree with the files they speak of, and speak of no machine in particular.  Prints TAP."""

import fnmatch
import glob
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from check import tap  # noqa: E402

SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(HERE)))
BUILD = os.environ.get("STELE_TEST_BUILD", os.path.join(SOURCE, "build"))
CLI = os.environ.get("STELE_TEST_CLI", os.path.join(BUILD, "stele"))

LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"\b(?:bench|docs|include|sql|src|tests|tools)/[\w./*-]*")
FILE = re.compile(r"\w+\.(?:c|h|py|sql)")
FETCHED = {"sqlite3.c", "sqlite3.h", "sqlite3ext.h"}  # by tools/setup

# Places that exist on one machine only, and servers that serve one house only.
MACHINE = re.compile(r"(?<![\w.~])/(?:work|root|Users|home)/\w|\.\./shared/|/tmp/[\w.-]+/")
HOUSE = re.compile(r"https?://[\w.-]*(?:artifactory|nexus|jfrog|internal|corp|mirror|proxy|localdomain)[\w.-]*", re.I)
URL = re.compile(r"https?://([\w.-]+)")
FETCHERS = ["package.json", "package-lock.json", ".npmrc", "Makefile", ".ci/*", "tools/*", "meson.build",
            "*/meson.build"]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def documents():
    """(path below the source directory, text)"""
    for path in [os.path.join(SOURCE, "README.md"), *sorted(glob.glob(os.path.join(SOURCE, "docs", "*.md")))]:
        if os.path.exists(path):
            yield os.path.relpath(path, SOURCE), read(path)


def ignored():
    """The patterns of .gitignore: what is made here, not kept."""
    return [line.strip("/") for line in read(os.path.join(SOURCE, ".gitignore")).split() if not line.startswith("#")]


def kept_files():
    """(path below the source directory, text) of every text file that is part of the project."""
    patterns = [".git", *ignored()]
    for directory, directories, files in os.walk(SOURCE):
        directories[:] = [name for name in directories if not any(fnmatch.fnmatch(name, p) for p in patterns)]
        for name in files:
            if name in patterns:  # .git is a file in a second working tree
                continue
            path = os.path.join(directory, name)
            try:
                yield os.path.relpath(path, SOURCE), read(path)
            except UnicodeDecodeError:
                pass  # not a text


def as_markdown(doc):
    return doc.replace("<", "&lt;").replace("*", "\\*")


def methods():
    out = subprocess.check_output([CLI, "methods", "--json"], text=True)
    return json.loads(out)


@tap.case
def _():
    """there is a README"""
    if not os.path.exists(os.path.join(SOURCE, "README.md")):
        yield "README.md is missing"


@tap.case
def _():
    """a page of versions has a row for each of them, with its step"""
    for path, text in documents():
        named = re.fullmatch(r"docs/(\w+)-versions\.md", path)
        if not named:
            continue
        store = os.path.join(SOURCE, "sql", named[1])
        latest = int(re.search(r"^-- @version (\d+)$", read(os.path.join(store, "schema.sql")), re.M)[1])
        rows = re.findall(r"^\| (\d+) \| (.+?) \|(?: `([^`]+)`)? \|$", text, re.M)
        if [int(version) for version, _, _ in rows] != list(range(1, latest + 1)):
            yield f"{path}: one row for each version from 1 to {latest}, in this order"
        steps = {os.path.basename(step) for step in glob.glob(os.path.join(store, "migrate", "*.sql"))}
        for wrong in steps ^ {step for _, _, step in rows if step}:
            yield f"{path}: {wrong} stands only there, or only in {os.path.relpath(store, SOURCE)}/migrate"
        for version, _, step in rows:
            if step and int(step[:4]) != int(version):
                yield f"{path}: {step} is not the step to version {version}"


@tap.case
def _():
    """every method is in the manual, with its parameters and results"""
    manual = read(os.path.join(BUILD, "docs", "methods.md"))
    parts = re.split(r"^#+\s+(?=\S+\.\S+\s*$)", manual, flags=re.MULTILINE)
    sections = {part.split("\n", 1)[0].strip(): part for part in parts[1:]}
    listed = methods()
    if not listed:
        yield "no method is listed"
    for method in listed:
        section = sections.get(method["name"])
        if section is None:
            yield f"{method['name']} is missing"
            continue
        for field in [*method["params"], *method["results"]]:
            if f"`{field['name']}`" not in section or as_markdown(field["doc"].split("\n")[0]) not in section:
                yield f"{method['name']}: {field['name']} is missing"


@tap.case
def _():
    """every link leads to a file"""
    for path, text in documents():
        for target in LINK.findall(text):
            file = target.split("#")[0]
            if re.match(r"[a-z]+:", target) or not file:
                continue
            if not os.path.exists(os.path.join(SOURCE, os.path.dirname(path), file)):
                yield f"{path}: {target}"


@tap.case
def _():
    """every file and directory that a document names is there"""
    names = {os.path.basename(path) for path, _ in kept_files()} | FETCHED
    for path, text in documents():
        for code in CODE.findall(text):
            for named in PATH.findall(code.split("<")[0]):
                found = glob.glob(os.path.join(SOURCE, named)) or glob.glob(os.path.join(BUILD, named))
                if not found:
                    yield f"{path}: {named}"
            if FILE.fullmatch(code) and code not in names:
                yield f"{path}: {code}"


@tap.case
def _():
    """every directory of src/ is in docs/architecture.md"""
    for path, text in documents():
        if path != os.path.join("docs", "architecture.md"):
            continue
        for name in sorted(os.listdir(os.path.join(SOURCE, "src"))):
            if os.path.isdir(os.path.join(SOURCE, "src", name)) and not re.search(rf"\b{name}\b", text):
                yield f"src/{name}"


@tap.case
def _():
    """no file names a place on somebody's machine"""
    for path, text in kept_files():
        for number, line in enumerate(text.splitlines(), start=1):
            if MACHINE.search(line):
                yield f"{path}:{number}: {line.strip()[:120]}"


@tap.case
def _():
    """nothing is fetched from a server that only some can reach"""
    for path, text in kept_files():
        fetcher = any(fnmatch.fnmatch(path, pattern) for pattern in FETCHERS)
        for number, line in enumerate(text.splitlines(), start=1):
            if HOUSE.search(line) or (fetcher and URL.search(line)):
                yield f"{path}:{number}: {line.strip()[:120]}"


if __name__ == "__main__":
    tap.main()
