-- How well capturing goes.

-- @method capture.list_source_health  many  read
-- Every way in, and how it fares.
-- @param  source                text optional   only this one
-- @result source                text   its name
-- @result last_event_ts         time?  when the newest of what it brought was
-- @result last_success_ts       time?  when it last brought something
-- @result last_error_ts         time?  when it last failed
-- @result last_error_msg        text?  why
-- @result consecutive_failures  int    how often in a row by now
-- @result events_last_1h        int    how much it brought in the last hour
-- @result events_last_24h       int    and in the last day
-- @result expected_min_per_hour int?   fewer are a sign of trouble
-- @result probe_ok              bool?  whether the last probe came through
-- @result probe_lag_ms          int?   and how long it took
-- @result probe_last_run_ts     time?  when that was
-- @result last_heartbeat_ts     time?  when it last said that it is there
-- @result updated_at            time   when this was written
SELECT source, last_event_ts, last_success_ts, last_error_ts, last_error_msg, consecutive_failures, events_last_1h,
       events_last_24h, expected_min_per_hour, probe_ok, probe_lag_ms, probe_last_run_ts, last_heartbeat_ts, updated_at
  FROM source_health
 WHERE source = :source                                      -- @if source
 ORDER BY source;

-- @method capture.record_source_success  none  write
-- A way in was looked at, and it is well: its failures are over.
-- @param  source         text          which one
-- @param  last_event_ts  time? = null  when the newest of what it brought was; null: now. An earlier time than the known one is passed over
-- @param  brought        int(0..) = 0  how much it brought
-- @param  now            time = now    when this is written
-- @result updated        int changed   1
INSERT INTO source_health (source, last_event_ts, last_success_ts, events_last_1h, events_last_24h, updated_at)
VALUES (:source, COALESCE(:last_event_ts, :now), :now, :brought, :brought, :now)
ON CONFLICT (source) DO UPDATE
   SET last_event_ts = CASE WHEN source_health.last_event_ts > excluded.last_event_ts
                            THEN source_health.last_event_ts ELSE excluded.last_event_ts END,
       last_success_ts = excluded.last_success_ts,
       consecutive_failures = 0,
       events_last_1h = source_health.events_last_1h + excluded.events_last_1h,
       events_last_24h = source_health.events_last_24h + excluded.events_last_24h,
       updated_at = excluded.updated_at;

-- @method capture.record_source_error  none  write
-- A way in has failed.
-- @param  source   text          which one
-- @param  error    text          why; the first 512 characters are kept
-- @param  now      time = now    when
-- @result updated  int changed   1
INSERT INTO source_health (source, last_error_ts, last_error_msg, consecutive_failures, updated_at)
VALUES (:source, :now, substr(:error, 1, 512), 1, :now)
ON CONFLICT (source) DO UPDATE
   SET last_error_ts = excluded.last_error_ts,
       last_error_msg = excluded.last_error_msg,
       consecutive_failures = source_health.consecutive_failures + 1,
       updated_at = excluded.updated_at;

-- @method capture.heartbeat  none  write
-- A way in, or the watchdog, says that it is there.
-- @param  source   text(browser|agentic-session-claude|claude-tool|shell|watchdog)   who
-- @param  now      time = now    when
-- @result updated  int changed   1
INSERT INTO source_health (source, last_heartbeat_ts, updated_at) VALUES (:source, :now, :now)
ON CONFLICT (source) DO UPDATE SET last_heartbeat_ts = excluded.last_heartbeat_ts, updated_at = excluded.updated_at;

-- @method capture.refresh_source_counts  none  write
-- Count again what every way in brought in the last hour and the last day, without probes. Where the numbers are right,
-- nothing is written.
-- @param  now      time = now    up to when
-- @result updated  int changed   how many were not right
UPDATE source_health SET events_last_1h = counted.hour, events_last_24h = counted.day, updated_at = :now
  FROM (SELECT names.source, COUNT(CASE WHEN seen.at > :now - 3600000 THEN 1 END) AS hour, COUNT(seen.at) AS day
          FROM source_health AS names LEFT JOIN
               (SELECT source_kind AS source, timestamp AS at FROM events
                 WHERE probe_tag IS NULL AND timestamp > :now - 86400000 AND timestamp <= :now
                UNION ALL
                SELECT 'browser', timestamp FROM browser_events
                 WHERE probe_tag IS NULL AND timestamp > :now - 86400000 AND timestamp <= :now
                UNION ALL
                SELECT CASE harness WHEN 'claude-code' THEN 'agentic-session-claude' ELSE 'agentic-session-' || harness END, end_time
                  FROM agentic_sessions
                 WHERE probe_tag IS NULL AND end_time > :now - 86400000 AND end_time <= :now
                UNION ALL
                SELECT 'workflow', first_seen_at FROM workflow_runs
                 WHERE first_seen_at > :now - 86400000 AND first_seen_at <= :now) AS seen
               ON seen.source = names.source
         GROUP BY names.source) AS counted
 WHERE counted.source = source_health.source
   AND (source_health.events_last_1h <> counted.hour OR source_health.events_last_24h <> counted.day);
