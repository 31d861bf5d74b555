-- What of this store can be found: see docs/grammar.md. Facts about a user and messages that are not to be followed are kinds
-- of their own, because only the session they belong to may find them. Facts that faded into the archive, or were
-- replaced, are not found.

-- @source message messages id int
-- What was said to the planner, and what it answered.
-- @watch session, role, content, trusted, timestamp
-- @when new.trusted
SELECT m.id AS id, CAST(NULL AS TEXT) AS title, m.content AS text, CAST(NULL AS TEXT) AS extra, m.timestamp AS time,
       CAST(NULL AS TEXT) AS project, m.session AS session, m.role AS role, CAST(NULL AS TEXT) AS url
  FROM messages AS m WHERE m.trusted;

-- @source untrusted_message messages id int
-- What people said who are not on the list: nothing in it is to be followed.
-- @watch session, role, content, trusted, timestamp
-- @when NOT new.trusted
-- @mark untrusted
SELECT m.id AS id, CAST(NULL AS TEXT) AS title, m.content AS text, CAST(NULL AS TEXT) AS extra, m.timestamp AS time,
       CAST(NULL AS TEXT) AS project, m.session AS session, m.role AS role, CAST(NULL AS TEXT) AS url
  FROM messages AS m WHERE NOT m.trusted;

-- @source plan plans id int
-- Goals of plans.
-- @watch goal, status
SELECT p.id AS id, CAST(NULL AS TEXT) AS title, p.goal AS text, CAST(NULL AS TEXT) AS extra, p.created_at AS time,
       CAST(NULL AS TEXT) AS project, p.session AS session, p.status AS role, CAST(NULL AS TEXT) AS url
  FROM plans AS p;

-- @source task tasks id int
-- Steps of plans: what was to be done, by which command, and what came of it.
-- @watch detail, command, output, stderr, status
SELECT t.id AS id, t.command AS title, t.detail AS text, COALESCE(t.output, '') || ' | ' || COALESCE(t.stderr, '') AS extra, t.created_at AS time,
       CAST(NULL AS TEXT) AS project, t.session AS session, t.status AS role, CAST(NULL AS TEXT) AS url
  FROM tasks AS t;

-- @source fact facts id int
-- What is held to be true, except about users.
-- @watch content, category, session
-- @when new.category IS DISTINCT FROM 'user'
SELECT f.id AS id, CAST(NULL AS TEXT) AS title, f.content AS text, CAST(NULL AS TEXT) AS extra, f.created_at AS time,
       CAST(NULL AS TEXT) AS project, f.session AS session, f.category AS role, CAST(NULL AS TEXT) AS url
  FROM facts AS f WHERE f.category IS DISTINCT FROM 'user'
   AND NOT EXISTS (SELECT 1 FROM stele_validity AS v WHERE v.fact_id = f.id AND v.superseded_by IS NOT NULL)  -- @has validity
;

-- @source user_fact facts id int
-- What is held to be true about a user.
-- @watch content, category, session
-- @when new.category = 'user'
-- @mark private
SELECT f.id AS id, CAST(NULL AS TEXT) AS title, f.content AS text, CAST(NULL AS TEXT) AS extra, f.created_at AS time,
       CAST(NULL AS TEXT) AS project, f.session AS session, f.category AS role, CAST(NULL AS TEXT) AS url
  FROM facts AS f WHERE f.category = 'user'
   AND NOT EXISTS (SELECT 1 FROM stele_validity AS v WHERE v.fact_id = f.id AND v.superseded_by IS NOT NULL)  -- @has validity
;

-- @source learning learnings id int
-- What may become a fact.
-- @watch content, status
SELECT l.id AS id, CAST(NULL AS TEXT) AS title, l.content AS text, CAST(NULL AS TEXT) AS extra, l.created_at AS time,
       CAST(NULL AS TEXT) AS project, l.session AS session, l.status AS role, CAST(NULL AS TEXT) AS url
  FROM learnings AS l;

-- @source pending pending id int
-- Open questions.
-- @watch content, scope, status
SELECT p.id AS id, CAST(NULL AS TEXT) AS title, p.content AS text, CAST(NULL AS TEXT) AS extra, p.created_at AS time,
       CAST(NULL AS TEXT) AS project, NULLIF(p.scope, 'global') AS session, p.status AS role, CAST(NULL AS TEXT) AS url
  FROM pending AS p;
