"""Handoff: a session that is to go on at another platform.  pending -> running -> completed or failed."""


class Handoff:
    def request_handoff(self, session_id, platform):
        """False: one is under way, or there is no such session."""
        return self._update_session("handoff_state = 'pending', handoff_platform = ?, handoff_error = NULL", (platform,), session_id,
                                    " AND (handoff_state IS NULL OR handoff_state IN ('completed', 'failed'))") > 0

    def claim_handoff(self, session_id):
        """True for one of those who try."""
        return self._update_session("handoff_state = 'running'", (), session_id, " AND handoff_state = 'pending'") > 0

    def complete_handoff(self, session_id):
        self._update_session("handoff_state = 'completed', handoff_error = NULL", (), session_id)

    def fail_handoff(self, session_id, error):
        self._update_session("handoff_state = 'failed', handoff_error = ?", (error[:500],), session_id)

    def get_handoff_state(self, session_id):
        rows = self._rows("SELECT handoff_state AS state, handoff_platform AS platform, handoff_error AS error FROM sessions "
                          "WHERE id = ?", (session_id,))
        return rows[0] if rows else None

    def list_pending_handoffs(self):
        return self._rows("SELECT * FROM sessions WHERE handoff_state = 'pending' ORDER BY started_at ASC")
