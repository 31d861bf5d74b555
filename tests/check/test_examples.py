#!/usr/bin/env python3
"""The documents' examples, run: the README's commands, C program and Python, docs/python.md, docs/adapters.md, the commands of the guide and of other pages, the
program of docs/c-api.md, and docs/adding-a-method.md to the letter.

Prints TAP.  All but the last use the build at hand; that one copies the sources, adds the method and its case as
the page says, builds the copy and plays the case."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from capture.homes import PROJECT, Transcript, write  # noqa: E402
from check import originals  # noqa: E402
from python import interpreter  # noqa: E402

SOURCE = os.environ["STELE_TEST_SOURCE"]
BUILD = os.environ["STELE_TEST_BUILD"]
CLI = os.environ["STELE_TEST_CLI"]


def blocks(path, language):
    """The code blocks of that language in a document."""
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return re.findall(rf"^```{language}\n(.*?)^```$", file.read(), re.S | re.M)


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))[:200]}: exit {done.returncode}\n{done.stdout[-2000:]}"
                             f"{done.stderr[-2000:]}")
    return done.stdout


def readme_commands(place):
    script = next(block for block in blocks("README.md", "sh") if "stele call" in block)
    script = script.replace("build/stele", f"'{CLI}'")
    replies = [json.loads(line) for line in run("bash", "-ec", script, cwd=place, env={**os.environ, "TMPDIR": place})
               .splitlines()]
    assert replies[0] == {"session_id": 1}, replies[0]
    assert replies[-1][0]["total_invocations"] == 1, replies[-1]


def build_and_run(place, program):
    """What the C program prints."""
    with open(os.path.join(place, "demo.c"), "w", encoding="utf-8") as file:
        file.write(program)
    sanitizers = ["-fsanitize=address,undefined"] if "asan" in os.path.basename(BUILD) else []
    run(*os.environ.get("CC", "cc").split(), *sanitizers, "-Wall", "-Wextra", "-Werror", "demo.c", "-o", "example",
        "-I", os.path.join(SOURCE, "include"), "-L", BUILD, "-lstele", f"-Wl,-rpath,{BUILD}", cwd=place)
    return run("./example", cwd=place)


def readme_program(place):
    shown = build_and_run(place, next(block for block in blocks("README.md", "c") if "int main" in block))
    assert shown == '{"session_id":1}\n', shown


def python_blocks(page, place):
    """The Python of a page, block after block in one program, as a reader would try it."""
    program = os.path.join(place, "example.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write("\n".join(blocks(page, "python")))
    return run(sys.executable, program, cwd=place, env=interpreter.environment()).splitlines()


def readme_python(place):
    shown = python_blocks("README.md", place)
    assert shown == ["Will it >>>rain<<<?"], shown


def python_page(place):
    shown = python_blocks("docs/python.md", place)
    assert shown[0] == "weather Will it >>>rain<<< in Lisbon?", shown
    assert shown[2] == "sesion_id - conversation.get_session has no argument sesion_id", shown
    assert shown[-5:] == ["{'count': 1}", "Fix the >>>Docker<<< build  ", "running", "1", "['École']"], shown


def adapters_page(place):
    shown = python_blocks("docs/adapters.md", place)
    wanted = ["['function_call_output', 'assistant']", "Hardly.", "{'count': 1} [('task-1', 'count', 2)]", "5", "['ada']",
              "[('users', 'ada'), ('users', 'bob')]", "File created successfully at: /memories/tea.md", "     1\tSencha at 70 degrees",
              "path must begin with /memories, not /etc/passwd"]
    assert shown == wanted, shown


def manual_program(place):
    page = "docs/c-api.md"
    [program] = [block for block in blocks(page, "c") if "int main" in block]
    assert build_and_run(place, program) == blocks(page, "text")[-1]


# What the commands of a page print, among other things.
SHOWN = {"docs/guide.md": ["The cache server is slow", "claude --resume", "1 session with 2 messages imported", '"result":{}'],
         "docs/migration.md": ["docker-1\n", "Fix the >>>Docker<<< build", '"form":"compatible"', '"kind":"handler"', '{"count":1}',
                               ">>>Grüße<<<", '"goal":"Deploy"', "The app is >>>deployed<<< with make"],
         "docs/backup.md": ['{"count":1}', "verified", ".replaced-"],
         "docs/retention.md": ["telemetry.invocations", "case 7", "settled"],
         "docs/operations.md": ["bytes_after"]}


def page_commands(page, fill=None):
    """The commands of a page, from its first to its last, in a home with one session of Claude Code and with what fill puts there; then
    the stores are where they are by default."""
    def test(place):
        home, programs = os.path.join(place, "home"), os.path.join(place, "programs")
        transcript = Transcript(1).user("The build has a connection timeout. Why?")
        transcript.assistant({"type": "text", "text": "The cache server is slow: raise the timeout."})
        write(home, {"timeout": (os.path.join(PROJECT, f"{transcript.id}.jsonl"), transcript.bytes())})
        os.makedirs(programs)
        os.symlink(CLI, os.path.join(programs, "stele"))
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("STELE_", "XDG_"))}
        if fill:
            fill(home)
        else:
            kept["STELE_HOME"] = os.path.join(place, "stores")
        script = "\n".join(["set -x", *blocks(page, "sh")])
        assert "stele" in script, page
        shown = run("bash", "-euc", script, cwd=home, stdin=subprocess.DEVNULL,
                    env={**kept, "HOME": home, "PATH": programs + os.pathsep + os.environ["PATH"]})
        assert shown, page
        if page == "docs/guide.md":
            assert shown.count("The cache server is slow") > 3, shown  # in searches, also by project, and where it is shown
        for part in SHOWN.get(page, ()):
            assert part in shown, f"{part} is not in\n{shown}"
    return test


def add_to(path, text):
    with open(path, "a", encoding="utf-8") as file:
        file.write("\n" + text)


def options_at_hand():
    told = json.loads(run("meson", "introspect", "--buildoptions", BUILD))
    return [f"-D{option['name']}={option['value']}" for option in told if option["name"] in ("buildtype", "postgres", "prefix", "sqlite")]


def adding_a_method(place):
    copy = os.path.join(place, "stele")
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("build*", ".git", "node_modules"), symlinks=True)
    page = "docs/adding-a-method.md"
    add_to(os.path.join(copy, "sql/telemetry/methods.sql"), blocks(page, "sql")[0])
    case = blocks(page, "text")[0]
    add_to(os.path.join(copy, "tests/method/telemetry.txt"), case)
    build = os.path.join(copy, "build")  # there, and with the options of the build at hand, ccache knows what has not changed
    run("meson", "setup", build, copy, *options_at_hand())
    run("ninja", "-C", build, "product", "tests/play")
    title = case.splitlines()[0].removeprefix("== ")
    shown = run(sys.executable, os.path.join(copy, "tests/method/run.py"), "--file",
                os.path.join(copy, "tests/method/telemetry.txt"), "--case", title, "--engine", "sqlite",
                env={**os.environ, "STELE_TEST_CLI": os.path.join(build, "stele"), "STELE_TEST_BUILD": build,
                     "STELE_TEST_PLAYER": os.path.join(build, "tests/play"), "STELE_TEST_SOURCE": copy,
                     "STELE_TEST_LIBRARY": os.path.join(build, "libstele.so"), "STELE_TEST_PYTHON": os.path.join(build, "python"),
                     "STELE_TEST_SANITIZED": "0"})
    played = [line for line in shown.splitlines() if line.startswith("ok") and title in line]
    assert len(played) == 6, shown  # one for each door
    help_text = run(os.path.join(build, "stele"), "help", "telemetry.count_listeners")
    assert "How many listeners are registered." in help_text, help_text


TESTS = [("the README's commands", readme_commands), ("the README's C program", readme_program),
         ("the README's Python", readme_python), ("the Python of docs/python.md", python_page),
         ("the Python of docs/adapters.md", adapters_page),
         ("the commands of docs/guide.md", page_commands("docs/guide.md")),
         ("the commands of docs/security.md", page_commands("docs/security.md")),
         ("the commands of docs/assistant.md", page_commands("docs/assistant.md")),
         ("the commands of docs/redaction.md", page_commands("docs/redaction.md")),
         ("the commands of docs/embeddings.md", page_commands("docs/embeddings.md")),
         ("the commands of docs/migration.md", page_commands("docs/migration.md", originals.make)),
         ("the commands of docs/operations.md", page_commands("docs/operations.md")),
         ("the commands of docs/backup.md", page_commands("docs/backup.md")),
         ("the commands of docs/retention.md", page_commands("docs/retention.md")),
         ("the program of docs/c-api.md", manual_program),
         ("a method is added as docs/adding-a-method.md says", adding_a_method)]


def main():
    print(f"1..{len(TESTS)}", flush=True)
    failed = 0
    for number, (name, test) in enumerate(TESTS, start=1):
        with tempfile.TemporaryDirectory(prefix="stele-examples-") as place:
            try:
                test(place)
                print(f"ok {number} - {name}", flush=True)
            except Exception as error:  # pylint: disable=broad-except
                failed += 1
                print(f"not ok {number} - {name}", flush=True)
                for line in f"{type(error).__name__}: {error}".splitlines():
                    print(f"# {line}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
