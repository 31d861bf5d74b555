#!/usr/bin/env python3
"""With the library built for AddressSanitizer: a program with eight threads, an asyncio loop, a fork and handles left open at its
end neither touches memory that is not its own nor leaves any of the library's behind.  Prints TAP."""

import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402
from python.tap import main, same, test  # noqa: E402

LEAK = re.compile(r"^(?:Direct|Indirect) leak of .*?(?=\n\n)", re.M | re.S)
# Several: the last one may still be seen from some stale place.
LOSES_REPLIES = ("import ctypes, stele; from stele import _library; db = stele.open(':memory:'); out = ctypes.c_char_p()\n"
                 "for n in range(100): _library.call(db._handle().db, b'stele.version', b'{}', ctypes.byref(out))")


def run(place, *words):
    """What the sanitizer says of a Python program: (errors, leaks of memory that the library allocated)."""
    log = os.path.join(place, "sanitizer")
    # Whole stacks, in which frames are told by their file: the library's say that a block is its own.
    options = f"detect_leaks=1:log_path={log}:exitcode=0:fast_unwind_on_malloc=0:malloc_context_size=40:symbolize=0"
    env = interpreter.environment() | {"ASAN_OPTIONS": options, "PYTHONPATH": interpreter.PACKAGE}
    done = subprocess.run([sys.executable, *words], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=280)
    said = "".join(open(path, errors="replace").read() for path in glob.glob(log + ".*"))
    leaks = [leak for leak in LEAK.findall(said) if "libstele" in leak]
    errors = [line for line in said.splitlines() if "ERROR:" in line and "LeakSanitizer" not in line]
    same((done.returncode, done.stdout if done.returncode else ""), (0, ""))
    return errors, leaks


@test("a leak of the library would be found")
def _(place):
    errors, leaks = run(place, "-c", LOSES_REPLIES)
    same((errors, len(leaks) > 0), ([], True))


for how in ("close", "open"):
    @test(f"no error and no leak, {'all handles closed' if how == 'close' else 'with handles open at the end'}")
    def _(place, how=how):
        same(run(place, os.path.join(HERE, "workload.py"), os.path.join(place, "home"), how), ([], []))


if __name__ == "__main__":
    main()
