#!/usr/bin/env python3
"""Files of the program that the format comes from are served as they are, and Stele's own are its.  Prints TAP."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from planner import original  # noqa: E402
from place import Place, digest, has, main, same, test  # noqa: E402


class File:
    """A file of the original, outside the home."""

    def __init__(self, place, tables=original.SHIPPED):
        self.place = place
        self.path = place.at("store.db")
        original.make(self.path, tables)

    def call(self, method, **args):
        return self.place.call("planner." + method, args, "--store", f"planner={self.path}").reply()

    def run(self, *statements):
        with original.opened(self.path) as db:
            for statement in statements:
                db.execute(statement)


@test("a fresh file has the original's tables, columns, indexes and triggers, and no others")
def _():
    with Place() as place:
        place.call("planner.save_message", {"session": "a", "role": "user", "content": "x"}).reply()
        path = place.at("home", "planner.db")
        original.make(place.at("theirs.db"))
        same(original.tables(path), sorted(original.TABLES + original.SEARCH))
        ours, theirs = original.definitions(path), original.definitions(place.at("theirs.db"))
        # Counting a use need not write the table of words anew: the trigger is for changes of the content.
        theirs = [(kind, name, what.replace("AFTER UPDATE ON", "AFTER UPDATE OF content ON")
                   if name == "facts_fts_update" else what) for kind, name, what in theirs]
        same(ours, theirs)


@test("what Stele adds is made when it is first used, and not before")
def _():
    with Place() as place:
        path = place.at("home", "planner.db")
        place.call("planner.save_fact", {"content": "one", "source": "manual", "link": True}).reply()
        place.call("planner.get_facts", {}).reply()
        place.call("planner.receive_message", {"session": "a", "content": "x"}).reply()
        place.call("planner.fade_facts", {}).reply()
        place.call("planner.context", {"session": "a"}).reply()
        same(original.tables(path), sorted(original.TABLES + original.SEARCH))
        place.call("planner.save_fact", {"content": "two", "source": "manual", "replaces": 1}).reply()
        same(original.tables(path), sorted(original.TABLES + original.SEARCH + ["stele_validity"]))
        same(original.search(path, "one OR two"), [1, 2])


@test("a file of the original is served, and stays its own")
def _():
    with Place() as place:
        file = File(place)
        file.run("INSERT INTO sessions (session, connector) VALUES ('a', 'discord')",
                 "INSERT INTO messages (session, user, role, content) VALUES ('a', 'marco', 'user', 'hi')",
                 "INSERT INTO plans (session, message_id, goal, llm_calls) VALUES ('a', 1, 'g', '[{\"role\": \"planner\"}]')",
                 "INSERT INTO tasks (plan_id, session, type, detail, review_verdict, llm_calls) VALUES (1, 'a', 'exec', 'x', 'ok', 'not [json')",
                 "INSERT INTO facts (content, source) VALUES ('Flask is used', 'curator')")
        before = original.definitions(file.path)
        same([row["connector"] for row in file.call("get_all_sessions")], ["discord"])
        same([row["content"] for row in file.call("get_unprocessed_trusted_messages")], ["hi"])
        same(file.call("get_plan", id=1)["llm_calls"], [{"role": "planner"}])
        same(file.call("get_task", id=1)["llm_calls"], "not [json")  # damaged, and told as it is
        file.call("append_task_llm_call", id=1, llm_call={"n": 1})
        same(file.call("get_task", id=1)["llm_calls"], [{"n": 1}])
        same([row["id"] for row in file.call("search_facts", query="flask")], [1])
        file.call("save_fact", content="Django is not", source="manual")
        same(original.search(file.path, "django"), [2])
        same(original.definitions(file.path), before)
        same(original.tables(file.path), sorted(original.TABLES + original.SEARCH))


@test("statuses that the original makes up are served, and can be left")
def _():
    with Place() as place:
        file = File(place)
        file.run("INSERT INTO plans (session, message_id, goal, status) VALUES ('a', 1, 'g', 'awaiting')",
                 "INSERT INTO tasks (plan_id, session, type, detail, status) VALUES (1, 'a', 'dance', 'x', 'stopped')")
        file.call("update_plan_status", id=1, status="running")
        file.call("update_task", id=1, status="done")
        same((file.call("get_plan", id=1)["status"], file.call("get_task", id=1)["type"]), ("running", "dance"))


@test("times are read in both forms")
def _():
    with Place() as place:
        file = File(place)
        for when in ("'2026-01-01 12:00:00'", "'2026-01-01T12:00:00+00:00'", "'2026-01-01T12:00:00.250000+00:00'",
                     "'2026-01-01T12:00:00Z'", "'2026-01-01T14:00:00+02:00'"):
            file.run(f"INSERT INTO facts (content, source, last_used, created_at) VALUES ('x', 's', {when}, '2020-01-01 00:00:00')")
        file.run("INSERT INTO facts (content, source, last_used, created_at) VALUES ('x', 's', NULL, '2026-01-01T12:00:00')",
                 "INSERT INTO facts (content, source, last_used, created_at) VALUES ('x', 's', 'yesterday', '2026-01-01 12:00:00')")
        same([row["last_used"] for row in file.call("get_facts")], ["2026-01-01 12:00:00"] * 5 + [None, None])
        same(file.call("decay_facts", now="2026-01-08T12:00:00Z"), {"decayed": 0})
        same(file.call("decay_facts", now="2026-01-08T12:00:01Z"), {"decayed": 7})
        file.call("update_fact_usage", ids=[1, 2], now="2026-02-01T00:00:00Z")
        with original.opened(file.path) as db:
            same(db.execute("SELECT last_used FROM facts WHERE id < 3").fetchall(), [("2026-02-01 00:00:00",)] * 2)


@test("a file as it is documented, without a search table, is searched by reading")
def _():
    with Place() as place:
        file = File(place, original.DOCUMENTED)
        file.run("INSERT INTO facts (content, source) VALUES ('Flask is used', 's'), ('Zürich 東京', 's')")
        same([row["id"] for row in file.call("search_facts", query="flask")], [1])
        same([row["id"] for row in file.call("search_facts", query="東京")], [2])
        file.call("save_fact", content="flask again", source="manual")
        same(sorted(row["id"] for row in file.call("search_facts", query="flask")), [1, 3])
        same(original.tables(file.path), original.TABLES)


@test("a search table whose triggers are gone is not trusted")
def _():
    with Place() as place:
        file = File(place)
        file.run("INSERT INTO facts (content, source) VALUES ('Flask is used', 's')", "DROP TRIGGER facts_fts_insert",
                 "INSERT INTO facts (content, source) VALUES ('Flask is not', 's')")
        same(sorted(row["id"] for row in file.call("search_facts", query="flask")), [1, 2])


@test("a file of the later form, or of somebody else, is refused and left alone")
def _():
    with Place() as place:
        file = File(place)
        file.run("ALTER TABLE facts ADD COLUMN project_id INTEGER")
        before = digest(file.path)
        done = place.run("--store", f"planner={file.path}", "--json", "call", "planner.get_facts")
        has(done.error(1, "FORMAT")["message"], "facts.project_id")
        same(digest(file.path), before)
        file.run("ALTER TABLE facts DROP COLUMN project_id", "ALTER TABLE tasks DROP COLUMN skill")
        has(place.run("--store", f"planner={file.path}", "--json", "call", "planner.get_facts").error(1, "FORMAT")["message"], "tasks.skill")


if __name__ == "__main__":
    sys.exit(main())
