"""Messages: written, read, and as the conversation that is sent to a model again."""

import json
import logging
import re
import time

logger = logging.getLogger(__name__)

JSON_MARK = "\x00json:"  # stands before a content that is no text

# Recalled memory that was put into a prompt, the note that introduces it, and tags that stand alone.
_MEMORY = [re.compile(pattern, re.I) for pattern in (
    r"<\s*memory-context\s*>[\s\S]*?</\s*memory-context\s*>",
    r"\[System note:\s*The following is recalled memory context,\s*NOT new user input\.\s*Treat as "
    r"(?:informational background data|authoritative reference data[^\]]*)\.\]\s*",
    r"</?\s*memory-context\s*>",
)]
_COLUMNS = ("session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp", "token_count",
            "finish_reason", "reasoning", "reasoning_content", "reasoning_details", "codex_reasoning_items",
            "codex_message_items")
_JSON = ("reasoning_details", "codex_reasoning_items", "codex_message_items")
_NOTHING = {"window": [], "messages_before": 0, "messages_after": 0}


def _json_or_none(value):
    return json.dumps(value) if value else None


def _calls_in(tool_calls):
    if tool_calls is None:
        return 0
    return len(tool_calls) if isinstance(tool_calls, list) else 1


class Messages:
    _CONTENT_JSON_PREFIX = JSON_MARK

    @classmethod
    def _encode_content(cls, content):
        """What SQLite can keep, as it is; lists and objects as JSON behind a mark."""
        if content is None or isinstance(content, (str, bytes, int, float)):
            return content
        try:
            return JSON_MARK + json.dumps(content)
        except (TypeError, ValueError):
            return str(content)

    @classmethod
    def _decode_content(cls, content):
        if isinstance(content, str) and content.startswith(JSON_MARK):
            try:
                return json.loads(content[len(JSON_MARK):])
            except ValueError:
                logger.warning("a message's content is marked as JSON, and is none")
        return content

    # ---- Writing ----

    @staticmethod
    def _insert_message(conn, values):
        names = ", ".join(values)
        return conn.execute(f"INSERT INTO messages ({names}) VALUES ({', '.join('?' * len(values))})",
                            tuple(values.values())).lastrowid

    def append_message(self, session_id, role, content=None, tool_name=None, tool_calls=None, tool_call_id=None,
                       token_count=None, finish_reason=None, reasoning=None, reasoning_content=None, reasoning_details=None,
                       codex_reasoning_items=None, codex_message_items=None, platform_message_id=None, observed=False,
                       timestamp=None):
        """Add a message to a session.  Its id."""
        kept = (session_id, role, self._encode_content(content), tool_call_id, _json_or_none(tool_calls), tool_name, None,
                token_count, finish_reason, reasoning, reasoning_content, _json_or_none(reasoning_details),
                _json_or_none(codex_reasoning_items), _json_or_none(codex_message_items))
        values = dict(zip(_COLUMNS, kept))
        calls = _calls_in(tool_calls)

        def write(conn):
            more = self._later_columns(conn, platform_message_id, observed)
            values["timestamp"] = time.time() if timestamp is None else timestamp
            number = self._insert_message(conn, {**values, **more})
            conn.execute("UPDATE sessions SET message_count = message_count + 1, tool_call_count = tool_call_count + ? "
                         "WHERE id = ?", (calls, session_id))
            return number
        return self._execute_write(write)

    def replace_messages(self, session_id, messages):
        """The messages of a session, all of them anew."""
        def write(conn):
            conn.execute("DELETE FROM messages WHERE session_id = ?", (session_id,))
            now, calls = time.time(), 0
            for number, message in enumerate(messages):
                role = message.get("role", "unknown")
                thought = message.get if role == "assistant" else {}.get
                tool_calls = message.get("tool_calls")
                calls += _calls_in(tool_calls)
                kept = (session_id, role, self._encode_content(message.get("content")), message.get("tool_call_id"),
                        _json_or_none(tool_calls), message.get("tool_name"), now + number * 1e-6, message.get("token_count"),
                        message.get("finish_reason"), thought("reasoning"), thought("reasoning_content"),
                        *(_json_or_none(thought(name)) for name in _JSON))
                self._insert_message(conn, dict(zip(_COLUMNS, kept)))
            conn.execute("UPDATE sessions SET message_count = ?, tool_call_count = ? WHERE id = ?",
                         (len(messages), calls, session_id))
        self._execute_write(write)

    def clear_messages(self, session_id):
        def write(conn):
            conn.execute("DELETE FROM messages WHERE session_id = ?", (session_id,))
            conn.execute("UPDATE sessions SET message_count = 0, tool_call_count = 0 WHERE id = ?", (session_id,))
        self._execute_write(write)

    # ---- Reading ----

    def _active(self, include_inactive=False, prefix=""):
        """The condition that hides what was taken back, in files that know of it.  Under the lock."""
        return f" AND {prefix}active = 1" if not include_inactive and self._has_column("messages", "active") else ""

    def _message(self, row):
        message = dict(row)
        message["content"] = self._decode_content(message["content"])
        if message.get("tool_calls"):
            try:
                message["tool_calls"] = json.loads(message["tool_calls"])
            except ValueError:
                logger.warning("the tool calls of message %s are no JSON", message["id"])
                message["tool_calls"] = []
        return message

    def get_messages(self, session_id, include_inactive=False):
        """A session's messages in their order, with every column."""
        with self._lock:
            rows = self._conn.execute(f"SELECT * FROM messages WHERE session_id = ?{self._active(include_inactive)} ORDER BY id",
                                      (session_id,)).fetchall()
        return [self._message(row) for row in rows]

    def get_messages_around(self, session_id, around_message_id, window=5):
        """A message with those before and after it."""
        window = max(0, window)
        with self._lock:
            active, values = self._active(), (session_id, around_message_id)
            sql = "SELECT * FROM messages WHERE session_id = ? AND id {} ?" + active + " ORDER BY id {}"
            anchor = self._conn.execute(sql.format("=", ""), values).fetchone()
            if anchor is None:
                return {**_NOTHING, "window": []}
            before = self._conn.execute(sql.format("<", "DESC LIMIT ?"), (*values, window)).fetchall()[::-1]
            after = self._conn.execute(sql.format(">", "LIMIT ?"), (*values, window)).fetchall()
        return {"window": [self._message(row) for row in [*before, anchor, *after]], "messages_before": len(before),
                "messages_after": len(after)}

    def get_anchored_view(self, session_id, around_message_id, window=5, bookend=3, keep_roles=("user", "assistant")):
        """The same, of some roles only, with the beginning and the end of the session."""
        view = self.get_messages_around(session_id, around_message_id, window)
        view["bookend_start"] = view["bookend_end"] = []
        if not view["window"]:
            return view
        first, last = view["window"][0]["id"], view["window"][-1]["id"]
        if keep_roles is not None:
            view["window"] = [each for each in view["window"] if each["id"] == around_message_id or each["role"] in keep_roles]
        roles = f" AND role IN ({', '.join('?' * len(keep_roles))})" if keep_roles is not None else ""
        with self._lock:
            sql = ("SELECT * FROM messages WHERE session_id = ? AND id {} ?" + roles + self._active() +
                   " AND length(content) > 0 ORDER BY id {} LIMIT ?")
            named = tuple(keep_roles or ())
            start = self._conn.execute(sql.format("<", "ASC"), (session_id, first, *named, bookend)).fetchall()
            end = self._conn.execute(sql.format(">", "DESC"), (session_id, last, *named, bookend)).fetchall()[::-1]
        view["bookend_start"] = [self._message(row) for row in start]
        view["bookend_end"] = [self._message(row) for row in end]
        return view

    # ---- The conversation ----

    def get_messages_as_conversation(self, session_id, include_ancestors=False, include_inactive=False):
        """The messages as a model gets them again."""
        sessions = self._session_lineage_root_to_tip(session_id) if include_ancestors else [session_id]
        with self._lock:
            rows = self._conn.execute(f"SELECT * FROM messages WHERE session_id IN ({', '.join('?' * len(sessions))})"
                                      f"{self._active(include_inactive)} ORDER BY id", tuple(sessions)).fetchall()
        said, prompts = [], []
        for row in map(dict, rows):
            message = self._replayed(row)
            if include_ancestors and self._repeats(message, prompts):
                continue
            said.append(message)
        return said

    @staticmethod
    def _repeats(message, prompts):
        """A prompt that was sent already and never answered: continuations begin with theirs."""
        if message["role"] == "assistant" and (message["content"] or message.get("tool_calls")):
            prompts.clear()
        if message["role"] != "user":
            return False
        if message["content"] in prompts:
            return True
        prompts.append(message["content"])
        return False

    def _replayed(self, row):
        content = self._decode_content(row["content"])
        if row["role"] in ("user", "assistant") and isinstance(content, str):
            for pattern in _MEMORY:
                content = pattern.sub("", content)
            content = content.strip()
        message = {"role": row["role"], "content": content}
        message.update((name, row[name]) for name in ("tool_call_id", "tool_name") if row[name])
        if row["tool_calls"]:
            message["tool_calls"] = self._parsed(row, "tool_calls", [])
        if row.get("platform_message_id"):
            message["message_id"] = row["platform_message_id"]
        if row["role"] == "assistant":
            message.update((name, row[name]) for name in ("finish_reason", "reasoning") if row[name])
            if row["reasoning_content"] is not None:
                message["reasoning_content"] = row["reasoning_content"]
            message.update((name, self._parsed(row, name, None)) for name in _JSON if row[name])
        return message

    @staticmethod
    def _parsed(row, name, otherwise):
        try:
            return json.loads(row[name])
        except (ValueError, TypeError):
            logger.warning("%s of message %s is no JSON", name, row["id"])
            return otherwise
