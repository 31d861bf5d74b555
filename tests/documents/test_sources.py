#!/usr/bin/env python3
"""What can be found in each store, on both engines: what is written is found at once, by its new text and not by its
old one, in another process too; what is deleted is gone; and what is private, or a probe's, is never found.  Prints TAP."""

import itertools
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from documents.finder import Home, on_both, uuid  # noqa: E402
from method import doors  # noqa: E402
from place import main, same  # noqa: E402

NOW = "2026-01-01T00:00:00Z"
numbers = itertools.count(1)


def cases():
    """Each a store, a kind, and statements: add a row with a text, change the text, remove the row."""
    return [
        ("conversation", "message", "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', '{}', 1)",
         "UPDATE messages SET content = '{}'", "DELETE FROM messages"),
        ("assistant", "note", "INSERT INTO notes (id, title, content, created_at) VALUES ('k', 'a title', '{}', '2026-01-01T00:00:00.000000+00:00')",
         "UPDATE notes SET content = '{}' WHERE id = 'k'", "DELETE FROM notes WHERE id = 'k'"),
        ("assistant", "fact", "INSERT INTO user_facts (id, key, value, created_at, updated_at) VALUES ('k', 'a', '{}', '2026-01-01T00:00:00.000000+00:00', "
         "'2026-01-01T00:00:00.000000+00:00')", "UPDATE user_facts SET value = '{}'", "DELETE FROM user_facts"),
        ("assistant", "task", "INSERT INTO tasks (id, title, created_at) VALUES ('k', '{}', '2026-01-01T00:00:00.000000+00:00')",
         "UPDATE tasks SET title = '{}'", "DELETE FROM tasks"),
        ("assistant", "reminder", "INSERT INTO reminders (id, user_id, chat_id, message, remind_at, created_at) VALUES ('k', 'u', 'c', '{}', "
         "'2026-01-01T00:00:00.000000+00:00', '2026-01-01T00:00:00.000000+00:00')", "UPDATE reminders SET message = '{}'", "DELETE FROM reminders"),
        ("assistant", "interaction", "INSERT INTO interactions (id, user_message, agent_response, created_at) VALUES ('k', '{}', 'hello', "
         "'2026-01-01T00:00:00.000000+00:00')", "UPDATE interactions SET agent_response = '{}', user_message = ''", "DELETE FROM interactions"),
        ("assistant", "article", "INSERT INTO read_later (id, url, summary, added_at) VALUES ('k', 'u', '{}', '2026-01-01T00:00:00.000000+00:00')",
         "UPDATE read_later SET summary = '{}'", "DELETE FROM read_later"),
        ("assistant", "delegation", "INSERT INTO delegations (id, task_description, created_at) VALUES ('k', '{}', '2026-01-01T00:00:00.000000+00:00')",
         "UPDATE delegations SET task_description = '{}'", "DELETE FROM delegations"),
        ("assistant", "intention", "INSERT INTO pending_intentions (id, text, mentioned_at, follow_up_at, created_at) VALUES ('k', '{}', "
         "'2026-01-01T00:00:00.000000+00:00', '2026-01-01T00:00:00.000000+00:00', '2026-01-01T00:00:00.000000+00:00')",
         "UPDATE pending_intentions SET text = '{}'", "DELETE FROM pending_intentions"),
        ("assistant", "schedule", "INSERT INTO scheduled_tasks (id, name, prompt, cron_expression, timezone, created_at) VALUES ('k', 'n', '{}', "
         "'0 7 * * *', 'UTC', '2026-01-01T00:00:00.000000+00:00')", "UPDATE scheduled_tasks SET prompt = '{}'", "DELETE FROM scheduled_tasks"),
        ("assistant", "learning", "INSERT INTO agent_learnings (id, rule, category, first_seen, last_seen) VALUES ('k', '{}', 'tone', "
         "'2026-01-01T00:00:00.000000+00:00', '2026-01-01T00:00:00.000000+00:00')", "UPDATE agent_learnings SET rule = '{}'", "DELETE FROM agent_learnings"),
        ("assistant", "skill", "INSERT INTO proposed_skills (id, name, description, code, created_at) VALUES ('k', 'n', '{}', 'c', "
         "'2026-01-01T00:00:00.000000+00:00')", "UPDATE proposed_skills SET description = '{}'", "DELETE FROM proposed_skills"),
        ("planner", "message", "INSERT INTO messages (session, role, content) VALUES ('s', 'user', '{}')",
         "UPDATE messages SET content = '{}'", "DELETE FROM messages"),
        ("planner", "untrusted_message", "INSERT INTO messages (session, role, content, trusted) VALUES ('s', 'user', '{}', FALSE)",
         "UPDATE messages SET content = '{}'", "DELETE FROM messages"),
        ("planner", "plan", "INSERT INTO plans (session, message_id, goal) VALUES ('s', 1, '{}')", "UPDATE plans SET goal = '{}'", "DELETE FROM plans"),
        ("planner", "task", "INSERT INTO tasks (plan_id, session, type, detail) VALUES (1, 's', 'exec', '{}')",
         "UPDATE tasks SET detail = 'x', output = '{}'", "DELETE FROM tasks"),
        ("planner", "fact", "INSERT INTO facts (content, source) VALUES ('{}', 'manual')", "UPDATE facts SET content = '{}'", "DELETE FROM facts"),
        ("planner", "user_fact", "INSERT INTO facts (content, source, category, session) VALUES ('{}', 'manual', 'user', 's')",
         "UPDATE facts SET content = '{}'", "DELETE FROM facts"),
        ("planner", "learning", "INSERT INTO learnings (content, session) VALUES ('{}', 's')", "UPDATE learnings SET content = '{}'", "DELETE FROM learnings"),
        ("planner", "pending", "INSERT INTO pending (content, scope, source) VALUES ('{}', 'global', 'planner')",
         "UPDATE pending SET content = '{}'", "DELETE FROM pending"),
        ("telemetry", "crash", "INSERT INTO sessions (id, started_at, last_heartbeat_at, status, error_message) VALUES (9, 1, 1, 'error', '{}')",
         "UPDATE sessions SET error_message = '{}' WHERE id = 9", "UPDATE sessions SET status = 'unknown' WHERE id = 9"),
        ("telemetry", "handler_error", "INSERT INTO handler_invocations (listener_id, session_id, execution_start_dtme, duration_ms, status, error_message) "
         "VALUES (1, 1, 1, 1, 'error', '{}')", "UPDATE handler_invocations SET error_message = '{}'", "DELETE FROM handler_invocations"),
        ("telemetry", "job_error", "INSERT INTO job_executions (job_id, session_id, execution_start_dtme, duration_ms, status, error_message) "
         "VALUES (1, 1, 1, 1, 'error', '{}')", "UPDATE job_executions SET error_traceback = '{}', error_message = NULL", "DELETE FROM job_executions"),
        ("capture", "event", "INSERT INTO events (session_id, timestamp, command, duration_ms, cwd, hostname, shell, created_at) VALUES (1, 1, '{}', 1, '/w', 'h', 'sh', 1)",
         "UPDATE events SET stderr = '{}', command = 'x'", "DELETE FROM events"),
        ("capture", "visit", "INSERT INTO browser_events (timestamp, url, title, domain, dwell_ms, created_at) VALUES (1, 'u', '{}', 'd', 1, 1)",
         "UPDATE browser_events SET extracted_text = '{}', title = 'x'", "DELETE FROM browser_events"),
        ("capture", "segment", "INSERT INTO agentic_sessions (session_id, project_dir, cwd, summary_text, start_time, end_time, created_at) VALUES ('a', '/w', '/w', '{}', 1, 2, 1)",
         "UPDATE agentic_sessions SET user_prompts_json = '[\"{}\"]', summary_text = 'x'", "DELETE FROM agentic_sessions"),
        ("capture", "run", "INSERT INTO workflow_runs (id, repo, head_sha, head_branch, event, status, html_url, raw_json, first_seen_at, last_seen_at) "
         "VALUES (7, 'o/r', 'abc', '{}', 'push', 'queued', 'u', '{{}}', 1, 1)", "UPDATE workflow_runs SET head_branch = '{}' WHERE id = 7", "DELETE FROM workflow_runs WHERE id = 7"),
        ("capture", "annotation", "INSERT INTO workflow_annotations (job_id, level, path, message) VALUES (2, 'failure', 'a.c', '{}')",
         "UPDATE workflow_annotations SET rule_id = '{}', message = 'x'", "DELETE FROM workflow_annotations"),
        ("capture", "log", "INSERT INTO workflow_log_excerpts (job_id, excerpt) VALUES (2, '{}')",
         "UPDATE workflow_log_excerpts SET step_name = '{}', excerpt = 'x'", "DELETE FROM workflow_log_excerpts"),
        ("capture", "lesson", "INSERT INTO lessons (repo, summary, first_seen_at, last_seen_at) VALUES ('o/r', '{}', 1, 1)",
         "UPDATE lessons SET summary = 'x', fix_hint = '{}'", "DELETE FROM lessons"),
        ("capture", "node", "INSERT INTO knowledge_nodes (uuid, content, embed_text, created_at, updated_at) VALUES ('u', '{{}}', '{}', 1, 1)",
         "UPDATE knowledge_nodes SET content = '{{\"summary\":\"{}\"}}', embed_text = 'x'", "DELETE FROM knowledge_nodes"),
        ("assistant", "item", "INSERT INTO stele_item (namespace, key, value, created_at, updated_at) VALUES ('n', 'k', '{{\"a\":\"{}\"}}', '2026-01-01T00:00:00+00:00', "
         "'2026-01-01T00:00:00+00:00')", "UPDATE stele_item SET text = '{}'", "DELETE FROM stele_item"),
        ("server", "memory", "INSERT INTO memory_files (path, content, bytes, created_at, updated_at) VALUES ('/memories/a', '{}', 1, 1, 1)",
         "UPDATE memory_files SET content = '{}', path = '/memories/b'", "DELETE FROM memory_files"),
    ]


def prepare(home, engine, place):
    """What rows refer to."""
    home.call("telemetry.create_session")
    engine.sql(place, "telemetry", "INSERT INTO listeners (app_key, instance_index, handler_method, topic, source_location, first_registered_at, "
               "last_registered_at) VALUES ('a', 0, 'm', 't', 's', 1, 1); INSERT INTO scheduled_jobs (app_key, instance_index, job_name, "
               "handler_method, source_location, first_registered_at, last_registered_at) VALUES ('a', 0, 'j', 'm', 's', 1, 1)")
    home.call("assistant.sweep_items")
    home.call("server.memory_create", path="/memories/first", file_text="x")
    home.call("server.memory_delete", path="/memories/first")
    home.find("capture")
    home.call("conversation.create_session", session_id="s", source="cli")
    engine.sql(place, "capture", """
        INSERT INTO sessions (id, start_time, shell, hostname, username, created_at) VALUES (1, 1, 'sh', 'h', 'u', 1);
        INSERT INTO workflow_runs (id, repo, head_sha, event, status, html_url, raw_json, first_seen_at, last_seen_at)
             VALUES (1, 'o/r', 'abc', 'push', 'queued', 'u', '{}', 1, 1);
        INSERT INTO workflow_jobs (id, run_id, name, status, raw_json) VALUES (2, 1, 'j', 'queued', '{}')""")


@on_both("a table that comes later is noted from then on, with what is in it already; the others need not wait for it")
def _(home, engine, place):
    home.call("assistant.save_note", id=uuid(1), title="t", content="early")
    same(home.found("assistant", "early"), [("note", uuid(1))])
    with Home(place) as other:
        other.call("assistant.put_item", namespace="n", key="k", value="later")
        same(home.found("assistant", "later"), [("item", "1")])
        other.call("assistant.put_item", namespace="n", key="k", value="latest")
        same((home.found("assistant", "later"), home.found("assistant", "latest")), ([], [("item", "1")]))


@on_both("of every kind, what another program writes is found, changed and gone, as it is")
def _(home, engine, place):
    prepare(home, engine, place)
    for store, kind, add, change, remove in cases():
        home.find(store)  # there is an index, and changes are noted
        at = next(numbers)
        for sql, word, missing in ((add, f"first{at}", None), (change, f"second{at}", f"first{at}"), (remove, None, f"second{at}")):
            engine.sql(place, store, sql.format(word))
            if word:
                same([hit["kind"] for hit in home.find(store, word)], [kind])
            if missing:
                same((kind, home.found(store, missing)), (kind, []))
    declared = [(row["store"], row["kind"]) for row in home.call("recall.sources")]
    same(sorted((store, kind) for store, kind, *_ in cases()), sorted(declared))


@on_both("what was there before anything was noted is found")
def _(home, engine, place):
    for number in range(20):
        home.call("assistant.save_note", id=uuid(number), title=f"number {number}", content="about tea")
        home.call("planner.save_message", session="s", role="user", content=f"about tea, {number}")
    same(len(home.found("assistant", "tea")), 20)
    same(len(home.found("planner", "tea")), 20)
    same(home.found("assistant", '"number 7"'), [("note", uuid(7))])


@on_both("what one process writes, another finds at once")
def _(home, _, place):
    with Home(place) as other:
        for number in range(5):
            home.call("assistant.save_note", id=uuid(number), title="t", content=f"word{number} plain")
            same(other.found("assistant", f"word{number}"), [("note", uuid(number))])
            other.call("assistant.delete_note", id=uuid(number))
            same(home.found("assistant", f"word{number}"), [])
            same(home.found("assistant", "plain"), [])


@on_both("probes are never found, nor what was learned from them")
def _(home, engine, place):
    home.find("capture")
    engine.sql(place, "capture", """
        INSERT INTO sessions (id, start_time, shell, hostname, username, created_at) VALUES (1, 1, 'sh', 'h', 'u', 1);
        INSERT INTO events (id, session_id, timestamp, command, duration_ms, cwd, hostname, shell, probe_tag, created_at)
             VALUES (1, 1, 1, 'needle', 1, '/w', 'h', 'sh', 'p', 1);
        INSERT INTO browser_events (timestamp, url, title, domain, dwell_ms, probe_tag, created_at) VALUES (1, 'u', 'needle', 'd', 1, 'p', 1);
        INSERT INTO agentic_sessions (session_id, project_dir, cwd, summary_text, start_time, end_time, probe_tag, created_at)
             VALUES ('a', '/w', '/w', 'needle', 1, 2, 'p', 1);
        INSERT INTO knowledge_nodes (id, uuid, content, embed_text, created_at, updated_at) VALUES (1, 'u', '{}', 'needle', 1, 1);
        INSERT INTO knowledge_node_events (knowledge_node_id, event_id) VALUES (1, 1)""")
    same(home.found("capture", "needle"), [])
    home.reindex("capture")
    same(home.found("capture", "needle"), [])


@on_both("the journal, the vault, the context, health and the log of tool calls are never found")
def _(home, engine, place):
    home.find("assistant")
    engine.sql(place, "assistant", """
        INSERT INTO journal_entries (id, content, created_at) VALUES ('k', 'needle', '2026-01-01T00:00:00.000000+00:00');
        INSERT INTO context (user_id, content, last_updated) VALUES ('k', 'needle', '2026-01-01T00:00:00.000000+00:00');
        INSERT INTO audit_log (id, timestamp, tool_name, arguments) VALUES ('k', '2026-01-01T00:00:00.000000+00:00', 'needle', 'needle');
        INSERT INTO health_samples (metric_type, start_time, value, source_device, created_at)
             VALUES ('needle', '2026-01-01T00:00:00.000000+00:00', '{"needle": "needle"}', '', '2026-01-01T00:00:00.000000+00:00');
        INSERT INTO vault_credentials (id, service, username_enc, password_enc, created_at, updated_at)
             VALUES ('k', 'needle', 'needle', 'needle', '2026-01-01T00:00:00.000000+00:00', '2026-01-01T00:00:00.000000+00:00')""")
    same(home.found("assistant", "needle"), [])
    home.reindex("assistant")
    same(home.found("assistant"), [])


@on_both("a fact that becomes one about a user is found as such only, and a replaced one not at all")
def _(home, _, __):
    fact = home.call("planner.save_fact", content="needle one", source="manual", session="s")["id"]
    same(home.found("planner", "needle"), [("fact", str(fact))])
    home.call("planner.update_fact", id=fact, category="user")
    same(home.found("planner", "needle"), [("user_fact", str(fact))])
    same(home.found("planner", "needle", kinds=["fact"]), [])
    same(home.found("planner", "needle", sessions=["other"]), [])
    same(home.found("planner", "needle", sessions=["s"]), [("user_fact", str(fact))])
    other = home.call("planner.save_fact", content="needle two", source="manual", replaces=fact)["id"]
    same(home.found("planner", "needle"), [("fact", str(other))])


@on_both("kinds, roles, sessions, projects and times narrow a search, and a list")
def _(home, _, __):
    for number in range(6):
        home.call("planner.save_message", session=f"s{number % 2}", role="user" if number < 3 else "assistant", content=f"tea {number}")
    home.call("planner.save_learning", content="tea is good", session="s0")
    for query in ("tea", None):
        same(len(home.found("planner", query)), 7)
        same(len(home.found("planner", query, kinds=["message"])), 6)
        same(len(home.found("planner", query, kinds=["message", "learning"], sessions=["s0"])), 4)
        same(len(home.found("planner", query, kinds=["message"], roles=["assistant"], sessions=["s1"])), 2)
        same(len(home.found("planner", query, limit=3)), 3)
        same(home.found("planner", query, since=4000000000), [])
        same(len(home.found("planner", query, since=1000000000, until=4000000000)), 7)
        same(home.found("planner", query, kinds=[]), [])
        same(home.found("planner", query, projects=["/w"]), [])


@on_both("messages of conversations are documents too, with the projects of their sessions")
def _(home, _, __):
    home.call("conversation.create_session", session_id="a", source="cli")
    first = home.call("conversation.append_message", session_id="a", role="user", content="a needle")["id"]
    same(home.found("conversation", "needle"), [("message", str(first))])
    same(home.found("conversation"), [("message", str(first))])
    same(home.find("conversation", "needle")[0]["text"], "a needle")
    same(home.found("conversation", "needle", kinds=["note"]), [])
    same(home.found("conversation", "needle", projects=["/nowhere"]), [])
    same(home.found("conversation", None, roles=["assistant"]), [])
    home.call("conversation.delete_session", session_id="a")
    same(home.found("conversation", "needle"), [])


@on_both("an index that is made anew finds the same")
def _(home, _, __):
    for number in range(450):
        home.call("planner.save_learning", content=f"tea number {number}", session="s")
    before = home.found("planner", "tea")
    same(len(before), 450)
    same(home.reindex("planner"), 450)
    same(sorted(home.found("planner", "tea")), sorted(before))
    same(home.index("planner"), 0)


if __name__ == "__main__":
    main()
