"""Opening: tables, columns that came later, the search tables, the version."""

import logging
from functools import lru_cache

from .. import dbapi
from ._hermes_schema import FTS_SQL, FTS_TRIGRAM_SQL, LATER, SCHEMA_SQL, SCHEMA_VERSION, TITLE_INDEX_SQL
from ._script import names_made, statements

logger = logging.getLogger(__name__)

_SEARCH = (("messages_fts", FTS_SQL), ("messages_fts_trigram", FTS_TRIGRAM_SQL))
# The text of a message that is searched.
TEXT = "COALESCE(content, '') || ' ' || COALESCE(tool_name, '') || ' ' || COALESCE(tool_calls, '')"


class Opening:
    def _init_schema(self):
        """What is missing is made in one transaction.  A file that has all is only read, whoever writes to it."""
        if not self._is_complete():
            self._execute_write(self._complete)

    def _is_complete(self):
        scripts = SCHEMA_SQL + TITLE_INDEX_SQL + FTS_SQL + FTS_TRIGRAM_SQL
        names = {row[0] for row in self._conn.execute("SELECT name FROM sqlite_master")}
        if not names.issuperset(names_made(scripts)) or any(self._missing_columns()):
            return False
        version = self._conn.execute("SELECT version FROM schema_version LIMIT 1").fetchone()
        return version is not None and version[0] >= SCHEMA_VERSION

    def _complete(self, conn):
        for statement in statements(SCHEMA_SQL):
            conn.execute(statement)
        self._reconcile_columns(conn)
        self._bring_to_version(conn)
        try:
            conn.execute(TITLE_INDEX_SQL)
        except dbapi.Error as error:  # two sessions of an old file share a title
            logger.debug("title index: %s", error)
        for table, script in _SEARCH:
            if not self._has_table(conn, table):
                self._make(conn, script)

    @staticmethod
    def _make(conn, script):
        for statement in statements(script):
            conn.execute(statement)

    @staticmethod
    def _has_table(conn, name):
        return conn.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone() is not None

    # ---- Columns ----

    @staticmethod
    @lru_cache(maxsize=4)
    def _parse_schema_columns(schema_sql):
        """{table: {column: its declaration without the name}}, as SQLite reads the script."""
        reference = dbapi.connect(":memory:")
        try:
            reference.executescript(schema_sql)
            tables = [row[0] for row in reference.execute("SELECT name FROM sqlite_master WHERE type = 'table' "
                                                          "AND name NOT LIKE 'sqlite_%'")]
            return {table: {row[1]: Opening._declaration(row) for row in reference.execute(f'PRAGMA table_info("{table}")')}
                    for table in tables}
        finally:
            reference.close()

    @staticmethod
    def _declaration(row):
        _, _, kind, not_null, default, key = tuple(row)
        parts = [kind] + (["NOT NULL"] if not_null and not key else []) + ([f"DEFAULT {default}"] if default is not None else [])
        return " ".join(part for part in parts if part)

    def _missing_columns(self, cursor=None):
        """(table, column, declaration) of what the file's tables lack."""
        cursor = cursor or self._conn
        for table, columns in self._parse_schema_columns(SCHEMA_SQL).items():
            live = {row[1] for row in cursor.execute(f'PRAGMA table_info("{table}")').fetchall()}
            yield from ((table, name, declared) for name, declared in columns.items() if name not in live)

    def _reconcile_columns(self, cursor=None):
        """Add the columns that the file's tables lack.  Nothing is dropped, retyped or reordered."""
        cursor = cursor or self._conn
        for table, column, declared in list(self._missing_columns(cursor)):
            try:
                cursor.execute(f'ALTER TABLE "{table}" ADD COLUMN "{column}" {declared}')
            except dbapi.OperationalError as error:  # another process was faster; or it cannot be added
                logger.debug("column %s.%s: %s", table, column, error)

    def _has_column(self, table, column):
        return any(row[1] == column for row in self._conn.execute(f'PRAGMA table_info("{table}")'))

    def _need(self, conn, feature):
        """Inside a write: what a later version of the format has, when it is first needed."""
        table, column, script = LATER[feature]
        there = self._has_column(table, column) if column else self._has_table(conn, table)
        if not there:
            self._make(conn, script)

    # ---- Versions ----

    def _bring_to_version(self, conn):
        row = conn.execute("SELECT version FROM schema_version LIMIT 1").fetchone()
        if row is None:
            conn.execute("INSERT INTO schema_version (version) VALUES (?)", (SCHEMA_VERSION,))
        elif row[0] < SCHEMA_VERSION:
            self._search_tables_anew(conn)
            conn.execute("UPDATE schema_version SET version = ?", (SCHEMA_VERSION,))

    def _search_tables_anew(self, conn):
        """Version 11: the text of three fields, inside the tables; before, they pointed to one."""
        for table, script in _SEARCH:
            for event in ("insert", "delete", "update"):
                conn.execute(f"DROP TRIGGER IF EXISTS {table}_{event}")
            conn.execute(f"DROP TABLE IF EXISTS {table}")
            self._make(conn, script)
            conn.execute(f"INSERT INTO {table}(rowid, content) SELECT id, {TEXT} FROM messages")
