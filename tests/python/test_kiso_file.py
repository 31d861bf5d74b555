#!/usr/bin/env python3
"""stele.compat.kiso: the file, which stays the original's, and the connection.  Prints TAP."""

import asyncio
import inspect
import os
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from planner import original  # noqa: E402
from python.kiso_db import contents, kiso_test, run, values  # noqa: E402
from python.tap import main, raised, same, test  # noqa: E402
import stele.aiosqlite  # noqa: E402
from stele.compat import kiso  # noqa: E402

OPERATIONS = """init_db get_session create_session upsert_session get_sessions_for_user get_all_sessions update_summary
save_message mark_message_processed get_unprocessed_messages get_unprocessed_trusted_messages get_recent_messages get_oldest_messages
get_untrusted_messages count_messages create_plan update_plan_status update_plan_usage get_plan_for_session create_task update_task
update_task_review update_task_command update_task_usage update_task_substatus update_task_retry_count append_task_llm_call
get_tasks_for_plan get_tasks_for_session save_fact get_facts search_facts update_fact_usage decay_facts archive_low_confidence_facts
delete_facts save_learning get_pending_learnings update_learning save_pending_item get_pending_items recover_stale_running
cancel_plan supersede_plan promote_learning ask_learning consolidate_facts resolve_pending""".split()


async def use_all(db):
    """A little of everything."""
    await kiso.upsert_session(db, "s1")
    plan = await kiso.create_plan(db, "s1", await kiso.save_message(db, "s1", "marco", "user", "x"), "goal")
    await kiso.append_task_llm_call(db, await kiso.create_task(db, plan, "s1", "exec", "y"), {"n": 1})
    await kiso.cancel_plan(db, plan)
    await kiso.save_fact(db, "a needle", "manual")
    await kiso.search_facts(db, "needle")
    await kiso.save_fact(db, "fading", "manual", confidence=0.1)
    await kiso.archive_low_confidence_facts(db)
    await kiso.promote_learning(db, await kiso.save_learning(db, "learned", "s1"), "learned")
    await kiso.save_pending_item(db, "open", "global", "planner")
    await kiso.recover_stale_running(db)


# ---- The file ----------------------------------------------------------------------------------

@test("a fresh file has exactly the original's tables, indexes and triggers, also after use")
def _(place):
    run(place, use_all)
    made, theirs = os.path.join(place, "store.db"), os.path.join(place, "theirs.db")
    original.make(theirs)
    same(original.tables(made), sorted(original.TABLES + original.SEARCH))
    fires = " ON facts BEGIN"  # an update of the content alone changes the words
    same([(kind, name, str(what).replace(" OF content" + fires, fires)) for kind, name, what in original.definitions(made)],
         [(kind, name, str(what)) for kind, name, what in original.definitions(theirs)])
    same(original.search(made, "needle"), [1])


@test("a file of the original is opened as it is, and used by both in turn")
def _(place):
    path = os.path.join(place, "store.db")
    original.make(path)
    before = original.definitions(path)
    with original.opened(path) as db:
        db.execute("INSERT INTO facts (content, source) VALUES ('their needle', 'curator')")
        db.execute("INSERT INTO sessions (session) VALUES ('s1')")

    async def both(db):
        same([each["id"] for each in await kiso.search_facts(db, "needle")], [1])
        await kiso.update_fact_usage(db, [1])
        await kiso.save_fact(db, "our needle", "manual")
        await kiso.save_message(db, "s1", "marco", "user", "x")
    run(place, both)
    same((original.definitions(path), original.search(path, "needle")), (before, [1, 2]))


@test("a file without the table of words gets it, with the words of the facts it has")
def _(place):
    path = os.path.join(place, "store.db")
    original.make(path, original.DOCUMENTED)
    with original.opened(path) as db:
        db.execute("INSERT INTO facts (content, source) VALUES ('old needle', 'curator'), ('hay', 'curator')")

    async def use(db):
        same([each["id"] for each in await kiso.search_facts(db, "needle")], [1])
        await kiso.delete_facts(db, [1])
        same(contents(await kiso.search_facts(db, "hay")), ["hay"])
        await db.execute("INSERT INTO kiso_facts_fts (kiso_facts_fts, rank) VALUES ('integrity-check', 1)")
    run(place, use)


@test("a file that has all is only read when it is opened, whoever writes to it")
def _(place):
    async def use():
        first = await kiso.init_db(os.path.join(place, "store.db"))
        await first.execute("INSERT INTO sessions (session) VALUES ('held')")
        second = await asyncio.wait_for(kiso.init_db(os.path.join(place, "store.db")), 60)
        same(await kiso.get_session(second, "held"), None)
        await first.commit()
        same((await kiso.get_session(second, "held"))["session"], "held")
        await second.close()
        await first.close()
    asyncio.run(use())


@test("several that open a new file at once find it whole")
def _(place):
    async def use():
        opened = await asyncio.gather(*(kiso.init_db(os.path.join(place, "store.db")) for _ in range(8)))
        await asyncio.gather(*(kiso.save_fact(db, f"needle {number}", "manual") for number, db in enumerate(opened)))
        same([len(await kiso.search_facts(db, "needle")) for db in opened], [8] * 8)
        await asyncio.gather(*(db.close() for db in opened))
    asyncio.run(use())
    same(original.tables(os.path.join(place, "store.db")), sorted(original.TABLES + original.SEARCH))


@test("the original writes to the file at the same time, in its own process")
def _(place):
    code = ("import sqlite3, sys\n"
            "db = sqlite3.connect(sys.argv[1], timeout=60)\n"
            "for n in range(100):\n"
            "    with db: db.execute('INSERT INTO messages (session, role, content) VALUES (?, ?, ?)', ('s1', 'user', str(n)))\n")

    async def use(db):
        other = subprocess.Popen([sys.executable, "-c", code, os.path.join(place, "store.db")], env=interpreter.of_others())
        for n in range(100):
            await kiso.save_message(db, "s1", "marco", "user", f"ours {n}")
        same((await asyncio.to_thread(other.wait), await kiso.count_messages(db, "s1")), (0, 200))
    run(place, use)


OPENED_ELSEWHERE = []


@test("no other SQLite library opens the file")
def _(place):
    sys.addaudithook(lambda event, args: OPENED_ELSEWHERE.append(args) if event == "sqlite3.connect" else None)
    sqlite3.connect(":memory:").close()
    same(len(OPENED_ELSEWHERE), 1)  # it would be noticed
    run(place, use_all)
    same(len(OPENED_ELSEWHERE), 1)


# ---- The connection ----------------------------------------------------------------------------

@kiso_test("settings are the original's")
async def _(db):
    settings = {"journal_mode": "wal", "busy_timeout": 5000, "synchronous": 2, "foreign_keys": 0, "user_version": 0}
    for name, wanted in settings.items():
        cursor = await db.execute(f"PRAGMA {name}")
        same((name, (await cursor.fetchone())[0]), (name, wanted))


@kiso_test("SQL of a caller's own: rows by name and by number, cursors, what changed, what is refused")
async def _(db):
    same(isinstance(db, stele.aiosqlite.Connection), True)
    cursor = await db.execute("INSERT INTO facts (content, source) VALUES (?, ?), (?, ?)", ("a", "x", "b", "y"))
    same((cursor.rowcount, cursor.lastrowid), (2, 2))
    await db.commit()
    async with db.execute("SELECT id, content FROM facts ORDER BY id") as cursor:
        rows = [row async for row in cursor]
    same([(row["id"], row[1], dict(row)) for row in rows],
         [(1, "a", {"id": 1, "content": "a"}), (2, "b", {"id": 2, "content": "b"})])
    same((await db.execute("UPDATE facts SET source = 'z'")).rowcount, 2)
    await db.rollback()
    same(await values(db, "SELECT source FROM facts ORDER BY id"), ["x", "y"])
    error = await raised(sqlite3.IntegrityError, db.execute("INSERT INTO facts (id, content, source) VALUES (1, 'a', 'x')"))
    same(str(error), "UNIQUE constraint failed: facts.id")
    await raised(sqlite3.OperationalError, db.execute("SELECT * FROM nothing"))
    await db.executemany("INSERT INTO learnings (content, session) VALUES (?, ?)", [("a", "s"), ("b", "s")])
    await db.executescript(kiso.SCHEMA)
    same(len(await kiso.get_pending_learnings(db)), 2)
    db.row_factory = sqlite3.Row
    same((await kiso.get_facts(db))[0]["content"], "a")


@test("a path of any kind, memory, a closed connection, and files that are none")
def _(place):
    from pathlib import Path

    async def use():
        db = await kiso.init_db(Path(place) / "a.db")
        await db.close()
        await db.close()
        same(str(await raised(ValueError, kiso.get_session(db, "s1"))), "no active connection")
        await raised(ValueError, kiso.create_session(db, "s1"))
        db = await kiso.init_db(":memory:")
        same((await kiso.create_session(db, "s1"))["session"], "s1")
        await db.close()
        await raised(sqlite3.OperationalError, kiso.init_db(os.path.join(place, "none", "store.db")))
        (Path(place) / "bad.db").write_text("no database " * 1000)
        await raised(sqlite3.DatabaseError, kiso.init_db(Path(place) / "bad.db"))
    asyncio.run(use())


@test("every operation is there, with the original's parameters and defaults")
def _(place):
    same(len(OPERATIONS), 48)
    types = ["SessionDict", "MessageDict", "PlanDict", "TaskDict"]
    same(sorted(kiso.__all__), sorted(OPERATIONS + types + ["SCHEMA", "save_facts_batch"]))
    same(kiso.MessageDict.__annotations__, {"id": int, "session": str, "user": str | None, "role": str, "content": str,
                                            "trusted": int | None, "processed": int | None, "timestamp": str | None})
    same([name for name in OPERATIONS if not inspect.iscoroutinefunction(getattr(kiso, name))], [])
    for name, wanted in {
            "init_db": "(db_path)",
            "create_session": "(db, session, connector=None, webhook=None, description=None)",
            "save_message": "(db, session, user, role, content, trusted=True, processed=False)",
            "create_plan": "(db, session, message_id, goal, parent_id=None)",
            "create_task": "(db, plan_id, session, type, detail, skill=None, args=None, expect=None)",
            "update_task": "(db, task_id, status, output=None, stderr=None)",
            "save_fact": "(db, content, source, session=None, category='general', confidence=1.0)",
            "search_facts": "(db, query, session=None, is_admin=False, limit=15)",
            "decay_facts": "(db, decay_days=7, decay_rate=0.1)",
            "archive_low_confidence_facts": "(db, threshold=0.3)"}.items():
        same(str(inspect.signature(getattr(kiso, name))), wanted)


if __name__ == "__main__":
    main()
