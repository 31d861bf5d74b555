-- How far what is captured has been read.

-- @method capture.put_session_offset  none  write
-- A transcript has been read up to here.
-- @param  path               text            its absolute path
-- @param  session_id         text? = null    the session in it
-- @param  byte_offset        int(0..)        how many bytes were read
-- @param  inode              int? = null     the file's number: with another one it is another file,
-- @param  device             int? = null     and so it is on another device
-- @param  size_at_last_read  int(0..)        how long it was then
-- @param  now                time = now      when that was
-- @result updated            int changed     1
INSERT INTO claude_session_offsets (path, session_id, byte_offset, inode, device, size_at_last_read, updated_at)
VALUES (:path, :session_id, :byte_offset, :inode, :device, :size_at_last_read, :now)
ON CONFLICT (path) DO UPDATE
   SET session_id = excluded.session_id, byte_offset = excluded.byte_offset, inode = excluded.inode, device = excluded.device,
       size_at_last_read = excluded.size_at_last_read, updated_at = excluded.updated_at;

-- @method capture.list_session_offsets  many  read
-- How far transcripts have been read, by path.
-- @result path               text            its absolute path
-- @result session_id         text?           the session in it
-- @result byte_offset        int             how many bytes were read
-- @result inode              int?            the file's number
-- @result device             int?            and its device's
-- @result size_at_last_read  int             how long it was then
-- @result updated_at         time            when that was
SELECT path, session_id, byte_offset, inode, device, size_at_last_read, updated_at FROM claude_session_offsets
 ORDER BY path;

-- @method capture.get_session_offset  one  read
-- How far a transcript has been read.
-- @param  path               text   its absolute path
-- @results capture.list_session_offsets
SELECT path, session_id, byte_offset, inode, device, size_at_last_read, updated_at FROM claude_session_offsets WHERE path = :path;

-- @method capture.put_agentic_cursor  none  write
-- A source of sessions has been read up to here.
-- @param  source_key            text          which one, such as codex-17
-- @param  last_seen_updated_at  time          the source's own time then
-- @param  last_id               text = ""     the last of what was read
-- @param  now                   time = now    when that was
-- @result updated               int changed   1
INSERT INTO agentic_cursor (source_key, last_seen_updated_at, last_id, updated_at)
VALUES (:source_key, :last_seen_updated_at, :last_id, :now)
ON CONFLICT (source_key) DO UPDATE
   SET last_seen_updated_at = excluded.last_seen_updated_at, last_id = excluded.last_id, updated_at = excluded.updated_at;

-- @method capture.get_agentic_cursor  one  read
-- How far a source of sessions has been read.
-- @param  source_key            text   which one
-- @result source_key            text   which one
-- @result last_seen_updated_at  time   the source's own time then
-- @result last_id               text   the last of what was read
-- @result updated_at            time   when that was
SELECT source_key, last_seen_updated_at, last_id, updated_at FROM agentic_cursor WHERE source_key = :source_key;
