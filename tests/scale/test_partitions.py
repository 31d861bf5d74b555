#!/usr/bin/env python3
"""Partitions by time on PostgreSQL: made ahead, dropped whole when they are over, and none in which something is held; no row is lost when an older table is
cut, when nobody made partitions in time, when the process is killed, or while others write.  Prints TAP."""

import json
import os
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from method import doors  # noqa: E402
from place import BIN, Database, Place, has, main, postgres_test, same  # noqa: E402

DAY = 86400
NOW = 20000 * DAY + 3600  # an hour after some midnight
LISTENER = {"app_key": "a", "instance_index": 0, "handler_method": "h", "topic": "t", "source_location": "a.py:1"}
SCHEMA = os.path.join(os.environ["STELE_TEST_SOURCE"], "sql", "telemetry", "schema.postgres.sql")


class Store:
    """A telemetry store on PostgreSQL with one listener."""

    def __init__(self, place, database, older=False):
        self.url = database.url
        if older:
            with open(SCHEMA, encoding="utf-8") as file:
                self.sql("CREATE SCHEMA telemetry; SET search_path = telemetry; " + file.read())
        self.player = doors.Player()
        self.player.open({"home": place.home, "database": database.url})
        self.call("telemetry.create_session", now=1)
        self.call("telemetry.register_listener", **LISTENER)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.player.__exit__(*_)

    def call(self, method, **args):
        return self.player.must("call", method, json.dumps(args))

    def record(self, *times, status="success", **more):
        self.call("telemetry.persist_batch", executions=[], invocations=[
            {"listener_id": 1, "session_id": 1, "execution_start_dtme": time, "duration_ms": 1, "status": status, **more} for time in times])

    def times(self):
        return sorted(row["execution_start_dtme"] for row in self.call("telemetry.get_handler_invocations", listener_id=1, limit=10000))

    def retain(self, now, keep="7d"):
        [row] = self.call("stele.retain", outside=True, again=True, only=["telemetry.invocations"], now=now, keep={"telemetry.invocations": keep})
        return row

    def sql(self, text):
        done = subprocess.run(["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "-v", "ON_ERROR_STOP=1", "-c", text, self.url],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        same((done.returncode, done.stdout if done.returncode else ""), (0, ""))
        return done.stdout.strip()

    def partitions(self):
        """{name without the table's: rows}"""
        listed = self.sql("SET search_path = telemetry; SELECT c.relname || ' ' || (SELECT count(*) FROM handler_invocations AS h WHERE h.tableoid = c.oid)"
                          " FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = 'handler_invocations'::regclass")
        return {name.removeprefix("handler_invocations_"): int(rows) for name, rows in (line.split() for line in listed.split("\n"))}


def until(day):
    """The name of the partition that ends with that day, counted from the one of NOW."""
    return subprocess.run(["date", "-u", "-d", f"@{(20000 + day + 1) * DAY}", "+until_%Y%m%d"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


@postgres_test("partitions are made ahead, and what is over goes a partition at a time, up to a day later than row by row")
def _():
    with Place() as place, Database() as database, Store(place, database) as store:
        store.record(NOW)
        same(store.retain(NOW)["rows"], 0)
        same(store.partitions(), {"rest": 0, until(0): 1, **{until(day): 0 for day in range(1, 8)}})
        store.record(*(NOW + day * DAY + hour for day in range(1, 8) for hour in (0, 60)))
        same(store.partitions(), {"rest": 0, until(0): 1, **{until(day): 2 for day in range(1, 8)}})
        gone = store.retain(NOW + 8 * DAY)  # the second day is not over: its rows wait for it
        same((gone["rows"], gone["before"], gone["oldest"], gone["newest"]), (1, float(20001 * DAY), float(NOW), float(NOW)))
        gone = store.retain(NOW + 9 * DAY)
        same((gone["rows"], gone["oldest"], gone["newest"]), (2, float(NOW + DAY), float(NOW + DAY + 60)))
        same((until(1) in store.partitions(), len(store.times())), (False, 12))
        same(store.retain(NOW + 9 * DAY, keep=60)["rows"], 12)  # who keeps less than a day wants it to the second
        same(store.times(), [])


@postgres_test("a partition in which something is held has its other rows taken out, and goes when it is released")
def _():
    with Place() as place, Database() as database, Store(place, database) as store:
        store.retain(NOW)
        store.record(NOW + DAY, NOW + DAY + 1, NOW + DAY + 2, NOW + 2 * DAY)
        store.call("stele.hold", store="telemetry", kind="invocation", since=NOW + DAY + 1, until=NOW + DAY + 2, reason="case 7")
        told = store.retain(NOW + 20 * DAY)
        same((told["rows"], told["held"], store.times()), (3, 1, [NOW + DAY + 1]))
        same(until(1) in store.partitions(), True)
        store.call("stele.release_hold", store="telemetry", id=1)
        told = store.retain(NOW + 20 * DAY)
        same((told["rows"], told["held"], store.times(), until(1) in store.partitions()), (1, 0, [], False))


@postgres_test("what was dropped is not found any more")
def _():
    with Place() as place, Database() as database, Store(place, database) as store:
        store.retain(NOW)
        store.record(NOW + DAY, status="error", error_type="E", error_message="pomegranate early")
        store.record(NOW + 9 * DAY, status="error", error_type="E", error_message="pomegranate late")
        same(len(store.call("recall.search", query="pomegranate")), 2)
        same(store.retain(NOW + 10 * DAY)["rows"], 1)
        same(["late" in found["snippet"] for found in store.call("recall.search", query="pomegranate")], [True])


@postgres_test("an older table is cut where it stands: rows, numbers, keys, holds and what notes changes are kept")
def _():
    with Place() as place, Database() as database, Store(place, database, older=True) as store:
        store.record(NOW - 20 * DAY, NOW - DAY, NOW)
        store.record(NOW - 19 * DAY, status="error", error_type="E", error_message="pomegranate")
        same(len(store.call("recall.search", query="pomegranate")), 1)
        store.call("stele.hold", store="telemetry", kind="invocation", until=NOW - 19 * DAY, reason="case 7")
        same(store.sql("SELECT relkind FROM pg_class WHERE oid = 'telemetry.handler_invocations'::regclass"), "r")
        told = store.retain(NOW)
        same((told["rows"], told["held"], store.times()), (1, 1, [NOW - 20 * DAY, NOW - DAY, NOW]))
        same(store.sql("SELECT relkind FROM pg_class WHERE oid = 'telemetry.handler_invocations'::regclass"), "p")
        same(store.partitions()[until(0)], 3)
        same(store.call("recall.search", query="pomegranate"), [])
        same(store.call("telemetry.record_invocation", listener_id=1, session_id=1, execution_start_dtme=NOW + DAY, duration_ms=1, status="success")["id"], 5)
        word, reply = store.player.call("telemetry.retention_cleanup", json.dumps({"cutoff": NOW - 10 * DAY}))
        same((word, reply["handler_invocations"], len(store.times())), ("ok", 0, 4))
        same(store.sql("SELECT count(*) FROM pg_constraint WHERE conrelid = 'telemetry.handler_invocations'::regclass AND contype = 'f'"), "2")


@postgres_test("rows for which nobody made a partition are in the rest, which becomes one; those of the future stay there")
def _():
    with Place() as place, Database() as database, Store(place, database) as store:
        store.retain(NOW)
        store.record(NOW + 20 * DAY, NOW + 30 * DAY, NOW + 33 * DAY, NOW + 400 * DAY)
        same(store.partitions()["rest"], 4)
        same(store.retain(NOW + 31 * DAY, keep="90d")["rows"], 0)
        found = store.partitions()
        same((found["rest"], sum(found.values())), (1, 4))
        same(store.times(), [NOW + 20 * DAY, NOW + 30 * DAY, NOW + 33 * DAY, NOW + 400 * DAY])
        told = store.retain(NOW + 32 * DAY)  # a wide partition has its rows taken out as they are due
        same((told["rows"], store.times()[0]), (1, NOW + 30 * DAY))


@postgres_test("at the end of the calendar no partition is made, and what is due goes all the same")
def _():
    end = 253402300799  # of the year 9999
    with Place() as place, Database() as database, Store(place, database) as store:
        store.record(NOW, end)
        same((store.retain(end)["rows"], store.times(), store.partitions()), (1, [end], {"rest": 1}))


@postgres_test("killed at any moment, cutting and dropping lose no row that is not due")
def _():
    with Place() as place, Database() as database, Store(place, database, older=True) as store:
        kept = [NOW + second for second in range(500)]
        store.record(*kept, *(NOW - 30 * DAY + second for second in range(1500)))
        command = [BIN, "call", "stele.retain", json.dumps({"outside": True, "again": True, "only": ["telemetry"], "now": NOW})]
        killed = 0
        for tries in range(200):
            process = subprocess.Popen(command, env=place.environment({"STELE_DATABASE_URL": database.url}), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(0.03 * 1.3 ** tries)
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
                same([time for time in store.times() if time >= NOW], kept)
        same((process.returncode, killed > 0, store.times()), (0, True, kept))
        same(store.partitions()[until(0)], 500)


@postgres_test("while others write, rounds of many days lose nothing and count what they delete")
def _():
    with Place() as place, Database() as database, Store(place, database) as store, Store(place, database) as rounds:
        days, written = 12, []

        def write():
            for day in range(days):
                for part in range(5):
                    batch = [NOW + day * DAY + part * 100 + n for n in range(20)]
                    store.record(*batch)
                    written.extend(batch)
        writer = threading.Thread(target=write)
        writer.start()
        deleted = sum(rounds.retain(NOW + day * DAY)["rows"] for day in range(days))
        writer.join()
        deleted += rounds.retain(NOW + days * DAY)["rows"]
        left = store.times()
        same((len(written), len(left) + deleted), (days * 100, days * 100))
        same([time for time in written if time >= NOW + (days - 6) * DAY], [time for time in left if time >= NOW + (days - 6) * DAY])


@postgres_test("a copy of a store that is cut has all rows, and files know no partitions")
def _():
    with Place() as place, Database() as database, Store(place, database) as store:
        store.retain(NOW)
        store.record(*(NOW + day * DAY for day in range(-3, 12)))
        place.run("copy", place.at("back"), "telemetry", "--json", env={"STELE_DATABASE_URL": database.url}).reply()
        files = place.call("telemetry.get_handler_invocations", {"listener_id": 1, "limit": 1000}, "--home", place.at("back")).reply()
        same(sorted(row["execution_start_dtme"] for row in files), store.times())
        ddl = {row["name"]: row["ddl"] for row in store.call("stele.schema", store="telemetry") if row["type"] == "table"}
        has(ddl["handler_invocations"], "PARTITION BY RANGE (execution_start_dtme)")
        same([name for name in ddl if "_until_" in name or name.endswith("_rest")], [])


if __name__ == "__main__":
    sys.exit(main())
