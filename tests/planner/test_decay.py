#!/usr/bin/env python3
"""Facts fade as the documented arithmetic says, day by day, on both engines.  Prints TAP."""

import datetime
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from method.engines import on_each  # noqa: E402
from place import main, same  # noqa: E402

START = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.timezone.utc)


def day(number, seconds=0):
    return (START + datetime.timedelta(days=number, seconds=seconds)).isoformat()


both = on_each("planner")


def fade(call, days, rate, threshold, idle, used=()):
    """One call a day: (day on which it was archived or None, the confidences on the way), by Stele."""
    call("save_fact", content="x", source="s", now=day(0))
    seen = []
    for n in range(1, idle + 1):
        if n in used:
            call("update_fact_usage", ids=[1], now=day(n))
        told = call("fade_facts", fact_decay_days=days, fact_decay_rate=rate, fact_archive_threshold=threshold, now=day(n, 1))
        if told["archived"]:
            [gone] = call("get_archived_facts")
            return n, seen + [gone["confidence"]]
        seen.append(call("get_fact", id=1)["confidence"])
    return None, seen


def expected(days, rate, threshold, idle, used=()):
    """The same by the arithmetic that is documented."""
    confidence, last, seen = 1.0, 0, []
    for n in range(1, idle + 1):
        last = n if n in used else last
        if n + 1 / 86400 - last > days:
            confidence = max(0.0, confidence - rate)
        seen.append(confidence)
        if confidence < threshold:
            return n, seen
    return None, seen


@both("an idle fact of the defaults is archived on the eighth step: seven leave 0.30000000000000016")
def _(call):
    told = fade(call, 7, 0.1, 0.3, 20)
    same(told, expected(7, 0.1, 0.3, 20))
    same((told[0], told[1][-2:]), (14, [0.30000000000000016, 0.20000000000000015]))


@both("use restarts the clock")
def _(call):
    told = fade(call, 3, 0.25, 0.5, 12, used=(3, 7))
    same(told, expected(3, 0.25, 0.5, 12, used=(3, 7)))
    same((told[0], told[1][:8]), (11, [1.0] * 5 + [0.75] * 3))


@both("steps of every size end where the arithmetic says, also at exactly the threshold")
def _(call):
    number = 0
    for rate, threshold in ((0.05, 0.3), (0.15, 0.3), (0.3, 0.1), (0.7, 0.3), (1.0, 0.0), (0.125, 0.5)):
        number += 1
        call("save_fact", content=str(number), source="s", now=day(0))
        confidence, steps = 1.0, 0
        while confidence >= threshold and steps < 12:
            steps += 1
            confidence = max(0.0, confidence - rate)
            told = call("fade_facts", fact_decay_days=7, fact_decay_rate=rate, fact_archive_threshold=threshold, now=day(30, steps))
            same((rate, steps, told), (rate, steps, {"decayed": 1, "archived": int(confidence < threshold)}))
        left = call("get_facts")
        same([row["confidence"] for row in left], [confidence] if confidence >= threshold else [])
        call("delete_facts", ids=[row["id"] for row in left])


@both("what was gained by use is lost again, step by step")
def _(call):
    call("save_fact", content="x", source="s", confidence=0.5, now=day(0))
    confidence = 0.5
    for n in range(1, 6):
        call("update_fact_usage", ids=[1], fact_use_gain=0.15, now=day(n))
        confidence = min(1.0, confidence + 0.15)
        same(call("get_fact", id=1)["confidence"], confidence)
    same(confidence, 1.0)
    same(call("decay_facts", now=day(12)), {"decayed": 0})
    same(call("decay_facts", now=day(12, 1)), {"decayed": 1})
    same(call("get_fact", id=1)["confidence"], 0.9)


if __name__ == "__main__":
    sys.exit(main())
