"""What is wrong with the files, all of it told at once; and which files were read."""

import difflib
from typing import NamedTuple


class Place(NamedTuple):
    path: str
    line: int


class Problems:
    """Collected mistakes.  The same mistake, found once per engine, is told once."""

    LIMIT = 20  # more are counted only

    def __init__(self):
        self._found = set()

    def add(self, place, subject, text):
        """subject: the store or store.method at fault, or "" when none is known."""
        self._found.add((place, f"{subject}: {text}" if subject else text))

    def __bool__(self):
        return bool(self._found)

    def lines(self):
        found = [f"{place.path}:{place.line}: {text}" for place, text in sorted(self._found)]
        more = len(found) - self.LIMIT
        return found[:self.LIMIT] + ([f"and {more} more"] if more > 0 else [])


class Sources:
    """Reads files and remembers them, for the depfile."""

    def __init__(self, problems):
        self.read = []
        self._problems = problems

    def text(self, path):
        """The text of a file; "" and a problem when it cannot be read."""
        self.read.append(path)
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8"
            self._problems.add(Place(str(path), 1), "", f"cannot be read: {reason}")
            return ""

    def files(self, directory, pattern):
        """The files of a directory, sorted.  A file added to it later makes the output old too."""
        self.read.append(directory)
        return sorted(path for path in directory.glob(pattern) if path.is_file())

    def directories(self, directory):
        self.read.append(directory)
        return sorted(path for path in directory.iterdir() if path.is_dir())


def did_you_mean(word, candidates):
    near = difflib.get_close_matches(word, list(candidates), n=1)
    return f"; did you mean {near[0]}?" if near else ""
