"""What was measured so far: bench.json in the build directory.

Every benchmark's figures are put there as soon as it has ended, with the time and the commit, in the place of those it had: a
run that was interrupted, or one of some benchmarks only, loses nothing of what others measured."""

import json
import os
import re
import statistics

WORST = re.compile(r"_max$|_failures$|_slowest_sync_ms$")  # of several rounds the largest counts


class Results:
    def __init__(self, directory, tried=False):
        """tried: with another number of rows than the table is of; those figures are not put among the others."""
        self.path = os.path.join(directory, "bench-tried.json" if tried else "bench.json")
        self.measured = {}
        if os.path.exists(self.path):
            with open(self.path) as file:
                self.measured = json.load(file).get("measured", {})

    def put(self, name, rounds, when, commit):
        self.measured[name] = {"when": when, "commit": commit, "rounds": rounds}
        self._write({})

    def has(self, name, commit):
        return self.measured.get(name, {}).get("commit") == commit

    def figures(self):
        """{benchmark: figures}, those of several rounds as one."""
        return {name: combine(one["rounds"]) for name, one in self.measured.items()}

    def finish(self, kept):
        """Put what is kept of the run beside the figures."""
        self._write(kept)

    def _write(self, kept):
        with open(self.path + ".new", "w") as out:
            json.dump({**kept, "measured": self.measured}, out, indent=1)
        os.replace(self.path + ".new", self.path)


def combine(rounds):
    """One set of figures from several rounds."""
    return {key: (max if WORST.search(key) else statistics.median)([figures[key] for figures in rounds]) for key in rounds[0]}
