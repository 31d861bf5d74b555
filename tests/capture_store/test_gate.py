#!/usr/bin/env python3
"""Which segments are put into the queue, when others have been at work there.  Prints TAP."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from method.engines import on_each  # noqa: E402
from place import main, same  # noqa: E402

both = on_each("capture")
MINUTE = 60000
HARNESSES = ("claude-code", "opencode", "codex", "cursor")


def write(store, content, now, harness="codex", **more):
    return store("upsert_segment", session_id="s", harness=harness, project_dir="p", cwd="/", summary_text="x", message_count=3,
                 content_hash=content, start_time=1, end_time=2, now=now, **more)["enqueued"]


def settle(store, status, learned):
    """Somebody has processed every ticket."""
    store.sql(f"UPDATE agentic_enrichment_queue SET status = '{status}', updated_at = {MINUTE}, locked_by = 'worker'")
    store.sql(f"UPDATE agentic_sessions SET last_enriched_content_hash = '{learned}'")


@both("what was learned from is not learned from again")
def _(store):
    same(write(store, "1", MINUTE), True)
    for status in ("done", "skipped", "failed"):
        settle(store, status, "1")
        same(write(store, "1", 10 * MINUTE), False)
        same(store("sweep_unqueued", now=10 * MINUTE), {"enqueued": 0})


@both("new content is, five minutes later")
def _(store):
    same(write(store, "1", MINUTE), True)
    settle(store, "done", "1")
    same(write(store, "2", 5 * MINUTE), False)
    same(write(store, "2", 6 * MINUTE), True)


@both("nothing disturbs what is being processed")
def _(store):
    same(write(store, "1", MINUTE), True)
    settle(store, "processing", "")
    same(write(store, "2", 60 * MINUTE), False)
    same(store("sweep_unqueued", now=60 * MINUTE), {"enqueued": 0})


@both("the sweep finds what nobody told again, of every agent")
def _(store):
    for harness in HARNESSES:
        same(write(store, "1", MINUTE, harness), True)
    settle(store, "done", "1")
    for harness in HARNESSES:
        same(write(store, "2", 2 * MINUTE, harness), False)
    same(store("sweep_unqueued", now=2 * MINUTE), {"enqueued": 0})
    same(store("sweep_unqueued", now=9 * MINUTE, harness="cursor"), {"enqueued": 1})
    same(store("sweep_unqueued", now=9 * MINUTE, limit=2), {"enqueued": 2})
    same(store("sweep_unqueued", now=9 * MINUTE), {"enqueued": 1})
    same(store("sweep_unqueued", now=90 * MINUTE), {"enqueued": 0})


@both("the sweep finds a segment without a ticket")
def _(store):
    same(write(store, "1", MINUTE), True)
    store.sql("DELETE FROM agentic_enrichment_queue")
    same(store("sweep_unqueued", now=2 * MINUTE), {"enqueued": 1})


if __name__ == "__main__":
    sys.exit(main())
