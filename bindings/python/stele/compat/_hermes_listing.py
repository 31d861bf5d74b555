"""Lists of sessions, and sessions with their messages."""

_PREVIEW = """COALESCE((SELECT SUBSTR(REPLACE(REPLACE(m.content, char(10), ' '), char(13), ' '), 1, 63) FROM messages AS m
                WHERE m.session_id = s.id AND m.role = 'user' AND m.content IS NOT NULL
                ORDER BY m.timestamp, m.id LIMIT 1), '') AS preview"""
_ACTIVE = "COALESCE((SELECT MAX(a.timestamp) FROM messages AS a WHERE a.session_id = s.id), s.started_at)"
RICH = f"s.*, {_PREVIEW}, {_ACTIVE} AS last_active"

# A session and what went on from it after compressions, with the latest activity of all of these.
_BY_ACTIVITY = f"""WITH RECURSIVE chain (root, id) AS (
  SELECT s.id, s.id FROM sessions AS s {{where}}
  UNION
  SELECT chain.root, c.id FROM chain JOIN sessions AS p ON p.id = chain.id JOIN sessions AS c ON c.parent_session_id = p.id
   WHERE p.end_reason = 'compression' AND c.started_at >= p.ended_at
), latest AS (SELECT chain.root, MAX({_ACTIVE}) AS at FROM chain JOIN sessions AS s ON s.id = chain.id GROUP BY chain.root)
SELECT {RICH} FROM latest JOIN sessions AS s ON s.id = latest.root
 ORDER BY latest.at DESC, s.started_at DESC, s.id DESC LIMIT ? OFFSET ?"""

_FROM_TIP = ("id", "ended_at", "end_reason", "message_count", "tool_call_count", "title", "last_active", "preview", "model",
             "system_prompt")


def cut_preview(row):
    """At most 60 characters of the first thing the user said."""
    text = row["preview"].strip() if isinstance(row["preview"], str) else ""
    row["preview"] = text[:60] + ("..." if len(text) > 60 else "")
    return row


class Listing:
    def list_sessions_rich(self, source=None, exclude_sources=None, limit=20, offset=0, include_children=False,
                           project_compression_tips=True, order_by_last_active=False, include_archived=False):
        """Sessions with a preview and the time of their last message.  A session that was continued after compressions
        is told as its last continuation."""
        with self._lock:
            where, values = self._listed(source, exclude_sources, include_children, include_archived)
        if order_by_last_active:
            sql = _BY_ACTIVITY.format(where=where)
        else:
            sql = f"SELECT {RICH} FROM sessions AS s {where} ORDER BY s.started_at DESC LIMIT ? OFFSET ?"
        rows = [cut_preview(row) for row in self._rows(sql, (*values, limit, offset))]
        if include_children or not project_compression_tips:
            return rows
        return [self._projected(row) for row in rows]

    def _listed(self, source, exclude_sources, include_children, include_archived):
        conditions, values = [], []
        if not include_children:
            conditions.append("(s.parent_session_id IS NULL OR s.model_config LIKE '%\"_branched_from\"%' OR EXISTS "
                              "(SELECT 1 FROM sessions AS p WHERE p.id = s.parent_session_id AND p.end_reason = 'branched' "
                              "AND s.started_at >= p.ended_at))")
        if source:
            conditions.append("s.source = ?")
            values.append(source)
        if exclude_sources:
            conditions.append(f"s.source NOT IN ({', '.join('?' * len(exclude_sources))})")
            values += exclude_sources
        if not include_archived and self._has_column("sessions", "archived"):
            conditions.append("COALESCE(s.archived, 0) = 0")
        return (f"WHERE {' AND '.join(conditions)}" if conditions else ""), values

    def _projected(self, row):
        if row["end_reason"] != "compression":
            return row
        tip = self.get_compression_tip(row["id"])
        found = self._get_session_rich_row(tip) if tip != row["id"] else None
        if found is None:
            return row
        return {**row, **{name: found[name] for name in _FROM_TIP}, "_lineage_root_id": row["id"]}

    def _get_session_rich_row(self, session_id):
        rows = self._rows(f"SELECT {RICH} FROM sessions AS s WHERE s.id = ?", (session_id,))
        return cut_preview(rows[0]) if rows else None

    def search_sessions(self, source=None, limit=20, offset=0):
        """All sessions, children too, the latest activity first."""
        where, values = ("WHERE s.source = ?", [source]) if source else ("", [])
        return self._rows(f"SELECT s.*, {_ACTIVE} AS last_active FROM sessions AS s {where} "
                          "ORDER BY last_active DESC, s.started_at DESC, s.id DESC LIMIT ? OFFSET ?", (*values, limit, offset))

    def export_session(self, session_id):
        """A session with its messages, or None."""
        session = self.get_session(session_id)
        return {**session, "messages": self.get_messages(session_id)} if session else None

    def export_all(self, source=None):
        return [{**session, "messages": self.get_messages(session["id"])}
                for session in self.search_sessions(source=source, limit=100000)]
