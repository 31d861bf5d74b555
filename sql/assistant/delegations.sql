-- Delegations: work given to a coding agent or a browser agent.

-- @method assistant.save_delegation  one  write
-- Keep a delegation. An id that is there already is refused.
-- @param  id                  text = new             its id
-- @param  task_description    text                   what was given away
-- @param  status              text(queued|running|completed|failed|cancelled) = "queued"   where it stands
-- @param  backend             text = "opencode"      who does it: opencode, claude_code, web_task, ...
-- @param  chat_id             text? = null           where the result is awaited
-- @param  session_id          text? = null           the backend's session
-- @param  started_at          time? = null           when it was begun
-- @param  completed_at        time? = null           when it ended
-- @param  result_summary      text = ""              what came of it
-- @param  files_summary       text = ""              files that were made, separated by commas
-- @param  duration_seconds    int? = null            how long it took
-- @param  input_tokens        int? = null            tokens read
-- @param  output_tokens       int? = null            tokens written
-- @param  estimated_cost_usd  real? = null           what it cost, about
-- @param  error               text? = null           why it failed
-- @param  credential          text? = null           the service of the vault that was used; never the secret itself
-- @param  created_at          time = now             when it was given away
-- @result id                  text                   its id
-- @else INVALID id
INSERT INTO delegations (id, task_description, status, backend, chat_id, session_id, started_at, completed_at,
                         result_summary, files_summary, duration_seconds, input_tokens, output_tokens,
                         estimated_cost_usd, error, credential, created_at)
VALUES (:id, :task_description, :status, :backend, :chat_id, :session_id, :started_at, :completed_at,
        :result_summary, :files_summary, :duration_seconds, :input_tokens, :output_tokens,
        :estimated_cost_usd, :error, :credential, :created_at)
ON CONFLICT (id) DO NOTHING
RETURNING id;

-- @method assistant.get_delegation  one  read
-- A delegation, or null.
-- @param  id                  text    which
-- @result id                  text    its id
-- @result task_description    text    what was given away
-- @result status              text    queued, running, completed, failed or cancelled
-- @result backend             text    who does it
-- @result chat_id             text?   where the result is awaited
-- @result session_id          text?   the backend's session
-- @result started_at          time?   when it was begun
-- @result completed_at        time?   when it ended
-- @result result_summary      text    what came of it
-- @result files_summary       text    files that were made, separated by commas
-- @result duration_seconds    int?    how long it took
-- @result input_tokens        int?    tokens read
-- @result output_tokens       int?    tokens written
-- @result estimated_cost_usd  real?   what it cost, about
-- @result error               text?   why it failed
-- @result credential          text?   the service of the vault that was used
-- @result created_at          time    when it was given away
SELECT id, task_description, status, backend, chat_id, session_id, started_at, completed_at, result_summary,
       files_summary, duration_seconds, input_tokens, output_tokens, estimated_cost_usd, error, credential, created_at
  FROM delegations WHERE id = :id;

-- @method assistant.list_delegations  many  read
-- Delegations, the newest first.
-- @param  status  text(queued|running|completed|failed|cancelled) optional   only those of this status
-- @param  limit   int(1..) = 50   at most this many
-- @results assistant.get_delegation
SELECT id, task_description, status, backend, chat_id, session_id, started_at, completed_at, result_summary,
       files_summary, duration_seconds, input_tokens, output_tokens, estimated_cost_usd, error, credential, created_at
  FROM delegations
 WHERE status = :status                                      -- @if status
 ORDER BY created_at DESC, id LIMIT :limit;

-- @method assistant.list_running_delegations  many  read
-- Delegations that are running, the newest first.
-- @results assistant.get_delegation
SELECT id, task_description, status, backend, chat_id, session_id, started_at, completed_at, result_summary,
       files_summary, duration_seconds, input_tokens, output_tokens, estimated_cost_usd, error, credential, created_at
  FROM delegations WHERE status = 'running'
 ORDER BY created_at DESC, id;

-- @method assistant.update_delegation  none  write
-- Write what is named of a delegation; the rest stays.
-- @param  id                  text             which
-- @param  task_description    text optional    what was given away
-- @param  status              text(queued|running|completed|failed|cancelled) optional   where it stands
-- @param  backend             text optional    who does it
-- @param  chat_id             text? optional   where the result is awaited
-- @param  session_id          text? optional   the backend's session
-- @param  started_at          time? optional   when it was begun
-- @param  completed_at        time? optional   when it ended
-- @param  result_summary      text optional    what came of it
-- @param  files_summary       text optional    files that were made, separated by commas
-- @param  duration_seconds    int? optional    how long it took
-- @param  input_tokens        int? optional    tokens read
-- @param  output_tokens       int? optional    tokens written
-- @param  estimated_cost_usd  real? optional   what it cost, about
-- @param  error               text? optional   why it failed
-- @param  credential          text? optional   the service of the vault that was used; never the secret itself
-- @result updated             int changed      1, or 0 if there is none of that id
UPDATE delegations
   SET id = id
     , task_description = :task_description                  -- @if task_description
     , status = :status                                      -- @if status
     , backend = :backend                                    -- @if backend
     , chat_id = :chat_id                                    -- @if chat_id
     , session_id = :session_id                              -- @if session_id
     , started_at = :started_at                              -- @if started_at
     , completed_at = :completed_at                          -- @if completed_at
     , result_summary = :result_summary                      -- @if result_summary
     , files_summary = :files_summary                        -- @if files_summary
     , duration_seconds = :duration_seconds                  -- @if duration_seconds
     , input_tokens = :input_tokens                          -- @if input_tokens
     , output_tokens = :output_tokens                        -- @if output_tokens
     , estimated_cost_usd = :estimated_cost_usd              -- @if estimated_cost_usd
     , error = :error                                        -- @if error
     , credential = :credential                              -- @if credential
 WHERE id = :id;

-- @method assistant.recover_delegations  none  write
-- After a restart: what was queued or running has failed, with the error "restarted".
-- @param  now        time = now    when
-- @result recovered  int changed   how many
UPDATE delegations SET status = 'failed', error = 'restarted', completed_at = :now
 WHERE status IN ('queued', 'running');

-- @method assistant.count_delegations_today  one  read
-- How many delegations there were on a day.
-- @param  timezone     timezone = "UTC"   where the day begins and ends
-- @param  now          time = now     on the day of this time
-- @result delegations  int            how many
-- @native st_assistant_count_delegations_today

-- @method assistant.count_delegations_between  one  read  private
-- How many delegations there are from one time up to, but not including, another.
-- @param  since        time   from when
-- @param  until        time   until when
-- @result delegations  int    how many
SELECT COUNT(*) AS delegations FROM delegations WHERE created_at >= :since AND created_at < :until;
