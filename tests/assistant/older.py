"""Stores as earlier releases of the program left them: tables without the columns and tables that came later."""

import contextlib
import sqlite3
import subprocess

# The tables of the first release.  TIME is the type of a moment; on SQLite a text.
FIRST = """
CREATE TABLE interactions (id TEXT PRIMARY KEY, user_message TEXT NOT NULL, agent_response TEXT NOT NULL,
  tools_used TEXT, channel TEXT, user_id TEXT, created_at TIME NOT NULL);
CREATE TABLE notes (id TEXT PRIMARY KEY, title TEXT NOT NULL, content TEXT NOT NULL, created_at TIME NOT NULL);
CREATE TABLE tasks (id TEXT PRIMARY KEY, title TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'todo', due_date TEXT,
  created_at TIME NOT NULL);
CREATE TABLE reminders (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, chat_id TEXT NOT NULL, message TEXT NOT NULL,
  remind_at TIME NOT NULL, status TEXT NOT NULL DEFAULT 'pending', created_at TIME NOT NULL);
CREATE TABLE context (user_id TEXT PRIMARY KEY, content TEXT NOT NULL, last_updated TIME NOT NULL);
INSERT INTO interactions VALUES ('i1', 'hi', 'hello', NULL, 'cli', 'u', '2025-01-02T03:04:05.000000+00:00');
INSERT INTO notes VALUES ('n1', 'A title', 'Grüße 你好', '2025-01-02T03:04:05.000000+00:00');
INSERT INTO tasks VALUES ('t1', 'Buy tea', 'done', '2025-01-03', '2025-01-02T03:04:05.000000+00:00'),
  ('t2', 'Pour it', 'todo', NULL, '2025-01-02T03:04:06.000000+00:00');
INSERT INTO reminders VALUES ('r1', 'u', 'c', 'now', '2025-01-02T03:04:05.000000+00:00', 'sent', '2025-01-02T03:04:05.000000+00:00');
INSERT INTO context VALUES ('global', 'likes tea', '2025-01-02T03:04:05.000000+00:00');
"""

# Some of the tables of later releases, before they got their last columns.
LATER = FIRST + """
CREATE TABLE audit_log (id TEXT PRIMARY KEY, timestamp TIME NOT NULL, tool_name TEXT NOT NULL, arguments TEXT,
  result_summary TEXT, channel TEXT, user_id TEXT);
CREATE TABLE read_later (id TEXT PRIMARY KEY, url TEXT NOT NULL, title TEXT, summary TEXT, note TEXT, added_at TIME NOT NULL);
CREATE TABLE pending_actions (id TEXT PRIMARY KEY, tool_name TEXT NOT NULL, action_type TEXT NOT NULL, payload TEXT NOT NULL,
  preview_text TEXT NOT NULL, chat_id TEXT NOT NULL, message_id INTEGER, status TEXT NOT NULL DEFAULT 'pending',
  notified BOOL, edit_count INTEGER NOT NULL DEFAULT 0, original_user_message TEXT, created_at TIME NOT NULL,
  expires_at TIME NOT NULL);
CREATE TABLE delegations (id TEXT PRIMARY KEY, task_description TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'queued',
  chat_id TEXT, session_id TEXT, started_at TIME, completed_at TIME, result_summary TEXT NOT NULL DEFAULT '',
  files_summary TEXT NOT NULL DEFAULT '', duration_seconds INTEGER, input_tokens INTEGER, output_tokens INTEGER,
  estimated_cost_usd REAL, error TEXT, created_at TIME NOT NULL);
INSERT INTO audit_log VALUES ('a1', '2025-01-02T03:04:05.000000+00:00', 'save_note', '{}', 'ok', 'cli', 'u');
INSERT INTO read_later VALUES ('l1', 'https://example.org/', NULL, NULL, NULL, '2025-01-02T03:04:05.000000+00:00');
INSERT INTO delegations (id, task_description, created_at) VALUES ('d1', 'build it', '2025-01-02T03:04:05.000000+00:00');
"""

COUNTS = {"interactions": 1, "notes": 1, "tasks": 2, "reminders": 1, "context": 1}
ADDED = {  # what a row of an older file has in the columns that were added
    "SELECT notified FROM tasks ORDER BY id": [(0,), (0,)],
    "SELECT channel FROM reminders": [("telegram",)],
    "SELECT embedding FROM interactions": [(None,)],
    "SELECT embedding FROM notes": [(None,)],
}
ADDED_LATER = {
    "SELECT duration_ms, tokens_used FROM audit_log": [(None, None)],
    "SELECT tags, read_at, embedding FROM read_later": [(None, None, None)],
    "SELECT trace_id FROM pending_actions": [],
    "SELECT backend, credential FROM delegations": [("opencode", None)],
}


def make(path, tables=FIRST):
    with opened(path) as db:
        db.executescript(tables.replace(" TIME", " TEXT").replace(" BOOL", " INTEGER NOT NULL DEFAULT 0"))


def make_postgres(url, schema, tables=FIRST):
    sql = tables
    for here, there in ((" TIME", " TIMESTAMPTZ"), (" BOOL", " BOOLEAN NOT NULL DEFAULT FALSE"), (" INTEGER", " BIGINT"),
                        (" REAL", " DOUBLE PRECISION")):
        sql = sql.replace(here, there)
    psql(url, f"CREATE SCHEMA {schema}; SET search_path = {schema}; {sql}")


def psql(url, sql):
    """The rows as lines, their columns separated by |."""
    done = subprocess.run(["psql", "--no-psqlrc", "--quiet", "-At", "-v", "ON_ERROR_STOP=1", "-c", sql, url], check=True,
                          stdout=subprocess.PIPE, text=True)
    return done.stdout.splitlines()


@contextlib.contextmanager
def opened(path):
    db = sqlite3.connect(path)
    try:
        with db:
            yield db
    finally:
        db.close()


def definitions(path):
    """{(type, name): columns, for a table, without their order; else the DDL}"""
    with opened(path) as db:
        found = {(kind, name): sql for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_master")}
        for kind, name in found:
            if kind == "table":
                found[kind, name] = sorted(row[1:] for row in db.execute(f"PRAGMA table_xinfo({name})"))
        return found
