"""A handle of the library and the lock that keeps it to one thread at a time."""

import atexit
import ctypes
import os
import threading
import weakref

from . import _abi, _library
from ._wire import decode, encode
from .errors import BY_STATUS, from_failure

_FLAGS = {"migrate": _abi.STELE_OPEN_MIGRATE, "readonly": _abi.STELE_OPEN_READONLY,
          "network_fs": _abi.STELE_OPEN_NETWORK_FS, "queue": _abi.STELE_OPEN_QUEUE}
_LEVELS = ("debug", "info", "warning", "error")
_AT_EXIT = 5  # seconds to wait for a call of another thread

_all = weakref.WeakSet()  # every handle of this process


def _text(value):
    return None if value is None else os.fsencode(value)


def _embedding(model=None, endpoint=None, endpoint_model=None, key=None, timeout=0, batch=0, rate=0):
    return _abi.stele_embedding(
        size=ctypes.sizeof(_abi.stele_embedding), model=_text(model), endpoint=_text(endpoint), endpoint_model=_text(endpoint_model),
        key=_text(key), timeout_ms=round(timeout * 1000), batch=batch, rate=rate)


def _chat(endpoint=None, model=None, key=None, timeout=0, connect_timeout=0, retries=None, prompt_tokens=0, answer_tokens=0,
          prompt_price=0, answer_price=0):
    return _abi.stele_chat(
        size=ctypes.sizeof(_abi.stele_chat), endpoint=_text(endpoint), model=_text(model), key=_text(key), timeout_ms=round(timeout * 1000),
        connect_timeout_ms=round(connect_timeout * 1000), retries=0 if retries is None else retries or -1, prompt_tokens=prompt_tokens,
        answer_tokens=answer_tokens, prompt_price=prompt_price, answer_price=answer_price)


class Options:
    """The options of a database, in the form the library takes them.  They are kept for every handle that is opened."""

    def __init__(self, home=None, database=None, stores=None, durability=None, wait=None, log=None, progress=None,
                 redaction=None, vault_keys=None, embedding=None, chat=None, queue_capacity=0, queue_flush=0, **flags):
        stores, durability = stores or {}, durability or {}
        places = [_abi.stele_place(name.encode(), _text(stores.get(name)), _text(durability.get(name)))
                  for name in {**stores, **durability}]
        self.places = (_abi.stele_place * len(places))(*places)
        self.embedding = _embedding(**(embedding or {}))
        self.chat = _chat(**(chat or {}))
        unknown = flags.keys() - _FLAGS.keys()
        if unknown:
            raise TypeError(f"open() has no option {', '.join(sorted(unknown))}")
        self.made = _abi.stele_options(
            size=ctypes.sizeof(_abi.stele_options), home=_text(home), database=_text(database), places=self.places,
            nplaces=len(places), flags=sum(_FLAGS[name] for name, wanted in flags.items() if wanted),
            wait_ms=0 if wait is None else max(1, round(wait * 1000)), queue_capacity=queue_capacity,
            queue_flush_ms=round(queue_flush * 1000), redaction=None if redaction is None else redaction.encode(),
            vault_keys=None if vault_keys is None else vault_keys.encode(), embedding=ctypes.pointer(self.embedding),
            chat=ctypes.pointer(self.chat))
        if log:
            self.made.log = _callback("log", lambda _, level, text: log(_LEVELS[level], text.decode("utf-8", "replace")))
        if progress:
            self.made.progress = _callback("progress", lambda _, what, done, total:
                                           1 if progress(what.decode(), done, total) else 0)


def _callback(name, function):
    kind = dict(_abi.stele_options._fields_)[name]
    return kind(function)


class Handle:
    """One stele_db.  All but close() is called under its lock."""
    __slots__ = ("db", "lock", "alive", "_reply", "_out", "__weakref__")

    def __init__(self, options):
        self.lock = threading.RLock()
        self.alive = False
        self._reply = ctypes.c_char_p()
        self._out = ctypes.byref(self._reply)
        opened = ctypes.c_void_p()
        status = _library.open_handle(ctypes.byref(options.made), ctypes.byref(opened))
        self.db = opened.value
        self.alive = self.db is not None
        if status:
            error = from_failure(_library.error(self.db).contents)
            self.close()
            raise error
        _all.add(self)

    def check(self, status):
        """Raise what a status other than OK, ROW and DONE stands for."""
        if status > _abi.STELE_DONE:
            raise from_failure(_library.error(self.db).contents)

    def call(self, wire, args):
        text = encode(args)
        with self.lock:
            if not self.alive:
                raise closed()
            status = _library.call(self.db, wire, text, self._out)
            if status:
                raise from_failure(_library.error(self.db).contents)
            reply = self._reply.value
            _library.free(self._reply)
        return decode(reply)

    def prepare(self, wire):
        if not self.alive:
            raise closed()
        stmt = ctypes.c_void_p()
        self.check(_library.prepare(self.db, wire, ctypes.byref(stmt)))
        return stmt.value

    def next_row(self, stmt):
        status = _library.step(stmt)
        self.check(status)
        return status == _abi.STELE_ROW

    def row(self, stmt):
        self.check(_library.row_json(stmt, self._out))
        reply = self._reply.value
        _library.free(self._reply)
        return reply

    def finalize(self, stmt):
        if self.alive:  # closing has finalized it already
            _library.finalize(stmt)

    def forget(self):
        """After a fork: it is the parent's."""
        self.alive = False
        self.lock = threading.RLock()

    def close(self, timeout=-1):
        """Close it; False: it was in use all the time."""
        if not self.lock.acquire(timeout=timeout):
            return False
        try:
            if self.alive:
                self.alive = False
                _library.close(self.db)
        finally:
            self.lock.release()
        return True

    def __del__(self):
        if getattr(self, "alive", False):
            self.close()


def _close_all():
    """Before the interpreter goes: queues are written, logs are checkpointed."""
    for handle in list(_all):
        handle.close(_AT_EXIT)


def _forked():
    for handle in list(_all):
        handle.forget()
    _all.clear()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_forked)


def closed():
    return BY_STATUS[_abi.STELE_MISUSE]("the database is closed")
