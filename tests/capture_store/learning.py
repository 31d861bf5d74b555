"""What there is to learn from, and what must be true once it was learned from."""

import json

from capture_store.captured import NOW, SECOND
from place import same

MINUTE = 60 * SECOND
LINKS = ("knowledge_node_entities", "knowledge_node_agentic_sessions", "knowledge_node_events", "knowledge_node_browser_events",
         "knowledge_node_workflow_runs", "knowledge_node_lessons")


# ---- What there is to learn from ----

def fill(call, number):
    """One thing of each kind, an hour after those of the number before."""
    at = NOW - 1000 * MINUTE + number * MINUTE * 60
    call("insert_event", terminal=f"t{number}", timestamp=at, now=at, command=f"make part{number}", exit_code=0, cwd="/src/u/shop", hostname="h", shell="zsh")
    call("insert_event", terminal=f"t{number}", timestamp=at + 1, now=at, command="git push", exit_code=0, cwd="/src/u/shop", hostname="h", shell="zsh")
    call("insert_event", terminal=f"t{number}", timestamp=at + 2, now=at, command="clear", exit_code=0, cwd="/src/u/shop", hostname="h", shell="zsh")
    segment(call, number, "1", at)
    call("insert_browser_event", timestamp=at, now=at, url=f"https://example.org/{number}", title=f"Page {number}", domain="example.org", dwell_ms=60000)
    call("upsert_workflow_run", id=number + 1, repo="ada/shop", head_sha=f"{number:040x}", event="push", status="completed", conclusion="failure", html_url="u", raw_json={},
         started_at=at, now=at)
    call("upsert_workflow_job", id=number + 1, run_id=number + 1, name="lint", status="completed", conclusion="failure", raw_json={})
    call("replace_annotations", job_id=number + 1, annotations=[{"level": "failure", "tool": "ruff", "rule_id": "F401", "path": "app/a.py", "message": f"unused {number}"}])
    call("enqueue_workflow_run", id=number + 1, now=at)


def segment(call, number, content, at):
    return call("upsert_segment", session_id=f"s{number}", harness="codex", project_dir="p", cwd="/src/u/shop", summary_text="x", message_count=3,
                user_prompts_json=[f"Fix part{number}.py, version {content}"], content_hash=content, start_time=at, end_time=at, now=at)["enqueued"]


def caller(player):
    return lambda method, **args: player.must("call", f"capture.{method}", json.dumps(args))


# ---- What must be true afterwards ----

def is_empty(sql):
    """A statement that fails if the other has a row."""
    return (f"CREATE TEMP TABLE no_row (x BIGINT CHECK (x = 0)); INSERT INTO no_row SELECT COUNT(*) FROM ({sql}) AS found; DROP TABLE no_row;")


def once(table, link, key, kind):
    """Rows that were learned from, and not once."""
    return (f"SELECT s.id FROM {table} AS s WHERE s.enriched AND (SELECT COUNT(*) FROM {link} AS l JOIN knowledge_nodes AS n ON n.id = l.knowledge_node_id "
            f"WHERE l.{key} = s.id AND n.node_type = '{kind}') <> 1")


def orphans():
    return [f"SELECT 1 FROM {link} WHERE knowledge_node_id NOT IN (SELECT id FROM knowledge_nodes)" for link in LINKS] + [
        "SELECT 1 FROM stele_embeddings WHERE kind = 'node' AND CAST(id AS BIGINT) NOT IN (SELECT id FROM knowledge_nodes)",
        "SELECT 1 FROM relationships WHERE evidence_count < 1",
        "SELECT 1 FROM stele_claims"]


def check(sql, call):
    for depth in call("queue_depth"):
        same((depth["queue"], depth["pending"], depth["processing"], depth["failed"]), (depth["queue"], 0, 0, 0))
    for each in [*orphans(), once("agentic_sessions", "knowledge_node_agentic_sessions", "agentic_session_id", "observation"),
                 once("browser_events", "knowledge_node_browser_events", "browser_event_id", "observation"),
                 once("workflow_runs", "knowledge_node_workflow_runs", "run_id", "change_outcome"),
                 once("events", "knowledge_node_events", "event_id", "observation").replace("s.enriched", "s.command <> 'clear'")]:
        sql(is_empty(each))
