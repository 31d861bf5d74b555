#!/usr/bin/env python3
"""The process is killed before every single statement of a migration, and after the last: the next one finds a file
that is whole, of the version before or of the present one, and brings it to the same end.  Prints TAP."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from capture_store import dying, versions  # noqa: E402
from method import doors  # noqa: E402
from place import Place, main, same, test  # noqa: E402

METHOD = ("capture.list_source_health", "{}")


def rest(path):
    """What a migration must come to, but for the moments at which it ran."""
    tables = {name: [column for column in columns if column not in ("quarantined_at", "updated_at")]
              for name, columns in versions.columns(path).items()}
    return versions.shape(path), versions.rows(path, tables)


def killed_everywhere(version):
    with Place() as place:
        os.makedirs(place.home)
        versions.make(place.at("old.db"), version)
        with versions.opened(place.at("old.db")) as db:
            versions.orphan(db)
        with open(place.at("old.db"), "rb") as file:
            old = file.read()
        wanted = None
        with doors.Player() as player:
            for n, path in dying.each_death(place.home, "capture.db", old, *METHOD):
                player.open({"home": place.home})
                player.must("call", *METHOD)
                player.close()
                found = rest(path)
                wanted = wanted or found
                same(found, wanted)
        return n


for version in (1, 12):
    @test(f"killed before every statement on the way from version {version}")
    def _(version=version):
        statements = killed_everywhere(version)
        print(f"# {statements} statements")
        same(statements > 100, True)


if __name__ == "__main__":
    sys.exit(main())
