"""Homes of files in which every table of every store has rows, made from the schemas alone, with values at the edges of
what a column can hold; and what such a home holds, for comparing it with another."""

import contextlib
import glob
import json
import math
import os
import random
import re
import sqlite3

from method import script

SOURCE = os.environ["STELE_TEST_SOURCE"]
SQL = os.path.join(SOURCE, "sql")
CASES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "method", "*.txt")
STORES = ["assistant", "capture", "conversation", "planner", "server", "telemetry"]
ROWS = 12

TEXTS = ["", "plain", "Ünïcödé 漢字 🪨", "it's \"quoted\" \\ {a,b} NULL", "line\nline\ttab\r", "\x00json:{\"a\":1}", "\x01S", "\x01", "NULL", " ",
         "e\u0301", "\U0010ffff", "%s $1 ?1 :name", "x" * 5000]
INTS = [0, 1, -1, 42, 2**31, -2**31, 2**53 + 1, 2**63 - 1, -2**63]
REALS = [0.0, -1.5, 0.1, 1e308, -1e308, 5e-324, 2.2250738585072014e-308, 1 / 3, 123456789.123456789, math.inf, -math.inf]
BLOBS = [b"", b"\x00", b"\xff\xfe\x00abc", bytes(range(256)) * 4]
JSONS = ["{}", "[]", "null", "0.1", '{"b":[1,2.5,null],"a":"é"}', '"text"', "[1e2,-3]"]


def _read(*names):
    with open(os.path.join(SQL, *names), encoding="utf-8") as file:
        return file.read()


def _postgres_types(text):
    """{(table, column): type} of CREATE TABLE and ALTER TABLE ... ADD COLUMN."""
    found = {}
    for table, body in re.findall(r"^CREATE TABLE (?:IF NOT EXISTS )?(\w+) \((.*?)^\);", text, re.MULTILINE | re.DOTALL):
        for column, kind in re.findall(r"^\s+\"?(\w+)\"?\s+([A-Z]+)", body, re.MULTILINE):
            found[table, column] = kind
    for table, column, kind in re.findall(r"ALTER TABLE (\w+) ADD COLUMN (\w+) ([A-Z]+)", text):
        found[table, column] = kind
    return found


def _features(store):
    """The scripts of what a store may get later, in both engines' words; what is derived is left out."""
    for place in [(store, "features"), ("shared", "features")]:
        directory = os.path.join(SQL, *place)
        for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
            if name.endswith(".postgres.sql"):
                continue
            text = _read(*place, name)
            if "-- @derived" in text:
                continue
            other = name.replace(".sql", ".postgres.sql")
            twin = _read(*place, other) if os.path.exists(os.path.join(directory, other)) else text
            yield text.split("-- @undo")[0], twin.split("-- @undo")[0]


# Values that no sum overflows and no reader stumbles over: with them, methods can be compared between the engines.
TAME = {"BIGINT": list(range(1, 40)), "DOUBLE": [0.25, 1.5, 3.0, 17.125], "TEXT": [f"[{n}]" for n in range(1, 9)]}  # JSON, too, for what should be


def _value(rng, kind, choices, tame):
    if choices:
        return rng.choice(choices)
    if tame and kind in TAME:
        return rng.choice(TAME[kind])
    if kind == "TIMESTAMPTZ":
        return f"20{rng.randrange(10, 40):02d}-0{rng.randrange(1, 9)}-1{rng.randrange(9)}T0{rng.randrange(9)}:00:00.{rng.randrange(10**6):06d}+00:00"
    if kind in ("JSON", "JSONB"):
        return rng.choice(JSONS)
    if kind == "BOOLEAN":
        return rng.randrange(2)
    if kind == "BIGINT":
        return rng.choice(INTS)
    if kind == "DOUBLE":
        return rng.choice(REALS)
    if kind == "BYTEA":
        return rng.choice(BLOBS)
    return rng.choice(TEXTS) + rng.choice(["", str(rng.randrange(1000))])


def _choices(db, table):
    [[sql]] = db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", [table]).fetchall()
    found = {column: re.findall(r"'([^']*)'", words) for column, words in re.findall(r"CHECK \((\w+) IN \(([^)]*)\)", sql)}
    found.update({column: [int(value)] for column, value in re.findall(r"CHECK \((\w+) >?= (\d+)\)", sql)})
    return found


def tables(db):
    """The ordinary tables, without those that stand behind a virtual one, and what is derived."""
    rows = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name").fetchall()
    virtual = [name for name, sql in rows if sql.startswith("CREATE VIRTUAL")]
    own = ("stele_activity", "stele_activity_end", "stele_change", "stele_entry", "stele_part", "stele_posting", "stele_word", "stele_document", "stele_document_change", "stele_copied", "stele_copying", "stele_meta", "schema_version")
    return [name for name, _ in rows if name not in own and name not in virtual and not any(name.startswith(v + "_") for v in virtual)]


def _fill_table(db, table, types, rng, tame):
    columns = db.execute(f"SELECT name, \"notnull\", pk FROM pragma_table_info('{table}')").fetchall()
    parents = {column: (parent, to or "id") for parent, column, to in
               db.execute(f"SELECT \"table\", \"from\", \"to\" FROM pragma_foreign_key_list('{table}')")}
    choices = _choices(db, table)
    for _ in range(ROWS):
        row = {}
        for name, required, key in columns:
            if name in parents:
                there = [value for value, in db.execute(f"SELECT {parents[name][1]} FROM {parents[name][0]}")]
                row[name] = rng.choice(there) if there and (required or rng.random() < 0.8) else None
            elif not required and not key and rng.random() < 0.25:
                row[name] = None
            else:
                row[name] = _value(rng, types.get((table, name), "TEXT"), choices.get(name), tame)
        names = ", ".join(f'"{name}"' for name in row)
        with contextlib.suppress(sqlite3.IntegrityError):  # its parent has no rows yet
            db.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))


def fill(home, store, seed=1, tame=False):
    """Rows for a store that Stele has made."""
    rng = random.Random(f"{seed} {store}")
    types = _postgres_types(_read(store, "schema.postgres.sql"))
    with contextlib.closing(sqlite3.connect(os.path.join(home, f"{store}.db"), isolation_level=None)) as db:
        db.execute("PRAGMA foreign_keys = ON")
        for script, twin in _features(store):
            with contextlib.suppress(sqlite3.OperationalError):  # it is there already
                db.executescript(script)
            types.update(_postgres_types(twin))
        db.execute("CREATE TABLE IF NOT EXISTS stele_idempotency (method TEXT NOT NULL, key TEXT NOT NULL, reply TEXT NOT NULL, "
                   "at DOUBLE PRECISION NOT NULL, PRIMARY KEY (method, key))")
        types["stele_idempotency", "at"] = "DOUBLE"
        db.execute("BEGIN")
        for _ in range(4):  # what refers to a later table gets its rows in a later round
            for table in tables(db):
                _fill_table(db, table, types, rng, tame)
        # A number that was given and taken back is not given again.
        for name, in db.execute("SELECT name FROM sqlite_sequence WHERE seq < 9223372036854775807").fetchall():
            db.execute("UPDATE sqlite_sequence SET seq = seq + 1000 WHERE name = ? AND seq < 9000000000000000000", [name])
        db.execute("COMMIT")
        return {table: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables(db)}


def played(player, home, engine, calls_of_a_method):
    """Make every call of the method tests in one home, which fills it as use would.  Those that succeeded, some of each method, as they were sent."""
    kept = {}
    for file in sorted(glob.glob(CASES)):
        if os.path.basename(file).startswith("stele."):
            continue
        for case in script.read(os.path.relpath(file)):
            known = script.known(home)
            for call in case.calls_on(engine):
                with contextlib.suppress(script.BadScript, script.Mismatch):
                    args = call.args_with(known)
                    word, reply = player.call(call.method, args)
                    if word != "ok":
                        continue
                    if len(kept.setdefault(call.method, [])) < calls_of_a_method:
                        kept[call.method].append(args)
                    if not isinstance(call.expected, script.Failure):
                        script.match(call.expected, reply, known)  # for the names in it
    return kept


def contents(home, store):
    """{table: its rows, sorted}, and the numbers given last."""
    with contextlib.closing(sqlite3.connect(os.path.join(home, f"{store}.db"))) as db:
        db.text_factory = bytes
        found = {}
        for table in [name.decode() if isinstance(name, bytes) else name for name in _names(home, store)]:
            columns = [name.decode() for name, in db.execute(f"SELECT name FROM pragma_table_info('{table}')")]
            rows = db.execute("SELECT " + ", ".join(f'"{name}"' for name in sorted(columns)) + f" FROM {table}").fetchall()
            found[table] = sorted(([_plain(value) for value in row] for row in rows), key=repr)
        found["numbers"] = sorted([name.decode(), seq] for name, seq in db.execute("SELECT name, seq FROM sqlite_sequence WHERE seq > 0")
                                  if name.decode() in found)
        return found


def _names(home, store):
    with contextlib.closing(sqlite3.connect(os.path.join(home, f"{store}.db"))) as db:
        return tables(db)


def _plain(value):
    """JSON means the same however it is written."""
    if isinstance(value, bytes) and value[:1] in (b"{", b"["):
        with contextlib.suppress(ValueError):
            return json.dumps(json.loads(value, parse_float=_number), sort_keys=True)
    return value


def _number(text):
    value = float(text)
    return int(value) if value.is_integer() else value
