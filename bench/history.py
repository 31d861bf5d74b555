"""What earlier runs measured: bench/history/, a file for each run that was kept.

A run is compared with the newest one that was kept.  Only ratios are: both sides of one were measured on the same
machine in the same minutes, so that those of another machine can be held against them."""

import glob
import json
import os

PLACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "history")


def entries(place=PLACE):
    """All runs that were kept, the oldest first."""
    found = []
    for path in sorted(glob.glob(os.path.join(place, "*.json"))):
        with open(path) as file:
            found.append(json.load(file))
    return sorted(found, key=lambda entry: entry["when"])


def entry(when, commit, machine, lines):
    """What is kept of a run; lines: {key: Line}."""
    return {"when": when, "commit": commit, "machine": machine,
            "lines": {key: {"stele": line.stele, "beside": line.bare, "ratio": line.ratio, "target": line.target(),
                            "rivals": {rival.name: rival.ratio for rival in line.rivals}}
                      for key, line in lines.items()}}


def keep(kept, place=PLACE):
    """Write an entry to the history; answers the path."""
    os.makedirs(place, exist_ok=True)
    path = os.path.join(place, f"{kept['when'][:10]}-{kept['commit'][:10]}.json")
    with open(path, "w") as file:
        json.dump(kept, file, indent=1)
        file.write("\n")
    return path


def last_known(kept):
    """{key: what was kept of that line last}: a run of some benchmarks leaves the others as they were."""
    known = {}
    for one in kept:
        known |= one["lines"]
    return known


def compared(key, line, then):
    """(name, ratio then, ratio now, part) of a line and of its rivals."""
    yield key, then.get("ratio"), line.ratio, line.worse_than(then.get("ratio"))
    for rival in line.rivals:
        before = then.get("rivals", {}).get(rival.name)
        yield f"{key}, beside {rival.name}", before, rival.ratio, before / rival.ratio - 1 if before and rival.ratio else None


def worsened(lines, known):
    """[(name, ratio then, ratio now, part)] of what is worse by more than is let pass; known: {key: what was kept}."""
    return [found for key, line in lines.items() for found in compared(key, line, known.get(key, {}))
            if found[3] is not None and found[3] > line.tolerance]
