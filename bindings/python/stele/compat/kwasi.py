"""A drop-in for Kwasi's storage: its StoragePort, on SQLite or PostgreSQL.

    from stele.compat.kwasi import Note, open_storage

    storage = await open_storage()              # STORAGE_BACKEND, DATABASE_URL, USER_TIMEZONE
    await storage.save_note(Note(title="Tea", content="Sencha at 70 degrees"))
    notes = await storage.search_notes("sencha")
    await storage.close()

The tables are the original's, so that it goes on reading and writing the same database.  Names, defaults and replies are
those of its documentation; what it leaves open is as the assistant store has it.  Calls run on threads of the library,
up to ten at once, each with a connection of its own that is made when it is first needed and made anew when it is lost."""

import os

from .. import aio
from ._kwasi_models import (  # noqa: F401
    AgentLearning, AlertRule, AuditEntry, CapabilityGap, Delegation, Interaction, JournalEntry, NewsTopic, Note,
    PendingAction, PendingIntention, ProposedSkill, ReadLaterItem, Reminder, ScheduledTask, SeenStory,
    SemanticSearchResult, Task, UserContext, UserFact, VaultEntry)
from ._kwasi_port import StoragePort

_CONNECTIONS = 10
_DEFAULT = {"sqlite": "sqlite:///kwasi.db", "postgres": None}


def _location(backend, url):
    """What stele.aio.open() takes for the address that the original's settings hold."""
    if backend not in _DEFAULT:
        raise ValueError(f"STORAGE_BACKEND is {backend!r}: it must be sqlite or postgres")
    url = url or _DEFAULT[backend]
    if not url:
        raise ValueError("STORAGE_BACKEND is postgres, but DATABASE_URL is not set")
    if backend == "postgres":
        scheme, mark, rest = url.partition("://")
        if not mark or scheme.split("+")[0] not in ("postgres", "postgresql"):
            raise ValueError("DATABASE_URL is not the address of a PostgreSQL database")
        _, mark, settings = rest.partition("?")
        named = any(setting.startswith("schema=") for setting in settings.split("&"))
        return "postgresql://" + rest + ("" if named else ("&" if mark else "?") + "schema=public")
    path = url.split("://", 1)[1] if "://" in url else url
    path = path[1:] if "://" in url else path  # sqlite:///kwasi.db, sqlite:////var/kwasi.db
    return path or ":memory:"


async def open_storage(backend=None, url=None, timezone=None, **options) -> StoragePort:
    """The storage that the environment names: STORAGE_BACKEND (sqlite), DATABASE_URL (sqlite:///kwasi.db) and
    USER_TIMEZONE (UTC); each may be given instead.  Makes the tables, and adds what an older database lacks."""
    backend = (backend or os.environ.get("STORAGE_BACKEND") or "sqlite").lower()
    location = _location(backend, url or os.environ.get("DATABASE_URL"))
    timezone = timezone or os.environ.get("USER_TIMEZONE") or "UTC"
    db = aio.open(location, store="assistant", migrate=True, threads=_CONNECTIONS, **options)
    storage = StoragePort(db, timezone)
    try:
        await storage.list_tasks(status="todo")  # opens it: a wrong address is told here
    except BaseException:
        await storage.close()
        raise
    return storage


class SqliteAdapter(StoragePort):
    """The original's adapter of that name: SqliteAdapter(path)."""

    def __init__(self, path="kwasi.db", timezone=None):
        location = _location("sqlite", path if "://" in path else f"sqlite:///{path}")
        super().__init__(aio.open(location, store="assistant", migrate=True), timezone or os.environ.get("USER_TIMEZONE") or "UTC")


class PostgresAdapter(StoragePort):
    """The original's adapter of that name: PostgresAdapter(dsn)."""

    def __init__(self, dsn, timezone=None):
        super().__init__(aio.open(_location("postgres", dsn), store="assistant", migrate=True, threads=_CONNECTIONS),
                         timezone or os.environ.get("USER_TIMEZONE") or "UTC")
