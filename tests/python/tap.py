"""Tests as functions with a name and a directory of their own; TAP."""

import argparse
import shutil
import sys
import tempfile
import textwrap
import traceback

from cli.place import TESTS, same, test  # noqa: F401

def raises(kind, function, *args, says="", **kwargs):
    """The exception, which must be exactly of that kind and say something."""
    try:
        got = function(*args, **kwargs)
    except Exception as error:
        if type(error) is not kind or says not in str(error):
            raise AssertionError(f"raised {error!r} instead of {kind.__name__}: {says}") from error
        return error
    raise AssertionError(f"answered {got!r} instead of raising {kind.__name__}")


async def raised(kind, awaited):
    """The same of something that is awaited."""
    try:
        got = await awaited
    except kind as error:
        return error
    raise AssertionError(f"answered {got!r} instead of raising {kind.__name__}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help="tests with this text in their names")
    chosen = [(name, function) for name, function in TESTS if parser.parse_args().only in name]
    failed = 0
    print(f"1..{len(chosen)}", flush=True)
    for name, function in chosen:
        place = tempfile.mkdtemp(prefix="stele-python-")
        try:
            function(place)
            print(f"ok - {name}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok - {name}\n{textwrap.indent(traceback.format_exc(), '# ')}", end="", flush=True)
        finally:
            shutil.rmtree(place, ignore_errors=True)
    sys.exit(1 if failed else 0)
