"""One raw SQL statement of the library: values to it, rows from it.  Used under the lock of its handle."""

import ctypes
import sqlite3
import sys
from collections.abc import Mapping

from . import _abi, _library

_raw = _library.function("stele_raw")().contents
_prepare, _bind, _step, _reset, _finalize, _connection = (
    _raw.prepare, _raw.bind, _raw.step, _raw.reset, _raw.finalize, _raw.connection)

_OPERATIONAL = {"ERROR": 1, "PERM": 3, "ABORT": 4, "BUSY": 5, "LOCKED": 6, "READONLY": 8, "INTERRUPT": 9, "IOERR": 10, "FULL": 13,
                "CANTOPEN": 14, "PROTOCOL": 15, "EMPTY": 16, "SCHEMA": 17}
_KINDS = {**dict.fromkeys(_OPERATIONAL.values(), sqlite3.OperationalError), 2: sqlite3.InternalError, 12: sqlite3.InternalError,
          7: MemoryError, 18: sqlite3.DataError, 19: sqlite3.IntegrityError, 20: sqlite3.IntegrityError, 21: sqlite3.InterfaceError,
          25: sqlite3.InterfaceError}
_BUSY = 5
_NAMED = {*_OPERATIONAL, "INTERNAL", "NOMEM", "CORRUPT", "NOTFOUND", "TOOBIG", "CONSTRAINT", "MISMATCH", "MISUSE", "NOLFS", "AUTH",
          "FORMAT", "RANGE", "NOTADB"}
_WORDS = {getattr(sqlite3, name): name for name in dir(sqlite3) if name.startswith("SQLITE_") and name.split("_")[1] in _NAMED}
_INTEGERS = range(-2 ** 63, 2 ** 63)
_DML = ("INSERT", "UPDATE", "DELETE", "REPLACE")


def _with_addresses(struct, name):
    """The same struct, one member of which is read as an address."""
    fields = [(each, ctypes.c_void_p if each == name else kind) for each, kind in struct._fields_]
    return type(struct.__name__, (ctypes.Structure,), {"_fields_": fields})


_Cell = _with_addresses(_abi.stele_value, "bytes")  # a text may hold NUL
_Info = _with_addresses(_abi.stele_sql_info, "row")


def _about(address):
    return ctypes.cast(_raw.about(address), ctypes.POINTER(_Info))


def error(code, message):
    """The exception that the sqlite3 module raises for a result code of SQLite."""
    if code & 0xff == _BUSY:
        message = "database is locked"
    made = _KINDS.get(code & 0xff, sqlite3.DatabaseError)(message)
    made.sqlite_errorcode, made.sqlite_errorname = code, _WORDS.get(code, "unknown")
    return made


def raise_failure(handle, store):
    """Raise what the last raw statement failed with."""
    state = _connection(handle.db, store)
    failure = _library.error(handle.db).contents
    message = failure.message.decode("utf-8", "replace")
    code = state.contents.code if state else 0
    if not code:  # it did not come as far as SQLite
        code = {_abi.STELE_NOMEM: 7, _abi.STELE_CORRUPT: 26, _abi.STELE_BUSY: 5, _abi.STELE_INVALID: 21}.get(failure.status, 14)
        message = {7: "out of memory", 26: "file is not a database", 14: f"unable to open database file: {message}"}.get(code, message)
    raise error(code, message)


def connection_state(handle, store):
    return _connection(handle.db, store).contents


class Statement:
    """A prepared statement, and where its parameters and its row are."""

    def __init__(self, handle, store, text, data):
        """data is the text encoded; what is beyond its first statement is told by `rest`."""
        found = ctypes.c_void_p()
        if _prepare(handle.db, store, data, len(data), ctypes.byref(found)):
            raise_failure(handle, store)
        self.handle, self.store, self.text = handle, store, text
        self.address = found.value
        self.running = False
        if self.address is None:  # nothing but comments
            self.rest, self.writes, self.is_dml = b"", False, False
            return
        self.info = _about(self.address).contents
        self.rest = data[self.info.used:]
        self.writes = bool(self.info.writes)
        words = _first_word(text)
        self.is_dml = words in _DML or (words == "WITH" and self.writes)
        self.is_insert = words in ("INSERT", "REPLACE")
        self.values = (_abi.stele_value * max(1, self.info.nparams))()
        self.params = _names(self.info.params, self.info.nparams)
        self.read_columns()

    def read_columns(self):
        """They may be others after a table was changed."""
        self.count = self.info.ncolumns
        self.columns = [name.decode() for name in _names(self.info.columns, self.count)]
        self.row_address = None

    def bind(self, params):
        values, wanted = self.values, len(self.params)
        if not isinstance(params, (tuple, list)):
            params = _in_order(params, self.params)
        if len(params) != wanted:
            raise sqlite3.ProgrammingError(f"Incorrect number of bindings supplied. The current statement uses {wanted}, "
                                           f"and there are {len(params)} supplied.")
        for number in range(wanted):
            _put(values[number], params[number], number)
        if wanted and _bind(self.address, values, wanted):
            raise_failure(self.handle, self.store)

    def step(self):
        """True: there is a row."""
        self.running = True
        status = _step(self.address)
        if status == _abi.STELE_ROW:
            return True
        self.running = False
        if status != _abi.STELE_DONE:
            raise_failure(self.handle, self.store)
        _reset(self.address)
        return False

    def row(self, decode):
        """The current row as a tuple."""
        info = self.info
        if info.ncolumns != self.count:
            self.read_columns()
        if info.row != self.row_address:
            self.row_address = info.row
            self.cells = (_Cell * self.count).from_address(self.row_address)
        return tuple([_get(cell, decode, self, number) for number, cell in enumerate(self.cells)])

    def reset(self):
        if self.running and self.handle.alive:
            _reset(self.address)
        self.running = False

    def finalize(self):
        if self.address is not None and self.handle.alive:
            _finalize(self.address)
        self.address = None


def _first_word(text):
    """The word a statement begins with, after comments."""
    text = text.lstrip()
    while text.startswith(("--", "/*")):
        text = (text.partition("\n")[2] if text.startswith("--") else text.partition("*/")[2]).lstrip()
    return text[:8].split(None, 1)[0].rstrip("(").upper() if text else ""


def _names(address, count):
    if not count:
        return []
    return list((ctypes.c_char_p * count).from_address(address))


def _in_order(params, names):
    """Values by number as they are, values by name in the order of the parameters."""
    kind = type(params)
    if not hasattr(kind, "__getitem__"):
        raise sqlite3.ProgrammingError("parameters are of unsupported type")
    if isinstance(params, Mapping) or not hasattr(kind, "__len__"):
        return [_named(params, name, number) for number, name in enumerate(names, start=1)]
    return params


def _named(params, name, number):
    if name is None:
        raise sqlite3.ProgrammingError(f"Binding {number} has no name, but you supplied a dictionary (which has only names).")
    try:
        return params[name[1:].decode()]
    except LookupError:
        raise sqlite3.ProgrammingError(f"You did not supply a value for binding parameter {name.decode()}.") from None


def _put(to, value, number):
    kind = type(value)
    if kind not in _PUTTERS:
        kind, value = _adapted(value, number)
    to.type = _PUTTERS[kind]
    if kind is str:
        value = value.encode()
    if kind in (str, bytes):
        to.bytes, to.length = value, len(value)
    elif kind is int:
        if value not in _INTEGERS:
            raise OverflowError("Python int too large to convert to SQLite INTEGER")
        to.integer = value
    elif kind is float:
        to.real = value


_PUTTERS = {type(None): _abi.STELE_NULL, int: _abi.STELE_INT, float: _abi.STELE_REAL, str: _abi.STELE_TEXT, bytes: _abi.STELE_BLOB}


def _adapted(value, number):
    """(type, value) of what is none of SQLite's own types, but can be made one."""
    if not isinstance(value, (int, float, str)):
        value = sqlite3.adapt(value, sqlite3.PrepareProtocol, value)
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind, kind(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes, bytes(value)
    if value is None:
        return type(None), None
    kind = sqlite3.ProgrammingError if sys.version_info >= (3, 11) else sqlite3.InterfaceError
    raise kind(f"Error binding parameter {number + 1}: type '{type(value).__name__}' is not supported")


def _get(cell, decode, statement, number):
    kind = cell.type
    if kind == _abi.STELE_TEXT:
        data = ctypes.string_at(cell.bytes, cell.length) if cell.length else b""
        if decode is not str:
            return data if decode is bytes else decode(data)
        try:
            return data.decode()
        except UnicodeDecodeError:
            shown = data.decode("utf-8", "replace")
            raise sqlite3.OperationalError(f"Could not decode to UTF-8 column '{statement.columns[number]}' with text '{shown}'"
                                           ) from None
    if kind == _abi.STELE_INT:
        return cell.integer
    if kind == _abi.STELE_REAL:
        return cell.real
    if kind == _abi.STELE_BLOB:
        return ctypes.string_at(cell.bytes, cell.length) if cell.length else b""
    return None
