-- Workflows of a forge: runs, their jobs, and what went wrong in them. Runs and jobs keep the forge's numbers.

-- @method capture.upsert_workflow_run  one  write
-- Write a run as it is now, and note that its source is well.
-- @param  id            int               the forge's number
-- @param  repo          text              owner/name
-- @param  head_sha      text              the commit
-- @param  head_branch   text? = null      its branch
-- @param  event         text              what started it
-- @param  status        text              queued, in_progress, completed, ...
-- @param  conclusion    text? = null      success, failure, cancelled, ...
-- @param  started_at    time? = null      when it began
-- @param  completed_at  time? = null      when it ended
-- @param  html_url      text              where to look at it
-- @param  actor         text? = null      who started it
-- @param  raw_json      jsontext          as the forge tells it
-- @param  now           time = now        when it was seen
-- @result id            int               the forge's number
-- @result created       bool              whether it is new
-- @result enriched      bool              whether it has been learned from
-- @result settled       bool              whether it was here already as it is now, with everything that belongs to it: jobs and logs need
--     not be fetched again
-- @native st_capture_upsert_workflow_run

-- @method capture.look_workflow_run  one  read  private
-- Whether a run is there.
-- @param  id            int     the forge's number
-- @param  completed_at  time?   when it ended
-- @result enriched      bool    whether it has been learned from
-- @result settled       bool    whether that, or it waits to be, as it was when it ended then
SELECT enriched,
       COALESCE(enriched OR completed_at = :completed_at
                AND EXISTS (SELECT 1 FROM workflow_enrichment_queue WHERE run_id = workflow_runs.id), FALSE) AS settled
  FROM workflow_runs WHERE id = :id;

-- @method capture.write_workflow_run  none  write  private
-- Write a run. When it was first seen stays, and whether it has been learned from.
-- @param  id            int            the forge's number
-- @param  repo          text           owner/name
-- @param  head_sha      text           the commit
-- @param  head_branch   text?          its branch
-- @param  event         text           what started it
-- @param  status        text           queued, in_progress, completed, ...
-- @param  conclusion    text?          success, failure, cancelled, ...
-- @param  started_at    time?          when it began
-- @param  completed_at  time?          when it ended
-- @param  html_url      text           where to look at it
-- @param  actor         text?          who started it
-- @param  raw_json      jsontext       as the forge tells it
-- @param  now           time           when it was seen
INSERT INTO workflow_runs (id, repo, head_sha, head_branch, event, status, conclusion, started_at, completed_at, html_url, actor,
                           raw_json, first_seen_at, last_seen_at)
VALUES (:id, :repo, :head_sha, :head_branch, :event, :status, :conclusion, :started_at, :completed_at, :html_url, :actor,
        :raw_json, :now, :now)
ON CONFLICT (id) DO UPDATE
   SET repo = excluded.repo, head_sha = excluded.head_sha, head_branch = excluded.head_branch, event = excluded.event,
       status = excluded.status, conclusion = excluded.conclusion, started_at = excluded.started_at,
       completed_at = excluded.completed_at, html_url = excluded.html_url, actor = excluded.actor, raw_json = excluded.raw_json,
       last_seen_at = excluded.last_seen_at;

-- @method capture.enqueue_workflow_run  none  write
-- Everything of a completed run is here: let it wait to be learned from, unless it waits, or has been, already.
-- @param  id        int           which run
-- @param  now       time = now    since when
-- @result enqueued  int changed   1, or 0 if there was nothing to do
INSERT INTO workflow_enrichment_queue (run_id, enqueued_at, updated_at)
SELECT id, :now, :now FROM workflow_runs WHERE id = :id AND status = 'completed' AND NOT enriched
ON CONFLICT (run_id) DO NOTHING;

-- @method capture.upsert_workflow_job  one  write
-- Write a job of a run as it is now.
-- @param  id            int             the forge's number
-- @param  run_id        int             of which run
-- @param  name          text            its name
-- @param  status        text            queued, in_progress, completed, ...
-- @param  conclusion    text? = null    success, failure, cancelled, ...
-- @param  started_at    time? = null    when it began
-- @param  completed_at  time? = null    when it ended
-- @param  runner_name   text? = null    where it ran
-- @param  raw_json      jsontext        as the forge tells it
-- @result id            int             the forge's number
-- @else NOTFOUND run_id
INSERT INTO workflow_jobs (id, run_id, name, status, conclusion, started_at, completed_at, runner_name, raw_json)
SELECT :id, runs.id, :name, :status, :conclusion, :started_at, :completed_at, :runner_name, :raw_json
  FROM workflow_runs AS runs WHERE runs.id = :run_id
ON CONFLICT (id) DO UPDATE
   SET run_id = excluded.run_id, name = excluded.name, status = excluded.status, conclusion = excluded.conclusion,
       started_at = excluded.started_at, completed_at = excluded.completed_at, runner_name = excluded.runner_name,
       raw_json = excluded.raw_json
RETURNING id;

-- @method capture.replace_annotations  one  write
-- What a job found wrong, all of it: what was known before is forgotten.
-- @param  job_id       int                        which job
-- @param  annotations  capture.add_annotation[]   what it found
-- @result written      int                        how much that is
-- @native st_capture_replace_annotations

-- @method capture.add_annotation  none  write  private
-- One thing that a job found wrong.
-- @param  job_id      int = 0        which job
-- @param  level       text           notice, warning, failure
-- @param  tool        text? = null   which tool says so
-- @param  rule_id     text? = null   by which of its rules
-- @param  path        text? = null   in which file
-- @param  start_line  int? = null    and line
-- @param  message     text           what is wrong
INSERT INTO workflow_annotations (job_id, level, tool, rule_id, path, start_line, message)
VALUES (:job_id, :level, :tool, :rule_id, :path, :start_line, :message);

-- @method capture.forget_annotations  none  write  private
-- Forget what a job found wrong.
-- @param  job_id  int   which job
DELETE FROM workflow_annotations WHERE job_id = :job_id;

-- @method capture.look_workflow_job  one  read  private
-- Whether a job is there.
-- @param  id  int   the forge's number
-- @result id  int   the same
SELECT id FROM workflow_jobs WHERE id = :id;

-- @method capture.put_log_excerpt  one  write
-- The telling lines of a job's log, or of one step of it; those that were known before are forgotten.
-- @param  job_id     int            which job
-- @param  step_name  text? = null   which step; null: the whole job
-- @param  excerpt    text           the lines
-- @param  truncated  bool = false   whether there were more
-- @result id         int            the excerpt's number
DELETE FROM workflow_log_excerpts WHERE job_id = :job_id AND COALESCE(step_name, '') = COALESCE(:step_name, '');
-- @else NOTFOUND job_id
INSERT INTO workflow_log_excerpts (job_id, step_name, excerpt, truncated)
SELECT id, :step_name, :excerpt, :truncated FROM workflow_jobs WHERE id = :job_id
RETURNING id;

-- @method capture.list_log_excerpts  many  read
-- The telling lines of the logs of a run.
-- @param  run_id     int     which run
-- @result job_id     int     of which job
-- @result job        text    its name
-- @result step_name  text?   of which step; null: the whole job
-- @result excerpt    text    the lines
-- @result truncated  bool    whether there were more
SELECT job.id AS job_id, job.name AS job, step_name, excerpt, truncated
  FROM workflow_jobs AS job JOIN workflow_log_excerpts AS log ON log.job_id = job.id
 WHERE job.run_id = :run_id
 ORDER BY job.id, log.id;

-- @method capture.get_ci_status  many  read
-- How the workflows of a commit, or of a branch, went: the newest runs first, each with its jobs and the first ten things that each
-- job found wrong.
-- @param  repo          text               owner/name
-- @param  sha           text optional      the commit, or how it begins; this or branch is needed
-- @param  branch        text optional      the branch
-- @param  limit         int(1..100) = 10   at most this many runs
-- @result id            int                the forge's number
-- @result head_sha      text               the commit
-- @result head_branch   text?              its branch
-- @result event         text               what started it
-- @result status        text               queued, in_progress, completed, ...
-- @result conclusion    text?              success, failure, cancelled, ...
-- @result started_at    time?              when it began
-- @result completed_at  time?              when it ended
-- @result html_url      text               where to look at it
-- @result actor         text?              who started it
-- @result jobs          json               a list of {id, name, status, conclusion, annotations}, and of these {level, tool, rule_id,
--     path, start_line, message}
-- @native st_capture_get_ci_status

-- @method capture.read_ci_status  many  read  private
-- What get_ci_status answers.
-- @param  repo          text           owner/name
-- @param  sha           text optional  the commit, or how it begins; this or branch is needed
-- @param  branch        text optional  the branch
-- @param  limit         int            at most this many runs
-- @results capture.get_ci_status
SELECT id, head_sha, head_branch, event, status, conclusion, started_at, completed_at, html_url, actor,
       COALESCE((SELECT json_group_array(json_object(
                          'id', job.id, 'name', job.name, 'status', job.status, 'conclusion', job.conclusion,
                          'annotations', COALESCE((SELECT json_group_array(json_object(
                                                            'level', one.level, 'tool', one.tool, 'rule_id', one.rule_id,
                                                            'path', one.path, 'start_line', one.start_line, 'message', one.message))
                                                     FROM (SELECT * FROM workflow_annotations
                                                            WHERE job_id = job.id ORDER BY id LIMIT 10) AS one),
                                                  json('[]')                             -- @for sqlite
                                                  CAST('[]' AS JSON)                     -- @for postgres
                                                 )))
                   FROM (SELECT * FROM workflow_jobs WHERE run_id = run.id ORDER BY id) AS job),
                json('[]')                                                               -- @for sqlite
                CAST('[]' AS JSON)                                                       -- @for postgres
               ) AS jobs
  FROM workflow_runs AS run
 WHERE repo = :repo
   AND head_sha >= :sha AND head_sha < :sha || 'g'           -- @if sha
   AND head_branch = :branch                                 -- @if branch
 ORDER BY COALESCE(started_at, first_seen_at) DESC, id DESC LIMIT :limit;
