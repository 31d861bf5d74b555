-- What of this store a legal hold can keep: see docs/retention.md. The project is the directory that a session was in, where
-- its transcript told.

-- @held message messages id
-- Messages.
-- @needs transcripts
SELECT m.id AS id, m.session_id AS session,
       (SELECT o.cwd FROM stele_origin AS o WHERE o.session_id = m.session_id ORDER BY o.number LIMIT 1) AS project, m.timestamp AS time
  FROM messages AS m;

-- @held session sessions id
-- Sessions, and those of which some message is held.
-- @needs transcripts
-- @also message session_id
SELECT s.id AS id, s.id AS session,
       (SELECT o.cwd FROM stele_origin AS o WHERE o.session_id = s.id ORDER BY o.number LIMIT 1) AS project, s.started_at AS time
  FROM sessions AS s;
