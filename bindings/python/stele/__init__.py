"""The durable state of AI agents, from Python.

    import stele

    with stele.open("demo") as db:
        db.conversation.create_session(session_id="weather", source="cli")
        db.conversation.append_message(session_id="weather", role="user", content="Will it rain?")
        for hit in db.conversation.search_messages(query="rain"):
            print(hit["snippet"])

Every method of every store is there, with its documentation: help(db.conversation.append_message).  Rows are dicts.
db.conversation.rows.get_messages(...) reads them one by one.  What fails raises a StatusError, one class per status.
stele.aio has the same for asyncio.
"""

import os

from . import _library, errors
from ._database import Database
from ._handle import Options
from ._store import Rows
from .errors import *  # noqa: F401,F403

__version__ = _library.version
__all__ = ["Database", "Rows", "open", *errors.__all__]


def _default_home():
    """As the command line has it."""
    home, data = os.environ.get("STELE_HOME"), os.environ.get("XDG_DATA_HOME", "")
    return os.path.expanduser(home or os.path.join(data if os.path.isabs(data) else "~/.local/share", "stele"))


def _options(path, store, options):
    """The library's options for what open() was given, and whether all threads share one handle."""
    path = None if path is None else os.fspath(path)
    if store is not None:
        if path is None:
            raise TypeError("open() needs the path of the file of the store")
        options["stores"] = {**options.get("stores", {}), store: path}
    elif path is not None and path.startswith(("postgres://", "postgresql://")):
        options["database"] = path
    elif path is not None:
        options["home"] = path
    elif not options.get("database"):
        options["home"] = options.get("home") or _default_home()
    options.setdefault("vault_keys", os.environ.get("VAULT_MASTER_KEY") or None)
    places = [options.get("home"), *options.get("stores", {}).values()]
    return Options(**options), ":memory:" in places


def open(path=None, *, store=None, **options) -> Database:  # noqa: A001
    """Open stores.

    path     a directory (each store is a file in it), a postgres:// address (each store is a schema of that database),
             or ":memory:"; None: $STELE_HOME, else the user's data directory
    store    path is the file of this one store, e.g. open("state.db", store="conversation")

    Options: stores={"conversation": "state.db"} and durability={"capture": "full"} by store; migrate=True also migrates
    files outside the home; readonly=True; queue=True returns from queueable methods at once (queue_capacity,
    queue_flush in seconds); network_fs=True; wait, the longest wait for a store's turn, in seconds; redaction, rules in
    TOML; vault_keys, Fernet keys of the assistant's vault with commas between (absent: $VAULT_MASTER_KEY; None: none);
    embedding, how texts become vectors: {"model": a file} or {"endpoint": an address, "endpoint_model", "key", "timeout" in
    seconds, "batch", "rate"} (absent: the model of the home, if it has one); chat, the language model that is asked: {"endpoint":
    an address, "model", "key", "timeout" and "connect_timeout" in seconds, "retries", "prompt_tokens", "answer_tokens",
    "prompt_price", "answer_price"} (absent: none);
    log(level, message); progress(what, done, total), which stops the work by answering something true.

    Nothing is read or created before the first call."""
    return Database(*_options(path, store, options))
