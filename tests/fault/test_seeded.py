#!/usr/bin/env python3
"""Would the fault tests notice?  They are run on a library with a bug put into it, and must fail; and
without it, and must pass.  Prints TAP."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# (what is run, bugs that it must notice)
RUNS = [
    (["run.py", "--kind", "io once", "--case", "an error"], ["dropped-rollback"]),
    (["run.py", "--kind", "alloc once", "--case", "a clean stop"], ["dropped-rollback"]),
    (["lifecycle.py", "--kind", "io once", "--scene", "rolled back"], ["dropped-rollback"]),
    (["lifecycle.py", "--kind", "io once", "--scene", "one transaction"], ["lost-commit"]),
    (["power.py", "--seed", "1", "--story", "Appends"], ["unsynced"]),
]


def run(command, bug):
    """(failed cases, passed cases, all it printed)"""
    script, *options = command
    done = subprocess.run([sys.executable, os.path.join(HERE, script), *options, *(["--bug", bug] if bug else [])],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    failed = [line for line in done.stdout.splitlines() if line.startswith("not ok")]
    passed = [line for line in done.stdout.splitlines() if line.startswith("ok")]
    if bool(failed) != bool(done.returncode):
        failed = passed = []  # it broke down: neither
    return failed, passed, done.stdout


def main():
    wrong = 0
    for command, bugs in RUNS:
        for bug in [None, *bugs]:
            failed, passed, output = run(command, bug)
            good = bool(failed) if bug else bool(passed) and not failed
            wrong += not good
            print(f"{'ok' if good else 'not ok'} - {' '.join(command)}: {f'notices the {bug}' if bug else 'passes'}")
            if not good:
                print("".join(f"# {line}\n" for line in output.splitlines()), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
