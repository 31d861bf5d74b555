#!/usr/bin/env python3
"""The power goes away at every moment of a write, a checkpoint, a migration, a prune, a backup: what was not synced is lost, torn or
there, sector by sector, and the stores are opened again.

Each story is played once, while all that is asked of the disk is written down (disk.h); then the disk is worked out for each
moment of it, several times with other luck (disk.py).  What is found must be what was told after some step of the story: in a
store that is `full` no earlier a step than the last that was acknowledged, in one that is `normal` any.  Indexes and codes are read
too, for they are rebuilt or right; SQLite finds every file in order, and the store can be written to.

--seeds N tries each moment with N kinds of luck, --every takes all moments, not only a share; `make soak` does both.  Prints TAP:
one line per story.  A failure tells the story, the moment and the seed: --story, --moment and --seed play it again.
"""

import argparse
import concurrent.futures
import contextlib
import glob
import hashlib
import itertools
import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from capture_store import versions  # noqa: E402
from documents import embedded, finder  # noqa: E402
from fault import disk  # noqa: E402
from fault.faults import Failed, point, show  # noqa: E402
from method import doors  # noqa: E402

STORIES = []
BUGS = {"unsynced": {"durability": "normal"}}
MOMENTS = 15 if os.environ.get("STELE_TEST_SANITIZED") == "1" else 60  # of a story, unless every one is wanted; a sanitizer is slow
SEEDS = 4


def call(method, **args):
    return "call", method, json.dumps(args)


class Story:
    """What is done, and how it is looked at.  A step is acknowledged when all its requests were answered."""
    full = True        # the durability of its stores
    stepwise = False   # a step is several transactions, each of which removes something
    more = None        # a request that must succeed afterwards

    def prepare(self, home):
        """What is there before."""

    def steps(self):
        """Lists of requests."""
        raise NotImplementedError

    def look(self, ask):
        """What the stores tell, by an ask that must be answered: anything that can be compared."""
        raise NotImplementedError

    def check(self, home, acknowledged):
        """Whatever else must be true of the files."""


def story(kind):
    STORIES.append(kind())
    return kind


def ids(rows):
    return [row["id"] for row in rows]


# ---- The stories -------------------------------------------------------------------------------


@story
class Appends(Story):
    """messages are appended, one by one and several in one transaction"""
    more = call("conversation.create_session", session_id="later", source="cli")

    def message(self, number):
        return call("conversation.append_message", session_id="s", role="user", content=f"message {number} " + "x" * 300 * number)

    def steps(self):
        yield [call("conversation.create_session", session_id="s", source="cli", started_at=1)]
        for number in range(3):
            yield [self.message(number)]
        yield [("begin", "conversation"), *(self.message(number) for number in range(3, 7)), ("commit",)]
        yield [call("conversation.replace_messages", session_id="s", messages=[{"role": "user", "content": "y" * 9000}])]

    def look(self, ask):
        return [row["content"] for row in ask(*call("conversation.get_messages", session_id="s"))]


@story
class Notes(Story):
    """a planner and an assistant are written to in turn"""
    more = call("assistant.save_note", title="later", content="c")

    def steps(self):
        for number in range(3):
            yield [call("planner.receive_message", session="s", content=f"message {number}", idempotency_key=f"k{number}")]
            yield [call("assistant.save_note", id=finder.uuid(number), title=f"note {number}", content="z" * 2000, created_at=number)]

    def look(self, ask):
        return ids(ask(*call("planner.get_oldest_messages", session="s"))), ids(ask(*call("assistant.get_notes")))


@story
class Batches(Story):
    """batches are written to a store of normal durability, and its log is checkpointed"""
    full = False
    more = call("telemetry.create_session")

    def batch(self, number):
        return call("telemetry.persist_batch", invocations=[
            {"listener_id": 1, "session_id": 1, "duration_ms": item, "status": "success", "error_message": f"{number}.{item}",
             "execution_start_dtme": number * 100 + item} for item in range(10)])

    def steps(self):
        yield [call("telemetry.create_session", now=1)]
        yield [call("telemetry.register_listener", app_key="a", instance_index=0, handler_method="h", topic="t", source_location="s")]
        yield [self.batch(1)]
        yield [self.batch(2)]
        yield [call("telemetry.checkpoint_wal", mode="truncate")]
        yield [self.batch(3)]
        yield [call("telemetry.checkpoint_wal", mode="restart")]
        yield [self.batch(4)]
        yield [call("telemetry.retention_cleanup", cutoff=210)]

    def look(self, ask):
        there = ask(*call("telemetry.get_listener_summary", app_key="a", instance_index=0))
        return (len(ask(*call("telemetry.get_session_list"))),
                [[row["error_message"] for row in ask(*call("telemetry.get_handler_invocations", listener_id=1, limit=1000))] for _ in there])


@story
class Events(Story):
    """commands are captured, at normal durability, many in one call"""
    full = False
    more = call("capture.list_source_health")

    def steps(self):
        for number in range(4):
            yield [call("capture.insert_events", events=[
                {"timestamp": number * 1000 + item, "command": f"make {number}.{item}", "cwd": "/p", "hostname": "h", "shell": "zsh",
                 "terminal": "t", "envelope_id": f"{number}.{item}"} for item in range(5)])]

    def look(self, ask):
        return [row["command"] for row in ask(*call("capture.get_events", limit=1000))]


@story
class Checkpoint(Story):
    """a log that is full is checkpointed and begun anew"""
    more = call("conversation.create_session", session_id="later", source="cli")

    def steps(self):
        yield [call("conversation.create_session", session_id="s", source="cli", started_at=1)]
        for size in (4_200_000, 10, 20_000, 10):
            yield [call("conversation.append_message", session_id="s", role="user", content="x" * size)]

    def look(self, ask):
        return [len(row["content"]) for row in ask(*call("conversation.get_messages", session_id="s"))]


@story
class Migration(Story):
    """an old file is brought to the present version"""
    full = False
    more = call("capture.list_source_health")

    def prepare(self, home):
        os.makedirs(home)
        versions.make(os.path.join(home, "capture.db"), 12)

    def steps(self):
        yield [call("capture.list_source_health")]

    def look(self, ask):
        return ids(ask(*call("capture.get_events", limit=1000))), len(ask(*call("capture.list_source_health")))

    def check(self, home, acknowledged):
        for copy in glob.glob(os.path.join(home, "*.backup")):
            whole(copy, "SELECT count(*) FROM events", 5)


@story
class Prune(Story):
    """old sessions are deleted, the file is made smaller"""
    stepwise = True
    more = call("conversation.create_session", session_id="later", source="cli")

    def steps(self):
        for name in "abc":
            yield [("begin", "conversation"),
                   call("conversation.create_session", session_id=name, source="cli", started_at=1),
                   *(call("conversation.append_message", session_id=name, role="user", content="w" * 3000) for _ in range(3)),
                   *([call("conversation.end_session", session_id=name, end_reason="done")] if name < "c" else []),
                   ("commit",)]
        yield [call("conversation.prune_sessions", older_than_days=1)]
        yield [call("conversation.vacuum")]

    def look(self, ask):
        found = []
        for name in "abc":
            if ask(*call("conversation.get_session", session_id=name)):
                found += [name, *ids(ask(*call("conversation.get_messages", session_id=name)))]
        return found


@story
class Index(Story):
    """the search index follows the store, and is merged and made anew"""
    more = call("conversation.index_messages", rebuild=True)

    def steps(self):
        yield [call("conversation.create_session", session_id="s", source="cli", started_at=1)]
        for number in range(3):
            yield [call("conversation.append_message", session_id="s", role="user", content=f"needle number {number}", timestamp=number)]
        yield [call("conversation.index_messages")]
        yield [call("conversation.append_message", session_id="s", role="user", content="another needle", timestamp=9)]
        yield [call("conversation.index_messages", rebuild=True)]
        yield [call("conversation.pop_message", session_id="s")]
        yield [call("conversation.index_messages")]

    def look(self, ask):
        return ids(ask(*call("conversation.search_messages", query="needle", sort="oldest"))), \
            ids(ask(*call("conversation.search_messages", query="eedl", match="substrings", sort="oldest")))


@story
class Codes(Story):
    """embeddings are kept and coded, and the nearest are found"""
    more = call("assistant.save_note", title="later", content="c")
    count = 24

    def steps(self):
        for first in range(0, self.count, 8):
            numbers = range(first, first + 8)
            rows = [{"kind": "note", "id": finder.uuid(number), "vector": embedded.vector(number)} for number in numbers]
            yield [("begin", "assistant"),
                   *(call("assistant.save_note", id=finder.uuid(number), title="t", content=f"note {number}", created_at=number)
                     for number in numbers), ("commit",)]
            yield [("embed", "assistant", json.dumps({"model": "m", "rows": rows}))]
            yield [("code", "assistant")]

    def look(self, ask):
        query = json.dumps({"vector": embedded.vector(1000), "limit": 5})
        return len(ask(*call("assistant.get_notes"))), ask("near", "assistant", query)


@story
class Backup(Story):
    """a store is copied while it is used"""
    more = call("conversation.create_session", session_id="later", source="cli")

    def steps(self):
        yield [call("conversation.create_session", session_id="s", source="cli", started_at=1)]
        yield [call("conversation.append_message", session_id="s", role="user", content="x" * 20_000)]
        yield [call("stele.backup", store="conversation")]
        yield [call("conversation.append_message", session_id="s", role="user", content="y")]
        yield [call("stele.backup", store="conversation")]

    def look(self, ask):
        return [len(row["content"]) for row in ask(*call("conversation.get_messages", session_id="s"))]

    def check(self, home, acknowledged):
        copies = glob.glob(os.path.join(home, "backups", "*.db"))
        described = [copy for copy in copies if is_described(copy)]
        wanted = (acknowledged >= 3) + (acknowledged >= 5)
        if len(described) < wanted:
            raise Failed(f"{wanted} copies were made, and {len(described)} of {len(copies)} are there with their descriptions")
        for copy in copies:
            whole(copy, "SELECT count(*) FROM messages", 1, 2)


@story
class Address(Story):
    """the key of the server is made, and an address given out"""
    more = call("server.pub_link", session="later")  # makes another, where it is not there

    def prepare(self, home):
        self.made = os.path.join(home, "server.key")

    def steps(self):
        yield [call("server.pub_link", session="s")]

    def look(self, ask):
        return ask(*call("server.list_tokens"))

    def check(self, home, acknowledged):
        with open(self.made, "rb") as made, open(os.path.join(home, "server.key"), "rb") as found:
            if acknowledged and made.read() != found.read():
                raise Failed("an address was given out, and its key is not there")


def is_described(copy):
    """There is a description beside it, which is whole."""
    if not os.path.exists(f"{copy}.json"):
        return False
    with open(f"{copy}.json", encoding="utf-8") as file:
        return bool(json.load(file))


def whole(path, sql, *wanted):
    """A copy is in order and has what it is to have."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        found, count = db.execute("PRAGMA integrity_check").fetchall(), db.execute(sql).fetchone()[0]
    if found != [("ok",)] or count not in wanted:
        raise Failed(f"{os.path.basename(path)}: {found}, {count}")


# ---- Playing one -------------------------------------------------------------------------------


class Told:
    """What a story told while it was recorded."""

    def __init__(self, told, root, record, options):
        self.story, self.root = told, root
        told.prepare(os.path.join(root, "home"))
        self.disk = disk.Disk(root)
        self.states, self.begun, self.acknowledged = [], [], []
        with doors.Player("call", "--system") as player:
            player.must("record", record)
            player.open({"home": os.path.join(root, "home"), **options})
            self.note(player, record, [])
            for requests in told.steps():
                self.note(player, record, requests)
            player.close()
        self.entries = disk.read(record)

    def note(self, player, record, requests):
        self.begun.append(os.path.getsize(record))
        for request in requests:
            player.must(*request)
        self.acknowledged.append(os.path.getsize(record))
        self.states.append(self.story.look(player.must))

    def steps_at(self, moment):
        """The last step that was acknowledged, and the last that was begun."""
        done = max((n for n, end in enumerate(self.acknowledged) if end <= moment), default=0)
        begun = max((n for n, start in enumerate(self.begun) if start <= moment), default=0)
        return done, begun

    def allows(self, done, begun, found):
        first = done if self.story.full else 0
        if any(found == state for state in self.states[first:begun + 1]):
            return True
        return self.story.stepwise and set(self.states[begun]) <= set(found) <= set(self.states[done])


class Trial:
    """A story, and the moments and kinds of luck it is tried with."""

    def __init__(self, told, args):
        self.told, self.args = told, args
        self.seen, self.images = set(), 0

    def moments(self):
        """Which entries the power goes away after: all around what makes a difference to the disk, and a share of the others."""
        entries = self.told.entries
        if self.args.moment is not None:
            return {self.args.moment}
        if self.args.every:
            return set(range(len(entries) + 1))
        chance = random.Random(f"{self.args.seed} {type(self.told.story).__name__}")
        turns = [n for n, entry in enumerate(entries) if entry.what != "W"]
        wanted = sorted({*turns, *(n + 1 for n in turns), len(entries)})
        chosen = set(chance.sample(wanted, min(len(wanted), MOMENTS * 2 // 3)))
        return chosen | set(chance.sample(range(len(entries) + 1), min(len(entries), MOMENTS // 3)))

    def play(self, player, directory):
        moments = self.moments()
        for moment in range(len(self.told.entries) + 1):
            if moment in moments:
                for number in range(self.args.seeds):
                    self.try_moment(player, directory, moment, number)
            if moment < len(self.told.entries):
                self.told.disk.follow(self.told.entries[moment])

    def try_moment(self, player, directory, moment, number):
        chance = random.Random(f"{self.args.seed} {moment} {number}")
        image = self.told.disk.left(disk.Loss(chance, number))
        end = self.told.entries[moment - 1].end if moment else 0
        done, begun = self.told.steps_at(end)
        mark = hashlib.sha1(repr((done, begun, sorted((path, content) for path, content in image.items()
                                                      if not path.endswith("-shm")))).encode()).digest()
        if mark in self.seen:
            return
        self.seen.add(mark)
        self.images += 1
        root = tempfile.mkdtemp(dir=directory)
        disk.write(image, root)
        try:
            self.judge(player, os.path.join(root, "home"), done, begun)
        except (Failed, doors.Broken, sqlite3.Error) as error:
            raise Failed(f"--moment {moment} --seed {self.args.seed}, luck {number}, steps {done} to {begun}: {error}") from None
        shutil.rmtree(root)

    def judge(self, player, home, done, begun):
        story = self.told.story
        player.open({"home": home})
        found = story.look(player.must)
        if not self.told.allows(done, begun, found):
            raise Failed(f"found {show(found)}\nof {show(self.told.states[done:begun + 1])}")
        damage = player.must("check")
        player.must(*story.more)
        damage += player.must("check")
        player.close()
        if damage:
            raise Failed(f"damaged: {show(damage)}")
        story.check(home, done)


def play(story, args):
    """(title, "" or what is wrong, how many disks were tried)"""
    directory = tempfile.mkdtemp(prefix="stele-power-")
    trial = None
    try:
        os.mkdir(os.path.join(directory, "disk"))
        told = Told(story, os.path.join(directory, "disk"), os.path.join(directory, "record"), BUGS.get(args.bug, {}))
        trial = Trial(told, args)
        with doors.Player() as player:
            trial.play(player, directory)
            why = "" if trial.images else "no disk was tried"
    except (Failed, doors.Broken) as error:
        why = f"--story {type(story).__name__} {error}"
    finally:
        shutil.rmtree(directory)
    return story.__doc__, why, trial.images if trial else 0


def main():
    parser = argparse.ArgumentParser(description="The power goes away at every moment.")
    parser.add_argument("--story", help="only this one, by the name of its class")
    parser.add_argument("--moment", type=int, help="only after this many entries of the record")
    parser.add_argument("--every", action="store_true", help="every moment")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="kinds of luck for each moment")
    parser.add_argument("--bug", choices=BUGS, help="what is to be full is not")
    parser.add_argument("--seed", type=int, default=None, help="of chance; told when something fails")
    args = parser.parse_args()
    args.seed = random.randrange(10**6) if args.seed is None else args.seed

    failed = images = 0
    chosen = [story for story in STORIES if args.story in (None, type(story).__name__)]
    print(f"# seed {args.seed}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for title, why, tried in pool.map(play, chosen, itertools.repeat(args)):
            images += tried
            failed += not point(not why, f"{title} ({tried} disks)", why)
    print(f"# {images} disks")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
