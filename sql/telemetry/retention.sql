-- What of this store may go after some time: see docs/retention.md. Sessions, listeners and jobs stay.

-- @retain invocations handler_invocations id int
-- Calls of handlers.
-- @keep 7d
-- @every 1h
-- @held invocation
-- @partitioned by execution_start_dtme
SELECT i.id AS id, i.execution_start_dtme AS time FROM handler_invocations AS i;

-- @retain executions job_executions id int
-- Runs of jobs.
-- @keep 7d
-- @every 1h
-- @held execution
-- @partitioned by execution_start_dtme
SELECT e.id AS id, e.execution_start_dtme AS time FROM job_executions AS e;
