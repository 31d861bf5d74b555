-- Usage over time: what the plots of the command line and of the dashboard are drawn from.

-- @method conversation.usage_over_time  many  read
-- Sessions, messages, tokens and costs by hour, day, week (from Monday) or month, the oldest first. A
-- session counts whole where it started. Buckets without a session are left out, and so are sessions
-- whose start is no time of the years 1 to 9999.
-- @param  bucket              text(hour|day|week|month) = "day"   how long a bucket is
-- @param  utc_offset          int(-1440..1440) = 0   minutes that the clock of the buckets is ahead of UTC
-- @param  since               time optional          only sessions started at or after this
-- @param  until               time optional          only sessions started before this
-- @param  source_filter       text[] optional        only those of these sources
-- @param  project_filter      text[] optional        only those of these projects: directories where they worked
-- @param  model               text optional          only those of this model
-- @param  by_source           bool = false           each source by itself
-- @param  by_model            bool = false           each model by itself
-- @http GET /v1/usage/time
-- @result start               time    where the bucket starts
-- @result source              text?   the source; null unless by_source
-- @result model               text?   the model; null unless by_model, and where none is known
-- @result sessions            int     sessions started
-- @result messages            int     their messages
-- @result tool_calls          int     their tool calls
-- @result input_tokens        int     tokens read
-- @result output_tokens       int     tokens written
-- @result cache_read_tokens   int     tokens read from a cache
-- @result cache_write_tokens  int     tokens written to a cache
-- @result reasoning_tokens    int     tokens of reasoning
-- @result cost_usd            real?   the cost, or if it is not known what was estimated; null if neither is known of any
WITH counted AS (
  -- By the clock of the buckets.
  SELECT s.started_at + :utc_offset * 60 AS clock,
         CASE WHEN :by_source THEN s.source END AS source,
         CASE WHEN :by_model THEN s.model END AS model,
         s.message_count, s.tool_call_count, s.input_tokens, s.output_tokens, s.cache_read_tokens,
         s.cache_write_tokens, s.reasoning_tokens,
         COALESCE(s.actual_cost_usd, s.estimated_cost_usd) AS cost_usd
    FROM sessions AS s
   WHERE s.started_at >= -62135500000 AND s.started_at < 253402200000
     AND s.started_at >= :since                              -- @if since
     AND s.started_at < :until                               -- @if until
     AND s.source IN :source_filter                          -- @if source_filter
     AND s.id IN (SELECT o.session_id FROM stele_origin AS o WHERE o.cwd IN :project_filter)   -- @if project_filter @has transcripts
     AND s.source IN :project_filter AND FALSE               -- @if project_filter @lacks transcripts
     AND s.model = :model                                    -- @if model
),
placed AS (
  SELECT CASE :bucket
         WHEN 'hour' THEN FLOOR(clock / 3600.0) * 3600
         WHEN 'day' THEN FLOOR(clock / 86400.0) * 86400
         -- 1970 began on a Thursday.
         WHEN 'week' THEN FLOOR((clock / 86400.0 + 3) / 7) * 604800 - 3 * 86400
         ELSE CAST(strftime('%s', clock, 'unixepoch', 'start of month') AS INTEGER)         -- @for sqlite
         ELSE EXTRACT(EPOCH FROM date_trunc('month', to_timestamp(clock) AT TIME ZONE 'UTC')) -- @for postgres
         END - :utc_offset * 60 AS start,
         c.*
    FROM counted AS c)
SELECT CAST(start AS DOUBLE PRECISION) AS start, source, model,
       COUNT(*) AS sessions,
       CAST(COALESCE(SUM(message_count), 0) AS BIGINT) AS messages,
       CAST(COALESCE(SUM(tool_call_count), 0) AS BIGINT) AS tool_calls,
       CAST(COALESCE(SUM(input_tokens), 0) AS BIGINT) AS input_tokens,
       CAST(COALESCE(SUM(output_tokens), 0) AS BIGINT) AS output_tokens,
       CAST(COALESCE(SUM(cache_read_tokens), 0) AS BIGINT) AS cache_read_tokens,
       CAST(COALESCE(SUM(cache_write_tokens), 0) AS BIGINT) AS cache_write_tokens,
       CAST(COALESCE(SUM(reasoning_tokens), 0) AS BIGINT) AS reasoning_tokens,
       SUM(cost_usd) AS cost_usd
  FROM placed
 GROUP BY start, source, model
 ORDER BY start, source NULLS FIRST, model NULLS FIRST;
