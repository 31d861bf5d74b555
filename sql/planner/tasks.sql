-- Tasks: the steps of plans. Updates change what they name and nothing else.

-- @method planner.create_task  one  write
-- Add a task to a plan. Tasks of type exec and skill are reviewed, and need expect.
-- @param  plan_id  int              whose task
-- @param  session  text optional    in which session, if not the plan's
-- @param  type     text(msg|exec|skill|search|replan)   what kind
-- @param  detail   text             what to do, or what to say
-- @param  skill    text? = null     which skill
-- @param  args     jsontext? = null the skill's arguments
-- @param  expect   text? = null     by what success is known
-- @param  status   text(pending|running|done|failed|cancelled) = "pending"   its first status; a notice is done at once
-- @param  output   text? = null     what came of it
-- @param  now      time = now       when
-- @result id       int              the task's number
-- @native st_planner_create_task

-- @method planner.insert_task  one  write  private
-- Write a task.
-- @param  plan_id  int? = null      whose task
-- @param  session  text? = null     in which session
-- @param  type     text(msg|exec|skill|search|replan)   what kind
-- @param  detail   text             what to do, or what to say
-- @param  skill    text? = null     which skill
-- @param  args     jsontext? = null the skill's arguments
-- @param  expect   text? = null     by what success is known; exec and skill need it
-- @param  status   text(pending|running|done|failed|cancelled) = "pending"   its first status
-- @param  output   text? = null     what came of it
-- @param  now      time = now       when
-- @result id       int              the task's number
INSERT INTO tasks (plan_id, session, type, detail, skill, args, expect, status, output, created_at, updated_at)
VALUES (:plan_id, :session, :type, :detail, :skill, :args, :expect, :status, :output, :now, :now)
RETURNING id;

-- @method planner.update_task  none  write
-- Move a task on, or write what came of it: from pending to running, from both to done, failed or cancelled,
-- which are final. What is not named stays; null erases.
-- @param  id         int              which task
-- @param  status     text(pending|running|done|failed|cancelled) optional   where to
-- @param  output     text? optional   what came of it
-- @param  stderr     text? optional   what it complained about
-- @param  substatus  text? optional   more about its status
-- @param  now        time = now       when
-- @native st_planner_update_task

-- @method planner.look_task  one  read  private
-- What other methods need to know of a task.
-- @param  id      int    which
-- @result status  text   its status
SELECT status FROM tasks WHERE id = :id;

-- @method planner.write_task  none  write  private
-- Write what is named of a task.
-- @param  id         int              which task
-- @param  status     text optional    its status
-- @param  output     text? optional   what came of it
-- @param  stderr     text? optional   what it complained about
-- @param  substatus  text? optional   more about its status
-- @param  now        time             when
UPDATE tasks
   SET updated_at = :now
     , status = :status                                      -- @if status
     , output = :output                                      -- @if output
     , stderr = :stderr                                      -- @if stderr
     , substatus = :substatus                                -- @if substatus
 WHERE id = :id;

-- @method planner.close_tasks  none  write  private
-- End the tasks of a plan that have not ended.
-- @param  plan_id  int    which plan
-- @param  status   text   how
-- @param  running  bool   those that are running too, not only those that have not begun
-- @param  reason   text?  the output of those that have none
-- @param  now      time   when
UPDATE tasks SET status = :status, output = COALESCE(output, :reason), updated_at = :now
 WHERE plan_id = :plan_id AND (status = 'pending' OR (:running AND status = 'running'));

-- @method planner.update_task_review  none  write
-- Write what the reviewer said of a task.
-- @param  id        int              which task
-- @param  verdict   text             pass, fail or replan
-- @param  reason    text? optional   why
-- @param  learning  text? optional   what can be learned from it
-- @param  now       time = now       when
-- @else NOTFOUND id
UPDATE tasks
   SET review_verdict = :verdict, updated_at = :now
     , review_reason = :reason                               -- @if reason
     , review_learning = :learning                           -- @if learning
 WHERE id = :id;

-- @method planner.update_task_command  none  write
-- Write the shell command that a task became.
-- @param  id       int          which task
-- @param  command  text?        the command
-- @param  now      time = now   when
-- @else NOTFOUND id
UPDATE tasks SET command = :command, updated_at = :now WHERE id = :id;

-- @method planner.update_task_substatus  none  write
-- Write more about the status of a task, e.g. reviewing.
-- @param  id         int          which task
-- @param  substatus  text?        what
-- @param  now        time = now   when
-- @else NOTFOUND id
UPDATE tasks SET substatus = :substatus, updated_at = :now WHERE id = :id;

-- @method planner.update_task_retry_count  none  write
-- Write how often a task was tried again.
-- @param  id           int          which task
-- @param  retry_count  int(0..)     how often
-- @param  now          time = now   when
-- @else NOTFOUND id
UPDATE tasks SET retry_count = :retry_count, updated_at = :now WHERE id = :id;

-- @method planner.update_task_usage  none  write
-- Replace the figures of a task: they are totals, not increments. What is not named stays.
-- @param  id             int              which task
-- @param  input_tokens   int(0..)         tokens read by models
-- @param  output_tokens  int(0..)         tokens written by models
-- @param  llm_calls      json? optional   the calls of models, an array; an empty one or null: none are kept
-- @param  now            time = now       when
-- @else NOTFOUND id
UPDATE tasks
   SET input_tokens = :input_tokens, output_tokens = :output_tokens, updated_at = :now
     , llm_calls = CASE WHEN json(:llm_calls) IN ('null', '[]') THEN NULL ELSE :llm_calls END              -- @if llm_calls @for sqlite
     , llm_calls = CASE WHEN CAST(:llm_calls AS TEXT) ~ '^\s*(null|\[\s*\])\s*$' THEN NULL ELSE :llm_calls END -- @if llm_calls @for postgres
 WHERE id = :id;

-- @method planner.append_task_llm_call  none  write
-- Add one call of a model to those of a task, in one statement: calls that come together are all kept. What
-- is kept there and is no array, damaged JSON for example, is given up for a new one.
-- @param  id        int          which task
-- @param  llm_call  json         the call: role, model, input_tokens, output_tokens
-- @param  now       time = now   when
-- @else NOTFOUND id
UPDATE tasks
   SET updated_at = :now,
-- @for sqlite
       llm_calls = json_insert(CASE WHEN json_valid(llm_calls)
                                    THEN CASE json_type(llm_calls) WHEN 'array' THEN llm_calls ELSE '[]' END
                                    ELSE '[]' END, '$[#]', json(:llm_call))
-- @for postgres
       llm_calls = CAST(CASE json_typeof(llm_calls) WHEN 'array'
                             THEN (SELECT CASE BTRIM(t.begun, E' \t\r\n') WHEN '[' THEN '[' ELSE t.begun || ',' END
                                     FROM (SELECT LEFT(RTRIM(CAST(llm_calls AS TEXT), E' \t\r\n'), -1) AS begun) AS t)
                             ELSE '[' END || CAST(:llm_call AS TEXT) || ']' AS JSON)
-- @for both
 WHERE id = :id;

-- @method planner.get_task  one  read
-- A task, or null.
-- @param  id               int         which
-- @result id               int         the task's number
-- @result plan_id          int         whose task
-- @result session          text        in which session
-- @result type             text        exec, msg, skill, search or replan
-- @result detail           text        what to do, or what to say
-- @result skill            text?       which skill
-- @result args             jsontext?   the skill's arguments
-- @result expect           text?       by what success is known
-- @result command          text?       the shell command it became
-- @result status           text        pending, running, done, failed or cancelled
-- @result substatus        text?       more about it, e.g. reviewing
-- @result output           text?       what came of it
-- @result stderr           text?       what it complained about
-- @result retry_count      int         how often it was tried again
-- @result review_verdict   text?       what the reviewer said
-- @result review_reason    text?       and why
-- @result review_learning  text?       what can be learned from it
-- @result input_tokens     int         tokens read by models
-- @result output_tokens    int         tokens written by models
-- @result llm_calls        json?       the calls of models: an array
-- @result created_at       time?       when it was made
-- @result updated_at       time?       when it was last changed
SELECT id, plan_id, session, type, detail, skill, args, expect, command, status, substatus, output, stderr,
       retry_count, review_verdict, review_reason, review_learning, input_tokens, output_tokens, llm_calls,
       created_at, updated_at
  FROM tasks WHERE id = :id;

-- @method planner.get_tasks_for_plan  many  read
-- The tasks of a plan, in order.
-- @param  plan_id          int         which plan
-- @result id               int         the task's number
-- @result plan_id          int         whose task
-- @result session          text        in which session
-- @result type             text        exec, msg, skill, search or replan
-- @result detail           text        what to do, or what to say
-- @result skill            text?       which skill
-- @result args             jsontext?   the skill's arguments
-- @result expect           text?       by what success is known
-- @result command          text?       the shell command it became
-- @result status           text        pending, running, done, failed or cancelled
-- @result substatus        text?       more about it, e.g. reviewing
-- @result output           text?       what came of it
-- @result stderr           text?       what it complained about
-- @result retry_count      int         how often it was tried again
-- @result review_verdict   text?       what the reviewer said
-- @result review_reason    text?       and why
-- @result review_learning  text?       what can be learned from it
-- @result input_tokens     int         tokens read by models
-- @result output_tokens    int         tokens written by models
-- @result llm_calls        json?       the calls of models: an array
-- @result created_at       time?       when it was made
-- @result updated_at       time?       when it was last changed
SELECT id, plan_id, session, type, detail, skill, args, expect, command, status, substatus, output, stderr,
       retry_count, review_verdict, review_reason, review_learning, input_tokens, output_tokens, llm_calls,
       created_at, updated_at
  FROM tasks WHERE plan_id = :plan_id ORDER BY id;

-- @method planner.get_tasks_for_session  many  read
-- The tasks of a session, in order; those after a number, to look again and again.
-- @param  session          text                which session
-- @param  after            int = 0             only those numbered above this
-- @param  limit            int(1..) optional   at most this many
-- @http GET /v1/planner/tasks/{session}
-- @result id               int         the task's number
-- @result plan_id          int         whose task
-- @result session          text        in which session
-- @result type             text        exec, msg, skill, search or replan
-- @result detail           text        what to do, or what to say
-- @result skill            text?       which skill
-- @result args             jsontext?   the skill's arguments
-- @result expect           text?       by what success is known
-- @result command          text?       the shell command it became
-- @result status           text        pending, running, done, failed or cancelled
-- @result substatus        text?       more about it, e.g. reviewing
-- @result output           text?       what came of it
-- @result stderr           text?       what it complained about
-- @result retry_count      int         how often it was tried again
-- @result review_verdict   text?       what the reviewer said
-- @result review_reason    text?       and why
-- @result review_learning  text?       what can be learned from it
-- @result input_tokens     int         tokens read by models
-- @result output_tokens    int         tokens written by models
-- @result llm_calls        json?       the calls of models: an array
-- @result created_at       time?       when it was made
-- @result updated_at       time?       when it was last changed
SELECT id, plan_id, session, type, detail, skill, args, expect, command, status, substatus, output, stderr,
       retry_count, review_verdict, review_reason, review_learning, input_tokens, output_tokens, llm_calls,
       created_at, updated_at
  FROM tasks WHERE session = :session AND id > :after
 ORDER BY id
 LIMIT :limit                                                -- @if limit
;

-- @method planner.get_deliverable_tasks  many  read
-- What is to be told to the user: finished tasks of type msg, in order.
-- @param  session     text                which session
-- @param  after       int = 0             only those numbered above this
-- @param  limit       int(1..) optional   at most this many
-- @result id          int     the task's number
-- @result plan_id     int     whose task
-- @result session     text    in which session
-- @result detail      text    what was to be said
-- @result output      text?   what is to be told
-- @result updated_at  time?   when it was finished
SELECT id, plan_id, session, detail, output, updated_at
  FROM tasks WHERE session = :session AND id > :after AND type = 'msg' AND status = 'done'
 ORDER BY id
 LIMIT :limit                                                -- @if limit
;
