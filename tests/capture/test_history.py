#!/usr/bin/env python3
"""Histories of zsh, bash, fish and atuin become commands, once.  Prints TAP."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from check import tap  # noqa: E402

STELE = os.environ["STELE_TEST_CLI"]
SECRET = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"


class Place:
    """A directory with a home, and histories in it."""

    def __init__(self, directory):
        self.directory = directory

    def run(self, *words):
        environment = {**os.environ, "HOME": self.directory}
        for name in ("ZDOTDIR", "XDG_DATA_HOME"):
            environment.pop(name, None)
        done = subprocess.run([STELE, "--home", os.path.join(self.directory, "home"), *words, "--json"], capture_output=True, text=True,
                              check=False, env=environment)
        return json.loads(done.stdout) if done.returncode == 0 else done.stderr

    def write(self, data, name="history"):
        path = os.path.join(self.directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def events(self):
        """The oldest first; those of one time as they were stored."""
        return sorted(self.run("call", "capture.get_events", '{"limit":1000}'), key=lambda row: (row["timestamp"], row["id"]))

    def commands(self):
        return [row["command"] for row in self.events()]


@contextlib.contextmanager
def place():
    with tempfile.TemporaryDirectory(prefix="stele-history-") as directory:
        yield Place(directory)


def expect(what, got, wanted):
    if got != wanted:
        yield f"{what}: {got!r}, not {wanted!r}"


def counts(commands, stored, duplicates, refused=0):
    return {"commands": commands, "stored": stored, "duplicates": duplicates, "refused": refused}


@tap.case
def _():
    """zsh: times, durations, several lines, bytes that zsh writes otherwise"""
    data = (b": 1700000000:5;make test\n"
            b": 1700000010:0;for i in 1 2\\\ndo echo $i\\\ndone\n"
            b": 1700000020:0;echo \xc3\x83\xa4\xc2\x83\xa0\n"  # metafied ä and nothing
            b"plain; command\n"
            b": 1700000030:0;echo a ;b\n"
            + f": 1700000040:0;export GITHUB_TOKEN={SECRET}\n".encode())
    with place() as here:
        path = here.write(data)
        yield from expect("dry", here.run("import-history", "zsh", path, "--dry-run"), counts(6, 6, 0))
        yield from expect("nothing yet", here.events(), [])
        yield from expect("told", here.run("import-history", "zsh", path), counts(6, 6, 0))
        events = {row["command"]: row for row in here.events()}
        first = events["make test"]
        yield from expect("times", (first["timestamp"], first["duration_ms"], first["exit_code"], first["shell"]), (1700000005000, 5000, None, "zsh"))
        for command in ("for i in 1 2\ndo echo $i\ndone", "plain; command", "echo a ;b", "export GITHUB_TOKEN=[REDACTED]"):
            if command not in events:
                yield f"{command!r} is missing in {list(events)}"
        yield from expect("again", here.run("import-history", "zsh", path), counts(6, 0, 6))


@tap.case
def _():
    """zsh: what zsh itself wrote is read as it was typed"""
    typed = ["echo ä ö ü € 💡", "echo 'two\nlines'", "echo back\\\\slash", "printf '\\n'"]
    if not shutil.which("zsh"):
        return
    with place() as here:
        path = os.path.join(here.directory, "written")
        script = "setopt extended_history; HISTSIZE=100 SAVEHIST=100 file=$1; shift; for c; do print -rs -- $c; done; fc -W $file"
        subprocess.run(["zsh", "-f", "-i", "-c", script, "zsh", path, *typed], check=True, stdin=subprocess.DEVNULL)
        here.run("import-history", "zsh", path)
        yield from expect("read", sorted(here.commands()), sorted(typed))


@tap.case
def _():
    """bash: lines, and with times commands of several lines"""
    with place() as here:
        path = here.write(b"ls\ncd /tmp\nls\n#not a time\n")
        yield from expect("lines", here.run("import-history", "bash", path), counts(4, 4, 0))
        yield from expect("commands", sorted(here.commands()), ["#not a time", "cd /tmp", "ls", "ls"])
        timed = here.write(b"#1700000000\nmake\n#1700000005\nfor i in 1\ndo echo\ndone\n#1700000006\nls\n", "timed")
        yield from expect("times", here.run("import-history", "bash", timed), counts(3, 3, 0))
        rows = [row for row in here.events() if row["timestamp"] < 1700000010000]
        yield from expect("with times", [(row["timestamp"], row["command"]) for row in rows],
                          [(1700000000000, "make"), (1700000005000, "for i in 1\ndo echo\ndone"), (1700000006000, "ls")])
        with open(path, "ab") as file:
            file.write(b"ls\nnew\n")
        yield from expect("grown", here.run("import-history", "bash", path), counts(6, 2, 4))
        here.write(b"cd /tmp\nls\n#not a time\nls\nnew\n")
        yield from expect("cut at its head", here.run("import-history", "bash", path), counts(5, 0, 5))


@tap.case
def _():
    """fish: escapes, times, paths"""
    with place() as here:
        path = here.write(b"- cmd: make test\n  when: 1700000000\n- cmd: echo 'two\\nlines' \\\\n\n  when: 1700000001\n  paths:\n    - file\n- cmd: untimed\n",
                          ".local/share/fish/fish_history")
        yield from expect("from its place", here.run("import-history", "fish"), counts(3, 3, 0))
        yield from expect("commands", here.commands(), ["make test", "echo 'two\nlines' \\n", "untimed"])
        yield from expect("again", here.run("import-history", "fish", path), counts(3, 0, 3))


@tap.case
def _():
    """atuin: all that it knows, and the file stays as it is"""
    with place() as here:
        path = os.path.join(here.directory, "history.db")
        with contextlib.closing(sqlite3.connect(path)) as db, db:
            db.execute("CREATE TABLE history (id TEXT PRIMARY KEY, timestamp INTEGER NOT NULL, duration INTEGER NOT NULL, exit INTEGER NOT NULL,"
                       " command TEXT NOT NULL, cwd TEXT NOT NULL, session TEXT NOT NULL, hostname TEXT NOT NULL, deleted_at INTEGER)")
            db.executemany("INSERT INTO history VALUES (?,?,?,?,?,?,?,?,?)", [
                ("a", 1700000000 * 10**9, 1500 * 10**6, 2, "make", "/src", "s1", "box:ada", None),
                ("b", 1700000001 * 10**9, -1, -1, "ls", "/tmp", "s2", "box", None),
                ("c", 1700000002 * 10**9, 0, 0, "gone", "/", "s1", "box:ada", 1)])
        with open(path, "rb") as file:
            before = file.read()
        yield from expect("told", here.run("import-history", "atuin", path), counts(2, 2, 0))
        second, first = here.events()  # the first took longer
        yield from expect("first", [first[name] for name in ("timestamp", "duration_ms", "exit_code", "command", "cwd", "hostname")],
                          [1700000001500, 1500, 2, "make", "/src", "box"])
        yield from expect("second", (second["exit_code"], second["duration_ms"]), (None, 0))
        sessions = {row["terminal"]: row["username"] for row in here.run("call", "capture.list_sessions")}
        yield from expect("sessions", sorted(sessions), ["s1", "s2"])
        yield from expect("user", sessions["s1"], "ada")
        yield from expect("again", here.run("import-history", "atuin", path), counts(2, 0, 2))
        with open(path, "rb") as file:
            yield from expect("the file", file.read() == before, True)


@tap.case
def _():
    """files that are missing, damaged or full of anything"""
    with place() as here:
        for shell in ("zsh", "bash", "fish", "atuin"):
            answer = here.run("import-history", shell, os.path.join(here.directory, "no"))
            if not isinstance(answer, str):
                yield f"{shell}: a missing file gives {answer}"
        noise = here.write(bytes(range(256)) * 50 + b"\\")
        for shell in ("zsh", "bash", "fish"):
            first = here.run("import-history", shell, noise)
            second = here.run("import-history", shell, noise)
            if isinstance(first, str) or second["stored"] != 0 or first["commands"] != first["stored"] + first["duplicates"] + first["refused"]:
                yield f"{shell}: {first}, then {second}"
        if not isinstance(here.run("import-history", "atuin", noise), str):
            yield "noise is taken for a database"
        yield from expect("empty", here.run("import-history", "bash", here.write(b"", "empty")), counts(0, 0, 0))
        if not isinstance(here.run("import-history", "tcsh"), str):
            yield "tcsh is known"


@tap.case
def _():
    """the same command many times"""
    with place() as here:
        path = here.write(b"ls\n" * 2000)
        yield from expect("told", here.run("import-history", "bash", path), counts(2000, 2000, 0))
        yield from expect("again", here.run("import-history", "bash", path), counts(2000, 0, 2000))


if __name__ == "__main__":
    tap.main()
