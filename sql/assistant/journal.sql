-- Journal: private entries, found by their time only.

-- @method assistant.save_journal_entry  one  write
-- Keep an entry. One that is there under the same id is written anew, and keeps its time.
-- @param  id          text = new       the entry's id
-- @param  content     text             its text
-- @param  title       text? = null     what it is about
-- @param  source      text = "voice"   voice or text
-- @param  created_at  time = now       when it was made
-- @result id          text             the entry's id
INSERT INTO journal_entries (id, content, title, source, created_at)
VALUES (:id, :content, :title, :source, :created_at)
ON CONFLICT (id) DO UPDATE SET content = excluded.content, title = excluded.title, source = excluded.source
RETURNING id;

-- @method assistant.list_journal_entries  many  read
-- The entries, the newest first.
-- @param  days        int(1..100000) optional   only those of the last days, of 24 hours each
-- @param  now         time = now                what time it is
-- @param  limit       int = -1                  at most this many; negative: all
-- @param  offset      int(0..) = 0              after leaving out this many
-- @http GET /v1/journal
-- @result id          text    the entry's id
-- @result content     text    its text
-- @result title       text?   what it is about
-- @result source      text    voice or text
-- @result created_at  time    when it was made
SELECT id, content, title, source, created_at FROM journal_entries
 WHERE created_at >= strftime('%Y-%m-%dT%H:%M:%S', substr(:now, 1, 19), '-' || :days || ' days') || substr(:now, 20)   -- @if days @for sqlite
 WHERE created_at >= :now - :days * INTERVAL '24 hours'                                                                -- @if days @for postgres
 ORDER BY created_at DESC, id
 LIMIT :limit                                                -- @for sqlite
 LIMIT CASE WHEN :limit < 0 THEN NULL ELSE :limit END        -- @for postgres
OFFSET :offset;
