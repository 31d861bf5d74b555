-- What of this store can be found: see docs/grammar.md. Never the journal, which is private and found by date only, nor samples of
-- health, the vault, what is kept under a key (context), or the log of tool calls.

-- @source note notes id text
-- Notes, and summaries of past conversations.
-- @watch title, content
SELECT n.id AS id, n.title AS title, n.content AS text, CAST(NULL AS TEXT) AS extra, n.created_at AS time,
       CAST(NULL AS TEXT) AS project, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS role, CAST(NULL AS TEXT) AS url
  FROM notes AS n;

-- @source fact user_facts id text
-- What is held to be true of the user.
-- @watch key, value, category, updated_at
SELECT f.id AS id, f.key AS title, f.value AS text, CAST(NULL AS TEXT) AS extra, f.updated_at AS time,
       CAST(NULL AS TEXT) AS project, CAST(NULL AS TEXT) AS session, f.category AS role, CAST(NULL AS TEXT) AS url
  FROM user_facts AS f;

-- @source task tasks id text
-- Tasks.
-- @watch title, status
SELECT t.id AS id, CAST(NULL AS TEXT) AS title, t.title AS text, CAST(NULL AS TEXT) AS extra, t.created_at AS time,
       CAST(NULL AS TEXT) AS project, CAST(NULL AS TEXT) AS session, t.status AS role, CAST(NULL AS TEXT) AS url
  FROM tasks AS t;

-- @source reminder reminders id text
-- Reminders, at the time they are for.
-- @watch message, remind_at, status
SELECT r.id AS id, CAST(NULL AS TEXT) AS title, r.message AS text, CAST(NULL AS TEXT) AS extra, r.remind_at AS time,
       CAST(NULL AS TEXT) AS project, CAST(NULL AS TEXT) AS session, r.status AS role, CAST(NULL AS TEXT) AS url
  FROM reminders AS r;

-- @source interaction interactions id text
-- What the user said, and what was answered.
-- @watch user_message, agent_response, channel
SELECT i.id AS id, CAST(NULL AS TEXT) AS title, i.user_message || ' | ' || i.agent_response AS text, CAST(NULL AS TEXT) AS extra, i.created_at AS time,
       CAST(NULL AS TEXT) AS project, CAST(NULL AS TEXT) AS session, i.channel AS role, CAST(NULL AS TEXT) AS url
  FROM interactions AS i;

-- @source article read_later id text
-- Articles to read.
-- @watch url, title, summary, note, tags
SELECT a.id AS id, a.title AS title, COALESCE(a.summary, '') || ' | ' || COALESCE(a.note, '') AS text, a.tags AS extra, a.added_at AS time,
       CAST(NULL AS TEXT) AS project, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS role, a.url AS url
  FROM read_later AS a;

-- @source delegation delegations id text
-- Work that was given to another agent, and what came of it.
-- @watch task_description, result_summary, files_summary, error, status
SELECT d.id AS id, CAST(NULL AS TEXT) AS title, d.task_description AS text,
       d.result_summary || ' | ' || d.files_summary || ' | ' || COALESCE(d.error, '') AS extra, d.created_at AS time,
       CAST(NULL AS TEXT) AS project, d.session_id AS session, d.status AS role, CAST(NULL AS TEXT) AS url
  FROM delegations AS d;

-- @source intention pending_intentions id text
-- What the user said they would do.
-- @watch text, status
SELECT i.id AS id, CAST(NULL AS TEXT) AS title, i.text AS text, CAST(NULL AS TEXT) AS extra, i.mentioned_at AS time,
       CAST(NULL AS TEXT) AS project, CAST(NULL AS TEXT) AS session, i.status AS role, CAST(NULL AS TEXT) AS url
  FROM pending_intentions AS i;

-- @source schedule scheduled_tasks id text
-- Prompts that are run at set times.
-- @watch name, prompt
SELECT s.id AS id, s.name AS title, s.prompt AS text, CAST(NULL AS TEXT) AS extra, s.created_at AS time,
       CAST(NULL AS TEXT) AS project, CAST(NULL AS TEXT) AS session, s.created_by AS role, CAST(NULL AS TEXT) AS url
  FROM scheduled_tasks AS s;

-- @source learning agent_learnings id text
-- Corrections of the assistant's behaviour.
-- @watch rule, category, status
SELECT l.id AS id, l.category AS title, l.rule AS text, CAST(NULL AS TEXT) AS extra, l.first_seen AS time,
       CAST(NULL AS TEXT) AS project, CAST(NULL AS TEXT) AS session, l.status AS role, CAST(NULL AS TEXT) AS url
  FROM agent_learnings AS l;

-- @source skill proposed_skills id text
-- Drafts of skills: what they are for, not their code.
-- @watch name, description, status
SELECT s.id AS id, s.name AS title, s.description AS text, CAST(NULL AS TEXT) AS extra, s.created_at AS time,
       CAST(NULL AS TEXT) AS project, CAST(NULL AS TEXT) AS session, s.status AS role, CAST(NULL AS TEXT) AS url
  FROM proposed_skills AS s;

-- @source item stele_item id int
-- What agents keep under keys, for all of their conversations; the namespace is where it is from.
-- @needs items
-- @watch namespace, key, value, text
SELECT i.id AS id, CASE WHEN i.text = '' THEN NULL ELSE i.key END AS title, COALESCE(i.text, '') AS text,
       CASE WHEN i.text IS NULL THEN CAST(i.value AS TEXT) END AS extra, i.updated_at AS time,
       i.namespace AS project, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS role, CAST(NULL AS TEXT) AS url
  FROM stele_item AS i;
