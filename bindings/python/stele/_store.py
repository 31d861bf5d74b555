"""What the classes of the stores (stele/_stores.py, written from sql/) are made of."""

import inspect
from typing import Generic, TypeVar

from . import _library
from ._wire import decode, encode, restore


Row = TypeVar("Row")


def declare(name, shape, params, blobs, doc):
    """A method of the registry as a method of a class.

    The library checks the arguments: what is wrong with them is told in its words, whoever calls."""
    wire = name.encode()
    names = tuple(param for param, _, _ in params)

    def method(self, /, *args, **kwargs):
        if args:
            kwargs = _with_positional(name, names, args, kwargs)
        return self._run(wire, kwargs, blobs)

    method.__name__ = method.__qualname__ = name.partition(".")[2]
    method.__doc__ = doc
    method.__signature__ = _signature(params)
    method.shape = shape
    return method


def _with_positional(name, names, args, kwargs):
    if len(args) > len(names):
        raise TypeError(f"{name} takes {len(names)} arguments, and {len(args)} were given")
    given = dict(zip(names, args))
    twice = given.keys() & kwargs.keys()
    if twice:
        raise TypeError(f"{name} was given {', '.join(sorted(twice))} twice")
    return given | kwargs


class _Absent:
    """Stands for a default that the library fills in."""

    def __repr__(self):
        return "..."


def _signature(params):
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    made = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)]
    made += [inspect.Parameter(name, kind[0]) for name, needed, _ in params if needed]
    made += [inspect.Parameter(name, kind[1], default=_Absent() if default is None else default)
             for name, needed, default in params if not needed]
    return inspect.Signature(made)


class Store:
    """The methods of one store of an open database."""
    __slots__ = ("_db", "rows")
    _name = ""

    def __init__(self, db):
        self._db = db
        self.rows = type(self)._row_store(self)

    def _run(self, wire, args, blobs):
        reply = self._db._call(wire, args)
        return restore(reply, blobs) if blobs else reply

    @classmethod
    def _row_store(cls, store):
        return _rows_class(cls)(store)

    def __repr__(self):
        return f"<{self._name} of {self._db!r}>"


_ROW_CLASSES = {}


def _rows_class(cls):
    """The same methods, whose rows are read one by one: db.conversation.rows.get_messages(...)."""
    if cls not in _ROW_CLASSES:
        def init(self, store):
            self._db = store._db

        def run(self, wire, args, blobs):
            return self._db._stream(wire, args, blobs)
        _ROW_CLASSES[cls] = type(cls.__name__ + "Rows", (cls,), {"__slots__": (), "__init__": init, "_run": run})
    return _ROW_CLASSES[cls]


class Rows(Generic[Row]):
    """The rows of a call, read as they are asked for.  Closed at its end, by close(), or by leaving its `with`."""

    def __init__(self, handle, wire, args, blobs):
        self._handle, self._blobs, self._stmt = handle, blobs, None
        with handle.lock:
            self._stmt = handle.prepare(wire)
            try:
                handle.check(_library.bind_json(self._stmt, b"", encode(args)))
            except BaseException:
                self._end()
                raise

    def __iter__(self) -> "Rows[Row]":
        return self

    def __next__(self) -> Row:
        with self._handle.lock:
            if self._stmt is None or not self._handle.alive:
                raise StopIteration
            try:
                if not self._handle.next_row(self._stmt):
                    self._end()
                    raise StopIteration
                row = decode(self._handle.row(self._stmt))
            except BaseException:
                self._end()
                raise
        return restore(row, self._blobs) if self._blobs else row

    def _end(self):
        if self._stmt is not None:
            stmt, self._stmt = self._stmt, None
            self._handle.finalize(stmt)

    def close(self):
        with self._handle.lock:
            self._end()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_stmt", None) is not None:
            self.close()
