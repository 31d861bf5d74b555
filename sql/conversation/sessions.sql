-- Sessions of the conversation store: their life, their accounts, the notes of the store.
--
-- A session's fields are the same wherever one is replied. What a file of a later version may have
-- (archived) is told as if every file had it.

-- ---- Life ----

-- @method conversation.create_session  one  write
-- Start a session. If there is one with this id already, nothing changes.
-- @param  session_id         text            its id, e.g. "20260131_120000_a1b2c3"
-- @param  source             text            where it runs, e.g. "cli", "telegram"
-- @param  model              text? = null    the model
-- @param  model_config       json? optional  the model's settings; {} is kept as null
-- @param  system_prompt      text? = null    the system prompt
-- @param  user_id            text? = null    whose it is
-- @param  parent_session_id  text? = null    the session it comes from
-- @param  started_at         time = now      when it started
-- @result session_id         text            its id
-- @else NOTFOUND parent_session_id
SELECT 1 AS allowed
 WHERE CAST(:parent_session_id AS TEXT) IS NULL
    OR EXISTS (SELECT 1 FROM sessions WHERE id IN (:parent_session_id, :session_id));
INSERT INTO sessions (id, source, model, model_config, system_prompt, user_id, parent_session_id,
                      started_at)
VALUES (:session_id, :source, :model,
        CASE WHEN json(:model_config) IN ('{}', '[]', 'null') THEN NULL ELSE :model_config END,   -- @for sqlite
        CASE WHEN CAST(:model_config AS TEXT) ~ '^(\{\s*\}|\[\s*\]|null)$' THEN NULL              -- @for postgres
             ELSE CAST(:model_config AS TEXT) END,                                                -- @for postgres
        :system_prompt, :user_id, :parent_session_id, :started_at)
ON CONFLICT (id) DO NOTHING;
SELECT :session_id AS session_id;

-- @method conversation.ensure_session  one  write
-- Make sure that a session exists, so that messages can be kept whose session could not be started.
-- An existing session is not changed.
-- @param  session_id         text               its id
-- @param  source             text = "unknown"   where it runs
-- @param  model              text? = null       the model
-- @param  model_config       json? optional     the model's settings; {} is kept as null
-- @param  system_prompt      text? = null       the system prompt
-- @param  user_id            text? = null       whose it is
-- @param  parent_session_id  text? = null       the session it comes from
-- @param  started_at         time = now         when it started
-- @result session_id         text               its id
-- @else NOTFOUND parent_session_id
SELECT 1 AS allowed
 WHERE CAST(:parent_session_id AS TEXT) IS NULL
    OR EXISTS (SELECT 1 FROM sessions WHERE id IN (:parent_session_id, :session_id));
INSERT INTO sessions (id, source, model, model_config, system_prompt, user_id, parent_session_id,
                      started_at)
VALUES (:session_id, :source, :model,
        CASE WHEN json(:model_config) IN ('{}', '[]', 'null') THEN NULL ELSE :model_config END,   -- @for sqlite
        CASE WHEN CAST(:model_config AS TEXT) ~ '^(\{\s*\}|\[\s*\]|null)$' THEN NULL              -- @for postgres
             ELSE CAST(:model_config AS TEXT) END,                                                -- @for postgres
        :system_prompt, :user_id, :parent_session_id, :started_at)
ON CONFLICT (id) DO NOTHING;
SELECT :session_id AS session_id;

-- @method conversation.end_session  none  write
-- End a session. The first end counts: an ended session keeps its time and reason, and an unknown
-- one is no error. The reasons "compression" and "branched" make later children of the session its
-- continuation or its branches.
-- @param  session_id  text          which session
-- @param  end_reason  text          why, e.g. "user_exit"
-- @param  ended_at    time = now    when
-- @result ended       int changed   1, or 0 if it had ended before or does not exist
UPDATE sessions SET ended_at = :ended_at, end_reason = :end_reason
 WHERE id = :session_id AND ended_at IS NULL;

-- @method conversation.reopen_session  none  write
-- Take the end of a session back. An unknown session is no error.
-- @param  session_id  text          which session
-- @result reopened    int changed   1, or 0 if it does not exist
UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = :session_id;

-- @method conversation.update_system_prompt  none  write
-- Replace the system prompt of a session. An unknown session is no error.
-- @param  session_id     text          which session
-- @param  system_prompt  text?         the new one
-- @result updated        int changed   1, or 0 if it does not exist
UPDATE sessions SET system_prompt = :system_prompt WHERE id = :session_id;

-- @method conversation.set_session_archived  none  write
-- Put a session away, so that lists leave it out, or take it back. Nothing of it is deleted.
-- @param  session_id  text          which session
-- @param  archived    bool = true   put away, or not
-- @feature archived
-- @else NOTFOUND session_id
UPDATE sessions SET archived = CASE WHEN :archived THEN 1 ELSE 0 END WHERE id = :session_id;

-- @method conversation.delete_session  none  write
-- Delete a session and its messages. Its children stay, without a parent. What was kept elsewhere
-- under its id (transcript files) is not touched.
-- @param  session_id  text            which session
-- @result deleted     int changed 3   1, or 0 if it does not exist
-- @result messages    int changed 2   its messages
UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = :session_id;
DELETE FROM messages WHERE session_id = :session_id;
DELETE FROM sessions WHERE id = :session_id;

-- ---- Reading ----

-- @method conversation.get_session  one  read
-- A session, or null.
-- @param  session_id  text   which session
-- @http GET /v1/sessions/{session_id}
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
  FROM sessions AS s WHERE s.id = :session_id;

-- @method conversation.session_count  one  read
-- How many sessions there are.
-- @param  source  text optional   only those of this source
-- @result count   int             their number
SELECT COUNT(*) AS count FROM sessions
 WHERE source = :source                                      -- @if source
;

-- @method conversation.message_count  one  read
-- How many messages there are: rows, not the counters of the sessions.
-- @param  session_id  text optional   only those of this session
-- @result count       int             their number
SELECT COUNT(*) AS count FROM messages
 WHERE TRUE
   AND session_id = :session_id                              -- @if session_id
   AND active = 1                                            -- @has rewind
;

-- ---- Accounts ----

-- @method conversation.update_token_counts  none  write
-- Add to the tokens, costs and calls of a session, or, with absolute, set them. A session that does
-- not exist is made, with the source "unknown", so that no count is lost. What is said of model and
-- billing is kept only where nothing was said before; cost_status, cost_source and pricing_version
-- are replaced. With absolute, what is not sent becomes 0; actual_cost_usd alone stays as it is.
-- @param  session_id          text              which session
-- @param  input_tokens        int = 0           tokens read
-- @param  output_tokens       int = 0           tokens written
-- @param  model               text? = null      the model
-- @param  cache_read_tokens   int = 0           tokens read from a cache
-- @param  cache_write_tokens  int = 0           tokens written to a cache
-- @param  reasoning_tokens    int = 0           tokens of reasoning
-- @param  estimated_cost_usd  real? = null      estimated cost
-- @param  actual_cost_usd     real? = null      actual cost
-- @param  cost_status         text? = null      how far the cost is known
-- @param  cost_source         text? = null      where the cost comes from
-- @param  pricing_version     text? = null      which price list
-- @param  billing_provider    text? = null      who bills
-- @param  billing_base_url    text? = null      at which address
-- @param  billing_mode        text? = null      how
-- @param  api_call_count      int = 0           calls of the model
-- @param  absolute            bool = false      set instead of add
-- @param  now                 time = now        start of a session that is made
INSERT INTO sessions (id, source, model, started_at)
VALUES (:session_id, 'unknown', :model, :now)
ON CONFLICT (id) DO NOTHING;
UPDATE sessions
   SET input_tokens       = :input_tokens + CASE WHEN :absolute THEN 0 ELSE COALESCE(input_tokens, 0) END,
       output_tokens      = :output_tokens + CASE WHEN :absolute THEN 0 ELSE COALESCE(output_tokens, 0) END,
       cache_read_tokens  = :cache_read_tokens
                          + CASE WHEN :absolute THEN 0 ELSE COALESCE(cache_read_tokens, 0) END,
       cache_write_tokens = :cache_write_tokens
                          + CASE WHEN :absolute THEN 0 ELSE COALESCE(cache_write_tokens, 0) END,
       reasoning_tokens   = :reasoning_tokens
                          + CASE WHEN :absolute THEN 0 ELSE COALESCE(reasoning_tokens, 0) END,
       api_call_count     = :api_call_count
                          + CASE WHEN :absolute THEN 0 ELSE COALESCE(api_call_count, 0) END,
       estimated_cost_usd = COALESCE(:estimated_cost_usd, 0)
                          + CASE WHEN :absolute THEN 0 ELSE COALESCE(estimated_cost_usd, 0) END,
       actual_cost_usd    = COALESCE(:actual_cost_usd
                          + CASE WHEN :absolute THEN 0 ELSE COALESCE(actual_cost_usd, 0) END, actual_cost_usd),
       cost_status        = COALESCE(:cost_status, cost_status),
       cost_source        = COALESCE(:cost_source, cost_source),
       pricing_version    = COALESCE(:pricing_version, pricing_version),
       billing_provider   = COALESCE(billing_provider, :billing_provider),
       billing_base_url   = COALESCE(billing_base_url, :billing_base_url),
       billing_mode       = COALESCE(billing_mode, :billing_mode),
       model              = COALESCE(model, :model)
 WHERE id = :session_id;

-- @method conversation.usage_by_model  many  read
-- Sessions, tokens and costs of each model, the most expensive first.
-- @param  since          time optional   only sessions started at or after this
-- @param  until          time optional   only sessions started before this
-- @http GET /v1/usage
-- @result model          text            the model
-- @result session_count  int             its sessions
-- @result total_input    int             tokens read
-- @result total_output   int             tokens written
-- @result total_cost     real?           estimated cost; null if it is known of none
SELECT model,
       COUNT(*) AS session_count,
       CAST(COALESCE(SUM(input_tokens), 0) AS BIGINT) AS total_input,
       CAST(COALESCE(SUM(output_tokens), 0) AS BIGINT) AS total_output,
       SUM(estimated_cost_usd) AS total_cost
  FROM sessions
 WHERE model IS NOT NULL
   AND started_at >= :since                                  -- @if since
   AND started_at < :until                                   -- @if until
 GROUP BY model
 ORDER BY total_cost DESC NULLS LAST, model;

-- @method conversation.top_sessions  many  read
-- The sessions that used most tokens.
-- @param  limit               int(1..10000) = 10   at most this many
-- @param  since               time optional        only sessions started at or after this
-- @param  until               time optional        only sessions started before this
-- @result id                  text                 the session
-- @result title               text?                its title
-- @result model               text?                its model
-- @result total_tokens        int                  tokens read and written
-- @result estimated_cost_usd  real?                estimated cost
SELECT id, title, model,
       COALESCE(input_tokens, 0) + COALESCE(output_tokens, 0) AS total_tokens,
       estimated_cost_usd
  FROM sessions
 WHERE TRUE
   AND started_at >= :since                                  -- @if since
   AND started_at < :until                                   -- @if until
 ORDER BY total_tokens DESC, started_at DESC, id DESC
 LIMIT :limit;

-- ---- Notes ----

-- @method conversation.get_meta  one  read
-- A note of the store, or null.
-- @param  key    text    its name
-- @result value  text?   what it says
SELECT value FROM state_meta WHERE key = :key;

-- @method conversation.set_meta  none  write
-- Write a note of the store; one of that name is replaced.
-- @param  key    text    its name
-- @param  value  text?   what it says
INSERT INTO state_meta (key, value) VALUES (:key, :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;
