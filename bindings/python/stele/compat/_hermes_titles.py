"""Titles: what is kept of one, whose it is, the next in a lineage."""

import re

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_INVISIBLE = re.compile("[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffc\ufff9-\ufffb]")
_NUMBER = re.compile(r"^(.*?) #(\d+)$", re.S)


def like(text):
    """A text in which LIKE ... ESCAPE '\\' finds no wildcard."""
    return re.sub(r"([\\%_])", r"\\\1", text)


class Titles:
    MAX_TITLE_LENGTH = 100

    @classmethod
    def sanitize_title(cls, title):
        """The title as it is kept; None if nothing is left of it."""
        if not title:
            return None
        clean = " ".join(_INVISIBLE.sub("", _CONTROLS.sub("", title)).split())
        if not clean:
            return None
        if len(clean) > cls.MAX_TITLE_LENGTH:
            raise ValueError(f"Title too long ({len(clean)} chars, max {cls.MAX_TITLE_LENGTH})")
        return clean

    def set_session_title(self, session_id, title):
        """Give a session a title that no other has, or take it away.  False: there is no such session."""
        title = self.sanitize_title(title)

        def write(conn):
            if title:
                other = conn.execute("SELECT id FROM sessions WHERE title = ? AND id != ?", (title, session_id)).fetchone()
                if other:
                    raise ValueError(f"Title '{title}' is already in use by session {other['id']}")
            return conn.execute("UPDATE sessions SET title = ? WHERE id = ?", (title, session_id)).rowcount
        return self._execute_write(write) > 0

    def get_session_title(self, session_id):
        return self._value("SELECT title FROM sessions WHERE id = ?", (session_id,))

    def get_session_by_title(self, title):
        return next(iter(self._rows("SELECT * FROM sessions WHERE title = ?", (title,))), None)

    def resolve_session_by_title(self, title):
        """The latest of a lineage, else the session with exactly that title; its id, or None."""
        exact = self.get_session_by_title(title)
        latest = self._value("SELECT id FROM sessions WHERE title LIKE ? ESCAPE '\\' ORDER BY started_at DESC LIMIT 1",
                             (f"{like(title)} #%",))
        return latest or (exact["id"] if exact else None)

    def get_next_title_in_lineage(self, base_title):
        """The base itself if nobody has it, else the base with the next number."""
        found = _NUMBER.match(base_title)
        base = found[1] if found else base_title
        taken = self._rows("SELECT title FROM sessions WHERE title = ? OR title LIKE ? ESCAPE '\\'", (base, f"{like(base)} #%"))
        if not taken:
            return base
        numbers = [int(found[2]) for found in (_NUMBER.match(row["title"]) for row in taken) if found]
        return f"{base} #{max([1, *numbers]) + 1}"
