#!/usr/bin/env python3
"""Make the Python package: the sources of bindings/python and what is written from include/stele.h and sql/.

    binding.py --out DIR [--library libstele.so] [--depfile binding.d]

DIR/stele is then complete.  With a library, it is copied beside the package, which finds it there.
"""

import argparse
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a build leaves nothing in the source tree

from binding import abi, errors, header, original, stores, stubs  # noqa: E402
from registry import stores as registry_stores  # noqa: E402
from registry.problems import Problems, Sources  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "bindings" / "python" / "stele"
HEADER = ROOT / "include" / "stele.h"
LIBRARY = "libstele.so"  # as the package looks for it beside itself


def generated():
    """{path in the package: its text}, and the files they come from."""
    problems = Problems()
    sources = Sources(problems)
    registry = registry_stores.load([ROOT / "sql"], sources, problems)
    if problems:
        raise SystemExit("\n".join(problems.lines()))
    declared = header.read(HEADER.read_text(encoding="utf-8"))
    texts = {
        "_abi.py": abi.module(declared),
        "_errors.py": errors.module(declared),
        "_stores.py": stores.module(registry),
        "_stores.pyi": stubs.module(registry),
        "compat/_hermes_schema.py": original.hermes(registry),
        "compat/_kiso_schema.py": original.kiso(registry),
    }
    return texts, [HEADER, *map(Path, sources.read)]


def written():
    """The sources that are kept: {path in the package: file}."""
    return {str(path.relative_to(PACKAGE)): path for path in sorted(PACKAGE.rglob("*"))
            if path.is_file() and "__pycache__" not in path.parts}


def make(out, library=None):
    """Write the package below out; answer the files it was made from."""
    texts, sources = generated()
    target = Path(out) / "stele"
    shutil.rmtree(target, ignore_errors=True)  # what is no longer part of it must not stay
    for name, path in written().items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target / name)
    for name, text in texts.items():
        (target / name).write_text(text, encoding="utf-8")
    if library:
        shutil.copyfile(library, target / LIBRARY)
    directories = [PACKAGE, *(path for path in PACKAGE.rglob("*") if path.is_dir() and path.name != "__pycache__")]
    return sources + list(written().values()) + directories  # a file that is added changes its directory


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", required=True, type=Path, metavar="DIR")
    parser.add_argument("--library", type=Path, metavar="FILE")
    parser.add_argument("--stamp", type=Path, metavar="FILE", help="written when all is done, for ninja")
    parser.add_argument("--depfile", type=Path, metavar="FILE")
    args = parser.parse_args(argv)
    sources = make(args.out, args.library)
    if args.stamp:
        args.stamp.write_text("")
    if args.depfile:
        code = sorted(Path(__file__).parent.glob("binding/*.py")) + sorted(Path(__file__).parent.glob("registry/*.py"))
        names = " \\\n  ".join(str(path).replace(" ", "\\ ") for path in [*sources, *code])
        args.depfile.write_text(f"{args.stamp}: \\\n  {names}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
