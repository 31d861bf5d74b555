-- What later versions of the format brought: taking messages back, and a lock for compressions. A
-- file gets the columns and tables they need when one of these methods is first called.

-- ---- Taking messages back ----

-- @method conversation.list_recent_user_messages  many  read
-- What the user said last in a session, the latest first: where it can be rewound to.
-- @param  session_id  text                  which session
-- @param  limit       int(1..10000) = 20    at most this many
-- @result id          int                   the message
-- @result content     content?              what was said
-- @result timestamp   time                  when
-- @feature session_order
SELECT m.id, m.content, m.timestamp
  FROM messages AS m
 WHERE m.session_id = :session_id AND m.role = 'user'
   AND m.active = 1                                          -- @has rewind
 ORDER BY m.id DESC LIMIT :limit;

-- @method conversation.rewind_to_message  one  write
-- Take a message and all after it back: no reader sees them any more, and restore_rewound brings
-- them back. Nothing is deleted; the counters of the session stay.
-- @param  session_id         text            which session
-- @param  target_message_id  int             the first message to take back
-- @result rewound_count      int changed 2   messages taken back
-- @result target_content     content?        what the first of them said
-- @result new_head_id        int?            the last message that is left
-- @feature rewind
-- @else NOTFOUND target_message_id
SELECT id FROM messages WHERE id = :target_message_id AND session_id = :session_id AND active = 1;
UPDATE messages SET active = 0
 WHERE session_id = :session_id AND id >= :target_message_id AND active = 1;
UPDATE sessions SET rewind_count = COALESCE(rewind_count, 0) + 1 WHERE id = :session_id;
SELECT m.content AS target_content,
       (SELECT MAX(h.id) FROM messages AS h WHERE h.session_id = :session_id AND h.active = 1) AS new_head_id
  FROM messages AS m WHERE m.id = :target_message_id;

-- @method conversation.restore_rewound  none  write
-- Bring messages back that were taken back, from one of them on.
-- @param  session_id        text          which session
-- @param  since_message_id  int           the first message to bring back
-- @result restored          int changed   messages brought back
-- @feature rewind
UPDATE messages SET active = 1
 WHERE session_id = :session_id AND id >= :since_message_id AND active = 0;

-- ---- The lock for compressions ----

-- @method conversation.try_acquire_compression_lock  one  write
-- Be the only one to compress a session, so that it is not continued twice. Whoever has the lock
-- may ask again, to keep it longer.
-- @param  session_id   text               which session
-- @param  holder       text               who asks
-- @param  ttl_seconds  real(0..) = 300    how long it holds
-- @param  now          time = now         the present time
-- @result acquired     bool               the lock is the asker's
-- @result holder       text               who has it
-- @result expires_at   time               until when
-- @feature compression_locks
DELETE FROM compression_locks WHERE session_id = :session_id AND expires_at < :now;
INSERT INTO compression_locks (session_id, holder, acquired_at, expires_at)
VALUES (:session_id, :holder, :now, :now + :ttl_seconds)
ON CONFLICT (session_id) DO UPDATE SET expires_at = excluded.expires_at
 WHERE compression_locks.holder = excluded.holder;
SELECT holder = :holder AS acquired, holder, expires_at
  FROM compression_locks WHERE session_id = :session_id;

-- @method conversation.release_compression_lock  none  write
-- Give the lock back. Somebody else's is left alone.
-- @param  session_id  text          which session
-- @param  holder      text          who had it
-- @result released    int changed   1, or 0 if it was not the holder's
-- @feature compression_locks
DELETE FROM compression_locks WHERE session_id = :session_id AND holder = :holder;

-- @method conversation.get_compression_lock_holder  one  read
-- Who is compressing a session; null if nobody is.
-- @param  session_id  text         which session
-- @param  now         time = now   the present time
-- @result holder      text         who
-- @result expires_at  time         until when
SELECT l.holder, l.expires_at
  FROM compression_locks AS l                                                                                  -- @has compression_locks
  FROM (SELECT '' AS session_id, '' AS holder, CAST(0 AS DOUBLE PRECISION) AS expires_at WHERE 1 = 0) AS l   -- @lacks compression_locks
 WHERE l.session_id = :session_id AND l.expires_at >= :now;
