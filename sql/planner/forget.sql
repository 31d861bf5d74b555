-- How this store forgets: see docs/grammar.md.

-- @forget sessions
-- Conversations with the planner.
-- @key text t.session
-- @session t.session
-- @source t.connector
-- @time t.created_at
-- @ends COALESCE((SELECT MAX(m.timestamp) FROM messages AS m WHERE m.session = t.session), t.created_at)
-- @redact session

-- @forget messages
-- What was said to the planner, and what it answered.
-- @key int t.id
-- @session t.session
-- @source (SELECT s.connector FROM sessions AS s WHERE s.session = t.session)
-- @time t.timestamp
-- @follows sessions t.session
UPDATE sessions SET summary = ''
 WHERE session IN (SELECT m.session FROM messages AS m
                    WHERE m.id IN (SELECT CAST(f.key AS BIGINT) FROM stele_forgetting AS f WHERE f.place = 'messages'));

-- @forget plans
-- What the planner made of a message: it goes with it.
-- @key int t.id
-- @session t.session
-- @time t.created_at
-- @follows messages t.message_id
-- @follows sessions t.session
-- @detach plans.parent_id

-- @forget tasks
-- Steps of plans.
-- @key int t.id
-- @session t.session
-- @time t.created_at
-- @follows plans t.plan_id
-- @follows sessions t.session

-- @forget facts
-- What is held to be true.
-- @key int t.id
-- @session t.session
-- @source t.source
-- @time t.created_at
-- @rebuild kiso_facts_fts

-- @forget facts_archive
-- Facts that have faded.
-- @key int t.id
-- @session t.session
-- @source t.source
-- @time t.created_at
-- @follows facts t.original_id

-- @forget learnings
-- What may become a fact.
-- @key int t.id
-- @session t.session
-- @time t.created_at

-- @forget pending
-- Open questions.
-- @key int t.id
-- @session t.scope
-- @source t.source
-- @time t.created_at

-- @forget stele_upkeep
-- What is done once a day.
-- @key text t.chore

-- @forget stele_validity
-- Since when facts are true, and what has replaced them.
-- @key int t.fact_id
-- @follows facts t.fact_id
