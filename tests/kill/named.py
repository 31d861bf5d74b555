#!/usr/bin/env python3
"""Eight processes write to one home, and one of them is killed inside a commit, a checkpoint, a batch of the index, a migration, a backup,
a rotation of backups, a salvage, a prune or a vacuum; sometimes all are.

The victim dies at the N-th thing that it asks of the disk in that call, so that over many cycles it dies everywhere.  Every answer that came
over the pipes is an acknowledgement.  After each cycle what was acknowledged is there, once and in its order, and nothing but
what was under way; search finds it; a copy is whole or has no name; SQLite finds every file in order; and the call that was cut short is made
again, and succeeds.  (tests/kill/kill.c kills at random moments.)

--cycles N; `make soak` has thousands.  Prints TAP: one line per point.
"""

import argparse
import collections
import contextlib
import glob
import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from capture_store import versions  # noqa: E402
from fault.faults import Failed, point, show  # noqa: E402
from method import doors  # noqa: E402

WRITERS = 7  # and the victim
CYCLES = 27 if os.environ.get("STELE_TEST_SANITIZED") == "1" else 108  # with kill.c's more than 200, or a few where a sanitizer watches
LIFE = 20    # cycles that a home is used for
AGES = "2026-03-12T10-00-00Z", "2026-03-11T10-00-00Z", "2026-03-10T10-00-00Z"
SESSIONS = 400  # of a damaged file: so many that they need several pages
PAGE = 4096


class Killed(Exception):
    """The other end of the pipe is gone."""


class Process(doors.Player):
    """A player that may be killed; every answer is kept."""

    def __init__(self, home):
        super().__init__("call", "--system")
        self.open({"home": home, "durability": "full"})

    def make(self, method, **args):
        try:
            word, reply = self.ask(("call", method, json.dumps(args)))[0]
        except doors.Broken:
            raise Killed from None
        if word != "ok":
            raise Failed(f"{method}: {show(reply)}")
        return reply

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        """It has to be dead by our hand, or to end by itself."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        status = self.process.wait()
        self.process.stdout.close()
        if status not in (0, -9):
            raise Failed(f"a process ended with status {status}")


class Ledger:
    """What a writer was told, of each of its sessions."""

    def __init__(self):
        self.acknowledged = collections.defaultdict(list)
        self.under_way = None  # (session, content)

    def check(self, session, found):
        known = self.acknowledged[session]
        late = [self.under_way[1]] if self.under_way and self.under_way[0] == session else []
        if found not in (known, known + late):
            raise Failed(f"session {session} has {show(found[len(known) - 2:])}, and was told {show(known[-2:])}, under way {late}")
        self.acknowledged[session], self.under_way = found, None


class Writer:
    """A process that appends to a session of its own, and now and then to others' stores, until it is told to stop."""

    def __init__(self, home, number):
        self.home, self.number, self.count = home, number, 0
        self.session = f"w{number}"
        self.ledger = Ledger()
        self.process = self.problem = None

    def run(self, stop):
        try:
            self.process = self.process or Process(self.home)
            self.process.make("conversation.ensure_session", session_id=self.session, source="cli")
            while not stop.is_set():
                self.append()
                if self.count % 5 == 0:
                    self.process.make("planner.receive_message", session=self.session, content="p", idempotency_key=f"{self.number}.{self.count}")
        except Killed:
            pass
        except (Failed, doors.Broken) as error:
            self.problem = error

    def append(self):
        self.count += 1
        content = f"mark {self.number}.{self.count} " + "x" * (self.count * 37 % 900)
        self.ledger.under_way = self.session, content
        self.process.make("conversation.append_message", session_id=self.session, role="user", content=content)
        self.ledger.acknowledged[self.session].append(content)
        self.ledger.under_way = None

    def forget(self):
        if self.process:
            self.process.end()
        self.process = None


def sessions_of(path):
    """How many a file has, which must be whole."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        if db.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            raise Failed(f"{os.path.basename(path)} is damaged")
        return db.execute("SELECT count(*) FROM sessions").fetchone()[0]


def damaged_store():
    """The bytes of a store with so many sessions, whose root page is gone."""
    with tempfile.TemporaryDirectory(prefix="stele-kill-") as home:
        path = os.path.join(home, "telemetry.db")
        process = Process(home)
        process.must("begin", "telemetry")
        for _ in range(SESSIONS):
            process.make("telemetry.create_session", now=1)
        process.must("commit")
        process.end()
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            [root] = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'sessions'").fetchone()
        with open(path, "rb") as file:
            data = bytearray(file.read())
    data[(root - 1) * PAGE:root * PAGE] = b"\xA5" * PAGE
    return bytes(data)


# ---- Where the victim dies ---------------------------------------------------------------------


class Point:
    """A call to be killed in."""
    most = 40  # a guess of how much it asks of the disk, mended as it goes

    def __init__(self):
        self.died = self.survived = 0

    def before(self, victim, cycle):
        """What it needs."""

    def call(self, cycle):
        raise NotImplementedError

    def after(self, home, witness, cycle):
        """What must be true, without the victim."""
        method, args = self.call(cycle)
        witness.make(method, **args)


class Commit(Point):
    """a commit"""

    def before(self, victim, cycle):
        victim.make("assistant.save_note", title="t", content="before")

    def call(self, cycle):
        return "assistant.save_note", {"title": "t", "content": f"note {cycle}"}

    def after(self, home, witness, cycle):
        notes = [note["content"] for note in witness.make("assistant.get_notes")]
        if notes.count(f"note {cycle}") > 1:
            raise Failed("a note is there twice")
        super().after(home, witness, cycle)


class Checkpoint(Point):
    """a checkpoint"""
    written = 0

    def before(self, victim, cycle):
        victim.make("telemetry.create_session", now=cycle)
        self.written += 1

    def call(self, cycle):
        return "telemetry.checkpoint_wal", {"mode": random.choice(("passive", "restart", "truncate"))}

    def after(self, home, witness, cycle):
        rows = witness.make("telemetry.get_session_list")
        if [row["started_at"] for row in rows].count(cycle) != 1:
            raise Failed(f"the session of cycle {cycle} is not there once")
        super().after(home, witness, cycle)


class IndexBatch(Point):
    """a batch of the index"""

    def call(self, cycle):
        return "conversation.index_messages", {"rebuild": cycle % 2 == 0}


class Migration(Point):
    """a migration"""
    most = 400

    def before(self, victim, cycle):
        for old in glob.glob(os.path.join(self.home, "capture.*")):
            os.remove(old)
        versions.make(os.path.join(self.home, "capture.db"), 12)

    def call(self, cycle):
        return "capture.get_events", {}

    def after(self, home, witness, cycle):
        if len(witness.make("capture.get_events")) != 5:
            raise Failed("the events are not those of the old file")


class Backup(Point):
    """a backup"""
    most = 100

    def call(self, cycle):
        return "stele.backup", {"store": "conversation", "to": os.path.join(self.home, "copies")}

    def after(self, home, witness, cycle):
        super().after(home, witness, cycle)
        copies = glob.glob(os.path.join(home, "copies", "*.db"))
        if not copies:
            raise Failed("a copy was made, and is not there")
        for path in copies:
            sessions_of(path)
        shutil.rmtree(os.path.join(home, "copies"))


class Rotation(Point):
    """a rotation of backups"""

    def before(self, victim, cycle):
        self.backups = os.path.join(self.home, "rotated")
        victim.make("telemetry.create_session", now=cycle)
        [made] = victim.make("stele.backup", store="telemetry", to=self.backups)
        self.count = sessions_of(made["path"])
        for end in ("", ".json"):
            for age in AGES:
                shutil.copy(made["path"] + end, self.path(age) + end)
            os.remove(made["path"] + end)

    def path(self, age):
        return os.path.join(self.backups, f"telemetry-{age}.db")

    def call(self, cycle):
        return "stele.prune_backups", {"source": self.backups, "hourly": 0, "daily": 0, "weekly": 0}

    def after(self, home, witness, cycle):
        """The newest is there; an older one is there as it was, or gone; and nothing of it stays behind the next backup."""
        listed = witness.make("stele.list_backups", source=self.backups, full=True)
        if [row["state"] for row in listed] != ["verified"] * len(listed) or listed[0]["path"] != self.path(AGES[0]):
            raise Failed(f"these backups are left: {show(listed)}")
        super().after(home, witness, cycle)
        [made] = witness.make("stele.backup", store="telemetry", to=self.backups)
        wanted = sorted(path + end for path in (self.path(AGES[0]), made["path"]) for end in ("", ".json"))
        left = sorted(os.path.join(self.backups, name) for name in os.listdir(self.backups))
        if left != wanted:
            raise Failed(f"these files are left: {show(left)}")
        if sessions_of(self.path(AGES[0])) != self.count:
            raise Failed("the newest backup is not what it was")
        shutil.rmtree(self.backups)


class Salvage(Point):
    """a salvage"""
    most = 200
    data = None  # of the damaged file, which is made once

    def before(self, victim, cycle):
        Salvage.data = self.data or damaged_store()
        self.damaged, self.made = (os.path.join(self.home, name) for name in ("damaged.db", "salvaged.db"))
        with open(self.damaged, "wb") as file:
            file.write(self.data)

    def call(self, cycle):
        return "stele.salvage", {"store": "telemetry", "source": self.damaged, "to": self.made}

    def after(self, home, witness, cycle):
        """What has the name of the new file is whole; made again, it is, and nothing else is beside it."""
        if os.path.exists(self.made):
            self.check()
        super().after(home, witness, cycle)
        self.check()
        left = [name for name in os.listdir(home) if name.startswith(("damaged.db", "salvaged.db"))]
        if left != ["damaged.db"]:
            raise Failed(f"these files are left: {show(left)}")

    def check(self):
        if sessions_of(self.made) != SESSIONS:
            raise Failed(f"{sessions_of(self.made)} of {SESSIONS} rows are in the new file")
        os.remove(self.made)
        with open(self.damaged, "rb") as file:
            if file.read() != self.data:
                raise Failed("the damaged file was touched")


class Prune(Point):
    """a prune"""

    def before(self, victim, cycle):
        for number in range(3):
            name = f"old {cycle}.{number}"
            victim.make("conversation.create_session", session_id=name, source="cli", started_at=1)
            victim.make("conversation.append_message", session_id=name, role="user", content="old")
            victim.make("conversation.end_session", session_id=name, end_reason="done")

    def call(self, cycle):
        return "conversation.prune_sessions", {"older_than_days": 1}

    def after(self, home, witness, cycle):
        super().after(home, witness, cycle)
        for number in range(3):
            if witness.make("conversation.get_session", session_id=f"old {cycle}.{number}"):
                raise Failed("an old session is still there")


class Vacuum(Point):
    """a vacuum"""
    most = 200

    def call(self, cycle):
        return "conversation.vacuum", {}


# ---- Cycles ------------------------------------------------------------------------------------


class Home:
    """A home, its writers, and what they were told."""

    def __init__(self, points, chance):
        self.directory = tempfile.mkdtemp(prefix="stele-kill-")
        self.home = os.path.join(self.directory, "home")
        os.mkdir(self.home)
        self.writers = [Writer(self.home, number) for number in range(WRITERS)]
        self.chance = chance
        for where in points:
            where.home = self.home

    def end(self):
        for writer in self.writers:
            writer.forget()
        shutil.rmtree(self.directory)

    def cycle(self, where, cycle):
        stop = threading.Event()
        threads = [threading.Thread(target=writer.run, args=(stop,)) for writer in self.writers]
        victim = Process(self.home)
        try:
            where.before(victim, cycle)
            for thread in threads:
                thread.start()
            self.kill_inside(victim, where, cycle)
            if self.chance.randrange(4) == 0:
                for writer in self.writers:
                    if writer.process:
                        writer.process.kill()
        finally:
            stop.set()
            for thread in threads:
                if thread.ident:
                    thread.join()
            victim.end()
        self.verify(where, cycle)

    def kill_inside(self, victim, where, cycle):
        method, args = where.call(cycle)
        at = self.chance.randint(1, where.most) if where.died else 1  # once for sure
        victim.must("fault", "kill", str(at))
        try:
            victim.make(method, **args)
        except Killed:
            where.died += 1
            return
        where.survived += 1
        where.most = max(1, victim.must("fault", "off")["calls"])

    def verify(self, where, cycle):
        for writer in self.writers:
            if writer.problem:
                raise Failed(f"writer {writer.number}: {writer.problem}")
            if writer.process and writer.process.process.poll() is not None:
                writer.forget()
        witness = Process(self.home)
        try:
            where.after(self.home, witness, cycle)
            count = 0
            for writer in self.writers:
                rows = witness.make("conversation.get_messages", session_id=writer.session)
                writer.ledger.check(writer.session, [row["content"] for row in rows])
                count += len(rows)
            hits = witness.make("conversation.search_messages", query="mark", limit=1000, sort="newest")
            if len(hits) != min(count, 1000):
                raise Failed(f"{count} messages are there, and {len(hits)} are found")
            damage = witness.must("check")
            if damage:
                raise Failed(f"damaged: {show(damage)}")
        except Killed:
            raise Failed("the witness died") from None
        finally:
            witness.end()


def main():
    parser = argparse.ArgumentParser(description="Kill a writer inside of what it does.")
    parser.add_argument("--cycles", type=int, default=CYCLES)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--only", default="", metavar="TEXT", help="only points with this in their name")
    args = parser.parse_args()
    seed = random.randrange(10**6) if args.seed is None else args.seed
    chance = random.Random(seed)
    random.seed(seed)
    print(f"# seed {seed}", flush=True)

    points = [Commit(), Checkpoint(), IndexBatch(), Migration(), Backup(), Rotation(), Salvage(), Prune(), Vacuum()]
    points = [where for where in points if args.only in where.__doc__]
    cycles = max(args.cycles, len(points))  # each at least once
    wrong = {}
    home = None
    for cycle in range(1, cycles + 1):
        where = points[cycle % len(points)]
        if home is None or cycle % LIFE == 0:
            if home:
                home.end()
            home = Home(points, chance)
        try:
            home.cycle(where, cycle)
        except (Failed, doors.Broken, sqlite3.Error) as error:
            wrong.setdefault(where, f"cycle {cycle}: {error}")
            home.end()
            home = None
        if cycle % 500 == 0:
            print(f"# {cycle} cycles", flush=True)
    if home:
        home.end()
    for where in points:
        why = wrong.get(where, "" if where.died else "the victim was never killed")
        point(not why, f"killed inside {where.__doc__}: {where.died} times, {where.survived} times it came through", why)
    print(f"# {cycles} cycles")
    return 1 if wrong or not all(where.died for where in points) else 0


if __name__ == "__main__":
    sys.exit(main())
