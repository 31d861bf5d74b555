-- The audit log: every call of a tool, without its secrets.

-- @method assistant.log_audit_entry  one  write
-- Note a call of a tool. Values of arguments whose name has key, token, secret or password in it, at any depth and in
-- any case, become "***"; what the rules of redaction find elsewhere is taken out; of the result the first 200
-- characters are kept.
-- @param  id              text = new     its id
-- @param  timestamp       time = now     when
-- @param  tool_name       text           which tool
-- @param  arguments       json? = null   its arguments: an object, or a text, which may hold JSON
-- @param  result_summary  text? = null   what came of it
-- @param  channel         text? = null   telegram, whatsapp, cli, ...
-- @param  user_id         text? = null   for whom
-- @param  duration_ms     int? = null    how long it took
-- @param  tokens_used     int? = null    tokens of models
-- @result id              text           its id
-- @native st_assistant_log_audit_entry

-- @method assistant.insert_audit_entry  one  write  private
-- Write a call of a tool.
-- @param  id              text        its id
-- @param  timestamp       time        when
-- @param  tool_name       text        which tool
-- @param  arguments       jsontext?   its arguments, cleaned
-- @param  result_summary  text?       the beginning of what came of it
-- @param  channel         text?       where
-- @param  user_id         text?       for whom
-- @param  duration_ms     int?        how long it took
-- @param  tokens_used     int?        tokens of models
-- @result id              text        its id
INSERT INTO audit_log (id, timestamp, tool_name, arguments, result_summary, channel, user_id, duration_ms, tokens_used)
VALUES (:id, :timestamp, :tool_name, :arguments, :result_summary, :channel, :user_id, :duration_ms, :tokens_used)
ON CONFLICT (id) DO NOTHING
RETURNING id;

-- @method assistant.get_audit_log  many  read
-- Calls of tools, the newest first.
-- @param  limit           int(1..) = 50   at most this many
-- @result id              text            its id
-- @result timestamp       time            when
-- @result tool_name       text            which tool
-- @result arguments       json?           its arguments
-- @result result_summary  text?           the beginning of what came of it
-- @result channel         text?           telegram, whatsapp, cli, ...
-- @result user_id         text?           for whom
-- @result duration_ms     int?            how long it took
-- @result tokens_used     int?            tokens of models
SELECT id, timestamp, tool_name, arguments, result_summary, channel, user_id, duration_ms, tokens_used
  FROM audit_log ORDER BY timestamp DESC, id LIMIT :limit;

-- @method assistant.get_request_log  many  read
-- The same of calls whose duration or tokens are known.
-- @param  limit           int(1..) = 50   at most this many
-- @results assistant.get_audit_log
SELECT id, timestamp, tool_name, arguments, result_summary, channel, user_id, duration_ms, tokens_used
  FROM audit_log WHERE duration_ms IS NOT NULL OR tokens_used IS NOT NULL
 ORDER BY timestamp DESC, id LIMIT :limit;

-- @method assistant.delete_old_audit_entries  none  write
-- Delete calls that are older than some days.
-- @param  days     int(0..36500) = 90   older than this
-- @param  now      time = now           at this time
-- @result deleted  int changed          how many
DELETE FROM audit_log
 WHERE timestamp < strftime('%Y-%m-%dT%H:%M:%S', substr(:now, 1, 19), '-' || :days || ' days') || substr(:now, 20) -- @for sqlite
 WHERE timestamp < :now - :days * INTERVAL '24 hours'        -- @for postgres
   AND NOT EXISTS (SELECT 1 FROM stele_held_audit AS h WHERE h.id = audit_log.id)                              -- @has holds
;
