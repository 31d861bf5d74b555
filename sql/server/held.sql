-- What of this store a legal hold can keep: see docs/retention.md.

-- @held memory memory_files path
-- Notes of agents: the files below /memories.
-- @needs memory
SELECT f.path AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, f.updated_at AS time FROM memory_files AS f;
