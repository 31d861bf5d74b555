-- Export and import: sessions with their messages, as one JSON object each.

-- @method conversation.export_session  one  read
-- A session with all its messages, as import_session takes it back; null if there is no such session.
-- @param  session_id  text   which session
-- @http GET /v1/sessions/{session_id}/export
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
-- @result messages            json   its messages, in their order, as get_messages tells them
-- @feature session_order
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
-- @for sqlite
       (SELECT json_group_array(json_object(
                 'id', m.id, 'session_id', m.session_id, 'role', m.role,
                 'content', CASE WHEN typeof(m.content) = 'blob' THEN hex(m.content)
                                 WHEN substr(CAST(m.content AS BLOB), 1, 6) = x'006a736f6e3a'
                                  AND json_valid(CAST(substr(CAST(m.content AS BLOB), 7) AS TEXT))
                                 THEN json(CAST(substr(CAST(m.content AS BLOB), 7) AS TEXT))
                                 ELSE m.content END,
                 'tool_call_id', m.tool_call_id,
                 'tool_calls', CASE WHEN m.tool_calls IS NULL THEN NULL
                                    WHEN json_valid(m.tool_calls) THEN json(m.tool_calls)
                                    ELSE json('[]') END,
                 'tool_name', m.tool_name, 'timestamp', json(printf('%!.17g', m.timestamp)),
                 'token_count', m.token_count, 'finish_reason', m.finish_reason,
                 'reasoning', m.reasoning, 'reasoning_content', m.reasoning_content,
                 'reasoning_details', CASE WHEN json_valid(m.reasoning_details)
                                           THEN json(m.reasoning_details)
                                           ELSE m.reasoning_details END,
                 'codex_reasoning_items', CASE WHEN json_valid(m.codex_reasoning_items)
                                               THEN json(m.codex_reasoning_items)
                                               ELSE m.codex_reasoning_items END,
                 'codex_message_items', CASE WHEN json_valid(m.codex_message_items)
                                             THEN json(m.codex_message_items)
                                             ELSE m.codex_message_items END))
          FROM (SELECT * FROM messages AS n WHERE n.session_id = s.id
                   AND n.active = 1                          -- @has rewind
                 ORDER BY n.id) AS m) AS messages
-- @for postgres
       COALESCE((SELECT json_agg(json_build_object(
                 'id', m.id, 'session_id', m.session_id, 'role', m.role,
                 'content', CASE WHEN left(m.content, 7) = chr(1) || 'Njson:'
                                 THEN CAST(substr(m.content, 8) AS JSON)
                                 WHEN left(m.content, 2) = chr(1) || 'N'
                                 THEN CAST('"\u0000' || substr(CAST(to_json(substr(m.content, 3)) AS TEXT), 2) AS JSON)
                                 WHEN left(m.content, 2) = chr(1) || 'S'
                                 THEN to_json(substr(m.content, 1, 1) || substr(m.content, 3))
                                 ELSE to_json(m.content) END,
                 'tool_call_id', m.tool_call_id, 'tool_calls', CAST(m.tool_calls AS JSON),
                 'tool_name', m.tool_name, 'timestamp', m.timestamp, 'token_count', m.token_count,
                 'finish_reason', m.finish_reason, 'reasoning', m.reasoning,
                 'reasoning_content', m.reasoning_content,
                 'reasoning_details', CAST(m.reasoning_details AS JSON),
                 'codex_reasoning_items', CAST(m.codex_reasoning_items AS JSON),
                 'codex_message_items', CAST(m.codex_message_items AS JSON)) ORDER BY m.id)
          FROM messages AS m WHERE m.session_id = s.id
                   AND m.active = 1                          -- @has rewind
                ), '[]') AS messages
-- @for both
  FROM sessions AS s WHERE s.id = :session_id;

-- @method conversation.export_all  many  read
-- All sessions with all their messages, the first started first: parents come before their children,
-- so that any part of it can be imported as it comes. Read row by row, it needs memory for one
-- session only, and is of one moment however long it takes.
-- @param  source              text optional   only those of this source
-- @http GET /v1/export
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
-- @result messages            json   its messages, in their order, as get_messages tells them
-- @feature session_order
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
       COALESCE((SELECT MAX(m.timestamp) FROM messages AS m WHERE m.session_id = s.id),
                s.started_at) AS last_active,
-- @for sqlite
       (SELECT json_group_array(json_object(
                 'id', m.id, 'session_id', m.session_id, 'role', m.role,
                 'content', CASE WHEN typeof(m.content) = 'blob' THEN hex(m.content)
                                 WHEN substr(CAST(m.content AS BLOB), 1, 6) = x'006a736f6e3a'
                                  AND json_valid(CAST(substr(CAST(m.content AS BLOB), 7) AS TEXT))
                                 THEN json(CAST(substr(CAST(m.content AS BLOB), 7) AS TEXT))
                                 ELSE m.content END,
                 'tool_call_id', m.tool_call_id,
                 'tool_calls', CASE WHEN m.tool_calls IS NULL THEN NULL
                                    WHEN json_valid(m.tool_calls) THEN json(m.tool_calls)
                                    ELSE json('[]') END,
                 'tool_name', m.tool_name, 'timestamp', json(printf('%!.17g', m.timestamp)),
                 'token_count', m.token_count, 'finish_reason', m.finish_reason,
                 'reasoning', m.reasoning, 'reasoning_content', m.reasoning_content,
                 'reasoning_details', CASE WHEN json_valid(m.reasoning_details)
                                           THEN json(m.reasoning_details)
                                           ELSE m.reasoning_details END,
                 'codex_reasoning_items', CASE WHEN json_valid(m.codex_reasoning_items)
                                               THEN json(m.codex_reasoning_items)
                                               ELSE m.codex_reasoning_items END,
                 'codex_message_items', CASE WHEN json_valid(m.codex_message_items)
                                             THEN json(m.codex_message_items)
                                             ELSE m.codex_message_items END))
          FROM (SELECT * FROM messages AS n WHERE n.session_id = s.id
                   AND n.active = 1                          -- @has rewind
                 ORDER BY n.id) AS m) AS messages
-- @for postgres
       COALESCE((SELECT json_agg(json_build_object(
                 'id', m.id, 'session_id', m.session_id, 'role', m.role,
                 'content', CASE WHEN left(m.content, 7) = chr(1) || 'Njson:'
                                 THEN CAST(substr(m.content, 8) AS JSON)
                                 WHEN left(m.content, 2) = chr(1) || 'N'
                                 THEN CAST('"\u0000' || substr(CAST(to_json(substr(m.content, 3)) AS TEXT), 2) AS JSON)
                                 WHEN left(m.content, 2) = chr(1) || 'S'
                                 THEN to_json(substr(m.content, 1, 1) || substr(m.content, 3))
                                 ELSE to_json(m.content) END,
                 'tool_call_id', m.tool_call_id, 'tool_calls', CAST(m.tool_calls AS JSON),
                 'tool_name', m.tool_name, 'timestamp', m.timestamp, 'token_count', m.token_count,
                 'finish_reason', m.finish_reason, 'reasoning', m.reasoning,
                 'reasoning_content', m.reasoning_content,
                 'reasoning_details', CAST(m.reasoning_details AS JSON),
                 'codex_reasoning_items', CAST(m.codex_reasoning_items AS JSON),
                 'codex_message_items', CAST(m.codex_message_items AS JSON)) ORDER BY m.id)
          FROM messages AS m WHERE m.session_id = s.id
                   AND m.active = 1                          -- @has rewind
                ), '[]') AS messages
-- @for both
  FROM sessions AS s
 WHERE +s.source = :source                                   -- @if source @for sqlite
 WHERE s.source = :source                                    -- @if source @for postgres
 ORDER BY s.started_at, s.id;

-- @method conversation.import_sessions  one  write
-- Take sessions back that export_session or export_all told: all or none. A session whose id is
-- there already is left as it is and counted, so the same import can be repeated. Ids, order, times
-- and counters are kept. The numbers of messages are kept where all of a session's are above those
-- in use; otherwise new ones are given, in the same order. A parent that is neither there nor sent
-- is left away; a title that another session has gets a number.
-- @param  sessions  conversation.import_session[]   the sessions, in any order
-- @result imported  int   sessions taken
-- @result skipped   int   sessions that were there
-- @result messages  int   messages taken
-- @result orphaned  int   sessions whose parent was left away
-- @result retitled  int   sessions that got another title
-- @feature archived
-- @feature handoff
-- @native st_conversation_import_sessions

-- @method conversation.import_session  one  write
-- Take one session back: import_sessions with the fields of export_session as arguments.
-- @param  id                  text                             its id
-- @param  source              text                             where it runs, e.g. cli
-- @param  user_id             text? = null                     whose it is
-- @param  model               text? = null                     the model
-- @param  model_config        json? optional                   the model's settings
-- @param  system_prompt       text? = null                     the system prompt
-- @param  parent_session_id   text? = null                     the session it came from
-- @param  started_at          time                             when it started
-- @param  ended_at            time? = null                     when it ended; null while it runs
-- @param  end_reason          text? = null                     why it ended
-- @param  message_count       int? = null                      messages counted; null: those that are sent
-- @param  tool_call_count     int? = null                      tool calls counted; null: those that are sent
-- @param  input_tokens        int? = null                      tokens read
-- @param  output_tokens       int? = null                      tokens written
-- @param  cache_read_tokens   int? = null                      tokens read from a cache
-- @param  cache_write_tokens  int? = null                      tokens written to a cache
-- @param  reasoning_tokens    int? = null                      tokens of reasoning
-- @param  billing_provider    text? = null                     who bills
-- @param  billing_base_url    text? = null                     at which address
-- @param  billing_mode        text? = null                     how
-- @param  estimated_cost_usd  real? = null                     estimated cost
-- @param  actual_cost_usd     real? = null                     actual cost
-- @param  cost_status         text? = null                     how far the cost is known
-- @param  cost_source         text? = null                     where the cost comes from
-- @param  pricing_version     text? = null                     which price list
-- @param  title               text? = null                     its title
-- @param  api_call_count      int? = null                      calls of the model
-- @param  handoff_state       text? = null                     pending, running, completed or failed
-- @param  handoff_platform    text? = null                     where it is to go on
-- @param  handoff_error       text? = null                     why the handoff failed
-- @param  archived            bool = false                     put away: lists leave it out
-- @param  last_active         time? = null                     not used: the messages tell it
-- @param  messages            conversation.put_message[] = []  its messages, in their order
-- @result imported  int   1, or 0 if the session was there
-- @result skipped   int   1 if the session was there
-- @result messages  int   messages taken
-- @result orphaned  int   1 if its parent was left away
-- @result retitled  int   1 if it got another title
-- @feature archived
-- @feature handoff
-- @native st_conversation_import_session

-- @method conversation.put_session  none  write  private
-- A session as it is taken back. The parameters are the first of import_session.
-- @param  id                  text            its id
-- @param  source              text            where it runs, e.g. cli
-- @param  user_id             text? = null    whose it is
-- @param  model               text? = null    the model
-- @param  model_config        json? optional  the model's settings
-- @param  system_prompt       text? = null    the system prompt
-- @param  parent_session_id   text? = null    the session it came from
-- @param  started_at          time            when it started
-- @param  ended_at            time? = null    when it ended; null while it runs
-- @param  end_reason          text? = null    why it ended
-- @param  message_count       int? = null     messages counted; null: those that are sent
-- @param  tool_call_count     int? = null     tool calls counted; null: those that are sent
-- @param  input_tokens        int? = null     tokens read
-- @param  output_tokens       int? = null     tokens written
-- @param  cache_read_tokens   int? = null     tokens read from a cache
-- @param  cache_write_tokens  int? = null     tokens written to a cache
-- @param  reasoning_tokens    int? = null     tokens of reasoning
-- @param  billing_provider    text? = null    who bills
-- @param  billing_base_url    text? = null    at which address
-- @param  billing_mode        text? = null    how
-- @param  estimated_cost_usd  real? = null    estimated cost
-- @param  actual_cost_usd     real? = null    actual cost
-- @param  cost_status         text? = null    how far the cost is known
-- @param  cost_source         text? = null    where the cost comes from
-- @param  pricing_version     text? = null    which price list
-- @param  title               text? = null    its title
-- @param  api_call_count      int? = null     calls of the model
-- @param  handoff_state       text? = null    pending, running, completed or failed
-- @param  handoff_platform    text? = null    where it is to go on
-- @param  handoff_error       text? = null    why the handoff failed
-- @param  archived            bool = false                     put away: lists leave it out
-- @feature archived
-- @feature handoff
INSERT INTO sessions (id, source, user_id, model, model_config, system_prompt, parent_session_id,
                      started_at, ended_at, end_reason, message_count, tool_call_count, input_tokens,
                      output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
                      billing_provider, billing_base_url, billing_mode, estimated_cost_usd,
                      actual_cost_usd, cost_status, cost_source, pricing_version, title,
                      api_call_count, handoff_state, handoff_platform, handoff_error, archived)
VALUES (:id, :source, :user_id, :model,
        CASE WHEN json(:model_config) IN ('{}', '[]', 'null') THEN NULL ELSE :model_config END,   -- @for sqlite
        CASE WHEN CAST(:model_config AS TEXT) ~ '^(\{\s*\}|\[\s*\]|null)$' THEN NULL              -- @for postgres
             ELSE CAST(:model_config AS TEXT) END,                                                -- @for postgres
        :system_prompt, :parent_session_id, :started_at, :ended_at, :end_reason, :message_count,
        :tool_call_count, :input_tokens, :output_tokens, :cache_read_tokens, :cache_write_tokens,
        :reasoning_tokens, :billing_provider, :billing_base_url, :billing_mode, :estimated_cost_usd,
        :actual_cost_usd, :cost_status, :cost_source, :pricing_version, :title, :api_call_count,
        :handoff_state, :handoff_platform, :handoff_error, CASE WHEN :archived THEN 1 ELSE 0 END);

-- @method conversation.has_session  one  read  private
-- Is there a session of that id?
-- @param  session_id  text   the id
-- @result found       int    1
SELECT 1 AS found FROM sessions WHERE id = :session_id;

-- @method conversation.highest_message  one  read  private
-- The highest number that a message ever had.
-- @result id  int   the number; 0 if there was none
-- @for sqlite
SELECT COALESCE(MAX(seq), 0) AS id FROM sqlite_sequence WHERE name = 'messages';
-- @for postgres
SELECT GREATEST(COALESCE(MAX(id), 0), COALESCE(pg_sequence_last_value(
         CAST(pg_get_serial_sequence('messages', 'id') AS REGCLASS)), 0)) AS id
  FROM messages;
-- @for both

-- @method conversation.count_numbers  one  read  private
-- How many of some numbers messages have.
-- @param  ids    int[]   the numbers
-- @result count  int     how many are in use
SELECT COUNT(*) AS count FROM messages WHERE id IN :ids;
