"""Dataclasses to arguments and rows to dataclasses."""

import json
from dataclasses import fields
from datetime import datetime, timezone
from typing import get_type_hints

_TEXT_OF_JSON = {"payload", "conditions", "arguments"}  # columns that the original hands on as text
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


def argument(name, value):
    if name in _TEXT_OF_JSON and isinstance(value, str):
        return json.loads(value)
    return utc(value)


def arguments(given):
    """What a method takes for a dataclass, or for the fields of an update."""
    named = given if isinstance(given, dict) else {each.name: getattr(given, each.name) for each in fields(given)}
    return {name: argument(name, value) for name, value in named.items() if name != "embedding"}


def _value(kind, name, value):
    if value is None:
        return None
    if name in _times_of(kind):
        return datetime.fromisoformat(value)
    if name in _TEXT_OF_JSON and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return value


def one(kind, row):
    """The row as an object of that class; None stays None."""
    if row is None:
        return None
    return kind(**{each.name: _value(kind, each.name, row[each.name]) for each in fields(kind) if each.name in row})


def every(kind, rows):
    return [one(kind, row) for row in rows]
