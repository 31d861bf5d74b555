#!/usr/bin/env python3
"""stele alarms and stele watchdog.  Prints TAP."""

import sys

from place import Place, has, lacks, main, same, test

CODEX = "agentic-session-codex"


def broken(place):
    for _ in range(4):
        place.call("capture.record_source_error", {"source": CODEX, "error": "no route"}).reply()


@test("where nothing is wrong, that is said, and the exit status is 0")
def _():
    with Place() as place:
        for words, said in ((["watchdog"], "nothing is wrong"), (["alarms"], "no alarms"), (["alarms", "list"], "no alarms")):
            done = place.run(*words)
            same((words, done.status, done.out), (words, 0, ""))
            has(done.err, said)


@test("what is wrong is shown, and the exit status of alarms is 1 until it is acknowledged")
def _():
    with Place() as place:
        broken(place)
        done = place.run("watchdog")
        same(done.status, 0)
        has(done.out, "I-13", CODEX, "raised", "4 failures in a row: no route")
        for words in (["alarms"], ["alarms", "list"]):
            done = place.run(*words)
            same(done.status, 1)
            has(done.out, "active", "I-13", CODEX)
        done = place.run("alarms", "ack", "1", "--note", "the cable")
        same(done.status, 0)
        has(done.out, "the cable")
        same(place.run("alarms").status, 0)
        same(place.run("alarms", "ack", "1").status, 0)


@test("what is resolved is listed, and gone after prune")
def _():
    with Place() as place:
        broken(place)
        place.run("watchdog")
        place.call("capture.record_source_success", {"source": CODEX}).reply()
        place.run("watchdog")
        same(place.run("alarms").status, 1)
        has(place.run("watchdog").out, "resolved")
        done = place.run("alarms")
        same(done.status, 0)
        has(done.out, "resolved")
        same(place.run("alarms", "prune").out, "1 resolved alarm acknowledged\n")
        same(place.run("alarms", "prune").out, "0 resolved alarms acknowledged\n")
        lacks(place.run("alarms").out, "I-13")
        has(place.call("capture.list_alarms", {"state": "acked"}).out, "auto-resolved")


@test("mistakes are told")
def _():
    with Place() as place:
        for words, said in ((["ack", "x"], "an alarm is a number"), (["ack", "7"], "id 7 does not exist"), (["ack"], "something is missing"),
                            (["prune", "now"], "too much"), (["silence"], "there is no silence")):
            done = place.run("alarms", *words)
            same(done.status != 0, True)
            has(done.err, said)


if __name__ == "__main__":
    sys.exit(main())
