#!/usr/bin/env python3
"""Write the registry from sql/: the C table of all stores and methods, its ids, its manual.

    registry.py --sql DIR [--sql DIR ...] --c registry.c --header registry_ids.h
                --markdown methods.md [--cases DIR] [--depfile registry.d]

Each DIR holds one directory per store; docs/grammar.md tells what is in it.  A mistake there is
told as "file:line: store.method: what is wrong", and nothing is written.  The manual's examples are calls
of the method tests in the directory of cases.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a build leaves nothing in the source tree

from registry import c, check, examples, markdown, stores  # noqa: E402
from registry.problems import Problems, Sources  # noqa: E402


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sql", action="append", required=True, type=Path, metavar="DIR")
    parser.add_argument("--c", required=True, type=Path, metavar="FILE")
    parser.add_argument("--header", required=True, type=Path, metavar="FILE")
    parser.add_argument("--markdown", required=True, type=Path, metavar="FILE")
    parser.add_argument("--cases", type=Path, metavar="DIR")
    parser.add_argument("--depfile", type=Path, metavar="FILE")
    return parser.parse_args(argv)


def depfile(target, sources):
    """A make rule.  It names the first output only: ninja refuses a rule with several targets."""
    def escape(path):
        return str(path).replace("$", "$$").replace("#", "\\#").replace(" ", "\\ ")
    return f"{escape(target)}: \\\n  " + " \\\n  ".join(map(escape, sources)) + "\n"


def main(argv):
    args = arguments(argv)
    problems = Problems()
    sources = Sources(problems)
    header = Path(__file__).resolve().parent.parent / "include" / "stele.h"
    registry = stores.load(args.sql, sources, problems)
    check.registry(registry, check.statuses(sources, header), problems)
    if problems:
        print("\n".join(problems.lines()), file=sys.stderr)
        return 1
    # Written even when unchanged: ninja would otherwise find them older than sql/ at every build.
    args.c.write_text(c.table(registry), encoding="utf-8")
    args.header.write_text(c.ids(registry), encoding="utf-8")
    shown, cases = examples.load(args.cases) if args.cases else ({}, [])
    args.markdown.write_text(markdown.manual(registry, shown), encoding="utf-8")
    if args.depfile:
        code = sorted(Path(__file__).parent.glob("registry/*.py"))
        args.depfile.write_text(depfile(args.c, sources.read + code + cases), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
