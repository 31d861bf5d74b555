-- What of this store can be found: what went wrong. See docs/grammar.md. Nothing is noted of what went well: that is almost all,
-- and writing it must stay cheap. Pages are read in the order of keys, which an index on the status alone (hence `|| ''`) would have to
-- sort anew for each of them.

-- @source crash sessions id int
-- Processes that ended with an error.
-- @watch status, error_type, error_message, error_traceback
-- @when new.status = 'error'
SELECT s.id AS id, s.error_type AS title, s.error_message AS text, s.error_traceback AS extra, COALESCE(s.stopped_at, s.started_at) AS time,
       CAST(NULL AS TEXT) AS project, CAST(s.id AS TEXT) AS session, CAST(NULL AS TEXT) AS role, CAST(NULL AS TEXT) AS url
  FROM sessions AS s WHERE s.status = 'error';

-- @source handler_error handler_invocations id int
-- Calls of handlers that failed.
-- @watch status, error_type, error_message, error_traceback
-- @when new.status = 'error'
SELECT i.id AS id, i.error_type AS title, i.error_message AS text, i.error_traceback AS extra, i.execution_start_dtme AS time,
       l.app_key AS project, CAST(i.session_id AS TEXT) AS session, l.handler_method AS role, CAST(NULL AS TEXT) AS url
  FROM handler_invocations AS i LEFT JOIN listeners AS l ON l.id = i.listener_id WHERE i.status || '' = 'error';

-- @source job_error job_executions id int
-- Runs of scheduled jobs that failed.
-- @watch status, error_type, error_message, error_traceback
-- @when new.status = 'error'
SELECT e.id AS id, e.error_type AS title, e.error_message AS text, e.error_traceback AS extra, e.execution_start_dtme AS time,
       j.app_key AS project, CAST(e.session_id AS TEXT) AS session, j.job_name AS role, CAST(NULL AS TEXT) AS url
  FROM job_executions AS e LEFT JOIN scheduled_jobs AS j ON j.id = e.job_id WHERE e.status || '' = 'error';
