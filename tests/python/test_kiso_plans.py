#!/usr/bin/env python3
"""stele.compat.kiso does what the original does: plans and tasks.  Prints TAP."""

import asyncio
import json
import os
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from python.kiso_db import age, bumped, kiso_test, values  # noqa: E402
from python.tap import main, raised, same  # noqa: E402
import stele  # noqa: E402
from stele.compat import kiso  # noqa: E402

PLAN = ["id", "session", "message_id", "parent_id", "goal", "status", "total_input_tokens", "total_output_tokens", "model",
        "llm_calls", "created_at"]
TASK = ["id", "plan_id", "session", "type", "detail", "skill", "args", "expect", "command", "status", "substatus", "output",
        "stderr", "retry_count", "review_verdict", "review_reason", "review_learning", "input_tokens", "output_tokens", "llm_calls",
        "created_at", "updated_at"]


async def a_task(db, **more):
    plan = await kiso.create_plan(db, "s1", 1, "goal")
    return await kiso.create_task(db, plan, "s1", **{"type": "exec", "detail": "ls", **more})


async def the_task(db):
    return (await kiso.get_tasks_for_session(db, "s1"))[0]


# ---- Plans -------------------------------------------------------------------------------------

@kiso_test("a plan is running; the latest of a session is told")
async def _(db):
    same(await kiso.get_plan_for_session(db, "s1"), None)
    first = await kiso.create_plan(db, "s1", 7, "Deploy")
    plan = await kiso.get_plan_for_session(db, "s1")
    same((first, list(plan)), (1, PLAN))
    same(list(plan.values())[:10], [1, "s1", 7, None, "Deploy", "running", 0, 0, None, None])
    second = await kiso.create_plan(db, "s1", 7, "Again", parent_id=first)
    await kiso.create_plan(db, "s2", 8, "Other")
    plan = await kiso.get_plan_for_session(db, "s1")
    same((plan["id"], plan["parent_id"]), (second, first))
    await raised(sqlite3.IntegrityError, kiso.create_plan(db, "s1", None, "x"))


@kiso_test("a plan's message stays as it is, and any word is a status, also of a plan that has ended")
async def _(db):
    message = await kiso.save_message(db, "s1", "marco", "user", "x")
    plan = await kiso.create_plan(db, "s1", message, "goal")
    same(len(await kiso.get_unprocessed_trusted_messages(db)), 1)
    for status in ("done", "running", "replanning", "exotic"):
        same(await kiso.update_plan_status(db, plan, status), None)
        same((await kiso.get_plan_for_session(db, "s1"))["status"], status)
    await kiso.update_plan_status(db, 999, "done")


@kiso_test("the figures of a plan are replaced; its calls are kept, replaced or erased")
async def _(db):
    plan = await kiso.create_plan(db, "s1", 1, "goal")

    async def told():
        return list((await kiso.get_plan_for_session(db, "s1")).values())[6:10]
    calls = [{"role": "planner", "model": "m", "input_tokens": 1}]
    await kiso.update_plan_usage(db, plan, 10, 20, model="m", llm_calls=calls)
    same(await told(), [10, 20, "m", json.dumps(calls)])
    await kiso.update_plan_usage(db, plan, 1, 2)
    same(await told(), [1, 2, None, json.dumps(calls)])
    await kiso.update_plan_usage(db, plan, 1, 2, "n", [])
    same(await told(), [1, 2, "n", None])
    await kiso.update_plan_usage(db, plan, 1, 2, "n", calls)
    await kiso.update_plan_usage(db, plan, 1, 2, "n", None)
    same(await told(), [1, 2, "n", None])
    await kiso.update_plan_usage(db, 999, 1, 2)


# ---- Tasks -------------------------------------------------------------------------------------

@kiso_test("a task is pending; no plan, no expectation and no known type are needed")
async def _(db):
    same(await kiso.create_task(db, 99, "s1", "exotic", "x"), 1)
    same(await kiso.create_task(db, 99, "s1", type="skill", detail="d", skill="search", args='{"q": 1}', expect="ok"), 2)
    first, second = await kiso.get_tasks_for_plan(db, 99)
    same(list(first), TASK)
    same([name for name in TASK[:20] if first[name] is not None],
         ["id", "plan_id", "session", "type", "detail", "status", "retry_count", "input_tokens", "output_tokens"])
    same((first["type"], first["status"], first["retry_count"], first["input_tokens"]), ("exotic", "pending", 0, 0))
    same((second["skill"], second["args"], second["expect"]), ("search", '{"q": 1}', "ok"))
    await raised(sqlite3.IntegrityError, kiso.create_task(db, 99, "s1", "msg", None))


@kiso_test("an update of a task replaces its output: a status alone erases it")
async def _(db):
    task = await a_task(db)
    await age(db, "tasks")
    same(await kiso.update_task(db, task, "done", output="out", stderr="err"), None)
    told = await the_task(db)
    same((told["status"], told["output"], told["stderr"], await bumped(db, "tasks")), ("done", "out", "err", True))
    await kiso.update_task(db, task, "pending")
    told = await the_task(db)
    same((told["status"], told["output"], told["stderr"]), ("pending", None, None))
    await kiso.update_task(db, 999, "done")


@kiso_test("review, substatus, retries bump the task; command, usage and calls do not")
async def _(db):
    task = await a_task(db)
    updates = [
        (kiso.update_task_review, ("replan", "why", "lesson"),
         {"review_verdict": "replan", "review_reason": "why", "review_learning": "lesson"}, True),
        (kiso.update_task_review, ("ok",), {"review_verdict": "ok", "review_reason": None, "review_learning": None}, True),
        (kiso.update_task_substatus, ("reviewing",), {"substatus": "reviewing"}, True),
        (kiso.update_task_retry_count, (3,), {"retry_count": 3}, True),
        (kiso.update_task_command, ("ls -l",), {"command": "ls -l"}, False),
        (kiso.update_task_usage, (5, 6), {"input_tokens": 5, "output_tokens": 6, "llm_calls": None}, False),
        (kiso.append_task_llm_call, ({"a": 1},), {"llm_calls": '[{"a":1}]'}, False),
    ]
    for function, args, wanted, bumps in updates:
        await age(db, "tasks")
        same(await function(db, task, *args), None)
        await function(db, 999, *args)
        told = await the_task(db)
        same((function.__name__, {name: told[name] for name in wanted}, await bumped(db, "tasks")),
             (function.__name__, wanted, bumps))
    same((await the_task(db))["status"], "pending")


@kiso_test("the calls of a task are kept, replaced or erased by its usage")
async def _(db):
    task = await a_task(db)
    await kiso.update_task_usage(db, task, 1, 2, llm_calls=[{"a": 1}])
    await kiso.update_task_usage(db, task, 3, 4)
    told = await the_task(db)
    same((told["input_tokens"], told["output_tokens"], told["llm_calls"]), (3, 4, '[{"a": 1}]'))
    for nothing in ([], None):
        await kiso.update_task_usage(db, task, 3, 4, [{"a": 1}])
        await kiso.update_task_usage(db, task, 3, 4, nothing)
        same((await the_task(db))["llm_calls"], None)


@kiso_test("calls that are appended at once are all kept; damaged ones are begun anew")
async def _(db):
    task = await a_task(db)
    text = "à \"quoted\" 'word'"
    await asyncio.gather(*(kiso.append_task_llm_call(db, task, {"n": number, "text": text}) for number in range(50)))
    kept = json.loads((await the_task(db))["llm_calls"])
    same((sorted(each["n"] for each in kept), kept[0]["text"]), (list(range(50)), text))
    for damaged in ("{not json", "", None):
        await db.execute("UPDATE tasks SET llm_calls = ?", (damaged,))
        await kiso.append_task_llm_call(db, task, {"n": 1})
        same(json.loads((await the_task(db))["llm_calls"]), [{"n": 1}])


@kiso_test("tasks of a plan, and of a session after a number")
async def _(db):
    ids = [await kiso.create_task(db, plan, "s1", "msg", "x") for plan in (1, 2, 1)]
    await kiso.create_task(db, 1, "s2", "msg", "x")
    same([each["id"] for each in await kiso.get_tasks_for_plan(db, 1)], [ids[0], ids[2], 4])
    same([each["id"] for each in await kiso.get_tasks_for_session(db, "s1")], ids)
    same([each["id"] for each in await kiso.get_tasks_for_session(db, "s1", after=ids[0])], ids[1:])
    same((await kiso.get_tasks_for_session(db, "s1", ids[2]), await kiso.get_tasks_for_plan(db, 99)), ([], []))


# ---- After a crash, and what the original does in steps ----------------------------------------

@kiso_test("what was running has failed; what had not begun or is being replanned is left alone")
async def _(db):
    for status in ("running", "running", "replanning", "done"):
        plan = await kiso.create_plan(db, "s1", 1, status)
        await kiso.update_plan_status(db, plan, status)
    for status, output in (("running", "half"), ("pending", None), ("done", "all")):
        await kiso.update_task(db, await kiso.create_task(db, 1, "s1", "exec", "x"), status, output)
    same(await kiso.recover_stale_running(db), (2, 1))
    same(await values(db, "SELECT status FROM plans ORDER BY id"), ["failed", "failed", "replanning", "done"])
    same([(each["status"], each["output"]) for each in await kiso.get_tasks_for_plan(db, 1)],
         [("failed", "Server restarted"), ("pending", None), ("done", "all")])
    same(await kiso.recover_stale_running(db), (0, 0))


@kiso_test("cancelling and superseding a plan are one step, with the rules of the library")
async def _(db):
    plan = await kiso.create_plan(db, "s1", 1, "goal")
    for _ in range(2):
        await kiso.create_task(db, plan, "s1", "msg", "x")
    same(await kiso.cancel_plan(db, plan), 2)
    same(await values(db, "SELECT status FROM tasks"), ["cancelled", "cancelled"])
    await kiso.update_plan_status(db, plan, "done")
    await raised(stele.StatusError, kiso.cancel_plan(db, plan))
    plan = await kiso.create_plan(db, "s1", 1, "goal")
    await kiso.create_task(db, plan, "s1", "exec", "x")
    new = await kiso.supersede_plan(db, plan, "better")
    told = await kiso.get_plan_for_session(db, "s1")
    same((told["id"], told["parent_id"], told["goal"], db.in_transaction), (new, plan, "better", False))
    same([(each["status"], each["output"]) for each in await kiso.get_tasks_for_plan(db, plan)],
         [("failed", "Superseded by replan")])
    await db.execute("UPDATE plans SET goal = 'mine' WHERE id = ?", (new,))
    await raised(stele.NotFoundError, kiso.cancel_plan(db, 999))
    same((db.in_transaction, await kiso.cancel_plan(db, new), db.in_transaction), (True, 0, False))
    same((await kiso.get_plan_for_session(db, "s1"))["goal"], "mine")


if __name__ == "__main__":
    main()
