"""retention.sql of a store: which of its rows may go after some time.  Each rule becomes three methods: how much is due, which rows,
and the deletion of some of them; what is under a legal hold is in none."""

import re

from .documents import blocks
from .methods import directive
from .model import Field, Method, Rule
from .problems import Place, did_you_mean
from .tokens import tokenize

FILE = "retention.sql"
_HEAD = re.compile(r"([a-z][a-z0-9_]*)\s+(\w+)\s+(\w+)\s+(int|text)")
_FORMS = {"keep": re.compile(r"(\d+)([hd])(\s+off)?"), "every": re.compile(r"(\d+)([hd])"), "held": re.compile(r"(\w+)"),
          "narrow": re.compile(r"(\w+)"), "first": re.compile(r"(\w+)\s+(\w+)\s+(\w+)"), "link": re.compile(r"(\w+)\s+(\w+)"),
          "loose": re.compile(r"(\w+)\s+(\w+)"), "partitioned": re.compile(r"by\s+(\w+)")}
_SECONDS = {"h": 3600, "d": 86400}


def read(store, path, sources, problems):
    """The rules of a store."""
    if not path.is_file():
        return
    for block in blocks(sources.text(path), "retain"):
        rule = _rule(store, str(path), block, problems)
        if rule:
            store.rules.append(rule)


def methods(store):
    return [method for rule in store.rules for method in (_due(store, rule), _page(store, rule), _rows(store, rule))]


# ---- The text -----------------------------------------------------------------------------


def _rule(store, path, block, problems):
    def complain(line, text):
        problems.add(Place(path, line), store.name, text)
    head = _HEAD.fullmatch(block.head)
    if not head:
        complain(block.line, "@retain needs a topic, a table, its key and the key's type: int or text")
        return None
    rule = Rule(head[1], Place(path, block.line), head[2], head[3], head[4])
    lines = list(block.lines)
    while lines and lines[0][1].startswith("--"):
        number, line = lines.pop(0)
        word, rest = directive(line)
        form = _FORMS[word].fullmatch(rest) if word in _FORMS else None
        if word is None:
            rule.doc = f"{rule.doc} {line[2:].strip()}".strip()
        elif form:
            _set(rule, word, form)
        else:
            complain(number, f"@{word} {rest}: a rule has @keep 7d (off), @every 1h, @held kind, @narrow column, @first table column key, "
                             f"@link table column, @loose table column, @partitioned by column{did_you_mean(word, _FORMS)}")
    missing = [word for word in ("keep", "every", "held") if not getattr(rule, word)]
    if missing or not rule.doc:
        complain(block.line, f"@retain {rule.topic} has no " + (f"@{missing[0]}" if missing else "documentation"))
    if rule.held and all(each.kind != rule.held for each in store.held):
        complain(block.line, f"@held {rule.held}: held.sql has no such kind{did_you_mean(rule.held, [each.kind for each in store.held])}")
    rule.body = tokenize("\n".join(line for _, line in lines), line=lines[0][0] if lines else block.line)
    while rule.body and rule.body[-1].kind == "comment":
        rule.body.pop()
    if not rule.body or rule.body.pop().text != ";":
        complain(block.line, f"@retain {rule.topic} needs one SELECT, ended by ;")
        return None
    return rule


def _set(rule, word, form):
    if word in ("keep", "every"):
        setattr(rule, word, int(form[1]) * _SECONDS[form[2]])
        rule.off = rule.off or (word == "keep" and form[3] is not None)
    elif word in ("link", "loose"):
        getattr(rule, word).append(form.groups())
    elif word == "first":
        rule.first = form.groups()
    else:
        setattr(rule, word, form[1])


# ---- The methods --------------------------------------------------------------------------


def _field(rule, name, written, doc, **more):
    return Field(name, rule.place, written=written, type=written.rstrip("?").removesuffix("[]"), nullable=written.endswith("?"), doc=doc,
                 list="[]" in written, **more)


def _method(store, rule, name, shape, access, params, results, parts):
    """Of texts, and None where the rule's own SELECT stands.  Each line of a text has a number that no file has: what is said at a
    line's end is about that line."""
    before = _field(rule, "before", "time", "only what is from before this time")
    narrow = [_field(rule, rule.narrow, "text", f"only those of this {rule.narrow}", optional=True)] if rule.narrow else []
    method = Method(store.name, f"{store.name}.retain_{name}_{rule.topic}", rule.place, shape, access, private=True, doc=rule.doc,
                    params=[before, *params, *narrow], results=results)
    number = 0
    for part in parts:
        for line in [] if part is None else part.strip("\n").split("\n"):
            number += 1
            method.body += tokenize(line, line=-number)
        if part is None:
            method.body += rule.body
    return method


def _narrowed(rule, row):
    return f"\n   AND {row}.{rule.narrow} = :{rule.narrow}  -- @if {rule.narrow}" if rule.narrow else ""


def _not_held(rule, key):
    return f"\n   AND NOT EXISTS (SELECT 1 FROM stele_held_{rule.held} AS h WHERE h.id = {key})  -- @has holds\n"


def _due(store, rule):
    also = "CAST(0 AS BIGINT)"
    if rule.first:
        table, column, _ = rule.first
        also = (f"CAST(COALESCE(SUM(CASE WHEN d.held = 0 THEN (SELECT COUNT(*) FROM {table} AS c WHERE c.{column} = d.id) ELSE 0 END), 0)"
                " AS BIGINT)")
    results = [_field(rule, "rows", "int", "how many are due"), _field(rule, "also", "int", "rows that go with them"),
               _field(rule, "held", "int", "how many are due, but under a legal hold"),
               _field(rule, "oldest", "time?", "the time of the oldest that is due"), _field(rule, "newest", "time?", "and of the newest")]
    return _method(store, rule, "due", "one", "read", [], results, [
        f"""\
SELECT COUNT(CASE WHEN d.held = 0 THEN 1 END) AS rows,
       {also} AS also,
       COUNT(CASE WHEN d.held = 1 THEN 1 END) AS held,
       MIN(CASE WHEN d.held = 0 THEN d.time END) AS oldest,
       MAX(CASE WHEN d.held = 0 THEN d.time END) AS newest
  FROM (SELECT r.id AS id, r.time AS time,
               CASE WHEN EXISTS (SELECT 1 FROM stele_held_{rule.held} AS h WHERE h.id = r.id) THEN 1 ELSE 0 END AS held  -- @has holds
               0 AS held  -- @lacks holds
          FROM (""", None, f""") AS r
 WHERE r.time < :before{_narrowed(rule, 'r')}
) AS d;"""])


def _page(store, rule):
    limit = _field(rule, "limit", "int", "at most this many")
    key = _field(rule, "id", rule.key_type, "a row that is due, the oldest first")
    return _method(store, rule, "page", "many", "read", [limit], [key], [
        "SELECT r.id AS id FROM (", None, f""") AS r
 WHERE r.time < :before{_narrowed(rule, 'r')}{_not_held(rule, 'r.id')}
 ORDER BY r.time, r.id LIMIT :limit;"""])


def _rows(store, rule):
    """What is not due any more, or held by now, stays, with all that belongs to it."""
    def still_due(key):
        return [f"   AND EXISTS (SELECT 1 FROM (", None, f""") AS r WHERE r.id = {key} AND r.time < :before{_narrowed(rule, 'r')}
)""" + _not_held(rule, key)]
    params = [_field(rule, "ids", f"{rule.key_type}[]", "which rows")]
    parts = []

    def gone(key):
        table, column, _ = rule.first or ("", "", "")
        return f"\n   AND NOT EXISTS (SELECT 1 FROM {table} AS c WHERE c.{column} = {key})" if table else ""
    if rule.first:
        params.append(_field(rule, "limit", "int", "at most this many of what goes before them"))
        table, column, key = rule.first
        parts += [f"DELETE FROM {table} WHERE {key} IN (SELECT c.{key} FROM {table} AS c WHERE c.{column} IN :ids", *still_due(f"c.{column}"),
                  " LIMIT :limit);"]
    for table, column in rule.link:
        parts += [f"DELETE FROM {table} WHERE {column} IN :ids", *still_due(f"{table}.{column}"), ";"]
    for table, column in rule.loose:
        parts += [f"UPDATE {table} SET {column} = NULL WHERE {column} IN :ids{gone(f'{table}.{column}')}", *still_due(f"{table}.{column}"), ";"]
    key = f"{rule.table}.{rule.key}"
    parts += [f"DELETE FROM {rule.table} WHERE {rule.key} IN :ids{gone(key)}", *still_due(key), ";"]
    statements = 1 + bool(rule.first) + len(rule.link) + len(rule.loose)
    results = [_field(rule, "rows", "int", "how many were deleted", changed=statements)]
    if rule.first:
        results.append(_field(rule, "also", "int", "and what went before them", changed=1))
    return _method(store, rule, "rows", "none", "write", params, results, parts)
