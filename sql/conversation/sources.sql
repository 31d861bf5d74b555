-- What of this store can be found: see docs/grammar.md.

-- @source message messages id int
-- Messages.
-- @numbered
SELECT m.id AS id, m.tool_name AS title, m.content AS text, m.tool_calls AS extra, m.timestamp AS time,
       (SELECT o.cwd FROM stele_origin AS o WHERE o.session_id = m.session_id ORDER BY o.number LIMIT 1) AS project,  -- @has transcripts
       CAST(NULL AS TEXT) AS project,                                       -- @lacks transcripts
       m.session_id AS session, m.role AS role, CAST(NULL AS TEXT) AS url
  FROM messages AS m WHERE TRUE
   AND m.active = 1                                                         -- @has rewind
;
