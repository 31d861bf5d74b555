#!/usr/bin/env python3
"""Checking a store, listing and pruning its backups, restoring one, and salvaging a damaged file, with the 1st, 2nd, 3rd ... allocation
or file operation failing.

Whatever fails: what was there is there or was put aside whole, and what has the name of a store or of a backup is one.
Prints TAP: one line per scene and kind of fault.
"""

import contextlib
import json
import os
import shutil
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from fault.faults import Failed, show  # noqa: E402
from fault.lifecycle import CREATE, Stage, main  # noqa: E402

SESSIONS = 400  # so many that they need several pages
PAGE = 4096
AGES = "2026-03-12T10-00-00Z", "2026-03-11T10-00-00Z", "2026-03-10T10-00-00Z"


class Rescue(Stage):
    """The stage, with a home that has backups, and one whose store is damaged."""

    def prepare(self):
        super().prepare()
        self.kept = self.homes.copy(self.used)
        self.open(self.kept)
        [made] = self.player.must("call", "stele.backup", '{"store":"telemetry"}')
        self.player.must(*CREATE)  # and is not in the backup
        self.player.close()
        for age in AGES:
            for end in ("", ".json"):
                shutil.copy(made["path"] + end, os.path.join(self.backups(self.kept), f"telemetry-{age}.db{end}"))
        for end in ("", ".json"):
            os.remove(made["path"] + end)
        self.damaged = self.homes.copy(self.used)
        self.open(self.damaged)
        self.player.must("begin", "telemetry")
        for _ in range(SESSIONS - 1):
            self.player.must(*CREATE)
        self.player.must("commit")
        self.player.close()
        with contextlib.closing(sqlite3.connect(store(self.damaged))) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            [self.root] = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'sessions'").fetchone()

    def backups(self, place):
        return os.path.join(place["home"], "backups")

    def play(self, place, n, *requests):
        """Open a place and ask this under a fault, each thing after the other: (what came of it, [(answer, did it fail?)])."""
        self.open(place)
        with self.player.under(self.kind, n) as attempt:
            answers = [self.ask("call", method, json.dumps(args)) for method, args in requests]
        self.player.close()
        return attempt, [(answer, self.refused(attempt, answer)) for answer in answers]


def store(place):
    return os.path.join(place["home"], "telemetry.db")


def count(path):
    """The sessions of a file that has to be whole."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        if db.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            raise Failed(f"{path} is damaged")
        return db.execute("SELECT count(*) FROM sessions").fetchone()[0]


def a_store_is_checked(stage, n):
    place = stage.homes.copy(stage.used)
    attempt, [(answer, failed)] = stage.play(place, n, ("stele.check", {"stores": ["telemetry"]}))
    if not failed and not attempt.fired and any(line["state"] == "fail" for line in answer[1]):
        raise Failed(f"{attempt}: a store that is well is told as damaged: {show(answer[1])}")
    stage.holds(attempt, place, 1)
    return attempt


def backups_are_listed(stage, n):
    """None is told as verified that was not, and none is left out."""
    place = stage.homes.copy(stage.kept)
    attempt, [(answer, failed)] = stage.play(place, n, ("stele.list_backups", {"full": True}))
    if not failed and (len(answer[1]) != len(AGES) or not attempt.fired and any(row["state"] != "verified" for row in answer[1])):
        raise Failed(f"{attempt}: {show(answer[1])}")
    stage.holds(attempt, place, 2)
    return attempt


def old_backups_are_deleted(stage, n):
    """The newest stays, and is told."""
    place = stage.homes.copy(stage.kept)
    attempt, [(answer, failed)] = stage.play(place, n, ("stele.prune_backups", {"hourly": 0, "daily": 0, "weekly": 0}))
    left = [age for age in AGES if os.path.exists(os.path.join(stage.backups(place), f"telemetry-{age}.db"))]
    if AGES[0] not in left or (not failed and len(left) != sum(row["kept"] is not None for row in answer[1])):
        raise Failed(f"{attempt}: {left} are left: {show(answer[1])}")
    count(os.path.join(stage.backups(place), f"telemetry-{AGES[0]}.db"))
    stage.holds(attempt, place, 2)
    return attempt


def restored(stage, n, place, before, **args):
    """A store is the backup or, if that failed, may be what it was; what it was is then beside it."""
    attempt, [(answer, failed)] = stage.play(place, n, ("stele.restore", {"source": stage.backups(stage.kept), **args}))
    there = os.path.exists(store(place))
    found = count(store(place)) if there else None
    if found != 1 and not (failed and found == before):
        raise Failed(f"{attempt}: {found} sessions are there: {show(answer[1])}")
    aside = [name for name in os.listdir(place["home"]) if ".replaced-" in name and not name.endswith(("-wal", "-shm", "-journal"))]
    if found == 1 and before is not None and [count(os.path.join(place["home"], name)) for name in aside] != [before]:
        raise Failed(f"{attempt}: what was there is not beside it: {aside}")
    stage.holds(attempt, place, found or 0)
    return attempt


def a_backup_becomes_a_store(stage, n):
    return restored(stage, n, stage.homes.copy(stage.kept, "telemetry.*", "backups"), None)


def a_backup_takes_the_place_of_a_store(stage, n):
    return restored(stage, n, stage.homes.copy(stage.kept, "backups"), 2, replace=True)


def a_backup_takes_the_place_of_what_a_killed_process_left(stage, n):
    place = stage.homes.copy(stage.crashed)
    stage.open(place)
    stage.player.must(*CREATE)  # in the log
    crashed = stage.homes.copy(place)
    stage.player.close()
    stage.homes.forget(place)
    return restored(stage, n, crashed, 2, replace=True)


def salvaged(stage, n, page):
    """All rows are in the new file, or there is none; the damaged one is not touched."""
    place = stage.homes.copy(stage.damaged)
    with open(store(place), "r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(b"\xA5" * PAGE)
    with open(store(place), "rb") as file:
        damaged = file.read()
    made = os.path.join(place["home"], "made")
    attempt, [(answer, failed)] = stage.play(place, n, ("stele.salvage", {"store": "telemetry", "to": made}))
    there = os.path.exists(made)
    if there == failed and not (failed and "the reply does not fit" in answer[1]["message"]):  # done, and cannot be told
        raise Failed(f"{attempt}: {'failed' if failed else 'succeeded'}, and the new file is {'' if there else 'not '}there: {show(answer[1])}")
    if there and count(made) != SESSIONS:
        raise Failed(f"{attempt}: {count(made)} of {SESSIONS} rows are in the new file: {show(answer[1])}")
    with open(store(place), "rb") as file:
        if file.read() != damaged:
            raise Failed(f"{attempt}: the damaged file was touched")
    stage.homes.forget(place)
    return attempt


def a_table_without_its_root_is_salvaged(stage, n):
    return salvaged(stage, n, stage.root)


def a_file_without_its_schema_is_salvaged(stage, n):
    return salvaged(stage, n, 1)


SCENES = [a_store_is_checked, backups_are_listed, old_backups_are_deleted, a_backup_becomes_a_store, a_backup_takes_the_place_of_a_store,
          a_backup_takes_the_place_of_what_a_killed_process_left, a_table_without_its_root_is_salvaged, a_file_without_its_schema_is_salvaged]

if __name__ == "__main__":
    sys.exit(main(SCENES, Rescue))
