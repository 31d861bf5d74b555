-- Upkeep of what was learned from workflows.

-- @method capture.upkeep_graduate  many  write
-- What was met often enough and is still counted apart becomes a lesson. record_lesson does so by itself; this is for what was counted
-- while more was asked for, and for rows that came in by another way.
-- @param  lesson_occurrences  int(1..1000) = 2   how often is enough
-- @param  dry_run             bool = false       only tell them
-- @result what                text               a lesson: ruff:E501 in src/web/ of owner/name
-- @result change              text               graduated
-- @result why                 text               how often it was met
-- @native st_capture_upkeep_graduate

-- @method capture.find_due_lessons  many  read  private
-- What was met often enough to be a lesson.
-- @param  lesson_occurrences  int    how often is enough
-- @result repo                text   its repository,
-- @result tool                text   tool,
-- @result rule_id             text   rule,
-- @result path_prefix         text   and place
-- @result count               int    how often it was met
-- @result first_seen_at       time   when first
SELECT repo, tool, rule_id, path_prefix, count, first_seen_at FROM lesson_pending
 WHERE count >= :lesson_occurrences ORDER BY repo, tool, rule_id, path_prefix;
