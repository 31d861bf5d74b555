-- Redaction of what is stored already. What comes in is redacted before it is stored.

-- @method conversation.redact_stored  one  admin
-- Take secrets out of stored messages and sessions, by the rules that stele.redaction_rules lists: texts, tool
-- calls, reasoning, titles, system prompts and settings. The work is done in short transactions while others
-- read and write; if it is stopped, another call does the rest. When something was taken out, the search index is
-- made anew and the file is written anew, so that the secret is neither in the file nor in its log. Copies made
-- before (backups) are not touched. PostgreSQL frees the old rows by VACUUM; its own log and its replicas keep them
-- for as long as they are configured to.
-- @param  dry_run   bool = false   change nothing, tell what would be
-- @param  vacuum    bool = true    write the file anew at the end; writers wait meanwhile
-- @result messages  int            messages that held secrets
-- @result sessions  int            sessions that did
-- @result count     int            secrets taken out
-- @result rules     json           an array of objects: rule, count
-- @result given_up  int            patterns that took too long; what stood there was taken out
-- @result purged    bool           nothing is left of them in the index, the file and its log
-- @native st_conversation_redact_stored outside

-- @method conversation.redaction_counts  many  read
-- How often each rule took something out of what was stored.
-- @result rule   text   the rule
-- @result count  int    how often
SELECT rule, count FROM
       stele_redaction                                                                       -- @has redactions
       (SELECT '' AS rule, CAST(0 AS BIGINT) AS count FROM sessions WHERE FALSE) AS none     -- @lacks redactions
 ORDER BY rule;

-- @method conversation.count_redaction  none  write  private
-- Add to the count of a rule.
-- @param  rule   text   the rule
-- @param  count  int    how often
-- @feature redactions
INSERT INTO stele_redaction (rule, count) VALUES (:rule, :count)
ON CONFLICT (rule) DO UPDATE SET count = stele_redaction.count + excluded.count;

-- @method conversation.redactable_messages  many  read  private
-- Some messages in their order, as they are stored.
-- @param  after                  int     those numbered above this
-- @param  limit                  int     at most this many
-- @result id                     int     the message
-- @result content                text?   what was said
-- @result tool_calls             text?   JSON
-- @result reasoning              text?   text
-- @result reasoning_content      text?   text
-- @result reasoning_details      text?   JSON
-- @result codex_reasoning_items  text?   JSON
-- @result codex_message_items    text?   JSON
SELECT id, content, tool_calls, reasoning, reasoning_content, reasoning_details, codex_reasoning_items,
       codex_message_items
  FROM messages WHERE id > :after ORDER BY id LIMIT :limit;

-- @method conversation.put_redacted_message  none  write  private
-- Write the texts of a message.
-- @param  id                     int         the message
-- @param  content                text?       what was said
-- @param  tool_calls             text?       JSON
-- @param  reasoning              text?       text
-- @param  reasoning_content      text?       text
-- @param  reasoning_details      text?       JSON
-- @param  codex_reasoning_items  text?       JSON
-- @param  codex_message_items    text?       JSON
UPDATE messages SET content = :content, tool_calls = :tool_calls, reasoning = :reasoning,
       reasoning_content = :reasoning_content, reasoning_details = :reasoning_details,
       codex_reasoning_items = :codex_reasoning_items, codex_message_items = :codex_message_items
 WHERE id = :id;

-- @method conversation.redactable_sessions  many  read  private
-- Some sessions in the order of their ids.
-- @param  after          text     those whose id is above this
-- @param  limit          int      at most this many
-- @result id             text     the session
-- @result title          text?    its title
-- @result system_prompt  text?    the system prompt
-- @result model_config   text?    JSON
SELECT id, title, system_prompt, model_config FROM sessions WHERE id > :after ORDER BY id LIMIT :limit;

-- @method conversation.redactable_session  one  read  private
-- One of them.
-- @param  id             text     the session
-- @result id             text     the session
-- @result title          text?    its title
-- @result system_prompt  text?    the system prompt
-- @result model_config   text?    JSON
SELECT id, title, system_prompt, model_config FROM sessions WHERE id = :id;

-- @method conversation.put_redacted_session  none  write  private
-- Write the texts of a session.
-- @param  id             text     the session
-- @param  title          text?    its title
-- @param  system_prompt  text?    the system prompt
-- @param  model_config   text?    JSON
UPDATE sessions SET title = :title, system_prompt = :system_prompt, model_config = :model_config WHERE id = :id;

-- @method conversation.last_message  one  read  private
-- How far the messages go.
-- @result last   int   the greatest number of one
SELECT COALESCE(MAX(id), 0) AS last FROM messages;
