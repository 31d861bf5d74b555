#!/usr/bin/env python3
"""The hooks of zsh, bash and fish, in the real shells.  Prints TAP."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from capture.terminal import SHELLS, STELE, Terminal  # noqa: E402
from check import tap  # noqa: E402
from serve.server import Server, until  # noqa: E402


def each_shell(function):
    """A case for every shell that is here; all are, where the tests were set up."""
    for shell in SHELLS:
        if shutil.which(shell):
            def case(shell=shell):
                with tempfile.TemporaryDirectory(prefix="stele-hook-") as directory:
                    yield from function(shell, os.path.realpath(directory))
            case.__doc__ = f"{shell}: {function.__doc__}"
            tap.case(case)
    return function


def events(home):
    done = subprocess.run([STELE, "--home", home, "call", "capture.get_events", '{"limit":1000}'], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)[::-1]


@contextlib.contextmanager
def captured(shell, directory, **environment):
    """A shell with its hook, and a server that takes its events: type one, and be told of those that are kept."""
    home = os.path.join(directory, "home")
    work = os.path.join(directory, "work")
    os.makedirs(work)
    with Server(home), Terminal(shell, work, **environment) as terminal:
        terminal.hook("--home", home)

        def run(line):
            """Its event, when it has come."""
            terminal.type(line)
            until(lambda: any(event["command"] == line for event in events(home)), 60)
            return [event for event in events(home) if event["command"] == line][-1]
        yield terminal, run, lambda: events(home)


@each_shell
def _(shell, directory):
    """commands are kept with what is known of them"""
    with captured(shell, directory, EDITOR="vi", API_KEY="s3cr3t") as (_, run, all_events):
        first = run("echo hello")
        wanted = {"exit_code": 0, "shell": shell, "cwd": os.path.join(directory, "work"), "source_kind": "shell", "git_repo": None}
        for name, value in wanted.items():
            if first[name] != value:
                yield f"{name} is {first[name]!r}, not {value!r}"
        environment = json.loads(first["env"])
        if environment.get("EDITOR") != "vi" or "API_KEY" in environment:
            yield f"the environment is {environment}"
        if run("sh -c 'exit 3'")["exit_code"] != 3:
            yield "the exit status is not kept"
        slept = run("sleep 0.3")
        if not 250 <= slept["duration_ms"] < 60000:
            yield f"sleep 0.3 took {slept['duration_ms']} ms"
        moved, after = run("cd / && pwd"), run("echo 'ä ö \"quoted\" $HOME \\n' | cat")
        if moved["cwd"] != first["cwd"] or after["cwd"] != "/":
            yield f"the directories are {moved['cwd']} and {after['cwd']}"
        if len({event["session_id"] for event in all_events()}) != 1:
            yield "there is more than one session"


@each_shell
def _(shell, directory):
    """what begins with a space, or runs while it is switched off, is not kept"""
    off, on = ("set -g STELE_CAPTURE off", "set -e STELE_CAPTURE") if shell == "fish" else ("STELE_CAPTURE=off", "unset STELE_CAPTURE")
    with captured(shell, directory, HISTCONTROL="ignorespace") as (terminal, run, all_events):
        run("echo one")
        place = len(terminal.said)
        terminal.type(" echo hidden''1")
        place = terminal.wait_for("hidden1", place)
        terminal.type(off)
        terminal.type("echo hidden''2")
        place = terminal.wait_for("hidden2", place)
        terminal.type(on)
        run("echo two")
        seen = [event["command"] for event in all_events()]
        if any("hidden" in command for command in seen) or "echo one" not in seen:
            yield f"{seen}"


@each_shell
def _(shell, directory):
    """the next command sees exit status and background process, and the terminal nothing of the hook"""
    status, process = ("$status", "$last_pid") if shell == "fish" else ("$?", '"${!}"')
    with captured(shell, directory) as (terminal, run, _):
        terminal.type("sleep 100 &")
        told = []
        for name in ("first", "second"):
            place = len(terminal.said)
            terminal.type(f"echo {name}''={process}''=")
            place = terminal.wait_for(f"{name}=", place)
            run(f"echo {name}")
            told.append(re.match(rb"\w+=(\d+)=", terminal.said[place:]))
        if not all(told) or told[0][1] != told[1][1]:
            yield f"the background process is {told}"
        terminal.type(f"kill {process}")
        place = len(terminal.said)
        run("sh -c 'exit 7'")
        place = len(terminal.said)
        terminal.type(f"echo code''-{status}-")
        terminal.wait_for("code-7-", place)
        run("echo end")
        said = terminal.said[place:].decode(errors="replace")
        if re.search(r"\[\d+\] \d+|Done|__stele_(precmd|send)", said):
            yield said


@each_shell
def _(shell, directory):
    """without a server events are in the fallback file, in their order, and the prompt comes all the same"""
    home, work = os.path.join(directory, "home"), os.path.join(directory, "work")
    os.makedirs(work)

    def kept():
        names = os.listdir(os.path.join(home, "fallback")) if os.path.isdir(os.path.join(home, "fallback")) else []
        lines = []
        for name in names:
            with open(os.path.join(home, "fallback", name), encoding="utf-8") as file:
                lines += [json.loads(line)["payload"]["data"]["command"] for line in file if line.endswith("\n")]
        return lines
    with Terminal(shell, work) as terminal:
        terminal.hook("--home", home)
        for number in range(3):
            terminal.type(f"echo kept{number}")
            until(lambda wanted=f"echo kept{number}": wanted in kept(), 60)
    subprocess.run([STELE, "--home", home, "replay"], check=True, stdout=subprocess.DEVNULL)
    seen = [event["command"] for event in events(home) if event["command"].startswith("echo kept")]
    if seen != ["echo kept0", "echo kept1", "echo kept2"]:
        yield f"{seen}"


@each_shell
def _(shell, directory):
    """the repository of the directory is told"""
    with captured(shell, directory) as (_, run, _):
        repository = os.path.join(directory, "work", "repository")
        git = ["git", "-C", repository, "-c", "user.name=n", "-c", "user.email=e@example.org"]
        subprocess.run(["git", "init", "-q", "-b", "main", repository], check=True)
        run("cd repository")
        empty = run("echo empty")
        with open(os.path.join(repository, "file"), "w", encoding="utf-8") as file:
            file.write("one\n")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "one"], check=True)
        clean = run("echo clean")
        subprocess.run([*git, "remote", "add", "origin", "git@example.org:owner/name.git"], check=True)
        with open(os.path.join(repository, "file"), "a", encoding="utf-8") as file:
            file.write("two\n")
        dirty = run("echo dirty")
        commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout[:7]
        for event, wanted in ((empty, ["repository", "main", None, False]), (clean, ["repository", "main", commit, False]),
                              (dirty, ["owner/name", "main", commit, True])):
            got = [event[name] for name in ("git_repo", "git_branch", "git_commit", "git_dirty")]
            if got != wanted:
                yield f"{event['command']}: {got}, not {wanted}"


@each_shell
def _(shell, directory):
    """a hook that is loaded twice tells once, and the session is the one that was said"""
    with captured(shell, directory, STELE_SESSION_ID="my-session") as (terminal, run, all_events):
        terminal.hook("--home", os.path.join(directory, "home"))
        run("echo once")
        run("echo end")
        count = sum(event["command"] == "echo once" for event in all_events())
        done = subprocess.run([STELE, "--home", os.path.join(directory, "home"), "call", "capture.list_sessions"], capture_output=True, text=True, check=True)
        sessions = [row["terminal"] for row in json.loads(done.stdout)]
        if count != 1 or sessions != ["my-session"]:
            yield f"{count} times, in {sessions}"


if __name__ == "__main__":
    tap.main()
