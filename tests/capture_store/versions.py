"""Files of every version of the capture store: the schema without what came later, and rows whose fate is known."""

import contextlib
import os
import re
import sqlite3

LATEST = 18
TIME = 1_774_000_000_000
SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "sql", "capture", "schema.sql")

# The version that brought a table, an index, a trigger or a column; everything else is from version 1.
SINCE = {
    2: "events.envelope_id idx_events_envelope_id",
    3: "claude_sessions knowledge_node_claude_sessions claude_enrichment_queue idx_claude_sessions_cwd"
       " idx_claude_sessions_session idx_claude_queue_pending",
    4: "browser_events browser_enrichment_queue knowledge_node_browser_events idx_browser_events_timestamp"
       " idx_browser_events_domain idx_browser_events_envelope_id idx_browser_events_enriched idx_browser_events_ts_domain"
       " idx_browser_queue_pending",
    5: "workflow_runs workflow_jobs workflow_annotations workflow_log_excerpts sha_watchlist workflow_enrichment_queue lessons"
       " lesson_pending knowledge_node_workflow_runs knowledge_node_lessons idx_workflow_runs_sha idx_workflow_runs_repo_started"
       " idx_workflow_jobs_run idx_workflow_annotations_job idx_workflow_annotations_tool_rule idx_workflow_log_excerpts_job"
       " idx_sha_watchlist_expires idx_lessons_repo idx_workflow_queue_pending",
    6: "knowledge_fts knowledge_nodes_fts_ai knowledge_nodes_fts_ad knowledge_nodes_fts_au",
    7: "events.source_kind events.tool_name idx_events_source_kind",
    8: "source_health events.probe_tag claude_sessions.probe_tag browser_events.probe_tag",
    9: "capture_alarms idx_capture_alarms_invariant_active idx_claude_sessions_start_time",
    10: "claude_session_offsets claude_session_parity idx_claude_session_parity_path_window",
    11: "capture_alarms.resolved_at capture_alarms.clean_ticks",
    12: "claude_sessions.content_hash claude_sessions.last_enriched_content_hash",
    14: "agentic_sessions knowledge_node_agentic_sessions agentic_enrichment_queue agentic_cursor idx_agentic_sessions_harness"
        " idx_agentic_sessions_cwd idx_agentic_sessions_start_time idx_agentic_sessions_enriched idx_agentic_queue_pending",
    17: "agentic_sessions.segment_index agentic_sessions.git_branch agentic_sessions.is_subagent agentic_sessions.tool_calls_json"
        " agentic_sessions.user_prompts_json agentic_sessions.content_hash agentic_sessions.last_enriched_content_hash",
}
SINCE = {name: version for version, names in SINCE.items() for name in names.split()}

# What was written otherwise before a version: (version, table or index, then, now).
OTHERWISE = [
    (2, "enrichment_queue", "max_retries   INTEGER NOT NULL DEFAULT 3", "max_retries   INTEGER NOT NULL DEFAULT 5"),
    (4, "entities", "'concept'", "'concept', 'domain'"),
    (11, "idx_capture_alarms_invariant_active", "", " AND resolved_at IS NULL"),
    (13, "entities", "", ", 'env_var'"),
    (17, "agentic_sessions", "", ", 'cursor'"),
    (17, "agentic_sessions", "UNIQUE (session_id, harness)", "UNIQUE (session_id, harness, segment_index)"),
]

# The health rows that a version began with.
HEALTH = {8: ["shell", "claude-tool", "claude-session", "browser"], 14: ["agentic-session-claude", "agentic-session-opencode"],
          15: ["agentic-session-codex"], 16: ["agentic-session-cursor"], 17: ["brain-preflight"]}

# Sessions of the three agents that had one table: id -> (session, segment, path, harness, ticket, enriched).
HOME = "/u"
CLAUDE, CODEX = HOME + "/.claude/projects/p/a.jsonl", HOME + "/.codex/sessions/b.jsonl"
LEGACY = {
    101: ("a", 0, CLAUDE, "claude-code", "done", 1),
    102: ("a", 1, CLAUDE, "claude-code", "pending", 0),
    103: ("a", 2, CLAUDE, "claude-code", "processing", 0),
    104: ("b", 0, CLAUDE, "claude-code", "failed", 0),
    105: ("c", 0, CLAUDE, "claude-code", "skipped", 1),
    106: ("c", 1, CLAUDE, "claude-code", "pending", 1),
    107: ("d", 0, HOME + "/.claude/projects/-home--codex-x/d.jsonl", "claude-code", None, 0),
    108: ("e", 0, CODEX, "codex", "done", 1),
    109: ("e", 1, CODEX, "codex", "pending", 0),
    110: ("f", 0, HOME + "/Library/CodingAssistant/codex/f.jsonl", "codex", "failed", 0),
    111: ("g", 0, HOME + "/.Codex/sessions/g.jsonl", "codex", "processing", 0),
    112: ("h", 0, HOME + "/.cursor/chats/h.jsonl", "cursor", "pending", 0),
    113: ("i", 0, HOME + "/.cursor/chats/i.jsonl", "cursor", "done", 1),
    114: ("j", 0, HOME + "/.cursor/x/.codex/j.jsonl", "codex", None, 0),
    115: ("k", 0, CLAUDE, "claude-code", None, 0),  # a probe, from version 8 on
}
LINKS = [(1, 101), (2, 101), (4, 102), (3, 105), (3, 106), (4, 108), (5, 113)]

# version -> rows per harness (claude-code, codex, cursor, opencode), tickets (pending, failed, done), links, search rows
EXPECTED = {
    1: ((0, 0, 0, 0), (0, 0, 0), 0, 6), 3: ((7, 5, 2, 0), (5, 2, 0), 7, 6), 5: ((7, 5, 2, 0), (5, 2, 0), 7, 6),
    8: ((8, 5, 2, 0), (5, 2, 0), 7, 6), 12: ((8, 5, 2, 0), (5, 2, 0), 7, 6), 14: ((8, 5, 2, 2), (6, 2, 1), 8, 6),
    17: ((8, 5, 2, 2), (5, 2, 2), 8, 6), 18: ((8, 5, 2, 2), (5, 2, 2), 8, 6),
}


@contextlib.contextmanager
def opened(path):
    db = sqlite3.connect(path, timeout=60)
    try:
        with db:
            yield db
    finally:
        db.close()


# ---- The schema ---------------------------------------------------------------------------


def statements():
    """(what it makes, DDL) of every statement of the schema, without comments."""
    with open(SCHEMA, encoding="utf-8") as file:
        text = re.sub(r"[ \t]*--[^\n]*", "", file.read().split("-- @seed")[0])
    pending = ""
    for line in text.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield re.search(r"IF NOT EXISTS (\w+)", pending)[1], pending.replace("IF NOT EXISTS ", "")
            pending = ""


def ddl(version):
    """The DDL of a version."""
    made = []
    for name, text in statements():
        if SINCE.get(name, 1) > version:
            continue
        for before, where, then, now in OTHERWISE:
            if where == name and version < before:
                assert now in text, (name, now)
                text = text.replace(now, then)
        for column in (key.split(".")[1] for key, since in SINCE.items() if key.startswith(name + ".") and since > version):
            text = re.sub(rf"\n    {column} [^\n]*", "", text)
        made.append(re.sub(r",(\s*\)[^)]*;\s*)$", r"\1", text))
    return made


def make(path, version, fill=True):
    """A file of that version, as the program itself would have left it."""
    with opened(path) as db:
        for statement in ddl(min(version, LATEST)):
            db.execute(statement)
        if fill:
            fill_in(db, min(version, LATEST))
        db.execute(f"PRAGMA user_version = {version}")


# ---- The rows -----------------------------------------------------------------------------


def put(db, table, **values):
    """Insert a row, without the columns that the table does not have; nothing, if it is not there itself."""
    columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    values = {name: value for name, value in values.items() if name in columns}
    if columns:
        db.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", list(values.values()))


def fill_in(db, version):
    put(db, "sessions", id=1, start_time=TIME, terminal="t-1", shell="zsh", hostname="h", username="u", created_at=TIME)
    put(db, "env_snapshots", id=1, content_hash="ab", env_json="{}", created_at=TIME)
    for number in range(1, 6):
        put(db, "events", id=number, session_id=1, timestamp=TIME + number, command=f"make {number}", duration_ms=5, cwd="/p",
            hostname="h", shell="zsh", git_repo="r" if number == 1 else None, env_snapshot_id=1, created_at=TIME,
            envelope_id=f"e-{number}", source_kind="claude-tool" if number == 5 else "shell")
        put(db, "enrichment_queue", id=number, event_id=number, status="done" if number < 3 else "pending", max_retries=3 + number,
            created_at=TIME, updated_at=TIME)
    for number in range(1, 7):
        put(db, "knowledge_nodes", id=number, uuid=f"n-{number}", created_at=TIME, updated_at=TIME, embed_text="running the café",
            content="not JSON" if number == 6 else '{"summary": "a feature"}')
        put(db, "knowledge_node_events", knowledge_node_id=number, event_id=1)
    for number, kind in enumerate(("project", "file", "tool", "domain" if version >= 4 else "repo"), start=1):
        put(db, "entities", id=number, type=kind, name=kind, canonical=kind, first_seen=TIME, last_seen=TIME, created_at=TIME)
        put(db, "knowledge_node_entities", knowledge_node_id=number, entity_id=number)
    put(db, "relationships", id=1, from_entity_id=1, to_entity_id=2, relationship="uses", first_seen=TIME, last_seen=TIME)
    put(db, "event_entities", id=1, event_id=1, entity_id=3, role="tool", created_at=TIME)
    fill_in_legacy(db, version)
    put(db, "browser_events", id=1, timestamp=TIME + 60, url="https://example.org", domain="example.org", dwell_ms=9, created_at=TIME)
    put(db, "knowledge_node_browser_events", knowledge_node_id=1, browser_event_id=1)
    put(db, "workflow_runs", id=77, repo="r", head_sha="s", event="push", status="done", html_url="u", raw_json="{}",
        first_seen_at=TIME, last_seen_at=TIME)
    put(db, "workflow_jobs", id=78, run_id=77, name="build", status="done", raw_json="{}")
    put(db, "workflow_annotations", job_id=78, level="error", message="m")
    put(db, "capture_alarms", invariant_id="I-1", raised_at=TIME, details_json='{"source": "shell"}')
    for since, sources in HEALTH.items():
        for source in sources if since <= version else []:
            put(db, "source_health", source=source, updated_at=TIME)
    if version >= 8:
        db.execute("UPDATE source_health SET last_event_ts = 50, last_error_ts = 20, last_error_msg = 'old', probe_ok = 1, "
                   "probe_last_run_ts = 30, consecutive_failures = 2 WHERE source = 'claude-session'")
    if version >= 17:
        db.execute("DELETE FROM source_health WHERE source = 'claude-session'")
    if version >= 14:
        fill_in_agentic(db, version)


def fill_in_legacy(db, version):
    for number, (session, segment, path, _, ticket, enriched) in LEGACY.items():
        if number == 115 and version < 8:
            continue
        put(db, "claude_sessions", id=number, session_id=session, project_dir="/p", cwd="/p", segment_index=segment,
            start_time=TIME + number, end_time=TIME + number + 1, summary_text=f"summary {number}", message_count=3,
            token_count=None if number == 105 else number, source_file=path, enriched=enriched, created_at=TIME,
            probe_tag="probe" if number == 115 else None, content_hash="h" if number == 101 else None)
        if ticket:
            put(db, "claude_enrichment_queue", id=number + 400, claude_session_id=number, status=ticket, created_at=TIME + 7,
                updated_at=TIME + 8, retry_count={"failed": 5, "processing": 1}.get(ticket, 0), error_message=None,
                locked_at=TIME if ticket == "processing" else None, locked_by="worker" if ticket == "processing" else None)
    for node, session in LINKS:
        put(db, "knowledge_node_claude_sessions", knowledge_node_id=node, claude_session_id=session)


def fill_in_agentic(db, version):
    def session(number, name, harness, **more):
        put(db, "agentic_sessions", id=number, session_id=name, harness=harness, project_dir="/p", cwd="/p", summary_text="live",
            start_time=TIME, end_time=TIME, created_at=TIME, **more)

    def ticket(number, status):
        put(db, "agentic_enrichment_queue", session_id=number, status=status, enqueued_at=TIME, updated_at=TIME)
    session(1, "o-1", "opencode")
    session(2, "o-2", "opencode", enriched=1)
    ticket(1, "pending")
    ticket(2, "done")
    put(db, "knowledge_node_agentic_sessions", knowledge_node_id=1, agentic_session_id=2)
    put(db, "agentic_cursor", source_key="codex-5", last_seen_updated_at=9, updated_at=TIME)
    if version >= 17:  # captured anew: wins over what was 102
        session(3, "a", "claude-code", segment_index=1, enriched=1)
        ticket(3, "done")
    if version >= 18:  # what the program's own step made of the other table
        for number, (name, segment, path, harness, status, enriched) in LEGACY.items():
            if number == 102:
                continue
            session(number, name, harness, segment_index=segment, source_file=path, enriched=enriched)
            if status in ("pending", "processing", "failed") and not enriched:
                ticket(number, "failed" if status == "failed" else "pending")
        for node, number in LINKS:
            put(db, "knowledge_node_agentic_sessions", knowledge_node_id=node, agentic_session_id=3 if number == 102 else number)


def orphan(db):
    """Three rows whose parents are gone."""
    put(db, "knowledge_node_claude_sessions", knowledge_node_id=999, claude_session_id=102)
    put(db, "knowledge_node_claude_sessions", knowledge_node_id=6, claude_session_id=9999)
    put(db, "claude_enrichment_queue", id=900, claude_session_id=9998, created_at=TIME, updated_at=TIME)


# ---- Looking --------------------------------------------------------------------------------


def counts(path):
    with opened(path) as db:
        def count(sql, *values):
            return db.execute("SELECT count(*) FROM " + sql, values).fetchone()[0]
        return (tuple(count("agentic_sessions WHERE harness = ?", harness) for harness in ("claude-code", "codex", "cursor", "opencode")),
                tuple(count("agentic_enrichment_queue WHERE status = ?", status) for status in ("pending", "failed", "done")),
                count("knowledge_node_agentic_sessions"), count("knowledge_fts"))


def shape(path):
    """Everything that the schema says, but for the order of columns and the way it is written."""
    with opened(path) as db:
        found = {}
        for kind, name, table, sql in db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall():
            if name.startswith(("sqlite_", "knowledge_fts_", "stele_")):
                continue
            found[kind, name] = table, re.sub(r'["\s]+', "", sql or "").lower()
            if kind == "table" and "virtual" not in found[kind, name][1]:
                checks = sorted(re.findall(r"check\(((?:[^()]|\([^()]*\))*)\)", found[kind, name][1]))
                columns = sorted(row[1:] for row in db.execute(f"PRAGMA table_xinfo({name})"))
                keys = sorted(row[2:] for row in db.execute(f"PRAGMA foreign_key_list({name})"))
                unique = sorted(sorted(str(row[2]) for row in db.execute(f"PRAGMA index_info('{index[1]}')"))
                                for index in db.execute(f"PRAGMA index_list({name})").fetchall() if index[3] != "c")
                found[kind, name] = checks, [tuple("".join(str(part).split()) for part in row) for row in columns], keys, unique
        return found


def columns(path):
    """{table: its columns}"""
    with opened(path) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: [row[1] for row in db.execute(f"PRAGMA table_info({name})")] for name in names}


def rows(path, tables):
    """All rows of these tables, {name: columns}."""
    with opened(path) as db:
        return {name: sorted(db.execute("SELECT " + ", ".join(f'"{column}"' for column in found) + f" FROM {name}").fetchall(), key=repr)
                for name, found in tables.items()}


def sources(path):
    with opened(path) as db:
        return {source for (source,) in db.execute("SELECT source FROM source_health")}
