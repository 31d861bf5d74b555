-- @store assistant
-- What a personal assistant keeps: exchanges, notes, tasks, reminders, facts about its user, schedules, approvals,
-- delegations, health samples and a vault.
-- @version 1
-- @mark shape
-- @time iso
-- @durability full
-- @complete

-- Permanent. Every exchange, from any channel.
CREATE TABLE IF NOT EXISTS interactions (
    id             TEXT PRIMARY KEY,        -- UUID, given by the caller, as in every table but health_samples
    user_message   TEXT NOT NULL,           -- what was sent
    agent_response TEXT NOT NULL,           -- what was replied
    tools_used     TEXT,                    -- JSON array of tool call records
    channel        TEXT,                    -- telegram | cli | whatsapp
    user_id        TEXT,
    created_at     TEXT NOT NULL,           -- ISO-8601, UTC, fixed width, as every time of this store
    embedding      TEXT                     -- JSON array of 3072 floats; null until embedded
);
CREATE INDEX IF NOT EXISTS idx_interactions_created_at ON interactions(created_at);
CREATE INDEX IF NOT EXISTS idx_interactions_user ON interactions(user_id, created_at);

-- Permanent. Notes, and the summaries of past conversations ("Summary: ...").
CREATE TABLE IF NOT EXISTS notes (
    id         TEXT PRIMARY KEY,
    title      TEXT NOT NULL,
    content    TEXT NOT NULL,
    created_at TEXT NOT NULL,
    embedding  TEXT
);

-- Permanent.
CREATE TABLE IF NOT EXISTS tasks (
    id         TEXT PRIMARY KEY,
    title      TEXT NOT NULL,
    status     TEXT NOT NULL DEFAULT 'todo',   -- todo | done
    due_date   TEXT,                           -- YYYY-MM-DD
    notified   INTEGER NOT NULL DEFAULT 0,     -- 1 once a due-date notification has been sent
    created_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_tasks_status ON tasks(status, due_date);

-- Permanent.
CREATE TABLE IF NOT EXISTS reminders (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL,                      -- Telegram user or WhatsApp phone number
    chat_id    TEXT NOT NULL,                      -- where to deliver
    message    TEXT NOT NULL,
    remind_at  TEXT NOT NULL,                      -- when to fire
    status     TEXT NOT NULL DEFAULT 'pending',    -- pending | sent | cancelled
    channel    TEXT NOT NULL DEFAULT 'telegram',   -- telegram | whatsapp
    created_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_reminders_status ON reminders(status, remind_at);

-- Permanent. The profile of the user ("global"), and a plain key-value table under the keys "system:...".
CREATE TABLE IF NOT EXISTS context (
    user_id      TEXT PRIMARY KEY,       -- the key
    content      TEXT NOT NULL,          -- "" means cleared, and reads back as absent
    last_updated TEXT NOT NULL
);

-- Permanent. What is held to be true of the user.
CREATE TABLE IF NOT EXISTS user_facts (
    id         TEXT PRIMARY KEY,
    key        TEXT NOT NULL,                      -- snake_case: home_address, partner_name
    value      TEXT NOT NULL,
    category   TEXT NOT NULL DEFAULT 'general',    -- location | personal | preference | work | health | general
    source     TEXT NOT NULL DEFAULT 'agent',      -- agent | reflection
    created_at TEXT NOT NULL,                      -- of the first writing, never changed
    updated_at TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_user_facts_key ON user_facts(key);

-- Permanent. News topics that are followed.
CREATE TABLE IF NOT EXISTS news_topics (
    id         TEXT PRIMARY KEY,
    topic      TEXT NOT NULL,            -- lowercase
    created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_news_topics_topic ON news_topics(topic);

-- Permanent for a week: stories that were shown.
CREATE TABLE IF NOT EXISTS seen_news (
    url     TEXT PRIMARY KEY,
    title   TEXT,
    seen_at TEXT NOT NULL
);

-- Permanent. Prompts that are run at set times.
CREATE TABLE IF NOT EXISTS scheduled_tasks (
    id              TEXT PRIMARY KEY,
    name            TEXT NOT NULL,
    prompt          TEXT NOT NULL,
    cron_expression TEXT NOT NULL,                 -- five fields
    timezone        TEXT NOT NULL,                 -- IANA name
    enabled         INTEGER NOT NULL DEFAULT 1,
    created_by      TEXT NOT NULL DEFAULT 'user',  -- user | system
    last_run        TEXT,                          -- the slot that fired last
    created_at      TEXT NOT NULL
);

-- Permanent. Every tool call, with cleaned arguments and the beginning of its result.
CREATE TABLE IF NOT EXISTS audit_log (
    id             TEXT PRIMARY KEY,
    timestamp      TEXT NOT NULL,
    tool_name      TEXT NOT NULL,
    arguments      TEXT,                 -- JSON; what is called key, token, secret or password is "***"
    result_summary TEXT,                 -- the first 200 characters
    channel        TEXT,                 -- telegram | whatsapp | cli
    user_id        TEXT,
    duration_ms    INTEGER,
    tokens_used    INTEGER
);
CREATE INDEX IF NOT EXISTS idx_audit_log_timestamp ON audit_log(timestamp);

-- Permanent. Articles to read.
CREATE TABLE IF NOT EXISTS read_later (
    id        TEXT PRIMARY KEY,
    url       TEXT NOT NULL,
    title     TEXT,
    summary   TEXT,
    note      TEXT,
    tags      TEXT,                      -- up to ten words, separated by commas
    added_at  TEXT NOT NULL,
    read_at   TEXT,
    embedding TEXT
);

-- Permanent. What to tell the user unasked.
CREATE TABLE IF NOT EXISTS alert_rules (
    id             TEXT PRIMARY KEY,
    name           TEXT NOT NULL,
    trigger_type   TEXT NOT NULL,                  -- task_due_today | task_overdue | meeting_soon | email_arrived
    conditions     TEXT NOT NULL DEFAULT '{}',     -- JSON object, e.g. {"fire_hour": 11}
    cooldown_hours INTEGER NOT NULL DEFAULT 24,    -- between two firings
    enabled        INTEGER NOT NULL DEFAULT 1,
    created_by     TEXT NOT NULL DEFAULT 'user',   -- user | system
    last_fired     TEXT,
    created_at     TEXT NOT NULL
);

-- Permanent. Corrections of the assistant's behaviour.
CREATE TABLE IF NOT EXISTS agent_learnings (
    id               TEXT PRIMARY KEY,
    rule             TEXT NOT NULL,                       -- lowercase, at most 200 characters
    category         TEXT NOT NULL,                       -- response_format | tool_usage | decision_making | tone | scope
    recurrence_count INTEGER NOT NULL DEFAULT 1,
    status           TEXT NOT NULL DEFAULT 'candidate',   -- candidate | active
    first_seen       TEXT NOT NULL,
    last_seen        TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_agent_learnings_rule ON agent_learnings(rule);

-- Permanent. Actions that wait for the user's word.
CREATE TABLE IF NOT EXISTS pending_actions (
    id                    TEXT PRIMARY KEY,
    tool_name             TEXT NOT NULL,
    action_type           TEXT NOT NULL,                     -- task | note | email | database | plan | ...
    payload               TEXT NOT NULL,                     -- JSON, what the executor gets
    preview_text          TEXT NOT NULL,
    chat_id               TEXT NOT NULL,
    message_id            INTEGER,                           -- of the preview
    status                TEXT NOT NULL DEFAULT 'pending',   -- pending | confirmed | cancelled | expired | failed
    notified              INTEGER NOT NULL DEFAULT 0,        -- 1 once the user has seen that it expired
    edit_count            INTEGER NOT NULL DEFAULT 0,
    original_user_message TEXT,
    trace_id              TEXT,
    created_at            TEXT NOT NULL,
    expires_at            TEXT NOT NULL                      -- created_at and 30 minutes; refused after it
);
CREATE INDEX IF NOT EXISTS idx_pending_actions_chat ON pending_actions(chat_id, status);
CREATE INDEX IF NOT EXISTS idx_pending_actions_expires ON pending_actions(expires_at, status);

-- Permanent. What the user said they would do.
CREATE TABLE IF NOT EXISTS pending_intentions (
    id                TEXT PRIMARY KEY,
    text              TEXT NOT NULL,
    mentioned_at      TEXT NOT NULL,
    follow_up_days    INTEGER NOT NULL DEFAULT 3,
    follow_up_at      TEXT NOT NULL,                     -- when to ask next
    status            TEXT NOT NULL DEFAULT 'pending',   -- pending | snoozed | resolved | dismissed
    last_follow_up_at TEXT,
    created_at        TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_pending_intentions_status ON pending_intentions(status, follow_up_at);

-- Permanent. Private: never embedded, found by date only.
CREATE TABLE IF NOT EXISTS journal_entries (
    id         TEXT PRIMARY KEY,
    content    TEXT NOT NULL,
    title      TEXT,
    source     TEXT NOT NULL DEFAULT 'voice',   -- voice | text
    created_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_journal_entries_created_at ON journal_entries(created_at);

-- Permanent. Samples of wearables.
CREATE TABLE IF NOT EXISTS health_samples (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    metric_type   TEXT NOT NULL,         -- steps | sleep_session | heart_rate | ...
    start_time    TEXT NOT NULL,
    end_time      TEXT,                  -- null for a moment
    value         TEXT NOT NULL,         -- JSON: {"bpm": 62}
    source_device TEXT,                  -- '' is written for an unknown one: nulls are never equal
    source_app    TEXT,
    created_at    TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_health_samples_natural ON health_samples(metric_type, start_time, source_device);
CREATE INDEX IF NOT EXISTS idx_health_samples_metric ON health_samples(metric_type, start_time DESC);

-- Permanent. Requests that were declined.
CREATE TABLE IF NOT EXISTS capability_gaps (
    id                   TEXT PRIMARY KEY,
    user_message         TEXT NOT NULL,
    agent_response       TEXT NOT NULL,
    classification       TEXT NOT NULL DEFAULT 'unknown',   -- gap | available | unknown
    suspected_capability TEXT,
    classifier_reason    TEXT,
    grep_evidence        TEXT,
    status               TEXT NOT NULL DEFAULT 'open',      -- open | resolved | dismissed
    created_at           TEXT NOT NULL,
    resolved_at          TEXT
);
CREATE INDEX IF NOT EXISTS idx_capability_gaps_status ON capability_gaps(status, created_at DESC);
CREATE INDEX IF NOT EXISTS idx_capability_gaps_classification ON capability_gaps(classification);

-- Permanent. Drafts of skills; on no disk until they are activated.
CREATE TABLE IF NOT EXISTS proposed_skills (
    id                TEXT PRIMARY KEY,
    gap_id            TEXT,                                -- of capability_gaps, perhaps; not enforced
    name              TEXT NOT NULL,
    description       TEXT NOT NULL,
    code              TEXT NOT NULL,
    validation_status TEXT NOT NULL DEFAULT 'pending',     -- pending | passed | failed
    validation_output TEXT,
    status            TEXT NOT NULL DEFAULT 'draft',       -- draft | activated | rejected
    created_at        TEXT NOT NULL,
    activated_at      TEXT
);
CREATE INDEX IF NOT EXISTS idx_proposed_skills_status ON proposed_skills(status, created_at DESC);
CREATE INDEX IF NOT EXISTS idx_proposed_skills_name ON proposed_skills(name);

-- Permanent. Work given to a coding agent or a browser agent.
CREATE TABLE IF NOT EXISTS delegations (
    id                 TEXT PRIMARY KEY,
    task_description   TEXT NOT NULL,
    status             TEXT NOT NULL DEFAULT 'queued',     -- queued | running | completed | failed | cancelled
    backend            TEXT NOT NULL DEFAULT 'opencode',   -- opencode | claude_code | web_task
    chat_id            TEXT,
    session_id         TEXT,
    started_at         TEXT,
    completed_at       TEXT,
    result_summary     TEXT NOT NULL DEFAULT '',
    files_summary      TEXT NOT NULL DEFAULT '',
    duration_seconds   INTEGER,
    input_tokens       INTEGER,
    output_tokens      INTEGER,
    estimated_cost_usd REAL,
    error              TEXT,
    credential         TEXT,                               -- a service of the vault, never the secret
    created_at         TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_delegations_status ON delegations(status, created_at DESC);

-- Permanent. Logins, encrypted: what ends in _enc is a Fernet token. Raw SQL does not see this table.
CREATE TABLE IF NOT EXISTS vault_credentials (
    id            TEXT PRIMARY KEY,
    service       TEXT NOT NULL,
    domains       TEXT NOT NULL DEFAULT '',   -- separated by commas; not secret
    username_enc  TEXT NOT NULL,
    password_enc  TEXT NOT NULL,
    totp_seed_enc TEXT,
    created_at    TEXT NOT NULL,
    updated_at    TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_vault_credentials_service ON vault_credentials(service);

-- Rules that a new store has. Deleted ones do not come back.
-- @seed alert_rules
INSERT INTO alert_rules (id, name, trigger_type, conditions, created_by, created_at)
SELECT id, name, trigger_type, conditions, 'system', strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')
  FROM (SELECT 'system:task_due_today' AS id, 'Tasks due today' AS name, 'task_due_today' AS trigger_type, '{"fire_hour": 9}' AS conditions
        UNION ALL SELECT 'system:task_overdue', 'Overdue tasks', 'task_overdue', '{"fire_hour": 11}') AS defaults;
