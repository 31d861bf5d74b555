"""How the tests start Python with the package of the build at hand.

A library with a sanitizer needs the sanitizer's own library in the interpreter from the start."""

import os
import subprocess
import sys

PACKAGE = os.environ.get("STELE_TEST_PYTHON", "")
LIBRARY = os.environ.get("STELE_TEST_LIBRARY", "")
SANITIZED = os.environ.get("STELE_TEST_SANITIZED") == "1"


def sanitizer():
    """The path of the sanitizer's library."""
    compiler = os.environ.get("CC", "cc").split()
    for name in ("libasan.so", "libclang_rt.asan-x86_64.so", "libclang_rt.asan-aarch64.so", "libclang_rt.asan.so"):
        found = subprocess.check_output([*compiler, f"-print-file-name={name}"], text=True).strip()
        if os.path.isabs(found):
            return os.path.realpath(found)
    raise FileNotFoundError("the compiler has no library of the sanitizer")


def environment(**more):
    """The variables of an interpreter that finds the package and its library."""
    env = {**os.environ, "PYTHONPATH": PACKAGE, "STELE_LIBRARY": LIBRARY, "PYTHONDONTWRITEBYTECODE": "1"}
    if SANITIZED:
        env["LD_PRELOAD"] = sanitizer()
        # What the interpreter itself leaves behind is not looked for, except where a test does.
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        env["PYTHONMALLOC"] = "malloc"
    return {**env, **{name: value for name, value in more.items() if value is not None}}


def of_others():
    """The variables of another program: a sanitizer's library is not for it."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


def restart():
    """For a test program that imports the package itself: begin anew with the right variables."""
    if os.environ.get("STELE_TEST_STARTED") != "1":
        path = os.pathsep.join(filter(None, [PACKAGE, os.environ.get("PYTHONPATH", "")]))
        env = environment(STELE_TEST_STARTED="1") | {"PYTHONPATH": path}
        os.execve(sys.executable, [sys.executable, *sys.argv], env)
