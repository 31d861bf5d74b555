"""Stores in which a text stands in every place that can hold one: made from their schemas, so that a table or column that is
added tomorrow is filled too."""

import contextlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import urllib.parse
from pathlib import Path

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = Path(os.environ.get("STELE_TEST_SOURCE", os.path.dirname(TESTS)))
sys.path[:0] = [TESTS, str(SOURCE / "tools")]
from registry import stores  # noqa: E402
from registry.problems import Problems, Sources  # noqa: E402

STAYS = 900  # the number of the row of each table in which the text does not stand
# What is the program's own, or made anew from the rows.
OWN = {"stele_meta", "schema_version", "stele_document", "stele_entry", "stele_part", "stele_posting", "stele_word", "stele_forgotten", "stele_forgetting", "stele_embedding_due", "stele_holds"}
SINGLE = {"embed_model_meta", "stele_enrichment"}  # tables of one row, whose number is 1
NOTES = {"stele_document_change", "stele_change"}  # what triggers write, which other rows set off: their numbers lie behind
WORD = {("stele_document_change", "kind"), ("stele_embeddings", "kind")}  # names of sources
INSIDE = re.compile(r"_(data|idx|content|docsize|config)$")  # of the tables of a search table
CHOICE = re.compile(r"(\w+)\s+TEXT\b[^,]*?CHECK \(\w+ IN \('([^']*)'")


def features():
    """{store: [feature]}, as the generator knows them; search tables inside a file are a form of its own."""
    problems = Problems()
    found = stores.load([SOURCE / "sql"], Sources(problems), problems)
    return {store.name: [each for each in store.features if each.name not in ("compatible", "vec0")] for store in found.stores}


class Sqlite:
    def __init__(self, engine, place, store):
        self.db = sqlite3.connect(os.path.join(place["home"], f"{store}.db"), isolation_level=None)
        self.db.execute("PRAGMA foreign_keys = OFF")

    def close(self):
        self.db.close()

    def run(self, sql):
        self.db.executescript(sql)

    def make(self, feature):
        with contextlib.suppress(sqlite3.OperationalError):  # it is there
            self.db.executescript(feature.sql["sqlite"] or "")

    def tables(self):
        """{table: [(column, type, choice or None)]}"""
        found = {}
        names = self.db.execute("SELECT l.name, s.sql FROM pragma_table_list AS l JOIN sqlite_schema AS s ON s.name = l.name"
                                " WHERE l.schema = 'main' AND l.type = 'table' AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'").fetchall()
        for table, ddl in names:
            choices = dict(CHOICE.findall(ddl))
            found[table] = [(name, kind.upper() or "TEXT", choices.get(name))
                            for name, kind in self.db.execute("SELECT name, type FROM pragma_table_info(?)", (table,))]
        return found

    def value(self, kind, text, number):
        if kind.startswith(("INT", "BOOL", "REAL", "DATETIME")):
            return str(number)
        quoted = "'" + text.replace("'", "''") + "'"
        return f"CAST({quoted} AS BLOB)" if kind == "BLOB" else quoted

    def ask(self, sql):
        return self.db.execute(sql).fetchall()

    def stands_in(self, column, kind, text):
        return f"""instr(CAST("{column}" AS BLOB), CAST('{text}' AS BLOB)) > 0"""


class Postgres:
    def __init__(self, engine, place, store):
        self.url = engine._url()
        self.schema = urllib.parse.parse_qs(urllib.parse.urlsplit(place["stores"][store]).query)["schema"][0]

    def close(self):
        pass

    def ask(self, sql):
        done = subprocess.run(["psql", "--no-psqlrc", "--quiet", "-At", "-v", "ON_ERROR_STOP=1", self.url], text=True, capture_output=True,
                              input=f"SET search_path TO {self.schema};\n{sql}")
        if done.returncode != 0:
            raise AssertionError(f"psql: {done.stderr}\n{sql[:2000]}")
        return [line.split("|") for line in done.stdout.splitlines()]

    def run(self, sql):
        self.ask("SET session_replication_role = replica;\n" + sql)  # parents that are not there do not matter here

    def make(self, feature):
        with contextlib.suppress(AssertionError):  # it is there
            self.ask("BEGIN;" + (feature.sql["postgres"] or "") + "COMMIT;")

    def tables(self):
        found = {}
        checks = self.ask("SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c'"
                          " AND connamespace = current_schema()::regnamespace;")
        for table, name, kind in self.ask("SELECT table_name, column_name, data_type FROM information_schema.columns"
                                          " JOIN information_schema.tables USING (table_schema, table_name) WHERE table_schema = current_schema()"
                                          " AND table_type = 'BASE TABLE' AND NOT (SELECT c.relispartition FROM pg_class AS c WHERE c.relname = table_name"
                                          " AND c.relnamespace = current_schema()::regnamespace) ORDER BY 1, ordinal_position;"):
            choice = next((re.search(r"'([^']*)'", text) for of, text in checks if of == table and re.search(rf"\({name} = ANY", text)), None)
            found.setdefault(table, []).append((name, kind.upper(), choice and choice[1]))
        return found

    def value(self, kind, text, number):
        if kind.startswith(("BIGINT", "DOUBLE", "INTEGER")):
            return str(number)
        if kind.startswith("BOOL"):
            return "TRUE"
        if kind.startswith("TIMESTAMP"):
            return "now()"
        if kind.startswith("JSON"):
            text = json.dumps(text)
        quoted = "'" + text.replace("'", "''") + "'"
        return f"convert_to({quoted}, 'UTF8')" if kind == "BYTEA" else "NULL" if kind == "USER-DEFINED" else quoted

    def stands_in(self, column, kind, text):
        return f"position(convert_to('{text}', 'UTF8') IN \"{column}\") > 0" if kind == "BYTEA" else f"strpos(\"{column}\"::text, '{text}') > 0"


def database(engine, place, store):
    return {"sqlite": Sqlite, "postgres": Postgres}[engine.engine](engine, place, store)


def is_text(kind):
    return kind.startswith(("TEXT", "CHAR", "BLOB", "BYTEA", "JSON"))


def fill(db, text):
    """A row of each table for each of its columns in which a text can stand, with the text in that one; and one without.
    The tables and columns that were filled."""
    filled, script = [], []
    for table, columns in db.tables().items():
        if table in OWN or INSIDE.search(table):
            continue
        texts = [name for name, kind, choice in columns if is_text(kind) and not choice and (table, name) not in WORD]
        for number, marked in [*enumerate(texts, start=1), *([] if table in SINGLE else [(STAYS, None)])]:
            number += 100000 if table in NOTES else 0
            values = [db.value(kind, choice or (f"{text} {table} {name}" if name == marked else f"v{number}"), number) for name, kind, choice in columns]
            names = ", ".join(f'"{name}"' for name, _, _ in columns)
            script.append(f'INSERT INTO "{table}" ({names}) VALUES ({", ".join(values)}) ON CONFLICT DO NOTHING;')
        filled += [(table, name) for name in texts]
    db.run("\n".join(script))
    return filled


def holding(db, places, text):
    """Those of the places, tables and columns, in which a text stands."""
    kinds = {(table, name): kind for table, columns in db.tables().items() for name, kind, _ in columns}
    rows = db.ask(" UNION ALL ".join(f"""SELECT '{table}', '{column}' WHERE EXISTS (SELECT 1 FROM "{table}" WHERE {db.stands_in(column, kinds[table, column], text)})"""
                                     for table, column in places))
    return sorted(tuple(row) for row in rows)


def staying(db):
    """The tables that have still the row in which the text does not stand."""
    tables = [table for table, columns in db.tables().items() if columns[0][0] == "id" and not is_text(columns[0][1])]
    rows = db.ask(" UNION ALL ".join(f"""SELECT '{table}' WHERE EXISTS (SELECT 1 FROM "{table}" WHERE id = {STAYS})""" for table in tables))
    return sorted(row[0] for row in rows)
