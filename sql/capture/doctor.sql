-- Lines of the checkup about capturing, and what they are made from.

-- @method capture.doctor_sources  many  read  private
-- Whether the ways in bring what they should, the watchdog watches, and nothing is left in files on its way.
-- @param  now      time = now         the time to count from
-- @result store    text?              capture
-- @result check    text               sources, freshness, watchdog or fallback
-- @result state    text(ok|warn|fail) fail: what happens is not captured
-- @result summary  text               what was found
-- @result cause    text?              why that is so
-- @result fix      text?              what to do about it
-- @result doc      text               the page and section that explains the check
-- @native st_capture_doctor_sources

-- @method capture.doctor_queues  many  read  private
-- How much waits to be learned from, what was given up, and which promises are broken.
-- @param  now      time = now         the time to count from
-- @results capture.doctor_sources
-- @native st_capture_doctor_queues

-- @method capture.doctor_rows  many  read  private
-- Whether the rows that must be there are, what was put aside, and whether embeddings go together.
-- @results capture.doctor_sources
-- @native st_capture_doctor_rows

-- ---- What is read ----

-- @method capture.judge_sources  many  read  private
-- Every way in. Silence alone is nothing: that something should come is shown by failures, or by probes that run.
-- @param  now       time    at this time
-- @result source    text    its name
-- @result silent    int?    for so many milliseconds; null: it never brought anything
-- @result failures  int     in a row
-- @result error     text?   the last one
-- @result state     text    ok, warn or fail
WITH limits (source, warn, fail) AS (
  VALUES ('shell', 420, 900), ('browser', 420, 900), ('claude-tool', 300, 600), ('agentic-session-claude', 300, 1800),
         ('agentic-session-opencode', 300, 3600), ('agentic-session-codex', 300, 3600), ('agentic-session-cursor', 300, 3600))
SELECT h.source, :now - h.last_event_ts AS silent, h.consecutive_failures AS failures, h.last_error_msg AS error,
       CASE WHEN h.consecutive_failures > CASE WHEN h.source = 'brain-preflight' THEN 12 ELSE 3 END THEN 'fail'
            WHEN (h.consecutive_failures > 0 OR h.probe_last_run_ts > :now - 900000)
                 AND :now - h.last_event_ts >= l.fail * 1000 THEN 'fail'
            WHEN h.consecutive_failures > 0 THEN 'warn'
            WHEN h.probe_last_run_ts > :now - 900000 AND :now - h.last_event_ts >= l.warn * 1000 THEN 'warn'
            ELSE 'ok' END AS state
  FROM source_health AS h LEFT JOIN limits AS l ON l.source = h.source
 WHERE h.source <> 'watchdog'
 ORDER BY h.source;

-- @method capture.judge_freshness  many  read  private
-- How old the newest row of each kind is. One that is too old is a failure only if somebody is there to bring newer ones: a
-- heartbeat, a probe or an error of the last day.
-- @param  now     time   at this time
-- @result kind    text   what is captured
-- @result age     int    of its newest row, in milliseconds
-- @result state   text   ok, warn or fail
WITH limits (kind, source, soft, hard) AS (
  VALUES ('commands', 'shell', 24, 168), ('pages', 'browser', 48, 336), ('runs of workflows', 'workflow', 72, 720),
         ('sessions of claude-code', 'agentic-session-claude', 12, 168), ('subagents of claude-code', 'agentic-session-claude', 168, 720),
         ('sessions of opencode', 'agentic-session-opencode', 72, 720), ('sessions of codex', 'agentic-session-codex', 72, 720),
         ('sessions of cursor', 'agentic-session-cursor', 72, 720)),
rows_of (kind, newest) AS (
  SELECT 'commands', (SELECT timestamp FROM events WHERE probe_tag IS NULL AND source_kind = 'shell' ORDER BY timestamp DESC LIMIT 1)
  UNION ALL
  SELECT 'pages', (SELECT timestamp FROM browser_events WHERE probe_tag IS NULL ORDER BY timestamp DESC LIMIT 1)
  UNION ALL
  SELECT 'runs of workflows', (SELECT MAX(last_seen_at) FROM workflow_runs)
  UNION ALL
  SELECT CASE WHEN is_subagent AND harness = 'claude-code' THEN 'subagents of ' ELSE 'sessions of ' END || harness, MAX(start_time)
    FROM agentic_sessions WHERE probe_tag IS NULL
   GROUP BY CASE WHEN is_subagent AND harness = 'claude-code' THEN 'subagents of ' ELSE 'sessions of ' END || harness)
SELECT l.kind, :now - r.newest AS age,
       CASE WHEN :now - r.newest <= CAST(l.soft AS BIGINT) * 3600000 THEN 'ok'
            WHEN :now - r.newest > CAST(l.hard AS BIGINT) * 3600000
                 AND (h.last_heartbeat_ts > :now - 86400000 OR h.probe_last_run_ts > :now - 86400000
                      OR (h.consecutive_failures > 0 AND h.last_error_ts > :now - 86400000)) THEN 'fail'
            ELSE 'warn' END AS state
  FROM limits AS l JOIN rows_of AS r ON r.kind = l.kind
  LEFT JOIN source_health AS h ON h.source = l.source
 WHERE r.newest IS NOT NULL
 ORDER BY l.kind;

-- @method capture.survey_queues  many  read  private
-- What is in each queue, read once from beginning to end.
-- @param  locked_until  time   locks that are not newer than this are too old
-- @result queue         text   its name
-- @result waiting       int    tickets that wait,
-- @result waits_since   time?  and since when the oldest does
-- @result stale         int    tickets with a lock that is too old,
-- @result locked_since  time?  and since when the oldest is locked
-- @result failed        int    tickets that were given up
-- @result worked        int    tickets that somebody has had
SELECT queue, COUNT(CASE WHEN status = 'pending' THEN 1 END) AS waiting, MIN(CASE WHEN status = 'pending' THEN came END) AS waits_since,
       COUNT(CASE WHEN status = 'processing' AND COALESCE(locked_at, 0) <= :locked_until THEN 1 END) AS stale,
       MIN(CASE WHEN status = 'processing' AND COALESCE(locked_at, 0) <= :locked_until THEN COALESCE(locked_at, 0) END) AS locked_since,
       COUNT(CASE WHEN status = 'failed' THEN 1 END) AS failed,
       COUNT(CASE WHEN status <> 'pending' OR retry_count > 0 THEN 1 END) AS worked
  FROM (SELECT 'agentic' AS queue, status, locked_at, retry_count, enqueued_at AS came FROM agentic_enrichment_queue
        UNION ALL SELECT 'browser', status, locked_at, retry_count, created_at FROM browser_enrichment_queue
        UNION ALL SELECT 'shell', status, locked_at, retry_count, created_at FROM enrichment_queue
        UNION ALL SELECT 'workflow', status, locked_at, retry_count, enqueued_at FROM workflow_enrichment_queue) AS tickets
 GROUP BY queue ORDER BY queue;

-- @method capture.survey_alarms  one  read  private
-- Alarms that nobody has seen to.
-- @result active    int    of what is still wrong,
-- @result since     time?  since when the first is,
-- @result first     text?  and which promise that is
-- @result resolved  int    of what is well again by itself
SELECT COUNT(CASE WHEN resolved_at IS NULL THEN 1 END) AS active, MIN(CASE WHEN resolved_at IS NULL THEN raised_at END) AS since,
       (SELECT invariant_id FROM capture_alarms WHERE acked_at IS NULL AND resolved_at IS NULL ORDER BY raised_at, id LIMIT 1) AS first,
       COUNT(CASE WHEN resolved_at IS NOT NULL THEN 1 END) AS resolved
  FROM capture_alarms WHERE acked_at IS NULL;

-- @method capture.list_missing_sources  many  read  private
-- Ways in that a store has from its beginning, and this one has not.
-- @result source  text   which
SELECT s.source
  FROM (SELECT 'shell' AS source UNION ALL SELECT 'claude-tool' UNION ALL SELECT 'browser' UNION ALL SELECT 'agentic-session-claude'
        UNION ALL SELECT 'agentic-session-opencode' UNION ALL SELECT 'agentic-session-codex' UNION ALL SELECT 'agentic-session-cursor'
        UNION ALL SELECT 'brain-preflight') AS s
 WHERE s.source NOT IN (SELECT h.source FROM source_health AS h)
 ORDER BY s.source;

-- @method capture.survey_rows  one  read  private
-- Counts of rows that something is the matter with.
-- @result unfound  int   nodes that the search table lacks
-- @result aside    int   rows that were put aside
SELECT
       (SELECT COUNT(*) FROM knowledge_nodes WHERE id NOT IN (SELECT id FROM knowledge_fts_docsize)) AS unfound,   -- @for sqlite
       CAST(0 AS BIGINT) AS unfound,                                                                              -- @for postgres
       (SELECT COUNT(*) FROM stele_quarantine) AS aside                                                           -- @has quarantine
       CAST(0 AS BIGINT) AS aside                                                                                 -- @lacks quarantine
;

-- @method capture.count_stray_embeddings  one  read  private
-- Embeddings that another model made than the one that is used.
-- @result strays   int    how many
-- @result model    text?  the one that is used; null: none is yet
SELECT COUNT(*) AS strays,
       (SELECT m.model FROM embed_model_meta AS m WHERE m.id = 1) AS model          -- @has embed_model
       CAST(NULL AS TEXT) AS model                                                  -- @lacks embed_model
  FROM (SELECT e.model FROM stele_embeddings AS e                                   -- @has embeddings
         WHERE e.kind IN ('node', 'node_command') AND e.origin = 'caller') AS v     -- @has embeddings
  FROM (SELECT CAST(NULL AS TEXT) AS model) AS v                                    -- @lacks embeddings
 WHERE v.model <> (SELECT m.model FROM embed_model_meta AS m WHERE m.id = 1)        -- @has embed_model
 WHERE v.model <> v.model                                                           -- @lacks embed_model
;
