#!/usr/bin/env python3
"""stele backup and restore: a backup is what the store was at one moment, or it is not there; a restore deletes nothing.  Prints TAP.

Processes are killed on the way; STELE_SOAK (make soak) makes these so many times as many."""

import fcntl
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from method import doors  # noqa: E402
from place import BIN, F_OFD_SETLK, Database, Place, digest, has, main, postgres_test, same, test  # noqa: E402

ROUNDS = 12 * int(os.environ.get("STELE_SOAK", "1"))
WRITERS = 8


def say(place, text, *words):
    place.call("conversation.create_session", {"session_id": "s", "source": "cli"}, *words)
    return place.call("conversation.append_message", {"session_id": "s", "role": "user", "content": text}, *words).reply()["id"]


def fill(place, rows, size=2000):
    """A store of some megabytes, so that copying it takes a while."""
    say(place, "first")
    with doors.Player() as player:
        player.open({"home": place.home})
        player.must("begin", "conversation")
        for n in range(rows):
            player.must("call", "conversation.append_message", json.dumps({"session_id": "s", "role": "user", "content": f"{n} " + "x" * size}))
        player.must("commit")
        player.close()


def texts(path):
    """What a file holds, read as SQLite reads it."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        same(db.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        return [row[0] for row in db.execute("SELECT content FROM messages ORDER BY id")]
    finally:
        db.close()


def store(place, home=None):
    return os.path.join(home or place.home, "conversation.db")


def backups(place):
    return os.path.join(place.home, "backups")


def backup(place, *words):
    [row] = place.run("backup", "conversation", "--json", *words).reply()
    return row["path"]


def listed(place, *words):
    return [(row["store"], row["state"], row["path"]) for row in place.run("backup", "--list", "--json", *words).reply()]


# ---- A backup ----------------------------------------------------------------------------------


@test("a backup tells what it holds, is listed, and becomes a store in a new home")
def _():
    with Place() as place:
        same(listed(place), [])
        say(place, "kept")
        [row] = place.run("backup", "--json").reply()
        same((row["store"], row["bytes"], row["sha256"]), ("conversation", os.path.getsize(row["path"]), digest(row["path"])))
        with open(row["path"] + ".json", encoding="utf-8") as file:
            about = json.load(file)
        same((about["store"], about["version"], about["bytes"], about["sha256"]), ("conversation", row["version"], row["bytes"], row["sha256"]))
        counts = {table["name"]: table["rows"] for table in about["tables"]}
        same((counts["messages"], counts["sessions"], sum(counts.values()), len(counts)), (1, 1, row["rows"], row["tables"]))
        say(place, "later")
        same(listed(place), [("conversation", "verified", row["path"])])
        same(listed(place, "--full"), [("conversation", "verified", row["path"])])
        new = place.at("new")
        [restored] = place.run("--home", new, "restore", "--from", backups(place), "--json").reply()
        same((restored["location"], restored["rows"], restored["replaced"]), (store(place, new), row["rows"], None))
        same(sorted(os.listdir(new)), ["conversation.db"])
        same(texts(store(place, new)), ["kept"])
        same(place.run("--home", new, "doctor", "conversation").status, 0)
        say(place, "goes on", "--home", new)
        same(sorted(os.listdir(backups(place))), sorted(os.path.basename(row["path"]) + end for end in ("", ".json")))


@test("the newest before a time, or the one that is named")
def _():
    with Place() as place:
        copies = []
        for n in range(3):
            say(place, str(n))
            copies.append(backup(place))
        same([path for _, _, path in listed(place)], copies[::-1])  # of one second, perhaps
        same(listed(place, "--until", "2020-01-01"), [])
        place.run("--home", place.at("one"), "restore", "--from", copies[1], "--json").reply()
        same(texts(store(place, place.at("one"))), ["0", "1"])
        shutil.copy(copies[0], place.at("plain.db"))  # without its manifest, and under another name
        [row] = place.run("--home", place.at("two"), "restore", "conversation", "--from", place.at("plain.db"), "--json").reply()
        same((row["rows"], row["made_at"], texts(store(place, place.at("two")))), (None, None, ["0"]))
        place.run("--home", place.at("three"), "restore", "--from", place.at("plain.db"), "--json").error(2, "INVALID", field="store")
        error = place.run("--home", place.at("three"), "restore", "--from", backups(place), "--until", "2020-01-01", "--json").error(1, "NOTFOUND")
        has(error["hint"], "stele backup --list")
        same(os.path.exists(place.at("three")), False)


class Writer(threading.Thread):
    """A process that appends messages, and what it was told of them."""

    def __init__(self, place, number, enough):
        super().__init__()
        self.place, self.number, self.enough = place, number, enough
        self.acknowledged, self.failure = [], None

    def run(self):
        try:
            with doors.Player() as player:
                player.open({"home": self.place.home})
                while not self.enough.is_set():
                    text = f"{self.number}:{len(self.acknowledged)}"
                    player.must("call", "conversation.append_message", json.dumps({"session_id": "s", "role": "user", "content": text}))
                    self.acknowledged.append(text)
                player.close()
        except Exception as problem:  # pylint: disable=broad-except
            self.failure = problem


@test(f"under {WRITERS} writers a backup holds all that was acknowledged before it, and of each writer the first so many")
def _():
    with Place() as place:
        fill(place, 300)
        enough = threading.Event()
        writers = [Writer(place, number, enough) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        try:
            seen = []
            for _ in range(3):
                while not all(writer.failure or len(writer.acknowledged) > len(seen) for writer in writers):
                    writers[0].join(0.01)
                before = [len(writer.acknowledged) for writer in writers]
                seen.append((before, backup(place)))
        finally:
            enough.set()
            for writer in writers:
                writer.join()
        same([writer.failure for writer in writers], [None] * WRITERS)
        for before, path in seen:
            found = texts(path)
            for writer in writers:
                own = [text for text in found if text.startswith(f"{writer.number}:")]
                same(own, writer.acknowledged[:len(own)])
                same(len(own) >= before[writer.number], True)
        same([state for _, state, _ in listed(place, "--full")], ["verified"] * 3)


@test("a backup that changed is told, and is not restored")
def _():
    with Place() as place:
        say(place, "kept")
        path = backup(place)
        with open(path, "r+b") as file:
            file.seek(os.path.getsize(path) - 100)
            file.write(b"?")
        same(listed(place), [("conversation", "verified", path)])  # its size is what it was
        same(listed(place, "--full"), [("conversation", "changed", path)])
        before = place.listing()
        has(place.run("restore", "--replace", "--json").error(1, "CORRUPT")["message"], "not what it was when it was made")
        place.run("--home", place.at("new"), "restore", "--from", path, "--json").error(1, "CORRUPT")
        same(os.listdir(place.at("new")), [])
        os.rmdir(place.at("new"))
        same(place.listing(), before)
        with open(path, "ab") as file:
            file.write(b"more")
        same(listed(place), [("conversation", "changed", path)])


# ---- A restore in place ------------------------------------------------------------------------


@test("what is there is kept, unless it is to be replaced, and then it is put aside whole")
def _():
    with Place() as place:
        say(place, "kept")
        backup(place)
        say(place, "later")
        before = place.listing()
        error = place.run("restore", "--json").error(1, "CONFLICT")
        has(error["hint"], "--replace")
        same(place.run("restore", "--replace", "--dry-run").status, 0)
        same({path: what for path, what in place.listing().items() if not path.endswith("-shm")},
             {path: what for path, what in before.items() if not path.endswith("-shm")})
        [row] = json.loads(place.run("restore", "--replace", "--json").out)
        has(row["replaced"], store(place) + ".replaced-")
        same((texts(store(place)), texts(row["replaced"])), (["kept"], ["kept", "later"]))
        same(place.call("conversation.search_messages", {"query": "later"}).reply(), [])  # the index of before is none of this one
        same(len(place.call("conversation.search_messages", {"query": "kept"}).reply()), 1)


def leave_log(place):
    """Write, and be killed: what was written stays in the log."""
    with doors.Player() as player:
        player.open({"home": place.home})
        player.must("call", "conversation.append_message", json.dumps({"session_id": "s", "role": "user", "content": "in the log"}))
        player.process.kill()
        player.process.wait()
        player.process.wait = lambda: 0  # it has been waited for


@test("a log that could not be settled is put aside with its store")
def _():
    with Place() as place:
        say(place, "kept")
        backup(place)
        leave_log(place)
        same(os.path.getsize(store(place) + "-wal") > 0, True)
        with open(store(place), "r+b") as file:  # damaged: it is not to be touched
            file.seek(4096 * 3)
            file.write(b"\xA5" * 4096)
        was, log = digest(store(place)), digest(store(place) + "-wal")
        [row] = json.loads(place.run("restore", "--replace", "--json").out)
        same((digest(row["replaced"]), digest(row["replaced"] + "-wal")), (was, log))
        same((os.path.exists(store(place) + "-wal"), texts(store(place))), (False, ["kept"]))


@test("a log whose store is gone is not read into the one that comes")
def _():
    with Place() as place:
        say(place, "kept")
        backup(place)
        leave_log(place)
        log = digest(store(place) + "-wal")
        os.remove(store(place))
        [row] = json.loads(place.run("restore", "--json").out)
        same((digest(row["replaced"] + "-wal"), texts(store(place))), (log, ["kept"]))


@test("a store that anybody has open is refused")
def _():
    with Place() as place:
        say(place, "kept")
        backup(place)
        with doors.Player() as player:
            player.open({"home": place.home})
            player.must("call", "conversation.find_sessions", "{}")
            was = digest(store(place))
            error = place.run("restore", "--replace", "--json").error(1, "BUSY")
            has(error["message"], "is open in process")
            has(error["hint"], "stop what uses it")
            same((digest(store(place)), [name for name in os.listdir(place.home) if "re" in name.split(".")[-1]]), (was, []))
            # The handle that is asked lets go of the store by itself.
            [row] = player.must("call", "stele.restore", '{"replace":true}')
            same(row["store"], "conversation")
            same(len(player.must("call", "conversation.find_sessions", "{}")), 1)
            player.close()


@test("what is no backup of the store is refused, and nothing is left")
def _():
    with Place() as place:
        say(place, "kept")
        place.call("telemetry.create_session").reply()
        path = backup(place)
        home = place.at("new")
        with open(place.at("text.db"), "w", encoding="utf-8") as file:
            file.write("hello\n" * 100)
        for words, code in ((["telemetry", "--from", path], "FORMAT"), (["telemetry", "--from", place.at("text.db")], "CORRUPT"),
                            (["conversation", "--from", place.at("none.db")], "NOTFOUND")):
            place.run("--home", home, "restore", *words, "--json").error(1, code)
        shutil.copy(path, place.at("newer.db"))
        for name, sql, words in (("other", "CREATE TABLE schema_version (version INTEGER)", "is no conversation store"),
                                 ("empty", "VACUUM", "is no conversation store"), ("newer", "UPDATE schema_version SET version = 999", "is of version 999")):
            db = sqlite3.connect(place.at(f"{name}.db"), isolation_level=None)
            db.execute(sql)
            db.close()
            has(place.run("--home", home, "restore", "conversation", "--from", place.at(f"{name}.db"), "--json").error(1, "FORMAT")["message"], words)
        same(os.listdir(home), [])


class Copies:
    """A handle on a home with one backup, for what would take too long as a process for each call."""

    def __init__(self, place):
        self.place, self.player = place, doors.Player()

    def __enter__(self):
        self.player.__enter__()
        self.player.open({"home": self.place.home})
        self.player.must("call", "conversation.create_session", '{"session_id":"s","source":"cli"}')
        [row] = self.player.must("call", "stele.backup", "{}")
        self.path, self.rows = row["path"], row["rows"]
        with open(self.path + ".json", encoding="utf-8") as file:
            self.about = json.load(file)
        return self

    def __exit__(self, *failure):
        self.player.close()
        self.player.__exit__(*failure)

    def describe(self, text):
        with open(self.path + ".json", "w", encoding="utf-8") as file:
            file.write(text)

    def refused(self, method, code, words, **args):
        word, reply = self.player.call(method, json.dumps(args))
        same((word, reply["code"]), ("error", code))
        has(reply["message"], words)

    def names(self):
        return [os.path.basename(row["path"]) for row in self.player.must("call", "stele.list_backups", "{}")]


@test("what stands beside a backup and is not what Stele writes there is told, and nothing is restored")
def _():
    with Place() as place, Copies(place) as copies:
        about, [table, *tables] = copies.about, copies.about["tables"]
        texts_of_others = ["", "no JSON", "[]", "7", "{}", " " * (4 << 20)]
        changes = [{"store": 5}, {"store": "x" * 200}, {"store": "a\0b"}, {"sha256": None}, {"sha256": "0" * 65}, {"bytes": "many"}, {"version": 1.5},
                   {"made_at": 5}, {"made_at": "yesterday"}, {"made_at": "x" * 100}, {"tables": None}, {"tables": {}}, {"tables": [5]},
                   *({"tables": [{**table, name: wrong}]} for name, wrong in (("name", 5), ("name", "x" * 400), ("sha256", 5), ("rows", "few"))),
                   *({"tables": [{key: value for key, value in table.items() if key != name}]} for name in table)]
        lacking = [{key: value for key, value in about.items() if key != name} for name in ("store", "version", "made_at", "bytes", "sha256", "tables")]
        for text in [*texts_of_others, *(json.dumps({**about, **change}) for change in changes), *map(json.dumps, lacking)]:
            copies.describe(text)
            same([state["state"] for state in copies.player.must("call", "stele.list_backups", "{}")], ["changed"])
            copies.refused("stele.restore", "FORMAT", "is not what Stele writes", replace=True, dry_run=True)
        # What it says of the tables is not what they are, though the bytes are those that were written.
        for other in ([{**table, "rows": 77}, *tables], [{**table, "sha256": "0" * 64}, *tables], [{**table, "name": "other"}, *tables], tables,
                      [table, *tables[:-1]], [table, *tables, {**table, "name": "zzz"}]):
            copies.describe(json.dumps({**about, "tables": other}))
            copies.refused("stele.restore", "CORRUPT", "is not what was copied", replace=True, dry_run=True)
        copies.describe(json.dumps({**about, "store": "planner"}))
        copies.refused("stele.restore", "FORMAT", "is a backup of planner", replace=True)
        os.remove(copies.path + ".json")
        os.mkdir(copies.path + ".json")
        copies.refused("stele.restore", "IO", "Is a directory", replace=True)
        same([state["state"] for state in copies.player.must("call", "stele.list_backups", "{}")], ["changed"])


@test("only what has the name of a backup is one; one of another name is known by what stands beside it")
def _():
    with Place() as place, Copies(place) as copies:
        own = os.path.basename(copies.path)
        stem = os.path.join(backups(place), "conversation-")
        for name in ("2026-02-30T10-00-00Z", "2026-03-12T10-00-00Z-0", "2026-03-12T10-00-00Z-x", "2026-03-12T10-00-00Z-9999999",
                     "2026-03-12T10-00-00Z+2", "2026-03-12T10-00-00Z-2x", "2026-03-12"):
            shutil.copy(copies.path, f"{stem}{name}.db")
        for name in ("conversations-2026-03-12T10-00-00Z.db", "nobody-2026-03-12T10-00-00Z.db", ".db", "conversation-.db"):
            shutil.copy(copies.path, os.path.join(backups(place), name))
        os.mkdir(f"{stem}2026-03-12T10-00-00Z.db")
        os.symlink("nowhere", f"{stem}2026-03-12T10-00-01Z.db")
        same(copies.names(), [own])
        shutil.copy(copies.path, f"{stem}2020-03-12T10-00-00Z-2.db")
        shutil.copy(copies.path, f"{stem}2020-03-12T10-00-00Z-3.db")
        same(copies.names(), [own, "conversation-2020-03-12T10-00-00Z-3.db", "conversation-2020-03-12T10-00-00Z-2.db"])
        plain = place.at("plain.db")
        for end in ("", ".json"):
            shutil.copy(copies.path + end, plain + end)
        [row] = copies.player.must("call", "stele.restore", json.dumps({"source": plain, "replace": True, "dry_run": True}))
        same((row["store"], row["rows"]), ("conversation", copies.rows))
        with open(plain + ".json", "w", encoding="utf-8") as file:
            json.dump({**copies.about, "store": "nobody"}, file)
        copies.refused("stele.restore", "INVALID", "say of which store", source=plain, replace=True)


@test("where there is no room for a name, no directory, or another at it, that is told, and nothing is left")
def _():
    with Place() as place, Copies(place) as copies:
        before = sorted(os.listdir(place.home))
        text = place.at("text")
        with open(text, "w", encoding="utf-8") as file:
            file.write("hello")
        long = place.at("x" * 200, "y/" * 1450)
        for method, args in (("stele.list_backups", {"source": text + "/x"}), ("stele.prune_backups", {"source": text + "/x"}),
                             ("stele.backup", {"to": text + "/x"})):
            copies.refused(method, "IO", "Not a directory", **args)
        copies.refused("stele.backup", "INVALID", "the path is too long", to=long)
        copies.refused("stele.salvage", "INVALID", "the path is too long", store="conversation", source=copies.path, to=long + "z" * 2000)
        for end in ("-wal", "-journal"):
            with open(copies.path + end, "w", encoding="utf-8") as file:
                file.write("a log")
        copies.refused("stele.restore", "INVALID", "has a log beside it", source=copies.path, replace=True)
        for end in ("-wal", "-journal"):
            os.remove(copies.path + end)
        with open(store(place) + ".restoring", "w+b") as held:
            fcntl.fcntl(held, F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0))
            copies.refused("stele.restore", "BUSY", "is being written by another", replace=True)
        os.remove(store(place) + ".restoring")
        same(sorted(os.listdir(place.home)), before)
        with doors.Player() as player:
            for options in ({"home": ":memory:"}, {"stores": {"conversation": store(place)}}):
                player.open(options)
                word, reply = player.call("stele.list_backups", "{}")
                same((word, reply["message"]), ("error", "stele.list_backups: say where: the handle has no home"))
                player.close()
            player.open({"home": ":memory:"})
            for method, code, args in (("restore", "INVALID", {"source": copies.path}), ("salvage", "UNSUPPORTED", {"store": "conversation"})):
                word, reply = player.call(f"stele.{method}", json.dumps(args))
                same((word, reply["code"]), ("error", code))
            player.close()


# ---- Cut short ---------------------------------------------------------------------------------


@test("what a killed backup left is cleared away by the next, and nothing else")
def _():
    with Place() as place:
        say(place, "kept")
        path = backup(place)
        stem = os.path.join(backups(place), "conversation-2020-01-02T03-04-05Z.db")
        alone, theirs = [stem + ".partial", stem + ".partial-journal", stem + ".json"], []
        for name in ("telemetry-2020-01-02T03-04-05Z.db.partial", "mine.partial", "conversation-notes.db.partial", "conversation.db.json"):
            theirs.append(os.path.join(backups(place), name))
        held = os.path.join(backups(place), "conversation-2020-01-02T03-04-06Z.db.partial")
        for name in [*alone, *theirs, held]:
            with open(name, "w", encoding="utf-8") as file:
                file.write("{}")
        with open(held, "r+b") as file:  # by one that is still at it
            fcntl.fcntl(file, F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0))
            second = backup(place)
        same(sorted(os.listdir(backups(place))),
             sorted(os.path.basename(name) for name in [path, path + ".json", second, second + ".json", held, *theirs]))
        same([one for _, _, one in listed(place)], [second, path])


def interrupted(place, words, seconds):
    """Run the program, and kill it after a while; True: it was done before."""
    process = subprocess.Popen([BIN, *words], env=place.environment({}), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    return process.wait() == 0


@test("killed at any moment, a backup is whole or not there")
def _():
    with Place() as place:
        fill(place, 600)
        wanted, made, chance = texts(store(place)), 0, random.Random(11)
        for _ in range(ROUNDS):
            made += interrupted(place, ["backup", "conversation"], chance.uniform(0.005, 0.12))
            found = listed(place, "--full")
            same({state for _, state, _ in found} <= {"verified"}, True)
            same(len(found) >= made, True)
            for _, _, path in found:
                same(texts(path), wanted)
        backup(place)
        same([name for name in os.listdir(backups(place)) if name.endswith(".partial")], [])


@test("killed at any moment, a restore has replaced the store or not, and what was there is kept")
def _():
    with Place() as place:
        fill(place, 600)
        old = texts(store(place))
        backup(place)
        say(place, "later")
        new, chance = texts(store(place)), random.Random(12)
        for _ in range(ROUNDS):
            interrupted(place, ["restore", "conversation", "--replace"], chance.uniform(0.005, 0.12))
            found = texts(store(place))
            same(found in (old, new), True)
            asides = [name for name in os.listdir(place.home) if ".replaced-" in name and not name.endswith(("-wal", "-shm"))]
            held = [texts(os.path.join(place.home, name)) for name in asides]
            same(found == new or new in held, True)
        place.run("restore", "conversation", "--replace")
        same((texts(store(place)), [name for name in os.listdir(place.home) if "restoring" in name]), (old, []))


@test("a disk that takes no more: a typed error, nothing left, and the store as it was")
def _():
    with Place() as place:
        fill(place, 300)
        path = backup(place)
        was = texts(store(place))
        size, listing = os.path.getsize(path), sorted(os.listdir(backups(place)))

        def limited(share):
            def limit():
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (int(size * share), int(size * share)))
            return limit
        for share in (0.01, 0.3, 0.9):
            for words in (["backup", "conversation"], ["--home", place.at("new"), "restore", "--from", path]):
                done = place.run(*words, "--json", preexec_fn=limited(share))
                same(json.loads(done.err)["error"]["code"] in ("IO", "FULL"), True)
            same(sorted(os.listdir(backups(place))), listing)
            same([name for name in os.listdir(place.at("new")) if "conversation" in name], [])
        same(texts(store(place)), was)


# ---- Old ones ----------------------------------------------------------------------------------


def aged(place, times):
    """Copies of one backup, as if made then; their paths, the newest first."""
    path = backup(place)
    made = []
    for time in sorted(times, reverse=True):
        copy = os.path.join(backups(place), f"conversation-{time}Z.db")
        os.link(path, copy)
        shutil.copy(path + ".json", copy + ".json")
        made.append(copy)
    os.remove(path)
    os.remove(path + ".json")
    return made


def pruned(place, **args):
    """What stays, with why."""
    return {os.path.basename(row["path"])[13:-4]: row["kept"] for row in place.call("stele.prune_backups", args).reply()}


@test("of old backups the newest of each hour, day and week stays")
def _():
    with Place() as place:
        say(place, "kept")
        times = ["2026-03-12T10-30-00", "2026-03-12T10-10-00", "2026-03-12T09-50-00", "2026-03-12T08-00-00", "2026-03-11T23-00-00",
                 "2026-03-11T01-00-00", "2026-03-08T12-00-00", "2026-03-02T12-00-00", "2026-02-01T12-00-00"]
        aged(place, times)
        wanted = dict(zip(times, ["newest", None, "hourly", None, "daily", None, "weekly", None, None]))
        same(pruned(place, hourly=2, daily=2, weekly=2, dry_run=True), wanted)
        same(len(listed(place)), len(times))
        same(pruned(place, hourly=2, daily=2, weekly=2), wanted)
        stay = {time: why for time, why in wanted.items() if why}
        same(pruned(place, hourly=2, daily=2, weekly=2), stay)
        same(len(os.listdir(backups(place))), 2 * len(stay))


@test("nothing is deleted that Stele did not make and verify, or that a newer good one does not make unneeded")
def _():
    with Place() as place:
        say(place, "kept")
        newest, middle, old = aged(place, ["2026-03-12T10-00-00", "2026-03-11T10-00-00", "2026-03-10T10-00-00"])
        other = os.path.join(backups(place), "mine.db")
        shutil.copy(old, other)
        os.remove(middle + ".json")  # unknown now
        shutil.copy(newest, newest + "!")
        os.replace(newest + "!", newest)  # a file of its own
        with open(newest, "r+b") as file:
            file.seek(5000)
            file.write(b"damage")
        before = place.listing()
        has(place.call("stele.prune_backups", {"hourly": 0, "daily": 0, "weekly": 0}).err, "nothing is deleted")
        same(place.listing(), before)
        shutil.copy(old, newest)
        same(pruned(place, hourly=0, daily=0, weekly=0),
             {"2026-03-12T10-00-00": "newest", "2026-03-11T10-00-00": "unknown", "2026-03-10T10-00-00": None})
        same([os.path.exists(path) for path in (newest, middle, other, old, old + ".json")], [True, True, True, False, False])


@test("a server makes backups by itself, and ends old ones")
def _():
    with Place() as place:
        say(place, "kept")
        [old] = aged(place, ["2020-01-01T00-00-00"])
        process = subprocess.Popen([BIN, "serve", "--port", "0", "--set", "serve.backup=1s,serve.backup_hourly=1,serve.backup_daily=0,serve.backup_weekly=0"],
                                   env=place.environment({}), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(600):
                if not os.path.exists(old) and any(store == "conversation" for store, _, _ in listed(place)):
                    break
                process.poll()
                threading.Event().wait(0.1)
            same(os.path.exists(old), False)
            same({state for _, state, _ in listed(place)}, {"verified"})
        finally:
            process.terminate()
            same(process.wait(60), 0)


# ---- PostgreSQL --------------------------------------------------------------------------------


@postgres_test("PostgreSQL: what is to be used instead is told")
def _():
    with Place() as place, Database() as database:
        say(place, "kept")
        path = backup(place)
        words = ["--database", database.url]
        place.call("telemetry.check_health", {}, *words).reply()
        has(place.run("backup", "telemetry", "--json", *words).error(1, "UNSUPPORTED")["message"], "pg_dump")
        error = place.run("restore", "--from", path, "--json", *words).error(1, "UNSUPPORTED")
        has(error["hint"], "pg_restore")


if __name__ == "__main__":
    sys.exit(main())
