#!/usr/bin/env python3
"""Would the tests notice?  Puts one bug after another (mutations.py) into a copy of the sources, and runs the test that must then fail.

The copy is build-mutation/tree, with a build directory of its own that only what is needed is built in.  First the tests are run without
any bug, and must pass.  Ends with status 1 if a bug was not caught.

    tests/mutation/run.py                   all of them
    tests/mutation/run.py --only commit     those with this in their description
"""

import argparse
import dataclasses
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools"), HERE]
import mutations  # noqa: E402
import postgres  # noqa: E402
import run_tests  # noqa: E402

TREE = os.path.join(ROOT, "build-mutation", "tree")
BUILD = os.path.join(TREE, "build")
SETTINGS = ["-Doptimization=0", "-Dwerror=false"]  # quick to build; a bug may leave something unused
LIMIT = 600  # seconds; who hangs has noticed, too


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    """Only what differs, so that no more is built than must be."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path) or read(path) != content:
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, 0o755 if content.startswith(b"#!") else 0o644)


def copy_tree():
    """The sources as they are here, committed or not."""
    listed = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True).split("\n")
    names = {name for name in listed if name and os.path.isfile(os.path.join(ROOT, name))}
    for name in names:
        write(os.path.join(TREE, name), read(os.path.join(ROOT, name)))
    for directory in ("bindings", "sql", "src", "tests", "tools", "web"):  # where a file that is gone would still be found
        for place, _, files in os.walk(os.path.join(TREE, directory)):
            for file in files:
                path = os.path.join(place, file)
                if os.path.relpath(path, TREE) not in names:
                    os.remove(path)
    for name in (".deps", "node_modules"):
        place = os.path.join(TREE, name)
        if not os.path.lexists(place):
            os.symlink(os.path.join(ROOT, name), place)
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        subprocess.run(["meson", "setup", *SETTINGS, BUILD, TREE], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "CC": "ccache gcc"})


def needs(test):
    """What must be built for it: a unit test is a program, a script talks to these."""
    suite, name = test.split("/")
    return [f"tests/test_{name}"] if suite == "unit" else ["product", "tests/play", "tests/tell"]


def build(test):
    """"" or why it does not build."""
    done = subprocess.run(["ninja", "-C", BUILD, "--quiet", *needs(test)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.stdout if done.returncode else ""


def run(runner, tests, name, args):
    test = tests[name]
    return runner.run(dataclasses.replace(test, command=[*test.command, *args], cwd=TREE, limit=LIMIT))


def try_mutation(runner, tests, mutation):
    """"caught", or what is wrong."""
    path = os.path.join(TREE, mutation.file)
    source = read(path)
    write(path, source.replace(mutation.old.encode(), mutation.new.encode(), 1))
    try:
        broken = build(mutation.test)
        if broken:
            return f"does not build:\n{broken}", 0
        result = run(runner, tests, mutation.test, mutation.args)
        return ("caught" if result.failed else "SURVIVED"), result.failed
    finally:
        write(path, source)


def check_sane(runner, tests, chosen):
    """Without a bug the tests pass: the names of those that do not."""
    for name, args in dict.fromkeys((m.test, m.args) for m in chosen):
        broken = build(name)
        result = None if broken else run(runner, tests, name, args)
        if broken or result.failed or not result.passed:
            print(f"{name} {' '.join(args)} fails without any bug:\n{broken or result.why + result.output}")
            yield name


def main():
    parser = argparse.ArgumentParser(description="Put bugs into a copy of the sources, and see the tests fail.")
    parser.add_argument("--only", default="", metavar="TEXT", help="those with TEXT in their description or file")
    parser.add_argument("--report", metavar="FILE", help="write what came of it there, as JSON")
    args = parser.parse_args()
    chosen = [m for m in mutations.ALL if args.only in m.what or args.only in m.file]

    postgres.stop_on_signals()
    copy_tree()
    tests = {test.name: test for test in run_tests.tests_of(BUILD)}
    found = []
    with postgres.Server() as server:
        runner = run_tests.Runner(server.url)
        if list(check_sane(runner, tests, chosen)):
            return 1
        for mutation in chosen:
            outcome, failed = try_mutation(runner, tests, mutation)
            found.append({"what": mutation.what, "file": mutation.file, "test": mutation.test, "outcome": outcome})
            noticed = f"{mutation.test}, {failed} failed" if failed else mutation.test
            print(f"{outcome:9} {mutation.what}  ({mutation.file}; {noticed})", flush=True)
    caught = sum(one["outcome"] == "caught" for one in found)
    print(f"{caught} of {len(found)} caught")
    if args.report:
        os.makedirs(os.path.dirname(os.path.abspath(args.report)), exist_ok=True)
        with open(args.report, "w", encoding="utf-8") as out:
            json.dump(found, out, indent=1)
    return 0 if caught == len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
