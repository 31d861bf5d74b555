"""Deleting, pruning, giving space back."""

import logging
import time
from pathlib import Path

from .. import dbapi

logger = logging.getLogger(__name__)

_DAY = 86400


class Upkeep:
    @staticmethod
    def _remove_session_files(sessions_dir, session_id):
        """Transcripts and dumps that were kept beside.  What cannot be removed stays."""
        if sessions_dir is None:
            return
        directory = Path(sessions_dir)
        named = [directory / f"{session_id}.json", directory / f"{session_id}.jsonl"]
        try:
            dumps = list(directory.glob(f"request_dump_{session_id}_*.json"))
        except OSError:
            dumps = []
        for path in named + dumps:
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                logger.debug("%s: %s", path, error)

    @staticmethod
    def _delete_sessions(conn, sessions):
        """Inside a write.  Children stay, without a parent."""
        for session_id in sessions:
            conn.execute("UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?", (session_id,))
        for session_id in sessions:
            conn.execute("DELETE FROM messages WHERE session_id = ?", (session_id,))
            conn.execute("DELETE FROM sessions WHERE id = ?", (session_id,))

    def _delete_found(self, sessions_dir, sql, values=()):
        """Delete the sessions that a query names; their number."""
        def write(conn):
            found = [row[0] for row in conn.execute(sql, values).fetchall()]
            self._delete_sessions(conn, found)
            return found
        deleted = self._execute_write(write)
        for session_id in deleted:
            self._remove_session_files(sessions_dir, session_id)
        return len(deleted)

    def delete_session(self, session_id, sessions_dir=None):
        """False: there is no such session."""
        return self._delete_found(sessions_dir, "SELECT id FROM sessions WHERE id = ?", (session_id,)) > 0

    def prune_sessions(self, older_than_days=90, source=None, sessions_dir=None):
        """Delete the sessions that started longer ago and have ended; their number."""
        values = [time.time() - older_than_days * _DAY] + ([source] if source else [])
        return self._delete_found(sessions_dir, "SELECT id FROM sessions WHERE started_at < ? AND ended_at IS NOT NULL" +
                                  (" AND source = ?" if source else ""), values)

    def prune_empty_ghost_sessions(self, sessions_dir=None):
        """Delete sessions that a terminal interface opened and left unused; their number."""
        def write(conn):
            found = [row[0] for row in conn.execute(
                "SELECT id FROM sessions AS s WHERE source = 'tui' AND title IS NULL AND ended_at IS NOT NULL AND started_at < ? "
                "AND NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = s.id)", (time.time() - _DAY,)).fetchall()]
            for session_id in found:  # one that has children cannot be deleted, and that is told
                conn.execute("DELETE FROM sessions WHERE id = ?", (session_id,))
            return found
        deleted = self._execute_write(write)
        for session_id in deleted:
            self._remove_session_files(sessions_dir, session_id)
        return len(deleted)

    def finalize_orphaned_compression_sessions(self):
        """End the continuations that nobody ever used; their number."""
        def write(conn):
            now = time.time()
            return conn.execute(
                "UPDATE sessions SET ended_at = ?, end_reason = 'orphaned_compression' WHERE api_call_count = 0 "
                "AND ended_at IS NULL AND started_at < ? AND EXISTS (SELECT 1 FROM sessions AS p "
                "WHERE p.id = sessions.parent_session_id AND p.end_reason = 'compression') "
                "AND EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = sessions.id)", (now, now - 7 * _DAY)).rowcount
        return self._execute_write(write)

    def optimize_fts(self):
        """Put the parts of the search tables together; how many tables there were."""
        def write(conn):
            tables = [name for name in ("messages_fts", "messages_fts_trigram") if self._has_table(conn, name)]
            for name in tables:
                conn.execute(f"INSERT INTO {name}({name}) VALUES('optimize')")
            return len(tables)
        return self._execute_write(write)

    def vacuum(self):
        """Write the file anew without its free pages.  Writers wait meanwhile."""
        with self._lock:
            try:
                self._conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except dbapi.Error as error:
                logger.debug("checkpoint: %s", error)
            self._conn.execute("VACUUM")
        return 0

    def maybe_auto_prune_and_vacuum(self, retention_days=90, min_interval_hours=24, vacuum=True, sessions_dir=None):
        """Prune, and vacuum if something was pruned, unless that was done a short time ago.  Never fails."""
        result = {"skipped": False, "pruned": 0, "vacuumed": False}
        try:
            if time.time() - self._last_auto_prune() < min_interval_hours * 3600:
                result["skipped"] = True
                return result
            result["pruned"] = self.prune_sessions(older_than_days=retention_days, sessions_dir=sessions_dir)
            if vacuum and result["pruned"] > 0:
                try:
                    self.vacuum()
                    result["vacuumed"] = True
                except Exception as error:
                    logger.warning("vacuum: %s", error)
            self.set_meta("last_auto_prune", str(time.time()))
        except Exception as error:
            logger.warning("automatic pruning: %s", error)
            result["error"] = str(error)
        return result

    def _last_auto_prune(self):
        try:
            return float(self.get_meta("last_auto_prune") or 0)
        except ValueError:
            return 0.0
