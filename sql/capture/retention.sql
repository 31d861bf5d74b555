-- What of this store may go after some time: see docs/retention.md. Nothing is, unless it is asked for; what was learned from it
-- stays. Alarms are never deleted.

-- @retain events events id int
-- Commands of shells and tool calls of agents.
-- @keep 365d off
-- @every 24h
-- @held event
-- @link enrichment_queue event_id
-- @link knowledge_node_events event_id
-- @link event_entities event_id
SELECT e.id AS id, e.timestamp AS time FROM events AS e WHERE e.probe_tag IS NULL;

-- @retain visits browser_events id int
-- Pages that were read.
-- @keep 365d off
-- @every 24h
-- @held visit
-- @link browser_enrichment_queue browser_event_id
-- @link knowledge_node_browser_events browser_event_id
SELECT b.id AS id, b.timestamp AS time FROM browser_events AS b WHERE b.probe_tag IS NULL;

-- @retain segments agentic_sessions id int
-- Segments of agents' sessions.
-- @keep 365d off
-- @every 24h
-- @held segment
-- @link agentic_enrichment_queue session_id
-- @link knowledge_node_agentic_sessions agentic_session_id
SELECT a.id AS id, a.start_time AS time FROM agentic_sessions AS a WHERE a.probe_tag IS NULL;
