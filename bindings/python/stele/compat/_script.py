"""Scripts of definitions: what they make, and their statements."""

import re
import sqlite3

_NAME = re.compile(r"CREATE (?:UNIQUE )?(?:VIRTUAL )?(?:TABLE|INDEX|TRIGGER) IF NOT EXISTS (\w+)")


def names_made(script):
    """The names of the tables, indexes and triggers it makes."""
    return _NAME.findall(script)


def statements(script):
    """The statements of a script, one by one: executescript() would end the transaction."""
    kept = ""
    for line in script.splitlines(keepends=True):
        kept += line
        if sqlite3.complete_statement(kept):
            yield kept
            kept = ""
