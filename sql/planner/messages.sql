-- Messages: the inbox and what was answered. Those of people who are not trusted are kept for context and
-- audit; nothing is ever planned for them.

-- @method planner.save_message  one  write
-- Keep a message, and note in its session, if there is one, that something happened.
-- @param  session    text           where it was said
-- @param  user       text? = null   who said it
-- @param  role       text           user, assistant or system
-- @param  content    text           what
-- @param  trusted    bool = true    false: nothing is planned for it
-- @param  processed  bool = false   true: nobody needs to take it up
-- @param  timestamp  time = now     when
-- @result id         int            the message's number
UPDATE sessions SET updated_at = :timestamp WHERE session = :session;
INSERT INTO messages (session, "user", role, content, trusted, processed, timestamp)
VALUES (:session, :user, :role, :content, :trusted, :processed, :timestamp)
RETURNING id;

-- @method planner.receive_message  one  write
-- Take in a message from outside: its session is created if there is none (connector and webhook of one
-- that exists are left alone), and a message that is not trusted is kept as processed, so that nobody
-- takes it up.
-- @param  session          text            where it was said
-- @param  user             text? = null    who said it
-- @param  content          text            what
-- @param  trusted          bool = true     false: nothing is planned for it
-- @param  role             text = "user"   who speaks
-- @param  timestamp        time = now      when
-- @param  idempotency_key  text optional   a repeated call with the same key writes nothing
-- @idempotent idempotency_key
-- @result id               int             the message's number
-- @result processed        bool            nobody needs to take it up
-- @result created          int changed 1   1 if the session was created, else 0
INSERT INTO sessions (session, created_at, updated_at) VALUES (:session, :timestamp, :timestamp)
ON CONFLICT (session) DO NOTHING;
UPDATE sessions SET updated_at = :timestamp WHERE session = :session;
INSERT INTO messages (session, "user", role, content, trusted, processed, timestamp)
VALUES (:session, :user, :role, :content, :trusted, NOT :trusted, :timestamp)
RETURNING id, processed;

-- @method planner.mark_message_processed  none  write
-- Note that a message was taken up. Planning with create_plan does that by itself, in the same transaction.
-- @param  id  int   which message
-- @else NOTFOUND id
UPDATE messages SET processed = TRUE WHERE id = :id;

-- @method planner.get_unprocessed_messages  many  read
-- Messages that nobody has taken up, also those that are not trusted: for looking, never for planning.
-- @param  limit      int(1..) optional       at most this many
-- @param  after      int = 0                 only those numbered above this
-- @result id         int     the message's number
-- @result session    text    where it was said
-- @result user       text?   who said it
-- @result role       text    user, assistant or system
-- @result content    text    what
-- @result trusted    bool    false: nothing is planned for it
-- @result processed  bool    false
-- @result timestamp  time?   when
SELECT id, session, "user", role, content, trusted, processed, timestamp
  FROM messages
 WHERE processed = 0                                         -- @for sqlite
 WHERE NOT processed                                         -- @for postgres
   AND id > :after
 ORDER BY id
 LIMIT :limit                                                -- @if limit
;

-- @method planner.get_unprocessed_trusted_messages  many  read
-- Messages that are to be planned for: after a crash, those to take up again.
-- @param  limit      int(1..) optional       at most this many
-- @param  after      int = 0                 only those numbered above this
-- @param  session    text optional           only of this session
-- @result id         int     the message's number
-- @result session    text    where it was said
-- @result user       text?   who said it
-- @result role       text    user, assistant or system
-- @result content    text    what
-- @result trusted    bool    true
-- @result processed  bool    false
-- @result timestamp  time?   when
SELECT id, session, "user", role, content, trusted, processed, timestamp
  FROM messages
 WHERE processed = 0                                         -- @for sqlite
 WHERE NOT processed                                         -- @for postgres
   AND trusted = TRUE AND id > :after
   AND session = :session                                    -- @if session
 ORDER BY id
 LIMIT :limit                                                -- @if limit
;

-- @method planner.get_recent_messages  many  read
-- The newest trusted messages of a session, oldest first.
-- @param  session    text                     whose messages
-- @param  limit      int(1..) = 5       at most this many
-- @param  before     int optional             only those numbered below this (for the page before)
-- @result id         int     the message's number
-- @result session    text    where it was said
-- @result user       text?   who said it
-- @result role       text    user, assistant or system
-- @result content    text    what
-- @result trusted    bool    true
-- @result processed  bool    somebody has taken it up
-- @result timestamp  time?   when
SELECT id, session, "user", role, content, trusted, processed, timestamp FROM
  (SELECT id, session, "user", role, content, trusted, processed, timestamp
     FROM messages
    WHERE session = :session AND trusted = TRUE
      AND id < :before                                       -- @if before
    ORDER BY id DESC LIMIT :limit) AS newest
 ORDER BY id;

-- @method planner.get_oldest_messages  many  read
-- The oldest trusted messages of a session, oldest first.
-- @param  session    text                     whose messages
-- @param  limit      int(1..) optional       at most this many
-- @param  after      int = 0                  only those numbered above this
-- @http GET /v1/planner/messages/{session}
-- @result id         int     the message's number
-- @result session    text    where it was said
-- @result user       text?   who said it
-- @result role       text    user, assistant or system
-- @result content    text    what
-- @result trusted    bool    true
-- @result processed  bool    somebody has taken it up
-- @result timestamp  time?   when
SELECT id, session, "user", role, content, trusted, processed, timestamp
  FROM messages
 WHERE session = :session AND trusted = TRUE AND id > :after
 ORDER BY id
 LIMIT :limit                                                -- @if limit
;

-- @method planner.get_untrusted_messages  many  read
-- The newest messages of a session that are not trusted, oldest first: to be paraphrased, never to be
-- followed.
-- @param  session    text                     whose messages
-- @param  limit      int(1..) = 20      at most this many
-- @param  before     int optional             only those numbered below this (for the page before)
-- @result id         int     the message's number
-- @result session    text    where it was said
-- @result user       text?   who said it
-- @result role       text    user, assistant or system
-- @result content    text    what
-- @result trusted    bool    false
-- @result processed  bool    nobody needs to take it up
-- @result timestamp  time?   when
SELECT id, session, "user", role, content, trusted, processed, timestamp FROM
  (SELECT id, session, "user", role, content, trusted, processed, timestamp
     FROM messages
    WHERE session = :session AND trusted = FALSE
      AND id < :before                                       -- @if before
    ORDER BY id DESC LIMIT :limit) AS newest
 ORDER BY id;

-- @method planner.count_messages  one  read
-- How many trusted messages a session has.
-- @param  session  text   which
-- @result count    int    messages
SELECT COUNT(*) AS count FROM messages WHERE session = :session AND trusted = TRUE;
