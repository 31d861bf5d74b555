#!/usr/bin/env python3
"""stele.compat.langgraph.Store keeps items as LangGraph's protocol of stores has it, on both engines.  Prints TAP."""

import asyncio
import os
import sys
from datetime import datetime, timezone

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from python.adapter import STEPS, each_engine, finished, killed_on_its_way, opened, python, with_published  # noqa: E402
from python.tap import main, raises, same, test  # noqa: E402

with_published()
from langgraph.store import base  # noqa: E402
from stele.compat.langgraph import GetOp, ListNamespacesOp, PutOp, SearchOp, Store  # noqa: E402

ADA, BOB = ("users", "ada"), ("users", "bob")


def keys(found):
    return [item.key for item in found]


@each_engine(test, "a value is kept under its key, replaced and deleted")
def _(where):
    value = {"text": "Tea, please", "n": 1.5, "deep": {"ключ": [None, True, {}]}}
    with Store(**where) as store:
        same(isinstance(store, base.BaseStore), True)
        same(store.get(ADA, "drink"), None)
        before = datetime.now(timezone.utc)
        store.put(ADA, "drink", value)
        item = store.get(ADA, "drink")
        same((type(item), item.namespace, item.key, item.value), (base.Item, ADA, "drink", value))
        same(before <= item.created_at == item.updated_at, True)
        store.put(ADA, "drink", {"text": "Coffee"})
        again = store.get(ADA, "drink")
        same((again.value, again.created_at, again.updated_at > item.updated_at), ({"text": "Coffee"}, item.created_at, True))
        same((store.get(BOB, "drink"), store.get(("users",), "drink")), (None, None))
        store.delete(ADA, "drink")
        store.delete(ADA, "drink")
        same(store.get(ADA, "drink"), None)


@each_engine(test, "a batch reads what was there before, and writes all or none")
def _(where):
    with Store(**where) as store:
        same(store.batch([PutOp(ADA, "a", {"n": 1}), GetOp(ADA, "a"), PutOp(ADA, "a", {"n": 2}), PutOp(BOB, "b", {"n": 3}),
                          ListNamespacesOp()]), [None, None, None, None, []])
        got, found, namespaces = store.batch([GetOp(ADA, "a"), SearchOp(("users",)), ListNamespacesOp(max_depth=1)])
        same((got.value, sorted(keys(found)), namespaces), ({"n": 2}, ["a", "b"], [("users",)]))
        for wrong in ((), ("a.b",), ("",), (1,)):
            raises(base.InvalidNamespaceError, store.batch, [PutOp(ADA, "c", {}), PutOp(wrong, "c", {})])
        same(store.get(ADA, "c"), None)
        raises(ValueError, store.batch, ["?"])


@each_engine(test, "a search lists a namespace and those inside of it, last written first, as the filter wants them")
def _(where):
    with Store(**where) as store:
        for number in range(5):
            store.put(ADA, f"k{number}", {"n": number, "kind": "even" if number % 2 == 0 else "odd", "deep": {"at": [number]}})
        store.put((*ADA, "inner"), "k5", {"n": 5})
        store.put(("users", "adam"), "other", {"n": 6})
        same(keys(store.search(ADA)), ["k5", "k4", "k3", "k2", "k1", "k0"])
        same(keys(store.search(())), ["other", "k5", "k4", "k3", "k2", "k1", "k0"])
        same(keys(store.search(ADA, limit=2, offset=1)), ["k4", "k3"])
        for wanted, found in (({"kind": "even"}, ["k4", "k2", "k0"]), ({"kind": {"$ne": "even"}}, ["k5", "k3", "k1"]),
                              ({"n": {"$gt": 1, "$lte": 3}}, ["k3", "k2"]), ({"n": {"$gte": 4}}, ["k5", "k4"]), ({"n": {"$lt": 1}}, ["k0"]),
                              ({"kind": {"$eq": "odd"}, "n": 3}, ["k3"]), ({"deep": {"at": [2]}}, ["k2"]), ({"kind": {"$gt": "f"}}, ["k3", "k1"])):
            same((wanted, keys(store.search(ADA, filter=wanted))), (wanted, found))
        same(keys(store.search(ADA, filter={"kind": "even"}, limit=1, offset=1)), ["k2"])
        raises(ValueError, store.search, ADA, filter={"n": {"$near": 1}})
        same({type(item) for item in store.search(ADA)}, {base.SearchItem})
        same({item.score for item in store.search(ADA)}, {None})


@each_engine(test, "a query finds by words, in a namespace, with scores; what is not indexed is not found")
def _(where):
    with Store(**where) as store, opened(where) as db:
        store.put(ADA, "food", {"text": "Pizza with olives", "n": 1})
        store.put(BOB, "food", {"text": "Pizza with pineapple", "n": 2})
        store.put(BOB, "secret", {"text": "Pizza at night"}, index=False)
        store.put(BOB, "title", {"title": "Pizza", "text": "capers"}, index=["title"])
        store.put(BOB, "list", {"notes": [{"say": "basil"}, {"say": "thyme"}]}, index=["notes[-1].say"])
        found = store.search((), query="pizza")
        same(sorted((item.namespace[1], item.key) for item in found), [("ada", "food"), ("bob", "food"), ("bob", "title")])
        same(all(item.score > 0 for item in found), True)
        same(keys(store.search(ADA, query="pizza")), ["food"])
        same(keys(store.search(("nobody",), query="pizza")), [])
        same([item.value["n"] for item in store.search(("users",), query="pizza", filter={"n": {"$gt": 1}})], [2])
        same((keys(store.search((), query="capers")), keys(store.search((), query="thyme")), keys(store.search((), query="basil"))),
             ([], ["list"], []))
        same(len(store.search((), query="pizza", limit=2)) + len(store.search((), query="pizza", limit=2, offset=2)), 3)
        store.put(ADA, "food", {"text": "Pasta"})
        same(keys(store.search(ADA, query="pizza")), [])
        same([(hit["kind"], hit["project"]) for hit in db.recall.search(query="pasta")], [("item", "users.ada")])


@each_engine(test, "namespaces are listed by how they begin and end, cut and in pages")
def _(where):
    with Store(**where) as store:
        for namespace in (("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "d", "i"), ("a", "b", "f"), ("a", "c", "f"), ("z",)):
            store.put(namespace, "k", {})
        same(store.list_namespaces(prefix=("a", "b"), max_depth=3), [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")])
        same(store.list_namespaces(suffix=("f",)), [("a", "b", "f"), ("a", "c", "f")])
        same(store.list_namespaces(prefix=("a", "*"), suffix=("f",)), [("a", "b", "f"), ("a", "c", "f")])
        same(store.list_namespaces(prefix=("*", "c")), [("a", "c", "f")])
        same(store.list_namespaces(limit=2, offset=4), [("a", "c", "f"), ("z",)])
        same(store.list_namespaces(max_depth=1), [("a",), ("z",)])


@each_engine(test, "what has a time to live ends with it, unless it is asked for")
def _(where):
    with Store(**where) as store, opened(where) as db:
        same(store.supports_ttl, True)
        store.put(ADA, "gone", {"text": "soon"}, ttl=1e-7)
        store.put(ADA, "here", {"text": "soon"}, ttl=60)
        store.put(ADA, "stays", {"text": "soon"})

        def end():
            return db.assistant.get_item(namespace="users.ada", key="here")["expires_at"]
        first = end()
        store.get(ADA, "here", refresh_ttl=False)
        same(end(), first)
        store.get(ADA, "here")
        second = end()
        same(second > first, True)
        store.search(ADA)
        same(end() > second, True)
        same(store.get(ADA, "gone"), None)
        same((sorted(keys(store.search(ADA))), sorted(keys(store.search(ADA, query="soon")))), (["here", "stays"], ["here", "stays"]))
        same(store.sweep_ttl() <= 1, True)
        store.put(ADA, "here", {"text": "for good"})
        same(end(), None)


@each_engine(test, "all of it can be awaited, by many tasks at once")
def _(where):
    async def use(store):
        await asyncio.gather(*(store.aput(ADA, f"k{number}", {"n": number}) for number in range(20)))
        found = await asyncio.gather(*(store.aget(ADA, f"k{number}") for number in range(20)))
        same([item.value["n"] for item in found], list(range(20)))
        (listed,) = await store.abatch([SearchOp(ADA, limit=50)])
        same(len(listed), 20)
    with Store(**where) as store:
        asyncio.run(use(store))


AGENT = """
import json, sys
from stele.compat.langgraph import PutOp, Store

with Store(**json.loads(sys.argv[1])) as store:
    while True:
        known = store.get(("agent",), "progress")
        step = known.value["step"] + 1 if known else 1
        if step > int(sys.argv[2]):
            break
        store.batch([PutOp(("agent", "facts"), f"fact-{step}", {"learned": step}), PutOp(("agent",), "progress", {"step": step})])
        print(step, flush=True)
"""


@each_engine(test, "an agent that is killed goes on where it was")
def _(where):
    told = killed_on_its_way(AGENT, where)
    same(len(told), len(set(told)))
    with Store(**where) as store:
        same(sorted(item.value["learned"] for item in store.search(("agent", "facts"), limit=1000)), list(range(1, STEPS + 1)))


@test("it is imported and used without langgraph")
def _(place):
    program = """
import asyncio, sys
sys.modules["langgraph"] = None
from stele.compat.langgraph import Store
with Store(sys.argv[1]) as store:
    store.put(("a",), "k", {"text": "tea"})
    print(store.get(("a",), "k").value["text"], store.search((), query="tea")[0].key, store.list_namespaces(prefix=("a",))[0][0])
    asyncio.run(store.aput(("b",), "k", {}))
    print(asyncio.run(store.aget(("b",), "k")).key, len(asyncio.run(store.asearch(()))), asyncio.run(store.alist_namespaces(suffix=("b",)))[0][0])
"""
    same(finished(python(program, place, published=False)), ["tea", "k", "a", "k", "2", "b"])


main()
