"""A @param or @result line to a field, with its type, narrowing and default checked."""

import base64
import json
import keyword
import re
from datetime import datetime
from math import inf

from .model import TYPES, Field
from .problems import did_you_mean

NAME = re.compile(r"[a-z][a-z0-9_]*")
METHOD_NAME = re.compile(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*")
_LINE = re.compile(r"(?P<name>\S+)(?:\s+(?P<type>[^\s(]+(?:\([^)]*\))?\S*))?\s*(?P<rest>.*)")
_TYPE = re.compile(r"(?P<base>[\w.]+)(?:\((?P<narrow>[^()]*)\))?(?P<list>\[\])?(?P<null>\??)")
_RANGE = re.compile(r"(-?[\d.]+?)?\.\.(-?[\d.]+)?")
_CHANGED = re.compile(r"changed\b(?: (\d+)\b)?\s*")  # after more than one space the documentation begins
_DURATION = re.compile(r"\d+(\.\d+)?(ms|s|m|h|d|w)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_RANGED = ("int", "real", "duration")


class Wrong(Exception):
    """The line is wrong; the text says why."""


def parse(text, place, is_result, complain):
    """The field of what follows @param or @result; None when not even a name is there.
    complain(text) is called for each mistake; the field then stands, so that its uses are known."""
    match = _LINE.fullmatch(text)
    if not match:
        complain("a name and a type are missing")
        return None
    field = Field(match["name"], place)
    try:
        if not NAME.fullmatch(field.name):
            raise Wrong(f"{field.name} is not a name: write it in small letters, digits and _")
        if not is_result and keyword.iskeyword(field.name):
            raise Wrong(f"{field.name} is a word of Python's: nobody could say it there")
        if not match["type"]:
            raise Wrong(f"{field.name} has no type")
        _type(field, match["type"])
        rest = _secret(field, match["rest"])
        field.doc = _result_words(field, rest) if is_result else _param_words(field, rest)
    except Wrong as wrong:
        complain(str(wrong))
        field.doc = match["rest"] or "?"  # not a second complaint
    return field


def _type(field, text):
    match = _TYPE.fullmatch(text)
    if not match:
        raise Wrong(f"{field.name}: {text} is not a type")
    base = match["base"]
    if base not in TYPES and not METHOD_NAME.fullmatch(base):
        raise Wrong(f"{field.name}: unknown type {base}{did_you_mean(base, TYPES)}")
    field.written = text
    field.list, field.nullable = bool(match["list"]), bool(match["null"])
    if match["narrow"] is not None:
        _narrow(field, base, match["narrow"].strip())
    if base in TYPES:
        field.type = base
    else:
        field.type, field.record = "record", base


def _narrow(field, base, text):
    limits = _RANGE.fullmatch(text)
    if base in _RANGED and limits and (limits[1] or limits[2]):
        try:
            number = int if base == "int" else float
            field.min = number(limits[1]) if limits[1] else -inf
            field.max = number(limits[2]) if limits[2] else inf
        except ValueError:
            raise Wrong(f"{field.name}: {text} is not a range of {base}") from None
        if field.min > field.max:
            raise Wrong(f"{field.name}: the range {text} is empty")
    elif base == "text" and not limits:
        field.choices = [choice.strip() for choice in text.split("|")]
        if not all(field.choices) or len(set(field.choices)) < len(field.choices):
            raise Wrong(f"{field.name}: ({text}) has an empty or a repeated choice")
    else:
        raise Wrong(f"{field.name}: {base} cannot be narrowed by ({text})")


def _secret(field, rest):
    """Read `secret`; return what follows."""
    word, _, after = rest.partition(" ")
    field.secret = word == "secret"
    return after.lstrip() if field.secret else rest


def _param_words(field, rest):
    """Read `optional` and `= default`; return the documentation."""
    word, _, after = rest.partition(" ")
    if word == "optional":
        field.optional, rest = True, after.lstrip()
    if rest.startswith("="):
        field.default, rest = _default(field, rest[1:].lstrip())
        if field.optional or rest.split(" ", 1)[0] == "optional":
            raise Wrong(f"{field.name}: optional and a default exclude each other")
    return rest


def _result_words(field, rest):
    """Read `changed`; return the documentation."""
    if rest.startswith("="):
        raise Wrong(f"{field.name}: a result has no default")
    match = _CHANGED.match(rest)
    if not match:
        return rest
    field.changed = -1
    if field.type != "int" or field.nullable or field.list:
        raise Wrong(f"{field.name}: changed is a number: its type is int")
    if match[1] and not 1 <= int(match[1]) <= 127:
        raise Wrong(f"{field.name}: changed {match[1]}: statements are numbered from 1 to 127")
    if match[1]:
        field.changed = int(match[1])
    return rest[match.end():]


def _default(field, text):
    """The default at the start of the text, and the text after it."""
    word, _, after = text.partition(" ")
    if (field.type, word) in (("time", "now"), ("uuid", "new"), ("text", "new")) and not field.list:
        return word, after.lstrip()
    try:
        value, end = _decoder.raw_decode(text)
        if text[end:end + 1].strip():
            raise ValueError
    except (ValueError, RecursionError):
        raise Wrong(f"{field.name}: the default {word} is not JSON") from None
    written = text[:end]
    if value is None:
        if not field.nullable:
            raise Wrong(f"{field.name}: the default is null, but the type has no ?")
    elif field.list:
        if not isinstance(value, list):
            raise Wrong(f"{field.name}: the default {written} is not a list")
        for item in value:
            _value(field, item, json.dumps(item, ensure_ascii=False))
    else:
        _value(field, value, written)
    return written, text[end:].lstrip()


def _reject(word):
    raise ValueError(word)  # NaN and Infinity are Python's, not JSON's


_decoder = json.JSONDecoder(parse_constant=_reject)


def _value(field, value, written):
    """Check one value of a default against the type."""
    if not _IS[field.type](value):
        kind = "an object" if field.type == "record" else f"of type {field.type}"
        raise Wrong(f"{field.name}: the default {written} is not {kind}")
    if field.choices and value not in field.choices:
        raise Wrong(f"{field.name}: the default {written} is not one of {'|'.join(field.choices)}")
    if _is_number(value) and not field.min <= value <= field.max:
        raise Wrong(f"{field.name}: the default {written} is outside the range")


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_int(value):
    return isinstance(value, int) and _is_number(value) and -2**63 <= value < 2**63


def _is_text(value):
    return isinstance(value, str)


def _is_jsontext(value):
    if not isinstance(value, str):
        return isinstance(value, (list, dict))
    try:
        _decoder.decode(value)
        return True
    except ValueError:
        return False


def _is_time(value):
    if not isinstance(value, str):
        return _is_number(value)
    try:
        datetime.fromisoformat(value)
        return True
    except ValueError:
        return False


def _is_date(value):
    return isinstance(value, str) and bool(_DATE.fullmatch(value)) and _is_time(value)


def _is_duration(value):
    if isinstance(value, str):
        return bool(_DURATION.fullmatch(value))
    return _is_number(value) and value >= 0


def _is_blob(value):
    try:
        return isinstance(value, str) and base64.b64decode(value, validate=True) is not None
    except ValueError:
        return False


_IS = {
    "text": _is_text,
    "int": _is_int,
    "real": _is_number,
    "bool": lambda value: isinstance(value, bool),
    "json": lambda value: True,
    "jsontext": _is_jsontext,
    "time": _is_time,
    "date": _is_date,
    "uuid": lambda value: _is_text(value) and bool(_UUID.fullmatch(value)),
    "duration": _is_duration,
    "query": _is_text,
    "cron": _is_text,
    "timezone": _is_text,
    "vector": lambda value: isinstance(value, list) and all(map(_is_number, value)),
    "blob": _is_blob,
    "record": lambda value: isinstance(value, dict),
}
