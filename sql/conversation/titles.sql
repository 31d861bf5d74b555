-- Titles: unique where there is one, and numbered along a lineage ("Fix it", "Fix it #2", ...).
-- A number's title is told from its base without regard to the case of ASCII letters.

-- @method conversation.sanitize_title  one  read
-- A title as it would be kept: without control and invisible characters, every run of white space
-- one space. Longer than 100 characters: INVALID.
-- @param  title  text?   a title
-- @result title  text?   the same, clean; null if nothing is left
-- @native st_conversation_sanitize_title

-- @method conversation.set_session_title  one  write
-- Give a session a title, cleaned as sanitize_title does; an empty one takes it away. A title that
-- another session has: INVALID.
-- @param  session_id  text    which session
-- @param  title       text?   its title
-- @result updated     bool    false if there is no such session
-- @result title       text?   the title as it is kept
-- @native st_conversation_set_session_title

-- @method conversation.find_title  one  read  private
-- Which session has a title.
-- @param  title       text   the title
-- @param  session_id  text   not this one
-- @result id          text   the session
SELECT id FROM sessions WHERE title = :title AND id <> :session_id;

-- @method conversation.write_title  none  write  private
-- Set the title of a session.
-- @param  session_id  text          which session
-- @param  title       text?         its title
-- @result updated     int changed   1, or 0 if there is none
UPDATE sessions SET title = :title WHERE id = :session_id;

-- @method conversation.get_session_title  one  read
-- The title of a session; null if there is no such session.
-- @param  session_id  text    which session
-- @result title       text?   its title
SELECT title FROM sessions WHERE id = :session_id;

-- @method conversation.get_session_by_title  one  read
-- The session with exactly this title, or null.
-- @param  title  text   the title
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
       COALESCE(s.archived, 0) <> 0 AS archived                                             -- @has archived
       FALSE AS archived                                                                    -- @lacks archived
  FROM sessions AS s WHERE s.title = :title;

-- @method conversation.resolve_session_by_title  one  read
-- The newest session of a title's lineage: of those titled "TITLE #..." the one that started last, or
-- else the one with exactly this title; null if there is none.
-- @param  title       text   the title, without a number
-- @result session_id  text   the session
-- @feature session_names
SELECT id AS session_id
  FROM (SELECT id, started_at, 0 AS exact
          FROM sessions
         WHERE title IS NOT NULL
           AND lower(title) >= lower(:title) || ' #' AND lower(title) < lower(:title) || ' $'             -- @for sqlite
           AND lower(title) >= lower(:title COLLATE "C") || ' #' AND lower(title) < lower(:title COLLATE "C") || ' $'  -- @for postgres
        UNION ALL
        SELECT id, started_at, 1 FROM sessions WHERE title = :title) AS found
 ORDER BY exact, started_at DESC, id DESC
 LIMIT 1;

-- @method conversation.get_next_title_in_lineage  one  read
-- The title for the next session of a lineage: the base with the next number, or the base itself if
-- no session has it. A number at the end of what is sent is left away first.
-- @param  base_title  text   e.g. "Fix it" or "Fix it #2"
-- @result title       text   e.g. "Fix it #3"
-- @feature session_names
-- @native st_conversation_get_next_title_in_lineage

-- @method conversation.list_titles  many  read  private
-- The titles of a lineage: the base itself, and those that begin with it and " #".
-- @param  base    text   the base
-- @param  prefix  text   the base and " #", ASCII letters small
-- @result title   text   a title
SELECT title FROM sessions WHERE title = :base
UNION ALL
SELECT title FROM sessions
 WHERE title IS NOT NULL
   AND lower(title) >= :prefix AND lower(title) < substr(:prefix, 1, length(:prefix) - 1) || '$'; -- which comes after #
