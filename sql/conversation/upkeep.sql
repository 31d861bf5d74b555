-- Upkeep: what deletes sessions, and what gives space back.

-- @method conversation.prune_sessions  one  write
-- Delete the sessions that started longer ago than some days and have ended, with their messages. A
-- session that still runs is never deleted, however old. Children that stay lose their parent. The
-- work is done in many short transactions, so that no writer waits for it; if it is interrupted, a
-- session may be left with a part of its messages until the next time.
-- @param  older_than_days  real(0..) = 90   days since the start
-- @param  source           text optional    only those of this source
-- @param  dry_run          bool = false     delete nothing, tell what would be
-- @param  now              time = now       the time to count the days from
-- @result pruned           int              sessions deleted
-- @result messages         int              messages deleted with them
-- @native st_conversation_prune_sessions outside

-- @method conversation.list_prunable  many  read  private
-- The sessions to prune.
-- @param  before    time            started before this
-- @param  source    text optional   only those of this source
-- @result id        text            a session
SELECT id FROM sessions
 WHERE started_at < :before AND ended_at IS NOT NULL
   AND source = :source                                      -- @if source
 ORDER BY started_at, id;

-- @method conversation.count_prunable  one  read  private
-- How much there is to prune.
-- @param  before    time            started before this
-- @param  source    text optional   only those of this source
-- @result pruned    int             sessions
-- @result messages  int             their messages
SELECT COUNT(*) AS pruned,
       CAST(COALESCE(SUM((SELECT COUNT(*) FROM messages AS m WHERE m.session_id = s.id)), 0) AS BIGINT)
         AS messages
  FROM sessions AS s
 WHERE s.started_at < :before AND s.ended_at IS NOT NULL
   AND s.source = :source                                    -- @if source
;

-- @method conversation.prune_messages  none  write  private
-- Delete some messages of a session, if it is still to be pruned.
-- @param  session_id  text          which session
-- @param  before      time          if it started before this
-- @param  limit       int           this many
-- @result deleted     int changed   messages deleted
DELETE FROM messages
 WHERE id IN (SELECT m.id FROM messages AS m
               WHERE m.session_id = :session_id
                 AND EXISTS (SELECT 1 FROM sessions AS s WHERE s.id = :session_id
                                AND s.started_at < :before AND s.ended_at IS NOT NULL)
               LIMIT :limit);

-- @method conversation.prune_children  none  write  private
-- Take the parent away from the children of a session that is about to be pruned.
-- @param  session_id  text          which session
-- @param  before      time          if it started before this
-- @result orphaned    int changed   its children
UPDATE sessions SET parent_session_id = NULL
 WHERE parent_session_id = :session_id
   AND EXISTS (SELECT 1 FROM sessions AS s
                WHERE s.id = :session_id AND s.started_at < :before AND s.ended_at IS NOT NULL);

-- @method conversation.prune_session  none  write  private
-- Delete a session without messages, if it is still to be pruned.
-- @param  session_id  text          which session
-- @param  before      time          if it started before this
-- @result deleted     int changed   1, or 0 if it is not
DELETE FROM sessions
 WHERE id = :session_id AND started_at < :before AND ended_at IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = :session_id);

-- @method conversation.prune_empty_ghost_sessions  none  write
-- Delete sessions that a terminal interface opened and left unused: source "tui", without title,
-- messages or children, ended, and started more than a day ago.
-- @param  now      time = now    the time to count the day from
-- @result deleted  int changed   sessions deleted
DELETE FROM sessions
 WHERE source = 'tui' AND title IS NULL AND ended_at IS NOT NULL AND started_at < :now - 86400
   AND NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = sessions.id)
   AND NOT EXISTS (SELECT 1 FROM sessions AS k WHERE k.parent_session_id = sessions.id);

-- @method conversation.finalize_orphaned_compression_sessions  none  write
-- End the continuations that nobody ever used: sessions older than 7 days that still run, whose
-- parent ended with "compression", which have messages and never called a model. Their reason is
-- "orphaned_compression".
-- @param  now        time = now    the time of their end, and to count the days from
-- @result finalized  int changed   sessions ended
UPDATE sessions SET ended_at = :now, end_reason = 'orphaned_compression'
 WHERE api_call_count = 0 AND ended_at IS NULL AND started_at < :now - 7 * 86400
   AND EXISTS (SELECT 1 FROM sessions AS p
                WHERE p.id = sessions.parent_session_id AND p.end_reason = 'compression')
   AND EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = sessions.id);

-- @method conversation.vacuum  one  admin
-- Write the file anew without its free pages. Writers wait meanwhile. PostgreSQL gives the space of
-- deleted rows free for new ones.
-- @result bytes_before  int   size before
-- @result bytes_after   int   size after
-- @native st_conversation_vacuum outside

-- @method conversation.maybe_auto_prune_and_vacuum  one  write
-- Prune, and vacuum if something was pruned, unless that was done a short time ago: to be called at
-- every start. The time is kept in the note last_auto_prune.
-- @param  retention_days      real(0..) = 90   as prune_sessions takes it
-- @param  min_interval_hours  real(0..) = 24   at most once in so many hours
-- @param  vacuum              bool = true      vacuum too
-- @param  now                 time = now       the present time
-- @result skipped             bool             it was done a short time ago
-- @result pruned              int              sessions deleted
-- @result vacuumed            bool             the file was written anew
-- @native st_conversation_maybe_auto_prune_and_vacuum outside
