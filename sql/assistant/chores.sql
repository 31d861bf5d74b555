-- Upkeep of what the assistant has learned, in the order in which stele.upkeep does it.

-- @method assistant.upkeep_promote  many  write
-- Rules that were seen twice and are still candidates become active. save_agent_learning does so by itself; this is for rows that
-- came in by another way.
-- @param  dry_run         bool = false              only tell them
-- @result what            text                      a rule, by its id: rule r1
-- @result change          text                      promoted
-- @result why             text                      how often it was seen
-- @native st_assistant_upkeep_promote

-- @method assistant.upkeep_decay  many  write
-- What decay_user_facts does.
-- @param  user_fact_days  int(0..100000) = 14       facts of the last days are kept, of 24 hours each
-- @param  dry_run         bool = false              only tell them
-- @param  now             time = now                what time it is
-- @result what            text                      a fact, by its key: user fact mood_2026_01_31
-- @result change          text                      deleted
-- @result why             text                      what its key tells
-- @native st_assistant_upkeep_decay

-- @method assistant.find_recurring_candidates  many  read  private
-- Rules that were seen often enough to be active, and are not.
-- @result id                text   the rule
-- @result recurrence_count  int    how often it was seen
SELECT id, recurrence_count FROM agent_learnings
 WHERE status = 'candidate' AND recurrence_count >= 2 ORDER BY id;

-- @method assistant.activate_agent_learnings  none  write  private
-- Rules that were seen often enough are active.
UPDATE agent_learnings SET status = 'active' WHERE status = 'candidate' AND recurrence_count >= 2;
