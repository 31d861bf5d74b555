-- @store telemetry
-- What processes did: sessions with heartbeats, listeners, scheduled jobs, and each of their runs.
-- @version 1
-- @mark shape
-- @time seconds
-- @durability normal
-- @pragma auto_vacuum = INCREMENTAL
-- @pragma foreign_keys = ON
-- @pragma busy_timeout = 5000
-- @renamed handler_invocations.execution_start_dtme also execution_start_ts
-- @renamed job_executions.execution_start_dtme also execution_start_ts
-- @refuse executions.kind  This file has Hassette's later form, one table executions for handlers and jobs: keep using Hassette for it, or point Stele at a new file

-- Permanent, never deleted. One row per run of a process, from its start to its stop: framework
-- lifecycle tracking. A row that was left 'running' by a process that died becomes 'unknown'.
CREATE TABLE sessions (
    id                    INTEGER PRIMARY KEY AUTOINCREMENT,
    started_at            REAL    NOT NULL,  -- Instant (UTC epoch seconds)
    stopped_at            REAL,              -- Instant, NULL while running
    last_heartbeat_at     REAL    NOT NULL,  -- Instant, updated every N minutes
    status                TEXT    NOT NULL,  -- "running", "success", "error", "unknown"
    error_type            TEXT,              -- exception class name (NULL unless status="error")
    error_message         TEXT,              -- str(exc)
    error_traceback       TEXT               -- traceback.format_exc()
);

-- Permanent, never deleted. Bus event listener registrations (parent table). The natural key gives
-- a listener the same id after every restart.
CREATE TABLE listeners (
    id                    INTEGER PRIMARY KEY AUTOINCREMENT,
    app_key               TEXT    NOT NULL,  -- "kitchen.KitchenLights"
    instance_index        INTEGER NOT NULL,  -- 0
    handler_method        TEXT    NOT NULL,  -- "on_light_change"
    topic                 TEXT    NOT NULL,  -- "state_changed.light.kitchen"

    -- Configuration metadata
    debounce              REAL,              -- seconds, NULL if not set
    throttle              REAL,              -- seconds, NULL if not set
    once                  INTEGER NOT NULL DEFAULT 0,  -- boolean
    priority              INTEGER NOT NULL DEFAULT 0,
    predicate_description TEXT,              -- human-readable predicate repr

    -- Source capture
    source_location       TEXT    NOT NULL,  -- "apps/kitchen.py:42"
    registration_source   TEXT,              -- AST-extracted source snippet, NULL if capture failed

    -- Lifecycle
    first_registered_at   REAL    NOT NULL,  -- Instant
    last_registered_at    REAL    NOT NULL,  -- Instant

    UNIQUE (app_key, instance_index, handler_method, topic)
);

-- Permanent, never deleted. Scheduled job registrations (parent table), named uniquely within an
-- app instance.
CREATE TABLE scheduled_jobs (
    id                    INTEGER PRIMARY KEY AUTOINCREMENT,
    app_key               TEXT    NOT NULL,  -- "kitchen.KitchenLights"
    instance_index        INTEGER NOT NULL,  -- 0
    job_name              TEXT    NOT NULL,  -- "open_blinds_morning"

    -- Handler
    handler_method        TEXT    NOT NULL,  -- "open_blinds"

    -- Trigger configuration
    trigger_type          TEXT,              -- "cron", "interval", or NULL (one-shot)
    trigger_value         TEXT,              -- cron: "0 7 * * * 0", interval: "300.0"
    repeat                INTEGER NOT NULL DEFAULT 0,  -- boolean

    -- Registration-time arguments
    args_json             TEXT    NOT NULL DEFAULT '[]',   -- safe_json_serialize(args)
    kwargs_json           TEXT    NOT NULL DEFAULT '{}',   -- safe_json_serialize(kwargs)

    -- Source capture
    source_location       TEXT    NOT NULL,  -- "apps/kitchen.py:58"
    registration_source   TEXT,              -- AST-extracted source snippet, NULL if capture failed

    -- Lifecycle
    first_registered_at   REAL    NOT NULL,  -- Instant
    last_registered_at    REAL    NOT NULL,  -- Instant

    UNIQUE (app_key, instance_index, job_name)
);

-- Permanent until retention deletes it. One row per call of a bus event handler; identity and
-- configuration are in listeners. Stele also writes the statuses "timed_out" and "skipped".
CREATE TABLE handler_invocations (
    id                    INTEGER PRIMARY KEY AUTOINCREMENT,
    listener_id           INTEGER NOT NULL REFERENCES listeners(id),
    session_id            INTEGER NOT NULL REFERENCES sessions(id),
    execution_start_dtme  REAL    NOT NULL,  -- Instant (UTC epoch seconds)
    duration_ms           REAL    NOT NULL,  -- monotonic-clock duration
    status                TEXT    NOT NULL,  -- "success", "error", "cancelled"
    error_type            TEXT,              -- exception class name (NULL on success)
    error_message         TEXT,              -- str(exc) (NULL on success)
    error_traceback       TEXT               -- traceback.format_exc() (NULL on success)
);

-- Permanent until retention deletes it. One row per run of a scheduled job; identity and
-- configuration are in scheduled_jobs. Stele also writes the statuses "timed_out" and "skipped".
CREATE TABLE job_executions (
    id                    INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id                INTEGER NOT NULL REFERENCES scheduled_jobs(id),
    session_id            INTEGER NOT NULL REFERENCES sessions(id),
    execution_start_dtme  REAL    NOT NULL,  -- Instant (UTC epoch seconds)
    duration_ms           REAL    NOT NULL,  -- monotonic-clock duration
    status                TEXT    NOT NULL,  -- "success", "error", "cancelled"
    error_type            TEXT,              -- exception class name (NULL on success)
    error_message         TEXT,              -- str(exc) (NULL on success)
    error_traceback       TEXT               -- traceback.format_exc() (NULL on success)
);

-- handler_invocations
CREATE INDEX idx_hi_listener_time  ON handler_invocations(listener_id, execution_start_dtme DESC);
CREATE INDEX idx_hi_status_time    ON handler_invocations(status, execution_start_dtme DESC);
CREATE INDEX idx_hi_time           ON handler_invocations(execution_start_dtme);
CREATE INDEX idx_hi_session        ON handler_invocations(session_id);

-- job_executions
CREATE INDEX idx_je_job_time       ON job_executions(job_id, execution_start_dtme DESC);
CREATE INDEX idx_je_status_time    ON job_executions(status, execution_start_dtme DESC);
CREATE INDEX idx_je_time           ON job_executions(execution_start_dtme);
CREATE INDEX idx_je_session        ON job_executions(session_id);
