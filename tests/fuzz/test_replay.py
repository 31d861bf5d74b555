#!/usr/bin/env python3
"""Every fuzz target plays its seeds, and the inputs that once broke it: tests/fuzz/regressions/TARGET/."""

import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from fuzz import run, seeds  # noqa: E402

REPLAY = os.environ["STELE_TEST_REPLAY"]
MOST = 60  # seeds of a target: those chosen are the same every time


def kept(target):
    directory = os.path.join(run.REGRESSIONS, target)
    return sorted(os.path.join(directory, name) for name in os.listdir(directory)) if os.path.isdir(directory) else []


def play(target):
    """Whether it went well, and how many inputs it was."""
    with tempfile.TemporaryDirectory(prefix="stele-replay-") as place:
        made = seeds.write(target, place, random.Random(1))
        inputs = kept(target) + (made if len(made) <= MOST else random.Random(2).sample(made, MOST))
        done = subprocess.run([REPLAY, target, *inputs], env={**os.environ, "TMPDIR": place}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace")
    if done.returncode != 0:
        print(f"# at {os.path.basename((done.stdout.split() or ['the start'])[-1])}: status {done.returncode}")
        print("".join(f"# {line}\n" for line in done.stderr.splitlines()[-30:]), end="")
    return done.returncode == 0, len(inputs)


def main():
    failed = 0
    for target in run.targets():
        good, count = play(target)
        failed += not good
        print(f"{'ok' if good else 'not ok'} - {target}: {count} inputs")
    strangers = set(os.listdir(run.REGRESSIONS)) - set(run.targets()) if os.path.isdir(run.REGRESSIONS) else set()
    print(f"{'not ok' if strangers else 'ok'} - what is kept is of targets that are there {sorted(strangers) or ''}".rstrip())
    return 1 if failed or strangers else 0


if __name__ == "__main__":
    sys.exit(main())
