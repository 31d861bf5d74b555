-- Schedules: prompts that are run at set times. A slot is a moment at which a schedule fires (src/base/cron.h).

-- @method assistant.create_scheduled_task  one  write
-- Keep a prompt that is to be run at set times. One that is there under the same id stays as it is.
-- @param  id               text = new          the task's id
-- @param  name             text                what it is called
-- @param  prompt           text                what is run
-- @param  cron_expression  cron                when: minute, hour, day of month, month, day of week
-- @param  timezone         timezone = "UTC"    where clocks show that
-- @param  enabled          bool = true         it is run
-- @param  created_by       text = "user"       user or system
-- @param  last_run         time? = null        the slot that fired last
-- @param  created_at       time = now          when it was made; slots before that are not missed
-- @result id               text                the task's id
INSERT INTO scheduled_tasks (id, name, prompt, cron_expression, timezone, enabled, created_by, last_run, created_at)
VALUES (:id, :name, :prompt, :cron_expression, :timezone, :enabled, :created_by, :last_run, :created_at)
ON CONFLICT (id) DO UPDATE SET id = excluded.id
RETURNING id;

-- @method assistant.read_scheduled_tasks  many  read  private
-- All scheduled tasks, the newest first.
-- @result id               text    the task's id
-- @result name             text    what it is called
-- @result prompt           text    what is run
-- @result cron_expression  text    when
-- @result timezone         text    where clocks show that
-- @result enabled          bool    it is run
-- @result created_by       text    user or system
-- @result last_run         time?   the slot that fired last
-- @result created_at       time    when it was made
SELECT id, name, prompt, cron_expression, timezone, enabled, created_by, last_run, created_at
  FROM scheduled_tasks ORDER BY created_at DESC, id;

-- @method assistant.list_scheduled_tasks  many  read
-- All scheduled tasks, the newest first, each with the time at which it fires next.
-- @param  now              time = now   at this time
-- @http GET /v1/scheduled-tasks
-- @results assistant.read_scheduled_tasks
-- @result next_run         time?        its first slot after now; null if it is not enabled
-- @result problem          text?        why it cannot be run, if another program has written something else than a schedule
-- @native st_assistant_list_scheduled_tasks

-- @method assistant.get_due_scheduled_tasks  many  read
-- Enabled tasks that have a slot after both their last run and their making, but not after now; the newest task first.
-- However many slots were missed, a task is there once. Give its slot to claim_scheduled_task before it is run.
-- @param  now              time = now   at this time
-- @results assistant.read_scheduled_tasks
-- @result slot             time         the last of the missed slots
-- @native st_assistant_get_due_scheduled_tasks

-- @method assistant.claim_scheduled_task  none  write
-- Note a slot as a task's last run, unless it was noted already or a later one was: of several loops that found the
-- same task due, only one gets 1, and runs it.
-- @param  id       text          which task
-- @param  slot     time          the slot that get_due_scheduled_tasks told
-- @result claimed  int changed   1: run it; 0: somebody else has, or it is disabled or gone
UPDATE scheduled_tasks SET last_run = :slot
 WHERE id = :id AND enabled AND (last_run IS NULL OR last_run < :slot);

-- @method assistant.update_scheduled_task  none  write
-- Write what is named of a task; the rest stays.
-- @param  id               text                which task
-- @param  name             text optional       what it is called
-- @param  prompt           text optional       what is run
-- @param  cron_expression  cron optional       when
-- @param  timezone         timezone optional   where clocks show that
-- @param  enabled          bool optional       it is run
-- @param  last_run         time? optional      the slot that fired last
-- @result updated          int changed         1, or 0 if there is none of that id
UPDATE scheduled_tasks
   SET id = id
     , name = :name                                          -- @if name
     , prompt = :prompt                                      -- @if prompt
     , cron_expression = :cron_expression                    -- @if cron_expression
     , timezone = :timezone                                  -- @if timezone
     , enabled = :enabled                                    -- @if enabled
     , last_run = :last_run                                  -- @if last_run
 WHERE id = :id;

-- @method assistant.update_scheduled_task_last_run  none  write
-- Note when a task was last run, whatever is noted. With several loops, use claim_scheduled_task.
-- @param  id        text          which task
-- @param  last_run  time = now    the slot that fired
-- @result updated   int changed   1, or 0 if there is none of that id
UPDATE scheduled_tasks SET last_run = :last_run WHERE id = :id;

-- @method assistant.delete_scheduled_task  none  write
-- Delete a task.
-- @param  id       text          which task
-- @result deleted  int changed   1, or 0 if there is none of that id
DELETE FROM scheduled_tasks WHERE id = :id;

-- @method assistant.next_runs  many  read
-- When a schedule would fire: its next slots, none of them kept anywhere.
-- @param  cron_expression  cron               when
-- @param  timezone         timezone = "UTC"   where clocks show that
-- @param  after            time = now         slots after this time
-- @param  count            int(1..1000) = 5   how many
-- @result slot             time               when it fires
-- @result local            text               what clocks show then, and how far they are ahead of UTC
-- @native st_assistant_next_runs
