"""What the DDL of a store makes on each engine: tables, columns, indexes, and whether it can be run again."""

import re
import sqlite3

from .problems import Place, did_you_mean
from .tokens import tokenize

_NOT_COLUMNS = ("CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "EXCLUDE", "LIKE")
_NEVER_ADDED = ("PRIMARY", "UNIQUE", "GENERATED")
_INTO = re.compile(r"\bINSERT (?:OR \w+ )?INTO (\w+)")
_ADDED = re.compile(r"\bALTER TABLE (\w+) ADD COLUMN (?:IF NOT EXISTS )?(\w+) (\w+)")
_SEED = re.compile(r"^-- @seed\b[ \t]*(.*)$", re.MULTILINE)


def read(store, problems, postgres):
    """The shape of a store, from the texts of its schemas; postgres is the path of the second."""
    found, virtual = _sqlite_tables(store, problems)
    if found is None:
        return
    ordinary = {table: found[table] for table in found if table not in virtual}
    texts = {engine: _tables(text) for engine, text in store.schema.items()}
    _compare(store, ordinary, texts["postgres"], postgres, problems)
    store.shape = [(table, column, {engine: None if key else _addable(texts[engine], table, column) for engine in texts})
                   for table in ordinary for column, key in ordinary[table].items()]
    store.objects = {engine: [name for _, name in _created(text)] for engine, text in store.schema.items()}
    _check_names(store, found, problems)
    if store.complete:
        _check_again(store, Place(store.place.path, store.place.line), problems)
        _check_again(store, Place(postgres, 1), problems, engine="postgres")


# ---- Seeds --------------------------------------------------------------------------------


def seeded(sql):
    """The table that a seed inserts into, or None."""
    found = _INTO.search(sql)
    return found[1] if found else None


def split_seeds(store, engine, place, problems):
    """Take the seeds from the end of a schema's text: [(table or None, SQL)]."""
    text, *parts = _SEED.split(store.schema[engine])
    store.schema[engine] = text.rstrip("\n") + "\n"
    store.seeds[engine] = [(table.strip() or None, sql.strip("\n") + "\n") for table, sql in zip(parts[::2], parts[1::2])]
    for table, sql in store.seeds[engine]:
        if not seeded(sql):
            problems.add(place, store.name, "@seed: no INSERT INTO stands below it")
        if table and not re.fullmatch(r"\w+", table):
            problems.add(place, store.name, f"@seed {table}: it needs one table, or none")
    if len(store.seeds[engine]) > 32:
        problems.add(place, store.name, "more than 32 @seed: which of them are due is kept in as many bits")


# ---- SQLite -------------------------------------------------------------------------------


def _sqlite_tables(store, problems):
    """Create the schema in memory.  {table: {column: whether it is of the key}} as SQLite tells them, and the
    set of those that are virtual; None when SQLite refuses."""
    database = sqlite3.connect(":memory:")
    if not _run(database, store, problems):
        return None, None
    kinds = database.execute("SELECT name, type FROM pragma_table_list WHERE schema = 'main'"
                             " AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite\\_%'"
                             " ESCAPE '\\' ORDER BY name").fetchall()
    columns = "SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid"
    tables = {name: {column: bool(key) for column, key in database.execute(columns, (name,))} for name, _ in kinds}
    if store.complete:
        _check_twice(database, store, problems)
    database.close()
    return tables, {name for name, kind in kinds if kind == "virtual"}


def _run(database, store, problems):
    """Run the schema and its seeds."""
    seeds = "".join(sql for _, sql in store.seeds["sqlite"])
    for line, sql in _statements(store.schema["sqlite"] + seeds, store.place.line):
        try:
            database.executescript(sql)
        except sqlite3.Error as error:
            told = " ".join(str(error).split())
            problems.add(Place(store.place.path, line), store.name, f"SQLite says: {told}")
            return False
    return True


def _check_twice(database, store, problems):
    """Run again, it changes nothing: neither tables nor, but for seeds of a table's first time, rows."""
    before = database.total_changes
    again = [store.schema["sqlite"]] + [sql for table, sql in store.seeds["sqlite"] if not table]
    try:
        database.executescript("".join(again))
    except sqlite3.Error as error:
        problems.add(store.place, store.name, f"@complete: run again, SQLite says: {error}")
    if database.total_changes != before:
        problems.add(store.place, store.name, "@complete: a seed without a table must change nothing when it is run again")


def _statements(text, first):
    """The statements of a text, each with the line where it begins; what is left at the end is one too, so
    that SQLite can tell what is missing."""
    pending, begin = "", 0
    for number, line in enumerate(text.split("\n"), start=first):
        begin = begin if pending.strip() else number
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            yield begin, pending
            pending = ""
    yield begin, pending


# ---- The rules ----------------------------------------------------------------------------


def _check_names(store, tables, problems):
    place = Place(store.place.path, 1)
    for renamed in store.renamed:
        if renamed.name not in tables.get(renamed.table, []):
            problems.add(place, store.name, f"@renamed {renamed.table}.{renamed.name}: "
                                            "the schema has no such column")
    for refusal in store.refusals:
        if refusal.column in tables.get(refusal.table, []):
            problems.add(place, store.name, f"@refuse {refusal.table}.{refusal.column}: "
                                            "the schema itself has that column")
    for table, _ in store.seeds["sqlite"]:
        if table and table not in tables:
            problems.add(place, store.name, f"@seed {table}: the schema has no such table{did_you_mean(table, tables)}")
    if store.complete and store.renamed:
        problems.add(place, store.name, "@complete and @renamed: a column that is there under its other name would be added")
    if store.mark == "table" and store.mark_column not in tables.get(store.mark_table, []):
        problems.add(place, store.name, f"@mark table {store.mark_table}({store.mark_column}): "
                                        "the schema has no such column")


def _check_again(store, place, problems, engine="sqlite"):
    """A schema that completes older files is run on what is there already."""
    def complain(line, text):
        problems.add(Place(place.path, place.line + line - 1), store.name, text)
    for statement in _split(store.schema[engine]):
        words = [token.text.upper() for token in statement[:8]]
        if words[0] != "CREATE":
            complain(statement[0].line, f"@complete: {words[0]} among the tables: rows stand below -- @seed")
        elif words[1:3] != ["OR", "REPLACE"] and "EXISTS" not in words:
            complain(statement[0].line, "@complete: IF NOT EXISTS is missing: the schema is run on what is there already")


def _compare(store, tables, ours, path, problems):
    """Both engines have the same tables with the same columns."""
    def differ(line, text):
        problems.add(Place(path, line), store.name, text)
    for table, columns in tables.items():
        line, found = ours.get(table, (1, None))
        if found is None:
            differ(1, f"table {table} of schema.sql is missing")
            continue
        for column in columns:
            if column not in found:
                differ(line, f"table {table}: column {column} of schema.sql is missing")
        for column in found:
            if column not in columns:
                differ(line, f"table {table}: column {column} is not in schema.sql")
    for table, (line, _) in ours.items():
        if table not in tables:
            differ(line, f"table {table} is not in schema.sql")


# ---- The text -----------------------------------------------------------------------------


def _split(text):
    """The statements of a text, each a list of tokens; what is inside a trigger is none of its own."""
    statement, inside = [], 0
    for token in tokenize(text):
        if token.kind in ("comment", "block"):
            continue
        if token.text != ";" or inside:
            statement.append(token)
            word = token.text.upper()
            inside += (word in ("BEGIN", "CASE")) - (word == "END")
        elif statement:
            yield statement
            statement = []


def _created(text):
    """(kind, name) of every index, trigger and virtual table."""
    for statement in _split(text):
        words = [token.text.upper() for token in statement]
        kind = next((word for word in words[1:3] if word in ("INDEX", "TRIGGER", "VIRTUAL")), None)
        if words[0] != "CREATE" or not kind:
            continue
        at = words.index("EXISTS") + 1 if "EXISTS" in words[:8] else words.index("TABLE" if kind == "VIRTUAL" else kind) + 1
        yield kind.lower(), statement[at].name


def _addable(tables, table, column):
    """How ALTER TABLE adds the column; None where it cannot: a table with rows has no value for it."""
    declared = tables.get(table, (1, {}))[1].get(column)
    words = declared.upper().split() if declared else []
    if not words or any(word in _NEVER_ADDED for word in words):
        return None
    default = words[words.index("DEFAULT") + 1] if "DEFAULT" in words else None
    if default is None:
        return None if "NOT NULL" in " ".join(words) else declared
    return None if default.startswith(("(", "CURRENT_")) else declared


def _tables(text):
    """{table: (line, {column: its declaration})} of the CREATE TABLE statements."""
    tokens = [token for token in tokenize(text) if token.kind not in ("comment", "block")]
    found, at = {}, 0
    while at < len(tokens):
        words = [token.text.upper() for token in tokens[at:at + 6]]
        table = words.index("TABLE") if words[:1] == ["CREATE"] and "TABLE" in words[:3] else 0
        if not table:
            at += 1
            continue
        name = at + table + (4 if words[table + 1:table + 4] == ["IF", "NOT", "EXISTS"] else 1)
        if name + 2 < len(tokens) and tokens[name + 1].text == ".":
            name += 2
        columns, at = _columns(tokens, name + 1)
        if columns is not None:
            found[tokens[name].name] = (tokens[name].line, columns)
    return found


def postgres_columns(store):
    """{(table, column): its type} on PostgreSQL, of the schema and of all features."""
    found = {}
    for text in [store.schema["postgres"], *(feature.sql.get("postgres") or "" for feature in store.features)]:
        for table, (_, columns) in _tables(text).items():
            found.update({(table, column): declared.split()[1] for column, declared in columns.items()})
        found.update({(table, column): kind for table, column, kind in _ADDED.findall(text)})
    return found


def _columns(tokens, at):
    """The columns of a list in parentheses that begins there, and where it ends; None if no
    list begins there."""
    if at >= len(tokens) or tokens[at].text != "(":
        return None, at
    entries, depth, end = [[]], 0, at
    for end in range(at, len(tokens)):
        token = tokens[end]
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0:
            break
        if token.text == "," and depth == 1:
            entries.append([])
        elif end > at:
            entries[-1].append(token)
    columns = {entry[0].name: "".join((" " if token.gap else "") + token.text for token in entry).strip()
               for entry in entries if entry and entry[0].text.upper() not in _NOT_COLUMNS}
    return columns, end + 1
