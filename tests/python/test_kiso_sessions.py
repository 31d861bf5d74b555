#!/usr/bin/env python3
"""stele.compat.kiso does what the original does: sessions and messages.  Prints TAP."""

import asyncio
import os
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from python.kiso_db import LONG_AGO, age, bumped, contents, kiso_test, values  # noqa: E402
from python.tap import main, raised, same  # noqa: E402
from stele.compat import kiso  # noqa: E402

SESSION = ["session", "connector", "webhook", "description", "summary", "created_at", "updated_at"]
MESSAGE = ["id", "session", "user", "role", "content", "trusted", "processed", "timestamp"]


# ---- Sessions ----------------------------------------------------------------------------------

@kiso_test("a session is created once: the first wins")
async def _(db):
    same(await kiso.get_session(db, "s1"), None)
    made = await kiso.create_session(db, "s1", connector="discord", webhook="http://x", description="dev")
    same((list(made), type(made)), (SESSION, dict))
    same(list(made.values())[:5], ["s1", "discord", "http://x", "dev", ""])
    same(len(made["created_at"]), len("2026-01-01 00:00:00"))
    same(await kiso.create_session(db, "s1", "other"), made)
    same(await kiso.get_session(db, "s1"), made)
    same(list((await kiso.create_session(db, "s2")).values())[:5], ["s2", None, None, None, ""])
    same(db.in_transaction, False)


@kiso_test("an upsert overwrites, also with nothing, and tells whether the session is new")
async def _(db):
    made, created = await kiso.upsert_session(db, "s1", "discord", "http://x", "dev")
    same((created, made["webhook"]), (True, "http://x"))
    await kiso.update_summary(db, "s1", "so far")
    await age(db, "sessions")
    made, created = await kiso.upsert_session(db, "s1", connector="slack")
    same((created, list(made.values())[:5]), (False, ["s1", "slack", None, None, "so far"]))
    same(await bumped(db, "sessions"), True)


@kiso_test("sessions are listed with the last active first; a user's are those he spoke in")
async def _(db):
    for number, name in enumerate("abc"):
        await kiso.create_session(db, name)
        await kiso.save_message(db, name, "marco" if name != "b" else "ana", "user", "x")
        await kiso.save_message(db, name, "marco" if name != "b" else "ana", "user", "y")
        await db.execute("UPDATE sessions SET updated_at = ? WHERE session = ?", (f"2026-01-0{number + 1} 00:00:00", name))
    await kiso.save_message(db, "no session", "marco", "user", "x")
    same([each["session"] for each in await kiso.get_all_sessions(db)], ["c", "b", "a"])
    found = await kiso.get_sessions_for_user(db, "marco")
    same([each["session"] for each in found], ["c", "a"])
    same(set(found[0]) >= {"session", "connector", "description", "updated_at"}, True)
    same(await kiso.get_sessions_for_user(db, "nobody"), [])


@kiso_test("a summary is replaced; that of no session is no error")
async def _(db):
    await kiso.create_session(db, "s1")
    await age(db, "sessions")
    same(await kiso.update_summary(db, "s1", "one"), None)
    await kiso.update_summary(db, "s1", "two")
    await kiso.update_summary(db, "none", "x")
    same(((await kiso.get_session(db, "s1"))["summary"], await bumped(db, "sessions")), ("two", True))


# ---- Messages ----------------------------------------------------------------------------------

@kiso_test("a message is kept, trusted and not processed, and its session was active")
async def _(db):
    await kiso.create_session(db, "s1")
    await age(db, "sessions")
    same(await kiso.save_message(db, "s1", "marco", "user", "hello"), 1)
    same(await bumped(db, "sessions"), True)
    same(await kiso.save_message(db, "orphan", None, "system", "", trusted=False, processed=True), 2)
    rows = [dict(row) for row in await db.execute_fetchall("SELECT * FROM messages ORDER BY id")]
    same(list(rows[0]), MESSAGE)
    same([list(row.values())[:7] for row in rows],
         [[1, "s1", "marco", "user", "hello", 1, 0], [2, "orphan", None, "system", "", 0, 1]])
    same([type(value) for value in list(rows[1].values())[5:7]], [int, int])
    same(await kiso.get_session(db, "orphan"), None)


@kiso_test("what the table refuses is refused, nothing of it stays, and the next call goes on")
async def _(db):
    await kiso.create_session(db, "s1")
    await age(db, "sessions")
    error = await raised(sqlite3.IntegrityError, kiso.save_message(db, "s1", "marco", "user", None))
    same(str(error), "NOT NULL constraint failed: messages.content")
    await raised(sqlite3.IntegrityError, kiso.save_message(db, None, "marco", "user", "x"))
    same((await bumped(db, "sessions"), db.in_transaction), (False, False))
    same(await kiso.save_message(db, "s1", "marco", "user", "x"), 1)


@kiso_test("processed, unprocessed, and those that may be planned for")
async def _(db):
    first = await kiso.save_message(db, "s1", "marco", "user", "a")
    await kiso.save_message(db, "s2", "stranger", "user", "b", trusted=False)
    await kiso.save_message(db, "s2", "marco", "user", "c")
    await kiso.save_message(db, "s2", "marco", "user", "d", processed=True)
    same(contents(await kiso.get_unprocessed_messages(db)), ["a", "b", "c"])
    same(contents(await kiso.get_unprocessed_trusted_messages(db)), ["a", "c"])
    same(await kiso.mark_message_processed(db, first), None)
    await kiso.mark_message_processed(db, 999)
    same(contents(await kiso.get_unprocessed_trusted_messages(db)), ["c"])


@kiso_test("recent, oldest and untrusted ones, each oldest first")
async def _(db):
    for number in range(8):
        await kiso.save_message(db, "s1", "marco", "user", f"m{number}")
    for number in range(25):
        await kiso.save_message(db, "s1", "stranger", "user", f"u{number}", trusted=False)
    await kiso.save_message(db, "s2", "marco", "user", "elsewhere")
    same(contents(await kiso.get_recent_messages(db, "s1")), [f"m{number}" for number in range(3, 8)])
    same(contents(await kiso.get_recent_messages(db, "s1", limit=2)), ["m6", "m7"])
    same((await kiso.get_recent_messages(db, "s1", 0), await kiso.get_recent_messages(db, "none")), ([], []))
    same(len(await kiso.get_recent_messages(db, "s1", -1)), 8)
    same(contents(await kiso.get_oldest_messages(db, "s1", 2)), ["m0", "m1"])
    same(contents(await kiso.get_untrusted_messages(db, "s1")), [f"u{number}" for number in range(20)])
    same(contents(await kiso.get_untrusted_messages(db, "s1", limit=1)), ["u0"])
    same((await kiso.count_messages(db, "s1"), await kiso.count_messages(db, "none")), (8, 0))


# ---- Several tasks on one connection -----------------------------------------------------------

@kiso_test("tasks that write at once through one connection lose nothing, whatever fails beside them")
async def _(db):
    await kiso.create_session(db, "s1")

    async def fail():
        await raised(sqlite3.IntegrityError, kiso.save_message(db, "s1", "x", "user", None))
    work = [kiso.save_message(db, "s1", "marco", "user", f"m{number}") for number in range(200)]
    work += [fail() for _ in range(50)] + [kiso.create_session(db, f"t{number % 10}") for number in range(50)]
    work += [kiso.get_recent_messages(db, "s1") for _ in range(50)]
    ids = (await asyncio.gather(*work))[:200]
    same((len(set(ids)), await kiso.count_messages(db, "s1"), len(await kiso.get_all_sessions(db))), (200, 200, 11))
    same((await db.execute_fetchall("PRAGMA integrity_check"))[0][0], "ok")


@kiso_test("what a caller wrote with SQL of his own is committed by the next function, and not undone by one that fails")
async def _(db):
    await kiso.create_session(db, "s1")
    await db.execute("UPDATE sessions SET description = 'mine'")
    same(db.in_transaction, True)
    await raised(sqlite3.IntegrityError, kiso.save_message(db, "s1", "x", "user", None))
    same((db.in_transaction, await values(db, "SELECT description FROM sessions")), (True, ["mine"]))
    await kiso.save_message(db, "s1", "x", "user", "y")
    same(db.in_transaction, False)
    await db.rollback()
    same(await values(db, "SELECT description FROM sessions"), ["mine"])


@kiso_test("a task that is cancelled has written all or nothing")
async def _(db):
    await kiso.create_session(db, "s1")
    for number in range(40):
        await age(db, "sessions")
        before = await kiso.count_messages(db, "s1")
        task = asyncio.create_task(kiso.save_message(db, "s1", "x", "user", "y"))
        for _ in range(number % 4):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        saved = await kiso.count_messages(db, "s1") > before
        same((await kiso.get_session(db, "s1"))["updated_at"] != LONG_AGO, saved)


if __name__ == "__main__":
    main()
