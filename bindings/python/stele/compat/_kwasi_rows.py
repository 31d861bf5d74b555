"""Dataclasses to arguments and rows to dataclasses."""

import json
from dataclasses import fields
from datetime import datetime, timezone
from typing import get_type_hints

_UNREAD = {"payload", "conditions", "arguments"}  # columns of JSON that the original hands on as text
_SENT_AS_TEXT = {"payload", "tools_used"}  # and those that the methods take as text
_TIMES = {}  # the fields of each class that are times


def _times_of(kind):
    if kind not in _TIMES:
        hints = get_type_hints(kind)
        _TIMES[kind] = {name for name, hint in hints.items() if hint in (datetime, datetime | None)}
    return _TIMES[kind]


def utc(moment):
    """A datetime without a zone is meant in UTC, as the original writes them."""
    if isinstance(moment, datetime) and moment.tzinfo is None:
        return moment.replace(tzinfo=timezone.utc)
    return moment


def _argument(name, value):
    if name in _SENT_AS_TEXT and value is not None and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if name == "conditions" and isinstance(value, str):
        return json.loads(value)
    return utc(value)


def arguments(given):
    """What a method takes for a dataclass, or for named fields.  Embeddings have a method of their own."""
    if not isinstance(given, dict):
        given = {each.name: getattr(given, each.name) for each in fields(given) if each.name != "embedding"}
    return {name: _argument(name, value) for name, value in given.items()}


def _value(kind, name, value):
    if value is None:
        return None
    if name in _times_of(kind):
        return datetime.fromisoformat(value)
    if name in _UNREAD and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if name == "tools_used":
        return json.loads(value)
    return value


def one(kind, row):
    """The row as an object of that class; None stays None."""
    if row is None:
        return None
    return kind(**{each.name: _value(kind, each.name, row[each.name]) for each in fields(kind) if each.name in row})


def every(kind, rows):
    return [one(kind, row) for row in rows]
