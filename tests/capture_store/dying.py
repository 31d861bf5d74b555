"""A process that is killed before each of its statements."""

import os

from method import doors
from place import same


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
    """Killed before the first statement, the second, ... until it comes to its end: the file, once for each, as it was left."""
    path, n, died = os.path.join(home, name), 0, True
    while died:
        for each in os.listdir(home):
            os.remove(os.path.join(home, each))
        with open(path, "wb") as file:
            file.write(content)
        n += 1
        died = dies(home, n, *call)
        yield path
