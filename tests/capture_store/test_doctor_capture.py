#!/usr/bin/env python3
"""The lines of the checkup about capturing: each is well, is made to fire by breaking what it watches, and is well again.  Prints TAP."""

import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from capture_store.captured import SESSION, event, page, queue_test, run, segment  # noqa: E402
from place import has, main, same, server_of  # noqa: E402

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
LINES = ["handshake", "sources", "freshness", "watchdog", "fallback", "queues", "tickets", "failed", "alarms", "seeds", "quarantine", "vectors", "embeddings"]


def now():
    return int(time.time() * 1000)


def doctor(store):
    """The lines about the store by their names."""
    found = store.player.must("call", "stele.doctor", json.dumps({"stores": ["capture"]}))
    lines = {row["check"]: row for row in found if row["store"] == "capture"}
    for check, row in lines.items():
        same((row["doc"], row["cause"] is None, row["fix"] is None), (f"docs/doctor.md#{check}", row["state"] == "ok", row["state"] == "ok"))
    return lines


def line(store, check, state, *parts):
    row = doctor(store)[check]
    same((row["state"], row["summary"]), (state, row["summary"]))
    has(row["summary"], *parts)
    return row


def health(store, source, **values):
    store.sql(f"UPDATE source_health SET {', '.join(f'{name} = {value}' for name, value in values.items())} WHERE source = '{source}'")


@queue_test("a new store is well in every line")
def _(store):
    lines = doctor(store)
    same([check for check in LINES if check not in lines], [])
    same({row["state"] for row in lines.values()}, {"ok"})
    has(lines["watchdog"]["summary"], "never started")
    has(lines["sources"]["summary"], "nothing came in yet")


@queue_test("sources: silence alone is nothing; with probes that run, or failures, it is")
def _(store):
    health(store, "shell", last_event_ts=now() - DAY)
    line(store, "sources", "ok", "1 way in")
    health(store, "shell", probe_last_run_ts=now(), last_event_ts=now() - 10 * MINUTE)
    line(store, "sources", "warn", "shell brings nothing since 10 min")
    health(store, "shell", last_event_ts=now() - 20 * MINUTE)
    line(store, "sources", "fail", "shell brings nothing since 20 min")
    health(store, "shell", last_event_ts=now())
    line(store, "sources", "ok")
    store.player.must("call", "capture.record_source_error", json.dumps({"source": "agentic-session-codex", "error": "no such file"}))
    line(store, "sources", "warn", "agentic-session-codex failed 1 time in a row: no such file")
    health(store, "agentic-session-codex", consecutive_failures=4)
    line(store, "sources", "fail", "failed 4 times")
    health(store, "brain-preflight", consecutive_failures=12, last_error_msg="'down'")
    health(store, "agentic-session-codex", consecutive_failures=0)
    line(store, "sources", "warn", "brain-preflight failed 12 times in a row: down")
    health(store, "brain-preflight", consecutive_failures=0)
    line(store, "sources", "ok")


@queue_test("freshness: old rows are remarked; they are wrong if somebody is there to bring newer ones")
def _(store):
    store.sql(SESSION + event(1, at=now() - 2 * HOUR, ticket=False) + event(2, at=now(), probe="'p'", ticket=False))
    line(store, "freshness", "ok", "new enough")
    store.sql(f"UPDATE events SET timestamp = {now() - 3 * DAY} WHERE id = 1")
    line(store, "freshness", "warn", "no commands since 3 days")  # a probe is no command
    store.sql(f"UPDATE events SET timestamp = {now() - 9 * DAY} WHERE id = 1")
    line(store, "freshness", "warn", "no commands since 9 days")
    health(store, "shell", last_heartbeat_ts=now() - HOUR)
    line(store, "freshness", "fail", "no commands since 9 days")
    store.sql(f"UPDATE events SET timestamp = {now()} WHERE id = 1; " + segment(1, start=now() - 4 * DAY, ticket=False))
    line(store, "freshness", "warn", "no sessions of codex since 4 days")


@queue_test("watchdog: one that stopped is seen; one that never ran is not missed")
def _(store):
    store.sql(f"INSERT INTO source_health (source, last_heartbeat_ts, updated_at) VALUES ('watchdog', {now() - 30_000}, 0)")
    line(store, "watchdog", "ok", "looked 3")
    health(store, "watchdog", last_heartbeat_ts=now() - 140_000)
    line(store, "watchdog", "warn", "last looked 2 min ago")
    health(store, "watchdog", last_heartbeat_ts=now() - 4 * MINUTE)
    line(store, "watchdog", "fail", "last looked 4 min ago")
    health(store, "watchdog", last_success_ts=now())
    line(store, "watchdog", "ok")


@queue_test("fallback: files that nobody took in for a day")
def _(store):
    home = store.place["home"]
    path = os.path.join(home, "fallback", "2026-01-02.jsonl")
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    for name in (path, path + ".done"):
        with open(name, "w", encoding="utf-8"):
            pass
    os.utime(path + ".done", (1, 1))
    line(store, "fallback", "ok", "1 file of what")
    os.utime(path, (time.time() - 3 * 86400,) * 2)
    line(store, "fallback", "warn", "1 file in", "from 3 days ago")
    with server_of(home, "0.0.1 1 capture=18\n"):
        line(store, "fallback", "fail", "from 3 days ago")
    os.remove(path)
    line(store, "fallback", "ok", "nothing waits")


@queue_test("queues: what waits long is told once somebody works at all")
def _(store):
    store.sql(SESSION + event(1) + page(1))
    store.sql(f"UPDATE enrichment_queue SET created_at = {now() - 30 * DAY}; UPDATE browser_enrichment_queue SET created_at = {now()}")
    line(store, "queues", "ok", "2 tickets wait; no worker has ever taken one")
    store.sql("UPDATE browser_enrichment_queue SET status = 'done'")
    line(store, "queues", "fail", "shell: 1 wait, the oldest for 30 days")
    store.sql(f"UPDATE enrichment_queue SET created_at = {now() - 30 * HOUR}")
    line(store, "queues", "warn", "the oldest for 30 h")
    store.sql(f"UPDATE enrichment_queue SET created_at = {now()}")
    line(store, "queues", "ok", "1 ticket waits")
    store.sql("".join(event(id, ticket=True) for id in range(2, 103)) + f"UPDATE enrichment_queue SET created_at = {now()}")
    line(store, "queues", "warn", "shell: 102 wait")


@queue_test("tickets: locked for longer than the timeout")
def _(store):
    store.sql(run(1))
    for ago, state in ((1 * MINUTE, "ok"), (20 * MINUTE, "warn"), (2 * HOUR, "fail")):
        store.sql(f"UPDATE workflow_enrichment_queue SET status = 'processing', locked_by = 'w', locked_at = {now() - ago}")
        line(store, "tickets", state, *(["1 locked for too long", "workflow: 1, the oldest for"] if state != "ok" else []))
    store.player.must("call", "capture.reap", "{}")
    line(store, "tickets", "ok")


@queue_test("failed: tickets that were given up")
def _(store):
    store.sql(SESSION + event(1) + segment(1))
    store.sql("UPDATE enrichment_queue SET status = 'failed'; UPDATE agentic_enrichment_queue SET status = 'failed'")
    line(store, "failed", "warn", "2 tickets were given up")
    store.sql("UPDATE enrichment_queue SET status = 'pending'; UPDATE agentic_enrichment_queue SET status = 'skipped'")
    line(store, "failed", "ok")


@queue_test("alarms: active ones are wrong, resolved ones to be looked at, acknowledged ones nothing")
def _(store):
    store.sql(f"INSERT INTO capture_alarms (invariant_id, raised_at, details_json) VALUES ('I-4', {now() - HOUR * 3}, '{{}}'), ('I-1', {now()}, '{{}}')")
    line(store, "alarms", "fail", "2 alarms, the first 3 h ago: I-4")
    store.sql("UPDATE capture_alarms SET resolved_at = raised_at")
    line(store, "alarms", "warn", "2 alarms were resolved by themselves")
    store.sql("UPDATE capture_alarms SET acked_at = raised_at")
    line(store, "alarms", "ok", "no alarm stands")


@queue_test("seeds: sources that are missing")
def _(store):
    store.sql("DELETE FROM source_health WHERE source IN ('browser', 'brain-preflight')")
    line(store, "seeds", "warn", "source_health has no brain-preflight; source_health has no browser")
    same([(row["action"], row["rows"]) for row in store.player.must("call", "stele.repair", "{}")], [("seeded", 2)])
    line(store, "seeds", "ok")


@queue_test("embeddings: of two models")
def _(store):
    vectors = "CREATE TABLE stele_embeddings (kind TEXT, id TEXT, model TEXT, origin TEXT);"
    store.sql(vectors + "INSERT INTO stele_embeddings VALUES ('node', '1', 'a', 'caller'), ('node', '1', 'b', 'model'), ('event', '1', 'b', 'caller');")
    line(store, "embeddings", "ok", "no embeddings yet")
    store.sql("CREATE TABLE embed_model_meta (id INTEGER PRIMARY KEY, model TEXT); INSERT INTO embed_model_meta VALUES (1, 'a');")
    line(store, "embeddings", "ok", "all embeddings are of a")
    store.sql("INSERT INTO stele_embeddings VALUES ('node', '2', 'b', 'caller');")
    line(store, "embeddings", "fail", "1 embedding is of another model than a")
    store.sql("DELETE FROM stele_embeddings WHERE model = 'b'")
    line(store, "embeddings", "ok")


@queue_test("quarantine and vectors: what was put aside, and what could not be reached")
def _(store):
    if store.places.engine == "postgres":
        return  # no row can lose its parent, and there is no knowledge_vectors
    store.sql("INSERT INTO event_entities (event_id, entity_id, role, created_at) VALUES (1, 1, 'r', 0)")
    line(store, "references", "warn", "1 row refers")
    store.player.must("call", "stele.repair", "{}")
    line(store, "references", "ok")
    line(store, "quarantine", "ok", "1 row was put aside")
    store.sql("CREATE TABLE stele_removed_nodes (node_id INTEGER NOT NULL PRIMARY KEY, uuid TEXT NOT NULL, removed_at INTEGER NOT NULL);"
              "INSERT INTO stele_removed_nodes VALUES (1, 'a', 1), (2, 'b', 1);")
    line(store, "vectors", "ok")
    store.sql("CREATE TABLE knowledge_vectors_rowids (rowid INTEGER PRIMARY KEY, id, chunk_id, chunk_offset); INSERT INTO knowledge_vectors_rowids VALUES (2, 2, 1, 1)")
    line(store, "vectors", "warn", "1 node is gone, but not from knowledge_vectors")
    store.sql("DELETE FROM knowledge_vectors_rowids")
    line(store, "vectors", "ok")


@queue_test("seeds: nodes that the search table lost")
def _(store):
    if store.places.engine == "postgres":
        return  # it has no search table
    store.sql("INSERT INTO knowledge_nodes (uuid, content, embed_text, created_at, updated_at) VALUES ('u', '{}', 'x', 1, 1); DELETE FROM knowledge_fts")
    line(store, "seeds", "warn", "the search table lacks 1 node")
    store.player.must("call", "stele.repair", "{}")
    line(store, "seeds", "ok")


if __name__ == "__main__":
    sys.exit(main())
