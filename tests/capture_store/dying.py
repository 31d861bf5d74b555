"""A process that is killed before each of its statements; where a sanitizer watches, and a process takes long to start, before some."""

import os

from method import doors
from place import same

STEP = 7 if os.environ.get("STELE_TEST_SANITIZED") == "1" else 1


def dies(home, n, *call):
    """Call a method and die before the n-th statement; whether it came to that."""
    with doors.Player() as player:
        player.open({"home": home})
        player.must("fault", "statement", str(n))
        try:
            player.must("call", *call)
        except doors.Broken:
            same(player.process.wait(), -9)
            player.process.returncode = 0  # as it was meant
            return True
        return False


def each_death(home, name, content, *call):
    """Killed before the first statement, the second, ... until it comes to its end: (the statement's number, the file as it was left)."""
    path, n, died = os.path.join(home, name), 1, True
    while died:
        for each in os.listdir(home):
            os.remove(os.path.join(home, each))
        with open(path, "wb") as file:
            file.write(content)
        died = dies(home, n, *call)
        yield n, path
        n += STEP
