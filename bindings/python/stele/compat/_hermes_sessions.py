"""Sessions: their life, their counters, the notes of the store."""

import json
import time


class Sessions:
    def _insert_session_row(self, session_id, source, model=None, model_config=None, system_prompt=None, user_id=None,
                            parent_session_id=None):
        values = (session_id, source, user_id, model, json.dumps(model_config) if model_config else None, system_prompt,
                  parent_session_id, time.time())

        def write(conn):
            conn.execute("INSERT OR IGNORE INTO sessions (id, source, user_id, model, model_config, system_prompt, "
                         "parent_session_id, started_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
        self._execute_write(write)

    def create_session(self, session_id, source, **kwargs):
        """Start a session; one that is there stays as it is.  The id."""
        self._insert_session_row(session_id, source, **kwargs)
        return session_id

    def ensure_session(self, session_id, source="unknown", model=None, **kwargs):
        """Make sure that a session is there, so that its messages can be kept."""
        self._insert_session_row(session_id, source, model=model, **kwargs)
        return session_id

    def _update_session(self, assignments, values, session_id, condition=""):
        """Rows changed by an update of one session."""
        def write(conn):
            return conn.execute(f"UPDATE sessions SET {assignments} WHERE id = ?{condition}", (*values, session_id)).rowcount
        return self._execute_write(write)

    def end_session(self, session_id, end_reason):
        """The first end counts."""
        self._update_session("ended_at = ?, end_reason = ?", (time.time(), end_reason), session_id, " AND ended_at IS NULL")

    def reopen_session(self, session_id):
        self._update_session("ended_at = NULL, end_reason = NULL", (), session_id)

    def update_system_prompt(self, session_id, system_prompt):
        self._update_session("system_prompt = ?", (system_prompt,), session_id)

    def _rows(self, sql, values=()):
        with self._lock:
            return [dict(row) for row in self._conn.execute(sql, values).fetchall()]

    def _value(self, sql, values=()):
        """The first value of the first row, or None."""
        with self._lock:
            row = self._conn.execute(sql, values).fetchone()
        return row[0] if row else None

    def get_session(self, session_id):
        """Every column of a session, or None."""
        return next(iter(self._rows("SELECT * FROM sessions WHERE id = ?", (session_id,))), None)

    def session_count(self, source=None):
        if source:
            return self._value("SELECT COUNT(*) FROM sessions WHERE source = ?", (source,))
        return self._value("SELECT COUNT(*) FROM sessions")

    def message_count(self, session_id=None):
        if session_id:
            return self._value("SELECT COUNT(*) FROM messages WHERE session_id = ?", (session_id,))
        return self._value("SELECT COUNT(*) FROM messages")

    # ---- Counters ----

    def update_token_counts(self, session_id, input_tokens=0, output_tokens=0, model=None, cache_read_tokens=0,
                            cache_write_tokens=0, reasoning_tokens=0, estimated_cost_usd=None, actual_cost_usd=None,
                            cost_status=None, cost_source=None, pricing_version=None, billing_provider=None,
                            billing_base_url=None, billing_mode=None, api_call_count=0, absolute=False):
        """Add to the counters of a session, or set them.  A session that is missing is made: no count is lost."""
        self._insert_session_row(session_id, "unknown", model=model)
        counters = {"input_tokens": input_tokens, "output_tokens": output_tokens, "cache_read_tokens": cache_read_tokens,
                    "cache_write_tokens": cache_write_tokens, "reasoning_tokens": reasoning_tokens,
                    "api_call_count": api_call_count}
        replaced = {"cost_status": cost_status, "cost_source": cost_source, "pricing_version": pricing_version}
        kept = {"billing_provider": billing_provider, "billing_base_url": billing_base_url, "billing_mode": billing_mode,
                "model": model}
        if absolute:
            parts = [f"{name} = :{name}" for name in counters]
            parts += ["estimated_cost_usd = COALESCE(:estimated, 0)",
                      "actual_cost_usd = CASE WHEN :actual IS NULL THEN actual_cost_usd ELSE :actual END"]
        else:
            parts = [f"{name} = {name} + :{name}" for name in counters]
            parts += ["estimated_cost_usd = COALESCE(estimated_cost_usd, 0) + COALESCE(:estimated, 0)",
                      "actual_cost_usd = CASE WHEN :actual IS NULL THEN actual_cost_usd "
                      "ELSE COALESCE(actual_cost_usd, 0) + :actual END"]
        parts += [f"{name} = COALESCE(:{name}, {name})" for name in replaced]
        parts += [f"{name} = COALESCE({name}, :{name})" for name in kept]
        values = {**counters, **replaced, **kept, "estimated": estimated_cost_usd, "actual": actual_cost_usd, "id": session_id}

        def write(conn):
            conn.execute(f"UPDATE sessions SET {', '.join(parts)} WHERE id = :id", values)
        self._execute_write(write)

    # ---- Notes ----

    def get_meta(self, key):
        return self._value("SELECT value FROM state_meta WHERE key = ?", (key,))

    def set_meta(self, key, value):
        def write(conn):
            conn.execute("INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
                         (key, value))
        self._execute_write(write)
