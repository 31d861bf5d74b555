#!/usr/bin/env python3
"""The process is killed before every single statement of a migration, and after the last: the next one finds a file
that is whole, of the version before or of the present one, and brings it to the same end.  Prints TAP."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli"), os.path.join(os.path.dirname(HERE), "method")]
import doors  # noqa: E402
from capture_store import versions  # noqa: E402
from place import Place, main, same, test  # noqa: E402

METHOD = ("call", "capture.list_source_health", "{}")


def rest(path):
    """What a migration must come to, but for the moments at which it ran."""
    tables = {name: [column for column in columns if column not in ("quarantined_at", "updated_at")]
              for name, columns in versions.columns(path).items()}
    return versions.shape(path), versions.rows(path, tables)


def run(home, n):
    """Open the store and die before the n-th statement; whether it came to that."""
    with doors.Player() as player:
        player.open({"home": home})
        player.must("fault", "statement", str(n))
        try:
            player.must(*METHOD)
        except doors.Broken:
            same(player.process.wait(), -9)
            player.process.returncode = 0  # as it was meant
            return True
        return False


def killed_everywhere(version):
    with Place() as place:
        path = place.at("home", "capture.db")
        os.makedirs(place.home)
        versions.make(place.at("old.db"), version)
        with versions.opened(place.at("old.db")) as db:
            versions.orphan(db)
        with open(place.at("old.db"), "rb") as file:
            old = file.read()
        wanted, n, died = None, 0, True
        while died:
            for name in os.listdir(place.home):
                os.remove(os.path.join(place.home, name))
            with open(path, "wb") as file:
                file.write(old)
            died = run(place.home, n + 1)
            with doors.Player() as player:
                player.open({"home": place.home})
                player.must(*METHOD)
            found = rest(path)
            wanted = wanted or found
            same(found, wanted)
            n += 1
        return n


for version in (1, 12):
    @test(f"killed before every statement on the way from version {version}")
    def _(version=version):
        statements = killed_everywhere(version)
        print(f"# {statements} statements")
        same(statements > 100, True)


if __name__ == "__main__":
    sys.exit(main())
