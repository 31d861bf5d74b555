"""Stores with captured rows that are written as another program would, and calls on them, on each engine."""

import contextlib
import json
import os
import sqlite3

from method import doors
from place import postgres_test, test

NOW = 1_000_000_000_000  # when the tests take place, in milliseconds
SECOND = 1000
TIMELESS = {"list_queue", "queue_depth", "get_node", "list_relationships", "search_knowledge", "save_node_embedding", "get_entities",
            "upsert_workflow_job", "replace_annotations", "model_use", "list_relationships"}
SESSION = ("INSERT INTO sessions (id, start_time, shell, hostname, username, created_at) "
           "VALUES (1, 0, 'zsh', 'h', 'u', 0), (2, 0, 'zsh', 'h', 'u', 0);")


class Store:
    """A new capture store, with a player on it."""

    def __init__(self, places, stack):
        self.places, self.stack = places, stack
        self.place = places.new()
        self.player = self.another()
        self.call("list_queue")  # makes the store

    def another(self, **options):
        """One more player, a process with a handle of its own."""
        player = self.stack.enter_context(doors.Player())
        player.open({**self.place, **options})
        return player

    def sql(self, sql):
        if self.places.engine == "postgres":
            self.places.sql(self.place, "capture", sql)
            return
        with contextlib.closing(sqlite3.connect(os.path.join(self.place["home"], "capture.db"))) as file:
            file.executescript(sql)

    def ask(self, method, **args):
        return self.player.call(f"capture.{method}", json.dumps({"now": NOW, **args}))

    def call(self, method, **args):
        if method not in TIMELESS:
            args = {"now": NOW, **args}
        return self.player.must("call", f"capture.{method}", json.dumps(args))

    def tickets(self, queue):
        """(status, retry_count, error_message) by ticket"""
        return {each["id"]: (each["status"], each["retry_count"], each["error_message"])
                for each in self.call("list_queue", queue=queue, limit=1000)}


@contextlib.contextmanager
def store(places):
    with places as opened, contextlib.ExitStack() as stack:
        yield Store(opened, stack)


def queue_test(name):
    """A test of a store, run on each engine."""
    def keep(function):
        def on(places):
            def play():
                with store(places()) as opened:
                    function(opened)
            return play
        test(f"sqlite: {name}")(on(doors.Sqlite))
        postgres_test(f"postgres: {name}")(on(lambda: doors.Postgres(["capture"])))
        return function
    return keep


def event(id, session=1, at=NOW - 600 * SECOND, probe="NULL", priority=5, ticket=True):
    """A command, and its ticket 100 + id."""
    sql = (f"INSERT INTO events (id, session_id, timestamp, command, duration_ms, cwd, hostname, shell, probe_tag, created_at) "
           f"VALUES ({id}, {session}, {at}, 'make', 1, '/', 'h', 'zsh', {probe}, 0);")
    if ticket:
        sql += f"INSERT INTO enrichment_queue (id, event_id, priority, created_at, updated_at) VALUES ({100 + id}, {id}, {priority}, 0, 0);"
    return sql


def segment(id, harness="codex", content="'a'", learned="NULL", start=0, cwd="/", probe="NULL", ticket=True):
    """A segment, and its ticket 200 + id."""
    sql = (f"INSERT INTO agentic_sessions (id, session_id, harness, project_dir, cwd, summary_text, message_count, start_time, "
           f"end_time, content_hash, last_enriched_content_hash, probe_tag, created_at) VALUES ({id}, 's{id}', '{harness}', '/', '{cwd}', "
           f"'x', 5, {start}, {start}, {content}, {learned}, {probe}, 0);")
    if ticket:
        sql += (f"INSERT INTO agentic_enrichment_queue (id, session_id, enqueued_at, updated_at) "
                f"VALUES ({200 + id}, {id}, {start}, 0);")
    return sql


def page(id, at=NOW - 600 * SECOND, probe="NULL"):
    """A page, and its ticket 300 + id."""
    return (f"INSERT INTO browser_events (id, timestamp, url, domain, dwell_ms, content_hash, probe_tag, created_at) "
            f"VALUES ({id}, {at}, 'u', 'd', 1, 'p{id}', {probe}, 0);"
            f"INSERT INTO browser_enrichment_queue (id, browser_event_id, created_at, updated_at) VALUES ({300 + id}, {id}, 0, 0);")


def run(id, priority=5, at=0):
    """A run, and its ticket of the same number."""
    return (f"INSERT INTO workflow_runs (id, repo, head_sha, event, status, html_url, raw_json, first_seen_at, last_seen_at) "
            f"VALUES ({id}, 'r', 'sha', 'push', 'completed', 'u', '{{}}', 0, 0);"
            f"INSERT INTO workflow_enrichment_queue (run_id, priority, enqueued_at, updated_at) "
            f"VALUES ({id}, {priority}, {at}, 0);")
