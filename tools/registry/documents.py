"""sources.sql of a store: what of it can be found.  Each source becomes two methods that read it, and
triggers that note what is new, changed or gone."""

import re
from dataclasses import dataclass

from .methods import directive
from .model import Feature, Field, Method, Source
from .problems import Place, did_you_mean
from .tokens import tokenize

FILE = "sources.sql"
FEATURE = "documents"
COLUMNS = (("title", "text?", "what it is called"), ("text", "text?", "what is looked through"),
           ("extra", "text?", "JSON; the texts in it are looked through too"), ("time", "time?", "when"),
           ("project", "text?", "where"), ("session", "text?", "of which session"), ("role", "text?", "who, or what of its kind"),
           ("url", "text?", "its address"))
_HEAD = re.compile(r"([a-z][a-z0-9_]*)\s+(\w+)\s+(\w+)\s+(int|text)")
_NAMES = re.compile(r"\w+(\s*,\s*\w+)*")
_WORDS = ("watch", "when", "numbered", "needs", "mark")
_MARKS = ("private", "untrusted")


def read(store, path, sources, problems):
    """The sources of a store, and the feature that notes their changes."""
    if not path.is_file():
        return
    for block in blocks(sources.text(path), "source"):
        source = _source(store, str(path), block, problems)
        if source:
            store.sources.append(source)
    noting = [source for source in store.sources if not source.numbered]
    if noting:
        store.features.append(_feature(noting))
        store.features += [_later_feature(source) for source in noting if source.needs]


def methods(store):
    """The methods that read the sources of a store."""
    return [method for source in store.sources for method in (_page(store, source), _rows(store, source), _count(store, source))]


# ---- The text -----------------------------------------------------------------------------


@dataclass
class _Block:
    line: int
    head: str
    lines: list  # those below the @word


def blocks(text, opens):
    """The blocks of a text that begin with this @word."""
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        word, rest = directive(line)
        if word == opens:
            found.append(_Block(number, rest, []))
        elif found:
            found[-1].lines.append((number, line))
    return found


def _source(store, path, block, problems):
    def complain(line, text):
        problems.add(Place(path, line), store.name, text)
    head = _HEAD.fullmatch(block.head)
    if not head:
        complain(block.line, "@source needs a kind, a table, its key and the key's type: int or text")
        return None
    if any(each.kind == head[1] for each in store.sources):
        complain(block.line, f"@source {head[1]} is declared twice")
        return None
    source = Source(head[1], Place(path, block.line), head[2], head[3], head[4])
    lines = list(block.lines)
    while lines and lines[0][1].startswith("--"):
        number, line = lines.pop(0)
        word, rest = directive(line)
        if word is None:
            source.doc = f"{source.doc} {line[2:].strip()}".strip()
        elif not _set(source, word, rest):
            complain(number, f"@{word} {rest}: a source has @watch columns, @when condition, @needs feature, @numbered, @mark private or untrusted"
                             f"{did_you_mean(word, _WORDS)}")
    if not source.doc:
        complain(block.line, f"@source {source.kind} has no documentation")
    number = lines[0][0] if lines else block.line
    source.body = tokenize("\n".join(line for _, line in lines), line=number)
    while source.body and source.body[-1].kind == "comment":
        source.body.pop()
    if not source.body or source.body.pop().text != ";":
        complain(number, f"@source {source.kind} needs one SELECT, ended by ;")
        return None
    return source


def _set(source, word, rest):
    if word == "watch" and _NAMES.fullmatch(rest):
        source.watch = rest
    elif word == "when" and rest:
        source.when = rest
    elif word == "needs" and rest:
        source.needs = rest
    elif word == "mark" and rest in _MARKS:
        source.mark = rest
    elif word == "numbered" and not rest:
        source.numbered = True
    else:
        return False
    return True


# ---- The methods --------------------------------------------------------------------------


def _fields(source):
    """The results; the same for every source."""
    def field(name, written, doc):
        return Field(name, source.place, written=written, type=written.rstrip("?"), nullable=written.endswith("?"), doc=doc)
    return [field("id", "text", "its key"), *(field(*column) for column in COLUMNS)]


def _method(store, source, name, doc, params, tail, shape="many", results=None, select=None):
    """SELECT from the source's own SELECT; by itself all its columns.  What is put around it is on lines of its own, which no file has: what is said
    at a line's end is about that line."""
    method = Method(store.name, f"{store.name}.source_{name}_{source.kind}", source.place, shape, "read", private=True,
                    doc=doc, params=params, results=results or _fields(source), features=[(source.place, source.needs)] if source.needs else [])
    columns = ", ".join(f"d.{name} AS {name}" for name, _, _ in COLUMNS)
    method.body = tokenize(f"SELECT {select or f'CAST(d.id AS TEXT) AS id, {columns}'} FROM (", line=0) + source.body
    method.body += [token for number, text in enumerate(tail, start=1) for token in tokenize(text, line=-number)]
    return method


def _page(store, source):
    key = Field("after", source.place, written=source.key_type, type=source.key_type, optional=True, doc="only those with a greater key")
    limit = Field("limit", source.place, written="int", type="int", doc="at most this many")
    return _method(store, source, "page", f"{source.doc} Some of them, in the order of their keys.", [key, limit],
                   [") AS d", "WHERE d.id > :after  -- @if after", "ORDER BY d.id LIMIT :limit;"])


def _rows(store, source):
    keys = Field("ids", source.place, written=f"{source.key_type}[]", type=source.key_type, list=True, doc="their keys")
    return _method(store, source, "rows", f"{source.doc} Those with these keys.", [keys], [") AS d WHERE d.id IN :ids;"])


def _count(store, source):
    rows = Field("rows", source.place, written="int", type="int", doc="how many")
    return _method(store, source, "count", f"{source.doc} How many there are.", [], [") AS d;"], "one", [rows], "COUNT(*) AS rows")


# ---- The feature --------------------------------------------------------------------------


def noted_by(source):
    """The feature that notes the changes of a source.  A table that is made when it is first needed has one of its own:
    the others need not wait for it."""
    return f"{FEATURE}_{source.kind}" if source.needs else "" if source.numbered else FEATURE


def _later_feature(source):
    existing = f"INSERT INTO stele_document_change (kind, id) SELECT '{source.kind}', CAST({source.key} AS TEXT) FROM {source.table};\n"
    return Feature(noted_by(source), f"stele_document_{source.kind}_insert", None,
                   {"sqlite": _sqlite_triggers(source) + existing, "postgres": _postgres_triggers(source)}, {}, derived=True)


def _feature(sources):
    first = [source for source in sources if not source.needs]
    return Feature(FEATURE, "stele_document_change", None,
                   {"sqlite": _SQLITE + "".join(map(_sqlite_triggers, first)),
                    "postgres": _POSTGRES + "".join(map(_postgres_triggers, first))},
                   {"sqlite": "".join(f"DROP TRIGGER IF EXISTS stele_document_{source.kind}_{event};\n"
                                      for source in sources for event in ("insert", "update", "delete"))
                    + "DROP TABLE IF EXISTS stele_document_change;\n"}, derived=True)


_SQLITE = """\
-- For the search index: which rows that can be found are new, changed or gone since.
CREATE TABLE stele_document_change (
    seq   INTEGER PRIMARY KEY,               -- the last ones are never struck out, so that none is given twice
    kind  TEXT NOT NULL,                     -- of what kind
    id    TEXT,                              -- its key; a row without one is not found
    stamp INTEGER NOT NULL DEFAULT (random()) -- in a copy of the store that went another way, another change has the number
);
"""

_POSTGRES = """\
-- For the search index: which rows that can be found are new, changed or gone since.
CREATE TABLE stele_document_change (
    seq  BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL,
    id   TEXT COLLATE "C"
);
-- Derived: the tokens of each of them, and what they are chosen by. What PostgreSQL cannot hold of a long one is told, and
-- is looked up in the row itself.
CREATE TABLE stele_document (
    kind    TEXT COLLATE "C" NOT NULL,
    id      TEXT COLLATE "C" NOT NULL,
    tokens  TSVECTOR NOT NULL,
    lost    BOOLEAN NOT NULL,               -- some phrases may not be found in it
    cut     BOOLEAN NOT NULL,               -- some words are not in it
    time    DOUBLE PRECISION,               -- epoch seconds
    project TEXT COLLATE "C",
    session TEXT COLLATE "C",
    role    TEXT COLLATE "C",
    PRIMARY KEY (kind, id)
);
CREATE INDEX stele_document_tokens ON stele_document USING GIN (tokens);
CREATE INDEX stele_document_cut ON stele_document (kind, id) WHERE cut;
CREATE INDEX stele_document_time ON stele_document (time);
"""


def _of(row, condition):
    """The condition, written about the new row, for the new or the old one."""
    return re.sub(r"\bnew\.", f"{row}.", condition)


def _sqlite_triggers(source):
    note = "    INSERT INTO stele_document_change (kind, id) "
    inserted = f" WHEN {source.when}" if source.when else ""
    deleted = f" WHEN {_of('old', source.when)}" if source.when else ""
    updated = f" WHEN ({source.when}) OR ({_of('old', source.when)})" if source.when else ""
    watched = f" OF {source.watch}" if source.watch else ""
    old, new = (f"{note}VALUES ('{source.kind}', CAST({row}.{source.key} AS TEXT));\n" for row in ("old", "new"))
    moved = f"{note}SELECT '{source.kind}', CAST(new.{source.key} AS TEXT) WHERE new.{source.key} IS NOT old.{source.key};\n"

    def trigger(event, what, condition, body):
        return (f"CREATE TRIGGER stele_document_{source.kind}_{event} AFTER {what} ON {source.table}{condition} BEGIN\n{body}END;\n")
    return (trigger("insert", "INSERT", inserted, new) + trigger("update", f"UPDATE{watched}", updated, old + moved)
            + trigger("delete", "DELETE", deleted, old))


def _postgres_triggers(source):
    name = f"stele_document_{source.kind}"
    note = "INSERT INTO stele_document_change (kind, id) VALUES"
    inserted = f" WHEN ({source.when})" if source.when else ""
    deleted = f" WHEN ({_of('old', source.when)})" if source.when else ""
    updated = f" WHEN (({source.when}) OR ({_of('old', source.when)}))" if source.when else ""
    watched = f" OF {source.watch}" if source.watch else ""
    chosen = f" WHERE {_of('n', source.when)}" if source.when else ""

    def trigger(event, what, condition):
        return (f"CREATE TRIGGER {name}_{event} AFTER {what} ON {source.table} FOR EACH ROW{condition} "
                f"EXECUTE FUNCTION {name}();\n")
    return f"""\
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        {note} ('{source.kind}', CAST(old.{source.key} AS TEXT));
    END IF;
    IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND new.{source.key} IS DISTINCT FROM old.{source.key}) THEN
        {note} ('{source.kind}', CAST(new.{source.key} AS TEXT));
    END IF;
    RETURN NULL;
END $$;
DO $$ BEGIN  -- it runs as its owner, also for whoever may write only there: tables of a session's own must not come first
    EXECUTE format('ALTER FUNCTION {name}() SET search_path = %I, pg_temp', current_schema());
END $$;
{trigger('insert', 'INSERT', inserted)}{trigger('update', 'UPDATE' + watched, updated)}{trigger('delete', 'DELETE', deleted)}\
INSERT INTO stele_document_change (kind, id) SELECT '{source.kind}', CAST(n.{source.key} AS TEXT) FROM {source.table} AS n{chosen};
"""
