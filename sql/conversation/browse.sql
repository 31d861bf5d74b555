-- Looking around: what a page of sessions and search results needs. A session's project is the directory in
-- which it worked, where a transcript told it.

-- @method conversation.search_facets  many  read
-- What the messages that match a query are: how many of each source, role, project and age. Every facet
-- counts what the filters of the others leave, so that it also tells what another choice would give. Only the
-- newest matches are counted, `most` of them.
-- @param  query           query                   what to look for, as in search_messages
-- @param  match           text(auto|words|substrings) = "auto"   as in search_messages
-- @param  quick           bool = false            as in search_messages
-- @param  source_filter   text[] optional         only sessions of these sources
-- @param  role_filter     text[] optional         only messages of these roles
-- @param  project_filter  text[] optional         only sessions of these projects
-- @param  since           time optional           only messages from this time on
-- @param  most            int(1..100000) = 2000   count at most so many matches
-- @param  now             time = now              what ages are measured from
-- @http GET /v1/search/facets
-- @result facet    text  all, source, role, project or age; all counts what every filter leaves
-- @result value    text  which source, role or project; of an age, its seconds: no older than that
-- @result matches  int   their number
-- @feature session_order
-- @native st_conversation_search_facets outside

-- @method conversation.count_facets  many  read  private
-- The facets of some messages.
-- @param  ids             int[]             the messages
-- @param  source_filter   text[] optional   only sessions of these sources
-- @param  role_filter     text[] optional   only messages of these roles
-- @param  project_filter  text[] optional   only sessions of these projects
-- @param  since           time optional     only messages from this time on
-- @param  now             time              what ages are measured from
-- @result facet    text  which facet
-- @result value    text  which of its values
-- @result matches  int   their number
WITH found AS MATERIALIZED (
  SELECT m.role, m.timestamp, s.source,
         (SELECT o.cwd FROM stele_origin AS o WHERE o.session_id = s.id ORDER BY o.number LIMIT 1) AS project  -- @has transcripts
         CAST(NULL AS TEXT) AS project                                                           -- @lacks transcripts
    FROM messages AS m JOIN sessions AS s ON s.id = m.session_id
   WHERE m.id IN :ids
), judged AS MATERIALIZED (
  SELECT role, timestamp, source, project,
         (TRUE
          AND source IN :source_filter                                                           -- @if source_filter
         ) AS by_source,
         (TRUE
          AND role IN :role_filter                                                               -- @if role_filter
         ) AS by_role,
         (TRUE
          AND project IS NOT NULL AND project IN :project_filter                                 -- @if project_filter
         ) AS by_project,
         (TRUE
          AND timestamp >= :since                                                                -- @if since
         ) AS by_time
    FROM found
)
SELECT 'all' AS facet, '' AS value, COUNT(*) AS matches
  FROM judged WHERE by_source AND by_role AND by_project AND by_time
UNION ALL
SELECT 'source', source, COUNT(*) FROM judged WHERE by_role AND by_project AND by_time GROUP BY source
UNION ALL
SELECT 'role', role, COUNT(*) FROM judged WHERE by_source AND by_project AND by_time GROUP BY role
UNION ALL
SELECT 'project', project, COUNT(*) FROM judged
 WHERE by_source AND by_role AND by_time AND project IS NOT NULL GROUP BY project
UNION ALL
SELECT 'age', a.age, COUNT(*)
  FROM (SELECT '86400' AS age, 86400 AS seconds UNION ALL SELECT '604800', 604800
        UNION ALL SELECT '2592000', 2592000 UNION ALL SELECT '31536000', 31536000) AS a
  JOIN judged ON timestamp >= :now - a.seconds
 WHERE by_source AND by_role AND by_project GROUP BY a.age
 ORDER BY facet, matches DESC, value;

-- @method conversation.find_sessions  many  read
-- Sessions for somebody who looks around: the latest activity first, or the most tokens, costs or messages.
-- Left out, unless subagents is set: sessions that another one delegated something to.
-- @param  text            text optional     only those with this in their title, id, project, branch or model,
--     whatever the case of ASCII letters
-- @param  source_filter   text[] optional   only those of these sources
-- @param  project_filter  text[] optional   only those of these projects
-- @param  since           time optional     only those active at or after this
-- @param  until           time optional     only those started before this
-- @param  subagents       bool = false      those of subagents too
-- @param  sort            text(active|started|tokens|cost|messages) = "active"   the latest or greatest of this first
-- @param  limit           int(1..1000) = 50   at most this many
-- @param  offset          int(0..) = 0      after leaving out this many
-- @http GET /v1/find/sessions
-- @result id                 text   its id
-- @result title              text?  its title
-- @result preview            text   the beginning of the first user message, at most 60 characters
-- @result source             text   where it ran, e.g. cli
-- @result model              text?  the model
-- @result project            text?  where it worked
-- @result branch             text?  on which branch of git
-- @result parent_session_id  text?  the session it came from
-- @result started_at         time   when it started
-- @result ended_at           time?  when it ended; null while it runs
-- @result last_active        time   time of the last message; if there is none, the start
-- @result message_count      int    messages counted
-- @result tool_call_count    int    tool calls counted
-- @result input_tokens       int    tokens read, from a cache or not
-- @result output_tokens      int    tokens written
-- @result cost_usd           real?  the cost, or if it is not known what was estimated
-- @feature activity
-- @native st_conversation_find_sessions

-- @method conversation.read_sessions  many  read  private
-- The sessions of find_sessions: those of a page are found by as few columns as it takes, and then read.
-- @param  text            text optional     with this in them
-- @param  source_filter   text[] optional   of these sources
-- @param  project_filter  text[] optional   of these projects
-- @param  since           time optional     active at or after this
-- @param  until           time optional     started before this
-- @param  main            int optional      none of subagents
-- @param  by_activity     int optional      the latest activity first
-- @param  by_amount       text optional     the greatest of this first; otherwise, the latest start
-- @param  limit           int               at most this many
-- @param  offset          int               after leaving out this many
-- @result id                 text      its id
-- @result title              text?     its title
-- @result preview            content?  the first user message
-- @result source             text      where it ran
-- @result model              text?     the model
-- @result project            text?     where it worked
-- @result branch             text?     on which branch
-- @result parent_session_id  text?     the session it came from
-- @result started_at         time      when it started
-- @result ended_at           time?     when it ended
-- @result last_active        time      time of the last message
-- @result message_count      int       messages counted
-- @result tool_call_count    int       tool calls counted
-- @result input_tokens       int       tokens read
-- @result output_tokens      int       tokens written
-- @result cost_usd           real?     the cost
WITH
recent AS MATERIALIZED (                                                                    -- @has activity @for sqlite
  SELECT m.session_id FROM messages AS m NOT INDEXED                                        -- @has activity @for sqlite
   WHERE m.id > (SELECT e.message FROM stele_activity_end AS e)                             -- @has activity @for sqlite
),                                                                                          -- @has activity @for sqlite
page AS (
  SELECT s.id, s.started_at
       , COALESCE(                                                                          -- @if by_activity
             a.latest,                                                                      -- @if by_activity @has activity
             (SELECT MAX(m.timestamp) FROM messages AS m WHERE m.session_id = s.id),        -- @if by_activity
             s.started_at) AS activity                                                      -- @if by_activity
       , CASE :by_amount WHEN 'cost' THEN COALESCE(s.actual_cost_usd, s.estimated_cost_usd) -- @if by_amount
                         WHEN 'messages' THEN CAST(COALESCE(s.message_count, 0) AS DOUBLE PRECISION)   -- @if by_amount
                         ELSE CAST(COALESCE(s.input_tokens, 0) + COALESCE(s.cache_read_tokens, 0)      -- @if by_amount
                                   + COALESCE(s.cache_write_tokens, 0) + COALESCE(s.output_tokens, 0)  -- @if by_amount
                                   AS DOUBLE PRECISION) END AS amount                       -- @if by_amount
    FROM sessions AS s
    LEFT JOIN stele_activity AS a ON a.session_id = s.id                                    -- @has activity
     AND a.session_id NOT IN (SELECT r.session_id FROM recent AS r)                         -- @has activity @for sqlite
    LEFT JOIN stele_origin AS o ON o.number = (SELECT MIN(n.number) FROM stele_origin AS n                -- @has transcripts
                                                WHERE n.session_id = s.id)                                -- @has transcripts
   WHERE TRUE
     AND s.source IN :source_filter                                                         -- @if source_filter
     AND s.started_at < :until                                                              -- @if until
     AND o.cwd IN :project_filter                                                           -- @if project_filter @has transcripts
     AND s.source IN :project_filter AND FALSE                                              -- @if project_filter @lacks transcripts
     AND (s.parent_session_id IS NULL                                                       -- @if main
          OR o.link <> 'subagent'                                                           -- @if main @has transcripts
          OR NOT EXISTS (SELECT 1 FROM sessions AS p WHERE p.id = s.parent_session_id       -- @if main
                            AND NOT COALESCE(p.end_reason IN ('compression', 'branched')    -- @if main
                                             AND s.started_at >= p.ended_at, FALSE)))       -- @if main
     AND (s.archived = 0 OR s.archived IS NULL)                                             -- @has archived
     AND COALESCE(                                                                          -- @if since
             a.latest,                                                                      -- @if since @has activity
             (SELECT MAX(m.timestamp) FROM messages AS m WHERE m.session_id = s.id),        -- @if since
             s.started_at) >= :since                                                        -- @if since
     AND instr(lower(COALESCE(s.title, '') || ' ' || s.id || ' '                            -- @if text @for sqlite
               || COALESCE(o.cwd, '') || ' ' || COALESCE(o.branch, '') || ' '               -- @if text @for sqlite @has transcripts
               || COALESCE(s.model, '')), lower(:text)) > 0                                 -- @if text @for sqlite
     AND strpos(lower((COALESCE(s.title, '') || ' ' || s.id || ' '                          -- @if text @for postgres
                || COALESCE(o.cwd, '') || ' ' || COALESCE(o.branch, '') || ' '              -- @if text @for postgres @has transcripts
                || COALESCE(s.model, '')) COLLATE "C"), lower(:text COLLATE "C")) > 0       -- @if text @for postgres
   ORDER BY
            activity DESC,                                                                  -- @if by_activity
            amount DESC NULLS LAST,                                                         -- @if by_amount
            s.started_at DESC, s.id DESC
   LIMIT :limit OFFSET :offset
)
SELECT s.id, s.title,
       (SELECT m.content FROM messages AS m
         WHERE m.session_id = s.id AND m.role = 'user' AND m.content IS NOT NULL
         ORDER BY m.timestamp, m.id LIMIT 1) AS preview,
       s.source, s.model,
       o.cwd AS project, o.branch,                                                          -- @has transcripts
       CAST(NULL AS TEXT) AS project, CAST(NULL AS TEXT) AS branch,                         -- @lacks transcripts
       s.parent_session_id, s.started_at, s.ended_at,
       COALESCE((SELECT MAX(m.timestamp) FROM messages AS m WHERE m.session_id = s.id), s.started_at) AS last_active,
       COALESCE(s.message_count, 0) AS message_count, COALESCE(s.tool_call_count, 0) AS tool_call_count,
       COALESCE(s.input_tokens, 0) + COALESCE(s.cache_read_tokens, 0) + COALESCE(s.cache_write_tokens, 0) AS input_tokens,
       COALESCE(s.output_tokens, 0) AS output_tokens, COALESCE(s.actual_cost_usd, s.estimated_cost_usd) AS cost_usd
  FROM page
  JOIN sessions AS s ON s.id = page.id
  LEFT JOIN stele_origin AS o ON o.number = (SELECT MIN(n.number) FROM stele_origin AS n WHERE n.session_id = s.id)   -- @has transcripts
 ORDER BY
          page.activity DESC,                                                               -- @if by_activity
          page.amount DESC NULLS LAST,                                                      -- @if by_amount
          page.started_at DESC, page.id DESC;

-- @method conversation.session_facets  many  read
-- The sources and projects that there are, those with the most sessions first.
-- @http GET /v1/find/facets
-- @result facet     text  source or project
-- @result value     text  which
-- @result sessions  int   their number
SELECT 'source' AS facet, source AS value, COUNT(*) AS sessions FROM sessions GROUP BY source
UNION ALL                                                                                   -- @has transcripts
SELECT 'project', o.cwd, COUNT(*) FROM stele_origin AS o JOIN sessions AS s ON s.id = o.session_id   -- @has transcripts
 WHERE o.cwd IS NOT NULL GROUP BY o.cwd                                                     -- @has transcripts
 ORDER BY facet DESC, sessions DESC, value;

-- @method conversation.session_span  one  read
-- Where the messages of a session begin and end, for a reader who takes them in pages.
-- @param  session_id  text   which session
-- @http GET /v1/sessions/{session_id}/span
-- @result messages    int    how many there are
-- @result first_id    int?   the number of the first
-- @result last_id     int?   the number of the last
-- @feature session_order
SELECT COUNT(*) AS messages, MIN(id) AS first_id, MAX(id) AS last_id FROM messages
 WHERE session_id = :session_id
   AND active = 1                                                                           -- @has rewind
;
