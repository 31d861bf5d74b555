#!/usr/bin/env python3
"""stele.compat.openai keeps the sessions of the OpenAI Agents SDK, on both engines.  Prints TAP."""

import asyncio
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from python.adapter import STEPS, each_engine, finished, killed_on_its_way, opened, python, with_published  # noqa: E402
from python.tap import main, raises, same, test  # noqa: E402

with_published()
import agents  # noqa: E402
import stele  # noqa: E402
from stele.compat.openai import Session  # noqa: E402

ITEMS = [
    {"role": "user", "content": "Will it rain in Lisbon?"},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Ask the service"}], "encrypted_content": "gAAA"},
    {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "forecast", "arguments": "{\"city\": \"Lisbon\"}",
     "status": "completed"},
    {"type": "function_call_output", "call_id": "call_1", "output": "{\"rain\": 0.3}"},
    {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
     "content": [{"type": "output_text", "text": "Hardly: 30 %", "annotations": [], "logprobs": None}]},
    {"role": "user", "content": [{"type": "input_text", "text": "And here?"},
                                 {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"}]},
    {"type": "computer_call", "call_id": "call_2", "action": {"type": "click", "x": 1.0, "y": -0.5e-7}, "pending_safety_checks": []},
    {"type": "item_reference", "id": "x" * 3000},
    {"odd": [None, True, 12345678901234567890123, {"ключ": "значение \u0000 \U0001f327", "": {}}]},
    {},
]


def run(function, where, name="weather", **more):
    async def use():
        with Session(name, **where, **more) as session:
            return await function(session)
    return asyncio.run(use())


@each_engine(test, "what was added comes back exactly, in its order, in another session object too")
def _(where):
    async def add(session):
        same(isinstance(session, agents.Session), True)
        same((session.session_id, session.session_settings), ("weather", None))
        same(await session.get_items(), [])
        await session.add_items([])
        await session.add_items(ITEMS[:3])
        await session.add_items(ITEMS[3:])
        return await session.get_items()

    same(run(add, where), ITEMS)
    same(run(lambda session: session.get_items(), where), ITEMS)
    same(run(lambda session: session.get_items(), where, name="other"), [])


@each_engine(test, "a limit is of the last items, in their order; the settings' limit holds where none is given")
def _(where):
    async def read(session):
        await session.add_items(ITEMS)
        same(await session.get_items(3), ITEMS[-3:])
        same(await session.get_items(limit=1), ITEMS[-1:])
        same(await session.get_items(99), ITEMS)
        same(await session.get_items(0), [])
        session.session_settings = agents.SessionSettings(limit=2)
        same(await session.get_items(), ITEMS[-2:])
        same(await session.get_items(4), ITEMS[-4:])
        session.session_settings = {"limit": None}
        same(await session.get_items(), ITEMS)
    run(read, where)


@each_engine(test, "the last item is taken back, and all are")
def _(where):
    async def take(session):
        same(await session.pop_item(), None)
        await session.add_items(ITEMS)
        for item in reversed(ITEMS[-4:]):
            same(await session.pop_item(), item)
        same(await session.get_items(), ITEMS[:-4])
        await session.clear_session()
        same((await session.get_items(), await session.pop_item()), ([], None))
        await session.add_items(ITEMS[:1])
        same(await session.get_items(), ITEMS[:1])
    run(take, where)


@each_engine(test, "a session is found, listed and shown like every other")
def _(where):
    run(lambda session: session.add_items(ITEMS), where)
    with opened(where) as db:
        same([hit["session_id"] for hit in db.conversation.search_messages(query="hardly")], ["weather"])
        found = db.conversation.get_session(session_id="weather")
        same((found["source"], found["message_count"], found["tool_call_count"]), ("openai-agents", len(ITEMS), 2))
        rows = db.conversation.get_messages(session_id="weather")
        same([row["role"] for row in rows],
             ["user", "assistant", "assistant", "tool", "assistant", "user", "assistant", "assistant", "assistant", "assistant"])
        same([rows[i]["content"] for i in (0, 3, 4, 5)],
             ["Will it rain in Lisbon?", '{"rain": 0.3}', "Hardly: 30 %", "And here?\n[input_image]"])
        same((rows[1]["reasoning"], rows[2]["tool_calls"][0]["function"]["name"], rows[3]["tool_call_id"]),
             ("Ask the service", "forecast", "call_1"))


@test("messages that were not written as items come as items")
def _(place):
    with stele.open(place) as db:
        db.conversation.create_session(session_id="s", source="cli")
        calls = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
        for message in ({"role": "user", "content": "hi"}, {"role": "assistant", "content": "wait", "tool_calls": calls},
                        {"role": "tool", "tool_call_id": "c1", "content": "42"}, {"role": "assistant"}):
            db.conversation.append_message(session_id="s", **message)
        called = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
        output = {"type": "function_call_output", "call_id": "c1", "output": "42"}
        spoken = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "wait"}]

        async def use():
            session = Session("s", db)
            same(await session.get_items(), [*spoken, called, output])
            same(await session.get_items(2), [called, output])  # though the last message says nothing
            same([await session.pop_item(), await session.pop_item()], [output, called])
            same(await session.get_items(), spoken)
            session.close()  # the database is another's
        asyncio.run(use())
        same(db.closed, False)
        raises(TypeError, Session, "s", db, readonly=True)


WRITER = """
import asyncio, json, sys
from stele.compat.openai import Session
where, name = json.loads(sys.argv[1]), sys.argv[2]
async def write():
    with Session("shared", **where) as session:
        for number in range(30):
            await session.add_items([{"writer": name, "number": number}, {"writer": name, "number": number, "second": True}])
asyncio.run(write())
"""


@each_engine(test, "two processes append at once: nothing is lost, and what was added together stays together")
def _(where):
    writers = [python(WRITER, json.dumps(where), name) for name in "ab"]
    for writer in writers:
        finished(writer)
    items = run(lambda session: session.get_items(), where, name="shared")
    same(len(items), 120)
    for first, second in zip(items[::2], items[1::2]):
        same({**first, "second": True}, second)
    for name in "ab":
        same([item["number"] for item in items[::2] if item["writer"] == name], list(range(30)))


AGENT = """
import asyncio, json, sys
from agents import Runner
from stele.compat.openai import Session

def agent(history):
    number = sum(1 for item in history if item.get("role") == "user")
    return [{"type": "function_call", "call_id": f"c{number}", "name": "step", "arguments": "{}"},
            {"type": "function_call_output", "call_id": f"c{number}", "output": str(number)},
            {"role": "assistant", "content": [{"type": "output_text", "text": f"done {number}"}]}]

async def work(where, steps):
    with Session("loop", **where) as session:
        while (done := len(await session.get_items()) // 4) < steps:
            await Runner.run(agent, f"step {done + 1}", session)
            print(done + 1, flush=True)

asyncio.run(work(json.loads(sys.argv[1]), int(sys.argv[2])))
"""


@each_engine(test, "an agent that is killed goes on where it was")
def _(where):
    told = killed_on_its_way(AGENT, where)
    same(len(told), len(set(told)))
    items = run(lambda session: session.get_items(), where, name="loop")
    same([item["content"] for item in items if item.get("role") == "user"], [f"step {n + 1}" for n in range(STEPS)])
    same([item["output"] for item in items if "output" in item], [str(n + 1) for n in range(STEPS)])
    same(len(items), 4 * STEPS)


@test("it is imported and used without the SDK")
def _(place):
    program = """
import asyncio, sys
sys.modules["agents"] = None
from stele.compat.openai import Session
async def use():
    with Session("s", sys.argv[1]) as session:
        await session.add_items([{"role": "user", "content": "hi"}])
        print(len(await session.get_items()))
asyncio.run(use())
"""
    same(finished(python(program, place, published=False)), ["1"])


main()
