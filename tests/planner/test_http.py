#!/usr/bin/env python3
"""The planner over HTTP: what people look at has an address of its own.  Prints TAP."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from place import main, same, test  # noqa: E402
from serve.server import pages, serving  # noqa: E402


def get(server, path, status=200):
    answer = server.get(path)
    same((path, answer.status), (path, status))
    return json.loads(answer.text)


def fill(server):
    for n in range(3):
        server.call("planner.receive_message", session="s", content=f"message {n}")
        server.call("planner.create_plan", session="s", message_id=n + 1, goal=f"plan {n}", tasks=[{"type": "msg", "detail": "x"}])
        server.call("planner.save_fact", content=f"fact {n}", source="manual")
        server.call("planner.save_pending_item", content=f"question {n}", scope="global", source="planner")
        server.call("planner.create_session", session=f"t{n}", now=2_000_000_000 + n)
    server.call("planner.save_fact", content="secret fact", source="manual", category="user", session="s")


@test("the status of a session, its plans, tasks, messages and questions")
def _():
    with serving() as server:
        get(server, "/v1/planner/status/s", 404)
        fill(server)
        status = get(server, "/v1/planner/status/s")
        same((status["active"], status["plan"]["goal"], [task["id"] for task in status["tasks"]]), (True, "plan 2", [1, 2, 3]))
        same([task["id"] for task in get(server, "/v1/planner/status/s?after=2")["tasks"]], [3])
        same(get(server, "/v1/planner/context/s?budget=500")["plan"]["goal"], "plan 2")
        for what in ("plans", "tasks", "messages", "pending"):
            same((what, pages(server, f"/v1/planner/{what}/s")), (what, [[1, 2], [3]]))
        same(pages(server, "/v1/planner-sessions", "session"), [["t2", "t1"], ["t0", "s"]])


@test("facts are listed and searched as far as whoever asks may see them")
def _():
    with serving() as server:
        fill(server)
        same(pages(server, "/v1/facts"), [[1, 2], [3]])
        same(pages(server, "/v1/facts?session=s"), [[1, 2], [3, 4]])
        same([row["id"] for row in get(server, "/v1/facts/search?query=secret")["items"]], [])
        same([row["id"] for row in get(server, "/v1/facts/search?query=secret&session=s")["items"]], [4])
        same(server.get("/v1/facts/search?query=fact%20nowhere").headers["Stele-Notes"] is not None, True)
        described = get(server, "/openapi.json")["paths"]
        same([path for path in ("/v1/planner/status/{session}", "/v1/facts", "/v1/planner/save_fact") if path not in described], [])


if __name__ == "__main__":
    sys.exit(main())
