"""The definitions of a format that stele.compat works with: the module stele/compat/_hermes_schema.py, from the
schema of the conversation store and its feature `compatible`."""

import re
import sqlite3

_LATER = ("archived", "compression_locks", "platform_message", "rewind")
_CREATE = re.compile(r"CREATE ((?:UNIQUE )?INDEX|(?:VIRTUAL )?TABLE|TRIGGER) ")


def module(registry):
    store = next(each for each in registry.stores if each.name == "conversation")
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
