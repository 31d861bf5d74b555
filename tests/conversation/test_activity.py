#!/usr/bin/env python3
"""Lists by activity have the order that the messages say, whatever was appended, replaced, taken back, deleted, or changed by
another program; also in a file that was never listed before, and in one that is open for reading only.  Prints TAP."""

import json
import os
import random
import sqlite3
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from conversation.test_search import Store  # noqa: E402
from method import doors  # noqa: E402

SESSIONS = 12
QUIET = 300  # more sessions, without messages: with fewer, nothing is kept
STEPS = 600  # of some messages each: what is noted at every 128th message is noted several times
WRONG = "DELETE FROM stele_activity; INSERT INTO stele_activity (session_id, latest) SELECT id, 9e9 FROM sessions;"


class Listed(Store):
    """A store, and what must be in it."""

    def __init__(self, place, player, places):
        super().__init__(place, player)
        self.place, self.places, self.engine = place, places, places.engine
        self.rng = random.Random(17)
        self.started = {name: self.call("get_session", session_id=name)["started_at"] for name in ("s1", "s2")}
        self.times = {}  # message: (session, time)
        for number in range(SESSIONS):
            self.begin(f"n{number}")

    def fill(self):
        quiet = {f"q{number}": number / 1000 for number in range(QUIET)}
        self.other_program("INSERT INTO sessions (id, source, started_at) VALUES " + ", ".join(
            f"('{session}', 'cron', {time})" for session, time in quiet.items()) + ";")
        self.started.update(quiet)

    def begin(self, session):
        self.started[session] = float(self.rng.randint(1, 50))
        self.call("create_session", session_id=session, source="cli", started_at=self.started[session])

    def other_program(self, sql):
        self.places.sql(self.place, "conversation", sql)

    def keeps(self):
        """Does it have the table?"""
        try:
            self.other_program("DELETE FROM stele_activity WHERE session_id = 'nobody';")
        except (doors.Broken, sqlite3.OperationalError):
            return False
        return True

    def time(self):
        return float(self.rng.randint(1, 1000))

    def session(self):
        return f"n{self.rng.randrange(SESSIONS)}"

    def check(self):
        latest = {}
        for session, time in self.times.values():
            latest[session] = max(time, latest.get(session, time))
        active = {session: latest.get(session, start) for session, start in self.started.items()}
        order = sorted(active, key=lambda session: (active[session], self.started[session], session), reverse=True)
        found = self.call("search_sessions", limit=-1)
        assert [(each["id"], each["last_active"]) for each in found] == [(each, active[each]) for each in order], (found, order, active)
        for most, skipped in ((5, 0), (3, 4), (12, 200)):
            page = order[skipped:skipped + most]
            listed = self.call("list_sessions_rich", order_by_last_active=True, include_children=True, limit=most, offset=skipped)
            assert [each["id"] for each in listed] == page, (listed, page)
            listed = self.call("find_sessions", subagents=True, limit=most, offset=skipped)
            assert [each["id"] for each in listed] == page, (listed, page)
        since = self.time()
        listed = self.call("find_sessions", subagents=True, since=since, limit=1000)
        assert [each["id"] for each in listed] == [each for each in order if active[each] >= since], (listed, since)

    # ---- What can happen ----

    def some(self):
        for _ in range(self.rng.choice([1, 1, 3, 20])):
            session, time = self.session(), self.time()
            self.times[self.append("x", session, timestamp=time)] = (session, time)

    def drop(self, session):
        self.times = {message: about for message, about in self.times.items() if about[0] != session}

    def replace(self):
        session = self.session()
        times = [self.time() for _ in range(self.rng.randint(0, 9))]
        self.call("replace_messages", session_id=session, messages=[{"role": "user", "content": "y", "timestamp": time} for time in times])
        self.drop(session)
        for message in self.call("get_messages", session_id=session):
            self.times[message["id"]] = (session, message["timestamp"])

    def clear(self):
        session = self.session()
        self.call("clear_messages", session_id=session)
        self.drop(session)

    def renew(self):
        """A session goes, and another comes with its name."""
        session = self.session()
        self.call("delete_session", session_id=session)
        self.drop(session)
        self.begin(session)

    def rewind(self):
        if self.times:
            message = self.rng.choice(sorted(self.times))
            self.player.ask(("call", "conversation.rewind_to_message",
                             json.dumps({"session_id": self.times[message][0], "target_message_id": message})))

    def change(self):
        if not self.times:
            return
        message = self.rng.choice(sorted(self.times))
        session, time = self.times[message]
        what = self.rng.choice(["time", "session", "both", "delete", "back"])
        if what in ("delete", "back"):
            self.other_program(f"DELETE FROM messages WHERE id = {message};")
            del self.times[message]
        if what == "back":  # with the id that it had
            self.other_program(f"INSERT INTO messages (id, session_id, role, timestamp) VALUES ({message}, '{session}', 'user', {time});")
            self.times[message] = (session, time)
        if what in ("time", "session", "both"):
            self.times[message] = session, time = (self.session() if what != "time" else session, self.time() if what != "session" else time)
            self.other_program(f"UPDATE messages SET session_id = '{session}', timestamp = {time} WHERE id = {message};")


def test_order(store):
    ways = [store.some] * 12 + [store.replace, store.clear, store.renew, store.rewind, store.change, store.change]
    for number in range(STEPS):
        store.rng.choice(ways)()
        if number % 7 == 0:
            store.check()
    store.check()
    assert max(store.times) > 1000, max(store.times)


def test_kept(store):
    """It is the kept times that are read, or the lists would be slow."""
    store.some()
    store.check()
    store.other_program(WRONG)
    quiet = {each["last_active"] for each in store.call("search_sessions", limit=-1) if each["id"].startswith("q")}
    assert quiet == {9e9}, quiet


def test_few(store):
    """A store of few sessions stays as it was, until it has many."""
    store.some()
    store.check()
    assert not store.keeps()
    store.fill()
    store.answer(("close",))
    store.answer(("open", json.dumps(store.place)))
    store.check()
    assert store.keeps()


def test_conflicts(store):
    """Another program's way of meeting conflicts is not that of the triggers."""
    if store.engine != "sqlite":
        return
    store.check()
    for number in range(300):
        session, time = store.session(), store.time()
        way = ("IGNORE", "REPLACE", "FAIL", "ABORT", "ROLLBACK")[number % 5]
        store.other_program(f"INSERT OR {way} INTO messages (session_id, role, timestamp) VALUES ('{session}', 'user', {time});")
        store.times[max(store.times, default=0) + 1] = (session, time)
        if number % 50 == 49:
            store.check()


def test_reading(store):
    """A store that cannot get what the lists keep is listed all the same."""
    for _ in range(10):
        store.some()
    store.answer(("close",))
    store.answer(("open", json.dumps({**store.place, "flags": ["readonly"]})))
    store.check()


TESTS = [("the order is that of the messages", test_order), ("what is kept is what is read", test_kept), ("few sessions", test_few),
         ("conflicts in another program", test_conflicts), ("open for reading", test_reading)]


def main():
    failed = number = 0
    for places in (doors.Sqlite(), doors.Postgres(["conversation"])):
        with places:
            for name, test in TESTS:
                number += 1
                try:
                    with doors.Player() as player:
                        store = Listed(places.new(), player, places)
                        if test is not test_few:
                            store.fill()
                        test(store)
                    print(f"ok {number} - {places.engine}: {name}", flush=True)
                except Exception as error:  # pylint: disable=broad-except
                    failed += 1
                    print(f"not ok {number} - {places.engine}: {name}\n# {type(error).__name__}: {str(error)[:1500]}", flush=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
