-- How this store forgets: see docs/grammar.md.

-- @forget sessions
-- Runs of processes.
-- @key int t.id
-- @session t.id
-- @time t.started_at
-- @ends COALESCE(t.stopped_at, t.last_heartbeat_at)
-- @redact status

-- @forget listeners
-- Listeners.
-- @key int t.id
-- @project t.app_key

-- @forget scheduled_jobs
-- Scheduled jobs.
-- @key int t.id
-- @project t.app_key

-- @forget handler_invocations
-- Calls of handlers.
-- @key int t.id
-- @session t.session_id
-- @project (SELECT l.app_key FROM listeners AS l WHERE l.id = t.listener_id)
-- @time t.execution_start_dtme
-- @follows sessions t.session_id
-- @follows listeners t.listener_id

-- @forget job_executions
-- Runs of scheduled jobs.
-- @key int t.id
-- @session t.session_id
-- @project (SELECT j.app_key FROM scheduled_jobs AS j WHERE j.id = t.job_id)
-- @time t.execution_start_dtme
-- @follows sessions t.session_id
-- @follows scheduled_jobs t.job_id

-- @forget stele_upkeep
-- What is done once a day.
-- @key text t.chore
