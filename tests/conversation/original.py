"""The program that the conversation format comes from, as far as Stele meets it: the files it made, version by
version, the tables of version 11 exactly, and the way it writes.

Everything here goes through Python's own SQLite, in another process than Stele.
"""

import contextlib
import json
import random
import sqlite3
import time

# ---- The tables, version by version ------------------------------------------------------------

SESSIONS = [  # (since version, column)
    (1, "id TEXT PRIMARY KEY"), (1, "source TEXT NOT NULL"), (1, "user_id TEXT"), (1, "model TEXT"),
    (1, "model_config TEXT"), (1, "system_prompt TEXT"), (1, "parent_session_id TEXT"), (1, "started_at REAL NOT NULL"),
    (1, "ended_at REAL"), (1, "end_reason TEXT"), (1, "message_count INTEGER DEFAULT 0"),
    (1, "tool_call_count INTEGER DEFAULT 0"), (1, "input_tokens INTEGER DEFAULT 0"),
    (1, "output_tokens INTEGER DEFAULT 0"), (5, "cache_read_tokens INTEGER DEFAULT 0"),
    (5, "cache_write_tokens INTEGER DEFAULT 0"), (5, "reasoning_tokens INTEGER DEFAULT 0"), (5, "billing_provider TEXT"),
    (5, "billing_base_url TEXT"), (5, "billing_mode TEXT"), (5, "estimated_cost_usd REAL"), (5, "actual_cost_usd REAL"),
    (5, "cost_status TEXT"), (5, "cost_source TEXT"), (5, "pricing_version TEXT"), (3, "title TEXT"),
    (8, "api_call_count INTEGER DEFAULT 0"), (11.5, "handoff_state TEXT"), (11.5, "handoff_platform TEXT"),
    (11.5, "handoff_error TEXT"),
]
MESSAGES = [
    (1, "id INTEGER PRIMARY KEY AUTOINCREMENT"), (1, "session_id TEXT NOT NULL REFERENCES sessions(id)"),
    (1, "role TEXT NOT NULL"), (1, "content TEXT"), (1, "tool_call_id TEXT"), (1, "tool_calls TEXT"), (1, "tool_name TEXT"),
    (1, "timestamp REAL NOT NULL"), (1, "token_count INTEGER"), (2, "finish_reason TEXT"), (6, "reasoning TEXT"),
    (7, "reasoning_content TEXT"), (6, "reasoning_details TEXT"), (6, "codex_reasoning_items TEXT"),
    (9, "codex_message_items TEXT"),
]
LATEST = 11.5  # version 11 with the columns of handoffs, which came later without a number of their own

TITLE_INDEX = "CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL"
INDEXES = [
    "CREATE INDEX idx_sessions_source ON sessions(source)", "CREATE INDEX idx_sessions_parent ON sessions(parent_session_id)",
    "CREATE INDEX idx_sessions_started ON sessions(started_at DESC)",
    "CREATE INDEX idx_messages_session ON messages(session_id, timestamp)",
]
TEXT = "COALESCE({0}content, '') || ' ' || COALESCE({0}tool_name, '') || ' ' || COALESCE({0}tool_calls, '')"


def _external(table, options):
    """Search tables up to version 10: over content alone, which they read from messages."""
    put = f"INSERT INTO {table}(rowid, content) VALUES (new.id, new.content);"
    take = f"INSERT INTO {table}({table}, rowid, content) VALUES('delete', old.id, old.content);"
    return [
        f"CREATE VIRTUAL TABLE {table} USING fts5(content, content=messages, content_rowid=id{options})",
        f"CREATE TRIGGER {table}_insert AFTER INSERT ON messages BEGIN {put} END",
        f"CREATE TRIGGER {table}_delete AFTER DELETE ON messages BEGIN {take} END",
        f"CREATE TRIGGER {table}_update AFTER UPDATE ON messages BEGIN {take} {put} END",
    ]


def _inline(table, options):
    """Search tables from version 11 on: with the text inside."""
    put = f"INSERT INTO {table}(rowid, content) VALUES (new.id, {TEXT.format('new.')});"
    take = f"DELETE FROM {table} WHERE rowid = old.id;"
    return [
        f"CREATE VIRTUAL TABLE {table} USING fts5(content{options})",
        f"CREATE TRIGGER {table}_insert AFTER INSERT ON messages BEGIN {put} END",
        f"CREATE TRIGGER {table}_delete AFTER DELETE ON messages BEGIN {take} END",
        f"CREATE TRIGGER {table}_update AFTER UPDATE ON messages BEGIN {take} {put} END",
    ]


INLINE = _inline("messages_fts", "") + _inline("messages_fts_trigram", ", tokenize='trigram'")

# What the versions after 11 added; 15 is an index only, 16 changed data.
LATER = {
    12: ["ALTER TABLE messages ADD COLUMN platform_message_id TEXT",
         "CREATE INDEX idx_messages_platform_msg_id ON messages(session_id, platform_message_id) "
         "WHERE platform_message_id IS NOT NULL",
         "ALTER TABLE messages ADD COLUMN active INTEGER NOT NULL DEFAULT 1",
         "ALTER TABLE sessions ADD COLUMN rewind_count INTEGER NOT NULL DEFAULT 0",
         "CREATE INDEX idx_messages_session_active ON messages(session_id, active, timestamp)"],
    13: ["ALTER TABLE messages ADD COLUMN observed INTEGER DEFAULT 0"],
    14: ["CREATE TABLE compression_locks (session_id TEXT PRIMARY KEY, holder TEXT NOT NULL, acquired_at REAL NOT NULL, "
         "expires_at REAL NOT NULL)", "CREATE INDEX idx_compression_locks_expires ON compression_locks(expires_at)"],
    15: ["CREATE INDEX idx_sessions_source_id ON sessions(source, id)",
         "ALTER TABLE sessions ADD COLUMN cwd TEXT", "ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0"],
    16: [],
    17: ["ALTER TABLE sessions ADD COLUMN novelty TEXT"],
}


def columns(declared, version, without=()):
    """The declarations of a version's columns."""
    return [column for since, column in declared if since <= version and column.split()[0] not in without]


def names(declared, version, without=()):
    return [column.split()[0] for column in columns(declared, version, without)]


def schema(version, without=()):
    """The statements that made a fresh file of a version."""
    number = int(version)
    base = min(version, LATEST)
    made = ["CREATE TABLE schema_version (version INTEGER NOT NULL)", f"INSERT INTO schema_version VALUES ({number})",
            f"CREATE TABLE sessions ({', '.join(columns(SESSIONS, base, without))}, "
            "FOREIGN KEY (parent_session_id) REFERENCES sessions(id))",
            f"CREATE TABLE messages ({', '.join(columns(MESSAGES, base, without))})"]
    if number >= 8:
        made.append("CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT)")
    made += INDEXES
    if number >= 4:
        made.append(TITLE_INDEX)
    if number >= 11:
        made += INLINE
    else:
        made += _external("messages_fts", "")
        made += _external("messages_fts_trigram", ", tokenize='trigram'") if number == 10 else []
    for later in range(12, number + 1):
        made += LATER[later]
    return made


def connect(path, **more):
    return contextlib.closing(sqlite3.connect(path, isolation_level=None, **more))


def make(path, version, without=()):
    """A file of that version, without rows."""
    with connect(path) as db:
        db.execute("PRAGMA journal_mode = WAL")
        for statement in schema(version, without):
            db.execute(statement)


def insert(db, table, **values):
    db.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", list(values.values()))


def definitions(path):
    """Every table, index and trigger: {(type, name): what it is, without regard to white space}."""
    with connect(path) as db:
        rows = db.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    return {(kind, name): "".join((sql or "").replace("IF NOT EXISTS", "").split()) for kind, name, sql in rows}


def shape(path):
    """Every column of every table: {table: [(name, type, not null, default, key)]}."""
    with connect(path) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {table: [row[1:] for row in db.execute(f"PRAGMA table_info({table})")] for table in tables}


def check_search_tables(db):
    """What is wrong with the search tables of version 11, as the program itself would meet it."""
    db.text_factory = bytes  # a message of bytes need not be UTF-8
    wanted = db.execute(f"SELECT id, {TEXT.format('')} FROM messages ORDER BY id").fetchall()
    plain = not any(b"\0" in text for _, text in wanted)  # versions of SQLite differ in the words they see after NUL
    for table in ("messages_fts", "messages_fts_trigram"):
        assert db.execute(f"SELECT rowid, content FROM {table} ORDER BY rowid").fetchall() == wanted, table
        if plain:
            db.execute(f"INSERT INTO {table}({table}) VALUES('integrity-check')")
    assert not plain or db.execute("PRAGMA integrity_check").fetchall() == [(b"ok",)]
    db.text_factory = str


# ---- How it writes -----------------------------------------------------------------------------

class Writer:
    """One process of the original: one second of patience, a random pause, fifteen tries, and a checkpoint every
    fifty writes."""

    def __init__(self, path):
        self.db = sqlite3.connect(path, timeout=1.0, isolation_level=None)
        self.db.execute("PRAGMA foreign_keys = ON")
        self.writes = 0
        self.tries = 0

    def write(self, function):
        for attempt in range(15):
            self.tries += 1
            try:
                self.db.execute("BEGIN IMMEDIATE")
                try:
                    result = function(self.db)
                    self.db.execute("COMMIT")
                except BaseException:
                    self.db.execute("ROLLBACK")
                    raise
                break
            except sqlite3.OperationalError as error:
                if attempt == 14 or not any(word in str(error).lower() for word in ("locked", "busy")):
                    raise
                time.sleep(random.uniform(0.020, 0.150))
        self.writes += 1
        if self.writes % 50 == 0:
            self.db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        return result

    def append(self, session, role, content, tool_name=None, tool_calls=None):
        def put(db):
            cursor = db.execute("INSERT INTO messages (session_id, role, content, tool_name, tool_calls, timestamp) "
                                "VALUES (?, ?, ?, ?, ?, ?)",
                                (session, role, content, tool_name, json.dumps(tool_calls) if tool_calls else None, time.time()))
            db.execute("UPDATE sessions SET message_count = message_count + 1, tool_call_count = tool_call_count + ? "
                       "WHERE id = ?", (len(tool_calls or []), session))
            return cursor.lastrowid
        return self.write(put)

    def close(self):
        self.db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        self.db.close()
