#!/usr/bin/env python3
"""What a program may do with the package, in one process: eight threads and an asyncio loop on one database, the drop-in for
Hermes, raw statements, errors, streams that are left, a fork.  At its end handles are open on purpose: with `open` as the
second argument all of them stay so, and the interpreter goes."""

import asyncio
import os
import sqlite3
import sys
import threading

import stele
import stele.aio
import stele.aiosqlite
from stele.compat.hermes import SessionDB

THREADS, CALLS = 8, 20
KEPT = []


def write(db, number):
    for n in range(CALLS):
        db.conversation.append_message(session_id="s", role="user", content=f"thread {number} message {n}")
        db.conversation.search_messages(query=f"thread{number}")
        for row in db.conversation.rows.get_messages(session_id="s"):
            if row["content"]:
                break  # a stream that is left
        try:
            db.conversation.get_session(session=1)
        except stele.InvalidError:
            pass


async def write_async(home):
    async with stele.aio.open(home) as db:
        await asyncio.gather(*(db.conversation.append_message(session_id="s", role="user", content=f"task {n}")
                               for n in range(CALLS)))
        async with db.transaction("conversation") as inside:
            await inside.conversation.append_message(session_id="s", role="user", content="inside")
        task = asyncio.create_task(db.conversation.export_all())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    async with stele.aiosqlite.connect(os.path.join(home, "raw.db"), store="telemetry") as connection:
        await connection.execute("CREATE TABLE t (a)")
        await connection.execute("INSERT INTO t VALUES (1)")


def use_hermes(path):
    db = SessionDB(path)
    db.create_session("h", "cli")
    for n in range(CALLS):
        db.append_message("h", "user", [n, "x"])
    db.search_messages("x")
    try:
        db.append_message("nobody", "user", "x")
    except sqlite3.IntegrityError:
        pass
    KEPT.append((db, db._conn.execute("SELECT * FROM messages")))


def fork(db):
    """A child uses the database, and goes as a child should."""
    child = os.fork()
    if child == 0:
        good = db.conversation.message_count()["count"] > 0
        os._exit(0 if good else 1)
    if os.waitpid(child, 0)[1] != 0:
        raise RuntimeError("the child could not use the database")


def main(home, how):
    db = stele.open(home, log=lambda level, text: None)
    db.conversation.create_session(session_id="s", source="cli")
    threads = [threading.Thread(target=write, args=(db, number)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    asyncio.run(write_async(home))
    for thread in threads:
        thread.join()
    fork(db)
    use_hermes(os.path.join(home, "state.db"))
    print(db.conversation.message_count()["count"])
    rows = db.conversation.rows.get_messages(session_id="s")
    next(rows)
    if how == "open":
        KEPT.extend([db, rows, stele.open(":memory:")])
        KEPT[-1].telemetry.create_session()
        threading.Thread(target=write, args=(db, 9), daemon=True).start()
        return
    rows.close()
    KEPT[0][0].close()
    KEPT.clear()
    db.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
