-- Upkeep: what deletes sessions, and what gives space back.

-- @method conversation.prune_sessions  one  write
-- Delete the sessions that started longer ago than some days and have ended, with their messages. A
-- session that still runs is never deleted, however old, nor one that is under a legal hold. Children
-- that stay lose their parent. The work is done in many short transactions, so that no writer waits for
-- it; if it is interrupted, a session may be left with a part of its messages until the next time.
-- @param  older_than_days  real(0..) = 90   days since the start
-- @param  source           text optional    only those of this source
-- @param  dry_run          bool = false     delete nothing, tell what would be
-- @param  now              time = now       the time to count the days from
-- @result pruned           int              sessions deleted
-- @result messages         int              messages deleted with them
-- @native st_conversation_prune_sessions outside

-- @method conversation.prune_empty_ghost_sessions  none  write
-- Delete sessions that a terminal interface opened and left unused: source "tui", without title,
-- messages or children, ended, and started more than a day ago.
-- @param  now      time = now    the time to count the day from
-- @result deleted  int changed   sessions deleted
DELETE FROM sessions
 WHERE source = 'tui' AND title IS NULL AND ended_at IS NOT NULL AND started_at < :now - 86400
   AND NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = sessions.id)
   AND NOT EXISTS (SELECT 1 FROM sessions AS k WHERE k.parent_session_id = sessions.id)
   AND NOT EXISTS (SELECT 1 FROM stele_held_session AS h WHERE h.id = sessions.id)                             -- @has holds
;

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
