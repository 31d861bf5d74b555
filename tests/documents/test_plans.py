#!/usr/bin/env python3
"""Every source is read by its key: neither a page of it nor some of its rows read the whole table.  Prints TAP."""

import contextlib
import os
import re
import sqlite3
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tools"))
from documents.finder import Home  # noqa: E402
from method import doors  # noqa: E402
from place import main, same, test  # noqa: E402
