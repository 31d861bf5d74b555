-- What of this store can be found: see docs/grammar.md.

-- @source learning learnings id int
-- What may become a fact.
-- @watch content, status
SELECT l.id AS id, CAST(NULL AS TEXT) AS title, l.content AS text, CAST(NULL AS TEXT) AS extra, l.created_at AS time,
       CAST(NULL AS TEXT) AS project, l.session AS session, l.status AS role, CAST(NULL AS TEXT) AS url
  FROM learnings AS l;
