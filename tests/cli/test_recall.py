#!/usr/bin/env python3
"""One search over a home in which every store has something: `stele search`, `show`, `timeline` and `embed`.  Prints TAP."""

import contextlib
import json
import os
import sqlite3
import sys

from place import Place, has, lacks, main, same, test


def fill(place):
    """Each store says something of marmalade."""
    def call(method, **args):
        return place.call(method, args).reply()
    call("conversation.create_session", session_id="s", source="cli")
    call("conversation.append_message", session_id="s", role="user", content="Where is the marmalade?", timestamp=1000)
    call("capture.insert_event", terminal="t", command="cook marmalade --slowly", cwd="/kitchen", hostname="h", shell="zsh")
    call("assistant.save_note", title="Breakfast", content="Marmalade on toast")
    call("assistant.create_task", title="Buy marmalade")
    call("planner.save_fact", content="Marmalade is made of oranges", source="manual")
    call("planner.save_fact", content="The user hates marmalade", source="manual", category="user", session="p")
    call("server.memory_create", path="/memories/food.md", file_text="marmalade, twice a week")


def refs(done):
    same(done.status, 0)
    return {row["ref"] for row in json.loads(done.out)}


def kinds(done):
    return sorted("/".join(ref.split("/")[:2]) for ref in refs(done))


@test("whatever is in any store is found, and narrowed by kind, store, place and time")
def _():
    with Place() as place:
        fill(place)
        same(kinds(place.run("search", "marmalade", "--json")),
             ["assistant/note", "assistant/task", "capture/event", "conversation/message", "planner/fact", "server/memory"])
        same(kinds(place.run("search", "marmalade", "--kind", "note,event", "--json")), ["assistant/note", "capture/event"])
        same(kinds(place.run("search", "marmalade", "--in", "planner,conversation", "--json")), ["conversation/message", "planner/fact"])
        same(kinds(place.run("search", "marmalade", "--project", "/kitchen", "--json")), ["capture/event"])
        same(kinds(place.run("search", "marmalade", "--until", "1970-01-02", "--json")), ["conversation/message"])
        same(kinds(place.run("search", "marmalade", "--source", "cli", "--json")), ["conversation/message"])
        same(kinds(place.run("search", "marmalade toast", "--json")), ["assistant/note"])
        same(len(refs(place.run("search", "marmalade toast", "--any", "--json"))), 6)
        same(kinds(place.run("search", "armala", "--substring", "--json")),
             ["assistant/note", "assistant/task", "capture/event", "conversation/message", "planner/fact", "server/memory"])
        place.run("search", "x", "--kind", "nothing", "--json").error(2, "INVALID", field="kinds")
        place.run("search", "x", "--any", "--substring", "--json").error(2, "INVALID")


@test("pages of a search over several stores fit together")
def _():
    with Place() as place:
        fill(place)
        whole = [row["ref"] for row in place.run("search", "marmalade", "--json").reply()]
        paged = [row["ref"] for offset in range(0, 6, 2)
                 for row in place.run("search", "marmalade", "--limit", "2", "--offset", str(offset), "--json").reply()]
        same(paged, whole)


@test("a budget of tokens: shorter pieces, then fewer, and a note says how to go on")
def _():
    with Place() as place:
        fill(place)
        rows = place.run("search", "marmalade", "--tokens", "1000", "--json").reply()
        same(len(rows), 6)
        done = place.run("search", "marmalade", "--tokens", "20", "--json")
        same(0 < len(json.loads(done.out)) < 6, True)
        has(done.err, "more would have gone beyond 20 tokens")


@test("what another process has just written is found")
def _():
    with Place() as place:
        fill(place)
        same(refs(place.run("search", "quince", "--json")), set())
        for number in range(3):
            place.call("assistant.save_note", {"title": "Jelly", "content": f"quince number{number}"}).reply()
            same(len(refs(place.run("search", "quince", f"number{number}", "--json"))), 1)


@test("show and timeline take what a search has told")
def _():
    with Place() as place:
        fill(place)
        [note] = refs(place.run("search", "toast", "--json"))
        done = place.run("show", note)
        same(done.status, 0)
        has(done.out, "Breakfast\n", note, "Marmalade on toast\n")
        has(place.run("show", "conversation/message/1").out, "Where is the marmalade?")
        place.run("show", "conversation/message/99", "--json").error(1, "NOTFOUND")
        place.run("show", "conversation/nothing/1", "--json").error(2, "INVALID")
        around = place.run("timeline", note, "--limit", "3", "--json").reply()
        same([row["ref"] for row in around if row["here"]], [note])
        same(len(around) > 1, True)
        has(place.run("timeline", "conversation/message/1").out, "conversation/message/1", "Where is the marmalade?")


@test("what is private is told to its own session only")
def _():
    with Place() as place:
        fill(place)
        lacks(place.run("search", "marmalade").out, "hates")
        lacks(place.run("timeline", "conversation/message/1", "--limit", "50").out, "hates")
        place.run("show", "planner/user_fact/2", "--json").error(1, "NOTFOUND")
        has(place.run("show", "planner/user_fact/2", "--session", "p").out, "hates", "private")


@test("a search makes no store, and passes over what is not its own with a note")
def _():
    with Place() as place:
        same(place.run("search", "marmalade", "--json").reply(), [])
        same(os.path.exists(place.home), False)
        place.call("conversation.create_session", {"session_id": "s", "source": "cli"}).reply()
        place.call("conversation.append_message", {"session_id": "s", "role": "user", "content": "marmalade"}).reply()
        with contextlib.closing(sqlite3.connect(os.path.join(place.home, "assistant.db"))) as db, db:
            db.execute("CREATE TABLE recipes (name TEXT)")
        done = place.run("search", "marmalade", "--json")
        same(refs(done), {"conversation/message/1"})
        has(done.err, "the store assistant was passed over")
        same(sorted(name for name in os.listdir(place.home) if name.endswith(".db") and "index" not in name),
             ["assistant.db", "conversation.db"])


@test("search says once that it went by words alone, where meaning would have counted")
def _():
    with Place() as place:
        fill(place)
        told = lambda *words: [line for line in place.run("search", *words).err.splitlines() if "by words alone" in line]
        none = "note: searched by words alone: no embedding model is configured (`stele help model`)"
        for words in (["zzz"], ["zzz yyy"], ["what is zzz?"], ["zzz", "--any"]):
            same((words, told(*words)), (words, [none]))
        for words in (["zzz OR yyy"], ["zzz NOT yyy"], ['"zzz yyy"'], ["zzz", "--sort", "newest"], ["zzz", "--substring"], ["!?"],
                      ["zzz", "--quiet"], ["marmalade"], ["marmalade", "--json"]):  # who has found something is left in peace
            same((words, told(*words)), (words, []))
        same(place.call("recall.search", {"query": "marmalade"}).err, none + "\n")  # the reply has it
        with open(place.at("vectors.txt"), "w", encoding="utf-8") as file:
            file.write("marmalade 1 0 0\nzzz 0.9 0.1 0\n")
        same(place.run("model", "import", place.at("vectors.txt")).status, 0)
        same(told("zzz"), ["note: searched by words alone: nothing is embedded yet: `stele embed` does it"])
        same(place.run("embed").status, 0)
        same(told("zzz"), [])


@test("embed: everything that has a text, once; what is near in meaning is found")
def _():
    with Place() as place:
        fill(place)
        done = place.run("embed", "--json")
        has(done.err, "no embedding model is configured")
        with open(place.at("vectors.txt"), "w", encoding="utf-8") as file:
            file.write("marmalade 1 0 0\njam 0.9 0.1 0\nslowly 0 1 0\noranges 0 0.2 1\ntwice 0 0 1\n")
        same(place.run("model", "import", place.at("vectors.txt")).status, 0)
        counted = place.run("embed", "--dry-run", "--json").reply()
        same(sum(row["remaining"] for row in counted), 7)
        same(sum(row["done"] for row in place.run("embed", "--limit", "2", "--json").reply()), 2)
        same(sum(row["done"] for row in place.run("embed", "--json").reply()), 5)
        same(sum(row["done"] + row["failed"] for row in place.run("embed", "--json").reply()), 0)
        rows = place.run("search", "jam", "--json").reply()
        same(len(rows) > 3, True)
        same(all(row["parts"]["words"] is None and row["parts"]["meaning"]["similarity"] > 0 for row in rows), True)
        has(rows[0]["why"], "near in meaning")
        place.call("assistant.save_note", {"title": "Tea", "content": "twice"}).reply()
        same(sum(row["done"] for row in place.run("embed", "--json").reply()), 1)


def embedded(place, store):
    with contextlib.closing(sqlite3.connect(os.path.join(place.home, f"{store}.db"))) as db:
        return sorted(db.execute("SELECT kind, id FROM stele_embeddings"))


@test("index: with a model, what is new or changed is embedded too, and what is gone leaves nothing")
def _():
    with Place() as place:
        with open(place.at("vectors.txt"), "w", encoding="utf-8") as file:
            file.write("marmalade 1 0 0\njam 0.9 0.1 0\n")
        same(place.run("model", "import", place.at("vectors.txt")).status, 0)
        fill(place)
        has(place.run("index").out, "planner       2 indexed, 2 embedded")
        same(embedded(place, "planner"), [("fact", "1"), ("user_fact", "2")])
        place.call("planner.save_fact", {"content": "jam", "source": "manual"}).reply()
        place.run("search", "jam")  # which indexes it, and embeds nothing
        same(len(embedded(place, "planner")), 2)
        same({row["store"]: row["embedded"] for row in place.run("index", "--json").reply()}["planner"], 1)
        place.call("planner.delete_facts", {"ids": [1, 2]}).reply()
        place.call("planner.update_fact", {"id": 3, "content": "nothing of the kind"}).reply()
        place.run("index")
        same(embedded(place, "planner"), [])


@test("enrich: with a model, what was learned is embedded at once")
def _():
    with Place() as place:
        with open(place.at("vectors.txt"), "w", encoding="utf-8") as file:
            file.write("marmalade 1 0 0\njam 0.9 0.1 0\nslowly 0 1 0\noranges 0 0.2 1\ntwice 0 0 1\n")
        same(place.run("model", "import", place.at("vectors.txt")).status, 0)
        place.call("capture.insert_event", {"command": "make marmalade", "exit_code": 1, "stderr": "marmalade.c: error: no oranges", "cwd": "/src/kitchen",
                                            "hostname": "h", "shell": "zsh", "terminal": "t", "timestamp": 1700000000, "now": 1700000000}).reply()
        same(place.run("enrich", "--dry-run").status, 0)
        same(os.path.exists(os.path.join(place.home, "capture.index.db")), False)
        same(place.run("enrich", "--json").reply()["learned"], 1)
        has([kind for kind, _ in embedded(place, "capture")], "node")
        same(place.run("search", "jam", "--kind", "node", "--json").reply()[0]["kind"], "node")


if __name__ == "__main__":
    sys.exit(main())
