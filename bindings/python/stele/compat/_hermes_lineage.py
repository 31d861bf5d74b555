"""Which session is meant, where it went on, and where it came from."""

import logging

from ._hermes_titles import like

logger = logging.getLogger(__name__)

_LINEAGE_STEPS = 100
_RESUME_STEPS = 32


class Lineage:
    def resolve_session_id(self, session_id_or_prefix):
        """The id, or the only one that begins so; None if there is none or more than one."""
        exact = self.get_session(session_id_or_prefix)
        if exact:
            return exact["id"]
        found = self._rows("SELECT id FROM sessions WHERE id LIKE ? ESCAPE '\\' ORDER BY started_at DESC LIMIT 2",
                           (f"{like(session_id_or_prefix)}%",))
        return found[0]["id"] if len(found) == 1 else None

    def get_compression_tip(self, session_id):
        """The last continuation of a session that was compressed; else the session itself."""
        current = session_id
        for _ in range(_LINEAGE_STEPS):
            child = self._value(
                "SELECT c.id FROM sessions AS c JOIN sessions AS p ON p.id = c.parent_session_id WHERE p.id = ? "
                "AND p.end_reason = 'compression' AND c.started_at >= p.ended_at ORDER BY c.started_at DESC LIMIT 1", (current,))
            if child is None:
                break
            current = child
        return current

    def resolve_resume_session_id(self, session_id):
        """Where to go on: the session itself if it has messages, else the first descendant that has."""
        if not session_id:
            return session_id
        try:
            current, seen = session_id, {session_id}
            for _ in range(_RESUME_STEPS + 1):
                if self._value("SELECT 1 FROM messages WHERE session_id = ? LIMIT 1", (current,)):
                    return current
                current = self._value("SELECT id FROM sessions WHERE parent_session_id = ? ORDER BY started_at DESC, id DESC "
                                      "LIMIT 1", (current,))
                if current is None or current in seen:
                    break
                seen.add(current)
        except Exception as error:
            logger.debug("where to go on with %s: %s", session_id, error)
        return session_id

    def _session_lineage_root_to_tip(self, session_id):
        """The session and those it came from, the first one first."""
        chain, current = [], session_id
        while current and current not in chain and len(chain) < _LINEAGE_STEPS:
            chain.append(current)
            current = self._value("SELECT parent_session_id FROM sessions WHERE id = ?", (current,))
        return chain[::-1]
