#!/usr/bin/env python3
"""Build and run the tests of one or more build directories, and count their cases.

Meson says what there is to run (tests/meson.build); every program prints one line per case, `ok - name`
or `not ok - name` (TAP).  A program also fails, by one, that dies, that runs out of time, that ends
non-zero though no case failed, that prints no case or another number of them than it announced, and
one in which a sanitizer found something, be it in a child whose output nobody read.

The programs share one PostgreSQL, started here and named in STELE_TEST_POSTGRES.

Beside how long a program took stands how much of a processor it and its children used, which is the same
on a busy machine; PostgreSQL's part is told in the end.

The last line is `N passed, N failed`; the exit status is 0 if nothing failed, else 1.
"""

import argparse
import concurrent.futures
import glob
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import in_memory  # noqa: E402
import postgres  # noqa: E402

# malloc answers NULL to what it cannot give, as it does without a sanitizer; of who called it, ten levels are kept, for speed.
SANITIZER = "halt_on_error=1:abort_on_error=1:print_stacktrace=1:allocator_may_return_null=1:malloc_context_size=10"

# Programs also wait, for a browser, a server, a clock: one more than there are processors keeps these busy.
JOBS = os.cpu_count() + 1

CASE = re.compile(r"(not )?ok\b(.*)")
PLAN = re.compile(r"1\.\.(\d+)")
UNCOUNTED = re.compile(r"#\s*(skip|todo)\b", re.IGNORECASE)
# What the search for leaks says of itself when its process is killed meanwhile, as tests do: nothing was found by that.
UNFINISHED = re.compile(r"^==\d+==Unable to get registers from thread \d+\.\n?", re.M)
COUNTED = re.compile(r"^# (\d+) (\w+)$", re.M)  # what a program counted beside its cases: `# 93978 faults`


@dataclass
class Test:
    """One program to run."""
    build: str      # the build directory, as it was named
    name: str       # suite/name
    suites: list
    command: list
    env: dict
    cwd: str
    limit: int      # seconds
    priority: int   # what takes longest has the highest
    parallel: bool


@dataclass
class Result:
    test: Test
    passed: int
    failed: int
    skipped: int
    why: str        # what is wrong beyond failed cases, or ""
    output: str
    seconds: float
    used: float     # seconds of a processor, by it and the children it waited for


def introspect(build, what):
    """What Meson knows about a build directory."""
    return json.loads(subprocess.check_output(["meson", "introspect", what, build]))


def tests_of(build):
    """The tests a build directory defines."""
    for t in introspect(build, "--tests"):
        suites = [suite.split(":")[-1] for suite in t["suite"]]  # Meson puts `project:` before each
        yield Test(build, "/".join([*suites[:1], t["name"]]), suites, t["cmd"], t["env"],
                   t["workdir"] or build, t["timeout"], t["priority"], t["is_parallel"])


def has_postgres(build):
    return any(o["name"] == "postgres" and o["value"] != "disabled" for o in introspect(build, "--buildoptions"))


def count_cases(text):
    """(passed, failed, skipped, what is wrong or "") of a program's TAP."""
    passed = failed = skipped = 0
    planned = None
    for line in text.splitlines():
        case, plan = CASE.match(line), PLAN.match(line)
        if plan:
            planned = (planned or 0) + int(plan[1])  # one per cmocka group
        elif line.startswith("Bail out!"):
            return passed, failed, skipped, line
        elif case and UNCOUNTED.search(case[2]):
            skipped += 1
        elif case and case[1]:
            failed += 1
        elif case:
            passed += 1
    if planned is not None and planned != passed + failed + skipped:
        return passed, failed, skipped, f"announced {planned} cases, printed {passed + failed + skipped}"
    if passed + failed == 0:
        return passed, failed, skipped, "no case was run"
    return passed, failed, skipped, ""


class Alarm(threading.Timer):
    """Kills a program that runs out of time."""

    def __init__(self, seconds, group):
        super().__init__(seconds, self._ring)
        self.group, self.rang, self.daemon = group, False, True
        self.start()

    def _ring(self):
        self.rang = True
        _kill_group(self.group)


class Runner:
    """Runs programs and kills them when they, or we, have to go."""

    def __init__(self, postgres_url):
        self.url = postgres_url
        self.place = None if "TMPDIR" in os.environ else in_memory.directory()  # whoever sets TMPDIR decides
        self.compiled = compiler_cache()
        self.running = set()
        self.lock = threading.Lock()
        self.stopped = False

    def run(self, test):
        # All a program writes goes to a directory of its own, removed afterwards.
        with tempfile.TemporaryDirectory(prefix="stele-test-", dir=self.place, ignore_cleanup_errors=True) as work:
            started = time.monotonic()
            status, timed_out, used = self._execute(test, work)
            seconds = time.monotonic() - started
            out, err = _read(f"{work}/stdout"), _read(f"{work}/stderr")
            reports = UNFINISHED.sub("", "".join(_read(path) for path in sorted(glob.glob(f"{work}/sanitizer.*"))))

        passed, failed, skipped, why = count_cases(out)
        if timed_out:
            why = f"stopped after {test.limit} s"
        elif reports:
            why = "a sanitizer reported an error"
        elif status < 0:
            why = f"died of {signal.Signals(-status).name}"
        elif status > 0 and failed == 0:
            why = f"exit status {status}" + (f"; {why}" if why else "")
        parts = (("stdout", out), ("stderr", err), ("sanitizer", reports))
        output = "".join(f"--- {name}\n{text.rstrip()}\n" for name, text in parts if text.strip())
        return Result(test, passed, failed + bool(why), skipped, why, output, seconds, used)

    def _execute(self, test, work):
        """Run to the end: (exit status, negative for a signal; whether time ran out; seconds of a processor)."""
        os.mkdir(f"{work}/tmp")
        with open(f"{work}/stdout", "wb") as out, open(f"{work}/stderr", "wb") as err:
            with self.lock:
                if self.stopped:
                    raise RuntimeError("stopped")
                # A session of its own, to be killed with all its children.
                process = subprocess.Popen(test.command, cwd=test.cwd, env=self._environment(test, work),
                                           stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
                self.running.add(process)
            alarm = Alarm(test.limit, process.pid)
            try:
                used = _wait(process)
                return process.returncode, alarm.rang, used
            finally:
                alarm.cancel()
                _kill_group(process.pid)  # children it left behind
                with self.lock:
                    self.running.discard(process)

    def _environment(self, test, work):
        # Settings of whoever runs the tests must not reach them, nor the tests that person's data.
        env = {key: value for key, value in os.environ.items() if not key.startswith(("STELE_", "XDG_", "PG"))}
        env["TMPDIR"] = f"{work}/tmp"
        for kind in ("DATA", "CONFIG", "STATE", "CACHE"):
            env[f"XDG_{kind}_HOME"] = f"{work}/tmp/{kind.lower()}"
        for kind in ("ASAN", "UBSAN", "TSAN"):
            env[f"{kind}_OPTIONS"] = f"{SANITIZER}:log_path={work}/sanitizer"
        if self.compiled:
            env["CCACHE_DIR"] = self.compiled  # what compiles the sources once more finds what the build compiled
        if self.url:
            env["STELE_TEST_POSTGRES"] = self.url
        return {**env, **test.env}

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.running:
                _kill_group(process.pid)


def compiler_cache():
    """The directory of whoever runs the tests in which ccache keeps what was compiled, or None."""
    try:
        return subprocess.check_output(["ccache", "--get-config", "cache_dir"], text=True).strip()
    except OSError:
        return None


def _read(path):
    with open(path, errors="replace") as file:
        return file.read()


def _wait(process):
    """Wait for the end of a program: the seconds of a processor it used."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def _kill_group(group):
    """End a program and every child of it."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def report(result, verbose):
    test = result.test
    total = result.passed + result.failed
    counts = f"{result.failed} of {total} failed" if result.failed else f"{total} passed"
    if result.skipped:
        counts += f", {result.skipped} skipped"
    line = f"{'FAIL' if result.failed else 'ok  '}  {test.build:16} {test.name:28} {counts:22} {result.seconds:7.2f} s {result.used:7.2f} s used"
    print(f"{line}  {result.why}".rstrip())
    if result.failed or verbose:
        print("".join(f"      {text}\n" for text in result.output.splitlines()), end="")
    sys.stdout.flush()


def write_report(path, found):
    """What tools/reliability.py wants to know of each program."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    told = []
    for result in found:
        counted = COUNTED.findall(result.output)
        told.append({"build": result.test.build, "name": result.test.name, "passed": result.passed, "failed": result.failed,
                     "skipped": result.skipped, "seconds": round(result.seconds, 2),
                     "counted": [int(counted[-1][0]), counted[-1][1]] if counted else None})
    with open(path, "w", encoding="utf-8") as out:
        json.dump(told, out, indent=1)


def used_by_children():
    """Seconds of a processor, by all that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def build_all(builds):
    """The number of build directories that do not build."""
    broken = 0
    for build in builds:
        began, used = time.monotonic(), used_by_children()
        done = subprocess.run(["ninja", "-C", build, "--quiet", "all", "meson-test-prereq"])
        if done.returncode != 0:
            print(f"FAIL  {build} does not build")
            broken += 1
        print(f"built {build:16} {time.monotonic() - began:.0f} s, {used_by_children() - used:.0f} s used", flush=True)
    return broken


def results(runner, tests, jobs):
    """Every test's result, as they come: first those that may run together, the long ones before the short, then the others."""
    tests = sorted(tests, key=lambda test: -test.priority)
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    try:
        together = [pool.submit(runner.run, test) for test in tests if test.parallel]
        for future in concurrent.futures.as_completed(together):
            yield future.result()
        for test in tests:
            if not test.parallel:
                yield runner.run(test)
    finally:
        runner.stop()
        pool.shutdown(cancel_futures=True)


def run_all(tests, args):
    """(passed, failed) of all tests."""
    passed = failed = 0
    found = []
    url = os.environ.get("STELE_TEST_POSTGRES")
    start = not url and any(has_postgres(build) for build in {test.build for test in tests})
    began, programs = used_by_children(), 0.0
    with postgres.Server() if start else nullcontext() as server:
        for result in results(Runner(server.url if start else url), tests, args.jobs):
            report(result, args.verbose)
            found.append(result)
            passed, failed = passed + result.passed, failed + result.failed
            programs += result.used
    if args.report:
        write_report(args.report, found)
    print(f"used: {programs:.0f} s by the tests" + f", {used_by_children() - began - programs:.0f} s by PostgreSQL" * start)
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description="Build and run the tests, and count their cases.")
    parser.add_argument("--build-dir", action="append", metavar="DIR", help="may be given several times")
    parser.add_argument("--suite", action="append", help="only this suite; may be given several times")
    parser.add_argument("--filter", default="", metavar="TEXT", help="only tests with TEXT in suite/name")
    parser.add_argument("--jobs", type=int, default=JOBS, metavar="N", help="programs at a time")
    parser.add_argument("--report", metavar="FILE", help="write the counts there, as JSON, for tools/reliability.py")
    parser.add_argument("-v", "--verbose", action="store_true", help="show the output of all programs")
    args = parser.parse_args()
    builds = args.build_dir or ["build"]

    postgres.stop_on_signals()
    passed, failed = 0, build_all(builds)
    if not failed:
        tests = [test for build in builds for test in tests_of(build)
                 if args.filter in test.name and (not args.suite or set(args.suite) & set(test.suites))]
        if tests:
            passed, failed = run_all(tests, args)
        else:
            print("FAIL  no test matches")
            failed = 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
