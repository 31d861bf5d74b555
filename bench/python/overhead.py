#!/usr/bin/env python3
"""What a call costs from Python: telemetry.update_heartbeat on a store in memory, as bench/telemetry/overhead.c makes it from C.

Prints the median of many turns of a thousand calls, in microseconds of processor time, as JSON."""

import json
import statistics
import sys
import time

import stele

TURN = 1000


def turn(db, number):
    beat = db.telemetry.update_heartbeat
    start = time.thread_time()
    for n in range(TURN):
        beat(session_id=1, now=1750000000 + number * TURN + n)
    return (time.thread_time() - start) / TURN * 1e6


def row_turn(db):
    start = time.thread_time()
    for _ in range(TURN // 10):
        db.telemetry.get_session_list(limit=20)
    return (time.thread_time() - start) / (TURN // 10) * 1e6


def main():
    turns = max(3, int(sys.argv[1]) // TURN)
    with stele.open(":memory:") as db:
        for _ in range(20):
            db.telemetry.create_session()
        print(json.dumps({"call_us": statistics.median(turn(db, number) for number in range(turns)),
                          "rows_us": statistics.median(row_turn(db) for _ in range(turns))}))


if __name__ == "__main__":
    main()
