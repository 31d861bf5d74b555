#!/usr/bin/env python3
"""Tickets of the four queues: who gets them, what comes of them, and that nobody settles what he no longer holds.  Prints TAP."""

import concurrent.futures
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from capture_store.captured import NOW, SECOND, SESSION, event, page, queue_test, run, segment  # noqa: E402
from method import doors  # noqa: E402
from place import main, same  # noqa: E402

TIMEOUT = 600 * SECOND


def ids(tickets):
    return [each["id"] for each in tickets]


def denied(answer):
    word, failure = answer
    same((word, failure["code"], failure["field"]), ("error", "DENIED", "token"))


# ---- Who gets which ------------------------------------------------------------------------------------------------

@queue_test("commands are given once their session is still, the oldest session first, probes never")
def _(captured):
    captured.sql(SESSION + event(1, session=1, at=NOW - 200 * SECOND) + event(2, session=2, at=NOW - 900 * SECOND)
                 + event(3, session=2, at=NOW - 100 * SECOND) + event(4, session=1, at=NOW - 300 * SECOND)
                 + event(5, session=1, at=NOW - 900 * SECOND, probe="'p'"))
    same(ids(captured.call("claim", queue="shell", worker="w")), [104, 101])
    same(ids(captured.call("claim", queue="shell", worker="w", idle=100)), [102, 103])
    same(captured.call("claim", queue="shell", worker="w", idle=0), [])


@queue_test("segments are given by place, one agent's if it is named, with their hash; what was learned already is done")
def _(captured):
    captured.sql(segment(1, start=30, cwd="/b") + segment(2, start=20, cwd="/a") + segment(3, start=40, cwd="/a", content="'c'")
                 + segment(4, harness="cursor", start=10) + segment(5, start=5, content="'x'", learned="'x'")
                 + segment(6, start=1, probe="'p'"))
    first = captured.call("claim", queue="agentic", worker="w", harness="codex", limit=2)
    same([(each["id"], each["source_id"], each["content_hash"]) for each in first], [(202, 2, "a"), (203, 3, "c")])
    same(ids(captured.call("claim", queue="agentic", worker="w")), [204, 201])
    same(captured.tickets("agentic")[205], ("done", 0, None))
    same(206 in captured.tickets("agentic"), False)


@queue_test("pages and runs are given by priority, then age")
def _(captured):
    captured.sql(page(1) + page(2, at=NOW - 30 * SECOND) + page(3, probe="'p'")
                 + run(7, at=2) + run(8, at=1) + run(9, priority=1, at=3))
    same([(each["id"], each["content_hash"]) for each in captured.call("claim", queue="browser", worker="w")], [(301, "p1")])
    same(ids(captured.call("claim", queue="workflow", worker="w")), [9, 8, 7])


@queue_test("claimers at once never hold the same ticket")
def _(captured):
    captured.sql(SESSION + "".join(event(each) for each in range(1, 81)) + "".join(segment(each) for each in range(1, 81)))
    players = [captured.another() for _ in range(8)]

    def claim(player):
        held = []
        for queue in ("shell", "agentic"):
            while True:
                word, got = player.call("capture.claim", json.dumps({"queue": queue, "worker": "w", "limit": 3, "now": NOW}))
                if word == "error":
                    raise AssertionError(got)
                if not got:
                    break
                held += ids(got)
        return held
    with concurrent.futures.ThreadPoolExecutor(len(players)) as pool:
        held = sorted(each for some in pool.map(claim, players) for each in some)
    same(held, [*range(101, 181), *range(201, 281)])


# ---- What comes of them --------------------------------------------------------------------------------------------

@queue_test("a ticket of any queue is completed, skipped, or failed until it is given up")
def _(captured):
    captured.sql(SESSION + event(1) + event(2) + event(3) + segment(1) + segment(2) + segment(3) + page(1) + page(2) + page(3)
                 + run(1) + run(2) + run(3))
    for queue in ("shell", "agentic", "browser", "workflow"):
        done, skipped, failed = captured.call("claim", queue=queue, worker="w")

        def args(ticket):
            return {"queue": queue, "id": ticket["id"], "token": ticket["token"]}
        same(captured.call("complete", **args(done)), {"status": "done"})
        same(captured.call("skip", **args(skipped), reason="nothing in it"), {"status": "skipped"})
        same(captured.call("fail", **args(failed), error="no model", max_retries=2), {"status": "pending"})
        denied(captured.ask("complete", **args(failed)))
        again, = captured.call("claim", queue=queue, worker="w")
        same((again["id"], again["token"] != failed["token"]), (failed["id"], True))
        denied(captured.ask("fail", **args(failed), error="late"))
        same(captured.call("fail", **args(again), error="no model", max_retries=2), {"status": "failed"})
        same(list(captured.tickets(queue).values()).count(("failed", 2, "no model")), 1)
        same(captured.tickets(queue)[done["id"]], ("done", 0, None))
        same(captured.tickets(queue)[skipped["id"]], ("skipped", 0, "nothing in it"))
    same([(each["queue"], each["done"], each["skipped"], each["failed"], each["pending"]) for each in captured.call("queue_depth")],
         [(queue, 1, 1, 1, 0) for queue in ("agentic", "browser", "shell", "workflow")])


@queue_test("a segment is closed for what was claimed only: one that changed meanwhile is found by the sweep")
def _(captured):
    captured.sql("".join(segment(each) for each in range(1, 7)))
    changed, same_still, skipped, failed, *_ = captured.call("claim", queue="agentic", worker="w", limit=4)
    captured.sql("UPDATE agentic_sessions SET content_hash = 'b' WHERE id = 1;")
    for ticket in (changed, same_still):
        captured.call("complete", queue="agentic", id=ticket["id"], token=ticket["token"])
    captured.call("skip", queue="agentic", id=skipped["id"], token=skipped["token"], reason="r")
    captured.call("fail", queue="agentic", id=failed["id"], token=failed["token"], error="e", max_retries=1)
    captured.sql(segment(7, harness="opencode", ticket=False) + segment(8, probe="'p'", ticket=False)
                 + segment(9, start=NOW - SECOND, ticket=False))
    later = NOW + TIMEOUT
    same(captured.call("sweep_unqueued", now=later), {"enqueued": 3})
    same(captured.tickets("agentic")[201], ("pending", 0, None))
    same(captured.call("sweep_unqueued", now=later), {"enqueued": 0})
    same(sorted(each["source_id"] for each in captured.call("claim", queue="agentic", worker="w", now=later)), [1, 5, 6, 7, 9])


# ---- Who no longer holds -------------------------------------------------------------------------------------------

@queue_test("what a worker that died held is taken back; if it lives after all, it cannot settle it")
def _(captured):
    captured.sql(SESSION + event(1))
    worker = doors.Player()
    worker.open(captured.place)
    held, = worker.must("call", "capture.claim", json.dumps({"queue": "shell", "worker": "w", "now": NOW}))
    worker.process.kill()
    worker.process.communicate()
    same(captured.call("reap", now=NOW + TIMEOUT - 1), {"reaped": 0, "failed": 0})
    same(captured.call("reap", now=NOW + TIMEOUT), {"reaped": 1, "failed": 0})
    same(captured.tickets("shell"), {101: ("pending", 1, "stale lock reaped (>=600s)")})
    old = {"queue": "shell", "id": 101, "token": held["token"]}
    denied(captured.ask("complete", **old))
    again, = captured.call("claim", queue="shell", worker="w", now=NOW)  # with the very same lock
    denied(captured.ask("complete", **old))
    denied(captured.ask("skip", **old, reason="r"))
    denied(captured.ask("complete", **{**old, "token": "guessed"}))
    same(captured.tickets("shell")[101][:2], ("processing", 1))
    same(captured.call("complete", **{**old, "token": again["token"]}), {"status": "done"})
    denied(captured.ask("complete", **{**old, "token": again["token"]}))


@queue_test("a claim takes back what is locked for too long, and a ticket that was taken back too often is given up")
def _(captured):
    captured.sql(segment(1))
    for tries in range(5):
        held, = captured.call("claim", queue="agentic", worker="w", now=NOW + tries * TIMEOUT)
    same(captured.call("claim", queue="agentic", worker="w", now=NOW + 5 * TIMEOUT), [])
    same(captured.tickets("agentic"), {201: ("failed", 5, "stale lock reaped (>=600s)")})
    denied(captured.ask("complete", queue="agentic", id=201, token=held["token"]))
    same(captured.call("sweep_unqueued", now=NOW + 6 * TIMEOUT), {"enqueued": 0})  # this content is not tried again


@queue_test("a ticket that another program took back and gave away is not settled with the old token")
def _(captured):
    captured.sql(run(1) + run(2))
    first, second = captured.call("claim", queue="workflow", worker="w")
    captured.sql(f"UPDATE workflow_enrichment_queue SET locked_by = 'brain', locked_at = {NOW + 1} WHERE run_id = 1;"
                 "UPDATE workflow_enrichment_queue SET status = 'pending', locked_by = NULL, locked_at = NULL WHERE run_id = 2;")
    for ticket in (first, second):
        denied(captured.ask("complete", queue="workflow", id=ticket["id"], token=ticket["token"]))
    again, = captured.call("claim", queue="workflow", worker="w")
    same(captured.call("complete", queue="workflow", id=2, token=again["token"]), {"status": "done"})
    same(captured.call("reap", now=NOW + 1 + TIMEOUT), {"reaped": 1, "failed": 0})


if __name__ == "__main__":
    sys.exit(main())
