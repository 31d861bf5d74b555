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
