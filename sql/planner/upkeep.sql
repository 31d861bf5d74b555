-- Upkeep: what a worker does when it starts.

-- @method planner.recover_stale_running  none  write
-- Clean up after a worker that died, in one transaction: plans that were running or replanning have failed,
-- tasks that were running too, and tasks of failed plans that never began are cancelled. Messages that
-- nobody took up are then told by get_unprocessed_trusted_messages. With several workers, each names its
-- sessions.
-- @param  session    text optional    only of this session
-- @param  now        time = now       when
-- @result plans      int changed 1    plans that failed
-- @result tasks      int changed 2    tasks that failed
-- @result cancelled  int changed 3    tasks that never began
UPDATE plans SET status = 'failed'
 WHERE status IN ('running', 'replanning')
   AND session = :session                                    -- @if session
;
UPDATE tasks SET status = 'failed', output = COALESCE(NULLIF(output, ''), 'Server restarted'), updated_at = :now
 WHERE status = 'running'
   AND session = :session                                    -- @if session
;
UPDATE tasks SET status = 'cancelled', updated_at = :now
 WHERE status = 'pending' AND plan_id IN (SELECT p.id FROM plans AS p WHERE p.status = 'failed')
   AND session = :session                                    -- @if session
;
