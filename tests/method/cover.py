"""Which cases a door plays that does not play all: few short ones, in which every method succeeds and every kind of failure is met;
or, where doors share the methods among them, each method through one of them, and every kind of failure through all."""

import zlib

from method import script

SHARING = ("step", "python", "mcp", "http", "cli")
KEY = "idempotency_key"  # what repeats a call is met by every door


def sort_of(call):
    """Of calls of one sort, a door has to make one: a method that succeeds, or that its engine cannot do, or a status."""
    if isinstance(call.expected, script.Failure) and not (call.expected.status == "UNSUPPORTED" and call.engine):
        return call.expected.status
    return call.method


def sorts_in(case, engine):
    calls = case.calls_on(engine)
    return {sort_of(call) for call in calls} | {KEY for call in calls if KEY in call.args}


def is_of(door, sort):
    """Is it this door that plays it, of those that share the methods?"""
    return "." not in sort or SHARING[zlib.crc32(sort.encode()) % len(SHARING)] == door


def choose(cases, engine, door=None):
    """In their order.  Always next the one that has most that is new for its length, until nothing new is left.  door: its share."""
    sorts = {case.where: sorts_in(case, engine) for case in cases}
    costs = {case.where: 3 + len(case.calls_on(engine)) for case in cases}  # a case costs about as much as three calls
    wanted, chosen = {sort for found in sorts.values() for sort in found if door is None or is_of(door, sort)}, set()
    while wanted:
        best = max(sorts, key=lambda where: len(sorts[where] & wanted) / costs[where])
        wanted -= sorts[best]
        chosen.add(best)
    return [case for case in cases if case.where in chosen]
