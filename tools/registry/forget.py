"""forget.sql of a store: what becomes of the rows of each table when something is to be forgotten.

Every table that the schema or a feature makes is declared, so that one that is added tomorrow stops the build
until somebody has said how it forgets.  Each becomes up to four methods: `forget_choose_` notes in stele_forgetting
which rows go, `forget_follow_` which others go with them, `forget_redact_` takes a text out of rows that stay, and
`forget_delete_` removes what was noted."""

import re
import sqlite3

from . import methods
from .methods import INDENT, directive
from .model import Forgettable
from .problems import Place, did_you_mean
from .tables import postgres_columns

FILE = "forget.sql"
FEATURE = "forgetting"
HOLDS = "holds"
CRITERIA = ("session", "project", "source", "time", "ends")
_WORDS = ("key", *CRITERIA, "redact", "follows", "also", "detach", "rebuild", "nothing")
_NUMBERS = re.compile(r"(INTEGER|REAL|BOOLEAN|DATETIME|BIGINT|DOUBLE|TIMESTAMP|TSVECTOR)", re.IGNORECASE)
# Made by sql/shared/ and by documents.py, and seen to by the methods of sql/shared/forget.sql.
_SHARED = ("stele_embeddings", "stele_document_change", "stele_change", "stele_forgetting", "stele_forgotten")
# What is under a legal hold, and why, is somebody's word: it stays until that is released.
_KEPT = ("stele_holds",)


def read(store, path, sources, problems):
    """The declarations of a store, checked against all tables that it can have."""
    if not path.is_file():
        return
    tables = _tables(store)
    for block in _blocks(sources.text(path)):
        one = _declaration(store, str(path), block, tables, problems)
        if one:
            store.forgets.append(one)
    _check_complete(store, str(path), tables, problems)


def texts(store, path, problems):
    """The methods, by the grammar of methods, each from the line of its declaration on."""
    found = []
    for one in forgotten(store):
        for text in (_choose(store, one), _follow(store, one), _redact(store, one), _delete(store, one), _held(store, one), _release(store, one)):
            found += methods.read("\n" * (one.place.line - 1) + text, path, store.name, problems) if text else []
    return found


def forgotten(store):
    """The tables whose rows can be forgotten."""
    return [one for one in store.forgets if not one.nothing]


# ---- The tables -----------------------------------------------------------------------------


def _tables(store):
    """{table: {column: (type on SQLite, type on PostgreSQL or None, may be null, feature or None)}}, derived ones left out."""
    database = sqlite3.connect(":memory:")
    found, declared = {}, postgres_columns(store)
    steps = [(None, store.schema["sqlite"])] + [(feature.name, feature.sql.get("sqlite") or "") for feature in store.features]
    for feature, sql in steps:
        try:
            database.executescript(sql)
        except sqlite3.Error:
            continue  # what a file of another age has besides: the schema has it already
        names = database.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
                                 " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'").fetchall()
        for (table,) in names:
            columns = found.setdefault(table, {})
            for name, kind, bound, key in database.execute('SELECT name, type, "notnull", pk FROM pragma_table_info(?)', (table,)):
                columns.setdefault(name, (kind, declared.get((table, name)), not bound and not key, feature))
    database.close()
    return {table: columns for table, columns in found.items() if table not in _SHARED + _KEPT}


def _is_text(kind):
    return bool(kind) and not _NUMBERS.match(kind)


def _check_complete(store, path, tables, problems):
    named = [one.table for one in store.forgets]
    for table in tables:
        if table not in named:
            problems.add(Place(path, 1), store.name, f"table {table} is not declared: say with @forget what becomes of its rows")
    for one in store.forgets:
        if named.count(one.table) > 1:
            problems.add(one.place, store.name, f"@forget {one.table} is declared twice")


# ---- The text -------------------------------------------------------------------------------


def _blocks(text):
    """[line, table, lines below it] of every @forget."""
    blocks = []
    for number, line in enumerate(text.split("\n"), start=1):
        word, rest = directive(line)
        if word == "forget":
            blocks.append((number, rest, []))
        elif blocks:
            blocks[-1][2].append((number, line))
    return blocks


def _declaration(store, path, block, tables, problems):
    number, table, lines = block
    one = Forgettable(table, Place(path, number))

    def complain(line, text):
        problems.add(Place(path, line), store.name, f"@forget {table}: {text}")
    if table not in tables:
        complain(number, f"there is no such table{did_you_mean(table, tables)}")
        return None
    goes_on = None  # the list whose last entry an indented line goes on with
    while lines and lines[0][1].startswith("--"):
        at, line = lines.pop(0)
        word, rest = directive(line)
        if word is None and goes_on and line[2:].startswith(" " * INDENT):
            goes_on[-1] += " " + line[2:].strip()
        elif word is None:
            one.doc = f"{one.doc} {line[2:].strip()}".strip()
        elif word not in _WORDS:
            complain(at, f"unknown word @{word}{did_you_mean(word, _WORDS)}")
        else:
            wrong, goes_on = _set(one, word, rest)
            if wrong:
                complain(at, wrong)
    one.body = "\n".join(line for _, line in lines if not line.startswith("--")).strip()
    one.columns = {name: kinds for name, kinds in tables[table].items() if _is_text(kinds[0]) or _is_text(kinds[1])}
    one.feature = min((kinds[3] or "" for kinds in tables[table].values()), default="")
    one.held = next((held.kind for held in store.held if held.table == table), "")
    one.kinds = [source.kind for source in store.sources if source.table == table]
    _check(one, complain)
    return one


def _set(one, word, rest):
    """Take one word: what is wrong with it, and the list that indented lines go on with."""
    if word == "key":
        one.key_type, _, one.key = rest.partition(" ")
        return (None if one.key_type in ("int", "text") and one.key else "@key needs int or text, and an expression"), None
    if word in CRITERIA:
        one.criteria[word] = rest
    elif word == "redact":
        one.redact = [name.strip() for name in rest.split(",") if name.strip()]
    elif word == "rebuild":
        one.rebuild = [name.strip() for name in rest.split(",")]
    elif word == "nothing":
        one.nothing = True
    else:
        getattr(one, word).append(rest)
        return None, getattr(one, word)
    return None, None


def _check(one, complain):
    line = one.place.line
    if not one.doc:
        complain(line, "it has no documentation")
    if one.nothing:
        if one.columns:
            complain(line, f"@nothing: column {next(iter(one.columns))} can hold a text")
    elif not one.key:
        complain(line, "it has no @key")
    for name in one.redact or ():
        if name not in one.columns:
            complain(line, f"@redact {name}: there is no such column of text")


# ---- The methods ----------------------------------------------------------------------------

_PARAMS = """\
-- @param  session  text optional   only of this session
-- @param  project  text optional   only of this project, or below this directory
-- @param  source   text optional   only from this source
-- @param  since    time optional   from this time on
-- @param  until    time optional   before this time
-- @param  text     text optional   only where this stands
"""


def chosen(place, kind="text"):
    """The keys that were noted of a table."""
    key = "f.key" if kind == "text" else "CAST(f.key AS BIGINT)"
    return f"(SELECT {key} FROM stele_forgetting AS f WHERE f.place = '{place}')"


def _head(store, one, verb, doc, fields="", shape="none  write"):
    needed = [FEATURE, *filter(None, [one.feature]), *([HOLDS] if verb in ("held", "release") else [])]
    features = "".join(f"-- @feature {name}\n" for name in needed)
    return f"-- @method {store.name}.forget_{verb}_{one.table}  {shape}  private\n-- {doc}\n{fields}{features}"


def _contains(engine, column, kinds):
    if engine == "sqlite":
        return f'instr(CAST(t."{column}" AS TEXT), :text) > 0'
    if kinds[1] and kinds[1].upper().startswith("BYTEA"):
        return f"position(convert_to(:text, 'UTF8') IN t.\"{column}\") > 0"
    return f'strpos(CAST(t."{column}" AS TEXT), :text) > 0'


def _texts(one, columns):
    """Lines of a condition: the text stands in one of the columns."""
    lines = ["   AND (FALSE                                           -- @if text"]
    for name in columns:
        kinds = one.columns[name]
        has = f" @has {kinds[3]}" if kinds[3] and kinds[3] != one.feature else ""
        for engine, kind in zip(("sqlite", "postgres"), kinds):
            if _is_text(kind):
                lines.append(f"     OR {_contains(engine, name, kinds)}  -- @if text @for {engine}{has}")
    return lines + ["   )                                                -- @if text"]


def _has(one, name):
    """The end of a line about a column that only some files have."""
    feature = one.columns[name][3]
    return f" @has {feature}" if feature and feature != one.feature else ""


def _texts(one, columns, end="@if text "):
    """Lines of a condition: the text stands in one of the columns."""
    always = f"  -- {end}".rstrip() if end else ""
    lines = [f"     OR {_contains(engine, name, one.columns[name])}  -- {end}@for {engine}{_has(one, name)}"
             for name in columns for engine, kind in zip(("sqlite", "postgres"), one.columns[name]) if _is_text(kind)]
    return "\n".join([f"   AND (FALSE{always}", *lines, f"   ){always}"])


def _note(one, place, condition):
    """Note the keys of the rows of which a condition is true."""
    key = f"CAST({one.key} AS TEXT)"
    return (f"INSERT INTO stele_forgetting (place, key)\nSELECT DISTINCT '{place}', {key}\n  FROM {one.table} AS t\n"
            f" WHERE {key} IS NOT NULL\n{condition}\n ON CONFLICT (place, key) DO NOTHING;\n")


def _choose(store, one):
    tests = (("session", "session", "CAST({0} AS TEXT) = :session"), ("source", "source", "{0} = :source"),
             ("project", "project", "({0} = :project OR substr({0}, 1, length(:project) + 1) = :project || '/')"),
             ("time", "since", "{0} >= :since"), ("ends" if "ends" in one.criteria else "time", "until", "{0} < :until"))
    lines = []
    for word, param, test in tests:
        expression, _, feature = one.criteria.get(word, "").partition(" @has ")
        lines.append(f"   AND {test.format(expression) if expression else 'FALSE'}  -- @if {param}{f' @has {feature}' if feature else ''}")
        lines += [f"   AND FALSE  -- @if {param} @lacks {feature}"] if feature else []
    texts = _texts(one, one.columns if one.redact is None else one.redact)
    return _head(store, one, "choose", f"{one.doc} Which of them are to go.", _PARAMS) + _note(one, one.table, "\n".join([*lines, texts]))


def _follow(store, one):
    statements = []
    for each in one.follows:
        parent, _, how = each.partition(" ")
        kind = next((other.key_type for other in store.forgets if other.table == parent), "text")
        through = re.fullmatch(r"through (\w+) (\w+) (\w+)", how)
        goes = f"{how} IN {chosen(parent, kind)}"
        if through:
            goes = f"{one.key} IN (SELECT l.{through[2]} FROM {through[1]} AS l WHERE l.{through[3]} IN {chosen(parent, kind)})"
        statements.append(_note(one, one.table, f"   AND {goes}"))
    statements += [_note(one, one.table, f"   AND ({condition})") for condition in one.also]
    return _head(store, one, "follow", f"{one.doc} Those that go with others.") + "".join(statements) if statements else ""


def _redact(store, one):
    """Rows of which a text is taken out are noted under the table's name and a dot."""
    staying = [name for name in one.columns if one.redact is not None and name not in one.redact]
    staying.sort(key=lambda name: bool(_has(one, name)))  # what all files have comes first, and needs no comma
    if not staying:
        return ""
    place, begun, lines = f"{one.table}.", set(), []
    for name in staying:
        blank = "NULL" if one.columns[name][2] else "'[forgotten]'"
        for engine, kind in zip(("sqlite", "postgres"), one.columns[name]):
            if _is_text(kind):
                test = _contains(engine, name, one.columns[name])
                lines.append(f"     {',' if engine in begun else ' '} \"{name}\" = CASE WHEN {test} THEN {blank} ELSE t.\"{name}\" END"
                             f"  -- @for {engine}{_has(one, name)}")
                begun.add(engine)
    param = "-- @param  text  text   what is taken out\n"
    return (_head(store, one, "redact", f"{one.doc} Take a text out of those that stay.", param)
            + _note(one, place, _texts(one, staying, "") + (f"\n   AND {one.key} NOT IN (SELECT h.id FROM stele_held_{one.held} AS h)  -- @has {HOLDS}" if one.held else ""))
            + f"UPDATE {one.table} AS t SET\n" + "\n".join(lines) + f"\n WHERE CAST({one.key} AS TEXT) IN {chosen(place)};\n")


def _delete(store, one):
    statements = [f"UPDATE {table} SET {column} = NULL WHERE {column} IN {chosen(one.table, one.key_type)};\n"
                  for table, _, column in (each.partition(".") for each in one.detach)]
    key = one.key if one.key_type == "int" else f"CAST({one.key} AS TEXT)"
    statements.append(f"{one.body}\n" if one.body else "")
    statements.append(f"DELETE FROM {one.table} AS t WHERE {key} IN {chosen(one.table, one.key_type)};\n")
    return _head(store, one, "delete", f"{one.doc} Remove those that were noted.") + "".join(statements)


# What a legal hold keeps stays, and what goes with it.


def _held(store, one):
    results = "-- @result hold  int   the hold\n-- @result rows  int   rows that it keeps\n"
    return (_head(store, one, "held", f"{one.doc} Those that are noted and held.", results, "many  read")
            + f"SELECT h.hold AS hold, COUNT(*) AS rows FROM stele_held_{one.held} AS h\n"
            f" WHERE CAST(h.id AS TEXT) IN {chosen(one.table)} GROUP BY h.hold ORDER BY h.hold;\n") if one.held else ""


def _release(store, one):
    return (_head(store, one, "release", f"{one.doc} Those that are held stay.")
            + f"DELETE FROM stele_forgetting WHERE place = '{one.table}' AND key IN (SELECT CAST(h.id AS TEXT) FROM stele_held_{one.held} AS h);\n") if one.held else ""
