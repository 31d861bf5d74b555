-- Probes: rows that test whether capturing works. They say nothing of what else the way in brings.

-- @method capture.note_probe_row  none  write  private
-- A probe has left a row. Failures of its source are not over by that, and nothing was brought.
-- @param  source         text   which way in
-- @param  last_event_ts  time   the row's time
-- @param  now            time   when this is written
INSERT INTO source_health (source, last_event_ts, updated_at) VALUES (:source, :last_event_ts, :now)
ON CONFLICT (source) DO UPDATE
   SET last_event_ts = CASE WHEN source_health.last_event_ts > excluded.last_event_ts
                            THEN source_health.last_event_ts ELSE excluded.last_event_ts END,
       updated_at = excluded.updated_at;

-- @method capture.record_probe  none  write
-- A probe was made, by whoever makes them from the outside.
-- @param  source   text            which way in
-- @param  ok       bool            whether it came through
-- @param  lag_ms   int(0..)? = null   and how long it took
-- @param  error    text? = null    why it did not; the first 512 characters are kept. It is no failure of what the source brings
-- @param  now      time = now      when
-- @result updated  int changed     1
INSERT INTO source_health (source, probe_ok, probe_lag_ms, probe_last_run_ts, last_error_ts, last_error_msg, updated_at)
VALUES (:source, :ok, :lag_ms, :now, CASE WHEN :error IS NOT NULL THEN :now END, substr(:error, 1, 512), :now)
ON CONFLICT (source) DO UPDATE
   SET probe_ok = excluded.probe_ok,
       probe_lag_ms = excluded.probe_lag_ms,
       probe_last_run_ts = excluded.probe_last_run_ts,
       last_error_ts = COALESCE(excluded.last_error_ts, source_health.last_error_ts),
       last_error_msg = COALESCE(excluded.last_error_msg, source_health.last_error_msg),
       updated_at = excluded.updated_at;

-- @method capture.run_probe  one  write
-- Write a probe as whoever captures writes, look whether it is there, and note how that went. It tests the store, and not what leads
-- to it: whoever tests more than that calls record_probe.
-- @param  source     text(shell|claude-tool|browser|agentic-session-claude|agentic-session-opencode|agentic-session-codex|agentic-session-cursor)
--     which way in
-- @param  probe_id   text = new     what tells this probe from all others
-- @param  now        time = now     when
-- @result probe_id   text           what it was marked with
-- @result ok         bool           whether it came through
-- @result lag_ms     int            how long it took
-- @result error      text?          why it did not
-- @native st_capture_run_probe

-- @method capture.find_probe  one  read  private
-- The row of a probe.
-- @param  id         int    its number
-- @param  probe_tag  text   its mark
-- @result id         int    its number
SELECT id FROM events WHERE id = :id AND probe_tag = :probe_tag
UNION ALL
SELECT id FROM browser_events WHERE id = :id AND probe_tag = :probe_tag
UNION ALL
SELECT id FROM agentic_sessions WHERE id = :id AND probe_tag = :probe_tag;

-- @method capture.prune_probes  none  write
-- Delete probes that are old, and to which nothing refers.
-- @param  older_than_days  int(0..100000) = 7        how old they must be
-- @param  limit            int(1..100000) = 10000    at most this many of each kind
-- @param  now              time = now                at this time
-- @result events           int changed 1             how many commands and calls of tools there were,
-- @result pages            int changed 2             pages
-- @result segments         int changed 3             and segments
DELETE FROM events
 WHERE id IN (SELECT probe.id FROM events AS probe
               WHERE probe.probe_tag IS NOT NULL AND probe.created_at < :now - :older_than_days * 86400000
                 AND NOT EXISTS (SELECT 1 FROM enrichment_queue AS ticket WHERE ticket.event_id = probe.id)
                 AND NOT EXISTS (SELECT 1 FROM knowledge_node_events AS link WHERE link.event_id = probe.id)
                 AND NOT EXISTS (SELECT 1 FROM event_entities AS link WHERE link.event_id = probe.id)
               ORDER BY probe.id LIMIT :limit);
DELETE FROM browser_events
 WHERE id IN (SELECT probe.id FROM browser_events AS probe
               WHERE probe.probe_tag IS NOT NULL AND probe.created_at < :now - :older_than_days * 86400000
                 AND NOT EXISTS (SELECT 1 FROM browser_enrichment_queue AS ticket WHERE ticket.browser_event_id = probe.id)
                 AND NOT EXISTS (SELECT 1 FROM knowledge_node_browser_events AS link WHERE link.browser_event_id = probe.id)
               ORDER BY probe.id LIMIT :limit);
DELETE FROM agentic_sessions
 WHERE id IN (SELECT probe.id FROM agentic_sessions AS probe
               WHERE probe.probe_tag IS NOT NULL AND probe.created_at < :now - :older_than_days * 86400000
                 AND NOT EXISTS (SELECT 1 FROM agentic_enrichment_queue AS ticket WHERE ticket.session_id = probe.id)
                 AND NOT EXISTS (SELECT 1 FROM knowledge_node_agentic_sessions AS link WHERE link.agentic_session_id = probe.id)
               ORDER BY probe.id LIMIT :limit);
