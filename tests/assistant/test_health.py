#!/usr/bin/env python3
"""Samples that another program kept without a device are known again.  Prints TAP."""

import contextlib
import json
import os
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from method import doors  # noqa: E402
from place import main, postgres_test, same, test  # noqa: E402

KEPT = ("INSERT INTO health_samples (metric_type, start_time, value, source_device, created_at) VALUES"
        " ('steps', '2026-01-01T10:00:00.000000+00:00', '{\"count\": 1}', NULL, '2026-01-01T10:00:00.000000+00:00')")
SAMPLE = {"metric_type": "steps", "start_time": "2026-01-01T10:00:00Z", "value": {"count": 2}}


def play(places, write):
    with places, doors.Player() as player:
        place = places.new()
        player.open(place)

        def call(method, **args):
            return player.must("call", "assistant." + method, json.dumps(args))
        same(call("get_health_freshness"), [])
        write(place)
        same(call("save_health_samples", samples=[SAMPLE, {**SAMPLE, "source_device": ""}]), {"accepted": 0, "duplicates": 2})
        same(call("save_health_samples", samples=[{**SAMPLE, "source_device": "watch"}]), {"accepted": 1, "duplicates": 0})
        samples = call("get_health_samples", metric_type="steps", since=0)
        same([(each["source_device"], each["value"]) for each in samples], [(None, {"count": 1}), ("watch", {"count": 2})])


@test("sqlite: a sample without a device comes again")
def _():
    def write(place):
        with contextlib.closing(sqlite3.connect(os.path.join(place["home"], "assistant.db"))) as file, file:
            file.execute(KEPT)
    play(doors.Sqlite(), write)


@postgres_test("postgres: a sample without a device comes again")
def _():
    places = doors.Postgres(["assistant"])

    def write(place):
        places.sql(place, "assistant", KEPT)
    play(places, write)


if __name__ == "__main__":
    sys.exit(main())
