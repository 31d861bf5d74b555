"""Searching messages, by the original's rules: its sanitiser, its tables, its ways with CJK."""

import logging
import re

from .. import dbapi
from ._hermes_titles import like

logger = logging.getLogger(__name__)

_QUOTED = re.compile(r'"[^"]*"')
_OPERATORS = ("AND", "OR", "NOT")
_CJK = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x3000, 0x303F), (0x3040, 0x309F), (0x30A0, 0x30FF), (0xAC00, 0xD7AF))
_FEWEST = 3  # characters of CJK that the trigram table finds
_FOUND = ("m.id, m.session_id, m.role, {snippet} AS snippet, m.content, m.timestamp, m.tool_name, s.source, s.model, "
          "s.started_at AS session_started")
_SORTS = {"newest": "m.timestamp DESC, rank", "oldest": "m.timestamp ASC, rank"}


def _is_cjk(character):
    return any(first <= ord(character) <= last for first, last in _CJK)


class Search:
    @staticmethod
    def _sanitize_fts5_query(query):
        """A query that FTS5 can read, most of the time."""
        quoted = []

        def keep(found):
            quoted.append(found[0])
            return f"\x00Q{len(quoted) - 1}\x00"
        text = _QUOTED.sub(keep, query)
        text = re.sub(r'[+{}()"^]', " ", text)
        text = re.sub(r"\*+", "*", text)
        text = re.sub(r"(^|\s)\*", r"\1", text)
        text = re.sub(r"^(?:AND|OR|NOT)\b\s*", "", text.strip(), flags=re.I)
        text = re.sub(r"\s+(?:AND|OR|NOT)\s*$", "", text.strip(), flags=re.I)
        text = re.sub(r"\b(\w+(?:[._-]\w+)+)\b", r'"\1"', text)
        for number, phrase in enumerate(quoted):
            text = text.replace(f"\x00Q{number}\x00", phrase)
        return text.strip()

    @staticmethod
    def _contains_cjk(text):
        return any(map(_is_cjk, text))

    @classmethod
    def _count_cjk(cls, text):
        return sum(map(_is_cjk, text))

    def search_messages(self, query, source_filter=None, exclude_sources=None, role_filter=None, limit=20, offset=0, sort=None):
        """Messages that match a query, with a snippet and what was said before and after."""
        query = self._sanitize_fts5_query(query) if query and query.strip() else ""
        if not query:
            return []
        conditions, values = self._filters(source_filter, exclude_sources, role_filter)
        order = _SORTS.get(sort.strip().lower() if isinstance(sort, str) else None, "rank")
        cut = (limit, offset)
        if not self._contains_cjk(query):
            found = self._match("messages_fts", query, conditions, values, order, cut)
        else:
            found = self._search_cjk(query, conditions, values, order, cut)
        for row in found:
            row["context"] = self._context(row)
            row.pop("content", None)
        return found

    @staticmethod
    def _filters(source_filter, exclude_sources, role_filter):
        """No source at all is no result; no excluded source and no role is no filter."""
        conditions, values = [], []
        for column, word, names in (("s.source", "IN", source_filter), ("s.source", "NOT IN", exclude_sources or None),
                                    ("m.role", "IN", role_filter or None)):
            if names is not None:
                conditions.append(f"{column} {word} ({', '.join('?' * len(names))})")
                values += names
        return conditions, values

    def _find(self, sql, values):
        """What a query that SQLite does not understand finds is nothing."""
        try:
            return self._rows(sql, values)
        except dbapi.OperationalError as error:
            logger.debug("search: %s", error)
            return []

    def _match(self, table, query, conditions, values, order, cut):
        with self._lock:
            active = self._active(prefix="m.")
        more = "".join(f" AND {condition}" for condition in conditions) + active
        found = _FOUND.format(snippet=f"snippet({table}, 0, '>>>', '<<<', '...', 40)")
        return self._find(f"SELECT {found} FROM {table} JOIN messages AS m ON m.id = {table}.rowid "
                          f"JOIN sessions AS s ON s.id = m.session_id WHERE {table} MATCH ?{more} ORDER BY {order} LIMIT ? OFFSET ?",
                          (query, *values, *cut))

    # ---- CJK ----

    def _search_cjk(self, query, conditions, values, order, cut):
        raw = query.strip('"').strip()
        tokens = raw.split()
        words = [token for token in tokens if token.upper() not in _OPERATORS]
        counts = [count for count in map(self._count_cjk, words) if count]
        if self._count_cjk(raw) >= _FEWEST and all(count >= _FEWEST for count in counts):
            parts = [token if token.upper() in _OPERATORS else '"{}"'.format(token.replace('"', '""')) for token in tokens]
            return self._match("messages_fts_trigram", " ".join(parts), conditions, values, order, cut)
        return self._search_like(words or [raw], conditions, values, cut)

    def _search_like(self, words, conditions, values, cut):
        """Words too short for any index: every message is read."""
        one = "(m.content LIKE ? ESCAPE '\\' OR m.tool_name LIKE ? ESCAPE '\\' OR m.tool_calls LIKE ? ESCAPE '\\')"
        patterns = [f"%{like(word)}%" for word in words for _ in range(3)]
        with self._lock:
            active = self._active(prefix="m.")
        more = "".join(f" AND {condition}" for condition in conditions) + active
        found = _FOUND.format(snippet="substr(m.content, max(1, instr(m.content, ?) - 40), 120)")
        return self._find(f"SELECT {found} FROM messages AS m JOIN sessions AS s ON s.id = m.session_id "
                          f"WHERE ({' OR '.join([one] * len(words))}){more} ORDER BY m.timestamp DESC LIMIT ? OFFSET ?",
                          (words[0], *patterns, *values, *cut))

    # ---- What was said before and after ----

    def _context(self, row):
        beside = ("SELECT role, content FROM messages WHERE session_id = :session_id AND (timestamp {0} :timestamp OR "
                  "(timestamp = :timestamp AND id {0} :id)) ORDER BY timestamp {1}, id {1} LIMIT 1")
        here = {name: row[name] for name in ("session_id", "timestamp", "id")}
        try:
            around = [*self._rows(beside.format("<", "DESC"), here), row, *self._rows(beside.format(">", "ASC"), here)]
            return [{"role": each["role"], "content": self._shown(each["content"])} for each in around]
        except Exception as error:
            logger.debug("context of message %s: %s", row["id"], error)
            return []

    def _shown(self, content):
        content = self._decode_content(content)
        if isinstance(content, list):
            texts = [part.get("text", "") for part in content if isinstance(part, dict) and part.get("type") == "text"]
            content = " ".join(text for text in texts if text) or "[multimodal content]"
        elif not isinstance(content, str):
            content = "[multimodal content]" if isinstance(content, dict) else content or ""
        return content[:200]
