-- Transcripts of agents: how far their segments and tool calls were taken in, and what has to be put right afterwards. The methods
-- are for the import of transcripts, which writes what it found and how far it came in one transaction.

-- @method capture.find_captured  one  read  private
-- How far a transcript was taken in.
-- @param  path      text   the file
-- @result device    int    the device,
-- @result inode     int    the inode,
-- @result size      int    its size,
-- @result modified  int    its time,
-- @result consumed  int    how many bytes of it need not be read again,
-- @result checked   int    and a hash of some of these, when it was last read
-- @result state     text?  the segment that was open then
-- @feature captured
SELECT device, inode, size, modified, consumed, checked, state FROM stele_captured WHERE path = :path;

-- @method capture.mark_captured  none  write  private
-- A transcript was taken in up to here.
-- @param  path      text   the file
-- @param  device    int    the device
-- @param  inode     int    the inode
-- @param  size      int    its size; -1: it is being read
-- @param  modified  int    its time
-- @param  consumed  int    bytes that need not be read again
-- @param  checked   int    hash of some of these
-- @param  state     text?  the segment that is open
-- @param  now       time   when this is written
-- @feature captured
INSERT INTO stele_captured (path, device, inode, size, modified, consumed, checked, state, updated_at)
VALUES (:path, :device, :inode, :size, :modified, :consumed, :checked, :state, :now)
ON CONFLICT (path) DO UPDATE
   SET device = excluded.device, inode = excluded.inode, size = excluded.size, modified = excluded.modified,
       consumed = excluded.consumed, checked = excluded.checked, state = excluded.state, updated_at = excluded.updated_at;

-- @method capture.move_captured  none  write  private
-- A transcript has another name.
-- @param  path  text   its name
-- @param  was   text   the name it had
-- @feature captured
DELETE FROM stele_captured WHERE path = :path;
UPDATE stele_captured SET path = :path WHERE path = :was;

-- @method capture.trim_segments  none  write  private
-- A transcript that was written anew may have fewer segments than before: those behind its last are gone. What was learned from
-- them stays, and so does one that is under a legal hold.
-- @param  session_id     text   the session
-- @param  harness        text   whose it is
-- @param  segment_index  int    the first that is not there
-- @param  source_file    text   the transcript
DELETE FROM agentic_enrichment_queue
 WHERE session_id IN (SELECT id FROM agentic_sessions
                       WHERE session_id = :session_id AND harness = :harness AND segment_index >= :segment_index
                         AND source_file = :source_file);
DELETE FROM agentic_sessions
 WHERE session_id = :session_id AND harness = :harness AND segment_index >= :segment_index AND source_file = :source_file
   AND NOT EXISTS (SELECT 1 FROM stele_held_segment AS h WHERE h.id = agentic_sessions.id)  -- @has holds
;

-- @method capture.end_event  none  write  private
-- A tool has answered: how long it took is known now, and how it ended, if it told.
-- @param  envelope_id  text   of the call
-- @param  ended        time   when it answered
-- @param  exit_code    int?   how it ended
-- @result updated      int changed   0: there is no such call, or it was known
UPDATE events SET duration_ms = CASE WHEN :ended > timestamp THEN :ended - timestamp ELSE 0 END,
                  exit_code = COALESCE(:exit_code, exit_code)
 WHERE envelope_id = :envelope_id
   AND (duration_ms = 0 AND :ended > timestamp OR exit_code IS NULL AND CAST(:exit_code AS BIGINT) IS NOT NULL);
