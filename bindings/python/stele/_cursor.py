"""Row and Cursor of stele.dbapi."""

import sqlite3
from sqlite3 import ProgrammingError


class Row:
    """A row: a tuple whose values can also be had by the names of their columns, in any case."""
    __slots__ = ("_names", "_values")

    def __init__(self, cursor, values):
        self._names = [column[0] for column in cursor.description]
        self._values = values

    def keys(self):
        return list(self._names)

    def __getitem__(self, key):
        if not isinstance(key, str):
            return self._values[key]
        for number, name in enumerate(self._names):
            if name == key:
                return self._values[number]
        folded = key.lower()
        for number, name in enumerate(self._names):
            if name.lower() == folded:
                return self._values[number]
        raise IndexError("No item with that key")

    def __len__(self):
        return len(self._values)

    def __iter__(self):
        return iter(self._values)

    def __eq__(self, other):
        if not isinstance(other, Row):
            return NotImplemented
        return self._names == other._names and self._values == other._values

    def __hash__(self):
        return hash((tuple(self._names), self._values))

    def __repr__(self):
        return f"<stele.dbapi.Row {dict(zip(self._names, self._values))}>"


class Cursor:
    """Runs statements and gives their rows."""
    arraysize = 1

    def __init__(self, connection):
        self.connection = connection
        self.row_factory = connection.row_factory
        self.description = None
        self.lastrowid = None
        self.rowcount = -1
        self._statement = None
        self._next = None
        self._closed = False

    # ---- Running ----

    def execute(self, sql, parameters=(), /):
        with self._ready():
            statement = self._begin(sql)
            self._run(parameters)
            if statement.address is not None and statement.is_insert:
                self.lastrowid = self.connection._state().last_rowid
        return self

    def executemany(self, sql, parameters, /):
        with self._ready():
            statement = self._begin(sql)
            if not statement.is_dml:
                raise ProgrammingError("executemany() can only execute DML statements.")
            changed = 0
            for each in parameters:
                self._run(each)
                changed += self.rowcount
            self.rowcount = changed
        return self

    def executescript(self, script, /):
        with self._ready():
            self._end()
            self.connection.commit()
            rest = script.encode()
            while rest.strip():
                statement = self.connection._prepare(rest.decode(), rest)
                try:
                    while statement.address is not None and statement.step():
                        pass
                finally:
                    statement.finalize()
                rest = statement.rest
        return self

    def _ready(self):
        if self._closed:
            raise ProgrammingError("Cannot operate on a closed cursor.")
        return self.connection._ready()

    def _begin(self, sql):
        """Have the statement ready, and a transaction if it needs one."""
        self._end()
        self.description, self.rowcount = None, -1
        statement = self._statement = self.connection._take(sql)
        if statement.is_dml:
            self.connection._begin_implicitly()
        return statement

    def _run(self, parameters):
        """Bind and take the first step.  Its row is kept for the first fetch."""
        statement = self._statement
        if statement.address is None:
            self._end()
            return
        try:
            statement.reset()
            statement.bind(parameters)
            has_row = statement.step()
            if statement.count:
                statement.read_columns()
                self.description = tuple((name, None, None, None, None, None, None) for name in statement.columns)
            self._next = self._made(statement) if has_row else None
            if statement.is_dml:
                self.rowcount = self.connection._state().changes
        except BaseException:
            self._end()
            raise
        if not has_row and not statement.is_dml:
            self._end()

    def _end(self):
        statement, self._statement, self._next = self._statement, None, None
        if statement is not None:
            self.connection._give_back(statement)

    # ---- Rows ----

    def _made(self, statement):
        values = statement.row(self.connection.text_factory)
        factory = self.row_factory
        if factory is None:
            return values
        return Row(self, values) if factory in (Row, sqlite3.Row) else factory(self, values)

    def fetchone(self):
        with self._ready():
            statement, row = self._statement, self._next
            if statement is None or row is None:
                return None
            self._next = self._made(statement) if statement.step() else None
            if self._next is None:
                self._end()
            return row

    def __iter__(self):
        return self

    def __next__(self):
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def fetchmany(self, size=None):
        rows = []
        while len(rows) < (self.arraysize if size is None else size) and (row := self.fetchone()) is not None:
            rows.append(row)
        return rows

    def fetchall(self):
        return list(self)

    def close(self):
        self.connection._check_thread()
        with self.connection._handle.lock:
            self._end()
            self._closed = True

    def setinputsizes(self, sizes, /):
        """Nothing, as in sqlite3."""

    def setoutputsize(self, size, column=None, /):
        """Nothing, as in sqlite3."""

    def __del__(self):
        if getattr(self, "_statement", None) is not None:
            with self.connection._handle.lock:
                self._end()
