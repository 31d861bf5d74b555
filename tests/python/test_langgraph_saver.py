#!/usr/bin/env python3
"""stele.compat.langgraph.CheckpointSaver keeps checkpoints as LangGraph's protocol has it, on both engines.  Prints TAP."""

import asyncio
import json
import os
import sys
from datetime import date

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from python.adapter import STEPS, each_engine, finished, killed_on_its_way, opened, python, with_published  # noqa: E402
from python.tap import main, raises, same, test  # noqa: E402

with_published()
from langgraph.checkpoint import base  # noqa: E402
from stele.compat.langgraph import CheckpointSaver  # noqa: E402


def config(thread="t", namespace="", checkpoint=None, **more):
    named = {"thread_id": thread, "checkpoint_ns": namespace, **({"checkpoint_id": checkpoint} if checkpoint else {})}
    return {"configurable": named, **more}


def checkpoint(number, versions, **values):
    return {"v": 4, "id": f"1ef{number:05}", "ts": f"2026-03-01T12:00:{number:02}+00:00", "channel_values": values,
            "channel_versions": versions, "versions_seen": {"node": versions}, "updated_channels": None}


def chain(saver, thread="t", namespace="", steps=3):
    """Steps of a graph, of which each changes one channel and leaves the other."""
    versions, at = {}, config(thread, namespace)
    for number in range(steps):
        versions = {**versions, "count": saver.get_next_version(versions.get("count"), None)}
        new = {"count": versions["count"]}
        if number == 0:
            new["kept"] = versions["kept"] = saver.get_next_version(None, None)
        at = saver.put(at, checkpoint(number, versions, count=number, kept={"since": date(2026, 3, 1)}),
                       {"source": "loop", "step": number, "parents": {}}, new)
    return at


@each_engine(test, "a checkpoint comes back with the values of its channels, whatever they are")
def _(where):
    with CheckpointSaver(**where) as saver:
        same(isinstance(saver, base.BaseCheckpointSaver), True)
        same((saver.get_tuple(config()), [*saver.list(config())]), (None, []))
        last = chain(saver)
        same(last, config(checkpoint="1ef00002"))
        found = saver.get_tuple(config())
        same(type(found), base.CheckpointTuple)
        same((found.config, found.parent_config, found.pending_writes), (last, config(checkpoint="1ef00001"), []))
        same(found.checkpoint["channel_values"], {"count": 2, "kept": {"since": date(2026, 3, 1)}})
        same(set(found.checkpoint), set(checkpoint(0, {})))
        same(found.metadata, {"source": "loop", "step": 2, "parents": {}})
        first = saver.get_tuple(config(checkpoint="1ef00000"))
        same((first.checkpoint["channel_values"]["count"], first.parent_config), (0, None))
        same(saver.get(config(checkpoint="1ef00001"))["channel_values"]["count"], 1)
        same(saver.get_tuple(config(checkpoint="1ef00009")), None)
        same(saver.get_tuple(config("unknown")), None)


@each_engine(test, "a value is kept once, however many checkpoints have it")
def _(where):
    with CheckpointSaver(**where) as saver, opened(where) as db:
        chain(saver, steps=10)
        values = [db.conversation.get_checkpoint_values(thread="t", checkpoint=f"1ef{number:05}") for number in range(10)]
        same(len({row["version"] for rows in values for row in rows if row["channel"] == "kept"}), 1)
        same(len({row["version"] for rows in values for row in rows if row["channel"] == "count"}), 10)


@each_engine(test, "a channel that was emptied has no value; a branch from an older checkpoint keeps its own")
def _(where):
    with CheckpointSaver(**where) as saver:
        chain(saver, steps=2)
        first = saver.get_tuple(config(checkpoint="1ef00000"))
        versions = first.checkpoint["channel_versions"]
        forked = {**versions, "count": saver.get_next_version(versions["count"], None), "kept": saver.get_next_version(versions["kept"], None)}
        at = saver.put(first.config, checkpoint(7, forked, count="other"), {"source": "fork", "step": 1}, forked)
        same(saver.get_tuple(at).checkpoint["channel_values"], {"count": "other"})
        same(saver.get_tuple(at).parent_config, first.config)
        same(saver.get(config(checkpoint="1ef00001"))["channel_values"]["count"], 1)


@each_engine(test, "lists are newest first, of a thread or of all, narrowed by namespace, metadata, what comes before, and a limit")
def _(where):
    with CheckpointSaver(**where) as saver:
        chain(saver, "t")
        chain(saver, "t", "child|inner", steps=1)
        chain(saver, "u", steps=1)

        def steps(*args, **kwargs):
            return [(each.config["configurable"]["thread_id"], each.metadata["step"]) for each in saver.list(*args, **kwargs)]
        same(steps(config()), [("t", 2), ("t", 1), ("t", 0)])
        same(steps({"configurable": {"thread_id": "t"}}), [("t", 2), ("t", 1), ("t", 0), ("t", 0)])
        same(steps(config(namespace="child|inner")), [("t", 0)])
        same(sorted(steps(None)), [("t", 0), ("t", 0), ("t", 1), ("t", 2), ("u", 0)])
        same(steps(config(), limit=2), [("t", 2), ("t", 1)])
        same(steps(config(), limit=0), [])
        same(steps(config(), before=config(checkpoint="1ef00002")), [("t", 1), ("t", 0)])
        same(steps(config(), before=config(checkpoint="1ef00002"), limit=1), [("t", 1)])
        same(steps(config(), filter={"step": 1}), [("t", 1)])
        same(steps(config(), filter={"source": "loop"}, limit=1), [("t", 2)])
        same(steps(config(), filter={"source": "loop", "step": 5}), [])
        same(steps(config(checkpoint="1ef00001")), [("t", 1)])


@each_engine(test, "what tasks wrote is pending; a repeated write changes nothing, a signal is replaced")
def _(where):
    with CheckpointSaver(**where) as saver:
        at = chain(saver)
        saver.put_writes(at, [("count", 7), ("__error__", "boom")], "task-1", "path")
        saver.put_writes(at, [("count", 8), ("__error__", "bang")], "task-1")
        saver.put_writes(at, [("kept", {"a": date(2026, 1, 1)}), ("kept", None)], "task-2")
        same(sorted(saver.get_tuple(at).pending_writes, key=repr),
             sorted([("task-1", "count", 7), ("task-1", "__error__", "bang"), ("task-2", "kept", {"a": date(2026, 1, 1)}),
                     ("task-2", "kept", None)], key=repr))
        same(saver.get_tuple(config(checkpoint="1ef00001")).pending_writes, [])


@each_engine(test, "a thread is deleted whole, and no other")
def _(where):
    with CheckpointSaver(**where) as saver:
        saver.put_writes(chain(saver, "t"), [("count", 1)], "task")
        chain(saver, "u")
        saver.delete_thread("t")
        same(([*saver.list(config("t"))], len([*saver.list(None)])), ([], 3))
        chain(saver, "t", steps=3)
        same(saver.get_tuple(config("t")).pending_writes, [])


@each_engine(test, "all of it can be awaited, by many tasks at once")
def _(where):
    async def use(saver):
        async def thread(name):
            at, versions = config(name), {}
            for number in range(5):
                versions = {"count": saver.get_next_version(versions.get("count"), None)}
                at = await saver.aput(at, checkpoint(number, versions, count=number), {"step": number}, versions)
                await saver.aput_writes(at, [("count", name)], "task")
            return [each.checkpoint["channel_values"]["count"] async for each in saver.alist(config(name), filter=None, limit=4)]
        same(await asyncio.gather(*map(thread, "abcdef")), [[4, 3, 2, 1]] * 6)
        found = await saver.aget_tuple(config("c"))
        same(found.pending_writes, [("task", "count", "c")])
        same((await saver.aget(config("c")))["channel_values"], {"count": 4})
        await saver.adelete_thread("c")
        same(await saver.aget_tuple(config("c")), None)
    with CheckpointSaver(**where) as saver:
        asyncio.run(use(saver))


@test("versions grow, also from numbers; ids of threads may be numbers; metadata has what the configuration says")
def _(place):
    with CheckpointSaver(place) as saver:
        versions = [saver.get_next_version(None, None)]
        for _ in range(20):
            versions.append(saver.get_next_version(versions[-1], None))
        same(versions, sorted(set(versions)))
        same(saver.get_next_version(9, None) > versions[5], True)
        at = saver.put(config(7, metadata={"user": "ada"}), checkpoint(0, {}), {"step": -1}, {})
        same(saver.get_tuple(at).metadata, {"user": "ada", "step": -1})
        same(saver.get_tuple({"configurable": {"thread_id": 7}}).config, config("7", checkpoint="1ef00000"))
        raises(NotImplementedError, saver.copy_thread, "7", "8")  # what the base leaves to savers, and this one does not have


# A graph of one node.  What the node wrote is kept before the step is over, and is not done again after a restart.
AGENT = """
import json, sys
from stele.compat.langgraph import CheckpointSaver

def load(saver, at):
    found = saver.get_tuple(at)
    if not found:
        return at, {"log": []}, {}, []
    return found.config, found.checkpoint["channel_values"], found.checkpoint["channel_versions"], found.pending_writes

def work(saver, steps):
    at, values, versions, pending = load(saver, {"configurable": {"thread_id": "loop", "checkpoint_ns": ""}})
    while len(values["log"]) < steps:
        step = len(values["log"]) + 1
        if step > 1 and not pending:
            pending = [("task", "log", step)]
            saver.put_writes(at, [("log", step)], "task")
        values = {"log": [*values["log"], pending[0][2] if pending else step], "fixed": "x" * 1000}
        new = {"log": saver.get_next_version(versions.get("log"), None)}
        if "fixed" not in versions:
            new["fixed"] = saver.get_next_version(None, None)
        versions = {**versions, **new}
        at = saver.put(at, {"v": 4, "id": f"{step:08}", "ts": "", "channel_values": values, "channel_versions": versions,
                            "versions_seen": {}}, {"step": step}, new)
        pending = []
        print(step, flush=True)

with CheckpointSaver(**json.loads(sys.argv[1])) as saver:
    work(saver, int(sys.argv[2]))
"""


@each_engine(test, "a graph that is killed goes on where it was")
def _(where):
    told = killed_on_its_way(AGENT, where)
    same(len(told), len(set(told)))
    with CheckpointSaver(**where) as saver:
        found = [*saver.list(config("loop"))]
        same([each.metadata["step"] for each in found], list(range(STEPS, 0, -1)))
        for each in found:
            same(each.checkpoint["channel_values"], {"log": list(range(1, each.metadata["step"] + 1)), "fixed": "x" * 1000})
        for older, newer in zip(found[1:], found):
            same((newer.parent_config, older.pending_writes), (older.config, [("task", "log", newer.metadata["step"])]))


@test("it is imported and used without langgraph, with values that are JSON")
def _(place):
    program = """
import sys
sys.modules["langgraph"] = None
from stele.compat.langgraph import CheckpointSaver
with CheckpointSaver(sys.argv[1]) as saver:
    at = {"configurable": {"thread_id": "t"}}
    state = {"v": 4, "id": "1", "ts": "", "channel_values": {"a": [1, None], "b": b"\\0"}, "channel_versions": {"a": 1, "b": 1}, "versions_seen": {}}
    saver.put(at, state, {"step": 0}, {"a": 1, "b": 1})
    print(saver.get_tuple(at).checkpoint == state, saver.get(at)["id"])
"""
    same(finished(python(program, place, published=False)), ["True", "1"])


main()
