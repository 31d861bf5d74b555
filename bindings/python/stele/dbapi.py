"""The interface of Python's sqlite3 module over a connection inside libstele.

For programs written for that module: connect(), Connection, Cursor, Row, and the exceptions of sqlite3 itself.  Two
SQLite libraries in one process that have the same file open cancel each other's locks, so that a file Stele works on
must be opened by Stele alone.  Writes take the store's turn, and `timeout` is the longest wait for it.

Statements run as they do in sqlite3, transactions are those of its isolation_level.  What it has beyond that (functions,
hooks, backups, converters) is not here."""

import sys
import threading
from collections import OrderedDict

from . import _library
from ._cursor import Cursor, Row  # noqa: F401
from ._handle import Handle, Options
from ._statement import Statement, connection_state
from sqlite3 import (  # noqa: F401  what a program may look for here
    Binary, DatabaseError, DataError, Error, IntegrityError, InterfaceError, InternalError, NotSupportedError,
    OperationalError, ProgrammingError, PARSE_COLNAMES, PARSE_DECLTYPES, Warning, apilevel, paramstyle, threadsafety)

_CACHED = 128


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
