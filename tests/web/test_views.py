#!/usr/bin/env python3
"""The dashboard's views in a real browser, with an invented month of work in them.  Prints TAP."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from web import place, sample  # noqa: E402


def main():
    with place.serve(sample.fill, settings="jobs=1") as (server, sessions):
        return place.drive("views.mjs", server, str(sample.NOW), sessions[0])


if __name__ == "__main__":
    sys.exit(main())
