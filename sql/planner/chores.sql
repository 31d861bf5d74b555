-- Upkeep of facts and learnings, in the order in which stele.upkeep does it.

-- @method planner.upkeep_promote  many  write
-- Make a fact of what was learned in several sessions in the same words. Nobody has judged it: it is trusted by half, so that it fades
-- soon unless it is used. A fact that is there in the same words is not kept twice.
-- @param  learning_sessions  int(2..1000) = 2   it was learned in so many sessions
-- @param  dry_run            bool = false       only tell them
-- @param  now                time = now         when
-- @result what               text               a learning: learning 3
-- @result change             text               promoted
-- @result why                text               in how many sessions it was learned
-- @native st_planner_upkeep_promote

-- @method planner.upkeep_supersede  many  write
-- Of facts that say the same (the same words, whatever their case and punctuation) in one category, and that are to be seen in the
-- same place, the one that is trusted most stays, the oldest of several; it supersedes the others.
-- @param  dry_run            bool = false       only tell them
-- @param  now                time = now         when
-- @result what               text               a fact: fact 12
-- @result change             text               superseded
-- @result why                text               which fact says the same
-- @native st_planner_upkeep_supersede

-- @method planner.upkeep_decay  many  write
-- What decay_facts does, once a day (of UTC) however often it is called. Days that were missed are not made up for.
-- @param  fact_decay_days    int(0..) = 7       used within so many days: no decay
-- @param  fact_decay_rate    real(0..1) = 0.1   how much is taken
-- @param  again              bool = false       also if it was done today already
-- @param  dry_run            bool = false       only tell them
-- @param  now                time = now         when
-- @result what               text               a fact: fact 12
-- @result change             text               decayed
-- @result why                text               since when it was not used, and its confidence
-- @native st_planner_upkeep_decay

-- @method planner.upkeep_archive  many  write
-- What archive_low_confidence_facts does.
-- @param  fact_archive_threshold  real(0..1) = 0.3   the least that stays
-- @param  dry_run                 bool = false       only tell them
-- @param  now                     time = now         when
-- @result what                    text               a fact: fact 12
-- @result change                  text               archived
-- @result why                     text               its confidence
-- @native st_planner_upkeep_archive

-- @method planner.find_idle_facts  many  read  private
-- The facts that a step of decay takes something from.
-- @param  fact_decay_days    int     used within so many days: no decay
-- @param  now                time    when
-- @result id                 int     a fact
-- @result confidence         real    how much it is trusted
-- @result since              text    when it was last used, or became known
SELECT id, confidence, COALESCE(datetime(last_used), datetime(created_at)) AS since FROM facts
 WHERE COALESCE(datetime(last_used), datetime(created_at)) < datetime(:now, '-' || :fact_decay_days || ' days')
   AND confidence > 0
 ORDER BY id;

-- @method planner.find_faded_facts  many  read  private
-- The facts whose confidence is below a threshold.
-- @param  fact_archive_threshold  real   the least that stays
-- @result id                      int    a fact
-- @result confidence              real   how much it is trusted
SELECT id, confidence FROM facts WHERE confidence < :fact_archive_threshold
   AND NOT EXISTS (SELECT 1 FROM stele_held_fact AS h WHERE h.id = facts.id)                                   -- @has holds
 ORDER BY id;
