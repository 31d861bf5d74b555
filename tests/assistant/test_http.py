#!/usr/bin/env python3
"""The assistant over HTTP: what people look at has an address of its own.  Prints TAP."""

import json
import os
import sys
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from place import main, same, test  # noqa: E402
from serve.server import pages, serving  # noqa: E402


@test("lists and searches come in pages")
def _():
    with serving() as server:
        for n in range(3):
            new = {"id": str(n), "created_at": n}
            server.call("assistant.save_interaction", user_message=f"École {n}", agent_response="", user_id="u/v", **new)
            server.call("assistant.save_note", title=f"École {n}", content="", **new)
            server.call("assistant.create_task", title=f"École {n}", **new)
            server.call("assistant.create_reminder", user_id="u", chat_id="c", message="m", remind_at=n, **new)
            server.call("assistant.save_journal_entry", content="x", **new)
            server.call("assistant.save_read_later", id=str(n), url="x", added_at=n)
            server.call("assistant.save_user_fact", key=f"école_{2 - n}", value="x", **new)
        school = urllib.parse.quote("ÉCOLE")
        for path in ("/v1/interactions", f"/v1/interactions/search?query={school}", f"/v1/notes/search?query={school}",
                     "/v1/notes", "/v1/assistant-tasks?status=todo", f"/v1/assistant-tasks/search?query={school}",
                     "/v1/interactions/of/u%2Fv", "/v1/reminders?user_id=u", "/v1/journal", "/v1/read-later",
                     "/v1/user-facts", f"/v1/user-facts/search?query={school}"):
            same((path, pages(server, path)), (path, [["2", "1"], ["0"]]))


@test("what has no pages is told at once, and what is wrong in words")
def _():
    with serving() as server:
        server.call("assistant.add_news_topic", id="a", topic="Tea")
        server.call("assistant.save_read_later", id="b", url="x", tags="tea")
        for path, wanted in (("/v1/news-topics", ["a"]), ("/v1/read-later/relevant?text=Tea", ["b"])):
            same((path, [row["id"] for row in json.loads(server.get(path).text)]), (path, wanted))
        answer = server.get("/v1/notes/search?query=")
        same((answer.status, json.loads(answer.text)["field"]), (400, "query"))


if __name__ == "__main__":
    sys.exit(main())
