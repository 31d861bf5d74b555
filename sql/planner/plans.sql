-- Plans: what the planner made of a message. A plan that replaces another one names it as its parent.

-- @method planner.create_plan  one  write
-- Make a plan for a message, running from now on, with its tasks if they are known. In the same transaction
-- the message is marked as processed: whoever dies before has lost nothing, whoever dies later leaves a plan
-- that recover_stale_running finds.
-- @param  session         text                   whose plan
-- @param  message_id      int                    the message it is for
-- @param  goal            text                   what is to be reached
-- @param  parent_id       int? = null            the plan it replaces
-- @param  model           text? = null           the model that planned
-- @param  tasks           planner.insert_task[] = []   its tasks, in order; plan_id and session are filled in
-- @param  mark_processed  bool = true            false: leave the message as it is
-- @param  now             time = now             when
-- @result id              int                    the plan's number
-- @result task_ids        json                   the numbers of its tasks, in order
-- @native st_planner_create_plan

-- @method planner.insert_plan  one  write  private
-- Write a plan.
-- @param  session     text    whose plan
-- @param  message_id  int     the message it is for
-- @param  goal        text    what is to be reached
-- @param  parent_id   int?    the plan it replaces
-- @param  model       text?   the model that planned
-- @param  now         time    when
-- @result id          int     the plan's number
INSERT INTO plans (session, message_id, parent_id, goal, model, status, created_at)
VALUES (:session, :message_id, :parent_id, :goal, :model, 'running', :now)
RETURNING id;

-- @method planner.look_plan  one  read  private
-- What other methods need to know of a plan.
-- @param  id          int    which
-- @result session     text   whose plan
-- @result message_id  int    the message it is for
-- @result status      text   its status
SELECT session, message_id, status FROM plans WHERE id = :id;

-- @method planner.update_plan_status  none  write
-- Move a plan on: from running to replanning, from both to done, failed or cancelled, which are final.
-- @param  id      int                                                which plan
-- @param  status  text(running|replanning|done|failed|cancelled)     where to
-- @native st_planner_update_plan_status

-- @method planner.set_plan_status  none  write  private
-- Write the status of a plan.
-- @param  id      int    which plan
-- @param  status  text   its status
UPDATE plans SET status = :status WHERE id = :id;

-- @method planner.update_plan_usage  none  write
-- Replace the figures of a plan: they are totals, not increments. What is not named stays.
-- @param  id             int              which plan
-- @param  input_tokens   int(0..)         tokens read by models
-- @param  output_tokens  int(0..)         tokens written by models
-- @param  model          text? optional   the model that planned
-- @param  llm_calls      json? optional   the calls of models, an array; an empty one or null: none are kept
-- @else NOTFOUND id
UPDATE plans
   SET total_input_tokens = :input_tokens, total_output_tokens = :output_tokens
     , model = :model                                        -- @if model
     , llm_calls = CASE WHEN json(:llm_calls) IN ('null', '[]') THEN NULL ELSE :llm_calls END              -- @if llm_calls @for sqlite
     , llm_calls = CASE WHEN CAST(:llm_calls AS TEXT) ~ '^\s*(null|\[\s*\])\s*$' THEN NULL ELSE :llm_calls END -- @if llm_calls @for postgres
 WHERE id = :id;

-- @method planner.cancel_plan  one  write
-- Cancel a plan and its tasks that have not begun, in one transaction. A task that is running is left to
-- whoever runs it.
-- @param  id         int          which plan
-- @param  now        time = now   when
-- @result cancelled  int          tasks cancelled
-- @native st_planner_cancel_plan

-- @method planner.supersede_plan  one  write
-- Replace a plan by a new one, in one transaction: its tasks that are not finished fail, it ends with the
-- status that is given, and the new plan has it as its parent.
-- @param  id          int                                     the plan to replace
-- @param  goal        text                                    what is to be reached now
-- @param  status      text(done|failed|cancelled) = "failed"  how the old one ends
-- @param  reason      text = "Superseded by replan"           the output of tasks that have none
-- @param  message_id  int optional                            the message it is for, if not the old plan's
-- @param  model       text? = null                            the model that planned
-- @param  tasks       planner.insert_task[] = []              the new tasks, in order
-- @param  now         time = now                              when
-- @result id          int                                     the new plan's number
-- @result superseded  int                                     tasks that failed
-- @result task_ids    json                                    the numbers of the new tasks, in order
-- @native st_planner_supersede_plan

-- @method planner.get_plan  one  read
-- A plan, or null.
-- @param  id                   int     which
-- @result id                   int     the plan's number
-- @result session              text    whose plan
-- @result message_id           int     the message it is for
-- @result parent_id            int?    the plan it replaces
-- @result goal                 text    what is to be reached
-- @result status               text    running, replanning, done, failed or cancelled
-- @result total_input_tokens   int     tokens read by models
-- @result total_output_tokens  int     tokens written by models
-- @result model                text?   the model that planned
-- @result llm_calls            json?   the calls of models: an array
-- @result created_at           time?   when it was made
SELECT id, session, message_id, parent_id, goal, status, total_input_tokens, total_output_tokens, model,
       llm_calls, created_at
  FROM plans WHERE id = :id;

-- @method planner.get_plan_for_session  one  read
-- The latest plan of a session, or null.
-- @param  session              text    which session
-- @result id                   int     the plan's number
-- @result session              text    whose plan
-- @result message_id           int     the message it is for
-- @result parent_id            int?    the plan it replaces
-- @result goal                 text    what is to be reached
-- @result status               text    running, replanning, done, failed or cancelled
-- @result total_input_tokens   int     tokens read by models
-- @result total_output_tokens  int     tokens written by models
-- @result model                text?   the model that planned
-- @result llm_calls            json?   the calls of models: an array
-- @result created_at           time?   when it was made
SELECT id, session, message_id, parent_id, goal, status, total_input_tokens, total_output_tokens, model,
       llm_calls, created_at
  FROM plans WHERE session = :session ORDER BY id DESC LIMIT 1;

-- @method planner.get_plans  many  read
-- The plans of a session, oldest first.
-- @param  session              text                which session
-- @param  after                int = 0             only those numbered above this
-- @param  limit                int(1..) optional   at most this many
-- @http GET /v1/planner/plans/{session}
-- @result id                   int     the plan's number
-- @result session              text    whose plan
-- @result message_id           int     the message it is for
-- @result parent_id            int?    the plan it replaces
-- @result goal                 text    what is to be reached
-- @result status               text    running, replanning, done, failed or cancelled
-- @result total_input_tokens   int     tokens read by models
-- @result total_output_tokens  int     tokens written by models
-- @result model                text?   the model that planned
-- @result llm_calls            json?   the calls of models: an array
-- @result created_at           time?   when it was made
SELECT id, session, message_id, parent_id, goal, status, total_input_tokens, total_output_tokens, model,
       llm_calls, created_at
  FROM plans WHERE session = :session AND id > :after
 ORDER BY id
 LIMIT :limit                                                -- @if limit
;

-- @method planner.get_plan_chain  many  read
-- A plan and those that it replaced, the first one first.
-- @param  id                   int     which plan
-- @result id                   int     the plan's number
-- @result session              text    whose plan
-- @result message_id           int     the message it is for
-- @result parent_id            int?    the plan it replaces
-- @result goal                 text    what is to be reached
-- @result status               text    running, replanning, done, failed or cancelled
-- @result total_input_tokens   int     tokens read by models
-- @result total_output_tokens  int     tokens written by models
-- @result model                text?   the model that planned
-- @result llm_calls            json?   the calls of models: an array
-- @result created_at           time?   when it was made
WITH RECURSIVE chain (number, parent) AS (
  SELECT id, parent_id FROM plans WHERE id = :id
  UNION -- not ALL: a chain that bites its tail ends
  SELECT p.id, p.parent_id FROM chain AS c JOIN plans AS p ON p.id = c.parent)
SELECT id, session, message_id, parent_id, goal, status, total_input_tokens, total_output_tokens, model,
       llm_calls, created_at
  FROM plans WHERE id IN (SELECT number FROM chain)
 ORDER BY id;
