"""An open database: its stores as attributes, transactions, and a handle of the library for every thread."""

import os
import threading
import weakref
from contextlib import contextmanager

from . import _abi, _library
from ._handle import Handle, Options, closed
from ._store import Rows
from ._stores import STORES, Stores
from .errors import BY_STATUS

_OPEN = weakref.WeakSet()


class Database(Stores):
    """The stores of a home, a file or a PostgreSQL database.

    May be used by any number of threads.  Each gets a handle of the library of its own, opened when it first calls
    and closed with the thread; a database in memory has one for all, which they use in turns."""

    def __init__(self, options: Options, shared: bool):
        self._options = options
        self._shared = shared
        self._closed = False
        self._begin()
        for name, kind in STORES.items():
            setattr(self, name, kind(self))
        self._handle()  # wrong options are told here
        _OPEN.add(self)

    def _begin(self):
        self._guard = threading.Lock()
        self._handles = weakref.WeakSet()
        self._local = threading.local()
        self._one = None

    def _handle(self):
        try:
            return self._local.handle
        except AttributeError:
            return self._new_handle()

    def _new_handle(self):
        with self._guard:
            if self._closed:
                raise closed()
            handle = self._one or Handle(self._options)
            if self._shared:
                self._one = handle
            self._handles.add(handle)
        self._local.handle = handle
        return handle

    def _call(self, wire, args):
        return self._handle().call(wire, args)

    def _stream(self, wire, args, blobs):
        return Rows(self._handle(), wire, args, blobs)

    def call(self, method: str, args: dict | None = None, /, **kwargs):
        """Call a method by its name: db.call("conversation.get_session", session_id="weather")."""
        return self._call(method.encode(), {**(args or {}), **kwargs})

    def notes(self) -> str:
        """Remarks on this thread's last call, one per line, or "": a query was reinterpreted, a fallback was taken."""
        handle = self._handle()
        with handle.lock:
            return _library.notes(handle.db).decode() if handle.alive else ""

    @contextmanager
    def transaction(self, store: str):
        """From here to the end of the `with`, this thread's calls on the store are one transaction: all or nothing.

        A call that fails undoes itself only; an exception that leaves the `with` undoes all.  On PostgreSQL the commit
        may raise ConflictError: nothing was written, run the whole again."""
        handle = self._handle()
        with handle.lock:  # nobody else's calls, where threads share a handle
            if not handle.alive:
                raise closed()
            handle.check(_library.begin(handle.db, store.encode()))
            try:
                yield self
            except BaseException:
                if handle.alive:
                    _library.rollback(handle.db)
                raise
            if not handle.alive:
                raise BY_STATUS[_abi.STELE_MISUSE]("the database was closed inside the transaction: nothing was written")
            handle.check(_library.commit(handle.db))

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Close every handle, after the calls that are under way.  A second time does nothing."""
        with self._guard:
            self._closed = True
            handles = list(self._handles)
        for handle in handles:
            handle.close()

    def _forked(self):
        """In a child: the handles are the parent's.  What is in memory is too."""
        closed = self._closed or self._shared
        self._begin()
        self._closed = closed

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<stele.Database{' (closed)' if self._closed else ''}>"


def _forked():
    for database in list(_OPEN):
        database._forked()


os.register_at_fork(after_in_child=_forked)
