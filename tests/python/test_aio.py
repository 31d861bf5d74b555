#!/usr/bin/env python3
"""stele.aio: many tasks and threads on one database, a loop that is never blocked, cancellation.  Prints TAP."""

import asyncio
import os
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from python.tap import main, raised, same, test  # noqa: E402

import stele  # noqa: E402
import stele.aio  # noqa: E402
from stele._statement import Statement  # noqa: E402

FOREVER = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def aio_test(name):
    """A test with a database of asyncio that has a session s."""
    def keep(function):
        @test(name)
        def _(place):
            async def run():
                async with stele.aio.open(os.path.join(place, "home"), threads=3) as db:
                    await db.conversation.create_session(session_id="s", source="cli")
                    await asyncio.wait_for(function(db, os.path.join(place, "home")), 60)
            asyncio.run(run())
        return function
    return keep


@aio_test("calls, errors, rows, transactions")
async def _(db, home):
    await asyncio.gather(*(db.conversation.append_message("s", "user", content=f"m{n}") for n in range(40)))
    same(await db.conversation.message_count(), {"count": 40})
    same(await db.call("conversation.session_count"), {"count": 1})
    same((await raised(stele.InvalidError, db.conversation.get_session(nothing=1))).field, "nothing")
    same(len([row async for row in db.conversation.rows.get_messages(session_id="s")]), 40)
    async with db.conversation.rows.get_messages(session_id="s") as rows:
        same((await anext(rows))["content"][:1], "m")
    same([row async for row in rows], [])
    async with db.transaction("conversation") as inside:
        await inside.conversation.append_message("s", "user", content="in")
        same(await db.conversation.message_count(), {"count": 40})  # not seen from outside
    try:
        async with db.transaction("conversation") as inside:
            await inside.call("conversation.append_message", session_id="s", role="user")
            raise KeyError
    except KeyError:
        pass
    same(await db.conversation.message_count(), {"count": 41})


@aio_test("eight threads and a loop on one database")
async def _(db, home):
    with stele.open(home) as other:
        problems = []

        def work(number):
            try:
                for n in range(20):
                    other.conversation.append_message("s", "user", content=f"thread {number} {n}")
                    other.conversation.search_messages("thread")
            except BaseException as error:
                problems.append(error)
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        await asyncio.gather(*(db.conversation.append_message("s", "user", content=f"task {n}") for n in range(160)))
        while any(thread.is_alive() for thread in threads):
            await db.conversation.message_count()
        same((problems, await db.conversation.message_count()), ([], {"count": 320}))
        same(len(other.conversation.search_messages("task", limit=1000)), 160)


@aio_test("the loop goes on while calls wait in the library")
async def _(db, home):
    with stele.open(home) as other:
        with other.transaction("conversation"):
            waiting = [asyncio.create_task(db.conversation.append_message("s", "user", content="x")) for _ in range(2)]
            for _ in range(200):
                await asyncio.sleep(0)
            same((await db.conversation.message_count(), [task.done() for task in waiting]), ({"count": 0}, [False, False]))
        await asyncio.gather(*waiting)
    same(await db.conversation.message_count(), {"count": 2})


def run_forever(db, started):
    handle = db._handle()
    statement = Statement(handle, b"conversation", FOREVER, FOREVER.encode())
    started.set()
    with handle.lock:
        statement.step()


@aio_test("a task that is cancelled stops its call, and its thread is free again")
async def _(db, home):
    for _ in range(6):  # twice as often as there are threads
        started = threading.Event()
        lane = await db._take()
        task = asyncio.create_task(lane.run(run_forever, started))
        await asyncio.to_thread(started.wait)
        await asyncio.sleep(0.02)
        task.cancel()
        await raised(asyncio.CancelledError, task)
        db._give_back(lane)
    task = asyncio.create_task(db.conversation.message_count())
    task.cancel()
    await raised(asyncio.CancelledError, task)
    same(await asyncio.gather(*(db.conversation.message_count() for _ in range(6))), [{"count": 0}] * 6)


@aio_test("a write that is cancelled is done whole or not at all")
async def _(db, home):
    for n in range(30):
        task = asyncio.create_task(db.conversation.append_message("s", "user", content=f"m{n}"))
        await asyncio.sleep(n / 30000)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    session = await db.conversation.get_session("s")
    same({"count": session["message_count"]}, await db.conversation.message_count())


@test("closed: twice, and not to be used any more; in memory")
def _(place):
    async def use():
        db = stele.aio.open(":memory:")
        same(await db.telemetry.create_session(), {"session_id": 1})
        same(await asyncio.gather(*(db.telemetry.create_session() for _ in range(5))), [{"session_id": n} for n in range(2, 7)])
        await db.aclose()
        await db.aclose()
        same((await raised(stele.MisuseError, db.telemetry.create_session())).message, "the database is closed")
    asyncio.run(use())


if __name__ == "__main__":
    main()
