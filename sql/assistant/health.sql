-- Samples of wearables. One of the same metric, time and device is kept once.

-- @method assistant.save_health_samples  one  write
-- Keep samples, all or none. What is there already (same metric_type, start_time and source_device, which may be
-- unknown) stays as it is, and is counted as a duplicate.
-- @param  samples     assistant.insert_health_sample[]   the samples
-- @result accepted    int                                how many were new
-- @result duplicates  int                                how many were there already
-- @native st_assistant_save_health_samples

-- @method assistant.insert_health_sample  none  write  private
-- Keep a sample that is not there yet. An unknown device is kept as ''; files of others have null for it.
-- @param  metric_type    text           what was measured: steps, sleep_session, heart_rate, ...
-- @param  start_time     time           when, or from when on
-- @param  end_time       time? = null   until when; null for a moment
-- @param  value          json           what was measured, such as {"bpm": 62}
-- @param  source_device  text? = null   by which device
-- @param  source_app     text? = null   by which app
-- @param  created_at     time = now     when it came in
INSERT INTO health_samples (metric_type, start_time, end_time, value, source_device, source_app, created_at)
SELECT :metric_type, :start_time, :end_time, :value, COALESCE(:source_device, ''), :source_app, :created_at
 WHERE NOT EXISTS (SELECT 1 FROM health_samples AS known
                    WHERE known.metric_type = :metric_type AND known.start_time = :start_time
                      AND known.source_device IS NULL AND COALESCE(:source_device, '') = '')
ON CONFLICT (metric_type, start_time, source_device) DO NOTHING;

-- @method assistant.get_health_samples  many  read
-- Samples of one metric that began within a time, the newest first.
-- @param  metric_type    text              what was measured
-- @param  since          time              from this time on
-- @param  until          time optional     up to, but not including, this time
-- @param  limit          int(1..) = 5000   at most this many
-- @result id             int               the sample's number
-- @result metric_type    text              what was measured
-- @result start_time     time              when, or from when on
-- @result end_time       time?             until when; null for a moment
-- @result value          json              what was measured
-- @result source_device  text?             by which device; null if it is unknown
-- @result source_app     text?             by which app
-- @result created_at     time              when it came in
SELECT id, metric_type, start_time, end_time, value, NULLIF(source_device, '') AS source_device, source_app, created_at
  FROM health_samples
 WHERE metric_type = :metric_type AND start_time >= :since
   AND start_time < :until                                   -- @if until
 ORDER BY start_time DESC, id LIMIT :limit;

-- @method assistant.get_health_freshness  many  read
-- When the newest sample of each metric began.
-- @result metric_type  text   what was measured
-- @result start_time   time   when, or from when on
SELECT metric_type, MAX(start_time) AS start_time FROM health_samples GROUP BY metric_type ORDER BY metric_type;
