#!/usr/bin/env python3
"""Knowledge is written with everything that belongs to it, or not at all.  Prints TAP."""

import os
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from capture_store.captured import NOW, SECOND, page, queue_test, segment  # noqa: E402
from method import doors  # noqa: E402
from place import main, same  # noqa: E402

ENTITIES = [{"type": "tool", "name": name} for name in ("a", "b", "c", "a")]


def learn(captured, queue, tickets, **more):
    return captured.call("write_knowledge_node", queue=queue, tickets=[each["id"] for each in tickets],
                         token=tickets[0]["token"], content={"summary": "s", "intent": "i"}, embed_text="e", **more)


def vector(node):
    return (f"INSERT INTO stele_embeddings (kind, id, dimension, model, vector, text_hash, origin) "
            f"VALUES ('node', '{node['id']}', 1, 'm', '0000', 0, 'caller');")


def evidence(captured):
    return sorted(each["evidence_count"] for each in captured.call("list_relationships", entity_id=1))


@queue_test("a node completes its tickets; one learned later from the same segments replaces it, evidence and all")
def _(captured):
    captured.sql(segment(1) + segment(2))
    held = captured.call("claim", queue="agentic", worker="w")
    first = learn(captured, "agentic", held, entities=ENTITIES, tags=["t"], outcome="success")
    same(first["replaced"], 0)
    same({each[0] for each in captured.tickets("agentic").values()}, {"done"})
    node = captured.call("get_node", uuid=first["uuid"])
    same([each["name"] for each in node["entities"]], ["a", "b", "c"])
    same(evidence(captured), [1, 1])
    captured.sql("UPDATE agentic_sessions SET content_hash = 'b' WHERE id < 3;")
    same(captured.call("sweep_unqueued", now=NOW + 600 * SECOND), {"enqueued": 2})
    one, two = captured.call("claim", queue="agentic", worker="w")
    second = learn(captured, "agentic", [one], entities=ENTITIES)
    same(second["replaced"], 0)  # the first was learned from both
    captured.sql(vector(second))
    same(evidence(captured), [2, 2])
    captured.sql("UPDATE agentic_sessions SET content_hash = 'c' WHERE id = 1;")
    captured.call("sweep_unqueued", now=NOW + 1200 * SECOND)
    again, = captured.call("claim", queue="agentic", worker="w")
    same(learn(captured, "agentic", [again], entities=ENTITIES[:2])["replaced"], 1)
    same(evidence(captured), [1, 2])
    same(captured.call("get_node", uuid=second["uuid"]), None)
    same(captured.call("get_node", uuid=first["uuid"])["id"], first["id"])
    captured.sql(vector(second))  # there is none any more
    try:
        captured.sql(f"INSERT INTO stele_removed_nodes (node_id, uuid, removed_at) VALUES ({second['id']}, 'u', 0);")
    except (doors.Broken, sqlite3.IntegrityError):
        return  # it is noted already
    raise AssertionError("the removed node was not noted")


@queue_test("who does not hold a ticket writes no node")
def _(captured):
    captured.sql(segment(1) + segment(2))
    one, = captured.call("claim", queue="agentic", worker="w", limit=1)
    other, = captured.call("claim", queue="agentic", worker="w", limit=1)
    args = {"queue": "agentic", "token": one["token"], "content": {"summary": "s", "intent": "i"}, "embed_text": "e", "entities": ENTITIES}
    word, failure = captured.ask("write_knowledge_node", tickets=[one["id"], other["id"]], **args)
    same((word, failure["code"], failure["field"]), ("error", "DENIED", "token"))
    word, failure = captured.ask("write_knowledge_node", tickets=[], **args)
    same((word, failure["code"], failure["field"]), ("error", "INVALID", "tickets"))
    same({each[0] for each in captured.tickets("agentic").values()}, {"processing"})
    same(evidence(captured), [])


@queue_test("pages that say the same share a node")
def _(captured):
    captured.sql(page(1) + page(2))
    one, two = captured.call("claim", queue="browser", worker="w")
    first = learn(captured, "browser", [one], entities=ENTITIES)
    same(learn(captured, "browser", [two], entities=ENTITIES), first)
    same(evidence(captured), [1, 1])


if __name__ == "__main__":
    sys.exit(main())
