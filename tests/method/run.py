#!/usr/bin/env python3
"""Plays the method tests (tests/method/*.txt) through every door on every engine.

All cases are played by stele_call on both engines, and through every door on SQLite but the command line, a process for each
call, which plays what covers every method and every kind of failure (cover.py).  The other doors know no engine, and the engines no
door: on PostgreSQL these share the methods among them.  So they do on SQLite with sanitizers, whose processes are slow to start; the C API
plays all there, and what covers every method on PostgreSQL.  --whole plays all.

Each reply is compared with what the text expects, and with the method's declaration; a failed call
must name method and field and leave the store as it was.  Fails if some method was never called.
Prints TAP: one line per case, door and engine.
"""

import argparse
import concurrent.futures
import contextlib
import glob
import os
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from method import cover, doors, results, script  # noqa: E402

DOORS = ("call", "step", "python", "mcp", "http", "cli")
ENGINES = ("sqlite", "postgres")
SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(HERE)))


class Failed(Exception):
    pass


class Run:
    """One door on one engine.  beside: a door for calls of a sort that the first has made; None: it makes all."""

    def __init__(self, places, stores, door, beside, declarations):
        self.places = places
        self.stores = stores
        self.engine = places.engine
        self.door = door
        self.beside = beside
        self.made = set()    # sorts of calls (cover.py)
        self.declarations = declarations
        self.called = set()  # methods that did what they are for
        self.digests = self.engine == "sqlite" and door.digests

    def play(self, case):
        place = self.places.new(case.stores_of(self.stores))
        names = script.known(place["home"])
        with contextlib.ExitStack() as stack:
            stack.callback(self.places.forget, place)
            self.door.open(place)
            stack.callback(self.door.close)
            if self.beside:
                self.beside.open(place)
                stack.callback(self.beside.close)
            for call in case.calls_on(self.engine):
                self._play_call(call, names)

    def _make_call(self, call, args):
        sort = cover.sort_of(call)
        if self.beside and sort in self.made:
            return self.beside.call(call.method, args)
        if self.beside:
            self.beside.close()
        self.made.add(sort)
        return self.door.call(call.method, args)

    def _play_call(self, call, names):
        args = call.args_with(names)
        if self.door.verb in ("step", "mcp", "python") and not is_object(args):
            return  # there is nothing to bind, or no message to put it into
        before = self.digests and isinstance(call.expected, script.Failure) and self.door.digest()
        word, reply = self._make_call(call, args)
        try:
            if isinstance(call.expected, script.Failure):
                self._check_failure(call, args, word, reply)
                if before and not same_rows(before, self.door.digest()):
                    raise Failed("the call failed, and the store has changed")
            else:
                self._check_reply(call, word, reply, names)
        except (Failed, script.Mismatch, results.Undeclared) as error:
            raise Failed(f"{call.where}: {call.method}  {args[:400]}\n{error}") from None

    def _check_reply(self, call, word, reply, names):
        if word != "ok":
            raise Failed(f"failed: {reply}")
        script.match(call.expected, reply, names)
        self.declarations.check(call.method, reply)
        self.called.add(call.method)

    def _check_failure(self, call, args, word, reply):
        status, text = call.expected.status, call.expected.text
        if word != "error":
            raise Failed(f"should fail with {status}, and replied {reply}")
        if reply["code"] != status or text not in reply["message"]:
            raise Failed(f"should fail with {status} {text}\nand failed with {reply}")
        if reply["method"] != call.method:
            raise Failed(f"the failure does not name the method: {reply}")
        if status == "INVALID" and is_object(args):
            if not reply["field"] or reply["field"].split(".")[-1] not in reply["message"]:
                raise Failed(f"the failure does not name the field: {reply}")
        if "\n" in reply["message"]:
            raise Failed(f"the message has several lines: {reply}")
        if "exit" in reply and reply["exit"] != self._exit_status(call, status):
            raise Failed(f"the exit status is not {self._exit_status(call, status)}: {reply}")
        if status == "UNSUPPORTED" and call.engine == self.engine:
            self.called.add(call.method)  # what this engine cannot do has been asked of it

    def _exit_status(self, call, status):
        """2: the call itself was wrong; 1: it was right, and failed."""
        unknown = status == "NOTFOUND" and call.method not in self.declarations.methods
        return 2 if status == "INVALID" or unknown else 1

    def never_called(self):
        return sorted(self.declarations.methods.keys() - self.called)


def same_rows(before, after):
    """Does the store hold what it held?  Having been created, empty, is no change."""
    return before == after or (not before["rows"] and not any(after["rows"].values()))


def is_object(args):
    try:
        return isinstance(doors.parse(args), dict)
    except doors.Broken:
        return False


# ---- All of it -------------------------------------------------------------------------------

def point(good, name, why=""):
    """One line of TAP, and the reason below it."""
    lines = [f"{'ok' if good else 'not ok'} - {name}"]
    return "\n".join(lines + [f"# {line}" for line in why.splitlines()])


def play_all(engine, verb, cases, declarations, stores, whole, part):
    """The TAP of one door on one engine.  whole: these are all cases, of which a part is played."""
    tap = []
    cases = cases if part == ALL else cover.choose(cases, engine, verb if part == SHARE else None)
    beside = doors.Beside if part != ALL and verb == "cli" else contextlib.nullcontext  # a process less for each call
    places = doors.Sqlite() if engine == "sqlite" else doors.Postgres(stores)
    with places, contextlib.ExitStack() as stack:
        run = None
        for case in cases:
            name = f"{engine} {verb}: {case.title}"
            try:
                run = run or Run(places, stores, stack.enter_context(doors.door(verb)),
                                 stack.enter_context(beside()), declarations)
                run.play(case)
                tap.append(point(True, name))
            except (Failed, script.BadScript) as error:
                tap.append(point(False, name, str(error)))
            except doors.Broken as error:
                tap.append(point(False, name, f"{case.where}: {error}"))
                break  # there is no program any more to play the rest with
        else:
            missing = [method for method in run.never_called() if part != SHARE or cover.is_of(verb, method)]
            if whole:
                what = "every method of its share" if part == SHARE else "every method"
                tap.append(point(not missing, f"{engine} {verb}: {what} was called", "\n".join(missing)))
            if whole and verb == "cli":
                listed = doors.parse(run.door.run("methods", "--json").stdout)
                good = listed == list(declarations.methods.values())
                tap.append(point(good, f"{engine} cli: stele methods --json lists them"))
    return tap


def known():
    """(methods, names of the stores, whether PostgreSQL is built in), as the library tells them."""
    with doors.Sqlite() as places, doors.Player() as player:
        player.open(places.new())
        return (player.must("call", "stele.methods", "{}"),
                [status["store"] for status in player.must("call", "stele.status", "{}")],
                player.must("call", "stele.version", "{}")["postgres"])


def play_guarded(*what):
    try:
        return play_all(*what)
    except Exception:  # the others go on, and this one has failed
        return [point(False, f"{what[0]} {what[1]}", traceback.format_exc())]


SANITIZED = os.environ.get("STELE_TEST_SANITIZED") == "1"


def left_out(engine, verb):
    """With sanitizers, what goes through nothing that the same doors on SQLite and the other doors on PostgreSQL do not go through."""
    return SANITIZED and engine == "postgres" and verb in ("python", "mcp", "cli")


ALL, METHODS, SHARE = "all cases", "what covers every method", "its share of that"


def part_of(engine, verb):
    """What a door plays on an engine."""
    if engine == "postgres":
        return SHARE if verb != "call" else METHODS if SANITIZED else ALL
    if SANITIZED:
        return ALL if verb in ("call", "step") else SHARE
    return METHODS if verb == "cli" else ALL


def main():
    parser = argparse.ArgumentParser(description="Play the method tests.")
    parser.add_argument("--door", action="append", choices=DOORS)
    parser.add_argument("--engine", action="append", choices=ENGINES)
    parser.add_argument("--file", action="append", help="only this one; may be given several times")
    parser.add_argument("--case", help="only cases with this text in their title")
    parser.add_argument("--whole", action="store_true", help="every case through every door on every engine; so do --file and --case")
    args = parser.parse_args()

    methods, stores, has_postgres = known()
    files = args.file or sorted(glob.glob(os.path.join(HERE, "*.txt")))
    cases = [case for file in files for case in script.read(os.path.relpath(file))
             if not args.case or args.case in case.title]
    whole = not args.file and not args.case
    engines = args.engine or (ENGINES if has_postgres else ("sqlite",))
    failed = 0
    if "postgres" in engines and not os.environ.get("STELE_TEST_POSTGRES"):
        print(point(False, "postgres: STELE_TEST_POSTGRES names no server (tests/postgres.py starts one)"))
        engines, failed = [engine for engine in engines if engine != "postgres"], 1

    declarations = results.Declarations(methods, SOURCE)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [pool.submit(play_guarded, engine, verb, cases, declarations, stores, whole,
                            part_of(engine, verb) if whole and not args.whole else ALL)
                for verb in reversed(args.door or DOORS) for engine in engines  # the slow door first
                if args.whole or args.door or not left_out(engine, verb)]
        for run in runs:
            for line in run.result():
                print(line)
                failed += line.startswith("not ok")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
