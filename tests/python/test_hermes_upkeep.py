#!/usr/bin/env python3
"""stele.compat.hermes does what the original does: deleting, handoffs, topics, later versions.  Prints TAP."""

import os
import sqlite3
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from python.hermes_db import hermes_test, opened  # noqa: E402
from python.tap import main, raises, same, test  # noqa: E402


# ---- Upkeep ------------------------------------------------------------------------------------

@test("deleting: children stay, files go")
def _(place):
    with opened(place) as db:
        db.create_session("kid", "cli", parent_session_id="s1")
        db.say("x")
        for name in ("s1.json", "s1.jsonl", "request_dump_s1_1.json", "request_dump_s1_2.json", "s10.json"):
            open(os.path.join(place, name), "w").close()
        same((db.delete_session("s1", sessions_dir=place), db.delete_session("s1")), (True, False))
        same((db.get_session("kid")["parent_session_id"], db.message_count(), db.search_messages("x")), (None, 0, []))
        same(sorted(name for name in os.listdir(place) if name.endswith(("json", "jsonl"))), ["s10.json"])


@hermes_test("pruning: only what has ended; ghosts; orphaned continuations")
def _(db):
    old = time.time() - 100 * 86400
    for name in ("old", "running", "young", "ghost", "used"):
        db.start(name, old if name != "young" else time.time())
    db._conn.execute("UPDATE sessions SET ended_at = ? WHERE id IN ('old', 'young', 'ghost', 'used')", (old,))
    db._conn.execute("UPDATE sessions SET source = 'tui' WHERE id IN ('ghost', 'used')")
    db.say("x", session="used")
    same((db.prune_empty_ghost_sessions(), db.get_session("ghost")), (1, None))
    same(db.prune_sessions(source="nothing"), 0)
    same((db.prune_sessions(), sorted(row["id"] for row in db.search_sessions())), (2, ["running", "s1", "young"]))
    db._conn.execute("UPDATE sessions SET ended_at = 1, end_reason = 'compression' WHERE id = 'young'")
    db._conn.execute("UPDATE sessions SET parent_session_id = 'young' WHERE id = 'running'")
    same(db.finalize_orphaned_compression_sessions(), 0)  # it has no message
    db.say("x", session="running")
    same((db.finalize_orphaned_compression_sessions(), db.get_session("running")["end_reason"]), (1, "orphaned_compression"))
    db.start("haunted", old)
    db._conn.execute("UPDATE sessions SET source = 'tui', ended_at = 1 WHERE id = 'haunted'")
    db.create_session("kid", "cli", parent_session_id="haunted")
    raises(sqlite3.IntegrityError, db.prune_empty_ghost_sessions)


@hermes_test("automatic pruning: once in a while, and it never fails")
def _(db):
    db.start("old", 5)
    db.end_session("old", "x")
    same(db.maybe_auto_prune_and_vacuum(), {"skipped": False, "pruned": 1, "vacuumed": True})
    same(db.maybe_auto_prune_and_vacuum(), {"skipped": True, "pruned": 0, "vacuumed": False})
    db.set_meta("last_auto_prune", "garbage")
    same(db.maybe_auto_prune_and_vacuum(), {"skipped": False, "pruned": 0, "vacuumed": False})
    same(abs(float(db.get_meta("last_auto_prune")) - time.time()) < 60, True)
    db.set_meta("last_auto_prune", "0")
    db.prune_sessions = None
    same(sorted(db.maybe_auto_prune_and_vacuum()), ["error", "pruned", "skipped", "vacuumed"])
    db.set_meta("k", "v")
    db.set_meta("k", "w")
    same((db.get_meta("k"), db.get_meta("nothing")), ("w", None))


# ---- Handoff, topics, later versions -----------------------------------------------------------

@hermes_test("a handoff goes its way")
def _(db):
    same((db.get_handoff_state("s1"), db.get_handoff_state("nobody")), ({"state": None, "platform": None, "error": None}, None))
    same((db.request_handoff("s1", "telegram"), db.request_handoff("s1", "discord"), db.request_handoff("nobody", "x")), (True, False, False))
    same([row["id"] for row in db.list_pending_handoffs()], ["s1"])
    same((db.claim_handoff("s1"), db.claim_handoff("s1")), (True, False))
    db.fail_handoff("s1", "e" * 600)
    same(db.get_handoff_state("s1"), {"state": "failed", "platform": "telegram", "error": "e" * 500})
    same(db.request_handoff("s1", "discord"), True)
    db.complete_handoff("s1")
    same(db.get_handoff_state("s1"), {"state": "completed", "platform": "discord", "error": None})


@hermes_test("topics of Telegram: no table before they are switched on")
def _(db):
    def tables():
        return {row[0] for row in db._conn.execute("SELECT name FROM sqlite_master WHERE name LIKE 'telegram%'")}
    same((db.is_telegram_topic_mode_enabled(chat_id=1, user_id=2), db.get_telegram_topic_binding(chat_id=1, thread_id=2)), (False, None))
    same(db.list_telegram_topic_bindings_for_chat(chat_id=1), [])
    same(tables(), set())
    db.enable_telegram_topic_mode(chat_id=1, user_id=2, has_topics_enabled=True)
    same(tables(), {"telegram_dm_topic_mode", "telegram_dm_topic_bindings"})
    same((db.get_meta("telegram_dm_topic_schema_version"), db.is_telegram_topic_mode_enabled(chat_id="1", user_id="2")), ("2", True))
    db.create_session("t1", "telegram", user_id="2")
    db.create_session("t2", "telegram", user_id="2")
    db.bind_telegram_topic(chat_id=1, thread_id=7, user_id=2, session_key="k", session_id="t1")
    same(db.get_telegram_topic_binding(chat_id=1, thread_id=7)["managed_mode"], "auto")
    raises(ValueError, db.bind_telegram_topic, chat_id=1, thread_id=8, user_id=2, session_key="k", session_id="t1")
    same(db.get_telegram_topic_binding_by_session(session_id="t1")["thread_id"], "7")
    same((db.is_telegram_session_linked_to_topic(session_id="t1"), db.is_telegram_session_linked_to_topic(session_id="t2")), (True, False))
    same([row["id"] for row in db.list_unlinked_telegram_sessions_for_user(chat_id=1, user_id=2)], ["t2"])
    db.delete_session("t1")
    same(db.list_telegram_topic_bindings_for_chat(chat_id=1), [])
    db.disable_telegram_topic_mode(chat_id=1)
    same(db.is_telegram_topic_mode_enabled(chat_id=1, user_id=2), False)


@hermes_test("later versions: messages taken back, locks, archived sessions; a column comes when it is needed")
def _(db):
    ids = db.say("one", "two", "three")
    same("active" in db.get_messages("s1")[0], False)
    got = db.rewind_to_message("s1", ids[1])
    same((got["rewound_count"], got["target_message"]["content"], got["new_head_id"]), (2, "two", ids[0]))
    raises(ValueError, db.rewind_to_message, "s1", ids[1])
    same(([m["content"] for m in db.get_messages("s1")], len(db.get_messages("s1", include_inactive=True))), (["one"], 3))
    same((db.search_messages("three"), len(db.get_messages_as_conversation("s1"))), ([], 1))
    same((db.restore_rewound("s1", ids[2]), [m["content"] for m in db.list_recent_user_messages("s1")]), (1, ["three", "one"]))
    same(db.get_compression_lock_holder("s1"), None)
    same((db.try_acquire_compression_lock("s1", "a"), db.try_acquire_compression_lock("s1", "b")), (True, False))
    same(db.get_compression_lock_holder("s1"), "a")
    db.release_compression_lock("s1", "b")
    same(db.try_acquire_compression_lock("s1", "b"), False)
    db.release_compression_lock("s1", "a")
    same(db.try_acquire_compression_lock("s1", "b", ttl_seconds=-1), True)
    same(db.get_compression_lock_holder("s1"), None)
    same((db.set_session_archived("s1", True), db.list_sessions_rich(), len(db.list_sessions_rich(include_archived=True))), (True, [], 1))
    db.append_message("s1", "user", "x", platform_message_id="77", timestamp=5.5)
    same(db.get_messages_as_conversation("s1")[-1], {"role": "user", "content": "x", "message_id": "77"})
    db.create_session("cron_j1_5", "cron")
    db.create_session("cron_j10_5", "cron")
    same([row["id"] for row in db.list_cron_job_runs("j1")], ["cron_j1_5"])
    same([row["id"] for row in db.search_sessions_by_id("j10")], ["cron_j10_5"])
    same((db.delete_sessions(["cron_j1_5", "nobody"]), db.optimize_fts()), (1, 2))
    same(db._conn.execute("SELECT version FROM schema_version").fetchone()[0], 11)


if __name__ == "__main__":
    main()
