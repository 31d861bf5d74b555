-- What is new, for those who follow a store. The server calls these two methods of a store while
-- somebody listens; a store that has them can be followed.

-- @method conversation.follow_from  one  read
-- The number of the newest message: what comes after it is new.
-- @result id  int  the number; 0 if there is none
SELECT COALESCE(MAX(id), 0) AS id FROM messages;

-- @method conversation.follow  many  read
-- The messages numbered above `after`, in the order of their numbers. On PostgreSQL, where numbers are
-- committed out of order, only as far as nothing can come in between any more.
-- @param  after    int                  only those numbered above this
-- @param  session  text optional        only those of this session
-- @param  limit    int(1..1000) = 100   at most this many
-- @result id          int       its number
-- @result session_id  text      its session
-- @result role        text      who spoke
-- @result content     content?  what was said: a text, or JSON parts
-- @result tool_name   text?     the tool that answered
-- @result timestamp   time      when
SELECT id, session_id, role, content, tool_name, timestamp
  FROM messages
 WHERE id > :after
   AND session_id = :session                                                                      -- @if session
   AND age(xmin) > age(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS XID))                      -- @for postgres
 ORDER BY id
 LIMIT :limit;
