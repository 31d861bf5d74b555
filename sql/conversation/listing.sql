-- Lists of sessions.

-- @method conversation.list_sessions_rich  many  read
-- Sessions with a preview and the time of their last message, the latest start first, or the latest
-- activity. Left out, unless include_children is set: sessions that came from others, except
-- branches. A session that was continued after compressions is told as its last continuation (id,
-- end, counters, title, model, system prompt, preview, last_active), with its own start and
-- accounts.
-- @param  source                    text optional     only those of this source
-- @param  exclude_sources           text[] optional   none of these sources
-- @param  limit                     int = 20          at most this many; negative: all
-- @param  offset                    int(0..) = 0      after leaving out this many
-- @param  include_children          bool = false      every session, as it is
-- @param  project_compression_tips  bool = true       tell a continued session as its continuation
-- @param  order_by_last_active      bool = false      the latest activity of the whole chain first
-- @param  include_archived          bool = false      those put away too
-- @http GET /v1/sessions
-- @result id                  text   its id
-- @result source              text   where it runs, e.g. cli
-- @result user_id             text?  whose it is
-- @result model               text?  the model
-- @result model_config        json?  the model's settings
-- @result system_prompt       text?  the system prompt
-- @result parent_session_id   text?  the session it came from
-- @result started_at          time   when it started
-- @result ended_at            time?  when it ended; null while it runs
-- @result end_reason          text?  why it ended
-- @result message_count       int?   messages counted
-- @result tool_call_count     int?   tool calls counted
-- @result input_tokens        int?   tokens read
-- @result output_tokens       int?   tokens written
-- @result cache_read_tokens   int?   tokens read from a cache
-- @result cache_write_tokens  int?   tokens written to a cache
-- @result reasoning_tokens    int?   tokens of reasoning
-- @result billing_provider    text?  who bills
-- @result billing_base_url    text?  at which address
-- @result billing_mode        text?  how
-- @result estimated_cost_usd  real?  estimated cost
-- @result actual_cost_usd     real?  actual cost
-- @result cost_status         text?  how far the cost is known
-- @result cost_source         text?  where the cost comes from
-- @result pricing_version     text?  which price list
-- @result title               text?  its title
-- @result api_call_count      int?   calls of the model
-- @result handoff_state       text?  pending, running, completed or failed
-- @result handoff_platform    text?  where it is to go on
-- @result handoff_error       text?  why the handoff failed
-- @result archived            bool   put away: lists leave it out
-- @result last_active         time   time of the last message; if there is none, the start
-- @result preview             text   the beginning of the first user message, at most 60 characters
-- @result lineage_root_id     text?  of a continued session: its own id
-- @feature activity
-- @native st_conversation_list_sessions_rich

-- @method conversation.read_list  many  read  private
-- The sessions of list_sessions_rich. With by_start, first and skip cut the list at once; with
-- by_activity, limit and offset cut it when the activity is known. What is written so that the server can guess how many
-- sessions there will be, it joins in time for all of them.
-- @param  source           text optional     only those of this source
-- @param  exclude_sources  text[] optional   none of these sources
-- @param  roots            int optional      no children, except branches
-- @param  shown            int optional      none that was put away
-- @param  by_start         int optional      the latest start first
-- @param  by_activity      int optional      the latest activity first
-- @param  tip              int optional      a continued session as its last continuation
-- @param  first            int               the latest starts; negative: all
-- @param  skip             int               without the latest of these
-- @param  limit            int               at most this many; negative: all
-- @param  offset           int               after leaving out this many
-- @result id                  text   its id
-- @result source              text   where it runs, e.g. cli
-- @result user_id             text?  whose it is
-- @result model               text?  the model
-- @result model_config        json?  the model's settings
-- @result system_prompt       text?  the system prompt
-- @result parent_session_id   text?  the session it came from
-- @result started_at          time   when it started
-- @result ended_at            time?  when it ended; null while it runs
-- @result end_reason          text?  why it ended
-- @result message_count       int?   messages counted
-- @result tool_call_count     int?   tool calls counted
-- @result input_tokens        int?   tokens read
-- @result output_tokens       int?   tokens written
-- @result cache_read_tokens   int?   tokens read from a cache
-- @result cache_write_tokens  int?   tokens written to a cache
-- @result reasoning_tokens    int?   tokens of reasoning
-- @result billing_provider    text?  who bills
-- @result billing_base_url    text?  at which address
-- @result billing_mode        text?  how
-- @result estimated_cost_usd  real?  estimated cost
-- @result actual_cost_usd     real?  actual cost
-- @result cost_status         text?  how far the cost is known
-- @result cost_source         text?  where the cost comes from
-- @result pricing_version     text?  which price list
-- @result title               text?  its title
-- @result api_call_count      int?   calls of the model
-- @result handoff_state       text?  pending, running, completed or failed
-- @result handoff_platform    text?  where it is to go on
-- @result handoff_error       text?  why the handoff failed
-- @result archived            bool   put away: lists leave it out
-- @result last_active         time      time of the last message; if there is none, the start
-- @result preview             content?  the first user message
-- @result lineage_root_id     text?     of a continued session: its own id
WITH RECURSIVE
recent AS MATERIALIZED (                                                                    -- @if by_activity @has activity @for sqlite
  SELECT m.session_id FROM messages AS m NOT INDEXED                                        -- @if by_activity @has activity @for sqlite
   WHERE m.id > (SELECT e.message FROM stele_activity_end AS e)                             -- @if by_activity @has activity @for sqlite
),                                                                                          -- @if by_activity @has activity @for sqlite
candidate AS MATERIALIZED (
  SELECT s.id, s.started_at, s.ended_at, s.end_reason
    FROM sessions AS s
   WHERE TRUE
     AND s.source = :source                                                                 -- @if source
     AND s.source NOT IN :exclude_sources                                                   -- @if exclude_sources
     AND (s.parent_session_id IS NULL                                                       -- @if roots
          OR EXISTS (SELECT 1 FROM sessions AS p WHERE p.id = s.parent_session_id           -- @if roots
                        AND p.end_reason = 'branched' AND s.started_at >= p.ended_at)       -- @if roots
          OR s.model_config LIKE '%"_branched_from"%')                                      -- @if roots
     AND (s.archived = 0 OR s.archived IS NULL)                                             -- @if shown @has archived
   ORDER BY s.started_at DESC, s.id DESC                                                    -- @if by_start
   LIMIT :first                                                                             -- @if by_start @for sqlite
   LIMIT CASE WHEN :first < 0 THEN NULL ELSE :first END                                     -- @if by_start @for postgres
  OFFSET :skip                                                                              -- @if by_start
), chain (root, id, step, ended_at, end_reason) AS (
  SELECT id, id, 0, ended_at, end_reason FROM candidate WHERE end_reason = 'compression'
  UNION ALL
  SELECT c.root, k.id, c.step + 1, k.ended_at, k.end_reason
    FROM chain AS c
    JOIN sessions AS k ON k.id = (SELECT n.id FROM sessions AS n
                                   WHERE n.parent_session_id = c.id AND n.started_at >= c.ended_at
                                   ORDER BY n.started_at DESC, n.id DESC LIMIT 1)
   WHERE c.end_reason = 'compression' AND c.step < 100
), link AS (
  SELECT c.root, c.id, ROW_NUMBER() OVER (PARTITION BY c.root ORDER BY c.step DESC) AS place
       , MAX(COALESCE(                                                                      -- @if by_activity
             a.latest,                                                                      -- @if by_activity @has activity
             (SELECT MAX(m.timestamp) FROM messages AS m WHERE m.session_id = c.id), NULL)) -- @if by_activity
           OVER (PARTITION BY c.root) AS activity                                           -- @if by_activity
    FROM chain AS c
    LEFT JOIN stele_activity AS a ON a.session_id = c.id                                    -- @if by_activity @has activity
     AND a.session_id NOT IN (SELECT r.session_id FROM recent AS r)                         -- @if by_activity @has activity @for sqlite
), page AS (
  SELECT c.id AS root, c.started_at
       , COALESCE(
                  l.id,                                                                     -- @if tip
                  NULL, c.id) AS shown_id
       , COALESCE(l.activity,                                                               -- @if by_activity
             a.latest,                                                                      -- @if by_activity @has activity
             (SELECT MAX(m.timestamp) FROM messages AS m WHERE m.session_id = c.id),        -- @if by_activity
             c.started_at) AS activity                                                      -- @if by_activity
    FROM candidate AS c LEFT JOIN link AS l ON l.root = c.id AND l.place = 1
    LEFT JOIN stele_activity AS a ON a.session_id = c.id                                    -- @if by_activity @has activity
     AND a.session_id NOT IN (SELECT r.session_id FROM recent AS r)                         -- @if by_activity @has activity @for sqlite
   ORDER BY
            activity DESC,                                                                  -- @if by_activity
            c.started_at DESC, root DESC
   LIMIT :limit                                                                             -- @for sqlite
   LIMIT CASE WHEN :limit < 0 THEN NULL ELSE :limit END                                     -- @for postgres
  OFFSET :offset
)
SELECT t.id, s.source, s.user_id, t.model,
       s.model_config,                                                                      -- @for sqlite
       CAST(s.model_config AS JSON) AS model_config,                                        -- @for postgres
       t.system_prompt, s.parent_session_id,
       s.started_at, t.ended_at, t.end_reason, t.message_count, t.tool_call_count, s.input_tokens,
       s.output_tokens, s.cache_read_tokens, s.cache_write_tokens, s.reasoning_tokens,
       s.billing_provider, s.billing_base_url, s.billing_mode, s.estimated_cost_usd,
       s.actual_cost_usd, s.cost_status, s.cost_source, s.pricing_version, t.title,
       s.api_call_count,
       s.handoff_state, s.handoff_platform, s.handoff_error,                                -- @has handoff
       NULL AS handoff_state, NULL AS handoff_platform, NULL AS handoff_error,              -- @lacks handoff
       COALESCE(s.archived, 0) <> 0 AS archived,                                            -- @has archived
       FALSE AS archived,                                                                   -- @lacks archived
       COALESCE((SELECT MAX(m.timestamp) FROM messages AS m WHERE m.session_id = t.id),
                t.started_at) AS last_active,
       (SELECT m.content FROM messages AS m
         WHERE m.session_id = t.id AND m.role = 'user' AND m.content IS NOT NULL
         ORDER BY m.timestamp, m.id LIMIT 1) AS preview,
       CASE WHEN t.id <> s.id THEN s.id END AS lineage_root_id
  FROM page
  JOIN sessions AS s ON s.id = page.root
  JOIN sessions AS t ON t.id = page.shown_id
 ORDER BY
          page.activity DESC,                                                               -- @if by_activity
          page.started_at DESC, page.root DESC;

-- @method conversation.search_sessions  many  read
-- All sessions, children too, the latest activity first.
-- @param  source       text optional   only those of this source
-- @param  limit        int = 20        at most this many; negative: all
-- @param  offset       int(0..) = 0    after leaving out this many
-- @result id                  text   its id
-- @result source              text   where it runs, e.g. cli
-- @result user_id             text?  whose it is
-- @result model               text?  the model
-- @result model_config        json?  the model's settings
-- @result system_prompt       text?  the system prompt
-- @result parent_session_id   text?  the session it came from
-- @result started_at          time   when it started
-- @result ended_at            time?  when it ended; null while it runs
-- @result end_reason          text?  why it ended
-- @result message_count       int?   messages counted
-- @result tool_call_count     int?   tool calls counted
-- @result input_tokens        int?   tokens read
-- @result output_tokens       int?   tokens written
-- @result cache_read_tokens   int?   tokens read from a cache
-- @result cache_write_tokens  int?   tokens written to a cache
-- @result reasoning_tokens    int?   tokens of reasoning
-- @result billing_provider    text?  who bills
-- @result billing_base_url    text?  at which address
-- @result billing_mode        text?  how
-- @result estimated_cost_usd  real?  estimated cost
-- @result actual_cost_usd     real?  actual cost
-- @result cost_status         text?  how far the cost is known
-- @result cost_source         text?  where the cost comes from
-- @result pricing_version     text?  which price list
-- @result title               text?  its title
-- @result api_call_count      int?   calls of the model
-- @result handoff_state       text?  pending, running, completed or failed
-- @result handoff_platform    text?  where it is to go on
-- @result handoff_error       text?  why the handoff failed
-- @result archived            bool   put away: lists leave it out
-- @result last_active         time   time of the last message; if there is none, the start
-- @feature activity
WITH recent AS MATERIALIZED (                                                               -- @has activity @for sqlite
  SELECT m.session_id FROM messages AS m NOT INDEXED                                        -- @has activity @for sqlite
   WHERE m.id > (SELECT e.message FROM stele_activity_end AS e)                             -- @has activity @for sqlite
)                                                                                           -- @has activity @for sqlite
SELECT s.id, s.source, s.user_id, s.model,
       s.model_config,                                                                      -- @for sqlite
       CAST(s.model_config AS JSON) AS model_config,                                        -- @for postgres
       s.system_prompt, s.parent_session_id,
       s.started_at, s.ended_at, s.end_reason, s.message_count, s.tool_call_count, s.input_tokens,
       s.output_tokens, s.cache_read_tokens, s.cache_write_tokens, s.reasoning_tokens,
       s.billing_provider, s.billing_base_url, s.billing_mode, s.estimated_cost_usd,
       s.actual_cost_usd, s.cost_status, s.cost_source, s.pricing_version, s.title,
       s.api_call_count,
       s.handoff_state, s.handoff_platform, s.handoff_error,                                -- @has handoff
       NULL AS handoff_state, NULL AS handoff_platform, NULL AS handoff_error,              -- @lacks handoff
       COALESCE(s.archived, 0) <> 0 AS archived,                                            -- @has archived
       FALSE AS archived,                                                                   -- @lacks archived
       page.last_active
  FROM (SELECT id, started_at,
               COALESCE(
                   a.latest,                                                                -- @has activity
                   (SELECT MAX(m.timestamp) FROM messages AS m WHERE m.session_id = sessions.id),
                   started_at) AS last_active
          FROM sessions
          LEFT JOIN stele_activity AS a ON a.session_id = sessions.id                       -- @has activity
           AND a.session_id NOT IN (SELECT r.session_id FROM recent AS r)                   -- @has activity @for sqlite
         WHERE source = :source                              -- @if source
         ORDER BY last_active DESC, started_at DESC, id DESC
         LIMIT :limit                                        -- @for sqlite
         LIMIT CASE WHEN :limit < 0 THEN NULL ELSE :limit END -- @for postgres
        OFFSET :offset) AS page
  JOIN sessions AS s ON s.id = page.id
 ORDER BY page.last_active DESC, page.started_at DESC, page.id DESC;
