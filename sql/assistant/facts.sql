-- User facts: what is held to be true of the user, by key.

-- @method assistant.save_user_fact  one  write
-- Keep a fact. One that is there under the same key is written anew, and keeps its id and the time of its creation.
-- The id of a fact with another key: INVALID.
-- @param  id          text = new          the fact's id, if it is new
-- @param  key         text                what it is about: home_address, partner_name
-- @param  value       text                what is so
-- @param  category    text = "general"    location, personal, preference, work, health or general
-- @param  source      text = "agent"      who says so: agent or reflection
-- @param  created_at  time = now          when it became known, if it is new
-- @param  updated_at  time = now          when it was last said
-- @result id          text                the fact's id
-- @else INVALID id
INSERT INTO user_facts (id, key, value, category, source, created_at, updated_at)
SELECT :id, :key, :value, :category, :source, :created_at, :updated_at
 WHERE NOT EXISTS (SELECT 1 FROM user_facts AS f WHERE f.id = :id AND f.key <> :key)
ON CONFLICT (key) DO UPDATE
   SET value = excluded.value, category = excluded.category, source = excluded.source, updated_at = excluded.updated_at
RETURNING id;

-- @method assistant.get_user_fact  one  read
-- The fact of a key, or null.
-- @param  key         text   what it is about
-- @result id          text   the fact's id
-- @result key         text   what it is about
-- @result value       text   what is so
-- @result category    text   location, personal, preference, work, health or general
-- @result source      text   who says so: agent or reflection
-- @result created_at  time   when it became known
-- @result updated_at  time   when it was last said
SELECT id, key, value, category, source, created_at, updated_at FROM user_facts WHERE key = :key;

-- @method assistant.get_all_user_facts  many  read
-- All facts, by category and key.
-- @param  limit       int = -1       at most this many; negative: all
-- @param  offset      int(0..) = 0   after leaving out this many
-- @http GET /v1/user-facts
-- @results assistant.get_user_fact
SELECT id, key, value, category, source, created_at, updated_at FROM user_facts
 ORDER BY category, key
 LIMIT :limit                                                -- @for sqlite
 LIMIT CASE WHEN :limit < 0 THEN NULL ELSE :limit END        -- @for postgres
OFFSET :offset;

-- @method assistant.search_user_facts  many  read
-- The facts in whose key or value a text stands, whatever its case; by category and key.
-- @param  query       text           what to look for, character by character
-- @param  limit       int = -1       at most this many; negative: all
-- @param  offset      int(0..) = 0   after leaving out this many
-- @http GET /v1/user-facts/search
-- @results assistant.get_user_fact
-- @native st_assistant_search

-- @method assistant.scan_user_facts  many  read  private
-- The facts that may hold a text, in the order of search_user_facts: see st_assistant_search.
-- @param  pattern     text optional   of LIKE: what the text would match if both are ASCII
-- @results assistant.get_user_fact
SELECT id, key, value, category, source, created_at, updated_at FROM user_facts
 WHERE key ~ '[^\x01-\x7f]' OR value ~ '[^\x01-\x7f]'                                                     -- @if pattern @for postgres
    OR lower(key) LIKE :pattern ESCAPE '\' OR lower(value) LIKE :pattern ESCAPE '\'                       -- @if pattern @for postgres
 ORDER BY category, key;

-- @method assistant.delete_user_fact  none  write
-- Delete the fact of a key.
-- @param  key         text          what it is about
-- @result deleted     int changed   1, or 0 if there is no such fact
DELETE FROM user_facts WHERE key = :key;

-- @method assistant.decay_user_facts  many  write
-- Delete the facts that reflection found, that were not said again for some days, and whose key tells that they were
-- never meant to last: it has a date in it (mood_2026_01_31, plans_march_2026), begins with a word for something
-- finished (completed_, done_, finished_) or with the name of a system that knows better (jira_, github_, slack_,
-- email_, calendar_). What the agent said stays.
-- @param  days        int(0..100000) = 14   facts of the last days are kept, of 24 hours each
-- @param  dry_run     bool = false          only tell them
-- @param  now         time = now            what time it is
-- @result key         text                  a fact that was deleted
-- @result reason      text                  why: dated, completed or external
-- @native st_assistant_decay_user_facts

-- @method assistant.find_stale_user_facts  many  read  private
-- The keys of the facts that reflection found and that were not said again for some days.
-- @param  days        int    how many days
-- @param  now         time   what time it is
-- @result key         text   a fact
SELECT key FROM user_facts
 WHERE source = 'reflection'
   AND updated_at < strftime('%Y-%m-%dT%H:%M:%S', substr(:now, 1, 19), '-' || :days || ' days') || substr(:now, 20)   -- @for sqlite
   AND updated_at < :now - :days * INTERVAL '24 hours'                                                                -- @for postgres
   AND NOT EXISTS (SELECT 1 FROM stele_held_user_fact AS h WHERE h.id = user_facts.id)                         -- @has holds
 ORDER BY key;
