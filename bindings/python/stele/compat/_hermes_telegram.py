"""Topics of private chats on Telegram.  Their tables are made when they are first switched on."""

import time

from ._hermes_listing import RICH, cut_preview

_VERSION_KEY, _VERSION = "telegram_dm_topic_schema_version", "2"
_MODE = """CREATE TABLE IF NOT EXISTS telegram_dm_topic_mode (
    chat_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, enabled INTEGER NOT NULL DEFAULT 1, activated_at REAL NOT NULL,
    updated_at REAL NOT NULL, has_topics_enabled INTEGER, allows_users_to_create_topics INTEGER, capability_checked_at REAL,
    intro_message_id TEXT, pinned_message_id TEXT)"""
_BINDINGS = """CREATE TABLE IF NOT EXISTS telegram_dm_topic_bindings (
    chat_id TEXT NOT NULL, thread_id TEXT NOT NULL, user_id TEXT NOT NULL, session_key TEXT NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, managed_mode TEXT NOT NULL DEFAULT 'auto',
    linked_at REAL NOT NULL, updated_at REAL NOT NULL, PRIMARY KEY (chat_id, thread_id))"""
_INDEXES = (
    "CREATE UNIQUE INDEX IF NOT EXISTS idx_telegram_dm_topic_bindings_session ON telegram_dm_topic_bindings(session_id)",
    "CREATE INDEX IF NOT EXISTS idx_telegram_dm_topic_bindings_user ON telegram_dm_topic_bindings(user_id, chat_id)",
)
_COLUMNS = "chat_id, thread_id, user_id, session_key, session_id, managed_mode, linked_at, updated_at"


class Telegram:
    def apply_telegram_topic_migration(self):
        """Make the tables, or bring those of version 1 to version 2, where bindings go with their session."""
        def write(conn):
            conn.execute(_MODE)
            row = conn.execute("SELECT value FROM state_meta WHERE key = ?", (_VERSION_KEY,)).fetchone()
            old = row is not None and row[0] != _VERSION and self._has_table(conn, "telegram_dm_topic_bindings")
            if old:
                conn.execute("ALTER TABLE telegram_dm_topic_bindings RENAME TO telegram_dm_topic_bindings_old")
                for name in ("session", "user"):
                    conn.execute(f"DROP INDEX IF EXISTS idx_telegram_dm_topic_bindings_{name}")
            conn.execute(_BINDINGS)
            if old:
                conn.execute(f"INSERT INTO telegram_dm_topic_bindings ({_COLUMNS}) SELECT {_COLUMNS} FROM telegram_dm_topic_bindings_old "
                             "WHERE session_id IN (SELECT id FROM sessions)")
                conn.execute("DROP TABLE telegram_dm_topic_bindings_old")
            for statement in _INDEXES:
                conn.execute(statement)
            conn.execute("INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
                         (_VERSION_KEY, _VERSION))
        self._execute_write(write)

    def _topic_rows(self, sql, values):
        """Rows; none where the tables were never made."""
        with self._lock:
            there = self._has_table(self._conn, "telegram_dm_topic_bindings")
        return self._rows(sql, values) if there else []

    def enable_telegram_topic_mode(self, *, chat_id, user_id, has_topics_enabled=None, allows_users_to_create_topics=None):
        self.apply_telegram_topic_migration()

        def number(flag):
            return None if flag is None else int(bool(flag))

        def write(conn):
            now = time.time()
            conn.execute(
                "INSERT INTO telegram_dm_topic_mode (chat_id, user_id, enabled, activated_at, updated_at, has_topics_enabled, "
                "allows_users_to_create_topics, capability_checked_at) VALUES (?, ?, 1, ?, ?, ?, ?, ?) "
                "ON CONFLICT(chat_id) DO UPDATE SET user_id = excluded.user_id, enabled = 1, updated_at = excluded.updated_at, "
                "has_topics_enabled = excluded.has_topics_enabled, "
                "allows_users_to_create_topics = excluded.allows_users_to_create_topics, "
                "capability_checked_at = excluded.capability_checked_at",
                (str(chat_id), str(user_id), now, now, number(has_topics_enabled), number(allows_users_to_create_topics), now))
        self._execute_write(write)

    def disable_telegram_topic_mode(self, *, chat_id, clear_bindings=True):
        def write(conn):
            if not self._has_table(conn, "telegram_dm_topic_mode"):
                return
            conn.execute("UPDATE telegram_dm_topic_mode SET enabled = 0, updated_at = ? WHERE chat_id = ?",
                         (time.time(), str(chat_id)))
            if clear_bindings:
                conn.execute("DELETE FROM telegram_dm_topic_bindings WHERE chat_id = ?", (str(chat_id),))
        self._execute_write(write)

    def is_telegram_topic_mode_enabled(self, *, chat_id, user_id):
        return bool(self._topic_rows("SELECT 1 FROM telegram_dm_topic_mode WHERE chat_id = ? AND user_id = ? AND enabled = 1",
                                     (str(chat_id), str(user_id))))

    def get_telegram_topic_binding(self, *, chat_id, thread_id):
        rows = self._topic_rows("SELECT * FROM telegram_dm_topic_bindings WHERE chat_id = ? AND thread_id = ?",
                                (str(chat_id), str(thread_id)))
        return rows[0] if rows else None

    def list_telegram_topic_bindings_for_chat(self, *, chat_id):
        return self._topic_rows("SELECT * FROM telegram_dm_topic_bindings WHERE chat_id = ? ORDER BY updated_at DESC", (str(chat_id),))

    def get_telegram_topic_binding_by_session(self, *, session_id):
        rows = self._topic_rows("SELECT * FROM telegram_dm_topic_bindings WHERE session_id = ?", (session_id,))
        return rows[0] if rows else None

    def bind_telegram_topic(self, *, chat_id, thread_id, user_id, session_key, session_id, managed_mode="auto"):
        """A topic goes on with a session.  ValueError: the session belongs to another topic."""
        self.apply_telegram_topic_migration()
        topic = (str(chat_id), str(thread_id))

        def write(conn):
            row = conn.execute("SELECT chat_id, thread_id FROM telegram_dm_topic_bindings WHERE session_id = ?",
                               (session_id,)).fetchone()
            if row is not None and tuple(row) != topic:
                raise ValueError(f"Session {session_id} is already linked to another Telegram topic")
            now = time.time()
            conn.execute(
                f"INSERT INTO telegram_dm_topic_bindings ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT(chat_id, thread_id) DO UPDATE SET user_id = excluded.user_id, session_key = excluded.session_key, "
                "session_id = excluded.session_id, managed_mode = excluded.managed_mode, updated_at = excluded.updated_at",
                (*topic, str(user_id), session_key, session_id, managed_mode, now, now))
        self._execute_write(write)

    def is_telegram_session_linked_to_topic(self, *, session_id):
        return self.get_telegram_topic_binding_by_session(session_id=session_id) is not None

    def list_unlinked_telegram_sessions_for_user(self, *, chat_id, user_id, limit=10):
        """The user's sessions on Telegram that no topic goes on with, the latest activity first."""
        with self._lock:
            there = self._has_table(self._conn, "telegram_dm_topic_bindings")
        linked = " AND s.id NOT IN (SELECT session_id FROM telegram_dm_topic_bindings)" if there else ""
        return [cut_preview(row) for row in self._rows(
            f"SELECT {RICH} FROM sessions AS s WHERE s.source = 'telegram' AND s.user_id = ?{linked} "
            "ORDER BY last_active DESC, s.started_at DESC, s.id DESC LIMIT ?", (str(user_id), limit))]
