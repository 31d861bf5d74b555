-- @store planner
-- What a planning agent works with: sessions, an inbox of messages, plans and their tasks, facts that fade,
-- learnings, and what is still open.
-- @version 1
-- @mark shape
-- @time sql
-- @durability full
-- @refuse facts.project_id  This file has kiso's later form, with projects and entities: keep using kiso for it, or point Stele at a new file

-- Permanent. One row per conversation with its rolling summary. No table refers to it by a foreign key: a
-- message may come before its session.
CREATE TABLE sessions (
    session     TEXT PRIMARY KEY,
    connector   TEXT,                -- token name of the connector that created it (null for CLI)
    webhook     TEXT,                -- connector callback URL (null for CLI)
    description TEXT,                -- human-readable label (e.g. "Discord #dev channel")
    summary     TEXT DEFAULT '',     -- overwritten each time
    created_at  DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at  DATETIME DEFAULT CURRENT_TIMESTAMP
);

-- Permanent. The inbox and what was answered, also of people who are not on the whitelist.
CREATE TABLE messages (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    session   TEXT NOT NULL,
    user      TEXT,                -- who said it, under the name of the system
    role      TEXT NOT NULL,       -- user | assistant | system
    content   TEXT NOT NULL,
    trusted   BOOLEAN DEFAULT 1,   -- 0 for non-whitelisted users: never triggers planning
    processed BOOLEAN DEFAULT 0,   -- 1 after worker picks it up; 0 is taken up again after a crash
    timestamp DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX idx_messages_session ON messages(session, id);
CREATE INDEX idx_messages_unprocessed ON messages(processed) WHERE processed = 0;

-- Permanent. What the planner made of one message: a goal, and the tasks that refer to it.
CREATE TABLE plans (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    session             TEXT NOT NULL,
    message_id          INTEGER NOT NULL,    -- which message triggered this plan
    parent_id           INTEGER,             -- previous plan if this is a replan (null for first plan)
    goal                TEXT NOT NULL,       -- from planner output
    status              TEXT NOT NULL DEFAULT 'running',  -- running | replanning | done | failed | cancelled
    total_input_tokens  INTEGER NOT NULL DEFAULT 0,       -- cumulative LLM input tokens for this plan
    total_output_tokens INTEGER NOT NULL DEFAULT 0,       -- cumulative LLM output tokens for this plan
    model               TEXT,                             -- model used for the planner call
    llm_calls           TEXT,                             -- JSON array of per-call LLM stats
    created_at          DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX idx_plans_session ON plans(session, id);

-- Permanent. The steps of plans. Tasks of type search and replan are known as well.
CREATE TABLE tasks (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    plan_id         INTEGER NOT NULL,   -- which plan this task belongs to
    session         TEXT NOT NULL,
    type            TEXT NOT NULL,      -- exec | msg | skill
    detail          TEXT NOT NULL,      -- what to do (natural-language for exec, message for msg)
    skill           TEXT,               -- skill name (if type=skill)
    args            TEXT,               -- JSON string of skill args (parsed before execution)
    expect          TEXT,               -- success criteria (required for exec and skill tasks)
    command         TEXT,               -- translated shell command (exec only, set after LLM translation)
    status          TEXT NOT NULL DEFAULT 'pending',  -- pending | running | done | failed | cancelled
    substatus       TEXT,               -- free-text detail on current status (e.g. "reviewing")
    output          TEXT,               -- stdout / generated text
    stderr          TEXT,               -- stderr (exec/skill only)
    retry_count     INTEGER NOT NULL DEFAULT 0,
    review_verdict  TEXT,               -- "pass" | "fail" | "replan" (set after reviewer runs)
    review_reason   TEXT,               -- reviewer rationale
    review_learning TEXT,               -- learning extracted by reviewer (promoted to facts by curator)
    input_tokens    INTEGER NOT NULL DEFAULT 0,
    output_tokens   INTEGER NOT NULL DEFAULT 0,
    llm_calls       TEXT,               -- JSON array of per-call LLM stats (atomic append)
    created_at      DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at      DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX idx_tasks_plan ON tasks(plan_id, id);
CREATE INDEX idx_tasks_session ON tasks(session, id);
CREATE INDEX idx_tasks_status ON tasks(session, status);

-- Permanent until they fade into facts_archive. What is held to be true.
CREATE TABLE facts (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    content    TEXT NOT NULL,
    source     TEXT NOT NULL,       -- "curator" | "summarizer" | "manual" | "consolidation"
    session    TEXT,                -- where it comes from; of a user fact also: where alone it is visible
    category   TEXT DEFAULT 'general',  -- "project" | "user" | "tool" | "general"
    confidence REAL DEFAULT 1.0,    -- 0.0-1.0; decays with disuse, raises with use
    last_used  TEXT,                -- time of last inclusion in planner context; also read in ISO 8601
    use_count  INTEGER DEFAULT 0,   -- how many times included in a plan context
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP
);

-- Permanent. Facts that have faded, kept for audit and recovery.
CREATE TABLE facts_archive (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    original_id INTEGER,            -- id from facts table at time of archiving
    content     TEXT NOT NULL,
    source      TEXT NOT NULL,
    session     TEXT,
    category    TEXT DEFAULT 'general',
    confidence  REAL DEFAULT 0.0,
    last_used   TEXT,
    use_count   INTEGER DEFAULT 0,
    archived_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    created_at  TEXT
);

-- Permanent. What may become a fact, once a curator has judged it.
CREATE TABLE learnings (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    content    TEXT NOT NULL,
    session    TEXT NOT NULL,       -- where it was learned
    user       TEXT,                -- who was interacting
    status     TEXT NOT NULL DEFAULT 'pending',  -- pending | promoted | discarded
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX idx_learnings_status ON learnings(status) WHERE status = 'pending';

-- Permanent. Open questions and unresolved issues.
CREATE TABLE pending (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    content    TEXT NOT NULL,
    scope      TEXT NOT NULL,       -- "global" or a session ID
    source     TEXT NOT NULL,       -- "curator" | "planner" | "reviewer"
    status     TEXT NOT NULL DEFAULT 'open',  -- open | resolved
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX idx_pending_scope ON pending(scope, status);

-- Derived from facts and kept up to date by triggers, so that the program the format comes from can search
-- the same file. The last trigger leaves counting a use alone: it changes no content.
CREATE VIRTUAL TABLE kiso_facts_fts USING fts5(content, content='facts', content_rowid='id');

CREATE TRIGGER facts_fts_insert AFTER INSERT ON facts BEGIN
    INSERT INTO kiso_facts_fts(rowid, content) VALUES (new.id, new.content);
END;

CREATE TRIGGER facts_fts_delete AFTER DELETE ON facts BEGIN
    INSERT INTO kiso_facts_fts(kiso_facts_fts, rowid, content) VALUES ('delete', old.id, old.content);
END;

CREATE TRIGGER facts_fts_update AFTER UPDATE OF content ON facts BEGIN
    INSERT INTO kiso_facts_fts(kiso_facts_fts, rowid, content) VALUES ('delete', old.id, old.content);
    INSERT INTO kiso_facts_fts(rowid, content) VALUES (new.id, new.content);
END;
