"""The definitions of the formats that stele.compat works with: the modules stele/compat/_hermes_schema.py, from the
schema of the conversation store and its feature `compatible`, and stele/compat/_kiso_schema.py, from the planner's."""

import contextlib
import re
import sqlite3

_LATER = ("archived", "compression_locks", "platform_message", "rewind")
_ROWS = {"SessionDict": "sessions", "MessageDict": "messages", "PlanDict": "plans", "TaskDict": "tasks"}
_TYPES = {"INTEGER": "int", "BOOLEAN": "int", "REAL": "float"}
_CREATE = re.compile(r"CREATE ((?:UNIQUE )?INDEX|(?:VIRTUAL )?TABLE|TRIGGER) ")


def kiso(registry):
    made = list(_statements(_store(registry, "planner").schema["sqlite"]))
    out = ['"""Written by tools/binding.py from sql/planner/.  Do not edit."""\n', "from typing import TypedDict\n", 'SCHEMA = r"""',
           *map(_if_missing, made), '"""\n', "# The rows of its tables."]
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.executescript("".join(each for each in made if each.startswith("CREATE TABLE")))
        for name, table in _ROWS.items():
            columns = ", ".join(f'"{column}": {_type(*about)}' for _, column, *about in db.execute(f"PRAGMA table_info({table})"))
            out.append(f'{name} = TypedDict("{name}", {{{columns}}})')
    return "\n".join(out) + "\n"


def _type(declared, not_null, _, key):
    """The type of a column's values in Python."""
    kind = _TYPES.get(declared, "str")
    return kind if not_null or key else f"{kind} | None"


def hermes(registry):
    store = _store(registry, "conversation")
    feature = next(each for each in store.features if each.name == "compatible")
    made = [_if_missing(each) for each in _statements(store.schema["sqlite"])]
    search = [_if_missing(each) for each in _statements(feature.sql["sqlite"])]
    parts = {
        "SCHEMA_SQL": [each for each in made if "UNIQUE INDEX" not in each],
        "TITLE_INDEX_SQL": [each for each in made if "UNIQUE INDEX" in each],
        "FTS_SQL": [each for each in search if "messages_fts_trigram" not in each],
        "FTS_TRIGRAM_SQL": [each for each in search if "messages_fts_trigram" in each],
    }
    out = ['"""Written by tools/binding.py from sql/conversation/.  Do not edit."""\n', f"SCHEMA_VERSION = {store.version}\n"]
    out += [f'{name} = r"""\n' + "\n".join(texts) + '\n"""\n' for name, texts in parts.items()]
    out.append("# What later versions of the format have: (table, column or None, how it is made).")
    later = {each.name: (each.table, each.column, "\n".join(_statements(each.sql["sqlite"]))) for each in store.features
             if each.name in _LATER}
    out += ["LATER = {", *(f"    {name!r}: {made!r}," for name, made in later.items()), "}\n"]
    return "\n".join(out)


def _store(registry, name):
    return next(each for each in registry.stores if each.name == name)


def _statements(sql):
    """The statements of a script, without the comments between them."""
    kept = ""
    for line in sql.splitlines():
        if not kept and (not line.strip() or line.startswith("--")):
            continue
        kept += line + "\n"
        if sqlite3.complete_statement(kept):
            yield kept.rstrip()
            kept = ""


def _if_missing(statement):
    return _CREATE.sub(lambda found: found[0] + "IF NOT EXISTS ", statement, count=1)
