-- Sessions of Claude Code, Codex and Cursor move into the table that OpenCode's are in. Where they were they stay as they are, and
-- nothing is written there any more.
DROP TABLE IF EXISTS temp.legacy;
CREATE TEMP TABLE legacy AS
SELECT id, session_id, segment_index,
       CASE WHEN source_file LIKE '%/.codex/%' OR source_file LIKE '%/CodingAssistant/codex/%' THEN 'codex'
            WHEN source_file LIKE '%/.cursor/%' THEN 'cursor'
            ELSE 'claude-code' END AS harness
  FROM claude_sessions;

-- A segment that is there already is newer, and wins.
INSERT INTO agentic_sessions (session_id, harness, segment_index, project_dir, cwd, git_branch, parent_session_id, is_subagent,
                              summary_text, tool_calls_json, user_prompts_json, source_file, message_count, token_count,
                              start_time, end_time, content_hash, last_enriched_content_hash, created_at, enriched, probe_tag)
SELECT c.session_id, legacy.harness, c.segment_index, c.project_dir, c.cwd, c.git_branch, c.parent_session_id, c.is_subagent,
       c.summary_text, c.tool_calls_json, c.user_prompts_json, c.source_file, c.message_count, COALESCE(c.token_count, 0),
       c.start_time, c.end_time, c.content_hash, c.last_enriched_content_hash, c.created_at, c.enriched, c.probe_tag
  FROM claude_sessions AS c JOIN legacy ON legacy.id = c.id
 WHERE true
 ORDER BY c.id
ON CONFLICT (session_id, harness, segment_index) DO NOTHING;

INSERT INTO knowledge_node_agentic_sessions (knowledge_node_id, agentic_session_id)
SELECT link.knowledge_node_id, session.id
  FROM knowledge_node_claude_sessions AS link
  JOIN knowledge_nodes AS node ON node.id = link.knowledge_node_id
  JOIN legacy ON legacy.id = link.claude_session_id
  JOIN agentic_sessions AS session USING (session_id, harness, segment_index)
 WHERE true
ON CONFLICT DO NOTHING;

-- Only what is still to be done; who was doing it is not known here.
INSERT INTO agentic_enrichment_queue (session_id, status, priority, retry_count, max_retries, error_message, enqueued_at, updated_at)
SELECT session.id, CASE ticket.status WHEN 'processing' THEN 'pending' ELSE ticket.status END, ticket.priority,
       ticket.retry_count, ticket.max_retries, ticket.error_message, ticket.created_at, ticket.updated_at
  FROM claude_enrichment_queue AS ticket
  JOIN legacy ON legacy.id = ticket.claude_session_id
  JOIN agentic_sessions AS session USING (session_id, harness, segment_index)
 WHERE ticket.status IN ('pending', 'processing', 'failed') AND session.enriched = 0
ON CONFLICT (session_id) DO NOTHING;

DROP TABLE temp.legacy;

-- Version 1 tried three times.
DROP TABLE IF EXISTS enrichment_queue_new;
CREATE TABLE enrichment_queue_new (
    id            INTEGER PRIMARY KEY,
    event_id      INTEGER NOT NULL UNIQUE REFERENCES events(id),
    status        TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'processing', 'done', 'failed', 'skipped')),
    priority      INTEGER NOT NULL DEFAULT 5,
    retry_count   INTEGER NOT NULL DEFAULT 0,
    max_retries   INTEGER NOT NULL DEFAULT 5,
    error_message TEXT,
    locked_at     INTEGER,
    locked_by     TEXT,
    created_at    INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    updated_at    INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000)
);
INSERT INTO enrichment_queue_new
      (id, event_id, status, priority, retry_count, max_retries, error_message, locked_at, locked_by, created_at,
       updated_at)
SELECT id, event_id, status, priority, retry_count, max_retries, error_message, locked_at, locked_by, created_at,
       updated_at
  FROM enrichment_queue;
DROP TABLE enrichment_queue;
ALTER TABLE enrichment_queue_new RENAME TO enrichment_queue;

-- What Claude Code's way in was called before version 14 becomes one with what it is called now.
INSERT INTO source_health (source, updated_at) VALUES ('agentic-session-claude', unixepoch('now') * 1000)
ON CONFLICT (source) DO NOTHING;
UPDATE source_health AS kept
   SET last_event_ts = COALESCE(MAX(kept.last_event_ts, old.last_event_ts), kept.last_event_ts, old.last_event_ts),
       last_success_ts = COALESCE(MAX(kept.last_success_ts, old.last_success_ts), kept.last_success_ts, old.last_success_ts),
       last_error_ts = COALESCE(MAX(kept.last_error_ts, old.last_error_ts), kept.last_error_ts, old.last_error_ts),
       last_error_msg = CASE WHEN old.last_error_ts > COALESCE(kept.last_error_ts, old.last_error_ts - 1)
                             THEN COALESCE(old.last_error_msg, kept.last_error_msg)
                             ELSE COALESCE(kept.last_error_msg, old.last_error_msg) END,
       last_heartbeat_ts = COALESCE(MAX(kept.last_heartbeat_ts, old.last_heartbeat_ts), kept.last_heartbeat_ts, old.last_heartbeat_ts),
       consecutive_failures = MAX(kept.consecutive_failures, old.consecutive_failures),
       events_last_1h = MAX(kept.events_last_1h, old.events_last_1h),
       events_last_24h = MAX(kept.events_last_24h, old.events_last_24h),
       expected_min_per_hour = COALESCE(kept.expected_min_per_hour, old.expected_min_per_hour),
       probe_ok = CASE WHEN old.newer_probe THEN old.probe_ok ELSE kept.probe_ok END,
       probe_lag_ms = CASE WHEN old.newer_probe THEN old.probe_lag_ms ELSE kept.probe_lag_ms END,
       probe_last_run_ts = CASE WHEN old.newer_probe THEN old.probe_last_run_ts ELSE kept.probe_last_run_ts END
  FROM (SELECT legacy.*, legacy.probe_last_run_ts > COALESCE(now.probe_last_run_ts, legacy.probe_last_run_ts - 1) AS newer_probe
          FROM source_health AS legacy, source_health AS now
         WHERE legacy.source = 'claude-session' AND now.source = 'agentic-session-claude') AS old
 WHERE kept.source = 'agentic-session-claude';
DELETE FROM source_health WHERE source = 'claude-session';

-- For a week version 14 called the column so.
-- @probe agentic_cursor.last_time_created
UPDATE agentic_cursor SET last_seen_updated_at = last_time_created WHERE last_seen_updated_at = 0 AND last_time_created IS NOT NULL;
