-- How this store forgets: see docs/grammar.md. What was learned from something goes with it.

-- @forget sessions
-- Sessions of shells.
-- @key int t.id
-- @session t.terminal
-- @source 'shell'
-- @time t.start_time
-- @ends COALESCE(t.end_time, (SELECT MAX(e.timestamp) FROM events AS e WHERE e.session_id = t.id), t.start_time)
-- @redact terminal

-- @forget events
-- Commands of shells, and tool calls of agents.
-- @key int t.id
-- @session (SELECT s.terminal FROM sessions AS s WHERE s.id = t.session_id)
-- @project t.cwd
-- @source t.source_kind
-- @time t.timestamp
-- @follows sessions t.session_id

-- @forget env_snapshots
-- Environments. One that only forgotten events had goes with them.
-- @key int t.id
-- @time t.created_at
-- @also t.id IN (SELECT e.env_snapshot_id FROM events AS e WHERE e.id IN (SELECT CAST(f.key AS BIGINT) FROM stele_forgetting AS f WHERE f.place = 'events'))
--     AND NOT EXISTS (SELECT 1 FROM events AS e WHERE e.env_snapshot_id = t.id AND e.id NOT IN (SELECT CAST(f.key AS BIGINT) FROM stele_forgetting AS f WHERE f.place = 'events'))
-- @detach events.env_snapshot_id

-- @forget browser_events
-- Pages that were read.
-- @key int t.id
-- @source 'browser'
-- @time t.timestamp

-- @forget workflow_runs
-- Runs of workflows.
-- @key int t.id
-- @project t.repo
-- @source 'workflow'
-- @time COALESCE(t.started_at, t.first_seen_at)

-- @forget workflow_jobs
-- Jobs of workflows.
-- @key int t.id
-- @follows workflow_runs t.run_id

-- @forget workflow_annotations
-- What jobs found wrong.
-- @key int t.id
-- @follows workflow_jobs t.job_id

-- @forget workflow_log_excerpts
-- Lines of the logs of jobs.
-- @key int t.id
-- @follows workflow_jobs t.job_id

-- @forget sha_watchlist
-- Commits whose workflows are followed.
-- @key text t.repo || '/' || t.sha
-- @project t.repo
-- @source 'workflow'
-- @time t.created_at

-- @forget lessons
-- What went wrong more than once.
-- @key int t.id
-- @project t.repo
-- @source 'workflow'
-- @time t.last_seen_at

-- @forget lesson_pending
-- What went wrong once.
-- @key text t.repo || '/' || t.tool || '/' || t.rule_id || '/' || t.path_prefix
-- @project t.repo
-- @source 'workflow'
-- @time t.first_seen_at

-- @forget agentic_sessions
-- Segments of the sessions of agents.
-- @key int t.id
-- @session t.session_id
-- @project t.cwd
-- @source t.harness
-- @time t.start_time
-- @ends t.end_time

-- @forget claude_sessions
-- Segments, as an earlier version kept them.
-- @key int t.id
-- @session t.session_id
-- @project t.cwd
-- @source 'claude-code'
-- @time t.start_time
-- @ends t.end_time

-- @forget claude_session_parity
-- How an earlier version compared two ways of reading.
-- @key int t.id
-- @redact

-- @forget agentic_cursor
-- How far a source of sessions has been read.
-- @key text t.source_key
-- @redact source_key

-- @forget claude_session_offsets
-- How far a transcript has been read.
-- @key text t.path
-- @redact path

-- @forget knowledge_nodes
-- What was learned.
-- @key int t.id
-- @time t.created_at
-- @follows events through knowledge_node_events knowledge_node_id event_id
-- @follows browser_events through knowledge_node_browser_events knowledge_node_id browser_event_id
-- @follows agentic_sessions through knowledge_node_agentic_sessions knowledge_node_id agentic_session_id
-- @follows claude_sessions through knowledge_node_claude_sessions knowledge_node_id claude_session_id
-- @follows workflow_runs through knowledge_node_workflow_runs knowledge_node_id run_id
-- @rebuild knowledge_fts

-- @forget entities
-- What knowledge speaks about. What only forgotten events and nodes spoke about goes with them.
-- @key int t.id
-- @also (t.id IN (SELECT l.entity_id FROM event_entities AS l WHERE l.event_id IN (SELECT CAST(f.key AS BIGINT) FROM stele_forgetting AS f WHERE f.place = 'events'))
--      OR t.id IN (SELECT l.entity_id FROM knowledge_node_entities AS l WHERE l.knowledge_node_id IN (SELECT CAST(f.key AS BIGINT) FROM stele_forgetting AS f WHERE f.place = 'knowledge_nodes')))
--     AND NOT EXISTS (SELECT 1 FROM event_entities AS l WHERE l.entity_id = t.id AND l.event_id NOT IN (SELECT CAST(f.key AS BIGINT) FROM stele_forgetting AS f WHERE f.place = 'events'))
--     AND NOT EXISTS (SELECT 1 FROM knowledge_node_entities AS l WHERE l.entity_id = t.id AND l.knowledge_node_id NOT IN (SELECT CAST(f.key AS BIGINT) FROM stele_forgetting AS f WHERE f.place = 'knowledge_nodes'))

-- @forget relationships
-- Which entities belong together.
-- @key int t.id
-- @follows entities t.from_entity_id
-- @follows entities t.to_entity_id

-- @forget event_entities
-- Which entities an event shows.
-- @key int t.id
-- @follows events t.event_id
-- @follows entities t.entity_id

-- @forget knowledge_node_events
-- What nodes have to do with events.
-- @key text CAST(t.knowledge_node_id AS TEXT) || '/' || CAST(t.event_id AS TEXT)
-- @follows knowledge_nodes t.knowledge_node_id
-- @follows events t.event_id

-- @forget knowledge_node_browser_events
-- What nodes have to do with browser events.
-- @key text CAST(t.knowledge_node_id AS TEXT) || '/' || CAST(t.browser_event_id AS TEXT)
-- @follows knowledge_nodes t.knowledge_node_id
-- @follows browser_events t.browser_event_id

-- @forget knowledge_node_agentic_sessions
-- What nodes have to do with agentic sessions.
-- @key text CAST(t.knowledge_node_id AS TEXT) || '/' || CAST(t.agentic_session_id AS TEXT)
-- @follows knowledge_nodes t.knowledge_node_id
-- @follows agentic_sessions t.agentic_session_id

-- @forget knowledge_node_claude_sessions
-- What nodes have to do with claude sessions.
-- @key text CAST(t.knowledge_node_id AS TEXT) || '/' || CAST(t.claude_session_id AS TEXT)
-- @follows knowledge_nodes t.knowledge_node_id
-- @follows claude_sessions t.claude_session_id

-- @forget knowledge_node_workflow_runs
-- What nodes have to do with workflow runs.
-- @key text CAST(t.knowledge_node_id AS TEXT) || '/' || CAST(t.run_id AS TEXT)
-- @follows knowledge_nodes t.knowledge_node_id
-- @follows workflow_runs t.run_id

-- @forget knowledge_node_lessons
-- What nodes have to do with lessons.
-- @key text CAST(t.knowledge_node_id AS TEXT) || '/' || CAST(t.lesson_id AS TEXT)
-- @follows knowledge_nodes t.knowledge_node_id
-- @follows lessons t.lesson_id

-- @forget knowledge_node_entities
-- What nodes have to do with entities.
-- @key text CAST(t.knowledge_node_id AS TEXT) || '/' || CAST(t.entity_id AS TEXT)
-- @follows knowledge_nodes t.knowledge_node_id
-- @follows entities t.entity_id

-- @forget enrichment_queue
-- What waits to be learned from.
-- @key int t.id
-- @follows events t.event_id
-- @redact

-- @forget browser_enrichment_queue
-- What waits to be learned from.
-- @key int t.id
-- @follows browser_events t.browser_event_id
-- @redact

-- @forget workflow_enrichment_queue
-- What waits to be learned from.
-- @key int t.run_id
-- @follows workflow_runs t.run_id
-- @redact

-- @forget agentic_enrichment_queue
-- What waits to be learned from.
-- @key int t.id
-- @follows agentic_sessions t.session_id
-- @redact

-- @forget claude_enrichment_queue
-- What waits to be learned from.
-- @key int t.id
-- @follows claude_sessions t.claude_session_id
-- @redact

-- @forget source_health
-- How the ways in are.
-- @key text t.source
-- @redact source

-- @forget capture_alarms
-- Alarms.
-- @key int t.id

-- @forget embed_model_meta
-- What makes the embeddings.
-- @key int t.id
-- @redact

-- @forget stele_captured
-- How far transcripts were taken in, with the segment that was open at their end. Of one that is forgotten nothing is kept.
-- @key text t.path
-- @redact path
UPDATE stele_captured SET state = NULL
 WHERE path IN (SELECT a.source_file FROM agentic_sessions AS a WHERE a.id IN (SELECT CAST(f.key AS BIGINT) FROM stele_forgetting AS f WHERE f.place = 'agentic_sessions'));

-- @forget stele_claims
-- Who works on what waits.
-- @key text t.queue || '/' || CAST(t.ticket AS TEXT) || '/' || t.token

-- @forget stele_drops
-- What was lost on its way in.
-- @key text t.source || '/' || t.cause || '/' || CAST(t.minute AS TEXT)

-- @forget stele_enrichment
-- Whether learning is paused, and why.
-- @key int t.id
-- @redact

-- @forget stele_model_use
-- What models were asked.
-- @key text t.model || '/' || CAST(t.slot AS TEXT)

-- @forget stele_ticket_calls
-- How often a model was asked about what waits.
-- @key text t.queue || '/' || CAST(t.ticket AS TEXT)

-- @forget stele_quarantine
-- Rows that were put aside.
-- @key int t.id
-- @time t.quarantined_at

-- @forget stele_removed_nodes
-- Nodes that are gone.
-- @key int t.node_id

-- @forget stele_workers
-- What workers expect.
-- @key text t.worker

-- @forget stele_upkeep
-- What is done once a day.
-- @key text t.chore
