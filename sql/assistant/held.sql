-- What of this store a legal hold can keep: see docs/retention.md. There are no projects, but namespaces of items; sessions are those of
-- delegated work. The vault and the context, whose marks come and go, are not held.

-- @held interaction interactions id
-- Exchanges with the user.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.created_at AS time FROM interactions AS r;

-- @held note notes id
-- Notes.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.created_at AS time FROM notes AS r;

-- @held task tasks id
-- Tasks.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.created_at AS time FROM tasks AS r;

-- @held reminder reminders id
-- Reminders.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.created_at AS time FROM reminders AS r;

-- @held user_fact user_facts id
-- Facts about the user.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.updated_at AS time FROM user_facts AS r;

-- @held news_topic news_topics id
-- Topics that the user follows.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.created_at AS time FROM news_topics AS r;

-- @held seen_news seen_news url
-- News that were shown.
SELECT r.url AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.seen_at AS time FROM seen_news AS r;

-- @held schedule scheduled_tasks id
-- Prompts that are run at set times.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.created_at AS time FROM scheduled_tasks AS r;

-- @held audit audit_log id
-- What tools were called.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.timestamp AS time FROM audit_log AS r;

-- @held article read_later id
-- What is to be read later.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.added_at AS time FROM read_later AS r;

-- @held alert_rule alert_rules id
-- Rules of alerts.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.created_at AS time FROM alert_rules AS r;

-- @held learning agent_learnings id
-- Corrections of the assistant's behaviour.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.first_seen AS time FROM agent_learnings AS r;

-- @held pending_action pending_actions id
-- What waits for a confirmation, and what became of it.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.created_at AS time FROM pending_actions AS r;

-- @held intention pending_intentions id
-- What the user said they would do.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.mentioned_at AS time FROM pending_intentions AS r;

-- @held journal journal_entries id
-- The journal.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.created_at AS time FROM journal_entries AS r;

-- @held health_sample health_samples id
-- Samples of the user's health.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.start_time AS time FROM health_samples AS r;

-- @held gap capability_gaps id
-- What the assistant could not do.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.created_at AS time FROM capability_gaps AS r;

-- @held skill proposed_skills id
-- Drafts of skills.
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS project, r.created_at AS time FROM proposed_skills AS r;

-- @held delegation delegations id
-- Work that was given to another agent.
SELECT r.id AS id, r.session_id AS session, CAST(NULL AS TEXT) AS project, r.created_at AS time FROM delegations AS r;

-- @held item stele_item id
-- What agents keep under keys.
-- @needs items
SELECT r.id AS id, CAST(NULL AS TEXT) AS session, r.namespace AS project, r.updated_at AS time FROM stele_item AS r;
