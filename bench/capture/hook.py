#!/usr/bin/env python3
"""What the hook adds to a prompt, in real shells.

Usage: hook.py STELE.  A shell runs in a terminal.  Its own clock tells how long the hook keeps it; and it is measured how long it takes
from Enter to the next prompt, with and without the hook, in turns, so that a slow moment hits both.  While the server takes the events,
and while there is none."""

import argparse
import contextlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "tests"))
PROMPTS = 100  # of each kind
PAUSE = 0.02   # seconds before Enter: a person waits longer, and what runs beside has ended by then
PROMPT = "@ready@"

# Functions around the hook's, which note in a file how many microseconds are between them.
AROUND = {
    "zsh": "__a() { T=$EPOCHREALTIME }; __b() { print -- $(( (EPOCHREALTIME - T) * 1000000 )) >>{file} }; "
           "precmd_functions=(__a $precmd_functions __b)",
    "bash": "__a() { T=${EPOCHREALTIME/./}; }; __b() { echo $((${EPOCHREALTIME/./} - T)) >>{file}; }; "
            'PROMPT_COMMAND=(__a "${PROMPT_COMMAND[@]}" __b)',
}


def prompt_of(shell):
    return f"function fish_prompt; echo -n '{PROMPT}'; end" if shell == "fish" else f"PS1='{PROMPT}'"


def measure(terminal):
    """Milliseconds from Enter to the prompt."""
    time.sleep(PAUSE)
    place = len(terminal.said)
    began = time.monotonic()
    terminal.type("true")
    while PROMPT.encode() not in terminal.said[place:]:
        time.sleep(0.00005)
    return (time.monotonic() - began) * 1000


@contextlib.contextmanager
def shell_of(shell, directory, home=None):
    from capture.terminal import Terminal
    with Terminal(shell, directory) as terminal:
        if home:
            terminal.hook("--home", home)
        terminal.type(prompt_of(shell) + "; echo pre''pared")
        terminal.wait_for(PROMPT, terminal.wait_for("prepared"))
        if home and shell in AROUND:
            terminal.type(AROUND[shell].replace("{file}", os.path.join(directory, "times")) + "; echo arr''anged")
            terminal.wait_for(PROMPT, terminal.wait_for("arranged"))
        time.sleep(0.2)
        yield terminal


def in_the_shell(directory):
    """Milliseconds that the hook kept the shell: the median, and the 95th percentile."""
    if not os.path.exists(os.path.join(directory, "times")):
        return "", ""
    with open(os.path.join(directory, "times"), encoding="utf-8") as file:
        times = sorted(float(line) / 1000 for line in file)
    return f"{statistics.median(times):.2f}", f"{times[int(len(times) * 0.95)]:.2f}"


def compare(shell, directory, home):
    """Median milliseconds without and with the hook, and the median and the 95th percentile of what it adds."""
    with shell_of(shell, directory) as bare, shell_of(shell, directory, home) as hooked:
        pairs = [(measure(bare), measure(hooked)) for _ in range(PROMPTS)]
    added = sorted(hooked - bare for bare, hooked in pairs)
    return [statistics.median(column) for column in zip(*pairs)] + [statistics.median(added), added[int(len(added) * 0.95)]]


def main():
    parser = argparse.ArgumentParser(description="How much a hook adds to a prompt, in real shells.")
    parser.add_argument("stele", nargs="?", default="build/stele", help="the program (build/stele)")
    stele = os.path.abspath(parser.parse_args().stele)
    os.environ["STELE_TEST_CLI"] = stele
    print(f"{'':14}{'in the shell':>18}{'from Enter to the prompt':>40}")
    print(f"{'shell':6}{'server':8}{'median ms':>10}{'p95':>8}{'without ms':>12}{'with ms':>10}{'added ms':>10}{'p95':>8}")
    for shell in ("zsh", "bash", "fish"):
        if not shutil.which(shell):
            continue
        for running in (True, False):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:  # some may still be sending
                home = os.path.join(directory, "home")
                words = [stele, "--home", home, "serve", "--port", "0", "--set", "jobs=0,record=0"]
                server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) if running else None
                while running and not os.path.exists(os.path.join(home, "capture.sock")):
                    time.sleep(0.01)
                bare, hooked, added, worst = compare(shell, directory, home)
                kept, most = in_the_shell(directory)
                print(f"{shell:6}{'yes' if running else 'no':8}{kept:>10}{most:>8}{bare:12.2f}{hooked:10.2f}{added:10.2f}{worst:8.2f}", flush=True)
                if server:
                    server.terminate()
                    server.wait()


if __name__ == "__main__":
    main()
