-- How well capturing goes.

-- @method capture.list_source_health  many  read
-- Every way in, and how it fares.
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
 ORDER BY source;
