-- Alert rules: what to tell the user unasked. A new store has two, for tasks that are due today and overdue.

-- @method assistant.create_alert_rule  one  write
-- Keep a rule by which the user is told something unasked. One that is there under the same id stays as it is.
-- @param  id              text = new             the rule's id
-- @param  name            text                   what it is called
-- @param  trigger_type    text                   task_due_today, task_overdue, meeting_soon, email_arrived, ...
-- @param  conditions      jsontext = {}          an object; fire_hour (0 to 23): not before this hour of the day
-- @param  cooldown_hours  int(0..876000) = 24    hours between two firings
-- @param  enabled         bool = true            it fires
-- @param  created_by      text = "user"          user or system
-- @param  last_fired      time? = null           when it last fired
-- @param  created_at      time = now             when it was made
-- @result id              text                   the rule's id
-- @native st_assistant_create_alert_rule

-- @method assistant.insert_alert_rule  one  write  private
-- Write a rule whose conditions have been checked.
-- @param  id              text    its id
-- @param  name            text    what it is called
-- @param  trigger_type    text    what makes it fire
-- @param  conditions      jsontext   an object
-- @param  cooldown_hours  int     hours between two firings
-- @param  enabled         bool    it fires
-- @param  created_by      text    user or system
-- @param  last_fired      time?   when it last fired
-- @param  created_at      time    when it was made
-- @result id              text    the rule's id
INSERT INTO alert_rules (id, name, trigger_type, conditions, cooldown_hours, enabled, created_by, last_fired, created_at)
VALUES (:id, :name, :trigger_type, :conditions, :cooldown_hours, :enabled, :created_by, :last_fired, :created_at)
ON CONFLICT (id) DO UPDATE SET id = excluded.id
RETURNING id;

-- @method assistant.list_alert_rules  many  read
-- Alert rules, the newest first.
-- @param  enabled_only    bool = false   only those that fire
-- @http GET /v1/alert-rules
-- @result id              text    the rule's id
-- @result name            text    what it is called
-- @result trigger_type    text    what makes it fire
-- @result conditions      jsontext   an object
-- @result cooldown_hours  int     hours between two firings
-- @result enabled         bool    it fires
-- @result created_by      text    user or system
-- @result last_fired      time?   when it last fired
-- @result created_at      time    when it was made
SELECT id, name, trigger_type, conditions, cooldown_hours, enabled, created_by, last_fired, created_at
  FROM alert_rules
 WHERE enabled OR NOT :enabled_only
 ORDER BY created_at DESC, id;

-- @method assistant.get_due_alert_rules  many  read
-- Enabled rules that have not fired within their cooldown and whose fire_hour has come today, the newest first. Rules of
-- task_due_today and task_overdue are there only if there are such tasks, and tell them; of others the caller knows more.
-- @param  timezone        timezone = "UTC"   where the day begins, and its hours are counted
-- @param  now             time = now         at this time
-- @results assistant.list_alert_rules
-- @result tasks           json?              the tasks that are due or overdue, the oldest first: id, title, due_date
-- @native st_assistant_get_due_alert_rules

-- @method assistant.find_open_tasks  many  read  private
-- Tasks that are not done, by the day that they are due.
-- @param  on        text optional   due on this day
-- @param  before    text optional   due before this day
-- @result id        text            the task's id
-- @result title     text            its title
-- @result due_date  text            when it is due
SELECT id, title, due_date FROM tasks
 WHERE status = 'todo' AND due_date <> ''
   AND due_date = :on                                        -- @if on
   AND due_date < :before                                    -- @if before
 ORDER BY due_date, id;

-- @method assistant.update_alert_rule  one  write
-- Write what is named of a rule; the rest stays.
-- @param  id              text                      which rule
-- @param  name            text optional             what it is called
-- @param  trigger_type    text optional             what makes it fire
-- @param  conditions      jsontext optional         an object, as create_alert_rule takes it
-- @param  cooldown_hours  int(0..876000) optional   hours between two firings
-- @param  enabled         bool optional             it fires
-- @param  last_fired      time? optional            when it last fired
-- @result updated         int                       1, or 0 if there is none of that id
-- @native st_assistant_update_alert_rule

-- @method assistant.write_alert_rule  none  write  private
-- Write what is named of a rule whose conditions have been checked.
-- @param  id              text             which rule
-- @param  name            text optional    what it is called
-- @param  trigger_type    text optional    what makes it fire
-- @param  conditions      jsontext optional    an object
-- @param  cooldown_hours  int optional     hours between two firings
-- @param  enabled         bool optional    it fires
-- @param  last_fired      time? optional   when it last fired
UPDATE alert_rules
   SET id = id
     , name = :name                                          -- @if name
     , trigger_type = :trigger_type                          -- @if trigger_type
     , conditions = :conditions                              -- @if conditions
     , cooldown_hours = :cooldown_hours                      -- @if cooldown_hours
     , enabled = :enabled                                    -- @if enabled
     , last_fired = :last_fired                              -- @if last_fired
 WHERE id = :id;

-- @method assistant.update_alert_rule_last_fired  none  write
-- Note when a rule fired.
-- @param  id          text          which rule
-- @param  last_fired  time = now    when
-- @result updated     int changed   1, or 0 if there is none of that id
UPDATE alert_rules SET last_fired = :last_fired WHERE id = :id;

-- @method assistant.delete_alert_rule  none  write
-- Delete a rule. One that a new store has does not come back.
-- @param  id       text          which rule
-- @result deleted  int changed   1, or 0 if there is none of that id
DELETE FROM alert_rules WHERE id = :id;
