-- Context: the user's profile under the key "global", and what loops and deployments note under "system:...".
-- A content of "" means cleared, and reads as if the key were not there.

-- @method assistant.get_context  one  read
-- What is kept under a key, or null.
-- @param  user_id       text   the key
-- @result user_id       text   the key
-- @result content       text   what is kept
-- @result last_updated  time   when it was written
SELECT user_id, content, last_updated FROM context WHERE user_id = :user_id AND content <> '';

-- @method assistant.save_context  one  write
-- Keep something under a key, in place of what was there.
-- @param  user_id       text         the key
-- @param  content       text         what to keep; "" clears it
-- @param  last_updated  time = now   when it was written
-- @result user_id       text         the key
INSERT INTO context (user_id, content, last_updated) VALUES (:user_id, :content, :last_updated)
ON CONFLICT (user_id) DO UPDATE SET content = excluded.content, last_updated = excluded.last_updated
RETURNING user_id;

-- @method assistant.set_runtime_config  none  write
-- Override a setting from now on, also after a restart: the key is "system:config:" and the setting's name.
-- @param  field  text         the setting
-- @param  value  text         its value; "" takes the override away
-- @param  now    time = now   when
-- @native st_assistant_set_runtime_config

-- @method assistant.load_overrides  many  read
-- The settings that are overridden, by name.
-- @result field         text   the setting
-- @result value         text   its value
-- @result last_updated  time   when it was set
SELECT substr(user_id, 15) AS field, content AS value, last_updated FROM context
 WHERE substr(user_id, 1, 14) = 'system:config:' AND content <> ''
 ORDER BY user_id;

-- @method assistant.record_heartbeat  none  write
-- Note that a loop is alive: the key is "system:", its name and ":heartbeat", the content time, status and detail
-- with a bar between them.
-- @param  loop    text         which loop
-- @param  status  text         how it went: ok, error, ...; without a bar
-- @param  detail  text = ""    more about it
-- @param  now     time = now   when
-- @native st_assistant_record_heartbeat

-- @method assistant.list_heartbeats  many  read
-- The last sign of life of each loop, by name.
-- @result loop          text    which loop
-- @result at            time?   when, as the content says; null if it says something else
-- @result status        text    how it went
-- @result detail        text    more about it
-- @result last_updated  time    when it was written
-- @native st_assistant_list_heartbeats

-- @method assistant.list_system_context  many  read  private
-- What is kept under "system:...".
-- @results assistant.get_context
SELECT user_id, content, last_updated FROM context
 WHERE substr(user_id, 1, 7) = 'system:' AND content <> ''
 ORDER BY user_id;

-- @method assistant.mark_once  one  write
-- Mark a key, and say whether this was the first time. Of several that mark it at once, one is the first. With a
-- content, such as today's date, a key can be marked once for each.
-- @param  key      text            the key
-- @param  content  text optional   mark it with this: one that holds something else is marked anew
-- @param  now      time = now      when
-- @result first    bool            it was not marked before
-- @native st_assistant_mark_once

-- @method assistant.write_mark  none  write  private
-- Mark a key that is not marked.
-- @param  key      text            the key
-- @param  content  text optional   what it is marked with
-- @param  now      time            when
INSERT INTO context (user_id, content, last_updated) VALUES (:key, COALESCE(:content, 'done'), :now)
ON CONFLICT (user_id) DO UPDATE SET content = excluded.content, last_updated = excluded.last_updated
 WHERE context.content = ''
    OR context.content <> :content                           -- @if content
;

-- @method assistant.consume_context  one  write
-- Take what is kept under a key: it is then there no more. Null if there is nothing; of several that take it, one
-- gets it.
-- @param  key           text   the key
-- @result content       text   what was kept
-- @result last_updated  time   when it was written
DELETE FROM context WHERE user_id = :key AND content <> ''
RETURNING content, last_updated;

-- @method assistant.prune_context  many  write
-- Delete keys that begin with a text and have not been written for some days; the reply names them. Some are never
-- deleted: global, system:config:..., system:outlook_msal_cache and system:pending_self_redeploy.
-- @param  prefix        text              how they begin
-- @param  days          int(0..36500)     not written for this long
-- @param  dry_run       bool = false      delete nothing, tell what would be
-- @param  now           time = now        at this time
-- @result user_id       text              the key
-- @result last_updated  time              when it was written
-- @native st_assistant_prune_context

-- @method assistant.list_prunable_context  many  read  private
-- What prune_context deletes.
-- @param  prefix        text   how they begin
-- @param  days          int    not written for this long
-- @param  now           time   at this time
-- @result user_id       text   the key
-- @result last_updated  time   when it was written
SELECT user_id, last_updated FROM context
 WHERE substr(user_id, 1, length(:prefix)) = :prefix
   AND last_updated < strftime('%Y-%m-%dT%H:%M:%S', substr(:now, 1, 19), '-' || :days || ' days') || substr(:now, 20) -- @for sqlite
   AND last_updated < :now - :days * INTERVAL '24 hours'     -- @for postgres
   AND user_id NOT IN ('global', 'system:outlook_msal_cache', 'system:pending_self_redeploy')
   AND substr(user_id, 1, 14) <> 'system:config:'
 ORDER BY user_id;

-- @method assistant.delete_context  none  write  private
-- Delete a key.
-- @param  key  text   which
DELETE FROM context WHERE user_id = :key;
