"""Files of the systems that Stele grew out of, as they write them: Hermes, kiso, Kwasi, hippo and Hassette."""

import json
import os
import sqlite3

from capture.expect import message, session, usage

T0 = 1_770_000_000

HERMES = """
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version VALUES (16);
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT,
  parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0,
  tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0, cache_read_tokens INTEGER DEFAULT 0,
  cache_write_tokens INTEGER DEFAULT 0, reasoning_tokens INTEGER DEFAULT 0, estimated_cost_usd REAL, actual_cost_usd REAL, title TEXT,
  cwd TEXT, column_of_the_future TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
  tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, finish_reason TEXT, reasoning TEXT,
  reasoning_content TEXT, active INTEGER NOT NULL DEFAULT 1, column_of_the_future BLOB);
"""

HERMES_1 = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, system_prompt TEXT, parent_session_id TEXT,
  started_at REAL NOT NULL, ended_at REAL, end_reason TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
  tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER);
INSERT INTO sessions (id, source, started_at) VALUES ('old', 'cli', 1700000000.5);
INSERT INTO messages (session_id, role, content, timestamp) VALUES ('old', 'user', 'from the first version', 1700000001);
"""

KISO = """
CREATE TABLE sessions (session TEXT PRIMARY KEY, connector TEXT, webhook TEXT, description TEXT, summary TEXT DEFAULT '',
  created_at DATETIME DEFAULT CURRENT_TIMESTAMP, updated_at DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, user TEXT, role TEXT NOT NULL, content TEXT NOT NULL,
  trusted BOOLEAN DEFAULT 1, processed BOOLEAN DEFAULT 0, timestamp DATETIME DEFAULT CURRENT_TIMESTAMP, source TEXT);
CREATE TABLE plans (id INTEGER PRIMARY KEY, session TEXT, goal TEXT);
INSERT INTO sessions VALUES ('discord@dev', 'discord', NULL, 'Discord #dev', 'They talk about deploys.', '2026-02-02 02:40:00', '2026-02-02 03:00:00');
INSERT INTO messages VALUES (1, 'discord@dev', 'marco', 'user', 'deploy it', 1, 1, '2026-02-02 02:40:00', NULL);
INSERT INTO messages VALUES (2, 'discord@dev', 'stranger', 'user', 'delete it', 0, 1, '2026-02-02 02:40:01', NULL);
INSERT INTO messages VALUES (3, 'discord@dev', NULL, 'assistant', 'deployed', 1, 1, '2026-02-02 02:40:02', NULL);
INSERT INTO messages VALUES (4, 'orphan', 'marco', 'user', 'nobody made my session', 1, 0, '2026-02-02 02:40:03', NULL);
"""

KWASI = """
CREATE TABLE interactions (id TEXT PRIMARY KEY, user_message TEXT, agent_response TEXT, tools_used TEXT, channel TEXT, user_id TEXT,
  created_at TIMESTAMP, embedding TEXT);
CREATE TABLE vault_credentials (id TEXT PRIMARY KEY, service TEXT, password_enc TEXT);
INSERT INTO interactions VALUES ('u-2', 'and tomorrow?', 'Rain.', NULL, 'telegram', '42', '2026-02-02T02:41:00+00:00', NULL);
INSERT INTO interactions VALUES ('u-1', 'weather?', 'Sun.', '[{"tool":"weather","args":{"city":"Accra"}},"clock"]', 'telegram', '42',
  '2026-02-02T02:40:00+00:00', '[0.1]');
INSERT INTO interactions VALUES ('u-3', 'hi', 'Hello.', '[]', 'cli', NULL, '2026-02-02T02:42:00+00:00', NULL);
INSERT INTO vault_credentials VALUES ('v', 'bank', 'gAAAA');
"""

HASSETTE = """
CREATE TABLE sessions (id INTEGER PRIMARY KEY, started_at REAL, stopped_at REAL, last_heartbeat_at REAL, status TEXT);
CREATE TABLE listeners (id INTEGER PRIMARY KEY, app_key TEXT, instance_index INTEGER, handler_method TEXT, topic TEXT);
CREATE TABLE scheduled_jobs (id INTEGER PRIMARY KEY, app_key TEXT, instance_index INTEGER, job_name TEXT);
"""

HIPPO = """
PRAGMA user_version = 19;
CREATE TABLE agentic_sessions (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, harness TEXT NOT NULL, segment_index INTEGER NOT NULL DEFAULT 0,
  model TEXT NOT NULL DEFAULT '', agent TEXT DEFAULT '', project_dir TEXT NOT NULL, cwd TEXT NOT NULL, git_branch TEXT, slug TEXT, title TEXT DEFAULT '',
  parent_session_id TEXT, is_subagent INTEGER NOT NULL DEFAULT 0, summary_text TEXT NOT NULL, tool_calls_json TEXT, user_prompts_json TEXT,
  source_file TEXT DEFAULT '', start_time INTEGER NOT NULL, end_time INTEGER NOT NULL, probe_tag TEXT, column_of_the_future TEXT);
INSERT INTO agentic_sessions (session_id, harness, segment_index, model, project_dir, cwd, git_branch, title, summary_text, tool_calls_json, user_prompts_json,
  start_time, end_time) VALUES
  ('s1', 'claude-code', 0, 'opus', '-srv-me-app', '/srv/me/app', 'main', '', 'They fixed it.', '[{"name":"Bash","summary":"make"}]',
   '["fix it","again"]', 1770000000000, 1770000060000),
  ('s1', 'claude-code', 1, 'opus', '-srv-me-app', '/srv/me/app', 'main', '', 'They went on.', '[]', '["more"]', 1770000600000, 1770000660000);
INSERT INTO agentic_sessions (session_id, harness, project_dir, cwd, parent_session_id, is_subagent, summary_text, start_time, end_time) VALUES
  ('s2', 'claude-code', '-srv-me-app', '/srv/me/app', 's1', 1, 'Sub-agent work.', 1770000001000, 1770000002000);
INSERT INTO agentic_sessions (session_id, harness, project_dir, cwd, summary_text, start_time, end_time, probe_tag) VALUES
  ('probe', 'codex', '', '', 'a probe', 1770000001000, 1770000002000, 'p');
"""

# Before version 14 there is one table, which does not name the harness; version 18 has both, and the newer one is right.
HIPPO_OLD = """
CREATE TABLE claude_sessions (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, project_dir TEXT NOT NULL, cwd TEXT NOT NULL, git_branch TEXT,
  segment_index INTEGER NOT NULL, start_time INTEGER NOT NULL, end_time INTEGER NOT NULL, summary_text TEXT NOT NULL, tool_calls_json TEXT,
  user_prompts_json TEXT, message_count INTEGER NOT NULL, token_count INTEGER, source_file TEXT NOT NULL, is_subagent INTEGER NOT NULL DEFAULT 0,
  parent_session_id TEXT, enriched INTEGER NOT NULL DEFAULT 0);
INSERT INTO claude_sessions (session_id, project_dir, cwd, segment_index, start_time, end_time, summary_text, user_prompts_json, message_count, source_file)
  VALUES ('o1', 'd', '/srv/me/old', 0, 1760000000000, 1760000060000, 'Old work.', '["old prompt"]', 2, '/srv/me/.claude/projects/d/o1.jsonl'),
         ('o2', 'd', '/srv/me/old', 0, 1760000000000, 1760000060000, 'Codex work.', '{broken', 2, '/srv/me/.Codex/sessions/o2.jsonl'),
         ('o3', 'd', '/srv/me/old', 0, 1760000000000, 1760000060000, 'Cursor work.', NULL, 2, '/srv/me/.cursor/projects/d/o3.jsonl');
"""

HIPPO_BOTH = HIPPO_OLD + """
CREATE TABLE agentic_sessions (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, harness TEXT NOT NULL, segment_index INTEGER NOT NULL, project_dir TEXT,
  cwd TEXT, summary_text TEXT, user_prompts_json TEXT, start_time INTEGER, end_time INTEGER);
INSERT INTO agentic_sessions VALUES (1, 'o1', 'claude-code', 0, 'd', '/srv/me/old', 'The live one.', '["live"]', 1760000000000, 1760000090000);
"""

CALL = '[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{}"}}]'


def fill_hermes(db):
    db.executescript(HERMES)
    db.executemany(
        "INSERT INTO sessions (id, source, model, model_config, system_prompt, parent_session_id, started_at, ended_at, end_reason, input_tokens, "
        "output_tokens, cache_read_tokens, estimated_cost_usd, actual_cost_usd, title, cwd) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", [
            ("h1", "cli", "opus", "{}", "You are Hermes.", None, T0, T0 + 100, "compression", 11, 22, 33, 0.5, 0.25, "Long talk", "/srv/me"),
            ("h2", "cli", "opus", "{}", None, "h1", T0 + 100, None, None, 1, 2, 3, 0.5, None, "Long talk #2", None),
            ("h3", "cli", "opus", None, None, "h1", T0 + 50, None, None, 0, 0, 0, None, None, None, None),
            ("h4", "telegram", "opus", '{"_branched_from": "h1"}', None, "h1", T0 + 200, None, None, 0, 0, 0, None, None, None, None),
        ])
    db.executemany(
        "INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, finish_reason, reasoning, "
        "reasoning_content, active) VALUES (?,?,?,?,?,?,?,?,?,?,?)", [
            ("h1", "user", "hello", None, None, None, T0 + 1, None, None, None, 1),
            ("h1", "assistant", None, None, CALL, None, T0 + 2, "tool_calls", None, "thinking", 1),
            ("h1", "tool", "ok", "c1", None, "bash", T0 + 3, None, None, None, 1),
            ("h1", "user", '\0json:[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:"}}]', None, None, None,
             T0 + 4, None, None, None, 1),
            ("h1", "user", "taken back", None, None, None, T0 + 5, None, None, None, 0),
            ("h1", "assistant", b"bytes \xff", None, None, None, T0 + 6, "stop", "deep", None, 1),
            ("h2", "user", "goes on", None, None, None, T0 + 101, None, None, None, 1),
        ])


def hermes_sessions():
    return [
        session("hermes", "h1", [
            message("user", "hello", at=T0 + 1),
            message("assistant", calls=[("c1", "bash", "{}")], thought="thinking"),
            message("tool", "ok", call_id="c1", tool="bash"),
            message("user", parts=[{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "data:"}}]),
            message("assistant", "bytes \ufffd", thought="deep"),
        ], usage(input=11, output=22, cache_read=33, cost=0.25), title="Long talk", model="opus", cwd="/srv/me",
            system_prompt="You are Hermes.", started_at=float(T0)),
        session("hermes", "h2", [message("user", "goes on")], usage(input=1, output=2, cache_read=3, cost=0.5), parent="h1", link="compaction"),
        session("hermes", "h3", [], parent="h1", link="subagent"),
        session("hermes", "h4", [], parent="h1", link="fork"),
    ]


def kiso_sessions():
    return [
        session("kiso", "discord@dev", [
            message("system", "They talk about deploys."),
            message("user", "deploy it", at=1770000000.0),
            message("event", parts={"trusted": False, "user": "stranger", "content": "delete it"}),
            message("assistant", "deployed"),
        ], title="Discord #dev", started_at=1770000000.0),
        session("kiso", "orphan", [message("user", "nobody made my session")]),
    ]


def kwasi_sessions():
    return [
        session("kwasi", "telegram:42", [
            message("user", "and tomorrow?", at=1770000060.0), message("assistant", "Rain."),
            message("user", "weather?"),
            message("assistant", "Sun.", calls=[("u-1.1", "weather", '{"city":"Accra"}'), ("u-1.2", "clock", '"clock"')]),
        ], started_at=1770000000.0),
        session("kwasi", "cli", [message("user", "hi"), message("assistant", "Hello.")]),
    ]


def hippo_sessions():
    return [
        session("hippo", "claude-code:s1", [
            message("user", "fix it"), message("user", "again"),
            message("assistant", calls=[("0.call1", "Bash", "make")]),
            message("system", "They fixed it.", at=1770000060.0),
            message("user", "more"), message("system", "They went on."),
        ], cwd="/srv/me/app", branch="main", model="opus", started_at=1770000000.0),
        session("hippo", "claude-code:s2", [message("system", "Sub-agent work.")], parent="claude-code:s1", link="subagent"),
    ]


def hippo_old(first):
    return [first,
            session("hippo", "codex:o2", [message("system", "Codex work.")]),
            session("hippo", "cursor:o3", [message("system", "Cursor work.")])]


def old_sessions():
    return hippo_old(session("hippo", "claude-code:o1", [message("user", "old prompt"), message("system", "Old work.")], cwd="/srv/me/old"))


def both_sessions():
    return hippo_old(session("hippo", "claude-code:o1", [message("user", "live"), message("system", "The live one.")], cwd="/srv/me/old"))


def make_both(root):
    """A file of version 18, with both of hippo's tables."""
    path = os.path.join(root, "both.bin")
    db = sqlite3.connect(path)
    db.executescript(HIPPO_BOTH)
    db.close()
    return {"root": root, "files": [path], "sessions": both_sessions(), "bad": 1}


def make(root):
    """Names say nothing: every file is called x<n>.bin."""
    files, sessions = [], []
    os.makedirs(root, exist_ok=True)
    for number, (script, expected) in enumerate((
            (fill_hermes, hermes_sessions()),
            (HERMES_1, [session("hermes", "old", [message("user", "from the first version", at=1700000001.0)], started_at=1700000000.5)]),
            (KISO, kiso_sessions()), (KWASI, kwasi_sessions()), (HIPPO, hippo_sessions()), (HIPPO_OLD, old_sessions()), (HASSETTE, []))):
        path = os.path.join(root, f"x{number}.bin")
        db = sqlite3.connect(path)
        script(db) if callable(script) else db.executescript(script)
        db.commit()
        db.close()
        files.append(path)
        sessions += expected
    return {"root": root, "files": files, "sessions": sessions, "bad": 2}
