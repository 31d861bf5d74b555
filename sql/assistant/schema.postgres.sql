-- The tables of schema.sql on PostgreSQL, in the schema that search_path names. What the columns mean is said there.

CREATE TABLE IF NOT EXISTS interactions (
    id             TEXT COLLATE "C" PRIMARY KEY,
    user_message   TEXT COLLATE "C" NOT NULL,
    agent_response TEXT COLLATE "C" NOT NULL,
    tools_used     TEXT COLLATE "C",
    channel        TEXT COLLATE "C",
    user_id        TEXT COLLATE "C",
    created_at     TIMESTAMPTZ NOT NULL,
    embedding      TEXT COLLATE "C"
);
CREATE INDEX IF NOT EXISTS idx_interactions_created_at ON interactions(created_at);
CREATE INDEX IF NOT EXISTS idx_interactions_user ON interactions(user_id, created_at);

CREATE TABLE IF NOT EXISTS notes (
    id         TEXT COLLATE "C" PRIMARY KEY,
    title      TEXT COLLATE "C" NOT NULL,
    content    TEXT COLLATE "C" NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    embedding  TEXT COLLATE "C"
);

CREATE TABLE IF NOT EXISTS tasks (
    id         TEXT COLLATE "C" PRIMARY KEY,
    title      TEXT COLLATE "C" NOT NULL,
    status     TEXT COLLATE "C" NOT NULL DEFAULT 'todo',
    due_date   TEXT COLLATE "C",
    notified   BOOLEAN NOT NULL DEFAULT FALSE,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_tasks_status ON tasks(status, due_date);

CREATE TABLE IF NOT EXISTS reminders (
    id         TEXT COLLATE "C" PRIMARY KEY,
    user_id    TEXT COLLATE "C" NOT NULL,
    chat_id    TEXT COLLATE "C" NOT NULL,
    message    TEXT COLLATE "C" NOT NULL,
    remind_at  TIMESTAMPTZ NOT NULL,
    status     TEXT COLLATE "C" NOT NULL DEFAULT 'pending',
    channel    TEXT COLLATE "C" NOT NULL DEFAULT 'telegram',
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_reminders_status ON reminders(status, remind_at);

CREATE TABLE IF NOT EXISTS context (
    user_id      TEXT COLLATE "C" PRIMARY KEY,
    content      TEXT COLLATE "C" NOT NULL,
    last_updated TIMESTAMPTZ NOT NULL
);

CREATE TABLE IF NOT EXISTS user_facts (
    id         TEXT COLLATE "C" PRIMARY KEY,
    key        TEXT COLLATE "C" NOT NULL,
    value      TEXT COLLATE "C" NOT NULL,
    category   TEXT COLLATE "C" NOT NULL DEFAULT 'general',
    source     TEXT COLLATE "C" NOT NULL DEFAULT 'agent',
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_user_facts_key ON user_facts(key);

CREATE TABLE IF NOT EXISTS news_topics (
    id         TEXT COLLATE "C" PRIMARY KEY,
    topic      TEXT COLLATE "C" NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_news_topics_topic ON news_topics(topic);

CREATE TABLE IF NOT EXISTS seen_news (
    url     TEXT COLLATE "C" PRIMARY KEY,
    title   TEXT COLLATE "C",
    seen_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE IF NOT EXISTS scheduled_tasks (
    id              TEXT COLLATE "C" PRIMARY KEY,
    name            TEXT COLLATE "C" NOT NULL,
    prompt          TEXT COLLATE "C" NOT NULL,
    cron_expression TEXT COLLATE "C" NOT NULL,
    timezone        TEXT COLLATE "C" NOT NULL,
    enabled         BOOLEAN NOT NULL DEFAULT TRUE,
    created_by      TEXT COLLATE "C" NOT NULL DEFAULT 'user',
    last_run        TIMESTAMPTZ,
    created_at      TIMESTAMPTZ NOT NULL
);

CREATE TABLE IF NOT EXISTS audit_log (
    id             TEXT COLLATE "C" PRIMARY KEY,
    timestamp      TIMESTAMPTZ NOT NULL,
    tool_name      TEXT COLLATE "C" NOT NULL,
    arguments      TEXT COLLATE "C",
    result_summary TEXT COLLATE "C",
    channel        TEXT COLLATE "C",
    user_id        TEXT COLLATE "C",
    duration_ms    BIGINT,
    tokens_used    BIGINT
);
CREATE INDEX IF NOT EXISTS idx_audit_log_timestamp ON audit_log(timestamp);

CREATE TABLE IF NOT EXISTS read_later (
    id        TEXT COLLATE "C" PRIMARY KEY,
    url       TEXT COLLATE "C" NOT NULL,
    title     TEXT COLLATE "C",
    summary   TEXT COLLATE "C",
    note      TEXT COLLATE "C",
    tags      TEXT COLLATE "C",
    added_at  TIMESTAMPTZ NOT NULL,
    read_at   TIMESTAMPTZ,
    embedding TEXT COLLATE "C"
);

CREATE TABLE IF NOT EXISTS alert_rules (
    id             TEXT COLLATE "C" PRIMARY KEY,
    name           TEXT COLLATE "C" NOT NULL,
    trigger_type   TEXT COLLATE "C" NOT NULL,
    conditions     TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    cooldown_hours BIGINT NOT NULL DEFAULT 24,
    enabled        BOOLEAN NOT NULL DEFAULT TRUE,
    created_by     TEXT COLLATE "C" NOT NULL DEFAULT 'user',
    last_fired     TIMESTAMPTZ,
    created_at     TIMESTAMPTZ NOT NULL
);

CREATE TABLE IF NOT EXISTS agent_learnings (
    id               TEXT COLLATE "C" PRIMARY KEY,
    rule             TEXT COLLATE "C" NOT NULL,
    category         TEXT COLLATE "C" NOT NULL,
    recurrence_count BIGINT NOT NULL DEFAULT 1,
    status           TEXT COLLATE "C" NOT NULL DEFAULT 'candidate',
    first_seen       TIMESTAMPTZ NOT NULL,
    last_seen        TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_agent_learnings_rule ON agent_learnings(rule);

CREATE TABLE IF NOT EXISTS pending_actions (
    id                    TEXT COLLATE "C" PRIMARY KEY,
    tool_name             TEXT COLLATE "C" NOT NULL,
    action_type           TEXT COLLATE "C" NOT NULL,
    payload               TEXT COLLATE "C" NOT NULL,
    preview_text          TEXT COLLATE "C" NOT NULL,
    chat_id               TEXT COLLATE "C" NOT NULL,
    message_id            BIGINT,
    status                TEXT COLLATE "C" NOT NULL DEFAULT 'pending',
    notified              BOOLEAN NOT NULL DEFAULT FALSE,
    edit_count            BIGINT NOT NULL DEFAULT 0,
    original_user_message TEXT COLLATE "C",
    trace_id              TEXT COLLATE "C",
    created_at            TIMESTAMPTZ NOT NULL,
    expires_at            TIMESTAMPTZ NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_pending_actions_chat ON pending_actions(chat_id, status);
CREATE INDEX IF NOT EXISTS idx_pending_actions_expires ON pending_actions(expires_at, status);

CREATE TABLE IF NOT EXISTS pending_intentions (
    id                TEXT COLLATE "C" PRIMARY KEY,
    text              TEXT COLLATE "C" NOT NULL,
    mentioned_at      TIMESTAMPTZ NOT NULL,
    follow_up_days    BIGINT NOT NULL DEFAULT 3,
    follow_up_at      TIMESTAMPTZ NOT NULL,
    status            TEXT COLLATE "C" NOT NULL DEFAULT 'pending',
    last_follow_up_at TIMESTAMPTZ,
    created_at        TIMESTAMPTZ NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_pending_intentions_status ON pending_intentions(status, follow_up_at);

CREATE TABLE IF NOT EXISTS journal_entries (
    id         TEXT COLLATE "C" PRIMARY KEY,
    content    TEXT COLLATE "C" NOT NULL,
    title      TEXT COLLATE "C",
    source     TEXT COLLATE "C" NOT NULL DEFAULT 'voice',
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_journal_entries_created_at ON journal_entries(created_at);

CREATE TABLE IF NOT EXISTS health_samples (
    id            BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    metric_type   TEXT COLLATE "C" NOT NULL,
    start_time    TIMESTAMPTZ NOT NULL,
    end_time      TIMESTAMPTZ,
    value         JSONB NOT NULL,
    source_device TEXT COLLATE "C",
    source_app    TEXT COLLATE "C",
    created_at    TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_health_samples_natural ON health_samples(metric_type, start_time, source_device);
CREATE INDEX IF NOT EXISTS idx_health_samples_metric ON health_samples(metric_type, start_time DESC);

CREATE TABLE IF NOT EXISTS capability_gaps (
    id                   TEXT COLLATE "C" PRIMARY KEY,
    user_message         TEXT COLLATE "C" NOT NULL,
    agent_response       TEXT COLLATE "C" NOT NULL,
    classification       TEXT COLLATE "C" NOT NULL DEFAULT 'unknown',
    suspected_capability TEXT COLLATE "C",
    classifier_reason    TEXT COLLATE "C",
    grep_evidence        TEXT COLLATE "C",
    status               TEXT COLLATE "C" NOT NULL DEFAULT 'open',
    created_at           TIMESTAMPTZ NOT NULL,
    resolved_at          TIMESTAMPTZ
);
CREATE INDEX IF NOT EXISTS idx_capability_gaps_status ON capability_gaps(status, created_at DESC);
CREATE INDEX IF NOT EXISTS idx_capability_gaps_classification ON capability_gaps(classification);

CREATE TABLE IF NOT EXISTS proposed_skills (
    id                TEXT COLLATE "C" PRIMARY KEY,
    gap_id            TEXT COLLATE "C",
    name              TEXT COLLATE "C" NOT NULL,
    description       TEXT COLLATE "C" NOT NULL,
    code              TEXT COLLATE "C" NOT NULL,
    validation_status TEXT COLLATE "C" NOT NULL DEFAULT 'pending',
    validation_output TEXT COLLATE "C",
    status            TEXT COLLATE "C" NOT NULL DEFAULT 'draft',
    created_at        TIMESTAMPTZ NOT NULL,
    activated_at      TIMESTAMPTZ
);
CREATE INDEX IF NOT EXISTS idx_proposed_skills_status ON proposed_skills(status, created_at DESC);
CREATE INDEX IF NOT EXISTS idx_proposed_skills_name ON proposed_skills(name);

CREATE TABLE IF NOT EXISTS delegations (
    id                 TEXT COLLATE "C" PRIMARY KEY,
    task_description   TEXT COLLATE "C" NOT NULL,
    status             TEXT COLLATE "C" NOT NULL DEFAULT 'queued',
    backend            TEXT COLLATE "C" NOT NULL DEFAULT 'opencode',
    chat_id            TEXT COLLATE "C",
    session_id         TEXT COLLATE "C",
    started_at         TIMESTAMPTZ,
    completed_at       TIMESTAMPTZ,
    result_summary     TEXT COLLATE "C" NOT NULL DEFAULT '',
    files_summary      TEXT COLLATE "C" NOT NULL DEFAULT '',
    duration_seconds   BIGINT,
    input_tokens       BIGINT,
    output_tokens      BIGINT,
    estimated_cost_usd DOUBLE PRECISION,
    error              TEXT COLLATE "C",
    credential         TEXT COLLATE "C",
    created_at         TIMESTAMPTZ NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_delegations_status ON delegations(status, created_at DESC);

CREATE TABLE IF NOT EXISTS vault_credentials (
    id            TEXT COLLATE "C" PRIMARY KEY,
    service       TEXT COLLATE "C" NOT NULL,
    domains       TEXT COLLATE "C" NOT NULL DEFAULT '',
    username_enc  TEXT COLLATE "C" NOT NULL,
    password_enc  TEXT COLLATE "C" NOT NULL,
    totp_seed_enc TEXT COLLATE "C",
    created_at    TIMESTAMPTZ NOT NULL,
    updated_at    TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_vault_credentials_service ON vault_credentials(service);

-- Rules that a new store has. Deleted ones do not come back.
-- @seed alert_rules
INSERT INTO alert_rules (id, name, trigger_type, conditions, created_by, created_at)
VALUES ('system:task_due_today', 'Tasks due today', 'task_due_today', '{"fire_hour": 9}', 'system', now()),
       ('system:task_overdue', 'Overdue tasks', 'task_overdue', '{"fire_hour": 11}', 'system', now());
