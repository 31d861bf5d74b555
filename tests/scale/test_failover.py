#!/usr/bin/env python3
"""Two servers with streaming replication, the first killed under load: calls that write wait and go on with the second once it is promoted, no
write that was acknowledged is lost, and a reader never meets a failure.  Prints TAP."""

import contextlib
import json
import os
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli"), HERE]
import postgres  # noqa: E402
from method import doors  # noqa: E402
from place import Place, main, postgres_test, same  # noqa: E402
from servers import LIMIT, url_of, wait_until  # noqa: E402

WRITERS = 3
BEFORE, AFTER = 30, 10  # writes of each: until the first server is killed, and after the second was promoted
READS = 20              # reads, before and after the kill


class Client(threading.Thread):
    """Makes one call after another, and nothing else: what fails is Stele's to try again."""

    def __init__(self, place):
        super().__init__(daemon=True)
        self.place, self.count, self.stop, self.failure = {**place, "wait_ms": LIMIT * 1000}, 0, False, None
        self.progress = threading.Condition()

    def run(self):
        try:
            with doors.Player() as player:
                player.open(self.place)
                while not self.stop:
                    self.call(player)
                    with self.progress:
                        self.count += 1
                        self.progress.notify_all()
        except Exception as error:  # told by the test
            self.failure = error
            with self.progress:
                self.progress.notify_all()

    def goes_on(self, count):
        """Wait for so many more calls."""
        with self.progress:
            wanted = self.count + count
            good = self.progress.wait_for(lambda: self.count >= wanted or self.failure, LIMIT)
        if self.failure or not good:
            raise AssertionError(f"{type(self).__name__} made {self.count} calls: {self.failure}")

    def end(self):
        self.stop = True
        self.join(LIMIT)
        same((self.is_alive(), self.failure), (False, None))


class Writer(Client):
    """Says one thing after another, and notes which were acknowledged."""

    def __init__(self, place, name, keys):
        super().__init__(place)
        self.name, self.keys, self.done, self.doubtful = name, keys, [], []

    def call(self, player):
        content = f"{self.name} {self.count}"
        key = {"idempotency_key": content} if self.keys else {}
        word, reply = player.call("planner.receive_message", json.dumps({"session": self.name, "content": content, **key}))
        if word == "ok":
            self.done.append(content)
        elif reply["code"] == "INDOUBT" and not self.keys:
            self.doubtful.append(content)
        else:
            raise AssertionError(f"{content}: {reply}")


class Reader(Client):
    """Reads without a pause, and never finds less than before."""

    def __init__(self, place):
        super().__init__(place)
        self.most = 0

    def call(self, player):
        found = len(player.must("call", "planner.get_recent_messages", '{"session":"w0","limit":1000000}'))
        if found < self.most:
            raise AssertionError(f"{found} messages after {self.most}")
        self.most = found


def found(reader):
    """What the writers said, as it is there."""
    return [message["content"] for n in range(WRITERS)
            for message in reader.must("call", "planner.get_recent_messages", json.dumps({"session": f"w{n}", "limit": 1000000}))]


@contextlib.contextmanager
def replicated():
    """A server, and one that has what the first acknowledges before it does."""
    with postgres.Server(durable=True, tcp=True) as first, postgres.Standby(first) as second:
        first.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        first.sql("SELECT pg_reload_conf()")
        wait_until(lambda: first.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1")
        yield first, second


@postgres_test("the first server is killed under load: nothing acknowledged is lost, writers go on, and a reader never stops")
def _():
    with Place() as place, replicated() as (first, second):
        everything = {"home": place.home, "database": url_of(first, second)}
        writers = [Writer(everything, f"w{n}", keys=n > 0) for n in range(WRITERS)]
        reader = Reader({"home": place.home, "database": url_of(first, second, more="?reads=replica")})
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.goes_on(BEFORE)
        reader.start()
        reader.goes_on(READS)
        first.kill()
        reader.goes_on(READS)  # while there is no primary
        second.sql("SELECT pg_promote()")
        for client in (*writers, reader):
            client.goes_on(AFTER)
        for client in (*writers, reader):
            client.end()
        acknowledged = {content for writer in writers for content in writer.done}
        same([len(writer.doubtful) <= 1 for writer in writers], [True] * WRITERS)  # the one that was under way
        with doors.Player() as player:
            player.open(everything)
            there = found(player)
        same((acknowledged - set(there), len(there) - len(set(there))), (set(), 0))  # each once


if __name__ == "__main__":
    sys.exit(main())
