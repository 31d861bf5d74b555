-- What of this store a legal hold can keep: see docs/retention.md. There are no projects.

-- @held session sessions session
-- Sessions, with their summaries.
SELECT s.session AS id, s.session AS session, CAST(NULL AS TEXT) AS project, s.created_at AS time FROM sessions AS s;

-- @held message messages id
-- Messages, whether they are trusted or not.
SELECT m.id AS id, m.session AS session, CAST(NULL AS TEXT) AS project, m.timestamp AS time FROM messages AS m;

-- @held plan plans id
-- Plans.
SELECT p.id AS id, p.session AS session, CAST(NULL AS TEXT) AS project, p.created_at AS time FROM plans AS p;

-- @held task tasks id
-- Steps of plans.
SELECT t.id AS id, t.session AS session, CAST(NULL AS TEXT) AS project, t.created_at AS time FROM tasks AS t;

-- @held fact facts id
-- Facts.
SELECT f.id AS id, f.session AS session, CAST(NULL AS TEXT) AS project, f.created_at AS time FROM facts AS f;

-- @held archived_fact facts_archive id
-- Facts that faded.
SELECT f.id AS id, f.session AS session, CAST(NULL AS TEXT) AS project, COALESCE(f.created_at, f.archived_at) AS time FROM facts_archive AS f;

-- @held learning learnings id
-- Learnings.
SELECT l.id AS id, l.session AS session, CAST(NULL AS TEXT) AS project, l.created_at AS time FROM learnings AS l;

-- @held pending pending id
-- Open questions.
SELECT p.id AS id, NULLIF(p.scope, 'global') AS session, CAST(NULL AS TEXT) AS project, p.created_at AS time FROM pending AS p;
