-- What of this store a legal hold can keep: see docs/retention.md. It is what was captured, and no probe; what was learned from
-- it is made anew again and again.

-- @held session sessions id
-- Sessions of shells.
SELECT s.id AS id, s.terminal AS session, CAST(NULL AS TEXT) AS project, s.start_time AS time FROM sessions AS s;

-- @held event events id
-- Commands of shells and tool calls of agents.
SELECT e.id AS id, (SELECT s.terminal FROM sessions AS s WHERE s.id = e.session_id) AS session, e.cwd AS project, e.timestamp AS time
  FROM events AS e WHERE e.probe_tag IS NULL;

-- @held visit browser_events id
-- Pages that were read.
SELECT b.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, b.timestamp AS time
  FROM browser_events AS b WHERE b.probe_tag IS NULL;

-- @held segment agentic_sessions id
-- Segments of agents' sessions.
SELECT a.id AS id, a.session_id AS session, a.cwd AS project, a.start_time AS time FROM agentic_sessions AS a WHERE a.probe_tag IS NULL;

-- @held run workflow_runs id
-- Runs of workflows.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, r.repo AS project, COALESCE(r.started_at, r.first_seen_at) AS time FROM workflow_runs AS r;
