-- Tasks, with a day on which they are due.

-- @method assistant.create_task  one  write
-- Note what is to be done. One that is there under the same id stays as it is: the first wins.
-- @param  id          text = new      the task's id
-- @param  title       text            what is to be done
-- @param  status      text = "todo"   todo or done
-- @param  due_date    date? = null    until when
-- @param  notified    bool = false    the user was told that it is due
-- @param  created_at  time = now      when it was noted
-- @result id          text            the task's id
INSERT INTO tasks (id, title, status, due_date, notified, created_at)
VALUES (:id, :title, :status, :due_date, :notified, :created_at)
ON CONFLICT (id) DO UPDATE SET id = excluded.id
RETURNING id;

-- @method assistant.list_tasks  many  read
-- All tasks, the newest first.
-- @param  status      text optional   only those of this status
-- @param  limit       int = -1        at most this many; negative: all
-- @param  offset      int(0..) = 0    after leaving out this many
-- @http GET /v1/assistant-tasks
-- @result id          text    the task's id
-- @result title       text    what is to be done
-- @result status      text    todo or done
-- @result due_date    text?   until when: YYYY-MM-DD
-- @result notified    bool    the user was told that it is due
-- @result created_at  time    when it was noted
SELECT id, title, status, due_date, notified, created_at FROM tasks
 WHERE status = :status                                      -- @if status
 ORDER BY created_at DESC, id
 LIMIT :limit                                                -- @for sqlite
 LIMIT CASE WHEN :limit < 0 THEN NULL ELSE :limit END        -- @for postgres
OFFSET :offset;

-- @method assistant.search_tasks  many  read
-- The tasks in whose title a text stands, whatever its case; the newest first.
-- @param  query       text           what to look for, character by character
-- @param  limit       int = -1       at most this many; negative: all
-- @param  offset      int(0..) = 0   after leaving out this many
-- @http GET /v1/assistant-tasks/search
-- @results assistant.list_tasks
-- @native st_assistant_search

-- @method assistant.scan_tasks  many  read  private
-- The tasks that may hold a text, in the order of search_tasks: see st_assistant_search.
-- @param  pattern     text optional   of LIKE: what the text would match if both are ASCII
-- @results assistant.list_tasks
SELECT id, title, status, due_date, notified, created_at FROM tasks
 WHERE title ~ '[^\x01-\x7f]' OR lower(title) LIKE :pattern ESCAPE '\'                                    -- @if pattern @for postgres
 ORDER BY created_at DESC, id;

-- @method assistant.get_tasks_due  many  read
-- The tasks that are to be done by today and of which the user was not told, the first due first.
-- @param  timezone    timezone = "UTC"   where the day begins and ends
-- @param  now         time = now         at this time
-- @results assistant.list_tasks
-- @native st_assistant_get_tasks_due

-- @method assistant.find_tasks_due  many  read  private
-- The tasks of get_tasks_due.
-- @param  today       date   by this day
-- @results assistant.list_tasks
SELECT id, title, status, due_date, notified, created_at FROM tasks
 WHERE status = 'todo' AND due_date <= :today AND NOT notified
 ORDER BY due_date, created_at, id;

-- @method assistant.mark_task_notified  none  write
-- Note that the user was told that a task is due.
-- @param  id          text          which task
-- @result updated     int changed   1, or 0 if there is no such task
UPDATE tasks SET notified = TRUE WHERE id = :id;

-- @method assistant.update_task  none  write
-- Change what is named of a task. With another day the user is told again when it is due.
-- @param  id          text             which task
-- @param  title       text optional    what is to be done
-- @param  due_date    date? optional   until when; null: no day
-- @result updated     int changed      1, or 0 if there is no such task
UPDATE tasks
   SET id = id
     , title = :title                                                                                     -- @if title
     , notified = CASE WHEN due_date IS NOT DISTINCT FROM :due_date THEN notified ELSE FALSE END          -- @if due_date
     , due_date = :due_date                                                                               -- @if due_date
 WHERE id = :id;

-- @method assistant.complete_task  none  write
-- Note that a task is done.
-- @param  id          text          which task
-- @result updated     int changed   1, or 0 if there is no such task
UPDATE tasks SET status = 'done' WHERE id = :id;

-- @method assistant.delete_task  none  write
-- Delete a task.
-- @param  id          text          which task
-- @result deleted     int changed   1, or 0 if there is no such task
DELETE FROM tasks WHERE id = :id;
