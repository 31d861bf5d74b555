"""Instructions rather than time: callgrind counts those of appending, searching and reading a page, on each side.

A count does not depend on what else the machine does, and is the same from run to run within a percent (where memory lies changes
how it is copied): what must not drift is held to it."""

import os
import re
import subprocess

from table import Line, Rival

# Appending comes last: what was appended and is not yet indexed would be read by every search.
WHAT = {"words": "search: two words", "common": "search: a word in 85 % of them", "page": "read the last 50 of a conversation", "append": "append a message"}
SIDES = ("stele", "limit", "original")
TOLERANCE = 0.03


def measure(program, directory, limit):
    """{SIDE_DEED: instructions of one} by bench_count, on stores that it makes first."""
    figures = {}
    for side in SIDES:
        made = subprocess.run([program, "--dir", directory, "--only", side], stdout=subprocess.PIPE, text=True, timeout=limit, check=True)
        times = float(re.search(r'"times":(\d+)', made.stdout)[1])
        for deed in WHAT:
            figures[f"{side}_{deed}"] = _instructions([program, "--dir", directory, "--only", f"{side},{deed}"], limit) / times
    return figures


def _instructions(command, limit):
    counting = ["valgrind", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=counted", f"--callgrind-out-file={os.devnull}"]
    done = subprocess.run([*counting, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=limit)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        raise RuntimeError(f"callgrind: {done.stderr[-500:]}")
    return int(found[1])


def count_lines(f):
    for n, (deed, what) in enumerate(WHAT.items()):
        yield Line(f"instructions: {what}" if n == 0 else f"  {what}", f"{f['stele_' + deed]:,.0f}", f"{f['limit_' + deed]:,.0f}",
                   f["limit_" + deed] / f["stele_" + deed], more=True, tolerance=TOLERANCE,
                   rivals=(Rival("the original", f"{f['original_' + deed]:,.0f}", f["original_" + deed] / f["stele_" + deed]),))
