"""Checks that print TAP: a function per case, whose failures are what it yields."""

import sys

CASES = []


def case(function):
    """A case is named by its documentation, and passes if it yields nothing."""
    CASES.append(function)
    return function


def main():
    failed = 0
    for function in CASES:
        wrong = list(function())
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} - {function.__doc__.strip()}")
        for line in wrong:
            print(f"# {line}")
    sys.exit(1 if failed else 0)
