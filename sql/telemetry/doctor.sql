-- Lines of the checkup about processes and their jobs.

-- @method telemetry.doctor  many  read  private
-- Sessions that run by their row but give no sign of life, and jobs of the server whose last run failed.
-- @param  silent_after  duration = 900  a session without a heartbeat for longer is told
-- @param  now           time = now      the time to count from
-- @result store    text?              telemetry
-- @result check    text               heartbeat or jobs
-- @result state    text(ok|warn|fail) warn: something should be looked at
-- @result summary  text               how many there are
-- @result cause    text?              why that is so
-- @result fix      text?              what to do about it
-- @result doc      text               the page and section that explains the check
SELECT 'telemetry' AS store, 'heartbeat' AS "check",
       CASE WHEN silent = 0 THEN 'ok' ELSE 'warn' END AS state,
       CASE WHEN silent = 0 THEN 'every running session gives signs of life'
            ELSE CAST(silent AS TEXT) || ' running, without a sign of life for a quarter of an hour' END AS summary,
       CASE WHEN silent > 0 THEN 'their processes were killed, hang, or lost the store' END AS cause,
       CASE WHEN silent > 0 THEN 'stele call telemetry.mark_orphaned_sessions ''{"stale_after":900}''' END AS fix,
       'docs/doctor.md#heartbeat' AS doc
  FROM (SELECT COUNT(*) AS silent FROM sessions
         WHERE status = 'running' AND last_heartbeat_at < :now - :silent_after) AS counted
UNION ALL
SELECT 'telemetry', 'jobs',
       CASE WHEN failing = 0 THEN 'ok' ELSE 'warn' END,
       CASE WHEN failing = 0 THEN 'the last run of every job of the server went well'
            ELSE CAST(failing AS TEXT) || ' of the server''s jobs failed at their last run, the first: ' || first_name END,
       CASE WHEN failing > 0 THEN first_error END,
       CASE WHEN failing > 0 THEN 'the server tries again by itself; its log and GET /status tell more' END,
       'docs/doctor.md#jobs'
  FROM (SELECT COUNT(*) AS failing, MIN(j.job_name) AS first_name, MIN(e.error_message) AS first_error
          FROM scheduled_jobs AS j
          JOIN job_executions AS e ON e.id = (SELECT MAX(l.id) FROM job_executions AS l WHERE l.job_id = j.id)
         WHERE j.app_key = 'stele.serve' AND e.status <> 'success') AS failed;
