"""What versions 12 to 16 of the original added.  A file of version 11 gets a column or table of these when it is first needed
and stays version 11."""

import json
import time

from ._hermes_listing import RICH, cut_preview
from ._hermes_titles import like


class Later:
    def _later_columns(self, conn, platform_message_id, observed):
        """Inside a write: the columns of a message that version 11 does not have, and their values."""
        more = {}
        if platform_message_id is not None:
            self._need(conn, "platform_message")
            more["platform_message_id"] = platform_message_id
        if observed:
            if not self._has_column("messages", "observed"):
                conn.execute("ALTER TABLE messages ADD COLUMN observed INTEGER DEFAULT 0")
            more["observed"] = 1
        return more

    # ---- Taking messages back ----

    def list_recent_user_messages(self, session_id, limit=20):
        """What the user said last, the latest first."""
        with self._lock:
            active = self._active()
        rows = self._rows(f"SELECT id, content, timestamp FROM messages WHERE session_id = ? AND role = 'user'{active} "
                          "ORDER BY id DESC LIMIT ?", (session_id, limit))
        return [{**row, "content": self._decode_content(row["content"])} for row in rows]

    def rewind_to_message(self, session_id, target_message_id):
        """Take a message and all after it back.  ValueError: the session has no such message."""
        def write(conn):
            self._need(conn, "rewind")
            target = conn.execute("SELECT * FROM messages WHERE id = ? AND session_id = ? AND active = 1",
                                  (target_message_id, session_id)).fetchone()
            if target is None:
                raise ValueError(f"message {target_message_id} is not an active message of session {session_id}")
            count = conn.execute("UPDATE messages SET active = 0 WHERE session_id = ? AND id >= ? AND active = 1",
                                 (session_id, target_message_id)).rowcount
            conn.execute("UPDATE sessions SET rewind_count = COALESCE(rewind_count, 0) + 1 WHERE id = ?", (session_id,))
            head = conn.execute("SELECT MAX(id) FROM messages WHERE session_id = ? AND active = 1", (session_id,)).fetchone()
            return {"rewound_count": count, "target_message": self._message(target), "new_head_id": head[0]}
        return self._execute_write(write)

    def restore_rewound(self, session_id, since_message_id):
        """Bring messages back; their number."""
        def write(conn):
            self._need(conn, "rewind")
            return conn.execute("UPDATE messages SET active = 1 WHERE session_id = ? AND id >= ? AND active = 0",
                                (session_id, since_message_id)).rowcount
        return self._execute_write(write)

    # ---- The lock for compressions ----

    def try_acquire_compression_lock(self, session_id, holder, ttl_seconds=300):
        """True: the lock is the holder's."""
        def write(conn):
            self._need(conn, "compression_locks")
            now = time.time()
            conn.execute("DELETE FROM compression_locks WHERE session_id = ? AND expires_at < ?", (session_id, now))
            return conn.execute("INSERT OR IGNORE INTO compression_locks (session_id, holder, acquired_at, expires_at) "
                                "VALUES (?, ?, ?, ?)", (session_id, holder, now, now + ttl_seconds)).rowcount > 0
        return self._execute_write(write)

    def release_compression_lock(self, session_id, holder):
        def write(conn):
            self._need(conn, "compression_locks")
            conn.execute("DELETE FROM compression_locks WHERE session_id = ? AND holder = ?", (session_id, holder))
        self._execute_write(write)

    def get_compression_lock_holder(self, session_id):
        with self._lock:
            there = self._has_table(self._conn, "compression_locks")
        return self._value("SELECT holder FROM compression_locks WHERE session_id = ? AND expires_at >= ?",
                           (session_id, time.time())) if there else None

    # ---- Sessions ----

    def set_session_archived(self, session_id, archived=True):
        """False: there is no such session."""
        def write(conn):
            self._need(conn, "archived")
            return conn.execute("UPDATE sessions SET archived = ? WHERE id = ?", (int(bool(archived)), session_id)).rowcount
        return self._execute_write(write) > 0

    def update_session_cwd(self, session_id, cwd):
        def write(conn):
            if not self._has_column("sessions", "cwd"):
                conn.execute("ALTER TABLE sessions ADD COLUMN cwd TEXT")
            conn.execute("UPDATE sessions SET cwd = ? WHERE id = ?", (cwd, session_id))
        self._execute_write(write)

    def update_session_model(self, session_id, model):
        self._update_session("model = ?", (model,), session_id)

    def update_session_meta(self, session_id, model_config, model=None):
        text = model_config if isinstance(model_config, str) or model_config is None else json.dumps(model_config)
        self._update_session("model_config = ?, model = COALESCE(?, model)", (text, model), session_id)

    def search_sessions_by_id(self, query, limit=20):
        """Sessions whose id holds a text, the latest activity first."""
        if not query:
            return []
        return [cut_preview(row) for row in self._rows(
            f"SELECT {RICH} FROM sessions AS s WHERE s.id LIKE ? ESCAPE '\\' ORDER BY last_active DESC, s.started_at DESC, s.id DESC "
            "LIMIT ?", (f"%{like(query)}%", limit))]

    def list_cron_job_runs(self, job_id, limit=20, offset=0):
        """The sessions of one scheduled job, the latest first."""
        return [cut_preview(row) for row in self._rows(
            f"SELECT {RICH} FROM sessions AS s WHERE s.source = 'cron' AND s.id >= ? AND s.id < ? ORDER BY s.started_at DESC, s.id DESC "
            "LIMIT ? OFFSET ?", (f"cron_{job_id}_", f"cron_{job_id}`", limit, offset))]

    def delete_sessions(self, session_ids, sessions_dir=None):
        """Delete several sessions at once; how many there were."""
        return self._delete_found(sessions_dir, "SELECT id FROM sessions WHERE id IN (SELECT value FROM json_each(?))",
                                  (json.dumps(list(session_ids)),))

    def delete_empty_sessions(self, sessions_dir=None):
        """Delete ended sessions without a message or a title; their number."""
        return self._delete_found(sessions_dir, "SELECT id FROM sessions AS s WHERE ended_at IS NOT NULL AND title IS NULL "
                                  "AND NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = s.id)")
