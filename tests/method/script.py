"""The text format of method tests: cases, calls, and what is expected of each.

    # a comment
    == a title begins a case, which starts from an empty home
    telemetry.create_session  {"now":1}  -> {"session_id":$s}
    telemetry.update_heartbeat  {"session_id":$s,"when":2}  -> !INVALID has no argument when
    [sqlite] telemetry.checkpoint_wal  {}  -> {"busy":false,...}

A line that ends in a backslash goes on in the next.  $name stands for the value it met first, in
what is expected and, from then on, in arguments; * is any value.  An object has exactly the members
that are written, and an array the items, unless it ends in `...`.  Numbers are compared by value.
`!STATUS text` expects that failure, with the text in its message.  [sqlite] or [postgres] before a
call: on that engine only.
"""

import hashlib
import json
import os
import re
from dataclasses import dataclass, field

# Names that every case knows.
KNOWN = {"vectors": os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sample", "vectors.txt")}



def known(home):
    """The names of a case with that home: also another place for stores, and a word that no other case has."""
    return {**KNOWN, "home": home, "elsewhere": f"{home}-elsewhere", "unique": "u" + hashlib.sha256(home.encode()).hexdigest()[:16]}


TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|\$[A-Za-z_]\w*|\.\.\.|'
                   r'true|false|null|[][{},:*])')
CALL = re.compile(r"(?:\[(sqlite|postgres)\]\s*)?([\w.]+)\s+(.*)", re.DOTALL)
IN_ARGS = re.compile(r'"(?:[^"\\]|\\.)*"|\$([A-Za-z_]\w*)')
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
FAILURE = re.compile(r"!([A-Z]+)\s*(.*)")


class BadScript(Exception):
    """The text itself is wrong."""


class Mismatch(Exception):
    """A reply is not what was expected."""


# ---- What is expected ------------------------------------------------------------------------

@dataclass
class Failure:
    status: str
    text: str


@dataclass
class Name:
    name: str


@dataclass
class Object:
    members: dict
    open: bool = False


@dataclass
class Array:
    items: list
    open: bool = False


ANY = object()


class _Reader:
    """Reads JSON with names, stars and dots."""

    def __init__(self, text):
        self.tokens = []
        at = 0
        while text[at:].strip():
            token = TOKEN.match(text, at)
            if not token:
                raise BadScript(f"cannot be read: {text[at:at + 40].strip()}")
            self.tokens.append(token[1])
            at = token.end()

    def peek(self):
        return self.tokens[0] if self.tokens else ""

    def take(self, wanted=None):
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise BadScript(f"{wanted or 'a value'} is missing before {' '.join(self.tokens[:8]) or 'the end'}")
        return self.tokens.pop(0)

    def value(self):
        token = self.take()
        if token == "{":
            return self._sequence(Object({}), "}", self._member)
        if token == "[":
            return self._sequence(Array([]), "]", lambda array: array.items.append(self.value()))
        if token == "*":
            return ANY
        if token.startswith("$"):
            return Name(token[1:])
        if token in ("}", "]", ",", ":", "..."):
            raise BadScript(f"a value is missing before {token}")
        return json.loads(token)

    def _member(self, target):
        key = self.take()
        if not key.startswith('"'):
            raise BadScript(f"a name in quotes is missing before {key}")
        self.take(":")
        target.members[json.loads(key)] = self.value()

    def _sequence(self, target, end, read_one):
        while self.peek() != end:
            if self.peek() == "...":
                self.take()
                target.open = True
                break
            read_one(target)
            if self.peek() != end:
                self.take(",")
        self.take(end)
        return target


def read_expectation(text):
    failure = FAILURE.fullmatch(text.strip())
    if failure:
        return Failure(failure[1], failure[2])
    reader = _Reader(text)
    value = reader.value()
    if reader.tokens:
        raise BadScript(f"something follows what is expected: {' '.join(reader.tokens[:8])}")
    return value


def _kind(value):
    """1 and 1.0 are of one kind, 1 and true are not."""
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__


def _same(a, b):
    if _kind(a) != _kind(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(_same, a, b))
    return a == b


def match(expected, found, names, at="the reply"):
    """Compare; names that are met for the first time are added.  Raises Mismatch."""
    def show(value):
        text = json.dumps(value, ensure_ascii=False)
        return text if len(text) < 400 else text[:400] + "…"

    if expected is ANY:
        return
    if isinstance(expected, Name):
        if not _same(names.setdefault(expected.name, found), found):
            raise Mismatch(f"{at} is {show(found)}, and ${expected.name} was {show(names[expected.name])}")
    elif isinstance(expected, Object):
        if not isinstance(found, dict):
            raise Mismatch(f"{at} is {show(found)}, not an object")
        for key, value in expected.members.items():
            if key not in found:
                raise Mismatch(f"{at} has no {key}: {show(found)}")
            match(value, found[key], names, f"{at}.{key}")
        extra = found.keys() - expected.members.keys()
        if extra and not expected.open:
            raise Mismatch(f"{at} also has {', '.join(sorted(extra))}")
    elif isinstance(expected, Array):
        if not isinstance(found, list):
            raise Mismatch(f"{at} is {show(found)}, not an array")
        if len(found) < len(expected.items) or (len(found) > len(expected.items) and not expected.open):
            raise Mismatch(f"{at} has {len(found)} items instead of {len(expected.items)}: {show(found)}")
        for number, value in enumerate(expected.items):
            match(value, found[number], names, f"{at}[{number}]")
    elif not _same(expected, found):
        raise Mismatch(f"{at} is {show(found)} instead of {show(expected)}")


# ---- Cases -----------------------------------------------------------------------------------

@dataclass
class Call:
    where: str       # file:line
    engine: str      # "" on both
    method: str
    args: str        # as written
    expected: object

    def args_with(self, names):
        """The arguments with every $name replaced."""
        def replace(found):
            if not found[1]:
                return found[0]
            if found[1] not in names:
                raise BadScript(f"{self.where}: ${found[1]} has no value yet")
            return json.dumps(names[found[1]], ensure_ascii=False)
        return IN_ARGS.sub(replace, self.args)


@dataclass
class Case:
    where: str
    title: str
    calls: list = field(default_factory=list)

    def calls_on(self, engine):
        return [call for call in self.calls if call.engine in ("", engine)]

    def stores_of(self, stores):
        """Those of the stores that the case can touch: a store's method knows no other, the library's own ask all."""
        named = {call.method.split(".")[0] for call in self.calls}
        return [store for store in stores if store in named] if named.issubset(stores) else list(stores)


def _split_arrow(text):
    """The two sides of the first arrow that is not inside a string, else of the last one."""
    blank = STRING.sub(lambda found: " " * len(found[0]), text)
    at = blank.find("->")
    if at < 0:
        at = text.rfind("->")
    if at < 0:
        raise BadScript("there is no ->")
    return text[:at].strip(), text[at + 2:].strip()


def _read_call(where, text):
    left, right = _split_arrow(text)
    call = CALL.fullmatch(left)
    if not call:
        raise BadScript("METHOD ARGUMENTS -> EXPECTED is wanted")
    return Call(where, call[1] or "", call[2], call[3], read_expectation(right))


def _logical_lines(text):
    """(number, text) of each line, continued ones joined."""
    start, whole = 0, ""
    for number, line in enumerate(text.splitlines(), start=1):
        start = start or number
        if line.endswith("\\"):
            whole += line[:-1]
            continue
        yield start, whole + line
        start, whole = 0, ""
    if start:
        raise BadScript(f"line {start}: the last line ends in a backslash")


def read(path, text=None):
    """The cases of a file."""
    cases = []
    if text is None:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    for number, line in _logical_lines(text):
        where = f"{path}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("=="):
            cases.append(Case(where, line[2:].strip()))
            continue
        if not cases:
            raise BadScript(f"{where}: a call before the first ==")
        try:
            cases[-1].calls.append(_read_call(where, line))
        except BadScript as error:
            raise BadScript(f"{where}: {error}") from None
    titles = [case.title for case in cases]
    for case in cases:
        if not case.calls:
            raise BadScript(f"{case.where}: {case.title}: has no call")
        if titles.count(case.title) > 1:
            raise BadScript(f"{case.where}: {case.title}: the title is used twice")
    return cases
