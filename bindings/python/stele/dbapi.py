"""The interface of Python's sqlite3 module over a connection inside libstele.

For programs written for that module: connect(), Connection, Cursor, Row, and the exceptions of sqlite3 itself.  Two
SQLite libraries in one process that have the same file open cancel each other's locks, so that a file Stele works on
must be opened by Stele alone.  Writes take the store's turn, and `timeout` is the longest wait for it.

Statements run as they do in sqlite3, transactions are those of its isolation_level.  What it has beyond that (functions,
hooks, backups, converters) is not here."""

import sqlite3
import sys
import threading
from collections import OrderedDict

from . import _library
from ._handle import Handle, Options
from ._statement import Statement, connection_state
from sqlite3 import (  # noqa: F401  what a program may look for here
    Binary, DatabaseError, DataError, Error, IntegrityError, InterfaceError, InternalError, NotSupportedError,
    OperationalError, ProgrammingError, PARSE_COLNAMES, PARSE_DECLTYPES, Warning, apilevel, paramstyle, threadsafety)

_CACHED = 128


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


class Connection:
    """A connection to the file of one store."""
    DataError, DatabaseError, Error, IntegrityError, InterfaceError = DataError, DatabaseError, Error, IntegrityError, InterfaceError
    InternalError, NotSupportedError, OperationalError = InternalError, NotSupportedError, OperationalError
    ProgrammingError, Warning = ProgrammingError, Warning

    def __init__(self, database, timeout=5.0, detect_types=0, isolation_level="", check_same_thread=True, factory=None,
                 cached_statements=_CACHED, uri=False, *, store="conversation", readonly=False):
        if detect_types or uri:
            raise NotSupportedError("stele.dbapi has neither converters nor URIs")
        self.row_factory = None
        self.text_factory = str
        self.isolation_level = isolation_level
        self._store = store.encode()
        self._thread = threading.get_ident() if check_same_thread else None
        self._cached = cached_statements
        self._idle = OrderedDict()  # statements by their text, the one used last at the end
        self._handle = Handle(Options(stores={store: database}, wait=timeout, readonly=readonly))
        with self._handle.lock:  # open it now: what is wrong with the file is told here
            self._prepare("SELECT 1", b"SELECT 1").finalize()

    # ---- Statements ----

    def _check_thread(self):
        if self._thread is not None and self._thread != threading.get_ident():
            raise ProgrammingError("SQLite objects created in a thread can only be used in that same thread. The object was created "
                                   f"in thread id {self._thread} and this is thread id {threading.get_ident()}.")

    def _ready(self):
        """The lock, if the connection can be used."""
        self._check_thread()
        if not self._handle.alive:
            raise ProgrammingError("Cannot operate on a closed database.")
        return self._handle.lock

    def _prepare(self, text, data):
        return Statement(self._handle, self._store, text, data)

    def _take(self, sql):
        """A statement that nobody else uses."""
        if not isinstance(sql, str):
            raise TypeError(f"execute() argument 1 must be str, not {type(sql).__name__}")
        statement = self._idle.pop(sql, None)
        if statement is None:
            if "\0" in sql:
                raise ProgrammingError("the query contains a null character")
            statement = self._prepare(sql, sql.encode())
            if statement.rest.strip() and self._prepare("", statement.rest).address is not None:
                kind = ProgrammingError if sys.version_info >= (3, 11) else Warning
                raise kind("You can only execute one statement at a time.")
        return statement

    def _give_back(self, statement):
        statement.reset()
        if statement.address is None or not self._cached or statement.text in self._idle:
            statement.finalize()
            return
        self._idle[statement.text] = statement
        if len(self._idle) > self._cached:
            self._idle.popitem(last=False)[1].finalize()

    def _state(self):
        return connection_state(self._handle, self._store)

    def _simple(self, sql):
        statement = self._take(sql)
        try:
            statement.step()
        finally:
            self._give_back(statement)

    # ---- Transactions ----

    def _begin_implicitly(self):
        if self.isolation_level is not None and not self._state().in_transaction:
            self._simple(f"BEGIN {self.isolation_level}".rstrip())

    def commit(self):
        with self._ready():
            if self._state().in_transaction:
                self._simple("COMMIT")

    def rollback(self):
        with self._ready():
            if self._state().in_transaction:
                self._simple("ROLLBACK")

    @property
    def in_transaction(self):
        with self._ready():
            return bool(self._state().in_transaction)

    @property
    def total_changes(self):
        with self._ready():
            return self._state().total_changes

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            try:
                self.commit()
            except BaseException:
                self.rollback()
                raise
        else:
            self.rollback()
        return False

    # ---- The rest ----

    def cursor(self, factory=Cursor):
        self._ready()
        return factory(self)

    def execute(self, sql, parameters=(), /):
        return self.cursor().execute(sql, parameters)

    def executemany(self, sql, parameters, /):
        return self.cursor().executemany(sql, parameters)

    def executescript(self, script, /):
        return self.cursor().executescript(script)

    def call(self, method, /, **args):
        """Call a method of the library on this connection, as part of its transaction if it has one."""
        with self._ready():
            return self._handle.call(method.encode(), args)

    def interrupt(self):
        """Stop what another thread runs on this connection."""
        if self._handle.alive:
            _library.function("stele_interrupt")(self._handle.db)

    def close(self):
        """What is not committed is undone.  A second time does nothing."""
        self._check_thread()
        with self._handle.lock:
            for statement in self._idle.values():
                statement.finalize()
            self._idle.clear()
            self._handle.close()

    def __del__(self):
        if hasattr(self, "_handle"):
            self._thread = None
            self.close()


def connect(database, timeout=5.0, detect_types=0, isolation_level="", check_same_thread=True, factory=Connection,
            cached_statements=_CACHED, uri=False, *, store="conversation", readonly=False):
    """Open the file of a store.  store: which one, for the settings of its connections (foreign keys, durability)."""
    return factory(database, timeout, detect_types, isolation_level, check_same_thread, factory, cached_statements, uri,
                   store=store, readonly=readonly)
