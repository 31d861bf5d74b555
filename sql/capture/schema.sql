-- @store capture
-- What happened while somebody worked: commands, sessions of agents, pages, workflows; what was learned from them; and how well
-- capturing it went.
-- @version 18
-- @mark user_version
-- @time millis
-- @durability normal
-- @pragma foreign_keys = ON
-- @complete
-- @quarantine

-- Permanent. One row per shell session; the newest row of a terminal is the running one.
CREATE TABLE IF NOT EXISTS sessions (
    id         INTEGER PRIMARY KEY,
    start_time INTEGER NOT NULL,  -- epoch milliseconds, as every time of this store
    end_time   INTEGER,
    terminal   TEXT,              -- the session's UUID, as the shell knows it
    shell      TEXT NOT NULL,
    hostname   TEXT NOT NULL,
    username   TEXT NOT NULL,
    summary    TEXT,
    created_at INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000)
);

-- Permanent. The allowed part of an environment, kept once for all events that had it.
CREATE TABLE IF NOT EXISTS env_snapshots (
    id           INTEGER PRIMARY KEY,
    content_hash TEXT NOT NULL UNIQUE,  -- SHA-256 of env_json, in hex
    env_json     TEXT NOT NULL,         -- JSON object with sorted keys
    created_at   INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000)
);

-- Permanent. Commands of shells, and tool calls of agents.
CREATE TABLE IF NOT EXISTS events (
    id               INTEGER PRIMARY KEY,
    session_id       INTEGER NOT NULL REFERENCES sessions(id),
    timestamp        INTEGER NOT NULL,               -- when it was sent, after the command had ended
    command          TEXT NOT NULL,
    stdout           TEXT,
    stderr           TEXT,
    stdout_truncated INTEGER DEFAULT 0,
    stderr_truncated INTEGER DEFAULT 0,
    exit_code        INTEGER,
    duration_ms      INTEGER NOT NULL,
    cwd              TEXT NOT NULL,
    hostname         TEXT NOT NULL,
    shell            TEXT NOT NULL,
    git_repo         TEXT,
    git_branch       TEXT,
    git_commit       TEXT,
    git_dirty        INTEGER,
    env_snapshot_id  INTEGER REFERENCES env_snapshots(id),
    envelope_id      TEXT,                           -- UUID of the sender's envelope: what is sent twice is kept once
    source_kind      TEXT NOT NULL DEFAULT 'shell',  -- shell | claude-tool
    tool_name        TEXT,                           -- of a tool call
    enriched         INTEGER NOT NULL DEFAULT 0,     -- 0 | 1, as every flag of this store
    redaction_count  INTEGER NOT NULL DEFAULT 0,     -- secrets that were taken out
    archived_at      INTEGER,
    probe_tag        TEXT,                           -- of a probe, which no user sees; null otherwise
    created_at       INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000)
);
CREATE INDEX IF NOT EXISTS idx_events_session ON events(session_id);
CREATE INDEX IF NOT EXISTS idx_events_timestamp ON events(timestamp DESC);
CREATE INDEX IF NOT EXISTS idx_events_git_repo ON events(git_repo) WHERE git_repo IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_events_enriched ON events(enriched) WHERE enriched = 0;
CREATE UNIQUE INDEX IF NOT EXISTS idx_events_envelope_id ON events(envelope_id) WHERE envelope_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_events_source_kind ON events(source_kind) WHERE source_kind != 'shell';

-- Permanent. Pages that were read.
CREATE TABLE IF NOT EXISTS browser_events (
    id             INTEGER PRIMARY KEY,
    timestamp      INTEGER NOT NULL,
    url            TEXT NOT NULL,
    title          TEXT,
    domain         TEXT NOT NULL,
    dwell_ms       INTEGER NOT NULL,  -- time in view
    scroll_depth   REAL,              -- 0 to 1
    extracted_text TEXT,
    search_query   TEXT,
    referrer       TEXT,
    content_hash   TEXT,              -- SHA-256 of extracted_text, in hex; null without text
    envelope_id    TEXT,
    enriched       INTEGER NOT NULL DEFAULT 0,
    probe_tag      TEXT,
    created_at     INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000)
);
CREATE INDEX IF NOT EXISTS idx_browser_events_timestamp ON browser_events(timestamp DESC);
CREATE INDEX IF NOT EXISTS idx_browser_events_domain ON browser_events(domain);
CREATE UNIQUE INDEX IF NOT EXISTS idx_browser_events_envelope_id ON browser_events(envelope_id) WHERE envelope_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_browser_events_enriched ON browser_events(enriched) WHERE enriched = 0;
CREATE INDEX IF NOT EXISTS idx_browser_events_ts_domain ON browser_events(timestamp, domain);

-- Permanent. Runs of workflows, as the forge tells them.
CREATE TABLE IF NOT EXISTS workflow_runs (
    id            INTEGER PRIMARY KEY,  -- the forge's number, as in workflow_jobs
    repo          TEXT NOT NULL,
    head_sha      TEXT NOT NULL,
    head_branch   TEXT,
    event         TEXT NOT NULL,
    status        TEXT NOT NULL,
    conclusion    TEXT,
    started_at    INTEGER,
    completed_at  INTEGER,
    html_url      TEXT NOT NULL,
    actor         TEXT,
    raw_json      TEXT NOT NULL,        -- as it came
    first_seen_at INTEGER NOT NULL,
    last_seen_at  INTEGER NOT NULL,
    enriched      INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS idx_workflow_runs_sha ON workflow_runs(head_sha);
CREATE INDEX IF NOT EXISTS idx_workflow_runs_repo_started ON workflow_runs(repo, started_at);

-- Permanent. The jobs of a run.
CREATE TABLE IF NOT EXISTS workflow_jobs (
    id           INTEGER PRIMARY KEY,
    run_id       INTEGER NOT NULL REFERENCES workflow_runs(id) ON DELETE CASCADE,
    name         TEXT NOT NULL,
    status       TEXT NOT NULL,
    conclusion   TEXT,
    started_at   INTEGER,
    completed_at INTEGER,
    runner_name  TEXT,
    raw_json     TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_workflow_jobs_run ON workflow_jobs(run_id);

-- Permanent. What a job found wrong, and where.
CREATE TABLE IF NOT EXISTS workflow_annotations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id     INTEGER NOT NULL REFERENCES workflow_jobs(id) ON DELETE CASCADE,
    level      TEXT NOT NULL,
    tool       TEXT,
    rule_id    TEXT,
    path       TEXT,
    start_line INTEGER,
    message    TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_workflow_annotations_job ON workflow_annotations(job_id);
CREATE INDEX IF NOT EXISTS idx_workflow_annotations_tool_rule ON workflow_annotations(tool, rule_id);

-- Permanent. The telling lines of a job's log.
CREATE TABLE IF NOT EXISTS workflow_log_excerpts (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id    INTEGER NOT NULL REFERENCES workflow_jobs(id) ON DELETE CASCADE,
    step_name TEXT,
    excerpt   TEXT NOT NULL,
    truncated INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS idx_workflow_log_excerpts_job ON workflow_log_excerpts(job_id);

-- Permanent. Pushed commits whose workflows are followed until they end.
CREATE TABLE IF NOT EXISTS sha_watchlist (
    sha             TEXT NOT NULL,
    repo            TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL,
    terminal_status TEXT,  -- how it ended; null while it runs
    notified        INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (sha, repo)
);
CREATE INDEX IF NOT EXISTS idx_sha_watchlist_expires ON sha_watchlist(expires_at);

-- Permanent. What went wrong more than once. '' stands for what is not known: nulls are never equal.
CREATE TABLE IF NOT EXISTS lessons (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    repo          TEXT NOT NULL,
    tool          TEXT NOT NULL DEFAULT '',
    rule_id       TEXT NOT NULL DEFAULT '',
    path_prefix   TEXT NOT NULL DEFAULT '',
    summary       TEXT NOT NULL,
    fix_hint      TEXT,
    occurrences   INTEGER NOT NULL DEFAULT 1,
    first_seen_at INTEGER NOT NULL,
    last_seen_at  INTEGER NOT NULL,
    UNIQUE (repo, tool, rule_id, path_prefix)
);
CREATE INDEX IF NOT EXISTS idx_lessons_repo ON lessons(repo);

-- Permanent. What went wrong once, and is counted until it is a lesson.
CREATE TABLE IF NOT EXISTS lesson_pending (
    repo          TEXT NOT NULL,
    tool          TEXT NOT NULL DEFAULT '',
    rule_id       TEXT NOT NULL DEFAULT '',
    path_prefix   TEXT NOT NULL DEFAULT '',
    count         INTEGER NOT NULL DEFAULT 1,
    first_seen_at INTEGER NOT NULL,
    UNIQUE (repo, tool, rule_id, path_prefix)
);

-- Permanent. Segments of the sessions of all agents, one row per session, harness and segment.
CREATE TABLE IF NOT EXISTS agentic_sessions (
    id                         INTEGER PRIMARY KEY,
    session_id                 TEXT NOT NULL,  -- as the agent names it
    harness                    TEXT NOT NULL DEFAULT 'opencode' CHECK (harness IN ('claude-code', 'opencode', 'codex', 'cursor')),
    segment_index              INTEGER NOT NULL DEFAULT 0,
    model                      TEXT NOT NULL DEFAULT '',
    agent                      TEXT DEFAULT '',
    project_dir                TEXT NOT NULL,
    cwd                        TEXT NOT NULL,
    git_branch                 TEXT,
    slug                       TEXT DEFAULT '',
    title                      TEXT DEFAULT '',
    parent_session_id          TEXT,
    is_subagent                INTEGER NOT NULL DEFAULT 0,
    summary_text               TEXT NOT NULL,
    tool_calls_json            TEXT,           -- JSON array
    user_prompts_json          TEXT,           -- JSON array
    source_file                TEXT DEFAULT '',
    snapshot_diffs_json        TEXT DEFAULT 'null',
    commit_messages_json       TEXT DEFAULT '[]',
    message_count              INTEGER NOT NULL DEFAULT 0,
    token_count                INTEGER NOT NULL DEFAULT 0,
    start_time                 INTEGER NOT NULL,
    end_time                   INTEGER NOT NULL,
    content_hash               TEXT,           -- of what was captured,
    last_enriched_content_hash TEXT,           -- and of what was learned from last
    created_at                 INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    enriched                   INTEGER NOT NULL DEFAULT 0,
    probe_tag                  TEXT,
    UNIQUE (session_id, harness, segment_index)
);
CREATE INDEX IF NOT EXISTS idx_agentic_sessions_harness ON agentic_sessions(harness);
CREATE INDEX IF NOT EXISTS idx_agentic_sessions_cwd ON agentic_sessions(cwd);
CREATE INDEX IF NOT EXISTS idx_agentic_sessions_start_time ON agentic_sessions(start_time DESC);
CREATE INDEX IF NOT EXISTS idx_agentic_sessions_enriched ON agentic_sessions(enriched) WHERE enriched = 0;

-- Permanent. How far a source of sessions has been read.
CREATE TABLE IF NOT EXISTS agentic_cursor (
    source_key           TEXT PRIMARY KEY,            -- e.g. codex-<inode>
    last_seen_updated_at INTEGER NOT NULL DEFAULT 0,  -- the source's own time when it was last read
    last_id              TEXT NOT NULL DEFAULT '',
    updated_at           INTEGER NOT NULL
);

-- Permanent. How far a transcript has been read.
CREATE TABLE IF NOT EXISTS claude_session_offsets (
    path              TEXT NOT NULL PRIMARY KEY,  -- absolute
    session_id        TEXT,
    byte_offset       INTEGER NOT NULL DEFAULT 0,
    inode             INTEGER,
    device            INTEGER,
    size_at_last_read INTEGER NOT NULL DEFAULT 0,
    updated_at        INTEGER NOT NULL
) STRICT;

-- Permanent. What was learned from events and sessions.
CREATE TABLE IF NOT EXISTS knowledge_nodes (
    id                 INTEGER PRIMARY KEY,
    uuid               TEXT NOT NULL UNIQUE,
    content            TEXT NOT NULL,                        -- JSON object
    embed_text         TEXT NOT NULL,                        -- what is embedded
    node_type          TEXT NOT NULL DEFAULT 'observation',  -- observation | change_outcome
    outcome            TEXT,
    tags               TEXT,                                 -- JSON array of texts
    enrichment_model   TEXT,
    enrichment_version INTEGER NOT NULL DEFAULT 1,
    created_at         INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    updated_at         INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000)
);

-- Derived from knowledge_nodes, whose id is its rowid. Its triggers keep it so.
CREATE VIRTUAL TABLE IF NOT EXISTS knowledge_fts USING fts5(
    summary,
    embed_text,
    content,
    tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER IF NOT EXISTS knowledge_nodes_fts_ai AFTER INSERT ON knowledge_nodes BEGIN
    INSERT INTO knowledge_fts (rowid, summary, embed_text, content)
    VALUES (new.id, COALESCE(CASE WHEN json_valid(new.content) THEN json_extract(new.content, '$.summary') END, ''),
            new.embed_text, new.content);
END;
CREATE TRIGGER IF NOT EXISTS knowledge_nodes_fts_ad AFTER DELETE ON knowledge_nodes BEGIN
    DELETE FROM knowledge_fts WHERE rowid = old.id;
END;
CREATE TRIGGER IF NOT EXISTS knowledge_nodes_fts_au AFTER UPDATE ON knowledge_nodes BEGIN
    DELETE FROM knowledge_fts WHERE rowid = old.id;
    INSERT INTO knowledge_fts (rowid, summary, embed_text, content)
    VALUES (new.id, COALESCE(CASE WHEN json_valid(new.content) THEN json_extract(new.content, '$.summary') END, ''),
            new.embed_text, new.content);
END;

-- Permanent. What knowledge speaks about.
CREATE TABLE IF NOT EXISTS entities (
    id         INTEGER PRIMARY KEY,
    type       TEXT NOT NULL CHECK (type IN ('project', 'file', 'tool', 'service', 'repo', 'host', 'person', 'concept', 'domain', 'env_var')),
    name       TEXT NOT NULL,
    canonical  TEXT,  -- the one form of its names
    metadata   TEXT,
    first_seen INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    last_seen  INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    created_at INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    UNIQUE (type, canonical)
);
CREATE INDEX IF NOT EXISTS idx_entities_type_name ON entities(type, name);
CREATE INDEX IF NOT EXISTS idx_entities_canonical ON entities(canonical) WHERE canonical IS NOT NULL;

-- Permanent. Which entities belong together, and on how much evidence.
CREATE TABLE IF NOT EXISTS relationships (
    id             INTEGER PRIMARY KEY,
    from_entity_id INTEGER NOT NULL REFERENCES entities(id),
    to_entity_id   INTEGER NOT NULL REFERENCES entities(id),
    relationship   TEXT NOT NULL,
    weight         REAL NOT NULL DEFAULT 1.0,
    evidence_count INTEGER NOT NULL DEFAULT 1,
    first_seen     INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    last_seen      INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    UNIQUE (from_entity_id, to_entity_id, relationship)
);
CREATE INDEX IF NOT EXISTS idx_relationships_from ON relationships(from_entity_id, relationship);
CREATE INDEX IF NOT EXISTS idx_relationships_to ON relationships(to_entity_id, relationship);

-- Permanent. Which entities an event shows.
CREATE TABLE IF NOT EXISTS event_entities (
    id         INTEGER PRIMARY KEY,
    event_id   INTEGER NOT NULL REFERENCES events(id),
    entity_id  INTEGER NOT NULL REFERENCES entities(id),
    role       TEXT NOT NULL,
    created_at INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    UNIQUE (event_id, entity_id, role)
);
CREATE INDEX IF NOT EXISTS idx_event_entities_entity ON event_entities(entity_id, event_id);

-- Permanent. Which events a node was learned from; likewise the tables below.
CREATE TABLE IF NOT EXISTS knowledge_node_events (
    knowledge_node_id INTEGER NOT NULL REFERENCES knowledge_nodes(id),
    event_id          INTEGER NOT NULL REFERENCES events(id),
    PRIMARY KEY (knowledge_node_id, event_id)
);

-- Permanent.
CREATE TABLE IF NOT EXISTS knowledge_node_browser_events (
    knowledge_node_id INTEGER NOT NULL REFERENCES knowledge_nodes(id),
    browser_event_id  INTEGER NOT NULL REFERENCES browser_events(id),
    PRIMARY KEY (knowledge_node_id, browser_event_id)
);

-- Permanent.
CREATE TABLE IF NOT EXISTS knowledge_node_agentic_sessions (
    knowledge_node_id  INTEGER NOT NULL REFERENCES knowledge_nodes(id),
    agentic_session_id INTEGER NOT NULL REFERENCES agentic_sessions(id) ON DELETE CASCADE,
    PRIMARY KEY (knowledge_node_id, agentic_session_id)
);

-- Permanent.
CREATE TABLE IF NOT EXISTS knowledge_node_workflow_runs (
    knowledge_node_id INTEGER NOT NULL REFERENCES knowledge_nodes(id),
    run_id            INTEGER NOT NULL REFERENCES workflow_runs(id) ON DELETE CASCADE,
    PRIMARY KEY (knowledge_node_id, run_id)
);

-- Permanent.
CREATE TABLE IF NOT EXISTS knowledge_node_lessons (
    knowledge_node_id INTEGER NOT NULL REFERENCES knowledge_nodes(id),
    lesson_id         INTEGER NOT NULL REFERENCES lessons(id) ON DELETE CASCADE,
    PRIMARY KEY (knowledge_node_id, lesson_id)
);

-- Permanent. Which entities a node speaks about.
CREATE TABLE IF NOT EXISTS knowledge_node_entities (
    knowledge_node_id INTEGER NOT NULL REFERENCES knowledge_nodes(id),
    entity_id         INTEGER NOT NULL REFERENCES entities(id),
    PRIMARY KEY (knowledge_node_id, entity_id)
);
CREATE INDEX IF NOT EXISTS idx_kn_entities_entity ON knowledge_node_entities(entity_id);

-- Permanent. Events that wait to be learned from; likewise the tables below, for what their first column refers to.
CREATE TABLE IF NOT EXISTS enrichment_queue (
    id            INTEGER PRIMARY KEY,
    event_id      INTEGER NOT NULL UNIQUE REFERENCES events(id),
    status        TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'processing', 'done', 'failed', 'skipped')),
    priority      INTEGER NOT NULL DEFAULT 5,
    retry_count   INTEGER NOT NULL DEFAULT 0,
    max_retries   INTEGER NOT NULL DEFAULT 5,
    error_message TEXT,
    locked_at     INTEGER,  -- while it is being processed,
    locked_by     TEXT,     -- and by whom
    created_at    INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    updated_at    INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000)
);
CREATE INDEX IF NOT EXISTS idx_queue_pending ON enrichment_queue(status, priority) WHERE status = 'pending';

-- Permanent.
CREATE TABLE IF NOT EXISTS browser_enrichment_queue (
    id               INTEGER PRIMARY KEY,
    browser_event_id INTEGER NOT NULL UNIQUE REFERENCES browser_events(id),
    status           TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'processing', 'done', 'failed', 'skipped')),
    priority         INTEGER NOT NULL DEFAULT 5,
    retry_count      INTEGER NOT NULL DEFAULT 0,
    max_retries      INTEGER NOT NULL DEFAULT 5,
    error_message    TEXT,
    locked_at        INTEGER,
    locked_by        TEXT,
    created_at       INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    updated_at       INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000)
);
CREATE INDEX IF NOT EXISTS idx_browser_queue_pending ON browser_enrichment_queue(status, priority) WHERE status = 'pending';

-- Permanent. A run has one ticket.
CREATE TABLE IF NOT EXISTS workflow_enrichment_queue (
    run_id        INTEGER PRIMARY KEY REFERENCES workflow_runs(id) ON DELETE CASCADE,
    status        TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'processing', 'done', 'failed', 'skipped')),
    priority      INTEGER NOT NULL DEFAULT 5,
    retry_count   INTEGER NOT NULL DEFAULT 0,
    max_retries   INTEGER NOT NULL DEFAULT 5,
    error_message TEXT,
    locked_at     INTEGER,
    locked_by     TEXT,
    enqueued_at   INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_workflow_queue_pending ON workflow_enrichment_queue(status, priority);

-- Permanent.
CREATE TABLE IF NOT EXISTS agentic_enrichment_queue (
    id            INTEGER PRIMARY KEY,
    session_id    INTEGER NOT NULL UNIQUE REFERENCES agentic_sessions(id),  -- of agentic_sessions.id
    status        TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'processing', 'done', 'failed', 'skipped')),
    priority      INTEGER NOT NULL DEFAULT 5,
    retry_count   INTEGER NOT NULL DEFAULT 0,
    max_retries   INTEGER NOT NULL DEFAULT 5,
    error_message TEXT,
    locked_at     INTEGER,
    locked_by     TEXT,
    enqueued_at   INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_agentic_queue_pending ON agentic_enrichment_queue(status, priority) WHERE status = 'pending';

-- Permanent. One row per way in: when it last brought something, and what went wrong.
CREATE TABLE IF NOT EXISTS source_health (
    source                TEXT PRIMARY KEY,
    last_event_ts         INTEGER,
    last_success_ts       INTEGER,
    last_error_ts         INTEGER,
    last_error_msg        TEXT,
    consecutive_failures  INTEGER NOT NULL DEFAULT 0,
    events_last_1h        INTEGER NOT NULL DEFAULT 0,
    events_last_24h       INTEGER NOT NULL DEFAULT 0,
    expected_min_per_hour INTEGER,  -- fewer are a sign of trouble
    probe_ok              INTEGER,  -- of the last probe, likewise the next two
    probe_lag_ms          INTEGER,
    probe_last_run_ts     INTEGER,
    last_heartbeat_ts     INTEGER,
    updated_at            INTEGER NOT NULL
);

-- Permanent. Every broken promise of capturing, with its end.
CREATE TABLE IF NOT EXISTS capture_alarms (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    invariant_id TEXT NOT NULL,                                        -- I-1, ...
    raised_at    INTEGER NOT NULL,
    details_json TEXT NOT NULL,                                        -- JSON object; its source names the way in
    acked_at     INTEGER,
    ack_note     TEXT,
    resolved_at  INTEGER,                                              -- when it had been clean for long enough
    clean_ticks  INTEGER NOT NULL DEFAULT 0 CHECK (clean_ticks >= 0)   -- looks in a row that found nothing wrong
);
CREATE INDEX IF NOT EXISTS idx_capture_alarms_invariant_active ON capture_alarms(invariant_id, acked_at) WHERE acked_at IS NULL AND resolved_at IS NULL;

-- Permanent, frozen: version 18 copied it to agentic_sessions, and nothing is written to it any more.
CREATE TABLE IF NOT EXISTS claude_sessions (
    id                         INTEGER PRIMARY KEY,
    session_id                 TEXT NOT NULL,
    project_dir                TEXT NOT NULL,
    cwd                        TEXT NOT NULL,
    git_branch                 TEXT,
    segment_index              INTEGER NOT NULL,
    start_time                 INTEGER NOT NULL,
    end_time                   INTEGER NOT NULL,
    summary_text               TEXT NOT NULL,
    tool_calls_json            TEXT,
    user_prompts_json          TEXT,
    message_count              INTEGER NOT NULL,
    token_count                INTEGER,
    source_file                TEXT NOT NULL,  -- tells the harness
    is_subagent                INTEGER NOT NULL DEFAULT 0,
    parent_session_id          TEXT,
    enriched                   INTEGER NOT NULL DEFAULT 0,
    probe_tag                  TEXT,
    content_hash               TEXT,
    last_enriched_content_hash TEXT,
    created_at                 INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    UNIQUE (session_id, segment_index)
);
CREATE INDEX IF NOT EXISTS idx_claude_sessions_cwd ON claude_sessions(cwd);
CREATE INDEX IF NOT EXISTS idx_claude_sessions_session ON claude_sessions(session_id);
CREATE INDEX IF NOT EXISTS idx_claude_sessions_start_time ON claude_sessions(start_time DESC);

-- Permanent, frozen: a comparison of two readers, one of which is gone.
CREATE TABLE IF NOT EXISTS claude_session_parity (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    path           TEXT NOT NULL,
    tailer_count   INTEGER NOT NULL DEFAULT 0,
    watcher_count  INTEGER NOT NULL DEFAULT 0,
    mismatch_count INTEGER NOT NULL DEFAULT 0,
    window_start   INTEGER NOT NULL,
    window_end     INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS idx_claude_session_parity_path_window ON claude_session_parity(path, window_start);

-- Permanent, frozen.
CREATE TABLE IF NOT EXISTS knowledge_node_claude_sessions (
    knowledge_node_id INTEGER NOT NULL REFERENCES knowledge_nodes(id),
    claude_session_id INTEGER NOT NULL REFERENCES claude_sessions(id),
    PRIMARY KEY (knowledge_node_id, claude_session_id)
);

-- Permanent, frozen.
CREATE TABLE IF NOT EXISTS claude_enrichment_queue (
    id                INTEGER PRIMARY KEY,
    claude_session_id INTEGER NOT NULL UNIQUE REFERENCES claude_sessions(id),
    status            TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'processing', 'done', 'failed', 'skipped')),
    priority          INTEGER NOT NULL DEFAULT 5,
    retry_count       INTEGER NOT NULL DEFAULT 0,
    max_retries       INTEGER NOT NULL DEFAULT 5,
    error_message     TEXT,
    locked_at         INTEGER,
    locked_by         TEXT,
    created_at        INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    updated_at        INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000)
);
CREATE INDEX IF NOT EXISTS idx_claude_queue_pending ON claude_enrichment_queue(status, priority) WHERE status = 'pending';

-- @seed
-- The ways in that are watched. They begin with the newest of what is there already.
INSERT INTO source_health (source, last_event_ts, updated_at)
SELECT source, last_event_ts, unixepoch('now') * 1000
  FROM (SELECT 'shell' AS source, (SELECT MAX(timestamp) FROM events WHERE source_kind = 'shell') AS last_event_ts
        UNION ALL SELECT 'claude-tool', (SELECT MAX(timestamp) FROM events WHERE source_kind = 'claude-tool')
        UNION ALL SELECT 'browser', (SELECT MAX(timestamp) FROM browser_events)
        UNION ALL SELECT 'agentic-session-claude',
                         (SELECT MAX(start_time) FROM agentic_sessions WHERE harness = 'claude-code')
        UNION ALL SELECT 'agentic-session-opencode', NULL
        UNION ALL SELECT 'agentic-session-codex', NULL
        UNION ALL SELECT 'agentic-session-cursor', NULL
        UNION ALL SELECT 'brain-preflight', NULL) AS seeds
 WHERE true
ON CONFLICT (source) DO NOTHING;

-- @seed
-- Nodes that the search table does not have yet.
INSERT INTO knowledge_fts (rowid, summary, embed_text, content)
SELECT id, COALESCE(CASE WHEN json_valid(content) THEN json_extract(content, '$.summary') END, ''), embed_text, content
  FROM knowledge_nodes WHERE id NOT IN (SELECT rowid FROM knowledge_fts);
