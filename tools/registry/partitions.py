"""Tables that PostgreSQL cuts into partitions by time: a rule of retention says `@partitioned by COLUMN`, and what is due then goes a
partition at a time (src/engine/partition.h).  The schemas are written as if tables were whole, which on SQLite they are; here the DDL of
PostgreSQL is changed, and a feature made that changes the table of an older store."""

import re

from .documents import FEATURE, noted_by
from .model import Feature, Field, Method
from .problems import did_you_mean
from .tokens import tokenize

REST = "_rest"  # the partition of what no other takes
_TABLE = re.compile(r"^CREATE TABLE (?P<name>\w+) \(\n(?P<body>.*?)^\)[^\n]*;\n", re.MULTILINE | re.DOTALL)
_INDEX = re.compile(r"^CREATE INDEX \w+\s+ON (?P<name>\w+) ?\(.*?;\n", re.MULTILINE | re.DOTALL)


def feature_of(rule):
    return f"partitions_{rule.topic}"


def apply(store, problems):
    """Cut the tables of the rules that want it, on PostgreSQL."""
    for rule in store.rules:
        if rule.partitioned and _is_fit(store, rule, problems):
            whole = _table(store, rule)
            cut = _cut(rule, whole["body"])
            store.schema["postgres"] = store.schema["postgres"].replace(whole[0], cut + _rest(rule))
            store.features.append(Feature(feature_of(rule), rule.table + REST, None, {"sqlite": None, "postgres": _conversion(store, rule, cut)}, {}))


def methods(store):
    """What is in a partition, and noting that it is gone: dropping a table fires no trigger."""
    return [method for rule in store.rules if rule.partitioned for method in [_part(store, rule), *_note(store, rule)]]


# ---- The rules ----------------------------------------------------------------------------


def _table(store, rule):
    return next((each for each in _TABLE.finditer(store.schema["postgres"]) if each["name"] == rule.table), None)


def _is_fit(store, rule, problems):
    def complain(text):
        problems.add(rule.place, store.name, f"@partitioned by {rule.partitioned}: {text}")
    table = _table(store, rule)
    if not table:
        complain(f"schema.postgres.sql has no CREATE TABLE {rule.table} (, ended by ); on lines of their own")
        return False
    columns = re.findall(r"^ +(\w+) ", table["body"], re.MULTILINE)
    if rule.partitioned not in columns:
        complain(f"{rule.table} has no such column{did_you_mean(rule.partitioned, columns)}")
    if not re.search(rf"^ +{rule.key} .*IDENTITY PRIMARY KEY", table["body"], re.MULTILINE):
        complain(f"the key of {rule.table} must be numbers that are given by the table: PostgreSQL keeps no other key of all partitions")
    if "UNIQUE" in table["body"] or re.search(rf"REFERENCES {rule.table}\b", store.schema["postgres"]):
        complain(f"{rule.table} is unique in something, or is referred to, which its partitions cannot be")
    if store.time_form != "seconds":
        complain("the times of the store are not seconds")
    if rule.first or rule.link or rule.loose:
        complain("what belongs to the rows would stay: @first, @link and @loose go row by row")
    return True


# ---- The tables ---------------------------------------------------------------------------


def _cut(rule, body):
    """A key holds in all partitions only with the column that they are cut by; the number alone is unique because nobody else gives it."""
    body = re.sub(rf"^( +{rule.key} .*IDENTITY) PRIMARY KEY", r"\1", body, flags=re.MULTILINE).rstrip("\n")
    return (f"CREATE TABLE {rule.table} (\n{body},\n    PRIMARY KEY ({rule.key}, {rule.partitioned})\n"
            f") PARTITION BY RANGE ({rule.partitioned});\n")


def _rest(rule):
    return f"CREATE TABLE {rule.table}{REST} PARTITION OF {rule.table} DEFAULT;\n"


def _conversion(store, rule, cut):
    """The whole table becomes the partition of a new one that takes everything: no row is moved.  Views and triggers are of a table and not of
    its name: those of the old one are made anew for the new one."""
    indexes = "".join(each[0] for each in _INDEX.finditer(store.schema["postgres"]) if each["name"] == rule.table)
    return _CONVERSION.format(table=rule.table, rest=rule.table + REST, key=rule.key, cut=cut, indexes=indexes)


_CONVERSION = """\
DO $$
DECLARE
    again text[];
    line  text;
    given bigint := (SELECT s.last_value FROM pg_catalog.pg_sequences AS s WHERE pg_catalog.format('%I.%I', s.schemaname, s.sequencename)
                                                                               = pg_catalog.pg_get_serial_sequence('{table}', '{key}'));
BEGIN
    LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE;
    SELECT pg_catalog.array_agg(d.made ORDER BY d.place, d.made) INTO again FROM (
        SELECT DISTINCT 1 AS place, pg_catalog.format('CREATE VIEW %I AS %s', v.relname, pg_catalog.pg_get_viewdef(v.oid)) AS made
          FROM pg_catalog.pg_depend AS n JOIN pg_catalog.pg_rewrite AS r ON r.oid = n.objid AND n.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
          JOIN pg_catalog.pg_class AS v ON v.oid = r.ev_class AND v.relkind = 'v'
         WHERE n.refobjid = '{table}'::pg_catalog.regclass
        UNION ALL
        SELECT 2, pg_catalog.pg_get_triggerdef(t.oid) FROM pg_catalog.pg_trigger AS t
         WHERE t.tgrelid = '{table}'::pg_catalog.regclass AND NOT t.tgisinternal) AS d;
    FOR line IN
        SELECT DISTINCT pg_catalog.format('DROP VIEW %I', v.relname)
          FROM pg_catalog.pg_depend AS n JOIN pg_catalog.pg_rewrite AS r ON r.oid = n.objid AND n.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
          JOIN pg_catalog.pg_class AS v ON v.oid = r.ev_class AND v.relkind = 'v'
         WHERE n.refobjid = '{table}'::pg_catalog.regclass
        UNION ALL
        SELECT pg_catalog.format('DROP TRIGGER %I ON {table}', t.tgname) FROM pg_catalog.pg_trigger AS t
         WHERE t.tgrelid = '{table}'::pg_catalog.regclass AND NOT t.tgisinternal
    LOOP EXECUTE line; END LOOP;
    ALTER TABLE {table} ALTER COLUMN {key} DROP IDENTITY;
    ALTER TABLE {table} DROP CONSTRAINT {table}_pkey;
    FOR line IN
        SELECT pg_catalog.format('ALTER INDEX %I RENAME TO %I', i.relname, 'rest_' || i.relname)
          FROM pg_catalog.pg_index AS x JOIN pg_catalog.pg_class AS i ON i.oid = x.indexrelid WHERE x.indrelid = '{table}'::pg_catalog.regclass
    LOOP EXECUTE line; END LOOP;
    ALTER TABLE {table} RENAME TO {rest};
    {cut}{indexes}ALTER TABLE {table} ATTACH PARTITION {rest} DEFAULT;
    IF given IS NOT NULL THEN
        PERFORM pg_catalog.setval(pg_catalog.pg_get_serial_sequence('{table}', '{key}'), given);
    END IF;
    FOR line IN SELECT pg_catalog.unnest(again) LOOP EXECUTE line; END LOOP;
END $$;
"""


# ---- The methods --------------------------------------------------------------------------


def _method(store, rule, name, shape, access, results, lines, features=()):
    def bound(which, doc):
        return Field(which, rule.place, written="real", type="real", doc=doc)
    method = Method(store.name, f"{store.name}.retain_{name}_{rule.topic}", rule.place, shape, access, private=True, doc=rule.doc,
                    params=[bound("since", "where the partition begins"), bound("until", "and where it ends")], results=results,
                    features=[(rule.place, each) for each in features])
    method.body = [token for number, line in enumerate(lines, start=1) for token in tokenize(line, line=-number)]
    return method


def _within(rule, row):
    return f" WHERE {row}.{rule.partitioned} >= :since AND {row}.{rule.partitioned} < :until"


def _part(store, rule):
    results = [Field("rows", rule.place, written="int", type="int", doc="how many are in it"),
               Field("held", rule.place, written="int", type="int", doc="and how many of them are under a legal hold")]
    return _method(store, rule, "part", "one", "read", results, [
        "SELECT COUNT(*) AS rows,",
        f" COUNT(CASE WHEN EXISTS (SELECT 1 FROM stele_held_{rule.held} AS h WHERE h.id = p.{rule.key}) THEN 1 END) AS held  -- @has holds",
        " CAST(0 AS BIGINT) AS held  -- @lacks holds",
        f" FROM {rule.table} AS p" + _within(rule, "p") + ";"])


def _note(store, rule):
    noted = [each for each in store.sources if each.table == rule.table and noted_by(each) == FEATURE]
    lines = [f"INSERT INTO stele_document_change (kind, id) SELECT '{each.kind}', CAST(n.{each.key} AS TEXT) FROM {rule.table} AS n"
             + _within(rule, "n") + (" AND (" + re.sub(r"\bnew\.", "n.", each.when) + ")" if each.when else "") + ";" for each in noted]
    return [_method(store, rule, "note", "none", "write", [], lines, [FEATURE])] if lines else []
