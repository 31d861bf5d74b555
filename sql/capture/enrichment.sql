-- Enrichment: what waits in the queues is learned from. docs/enrichment.md says how.

-- @method capture.enrich  one  write
-- Learn from what waits in the queues, until they are empty: claim tickets, put together what belongs together, make
-- a knowledge node of it, and complete them. It can be stopped anywhere and called again, and several may work at once. While
-- learning is paused nothing is claimed; and DENIED, if file, server and this program are of different versions.
-- A language model is asked only if that is said; UNSUPPORTED, if none is configured. If it cannot be asked now, everything waits again.
-- @param  queue          text(agentic|browser|shell|workflow) optional   only of this queue
-- @param  limit          int(0..1000000000) = 0    at most so many tickets; 0: all
-- @param  batch          int(1..100) = 10          claim so many of a queue at a time
-- @param  lock_timeout   int(0..1000000000) = 600  in seconds: what is locked for so long is taken back
-- @param  max_retries    int(1..1000) optional     give up after so many failures; a ticket's own number if absent
-- @param  idle           int(0..1000000000) optional   in seconds: how old commands (120) and pages (60) must be
-- @param  home           text optional             what ~ stands for in names of files
-- @param  project_roots  text optional             directories of projects, separated by colons
-- @param  using          text(rules|model) = "rules"   who learns: rules on this machine, or the language model that is configured
-- @param  calls          int(1..1000) = 8          the model is asked at most so often about one ticket, in all; then that is given up
-- @param  calls_per_hour   int(0..1000000000) = 0          and so often in an hour, by all workers; 0: no limit
-- @param  tokens_per_hour  int(0..1000000000000000) = 0    questions and answers have at most so many tokens in an hour; 0: no limit
-- @param  worker         text = "stele"            who works
-- @param  dry_run        bool = false              change nothing: tell what would be learned from the first tickets of each queue
-- @param  now            time optional             at this time; if absent, the time that it is
-- @result claimed        int                       tickets that were claimed
-- @result learned        int                       nodes that were written
-- @result skipped        int                       tickets that hold nothing to learn
-- @result failed         int                       tickets that failed: they wait again, or are given up
-- @result lost           int                       tickets that somebody else had before they were done
-- @result lessons        int                       failures of workflows that were counted as lessons, or on the way to one
-- @result paused         bool                      learning is paused
-- @result problem        text?                     why it was ended early: the model cannot be asked, or the hour's budget is used up
-- @result bundles        json?                     with dry_run: a list of {bundle, node}, or {bundle, prompt}, which the model would be asked, or
--     {bundle, problem}, or {queue, ticket, skipped}
-- @feature claims
-- @feature embeddings
-- @feature removed_nodes
-- @feature workers
-- @native st_capture_enrich outside

-- @method capture.pause_enrichment  none  write
-- Let no worker claim anything until it is resumed. What is being worked on is finished.
-- @param  reason  text = ""    why
-- @param  now     time = now   since when
-- @feature enrichment
INSERT INTO stele_enrichment (id, paused_at, reason) VALUES (1, :now, :reason)
ON CONFLICT (id) DO UPDATE SET reason = excluded.reason;

-- @method capture.resume_enrichment  none  write
-- Let workers go on.
-- @result resumed  int changed   1, or 0 if it was not paused
-- @feature enrichment
DELETE FROM stele_enrichment;

-- @method capture.enrichment_status  one  read
-- Whether learning is paused, how much waits, and what language models were asked in the last hour.
-- @param  now         time = now   at this time
-- @result paused      bool    it is paused,
-- @result since       time?   since then,
-- @result reason      text?   for this reason
-- @result pending     int     tickets that wait,
-- @result processing  int     that are being learned from,
-- @result failed      int     and that were given up
-- @result hour_calls  int     requests to language models in the last hour, to within five minutes,
-- @result hour_tokens int     tokens of questions and answers,
-- @result hour_cost   real    and what they cost
SELECT (pause.paused_at IS NOT NULL) AS paused, pause.paused_at AS since, pause.reason AS reason, tickets.pending, tickets.processing,
       tickets.failed, CAST(COALESCE(use.calls, 0) AS BIGINT) AS hour_calls, CAST(COALESCE(use.tokens, 0) AS BIGINT) AS hour_tokens,
       CAST(COALESCE(use.cost, 0.0) AS DOUBLE PRECISION) AS hour_cost
  FROM (SELECT COUNT(CASE WHEN status = 'pending' THEN 1 END) AS pending,
               COUNT(CASE WHEN status = 'processing' THEN 1 END) AS processing,
               COUNT(CASE WHEN status = 'failed' THEN 1 END) AS failed
          FROM (SELECT q.status FROM agentic_enrichment_queue AS q
                  JOIN agentic_sessions AS s ON s.id = q.session_id AND s.probe_tag IS NULL
                UNION ALL SELECT q.status FROM browser_enrichment_queue AS q
                  JOIN browser_events AS s ON s.id = q.browser_event_id AND s.probe_tag IS NULL
                UNION ALL SELECT q.status FROM enrichment_queue AS q
                  JOIN events AS s ON s.id = q.event_id AND s.probe_tag IS NULL
                UNION ALL SELECT q.status FROM workflow_enrichment_queue AS q) AS every) AS tickets
  LEFT JOIN (SELECT SUM(calls) AS calls, SUM(prompt_tokens + completion_tokens) AS tokens, SUM(cost) AS cost                    -- @has model_use
               FROM stele_model_use WHERE slot > :now - 3900000) AS use ON TRUE                                                   -- @has model_use
  LEFT JOIN (SELECT 0 AS calls, 0 AS tokens, 0.0 AS cost WHERE :now < 0) AS use ON TRUE                                            -- @lacks model_use
  LEFT JOIN stele_enrichment AS pause ON pause.id = 1                                                     -- @has enrichment
  LEFT JOIN (SELECT CAST(NULL AS BIGINT) AS paused_at, CAST(NULL AS TEXT) AS reason) AS pause ON TRUE     -- @lacks enrichment
;

-- @method capture.read_pause  one  read  private
-- Since when learning is paused; no row: it is not.
-- @result since  time   since then
-- @feature enrichment
SELECT paused_at AS since FROM stele_enrichment;

-- @method capture.retry_failed  one  write
-- Let tickets that were given up wait again, with all their attempts.
-- @param  queue     text(agentic|browser|shell|workflow) optional   only of this queue
-- @param  id        int optional   only this ticket; then the queue is needed
-- @param  now       time = now     at this time
-- @result requeued  int            how many there were
-- @native st_capture_retry_failed

-- @method capture.reopen_segments  none  write  private
-- What was given up of a segment has not been learned from after all.
-- @param  id  int optional   only of this ticket
UPDATE agentic_sessions SET last_enriched_content_hash = NULL
 WHERE last_enriched_content_hash = content_hash
   AND id IN (SELECT session_id FROM agentic_enrichment_queue WHERE status = 'failed'
                 AND id = :id                                -- @if id
             );

-- @method capture.retry_agentic  none  write  private
-- Tickets of the queue agentic that were given up wait again.
-- @param  id   int optional   only this one
-- @param  now  time           at this time
UPDATE agentic_enrichment_queue
   SET status = 'pending', retry_count = 0, error_message = NULL, locked_at = NULL, locked_by = NULL, updated_at = :now
 WHERE status = 'failed'
   AND id = :id                                               -- @if id
;

-- @method capture.retry_browser  none  write  private
-- Tickets of the queue browser that were given up wait again.
-- @param  id   int optional   only this one
-- @param  now  time           at this time
UPDATE browser_enrichment_queue
   SET status = 'pending', retry_count = 0, error_message = NULL, locked_at = NULL, locked_by = NULL, updated_at = :now
 WHERE status = 'failed'
   AND id = :id                                               -- @if id
;

-- @method capture.retry_shell  none  write  private
-- Tickets of the queue shell that were given up wait again.
-- @param  id   int optional   only this one
-- @param  now  time           at this time
UPDATE enrichment_queue
   SET status = 'pending', retry_count = 0, error_message = NULL, locked_at = NULL, locked_by = NULL, updated_at = :now
 WHERE status = 'failed'
   AND id = :id                                               -- @if id
;

-- @method capture.retry_workflow  none  write  private
-- Tickets of the queue workflow that were given up wait again.
-- @param  id   int optional   only this one
-- @param  now  time           at this time
UPDATE workflow_enrichment_queue
   SET status = 'pending', retry_count = 0, error_message = NULL, locked_at = NULL, locked_by = NULL, updated_at = :now
 WHERE status = 'failed'
   AND run_id = :id                                               -- @if id
;

-- @method capture.waiting_tickets  many  read  private
-- How much there is to do in each queue, told without counting what is done.
-- @param  locked_until  time   a lock that is not newer than this is worth nothing
-- @result queue         text   its name
-- @result pending       int    tickets that wait
-- @result stale         int    1: some are locked by somebody who does not return
SELECT 'agentic' AS queue, (SELECT COUNT(*) FROM agentic_enrichment_queue WHERE status = 'pending') AS pending,
       (SELECT COUNT(*) FROM (SELECT 1 FROM agentic_enrichment_queue WHERE status = 'processing' AND COALESCE(locked_at, 0) <= :locked_until LIMIT 1) AS one) AS stale
UNION ALL
SELECT 'browser' AS queue, (SELECT COUNT(*) FROM browser_enrichment_queue WHERE status = 'pending') AS pending,
       (SELECT COUNT(*) FROM (SELECT 1 FROM browser_enrichment_queue WHERE status = 'processing' AND COALESCE(locked_at, 0) <= :locked_until LIMIT 1) AS one) AS stale
UNION ALL
SELECT 'shell' AS queue, (SELECT COUNT(*) FROM enrichment_queue WHERE status = 'pending') AS pending,
       (SELECT COUNT(*) FROM (SELECT 1 FROM enrichment_queue WHERE status = 'processing' AND COALESCE(locked_at, 0) <= :locked_until LIMIT 1) AS one) AS stale
UNION ALL
SELECT 'workflow' AS queue, (SELECT COUNT(*) FROM workflow_enrichment_queue WHERE status = 'pending') AS pending,
       (SELECT COUNT(*) FROM (SELECT 1 FROM workflow_enrichment_queue WHERE status = 'processing' AND COALESCE(locked_at, 0) <= :locked_until LIMIT 1) AS one) AS stale
ORDER BY queue;

-- @method capture.read_events_to_learn  many  read  private
-- Commands of tickets, session by session. Of a long output only its beginning and its end are read.
-- @param  ids         int[]   which
-- @result id          int     the event
-- @result session_id  int     its session
-- @result timestamp   time    when
-- @result tool_name   text?   of a tool call
-- @result command     text    what ran
-- @result stdout      text?   what it said
-- @result stderr      text?   what it complained of
-- @result exit_code   int?    how it ended
-- @result duration_ms int     how long it took
-- @result cwd         text    in which directory
-- @result git_repo    text?   the directory's repository,
-- @result git_branch  text?   and its branch
SELECT id, session_id, timestamp, tool_name, substr(command, 1, 16384) AS command,
       CASE WHEN length(stdout) > 32768 THEN substr(stdout, 1, 8192) || char(10) || substr(stdout, -24576) ELSE stdout END AS stdout,  -- @for sqlite
       CASE WHEN length(stderr) > 32768 THEN substr(stderr, 1, 8192) || char(10) || substr(stderr, -24576) ELSE stderr END AS stderr,  -- @for sqlite
       CASE WHEN length(stdout) > 32768 THEN left(stdout, 8192) || chr(10) || right(stdout, 24576) ELSE stdout END AS stdout,          -- @for postgres
       CASE WHEN length(stderr) > 32768 THEN left(stderr, 8192) || chr(10) || right(stderr, 24576) ELSE stderr END AS stderr,          -- @for postgres
       exit_code, duration_ms, cwd, git_repo, git_branch
  FROM events WHERE probe_tag IS NULL AND id IN :ids
 ORDER BY session_id, timestamp, id;

-- @method capture.read_segments_to_learn  many  read  private
-- Segments of tickets.
-- @param  ids                   int[]      which
-- @result id                    int        the segment
-- @result harness               text       the agent
-- @result cwd                   text       in which directory
-- @result git_branch            text?      on which branch
-- @result title                 text?      the session's title
-- @result summary_text          text       what happened
-- @result tool_calls_json       jsontext?  the calls of tools
-- @result user_prompts_json     jsontext?  what the user said
-- @result commit_messages_json  jsontext?  what was committed
-- @result snapshot_diffs_json   jsontext?  what was changed
-- @result message_count         int        how many messages it has
SELECT id, harness, cwd, git_branch, title, summary_text, tool_calls_json, user_prompts_json, commit_messages_json, snapshot_diffs_json,
       message_count
  FROM agentic_sessions WHERE probe_tag IS NULL AND id IN :ids
 ORDER BY id;

-- @method capture.read_pages_to_learn  many  read  private
-- Pages of tickets, in the order in which they were read.
-- @param  ids             int[]   which
-- @result id              int     the visit
-- @result timestamp       time    when
-- @result url             text    which page
-- @result title           text?   its title
-- @result domain          text    where it is from
-- @result dwell_ms        int     how long it was in view
-- @result scroll_depth    real?   how much of it was
-- @result extracted_text  text?   how it begins
-- @result search_query    text?   what was looked for, if a search led there
SELECT id, timestamp, url, title, domain, dwell_ms, scroll_depth, substr(extracted_text, 1, 16384) AS extracted_text, search_query
  FROM browser_events WHERE probe_tag IS NULL AND id IN :ids
 ORDER BY timestamp, id;

-- @method capture.read_runs_to_learn  many  read  private
-- Runs of tickets.
-- @param  ids          int[]   which
-- @result id           int     the run
-- @result repo         text    owner/name
-- @result head_sha     text    the commit
-- @result head_branch  text?   its branch
-- @result event        text    what started it
-- @result conclusion   text?   how it ended
SELECT id, repo, head_sha, head_branch, event, conclusion FROM workflow_runs WHERE id IN :ids ORDER BY id;

-- @method capture.read_run_parts  many  read  private
-- The jobs of a run, and behind each what it found wrong and what its logs say.
-- @param  run_id      int     which run
-- @result kind        text    job, finding or log
-- @result text        text    its name; what is wrong; the lines
-- @result verdict     text?   how it ended; how bad it is
-- @result tool        text?   who found it
-- @result rule        text?   by which rule
-- @result path        text?   in which file
-- @result line        int?    and line
SELECT kind, text, verdict, tool, rule, path, line
  FROM (SELECT 'job' AS kind, 0 AS place, id AS job, id AS number, name AS text, conclusion AS verdict, NULL AS tool, NULL AS rule,
               NULL AS path, CAST(NULL AS BIGINT) AS line
          FROM workflow_jobs WHERE run_id = :run_id
        UNION ALL
        SELECT 'finding', 1, job.id, note.id, substr(note.message, 1, 4096), note.level, note.tool, note.rule_id, note.path, note.start_line
          FROM workflow_jobs AS job JOIN workflow_annotations AS note ON note.job_id = job.id WHERE job.run_id = :run_id
        UNION ALL
        SELECT 'log', 2, job.id, log.id, substr(log.excerpt, 1, 32768), NULL, NULL, NULL, NULL, NULL
          FROM workflow_jobs AS job JOIN workflow_log_excerpts AS log ON log.job_id = job.id WHERE job.run_id = :run_id) AS parts
 ORDER BY job, place, number LIMIT 400;
