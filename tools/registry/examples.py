"""Calls to show in the manual: taken from the method tests, so that they are known to work."""

import re

_LONGEST = 300  # characters; a longer one explains nothing
_CALL = re.compile(r"([a-z]+\.\w+)\s+(\{.*\})\s+->\s+([^!\s].*)")
_STRING_OR_OPEN = re.compile(r'"(?:[^"\\]|\\.)*"|\$\w+|\*|\.\.\.')


def load(directory):
    """(examples, files read): for each method the arguments and the reply of a short call that works."""
    best, files = {}, sorted(directory.glob("*.txt"))
    for path in files:
        for line in path.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
            found = _CALL.fullmatch(line)
            if not found or len(line) > _LONGEST or _uses_names(found[2]):
                continue
            example = found[2], _closed(found[3])
            if found[1] not in best or _worth(example) > _worth(best[found[1]]):
                best[found[1]] = example
    return best, files


def _uses_names(arguments):
    return any(piece[0] != '"' for piece in _STRING_OR_OPEN.findall(arguments))


def _closed(reply):
    """What differs from time to time, or is left out, becomes an ellipsis."""
    text = _STRING_OR_OPEN.sub(lambda found: found[0] if found[0][0] == '"' else "…", reply)
    return re.sub(r"\s*\n\s*|\s{2,}", " ", text)


def _worth(example):
    """A reply that says something, then arguments that do; of these the first in the file."""
    arguments, reply = example
    return (reply not in ("null", "[]", "{}", "[…]"), "…" not in reply, len(arguments) > 2)
