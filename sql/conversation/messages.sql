-- Messages of the conversation store.
--
-- A session's messages are ordered by their numbers, never by their times. tool_calls and the other
-- JSON fields are kept as they came; what is empty (null, [], {}, "", 0, false) is kept as null.

-- ---- Writing ----

-- @method conversation.append_message  one  write
-- Append a message to a session, and count it and its tool calls there. With an idempotency_key, a
-- call that is sent again writes nothing and gets the number it got the first time.
-- @param  session_id             text                which session
-- @param  role                   text                who speaks: user, assistant, tool, system
-- @param  content                content? = null     what is said: a text, or JSON parts
-- @param  tool_name              text? = null        the tool that answers
-- @param  tool_calls             json? optional      the calls it asks for, a list
-- @param  tool_call_id           text? = null        of a tool's answer: the call it answers
-- @param  token_count            int? = null         its tokens
-- @param  finish_reason          text? = null        why the model stopped
-- @param  reasoning              text? = null        reasoning, as a text
-- @param  reasoning_content      text? = null        reasoning, as the provider gave it
-- @param  reasoning_details      json? optional      reasoning, in parts
-- @param  codex_reasoning_items  json? optional      reasoning items of the Responses API
-- @param  codex_message_items    json? optional      message items of the Responses API
-- @param  timestamp              time = now          when it was said; the order does not depend on it
-- @param  idempotency_key        text optional       unique for this message
-- @result id                     int                 the message's number
-- @idempotent idempotency_key
-- @else NOTFOUND session_id
UPDATE sessions
   SET message_count = COALESCE(message_count, 0) + 1
     , tool_call_count = COALESCE(tool_call_count, 0)                                        -- @if tool_calls
     + CASE json_type(:tool_calls) WHEN 'array' THEN json_array_length(:tool_calls)          -- @if tool_calls @for sqlite
     + CASE json_typeof(:tool_calls) WHEN 'array' THEN json_array_length(:tool_calls)        -- @if tool_calls @for postgres
       WHEN 'null' THEN 0 ELSE 1 END                                                         -- @if tool_calls
 WHERE id = :session_id;
-- @for sqlite
INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp,
                      token_count, finish_reason, reasoning, reasoning_content, reasoning_details,
                      codex_reasoning_items, codex_message_items)
VALUES (:session_id, :role, :content, :tool_call_id,
        CASE WHEN json(:tool_calls) IN ('null', '[]', '{}', '""', '0', 'false') THEN NULL
             ELSE :tool_calls END,
        :tool_name, :timestamp, :token_count, :finish_reason, :reasoning, :reasoning_content,
        CASE WHEN json(:reasoning_details) IN ('null', '[]', '{}', '""', '0', 'false') THEN NULL
             ELSE :reasoning_details END,
        CASE WHEN json(:codex_reasoning_items) IN ('null', '[]', '{}', '""', '0', 'false') THEN NULL
             ELSE :codex_reasoning_items END,
        CASE WHEN json(:codex_message_items) IN ('null', '[]', '{}', '""', '0', 'false') THEN NULL
             ELSE :codex_message_items END)
RETURNING id;
-- @for postgres
INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp,
                      token_count, finish_reason, reasoning, reasoning_content, reasoning_details,
                      codex_reasoning_items, codex_message_items)
VALUES (:session_id, :role, :content, :tool_call_id,
        CASE WHEN CAST(:tool_calls AS TEXT) ~ '^(null|\[\s*\]|\{\s*\}|""|0|false)$' THEN NULL
             ELSE CAST(:tool_calls AS TEXT) END,
        :tool_name, :timestamp, :token_count, :finish_reason, :reasoning, :reasoning_content,
        CASE WHEN CAST(:reasoning_details AS TEXT) ~ '^(null|\[\s*\]|\{\s*\}|""|0|false)$' THEN NULL
             ELSE CAST(:reasoning_details AS TEXT) END,
        CASE WHEN CAST(:codex_reasoning_items AS TEXT) ~ '^(null|\[\s*\]|\{\s*\}|""|0|false)$' THEN NULL
             ELSE CAST(:codex_reasoning_items AS TEXT) END,
        CASE WHEN CAST(:codex_message_items AS TEXT) ~ '^(null|\[\s*\]|\{\s*\}|""|0|false)$' THEN NULL
             ELSE CAST(:codex_message_items AS TEXT) END)
RETURNING id;
-- @for both

-- @method conversation.replace_messages  one  write
-- Put other messages in the place of all messages of a session: all or none. They get new numbers;
-- the counters are set anew. Reasoning and codex items are kept of assistants only. A message
-- without a timestamp gets the present time, each a microsecond after the one before it. Rows of
-- get_messages can be sent back as they are. An empty list clears the session.
-- @param  session_id  text                          which session
-- @param  messages    conversation.put_message[]    the messages, in their order
-- @result count       int                           messages written
-- @native st_conversation_replace_messages

-- @method conversation.put_message  none  write  private
-- One message as it is written, and as lists of messages are sent: the fields of get_messages.
-- @param  id                     int? optional       its number; where it cannot be kept it is given anew
-- @param  session_id             text? optional      its session; that of the call is taken
-- @param  role                   text = "unknown"    who speaks
-- @param  content                content? = null     what is said
-- @param  tool_call_id           text? = null        of a tool's answer: the call it answers
-- @param  tool_calls             json? optional      the calls it asks for
-- @param  tool_name              text? = null        the tool that answers
-- @param  timestamp              time optional       when it was said
-- @param  token_count            int? = null         its tokens
-- @param  finish_reason          text? = null        why the model stopped
-- @param  reasoning              text? = null        reasoning, as a text
-- @param  reasoning_content      text? = null        reasoning, as the provider gave it
-- @param  reasoning_details      json? optional      reasoning, in parts
-- @param  codex_reasoning_items  json? optional      reasoning items of the Responses API
-- @param  codex_message_items    json? optional      message items of the Responses API
-- @for sqlite
INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp,
                      id,                                    -- @if id
                      token_count, finish_reason, reasoning, reasoning_content, reasoning_details,
                      codex_reasoning_items, codex_message_items)
VALUES (:session_id, :role, :content, :tool_call_id,
        CASE WHEN json(:tool_calls) IN ('null', '[]', '{}', '""', '0', 'false') THEN NULL
             ELSE :tool_calls END,
        :tool_name, :timestamp,
        :id,                                                 -- @if id
        :token_count, :finish_reason, :reasoning, :reasoning_content,
        CASE WHEN json(:reasoning_details) IN ('null', '[]', '{}', '""', '0', 'false') THEN NULL
             ELSE :reasoning_details END,
        CASE WHEN json(:codex_reasoning_items) IN ('null', '[]', '{}', '""', '0', 'false') THEN NULL
             ELSE :codex_reasoning_items END,
        CASE WHEN json(:codex_message_items) IN ('null', '[]', '{}', '""', '0', 'false') THEN NULL
             ELSE :codex_message_items END);
-- @for postgres
INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp,
                      id,                                    -- @if id
                      token_count, finish_reason, reasoning, reasoning_content, reasoning_details,
                      codex_reasoning_items, codex_message_items)
VALUES (:session_id, :role, :content, :tool_call_id,
        CASE WHEN CAST(:tool_calls AS TEXT) ~ '^(null|\[\s*\]|\{\s*\}|""|0|false)$' THEN NULL
             ELSE CAST(:tool_calls AS TEXT) END,
        :tool_name, :timestamp,
        :id,                                                 -- @if id
        :token_count, :finish_reason, :reasoning, :reasoning_content,
        CASE WHEN CAST(:reasoning_details AS TEXT) ~ '^(null|\[\s*\]|\{\s*\}|""|0|false)$' THEN NULL
             ELSE CAST(:reasoning_details AS TEXT) END,
        CASE WHEN CAST(:codex_reasoning_items AS TEXT) ~ '^(null|\[\s*\]|\{\s*\}|""|0|false)$' THEN NULL
             ELSE CAST(:codex_reasoning_items AS TEXT) END,
        CASE WHEN CAST(:codex_message_items AS TEXT) ~ '^(null|\[\s*\]|\{\s*\}|""|0|false)$' THEN NULL
             ELSE CAST(:codex_message_items AS TEXT) END);
-- @for both

-- @method conversation.write_counters  none  write  private
-- Set the counters of a session.
-- @param  session_id       text          which session
-- @param  message_count    int           its messages
-- @param  tool_call_count  int           its tool calls
-- @result updated          int changed   1, or 0 if there is none
UPDATE sessions SET message_count = :message_count, tool_call_count = :tool_call_count
 WHERE id = :session_id;

-- @method conversation.clear_messages  none  write
-- Delete the messages of a session and set its counters to 0; the session itself stays. An unknown
-- session is no error.
-- @param  session_id  text            which session
-- @result deleted     int changed 1   messages deleted
DELETE FROM messages WHERE session_id = :session_id;
UPDATE sessions SET message_count = 0, tool_call_count = 0 WHERE id = :session_id;

-- ---- Reading ----

-- @method conversation.get_messages  many  read
-- The messages of a session, in their order, with all that is kept of them. An unknown session has
-- none.
-- @param  session_id  text               which session
-- @param  after       int optional       only those numbered above this
-- @param  last        int(1..) optional  only the last so many of the session
-- @param  limit       int(1..) optional  at most this many
-- @http GET /v1/sessions/{session_id}/messages
-- @result id                     int       its number; gives the order
-- @result session_id             text      its session
-- @result role                   text      who spoke
-- @result content                content?  what was said: a text, or JSON parts
-- @result tool_call_id           text?     of a tool's answer: the call it answers
-- @result tool_calls             json?     the calls it asks for; [] if what is kept is no JSON
-- @result tool_name              text?     the tool that answered
-- @result timestamp              time      when
-- @result token_count            int?      its tokens
-- @result finish_reason          text?     why the model stopped
-- @result reasoning              text?     reasoning, as a text
-- @result reasoning_content      text?     reasoning, as the provider gave it
-- @result reasoning_details      json?     reasoning, in parts
-- @result codex_reasoning_items  json?     reasoning items of the Responses API
-- @result codex_message_items    json?     message items of the Responses API
-- @feature session_order
SELECT m.id, m.session_id, m.role, m.content, m.tool_call_id,
       CASE WHEN m.tool_calls IS NULL OR json_valid(m.tool_calls) THEN m.tool_calls ELSE '[]' END   -- @for sqlite
         AS tool_calls,                                                                             -- @for sqlite
       CAST(m.tool_calls AS JSON) AS tool_calls,                                                    -- @for postgres
       m.tool_name, m.timestamp, m.token_count, m.finish_reason, m.reasoning, m.reasoning_content,
       m.reasoning_details, m.codex_reasoning_items, m.codex_message_items                          -- @for sqlite
       CAST(m.reasoning_details AS JSON) AS reasoning_details,                                      -- @for postgres
       CAST(m.codex_reasoning_items AS JSON) AS codex_reasoning_items,                              -- @for postgres
       CAST(m.codex_message_items AS JSON) AS codex_message_items                                   -- @for postgres
  FROM messages AS m
 WHERE m.session_id = :session_id
   AND m.active = 1                                          -- @has rewind
   AND m.id > :after                                         -- @if after
   AND m.id >= COALESCE(                                     -- @if last
         (SELECT l.id FROM messages AS l                     -- @if last
           WHERE l.session_id = :session_id                  -- @if last
             AND l.active = 1                                -- @if last @has rewind
           ORDER BY l.id DESC LIMIT 1 OFFSET :last - 1), 0)  -- @if last
 ORDER BY m.id
 LIMIT :limit                                                -- @if limit
;

-- @method conversation.pop_message  one  write
-- Take the last message of a session away and tell it; null if the session has none. The counters follow.
-- @param  session_id  text   which session
-- @results conversation.get_messages
-- @feature session_order
-- @native st_conversation_pop_message

-- @method conversation.remove_message  none  write  private
-- Delete a message and take it off the counters of its session.
-- @param  message_id  int    which
-- @param  session_id  text   its session
-- @param  calls       int    its tool calls
DELETE FROM messages WHERE id = :message_id;
UPDATE sessions
   SET message_count = CASE WHEN message_count > 1 THEN message_count - 1 ELSE 0 END,
       tool_call_count = CASE WHEN tool_call_count > :calls THEN tool_call_count - :calls ELSE 0 END
 WHERE id = :session_id;

-- @method conversation.get_message  one  read
-- One message, with all that is kept of it; null if there is none of that number.
-- @param  message_id  int   its number
-- @result id                     int       its number
-- @result session_id             text      its session
-- @result role                   text      who spoke
-- @result content                content?  what was said: a text, or JSON parts
-- @result tool_call_id           text?     of a tool's answer: the call it answers
-- @result tool_calls             json?     the calls it asks for; [] if what is kept is no JSON
-- @result tool_name              text?     the tool that answered
-- @result timestamp              time      when
-- @result token_count            int?      its tokens
-- @result finish_reason          text?     why the model stopped
-- @result reasoning              text?     reasoning, as a text
-- @result reasoning_content      text?     reasoning, as the provider gave it
-- @result reasoning_details      json?     reasoning, in parts
-- @result codex_reasoning_items  json?     reasoning items of the Responses API
-- @result codex_message_items    json?     message items of the Responses API
SELECT m.id, m.session_id, m.role, m.content, m.tool_call_id,
       CASE WHEN m.tool_calls IS NULL OR json_valid(m.tool_calls) THEN m.tool_calls ELSE '[]' END   -- @for sqlite
         AS tool_calls,                                                                             -- @for sqlite
       CAST(m.tool_calls AS JSON) AS tool_calls,                                                    -- @for postgres
       m.tool_name, m.timestamp, m.token_count, m.finish_reason, m.reasoning, m.reasoning_content,
       m.reasoning_details, m.codex_reasoning_items, m.codex_message_items                          -- @for sqlite
       CAST(m.reasoning_details AS JSON) AS reasoning_details,                                      -- @for postgres
       CAST(m.codex_reasoning_items AS JSON) AS codex_reasoning_items,                              -- @for postgres
       CAST(m.codex_message_items AS JSON) AS codex_message_items                                   -- @for postgres
  FROM messages AS m
 WHERE m.id = :message_id
   AND m.active = 1                                          -- @has rewind
;

-- @method conversation.get_messages_around  one  read
-- A message with its neighbours in the session. Nothing if the message is not of that session.
-- @param  session_id         text      which session
-- @param  around_message_id  int       the message in the middle
-- @param  window             int = 5   neighbours on each side; negative is 0
-- @result window             json      the messages, in their order, as get_messages tells them
-- @result messages_before    int       how many come before the one in the middle
-- @result messages_after     int       how many come after it
-- @feature session_order
-- @native st_conversation_get_messages_around

-- @method conversation.get_anchored_view  one  read
-- A message with its neighbours, and how the session began and ended: for a reader who was led to the
-- middle of it. Neighbours of other roles are left out, never the message itself. The bookends are
-- the first and last messages with a text, of these roles, outside the neighbourhood.
-- @param  session_id         text                               which session
-- @param  around_message_id  int                                the message in the middle
-- @param  window             int = 5                            neighbours on each side; negative is 0
-- @param  bookend            int = 3                            messages at each end
-- @param  keep_roles         text[]? = ["user", "assistant"]    whose messages; null: everybody's
-- @result window             json   the neighbourhood, in order, as get_messages tells it
-- @result messages_before    int    how many come before the one in the middle, of any role
-- @result messages_after     int    how many come after it, of any role
-- @result bookend_start      json   the first messages
-- @result bookend_end        json   the last messages
-- @feature session_order
-- @native st_conversation_get_anchored_view

-- @method conversation.get_messages_as_conversation  one  read
-- The messages of a session as they are sent to a model (OpenAI's form), in their order: role and
-- content, and of the other fields those that say something. Recalled memory that was put into a
-- text of user or assistant is taken out again. With include_ancestors also the messages of the
-- sessions it came from, and a prompt that was only repeated stands once.
-- @param  session_id         text           which session
-- @param  include_ancestors  bool = false   with all it came from
-- @result messages           json           a list of objects
-- @feature session_order
-- @native st_conversation_get_messages_as_conversation

-- @method conversation.read_part  many  read  private
-- Some messages of a session, in their order, or backwards.
-- @param  session_id  text              which session
-- @param  before      int optional      numbered below this
-- @param  after       int optional      numbered above this
-- @param  roles       text[] optional   of these roles
-- @param  spoken      int optional      with a content that is not empty
-- @param  backwards   int optional      the last ones first
-- @param  limit       int               at most this many
-- @result id                     int       its number; gives the order
-- @result session_id             text      its session
-- @result role                   text      who spoke
-- @result content                content?  what was said: a text, or JSON parts
-- @result tool_call_id           text?     of a tool's answer: the call it answers
-- @result tool_calls             json?     the calls it asks for; [] if what is kept is no JSON
-- @result tool_name              text?     the tool that answered
-- @result timestamp              time      when
-- @result token_count            int?      its tokens
-- @result finish_reason          text?     why the model stopped
-- @result reasoning              text?     reasoning, as a text
-- @result reasoning_content      text?     reasoning, as the provider gave it
-- @result reasoning_details      json?     reasoning, in parts
-- @result codex_reasoning_items  json?     reasoning items of the Responses API
-- @result codex_message_items    json?     message items of the Responses API
SELECT m.id, m.session_id, m.role, m.content, m.tool_call_id,
       CASE WHEN m.tool_calls IS NULL OR json_valid(m.tool_calls) THEN m.tool_calls ELSE '[]' END   -- @for sqlite
         AS tool_calls,                                                                             -- @for sqlite
       CAST(m.tool_calls AS JSON) AS tool_calls,                                                    -- @for postgres
       m.tool_name, m.timestamp, m.token_count, m.finish_reason, m.reasoning, m.reasoning_content,
       m.reasoning_details, m.codex_reasoning_items, m.codex_message_items                          -- @for sqlite
       CAST(m.reasoning_details AS JSON) AS reasoning_details,                                      -- @for postgres
       CAST(m.codex_reasoning_items AS JSON) AS codex_reasoning_items,                              -- @for postgres
       CAST(m.codex_message_items AS JSON) AS codex_message_items                                   -- @for postgres
  FROM messages AS m
 WHERE m.session_id = :session_id
   AND m.active = 1                                          -- @has rewind
   AND m.id < :before                                        -- @if before
   AND m.id > :after                                         -- @if after
   AND m.role IN :roles                                      -- @if roles
   AND m.content <> ''                                       -- @if spoken
 ORDER BY m.id
          DESC                                               -- @if backwards
 LIMIT :limit;

-- @method conversation.read_replay  many  read  private
-- What get_messages_as_conversation needs of a session's messages and, with lineage, of those of all
-- sessions it came from.
-- @param  session_id             text           which session
-- @param  lineage                int optional   with all it came from
-- @result role                   text       who spoke
-- @result content                content?   what was said
-- @result tool_call_id           text?      of a tool's answer: the call it answers
-- @result tool_name              text?      the tool that answered
-- @result tool_calls             text?      the calls it asks for
-- @result finish_reason          text?      why the model stopped
-- @result reasoning              text?      reasoning, as a text
-- @result reasoning_content      text?      reasoning, as the provider gave it
-- @result reasoning_details      text?      reasoning, in parts
-- @result codex_reasoning_items  text?      reasoning items of the Responses API
-- @result codex_message_items    text?      message items of the Responses API
-- @result message_id             text?      the platform's number
WITH RECURSIVE up (id, parent_session_id) AS (
  SELECT id, parent_session_id FROM sessions WHERE id = :session_id
  UNION
  SELECT s.id, s.parent_session_id FROM up AS u JOIN sessions AS s ON s.id = u.parent_session_id
)
SELECT m.role, m.content, m.tool_call_id, m.tool_name, m.tool_calls, m.finish_reason, m.reasoning,
       m.reasoning_content, m.reasoning_details, m.codex_reasoning_items, m.codex_message_items,
       m.platform_message_id AS message_id                   -- @has platform_message
       CAST(NULL AS TEXT) AS message_id                      -- @lacks platform_message
  FROM messages AS m
 WHERE (m.session_id = :session_id
        OR m.session_id IN (SELECT id FROM up)               -- @if lineage
       )
   AND m.active = 1                                          -- @has rewind
 ORDER BY m.id;
