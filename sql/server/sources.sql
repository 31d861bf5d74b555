-- What of this store can be found: see docs/grammar.md.

-- @source memory memory_files path text
-- Notes of agents: the files below /memories.
-- @needs memory
-- @watch path, content
SELECT f.path AS id, f.path AS title, f.content AS text, CAST(NULL AS TEXT) AS extra, f.updated_at AS time,
       CAST(NULL AS TEXT) AS project, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS role, CAST(NULL AS TEXT) AS url
  FROM memory_files AS f;
