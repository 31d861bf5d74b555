-- What of this store a legal hold can keep: see docs/retention.md. The project is the app.

-- @held session sessions id
-- Runs of processes.
SELECT s.id AS id, CAST(s.id AS TEXT) AS session, CAST(NULL AS TEXT) AS project, s.started_at AS time FROM sessions AS s;

-- @held listener listeners id
-- Listeners that were registered.
SELECT l.id AS id, CAST(NULL AS TEXT) AS session, l.app_key AS project, l.last_registered_at AS time FROM listeners AS l;

-- @held job scheduled_jobs id
-- Jobs that were registered.
SELECT j.id AS id, CAST(NULL AS TEXT) AS session, j.app_key AS project, j.last_registered_at AS time FROM scheduled_jobs AS j;

-- @held invocation handler_invocations id
-- Calls of handlers.
SELECT i.id AS id, CAST(i.session_id AS TEXT) AS session, (SELECT l.app_key FROM listeners AS l WHERE l.id = i.listener_id) AS project,
       i.execution_start_dtme AS time
  FROM handler_invocations AS i;

-- @held execution job_executions id
-- Runs of jobs.
SELECT e.id AS id, CAST(e.session_id AS TEXT) AS session, (SELECT j.app_key FROM scheduled_jobs AS j WHERE j.id = e.job_id) AS project,
       e.execution_start_dtme AS time
  FROM job_executions AS e;
