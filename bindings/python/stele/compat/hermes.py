"""A drop-in for Hermes' hermes_state: import SessionDB from here instead, on the file you have.

    from stele.compat.hermes import SessionDB

The file keeps its format (version 11, or the later one it is of): its tables, indexes and triggers and nothing else, so
that the original goes on reading and writing it.  Methods, defaults, replies and exceptions are the original's.  The
difference is below: the connection is one of libstele, and writers take turns instead of colliding.

`_conn` is a stele.dbapi.Connection.  Do not open the same file with the sqlite3 module in the same process: two SQLite
libraries cancel each other's locks."""

import logging
import os
import random
import threading
import time
from pathlib import Path

from .. import dbapi as sqlite3
from ._hermes_handoff import Handoff
from ._hermes_later import Later
from ._hermes_lineage import Lineage
from ._hermes_listing import Listing
from ._hermes_messages import Messages
from ._hermes_opening import Opening
from ._hermes_schema import FTS_SQL, FTS_TRIGRAM_SQL, SCHEMA_SQL, SCHEMA_VERSION
from ._hermes_search import Search
from ._hermes_sessions import Sessions
from ._hermes_telegram import Telegram
from ._hermes_titles import Titles
from ._hermes_upkeep import Upkeep

__all__ = ["DEFAULT_DB_PATH", "FTS_SQL", "FTS_TRIGRAM_SQL", "SCHEMA_SQL", "SCHEMA_VERSION", "SessionDB",
           "apply_wal_with_fallback", "format_session_db_unavailable", "get_last_init_error"]

logger = logging.getLogger(__name__)

# What an error of a file system without shared memory says; such a file is kept without a write-ahead log.
_NO_WAL = ("locking protocol", "not authorized", "disk i/o error")
_warned = set()
_last_init_error = None


def get_hermes_home():
    """$HERMES_HOME, else .hermes in the user's home."""
    return Path(os.environ.get("HERMES_HOME") or Path.home() / ".hermes")


DEFAULT_DB_PATH = get_hermes_home() / "state.db"


def apply_wal_with_fallback(conn, *, db_label="state.db"):
    """Switch to a write-ahead log, or to none where the file system has no room for one: "wal" or "delete"."""
    try:
        conn.execute("PRAGMA journal_mode=WAL")
        return "wal"
    except sqlite3.OperationalError as error:
        if not any(words in str(error).lower() for words in _NO_WAL):
            raise
        if db_label not in _warned:
            _warned.add(db_label)
            logger.warning("%s: no write-ahead log here (%s); using journal_mode=DELETE", db_label, error)
        conn.execute("PRAGMA journal_mode=DELETE")
        return "delete"


def get_last_init_error():
    """Why a SessionDB could not be opened, the last time that happened; or None."""
    return _last_init_error


def format_session_db_unavailable(prefix="Session database not available"):
    """A sentence for people, with the cause if one is known."""
    if not _last_init_error:
        return f"{prefix}."
    hint = ""
    if any(words in _last_init_error.lower() for words in _NO_WAL):
        hint = " (state.db may be on a network file system, such as NFS or SMB, where SQLite's locks do not hold)"
    return f"{prefix}: {_last_init_error}{hint}."


class SessionDB(Opening, Sessions, Messages, Titles, Lineage, Listing, Search, Upkeep, Handoff, Telegram, Later):
    """The sessions and messages of Hermes, in one file.  May be used by several threads and processes."""

    _WRITE_MAX_RETRIES = 15
    _WRITE_RETRY_MIN_S = 0.020
    _WRITE_RETRY_MAX_S = 0.150
    _CHECKPOINT_EVERY_N_WRITES = 50

    def __init__(self, db_path: Path = None, read_only: bool = False):
        global _last_init_error
        self.db_path = db_path or DEFAULT_DB_PATH
        self.read_only = read_only
        self._lock = threading.Lock()
        self._write_count = 0
        self._conn = None
        try:
            self._open()
        except Exception as error:
            _last_init_error = f"{type(error).__name__}: {error}"
            if self._conn is not None:
                self._conn.close()
                self._conn = None
            raise

    def _open(self):
        options = {"timeout": 1.0, "check_same_thread": False, "isolation_level": None}
        if self.read_only:
            options["readonly"] = True
        else:
            Path(self.db_path).parent.mkdir(parents=True, exist_ok=True)
        self._conn = sqlite3.connect(str(self.db_path), **options)
        self._conn.row_factory = sqlite3.Row
        if self.read_only:
            return
        apply_wal_with_fallback(self._conn, db_label=Path(self.db_path).name)
        self._conn.execute("PRAGMA foreign_keys=ON")
        self._init_schema()

    def _execute_write(self, fn):
        """Run fn(conn) in a transaction of its own.  It may be run several times, while others write."""
        for attempt in range(self._WRITE_MAX_RETRIES):
            try:
                with self._lock:
                    result = self._in_transaction(fn)
                break
            except sqlite3.OperationalError as error:
                busy = any(word in str(error).lower() for word in ("locked", "busy"))
                if not busy or attempt == self._WRITE_MAX_RETRIES - 1:
                    raise
            time.sleep(random.uniform(self._WRITE_RETRY_MIN_S, self._WRITE_RETRY_MAX_S))
        else:
            raise sqlite3.OperationalError("database is locked")
        self._write_count += 1
        if self._write_count % self._CHECKPOINT_EVERY_N_WRITES == 0:
            self._try_wal_checkpoint()
        return result

    def _in_transaction(self, fn):
        self._conn.execute("BEGIN IMMEDIATE")
        try:
            result = fn(self._conn)
            self._conn.commit()
            return result
        except BaseException:
            try:
                self._conn.rollback()
            except Exception as error:  # the failure that led here is the one to tell
                logger.debug("rollback: %s", error)
            raise

    def _try_wal_checkpoint(self):
        """Never fails: a checkpoint that could not be made now is made the next time."""
        try:
            with self._lock:
                row = self._conn.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            logger.debug("checkpoint: %s", tuple(row) if row else None)
        except Exception as error:
            logger.debug("checkpoint: %s", error)

    def close(self):
        """A second time does nothing."""
        with self._lock:
            if self._conn is None:
                return
            try:
                self._conn.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            except Exception as error:
                logger.debug("checkpoint: %s", error)
            self._conn.close()
            self._conn = None
