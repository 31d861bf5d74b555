-- The watchdog looks whether capturing keeps what it promises. Each promise has a number, I-1 to I-16; src/stores/capture/watchdog.c
-- says which look belongs to which, with its limit. A look has a row for everything that is wrong.

-- @method capture.run_watchdog  many  write
-- Look once, in one transaction: note that the watchdog is at work, raise an alarm for whatever is wrong, and resolve those of
-- what has been well twice in a row. A promise that stays broken is told again when its alarm is older than the rate limit.
-- @param  alarm_rate_limit_minutes  int(0..1000000) = 60   one alarm in this time for the same promise and way in
-- @param  paused        bool = false   whether capturing is at rest on purpose: I-2, I-4, I-8, I-11, I-13 and I-15 are not looked at
-- @param  now           time = now     at this time
-- @result invariant_id  text           which promise
-- @result source        text?          which way in
-- @result outcome       text           raised: there is a new alarm; standing: there is one already; resolved: one is over;
--     noted and counted: said here and nowhere else (I-3, I-5)
-- @result since_ms      time?          since when it is broken
-- @result details       text?          in which way
-- @result alarm_id      int?           the alarm
-- @native st_capture_run_watchdog

-- @method capture.watch  none  write  private
-- The watchdog is at work. Its last_event_ts says since when without a break: after one, nobody knows what was due meanwhile.
-- @param  pause  int    how long the time between two looks is, at least, in seconds
-- @param  now    time   when
INSERT INTO source_health (source, last_success_ts, last_heartbeat_ts, updated_at) VALUES ('watchdog', :now, :now, :now)
ON CONFLICT (source) DO UPDATE
   SET last_event_ts = CASE WHEN source_health.last_heartbeat_ts < :now - :pause * 1000 THEN :now ELSE source_health.last_event_ts END,
       last_success_ts = excluded.last_success_ts,
       last_heartbeat_ts = excluded.last_heartbeat_ts,
       updated_at = excluded.updated_at;

-- @method capture.record_drops  none  write
-- Something was lost on its way in: a buffer was full, a line could not be read. Nothing can be said of it but how much it was.
-- @param  source   text              which way in
-- @param  dropped  int(1..)          how much
-- @param  cause    text = ""         why
-- @param  now      time = now        when
-- @result updated  int changed       1
-- @feature drops
INSERT INTO stele_drops (source, cause, minute, dropped) VALUES (:source, :cause, :now - :now % 60000, :dropped)
ON CONFLICT (source, cause, minute) DO UPDATE SET dropped = stele_drops.dropped + excluded.dropped;

-- @method capture.count_drops  many  read
-- How much was lost, ever, by way in and cause.
-- @result source   text   which way in
-- @result cause    text   why
-- @result dropped  int    how much
-- @result last_at  time   when last, to the minute
SELECT source, cause, CAST(SUM(dropped) AS BIGINT) AS dropped, MAX(minute) AS last_at
  FROM stele_drops                                                                                           -- @has drops
  FROM (SELECT '' AS source, '' AS cause, 0 AS dropped, CAST(0 AS BIGINT) AS minute WHERE 1 = 0) AS none     -- @lacks drops
 GROUP BY source, cause ORDER BY source, cause;

-- @method capture.look_silent  many  read  private
-- A way in brings nothing though it should. Silence alone is no sign of that. These are: it fails, and brought nothing before that
-- for longer than the limit; a probe is said to have come through, and left no row; others have brought something a day
-- later. What a probe brought counts only against the probe.
-- @param  source    text   shell or browser
-- @param  limit     int    in seconds
-- @param  now       time   at this time
-- @result source    text   which way in
-- @result since_ms  time   when it last brought something
-- @result details   text   what is wrong
SELECT silent.source, COALESCE(silent.newest, silent.last_event_ts) AS since_ms, sign AS details
  FROM (SELECT health.source, health.last_event_ts, rows.newest,
               CASE WHEN health.consecutive_failures > 0 AND health.last_error_ts > rows.newest + :limit * 1000
                    THEN 'silent, and failing: ' || COALESCE(health.last_error_msg, '')
                    WHEN health.probe_ok AND COALESCE(health.probe_last_run_ts, :now) > health.last_event_ts + :limit * 1000
                    THEN 'silent: a probe came through, and no row is there'
                    WHEN rows.others > rows.newest + 86400000 THEN 'silent for a day in which others were not' END AS sign
          FROM source_health AS health,
               (SELECT MAX(CASE WHEN source = :source THEN at END) AS newest, MAX(CASE WHEN source <> :source THEN at END) AS others
                  FROM (SELECT 'shell' AS source, (SELECT timestamp FROM events
                                                    WHERE source_kind = 'shell' AND probe_tag IS NULL AND timestamp <= :now
                                                    ORDER BY timestamp DESC LIMIT 1) AS at
                        UNION ALL
                        SELECT 'browser', (SELECT timestamp FROM browser_events
                                            WHERE probe_tag IS NULL AND timestamp <= :now ORDER BY timestamp DESC LIMIT 1)
                        UNION ALL
                        SELECT 'agentic', (SELECT start_time FROM agentic_sessions
                                            WHERE probe_tag IS NULL AND start_time <= :now ORDER BY start_time DESC LIMIT 1)) AS seen) AS rows
         WHERE health.source = :source) AS silent
 WHERE sign IS NOT NULL;

-- @method capture.look_failing  many  read  private
-- A way in fails again and again.
-- @param  source    text   which
-- @param  limit     int    how often in a row is still well
-- @param  now       time   at this time
-- @result source    text   which way in
-- @result since_ms  time   when it last brought something
-- @result details   text   what is wrong
SELECT source, COALESCE(last_event_ts, updated_at) AS since_ms,
       CAST(consecutive_failures AS TEXT) || ' failures in a row: ' || COALESCE(last_error_msg, '') AS details
  FROM source_health
 WHERE source = :source AND consecutive_failures > :limit AND updated_at <= :now;

-- @method capture.look_calls  many  read  private
-- Segments tell of calls of tools, and the calls themselves do not come any more.
-- @param  source    text   where they should come from
-- @param  limit     int    in how many seconds
-- @param  now       time   at this time
-- @result source    text   which way in
-- @result since_ms  time   when the last call came
-- @result details   text   what is wrong
SELECT :source AS source,
       (SELECT timestamp FROM events WHERE source_kind = :source AND probe_tag IS NULL AND timestamp <= :now
         ORDER BY timestamp DESC LIMIT 1) AS since_ms,
       CAST(telling AS TEXT) || ' segments tell of calls, and none came' AS details
  FROM (SELECT COUNT(CASE WHEN harness = 'claude-code' AND probe_tag IS NULL
                               AND end_time > :now - :limit * 1000 AND end_time <= :now
                               AND COALESCE(tool_calls_json, '') NOT IN ('', '[]', 'null') THEN 1 END) AS telling
          FROM agentic_sessions WHERE start_time > :now - 86400000) AS segments
 WHERE telling > 0
   AND EXISTS (SELECT 1 FROM events
                WHERE source_kind = :source AND source_kind != 'shell'   -- the second is what the index asks for
                  AND probe_tag IS NULL AND timestamp <= :now - :limit * 1000)
   AND NOT EXISTS (SELECT 1 FROM events
                    WHERE source_kind = :source AND probe_tag IS NULL
                      AND timestamp > :now - :limit * 1000 AND timestamp <= :now);

-- @method capture.look_drops  many  read  private
-- What was lost.
-- @param  limit     int    in how many seconds, besides all
-- @param  now       time   at this time
-- @result source    text   which way in
-- @result since_ms  time   since when
-- @result details   text   how much
SELECT source, MIN(minute) AS since_ms,
       CAST(SUM(dropped) AS TEXT) || ' lost, ' ||
       CAST(COALESCE(SUM(CASE WHEN minute >= :now - :limit * 1000 THEN dropped END), 0) AS TEXT) || ' of them lately' AS details
  FROM stele_drops                                                                            -- @has drops
  FROM (SELECT '' AS source, 0 AS dropped, CAST(0 AS BIGINT) AS minute WHERE 1 = 0) AS none   -- @lacks drops
 WHERE minute <= :now
 GROUP BY source ORDER BY source;

-- @method capture.look_dropping  many  read  private
-- Too much of what comes in is lost, counted over five minutes.
-- @param  limit     int    how many of a thousand may be
-- @param  now       time   at this time
-- @result source    text   which way in
-- @result since_ms  time   since when
-- @result details   text   what is wrong
SELECT source, since_ms, CAST(dropped AS TEXT) || ' lost and ' || CAST(kept AS TEXT) || ' kept in five minutes' AS details
  FROM (SELECT lost.source, MIN(lost.minute) AS since_ms, CAST(SUM(lost.dropped) AS BIGINT) AS dropped,
               (SELECT COUNT(*) FROM events
                 WHERE source_kind = lost.source AND probe_tag IS NULL AND timestamp > :now - 300000 AND timestamp <= :now)
               + (SELECT COUNT(*) FROM browser_events
                   WHERE lost.source = 'browser' AND probe_tag IS NULL AND timestamp > :now - 300000 AND timestamp <= :now)
               + (SELECT COUNT(*) FROM agentic_sessions
                   WHERE lost.source = CASE harness WHEN 'claude-code' THEN 'agentic-session-claude' ELSE 'agentic-session-' || harness END
                     AND probe_tag IS NULL AND start_time > :now - 86400000 AND end_time > :now - 300000 AND end_time <= :now) AS kept
          FROM stele_drops AS lost                                                                                       -- @has drops
          FROM (SELECT '' AS source, 0 AS dropped, CAST(0 AS BIGINT) AS minute WHERE 1 = 0) AS lost                      -- @lacks drops
         WHERE lost.minute >= :now - 300000 AND lost.minute <= :now
         GROUP BY lost.source) AS counted
 WHERE dropped * 1000 > (dropped + kept) * :limit
 ORDER BY source;

-- @method capture.look_probes  many  read  private
-- A probe did not come through, or was not made for too long. While nobody watched, the machine may have been asleep: that time does
-- not count.
-- @param  limit     int    in seconds
-- @param  now       time   at this time
-- @result source    text   which way in
-- @result since_ms  time   when the last probe was made
-- @result details   text   what is wrong
SELECT source, probe_last_run_ts AS since_ms,
       CASE WHEN probe_ok THEN 'no probe since then' ELSE 'the probe did not come through' END AS details
  FROM source_health
 WHERE probe_last_run_ts IS NOT NULL
   AND (NOT probe_ok
        OR probe_last_run_ts < :now - :limit * 1000
           AND NOT EXISTS (SELECT 1 FROM source_health AS watchdog
                            WHERE watchdog.source = 'watchdog' AND watchdog.last_event_ts >= :now - :limit * 1000))
 ORDER BY source;

-- @method capture.look_vectors  many  read  private
-- Nodes are not embedded, though others were.
-- @param  source    text   what to call them
-- @param  limit     int    how many are still well
-- @param  now       time   at this time
-- @result source    text   what they are called
-- @result since_ms  time   since when
-- @result details   text   what is wrong
SELECT :source AS source, since_ms, CAST(missing AS TEXT) || ' nodes without a vector' AS details
  FROM (SELECT MIN(node.created_at) AS since_ms, COUNT(*) AS missing
          FROM knowledge_nodes AS node
         WHERE node.created_at < :now - 900000
           AND 1 = 0                                                                                           -- @lacks embeddings
           AND EXISTS (SELECT 1 FROM stele_embeddings WHERE kind = 'node' AND origin <> 'model')             -- @has embeddings
           AND NOT EXISTS (SELECT 1 FROM stele_embeddings AS vector                                          -- @has embeddings
                            WHERE vector.kind = 'node' AND vector.origin <> 'model' AND vector.id = CAST(node.id AS TEXT)) -- @has embeddings
       ) AS counted
 WHERE missing > :limit;

-- @method capture.look_duplicates  many  read  private
-- Nodes say the same of the same segment.
-- @param  source    text   what to call them
-- @param  limit     int    how many are still well
-- @param  now       time   at this time
-- @result source    text   what they are called
-- @result since_ms  time   since when
-- @result details   text   what is wrong
SELECT :source AS source, since_ms, CAST(doubles AS TEXT) || ' times, nodes say the same of a segment' AS details
  FROM (SELECT MIN(newest) AS since_ms, COUNT(*) AS doubles
          FROM (SELECT MAX(node.created_at) AS newest
                  FROM knowledge_node_agentic_sessions AS link JOIN knowledge_nodes AS node ON node.id = link.knowledge_node_id
                 WHERE link.agentic_session_id IN (SELECT agentic_session_id FROM knowledge_node_agentic_sessions
                                                    GROUP BY agentic_session_id HAVING COUNT(*) > 1)
                   AND node.created_at <= :now
                 GROUP BY link.agentic_session_id, node.node_type, node.embed_text, node.content HAVING COUNT(*) > 1) AS same
       ) AS counted
 WHERE doubles > :limit;
