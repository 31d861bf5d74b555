-- @store conversation
-- What was said: sessions with their token and cost accounts, messages, lineage, titles, handoffs.
-- @version 11
-- @accept 12..16
-- @mark table schema_version(version)
-- @time seconds
-- @durability full
-- @pragma foreign_keys = ON
-- @reconcile

-- Permanent. One row: the version of the format.
CREATE TABLE schema_version (
    version               INTEGER NOT NULL
);

-- Permanent. One row per session; a session that is continued after a compression, branched, or
-- delegated has a child of its own.
CREATE TABLE sessions (
    id                    TEXT PRIMARY KEY,
    source                TEXT NOT NULL,      -- "cli", "telegram", "cron", ...: free text
    user_id               TEXT,
    model                 TEXT,
    model_config          TEXT,               -- JSON object
    system_prompt         TEXT,
    parent_session_id     TEXT,               -- the session this one came from
    started_at            REAL NOT NULL,      -- epoch seconds
    ended_at              REAL,               -- NULL while it runs
    end_reason            TEXT,               -- "compression" and "branched" tell the kind of the children
    message_count         INTEGER DEFAULT 0,
    tool_call_count       INTEGER DEFAULT 0,
    input_tokens          INTEGER DEFAULT 0,
    output_tokens         INTEGER DEFAULT 0,
    cache_read_tokens     INTEGER DEFAULT 0,
    cache_write_tokens    INTEGER DEFAULT 0,
    reasoning_tokens      INTEGER DEFAULT 0,
    billing_provider      TEXT,
    billing_base_url      TEXT,
    billing_mode          TEXT,
    estimated_cost_usd    REAL,
    actual_cost_usd       REAL,
    cost_status           TEXT,
    cost_source           TEXT,
    pricing_version       TEXT,
    title                 TEXT,               -- unique where there is one
    api_call_count        INTEGER DEFAULT 0,
    handoff_state         TEXT,               -- NULL, "pending", "running", "completed", "failed"
    handoff_platform      TEXT,               -- where it is to go on
    handoff_error         TEXT,               -- why it failed
    FOREIGN KEY (parent_session_id) REFERENCES sessions(id)
);

-- Permanent. The order of a session's messages is that of their ids, never of their timestamps: a
-- clock may go back. Ids are never given twice.
CREATE TABLE messages (
    id                    INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id            TEXT NOT NULL REFERENCES sessions(id),
    role                  TEXT NOT NULL,      -- "user", "assistant", "tool", "system": free text
    content               TEXT,               -- text; or, behind the mark \0json:, JSON (multimodal)
    tool_call_id          TEXT,               -- of a tool's answer: the call it answers
    tool_calls            TEXT,               -- JSON array of the calls an assistant asks for
    tool_name             TEXT,
    timestamp             REAL NOT NULL,      -- epoch seconds
    token_count           INTEGER,
    finish_reason         TEXT,
    reasoning             TEXT,
    reasoning_content     TEXT,
    reasoning_details     TEXT,               -- JSON
    codex_reasoning_items TEXT,               -- JSON
    codex_message_items   TEXT                -- JSON
);

-- Permanent. Notes of the store and its users, e.g. last_auto_prune.
CREATE TABLE state_meta (
    key                   TEXT PRIMARY KEY,
    value                 TEXT
);

CREATE INDEX idx_sessions_source ON sessions(source);
CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
CREATE INDEX idx_sessions_started ON sessions(started_at DESC);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL;
