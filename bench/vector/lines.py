"""The lines of the search for near vectors."""

import glob
import json
import os
import subprocess

from table import Line


def measure_beside(figures, directory, limit):
    """The figures of bench_beside, with those of sqlite-vec on the same vectors."""
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    node = glob.glob(os.path.join(top, "node_modules", "node-linux-*", "bin", "node"))
    extension = glob.glob(os.path.join(top, "node_modules", "sqlite-vec-linux-*", "vec0.so"))
    if not node or not extension:
        raise RuntimeError("there is no sqlite-vec, or no Node (tools/setup bench fetches them)")
    script = os.path.join(top, "bench", "vector", "sqlite_vec.mjs")
    done = subprocess.run([node[0], "--no-warnings", script, extension[0], directory], stdout=subprocess.PIPE, text=True, timeout=limit, check=True)
    return {**figures, **json.loads(done.stdout)}


def nearest_lines(f):
    for kind, name, goal in (("clusters", "the 10 nearest of 1,000,000 x 768, overlapping clusters", 0.99), ("noise", "  near noise", 0.95)):
        yield Line(name, f"{f[kind + '_search_ms']:.1f} ms", f"{f[kind + '_bare_ms']:.1f} ms", f[kind + "_ratio"], at_most=1.5)
        yield Line("  of the truly nearest are found", f"{f[kind + '_recall']:.3f}", "", f[kind + "_recall"], at_least=goal)


def beside_lines(f):
    yield Line("the 10 nearest of 100,000 x 768, against sqlite-vec", f"{f['search_ms']:.2f} ms", f"{f['sqlite_vec_ms']:.0f} ms",
               f["sqlite_vec_ms"] / f["search_ms"], at_least=20)
    yield Line("  of what it finds are found", f"{f['agreed']:.3f}")


LINES = {"nearest": nearest_lines, "beside": beside_lines}
