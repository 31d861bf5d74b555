-- Handoff: a session that is to go on elsewhere. Somebody requests it, the platform's process claims
-- it, and tells how it went. pending -> running -> completed or failed.

-- @method conversation.request_handoff  none  write
-- Ask that a session goes on at a platform. One whose handoff is pending or running is left alone.
-- @param  session_id  text          which session
-- @param  platform    text          where, e.g. "telegram"
-- @result requested   int changed   1, or 0 if one is under way or the session does not exist
-- @feature handoff
-- @feature handoff_order
UPDATE sessions SET handoff_state = 'pending', handoff_platform = :platform, handoff_error = NULL
 WHERE id = :session_id AND (handoff_state IS NULL OR handoff_state IN ('completed', 'failed'));

-- @method conversation.claim_handoff  none  write
-- Take a pending handoff on. Only one of several callers gets it.
-- @param  session_id  text          which session
-- @result claimed     int changed   1, or 0 if it is not pending
-- @feature handoff
UPDATE sessions SET handoff_state = 'running' WHERE id = :session_id AND handoff_state = 'pending';

-- @method conversation.complete_handoff  none  write
-- The session goes on at the platform. An unknown session is no error.
-- @param  session_id  text          which session
-- @result completed   int changed   1, or 0 if it does not exist
-- @feature handoff
UPDATE sessions SET handoff_state = 'completed', handoff_error = NULL WHERE id = :session_id;

-- @method conversation.fail_handoff  none  write
-- The handoff failed. An unknown session is no error.
-- @param  session_id  text          which session
-- @param  error       text          why; its first 500 characters are kept
-- @result failed      int changed   1, or 0 if it does not exist
-- @feature handoff
UPDATE sessions SET handoff_state = 'failed', handoff_error = substr(:error, 1, 500)
 WHERE id = :session_id;

-- @method conversation.get_handoff_state  one  read
-- How far the handoff of a session is; null if there is no such session.
-- @param  session_id  text    which session
-- @result state       text?   pending, running, completed or failed; null if there never was one
-- @result platform    text?   where it is to go on
-- @result error       text?   why it failed
SELECT handoff_state AS state, handoff_platform AS platform, handoff_error AS error   -- @has handoff
SELECT NULL AS state, NULL AS platform, NULL AS error                                 -- @lacks handoff
  FROM sessions WHERE id = :session_id;

-- @method conversation.list_pending_handoffs  many  read
-- The sessions that wait for a platform to claim them, oldest first.
-- @param  platform           text optional   only those for this platform
-- @result id                 text            the session
-- @result source             text            where it runs
-- @result user_id            text?           whose it is
-- @result model              text?           its model
-- @result title              text?           its title
-- @result parent_session_id  text?           the session it came from
-- @result started_at         time            when it started
-- @result message_count      int?            messages counted
-- @result handoff_state      text            pending
-- @result handoff_platform   text?           where it is to go on
SELECT id, source, user_id, model, title, parent_session_id, started_at, message_count,
       handoff_state, handoff_platform                       -- @has handoff
       '' AS handoff_state, '' AS handoff_platform           -- @lacks handoff
  FROM sessions
 WHERE handoff_state = 'pending'                             -- @has handoff
 WHERE 1 = 0                                                 -- @lacks handoff
   AND handoff_platform = :platform                          -- @if platform @has handoff
 ORDER BY started_at, id;
