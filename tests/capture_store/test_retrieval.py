#!/usr/bin/env python3
"""Knowledge is found: filters before ranks, the same on both engines.  Prints TAP."""

import json
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from capture_store.captured import NOW, SECOND, SESSION, event, page, queue_test, run, segment, store  # noqa: E402
from method import doors  # noqa: E402
from place import main, postgres_test, same  # noqa: E402

MODES = ("lexical", "semantic", "hybrid", "recent")


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def node(id, words, at=NOW, outcome="NULL"):
    """A node, as another program writes it."""
    content = json.dumps({"summary": words, "intent": "i", "outcome": "success"}, ensure_ascii=False)
    return (f"INSERT INTO knowledge_nodes (id, uuid, content, embed_text, outcome, created_at, updated_at) "
            f"VALUES ({id}, 'u{id}', {quoted(content)}, {quoted(words)}, {outcome}, {at}, {at});\n")


def link(table, column, node, source):
    return f"INSERT INTO {table} (knowledge_node_id, {column}) VALUES ({node}, {source});\n"


def from_event(node, source):
    return link("knowledge_node_events", "event_id", node, source)


def from_segment(node, source):
    return link("knowledge_node_agentic_sessions", "agentic_session_id", node, source)


def embed(captured, **vectors):
    for uuid, vector in vectors.items():
        captured.call("save_node_embedding", uuid=uuid, model="m", vector=vector)


def ids(captured, **args):
    return [each["id"] for each in captured.call("search_knowledge", **args)]


@queue_test("filters come before the cut: thousands of better nodes outside of them hide nothing")
def _(captured):
    better, wanted = range(1, 3201), range(5001, 5006)
    captured.sql(SESSION + event(1)
                 + f"""INSERT INTO knowledge_nodes (id, uuid, content, embed_text, created_at, updated_at)
                       WITH RECURSIVE n(id) AS (SELECT {better[0]} UNION ALL SELECT id + 1 FROM n WHERE id < {better[-1]})
                       SELECT id, 'u' || id, '{{}}', 'kettle kettle kettle', {NOW}, {NOW} FROM n;"""
                 + "".join(node(id, "a kettle among many other words that make it worse", at=NOW - 1, outcome="'partial'")
                           + from_event(id, 1) for id in wanted))
    embed(captured, **{f"u{id}": [1, 0] for id in better}, **{f"u{id}": [1, 2] for id in wanted})
    for mode in MODES:
        for filters in ({"source": "shell"}, {"outcome": "partial"}, {"until": NOW}):
            found = ids(captured, query="kettle", vector=[1, 0], mode=mode, limit=5, **filters)
            same((mode, sorted(found)), (mode, list(wanted)))
        same(any(id in wanted for id in ids(captured, query="kettle", vector=[1, 0], mode=mode, limit=5)), False)


@queue_test("what fits best inside the filters comes first, however many fit as well outside of them")
def _(captured):
    captured.sql(SESSION + event(1)
                 + f"""INSERT INTO knowledge_nodes (id, uuid, content, embed_text, created_at, updated_at)
                       WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 2000)
                       SELECT id, 'u' || id, '{{}}', 'green tea', {NOW}, {NOW} FROM n;"""
                 + node(3001, "green tea, and very much more that makes it worse than the others") + from_event(3001, 1)
                 + node(3002, "tea of a green sort, and very much more that makes it worse") + from_event(3002, 1)
                 + "".join(node(id, "tea") + from_event(id, 1) for id in range(3003, 3013)))
    found = captured.call("search_knowledge", query="green tea", mode="lexical", source="shell", limit=3)
    same([(each["id"], each["matched"]) for each in found], [(3001, "phrase"), (3002, "all words"), (3003, "some words")])
    found = captured.call("search_knowledge", query="green tea", mode="recent", source="shell", limit=3)
    same([each["id"] for each in found], [3001, 3002])


@queue_test("each filter lets through what it says")
def _(captured):
    captured.sql(SESSION + event(1) + segment(1, harness="codex", cwd="/src/tea") + segment(2, harness="claude-code") + page(1) + run(7)
                 + "UPDATE events SET cwd = '/src/Stele', git_branch = 'main', git_repo = 'me/stele';"
                 + "UPDATE agentic_sessions SET git_branch = 'main' WHERE id = 2;"
                 + "UPDATE workflow_runs SET repo = 'me/forge', head_branch = 'next';"
                 + "".join(node(id, "kettle", at=NOW - id * SECOND) for id in range(1, 7))
                 + from_event(1, 1) + from_segment(2, 1) + from_segment(3, 2)
                 + link("knowledge_node_browser_events", "browser_event_id", 4, 1)
                 + link("knowledge_node_workflow_runs", "run_id", 5, 7)
                 + "UPDATE knowledge_nodes SET node_type = 'change_outcome', outcome = 'failure' WHERE id = 5;")
    captured.call("upsert_entity", type="tool", name="Ninja Build")
    captured.sql(link("knowledge_node_entities", "entity_id", 6, 1))
    embed(captured, **{f"u{id}": [1, id] for id in range(1, 7)})
    expected = [
        ({}, [1, 2, 3, 4, 5, 6]), ({"source": "shell"}, [1]), ({"source": "agentic"}, [2, 3]), ({"source": "claude"}, [2, 3]),
        ({"source": "claude-code"}, [3]), ({"source": "codex"}, [2]), ({"source": "opencode"}, []), ({"source": "browser"}, [4]),
        ({"source": "workflow"}, [5]), ({"project": "Stele"}, [1]), ({"project": "me/"}, [1, 5]), ({"project": "/src"}, [1, 2]),
        ({"project": "STELE"}, []), ({"branch": "main"}, [1, 3]), ({"branch": "next"}, [5]), ({"entity": "ninja  build"}, [6]),
        ({"entity": "Ninja Build"}, [6]), ({"entity": "ninja"}, []), ({"node_type": "change_outcome"}, [5]), ({"outcome": "failure"}, [5]),
        ({"since": NOW - 2 * SECOND}, [1, 2]), ({"until": NOW - 4 * SECOND}, [5, 6]),
        ({"since": NOW - 3 * SECOND, "until": NOW - 1 * SECOND, "branch": "main"}, [3]), ({"source": "shell", "branch": "next"}, []),
    ]
    for filters, nodes in expected:
        for mode in MODES:
            found = ids(captured, query="kettle", vector=[1, 1], mode=mode, limit=100, **filters)
            same((mode, filters, sorted(found)), (mode, filters, nodes))


@queue_test("a node is as late as the latest of what it was learned from")
def _(captured):
    captured.sql(SESSION + event(1, at=NOW + 5) + segment(1, start=NOW + 7) + page(1, at=NOW + 6)
                 + "".join(node(id, "kettle", at=NOW + id) for id in range(1, 5)) + from_event(1, 1) + from_segment(2, 1)
                 + link("knowledge_node_browser_events", "browser_event_id", 3, 1))
    found = captured.call("search_knowledge", mode="recent")
    same([(each["id"], each["captured_at"] - NOW) for each in found], [(2, 7), (3, 6), (1, 5), (4, 4)])


@queue_test("what was learned from a probe is not found")
def _(captured):
    captured.sql(SESSION + event(1, probe="'p'", ticket=False) + segment(1, probe="'p'", ticket=False) + page(1, probe="'p'")
                 + "".join(node(id, "kettle") for id in range(1, 5)) + from_event(1, 1) + from_segment(2, 1)
                 + link("knowledge_node_browser_events", "browser_event_id", 3, 1))
    embed(captured, u4=[1], **{f"u{id}": [1] for id in range(1, 4)})
    for mode in MODES:
        same((mode, ids(captured, query="kettle", vector=[1], mode=mode)), (mode, [4]))


@queue_test("words are found whatever their case, marks and script; the closer they stand, the better")
def _(captured):
    texts = ["deploy the Straße service", "service deploy", "the service is slow and nobody will deploy it", "École d'été", "明日の天気は雨",
             "deploy", "line\nbreak \"quoted\" \\path", "other service; other; other; other"]
    captured.sql("".join(node(id, text) for id, text in enumerate(texts, 1)))
    for query, nodes in [("STRASSE", [1]), ("ecole ete", [4]), ("天気", [5]), ("break", [7]), ("path quoted", [7]), ("depl*", [6, 2, 1, 3])]:
        same((query, ids(captured, query=query, mode="lexical")), (query, nodes))
    found = captured.call("search_knowledge", query="service deploy", mode="lexical")
    same([(each["id"], each["matched"]) for each in found], [(2, "phrase"), (1, "all words"), (3, "all words"), (6, "some words"), (8, "some words")])
    same([each["lexical_rank"] for each in found], [1, 2, 3, 4, 5])
    same(ids(captured, query="how do I deploy a service on the Straße at night", mode="lexical", limit=1), [1])
    same(ids(captured, query="service NOT slow", mode="lexical"), [2, 1, 8])


@queue_test("scores are absolute: what is far has a low one, and a worse query finds with a lower one")
def _(captured):
    captured.sql("".join(node(id, words) for id, words in enumerate(["alpha beta", "alpha", "gamma", "delta"], 1)))
    embed(captured, u1=[1, 0, 0], u2=[1, 0.2, 0], u3=[0, 1, 0], u4=[-1, 0, 0])
    near = captured.call("search_knowledge", mode="semantic", vector=[1, 0, 0])
    same({each["id"]: round(each["similarity"], 3) for each in near}, {1: 1.0, 2: 0.981, 3: 0.0, 4: -1.0})
    same([each["id"] for each in near][:1], [1])
    same(near[-1]["id"], 4)
    far = captured.call("search_knowledge", mode="semantic", vector=[0, 0, 1])
    same({each["score"] for each in far}, {0.0})
    both = captured.call("search_knowledge", query="alpha beta", vector=[1, 0, 0])[0]
    same((both["id"], both["matched"], round(both["score"], 6)), (1, "phrase, meaning", round(2 / 61, 6)))


@queue_test("of what says the same, one comes first and the others later")
def _(captured):
    captured.sql("".join(node(id, "kettle") for id in range(1, 5)))
    embed(captured, u1=[1, 0.1, 0], u2=[1, 0.11, 0], u3=[1, 0.12, 0], u4=[1, 0, 0.13])
    same(ids(captured, mode="semantic", vector=[1, 0, 0], limit=2), [1, 4])


@queue_test("a node that was replaced is found in no mode, nor one that is gone or says something else")
def _(captured):
    captured.sql(segment(1))
    held, = captured.call("claim", queue="agentic", worker="w")
    content = {"summary": "kettle", "intent": "i", "outcome": "success"}
    args = {"queue": "agentic", "content": content, "embed_text": "kettle"}
    old = captured.call("write_knowledge_node", tickets=[held["id"]], token=held["token"], **args)
    embed(captured, **{old["uuid"]: [1]})
    captured.sql("UPDATE agentic_sessions SET content_hash = 'b';")
    captured.call("sweep_unqueued", now=NOW + 600 * SECOND)
    again, = captured.call("claim", queue="agentic", worker="w")
    new = captured.call("write_knowledge_node", tickets=[again["id"]], token=again["token"], **args)
    same(new["replaced"], 1)
    for mode in MODES:
        found = [each["uuid"] for each in captured.call("search_knowledge", query="kettle", vector=[1], mode=mode)]
        same((mode, found), (mode, [] if mode == "semantic" else [new["uuid"]]))  # it has no embedding yet
    word, failure = captured.player.call("capture.save_node_embedding", json.dumps({"uuid": old["uuid"], "model": "m", "vector": [1]}))
    same((word, failure["code"]), ("error", "NOTFOUND"))
    embed(captured, **{new["uuid"]: [1]})
    same(len(ids(captured, vector=[1], mode="semantic")), 1)
    captured.sql("UPDATE knowledge_nodes SET embed_text = 'other';")  # by another program
    same(ids(captured, vector=[1], mode="semantic"), [])
    same([each["uuid"] for each in captured.call("list_unembedded_nodes", older_than=0)], [new["uuid"]])
    captured.sql("DELETE FROM knowledge_node_agentic_sessions; DELETE FROM knowledge_nodes;")
    for mode in MODES:
        same((mode, ids(captured, query="kettle", vector=[1], mode=mode)), (mode, []))


@queue_test("embeddings are of one model, which another program may have named")
def _(captured):
    captured.sql(node(1, "kettle"))
    embed(captured, u1=[1, 0])
    captured.sql("UPDATE embed_model_meta SET model = 'theirs';")
    args = {"uuid": "u1", "vector": [0, 1]}
    word, failure = captured.player.call("capture.save_node_embedding", json.dumps({**args, "model": "m"}))
    same((word, failure["code"], failure["field"]), ("error", "INVALID", "model"))
    captured.call("save_node_embedding", **args, model="theirs")
    captured.sql("DELETE FROM embed_model_meta;")  # none: any will do, and is the one from then on
    captured.call("save_node_embedding", **args, model="third")
    word, failure = captured.player.call("capture.save_node_embedding", json.dumps({**args, "model": "theirs"}))
    same((word, failure["code"], failure["field"]), ("error", "INVALID", "model"))


@queue_test("whoever may only read finds all that was written, indexed or not")
def _(captured):
    reader = captured.another(flags=["readonly"])
    for number, words in enumerate(("kettle", "teapot"), 1):  # nothing is indexed before the first, all but one before the second
        captured.sql(node(number, words))
        for mode in ("lexical", "recent"):
            found = reader.must("call", "capture.search_knowledge", json.dumps({"query": words, "mode": mode}))
            same((mode, [each["id"] for each in found]), (mode, [number]))
        same(ids(captured, query=words, mode="lexical"), [number])


WORDS = "alpha beta gamma tea coffee École STRASSE straße green note 天気 deploy it's a/b.py 🙂".split()


def some_words(chance):
    return " ".join(chance.choices(WORDS, k=chance.randrange(1, 8)))


def some_query(chance):
    args = {"mode": chance.choice(MODES), "query": some_words(chance), "limit": chance.randrange(1, 12),
            "vector": [round(chance.uniform(-1, 1), 2) + 0.001 for _ in range(3)]}
    if chance.random() < 0.3:
        args["query"] = f"{chance.choice(WORDS)} {chance.choice(('OR', 'NOT', 'AND'))} {chance.choice(WORDS)}"
    for name, values in (("source", ["shell", "codex", "agentic"]), ("outcome", ["success", "failure"]), ("since", [NOW - 20]),
                         ("until", [NOW - 10]), ("project", ["/"])):
        if chance.random() < 0.2:
            args[name] = chance.choice(values)
    return args


@postgres_test("both engines find the same in the same order")
def _():
    with store(doors.Sqlite()) as one, store(doors.Postgres(["capture"])) as other:
        chance = random.Random(7)
        sql = SESSION + event(1) + event(2) + segment(1) + "".join(
            node(id, some_words(chance), at=NOW - chance.randrange(40), outcome=chance.choice(("'success'", "'failure'", "NULL")))
            + chance.choice(("", from_event(id, 1), from_event(id, 2), from_segment(id, 1))) for id in range(1, 121))
        vectors = {f"u{id}": [round(chance.uniform(-1, 1), 2) + 0.001 for _ in range(3)] for id in range(1, 121) if id % 3}
        for each in (one, other):
            each.sql(sql)
            embed(each, **vectors)
        found = 0
        for _ in range(300):
            args = some_query(chance)
            replies = [each.call("search_knowledge", **args) for each in (one, other)]
            same((args, replies[0]), (args, replies[1]))
            found += len(replies[0])
        assert found > 300, "there was nothing to find"


if __name__ == "__main__":
    sys.exit(main())
