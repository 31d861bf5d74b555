-- Methods of the telemetry store, in the order of a process's life: sessions, registration,
-- recording, retention and upkeep, then the queries of a dashboard.
--
-- Two filters are the same everywhere: session keeps the runs of one session, except_session leaves
-- those of one out. They narrow the runs that are counted, never the listeners or jobs listed.

-- ---- Sessions ----

-- @method telemetry.mark_orphaned_sessions  none  write
-- Mark sessions that were left running by a process that died: status 'unknown', stopped at their
-- last heartbeat. Without stale_after every running session is marked, as one process that owns the
-- store does before it starts its own session. With several processes in one store, pass
-- stale_after, a few times the heartbeat interval.
-- @param  stale_after  duration optional   only sessions without a heartbeat for longer than this
-- @param  now          time = now          the time to measure from
-- @result count        int changed         sessions marked
UPDATE sessions SET status = 'unknown', stopped_at = last_heartbeat_at
 WHERE status = 'running'
   AND last_heartbeat_at < :now - :stale_after               -- @if stale_after
;

-- @method telemetry.create_session  one  write
-- Start a session: one run of a process. Its id goes with every record of that run.
-- @param  now         time = now   when it started
-- @result session_id  int          the session's number
INSERT INTO sessions (started_at, last_heartbeat_at, status)
VALUES (:now, :now, 'running')
RETURNING id AS session_id;

-- @method telemetry.update_heartbeat  none  write
-- Tell that a session is alive; every 300 seconds is usual. A session that a sweep took for dead
-- ('unknown') is running again after this.
-- @param  session_id  int          which session
-- @param  now         time = now   when it was alive
-- @else NOTFOUND session_id
UPDATE sessions
   SET last_heartbeat_at = :now,
       status     = CASE WHEN status = 'unknown' THEN 'running' ELSE status END,
       stopped_at = CASE WHEN status = 'unknown' THEN NULL ELSE stopped_at END
 WHERE id = :session_id;

-- @method telemetry.record_session_error  none  write
-- Record the error that ends a session: status 'error', written at once, before the process goes
-- down. No later call turns it into a success. A second error replaces the first one's details.
-- @param  session_id       int            which session
-- @param  error_type       text           class of the error
-- @param  error_message    text? = null   what it said
-- @param  error_traceback  text? = null   where it happened
-- @param  now              time = now     when it happened
-- @else NOTFOUND session_id
UPDATE sessions
   SET stopped_at = CASE WHEN status = 'unknown' THEN NULL ELSE stopped_at END,
       status = 'error',
       error_type = :error_type,
       error_message = :error_message,
       error_traceback = :error_traceback,
       last_heartbeat_at = :now
 WHERE id = :session_id;

-- @method telemetry.finalize_session  none  write
-- End a session. It becomes a 'success' only if no error is known; one that has an error keeps it
-- and gets its stop time. A session that a sweep took for dead ('unknown') ends now, like a running
-- one. The first stop counts: ending an ended session again keeps its times, and can only add
-- had_error.
-- @param  session_id  int            which session
-- @param  now         time = now     when it stopped
-- @param  had_error   bool = false   an error is known, without details: status 'error'
-- @else NOTFOUND session_id
UPDATE sessions
   SET status = CASE WHEN status IN ('error', 'failure', 'crashed') THEN status
                     WHEN :had_error THEN 'error'
                     WHEN status IN ('running', 'unknown') THEN 'success'
                     ELSE status END,
       stopped_at = CASE WHEN status = 'unknown' OR stopped_at IS NULL THEN :now
                         ELSE stopped_at END,
       last_heartbeat_at = CASE WHEN status = 'unknown' OR stopped_at IS NULL THEN :now
                                ELSE last_heartbeat_at END
 WHERE id = :session_id;

-- ---- Registration ----

-- @method telemetry.register_listener  one  write
-- Register a listener, or register it again after a restart: the same app_key, instance_index,
-- handler_method and topic are the same listener, which keeps its id and first_registered_at and
-- takes everything else from this call. (So two listeners of one handler on one topic, with
-- different predicates, are one here.)
-- @param  app_key                text                  the app, e.g. "kitchen.KitchenLights"
-- @param  instance_index         int                   which instance of the app
-- @param  handler_method         text                  the handler, e.g. "on_light_change"
-- @param  topic                  text                  what it listens to
-- @param  debounce               real(0..)? = null     seconds
-- @param  throttle               real(0..)? = null     seconds
-- @param  once                   bool = false          it is removed after its first call
-- @param  priority               int = 0               order among listeners
-- @param  predicate_description  text? = null          its condition, for people
-- @param  source_location        text                  "file:line" of the registration
-- @param  registration_source    text? = null          the code of the registration
-- @param  first_registered_at    time optional         of a new listener; absent: last_registered_at
-- @param  last_registered_at     time = now            when this registration happened
-- @result listener_id            int                   the listener's number
INSERT INTO listeners (app_key, instance_index, handler_method, topic, debounce, throttle, once,
                       priority, predicate_description, source_location, registration_source,
                       first_registered_at, last_registered_at)
VALUES (:app_key, :instance_index, :handler_method, :topic, :debounce, :throttle, :once,
        :priority, :predicate_description, :source_location, :registration_source,
        COALESCE(:first_registered_at, :last_registered_at), :last_registered_at)
ON CONFLICT (app_key, instance_index, handler_method, topic)
DO UPDATE SET
    last_registered_at = excluded.last_registered_at,
    debounce = excluded.debounce,
    throttle = excluded.throttle,
    once = excluded.once,
    priority = excluded.priority,
    predicate_description = excluded.predicate_description,
    source_location = excluded.source_location,
    registration_source = excluded.registration_source
RETURNING id AS listener_id;

-- @method telemetry.register_job  one  write
-- Register a scheduled job, or register it again after a restart: the same app_key, instance_index
-- and job_name are the same job, which keeps its id and first_registered_at and takes everything
-- else from this call.
-- @param  app_key              text              the app, e.g. "kitchen.KitchenLights"
-- @param  instance_index       int               which instance of the app
-- @param  job_name             text              unique within the instance
-- @param  handler_method       text              what it runs, e.g. "open_blinds"
-- @param  trigger_type         text? = null      "cron", "interval"; null: runs once
-- @param  trigger_value        text? = null      the cron line, or the interval in seconds
-- @param  repeat               bool = false      it runs again and again
-- @param  args_json            jsontext = "[]"   its arguments, a JSON array
-- @param  kwargs_json          jsontext = "{}"   its named arguments, a JSON object
-- @param  source_location      text              "file:line" of the registration
-- @param  registration_source  text? = null      the code of the registration
-- @param  first_registered_at  time optional     of a new job; absent: last_registered_at
-- @param  last_registered_at   time = now        when this registration happened
-- @result job_id               int               the job's number
INSERT INTO scheduled_jobs (app_key, instance_index, job_name, handler_method, trigger_type,
                            trigger_value, repeat, args_json, kwargs_json, source_location,
                            registration_source, first_registered_at, last_registered_at)
VALUES (:app_key, :instance_index, :job_name, :handler_method, :trigger_type,
        :trigger_value, :repeat, :args_json, :kwargs_json, :source_location,
        :registration_source, COALESCE(:first_registered_at, :last_registered_at),
        :last_registered_at)
ON CONFLICT (app_key, instance_index, job_name)
DO UPDATE SET
    last_registered_at = excluded.last_registered_at,
    handler_method = excluded.handler_method,
    trigger_type = excluded.trigger_type,
    trigger_value = excluded.trigger_value,
    repeat = excluded.repeat,
    args_json = excluded.args_json,
    kwargs_json = excluded.kwargs_json,
    source_location = excluded.source_location,
    registration_source = excluded.registration_source
RETURNING id AS job_id;

-- ---- Recording ----

-- @method telemetry.record_invocation  one  write
-- Record one call of a handler. On a handle that was opened with a queue it returns at once, and a
-- thread writes the record within the flush interval.
-- @param  listener_id           int          whose handler
-- @param  session_id            int          in which session
-- @param  execution_start_dtme  time = now   when it started
-- @param  duration_ms           real(0..)    how long it took, in milliseconds
-- @param  status                text(success|error|cancelled|timed_out|skipped)   how it ended
-- @param  error_type            text? = null   class of the error; "Dependency..." is a failed injection
-- @param  error_message         text? = null   what it said
-- @param  error_traceback       text? = null   where it happened
-- @result id                    int?           the record's number; null when queued or dropped
-- @result outcome               text           written; with a queue: queued, or dropped because it is full
-- @queue telemetry.persist_batch invocations
-- @else NOTFOUND listener_id
SELECT id FROM listeners WHERE id = :listener_id;
-- @else NOTFOUND session_id
SELECT id FROM sessions WHERE id = :session_id;
INSERT INTO handler_invocations (listener_id, session_id, execution_start_dtme, duration_ms, status,
                                 error_type, error_message, error_traceback)
VALUES (:listener_id, :session_id, :execution_start_dtme, :duration_ms, :status,
        :error_type, :error_message, :error_traceback)
RETURNING id, 'written' AS outcome;

-- @method telemetry.record_execution  one  write
-- Record one run of a scheduled job. On a handle that was opened with a queue it returns at once,
-- and a thread writes the record within the flush interval.
-- @param  job_id                int          which job
-- @param  session_id            int          in which session
-- @param  execution_start_dtme  time = now   when it started
-- @param  duration_ms           real(0..)    how long it took, in milliseconds
-- @param  status                text(success|error|cancelled|timed_out|skipped)   how it ended
-- @param  error_type            text? = null   class of the error
-- @param  error_message         text? = null   what it said
-- @param  error_traceback       text? = null   where it happened
-- @result id                    int?           the record's number; null when queued or dropped
-- @result outcome               text           written; with a queue: queued, or dropped because it is full
-- @queue telemetry.persist_batch executions
-- @else NOTFOUND job_id
SELECT id FROM scheduled_jobs WHERE id = :job_id;
-- @else NOTFOUND session_id
SELECT id FROM sessions WHERE id = :session_id;
INSERT INTO job_executions (job_id, session_id, execution_start_dtme, duration_ms, status,
                            error_type, error_message, error_traceback)
VALUES (:job_id, :session_id, :execution_start_dtme, :duration_ms, :status,
        :error_type, :error_message, :error_traceback)
RETURNING id, 'written' AS outcome;

-- @method telemetry.persist_batch  one  write
-- Write many records in one transaction. A record whose listener, job or session is unknown is
-- dropped and counted; the others are kept.
-- @param  invocations  telemetry.record_invocation[] = []   calls of handlers
-- @param  executions   telemetry.record_execution[] = []    runs of jobs
-- @result written      int   records written
-- @result dropped      int   records dropped
-- @native st_telemetry_persist_batch

-- @method telemetry.insert_invocation  none  write  private
-- One record of a batch: writes nothing if its listener or session is unknown.
-- @param  listener_id           int          whose handler
-- @param  session_id            int          in which session
-- @param  execution_start_dtme  time = now   when it started
-- @param  duration_ms           real(0..)    how long it took, in milliseconds
-- @param  status                text(success|error|cancelled|timed_out|skipped)   how it ended
-- @param  error_type            text? = null   class of the error
-- @param  error_message         text? = null   what it said
-- @param  error_traceback       text? = null   where it happened
-- @result written               int changed    1, or 0 if a parent is unknown
-- @for sqlite
-- The foreign keys refuse an unknown parent, and persist_batch counts that: no lookups of our own.
INSERT INTO handler_invocations (listener_id, session_id, execution_start_dtme, duration_ms, status,
                                 error_type, error_message, error_traceback)
VALUES (:listener_id, :session_id, :execution_start_dtme, :duration_ms, :status,
        :error_type, :error_message, :error_traceback);
-- @for postgres
INSERT INTO handler_invocations (listener_id, session_id, execution_start_dtme, duration_ms, status,
                                 error_type, error_message, error_traceback)
SELECT :listener_id, :session_id, :execution_start_dtme, :duration_ms, :status,
       :error_type, :error_message, :error_traceback
 WHERE EXISTS (SELECT 1 FROM listeners WHERE id = :listener_id)
   AND EXISTS (SELECT 1 FROM sessions WHERE id = :session_id);
-- @for both

-- @method telemetry.insert_execution  none  write  private
-- One record of a batch: writes nothing if its job or session is unknown.
-- @param  job_id                int          which job
-- @param  session_id            int          in which session
-- @param  execution_start_dtme  time = now   when it started
-- @param  duration_ms           real(0..)    how long it took, in milliseconds
-- @param  status                text(success|error|cancelled|timed_out|skipped)   how it ended
-- @param  error_type            text? = null   class of the error
-- @param  error_message         text? = null   what it said
-- @param  error_traceback       text? = null   where it happened
-- @result written               int changed    1, or 0 if a parent is unknown
-- @for sqlite
-- The foreign keys refuse an unknown parent, and persist_batch counts that: no lookups of our own.
INSERT INTO job_executions (job_id, session_id, execution_start_dtme, duration_ms, status,
                            error_type, error_message, error_traceback)
VALUES (:job_id, :session_id, :execution_start_dtme, :duration_ms, :status,
        :error_type, :error_message, :error_traceback);
-- @for postgres
INSERT INTO job_executions (job_id, session_id, execution_start_dtme, duration_ms, status,
                            error_type, error_message, error_traceback)
SELECT :job_id, :session_id, :execution_start_dtme, :duration_ms, :status,
       :error_type, :error_message, :error_traceback
 WHERE EXISTS (SELECT 1 FROM scheduled_jobs WHERE id = :job_id)
   AND EXISTS (SELECT 1 FROM sessions WHERE id = :session_id);
-- @for both

-- @method telemetry.flush_all  one  write
-- Write everything that this handle has queued, and tell what the queue lost since it was opened.
-- Without a queue there is nothing to write. Closing a handle flushes too.
-- @result written           int   records this call wrote
-- @result dropped           int   records dropped since open, for whatever cause
-- @result dropped_overflow  int   of these: the queue was full
-- @result dropped_unknown   int   of these: the listener, job or session does not exist
-- @result dropped_failed    int   of these: the store could not be written
-- @native st_telemetry_flush_all outside

-- ---- Retention and upkeep ----

-- @method telemetry.retention_cleanup  none  write
-- Delete the runs that started before a time: cutoff if sent, otherwise retention_days before now.
-- Sessions, listeners, jobs and what is under a legal hold are never deleted. Once an hour is usual.
-- @param  cutoff               time optional    delete what started before this
-- @param  retention_days       int(1..) = 7     days to keep, when no cutoff is sent
-- @param  now                  time = now       the time to count the days from
-- @result handler_invocations  int changed 1    calls of handlers deleted
-- @result job_executions       int changed 2    runs of jobs deleted
DELETE FROM handler_invocations
 WHERE execution_start_dtme < COALESCE(:cutoff, :now - :retention_days * 86400.0)
   AND NOT EXISTS (SELECT 1 FROM stele_held_invocation AS h WHERE h.id = handler_invocations.id)               -- @has holds
;
DELETE FROM job_executions
 WHERE execution_start_dtme < COALESCE(:cutoff, :now - :retention_days * 86400.0)
   AND NOT EXISTS (SELECT 1 FROM stele_held_execution AS h WHERE h.id = job_executions.id)                     -- @has holds
;

-- @method telemetry.retention_by_session  none  write
-- Delete all runs of the sessions that started before a time, however late the runs were. The
-- sessions themselves stay, and so do the runs of a session that is still running.
-- @param  cutoff               time             sessions that started before this
-- @result handler_invocations  int changed 1    calls of handlers deleted
-- @result job_executions       int changed 2    runs of jobs deleted
DELETE FROM handler_invocations
 WHERE session_id IN (SELECT id FROM sessions WHERE started_at < :cutoff AND status <> 'running')
   AND NOT EXISTS (SELECT 1 FROM stele_held_invocation AS h WHERE h.id = handler_invocations.id)               -- @has holds
;
DELETE FROM job_executions
 WHERE session_id IN (SELECT id FROM sessions WHERE started_at < :cutoff AND status <> 'running')
   AND NOT EXISTS (SELECT 1 FROM stele_held_execution AS h WHERE h.id = job_executions.id)                     -- @has holds
;

-- @method telemetry.size_failsafe  one  write
-- Delete the oldest runs, calls and jobs together, 1000 at a time, until the store is not larger
-- than the limit or no run is left. Sessions, listeners and jobs are never deleted. The size is what
-- is in use: free pages of the file (SQLite) and rows not yet vacuumed (PostgreSQL) do not count.
-- @param  limit_mb     real(0..) = 500   megabytes of 1048576 bytes; 0 deletes nothing
-- @result deleted      int               runs deleted
-- @result size_bytes   int               size afterwards: of the file (SQLite), of the runs (PostgreSQL)
-- @result under_limit  bool              the limit is kept, or there is none
-- @native st_telemetry_size_failsafe outside

-- @method telemetry.get_size  one  read  private
-- The bytes in use: pages of the file that are not free; on PostgreSQL, about what the runs and
-- their index entries take (240 bytes each, and their texts).
-- @result size_bytes  int   bytes in use
-- @for sqlite
SELECT (p.page_count - f.freelist_count) * s.page_size AS size_bytes
  FROM pragma_page_count AS p, pragma_freelist_count AS f, pragma_page_size AS s;
-- @for postgres
SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS size_bytes
  FROM (SELECT 240 + COALESCE(pg_column_size(error_type), 0)
                   + COALESCE(pg_column_size(error_message), 0)
                   + COALESCE(pg_column_size(error_traceback), 0) AS bytes
          FROM handler_invocations
        UNION ALL
        SELECT 240 + COALESCE(pg_column_size(error_type), 0)
                   + COALESCE(pg_column_size(error_message), 0)
                   + COALESCE(pg_column_size(error_traceback), 0)
          FROM job_executions) AS runs;
-- @for both

-- @method telemetry.get_oldest  one  read  private
-- How the oldest runs, up to a limit, divide between the two tables.
-- @param  limit        int   this many of the oldest
-- @result invocations  int   of these, calls of handlers
-- @result executions   int   of these, runs of jobs
SELECT COUNT(*) FILTER (WHERE kind = 'handler') AS invocations,
       COUNT(*) FILTER (WHERE kind = 'job') AS executions
  FROM (SELECT kind
          FROM (SELECT kind, started, id
                  FROM (SELECT 'handler' AS kind, execution_start_dtme AS started, id
                          FROM handler_invocations AS r WHERE TRUE
                           AND NOT EXISTS (SELECT 1 FROM stele_held_invocation AS h WHERE h.id = r.id)         -- @has holds
                         ORDER BY execution_start_dtme, id LIMIT :limit) AS h
                UNION ALL
                SELECT kind, started, id
                  FROM (SELECT 'job' AS kind, execution_start_dtme AS started, id
                          FROM job_executions AS r WHERE TRUE
                           AND NOT EXISTS (SELECT 1 FROM stele_held_execution AS h WHERE h.id = r.id)          -- @has holds
                         ORDER BY execution_start_dtme, id LIMIT :limit) AS j) AS runs
         ORDER BY started, kind, id LIMIT :limit) AS oldest;

-- @method telemetry.delete_oldest_invocations  none  write  private
-- Delete the oldest calls of handlers.
-- @param  limit    int           this many
-- @result deleted  int changed   calls deleted
DELETE FROM handler_invocations
 WHERE id IN (SELECT r.id FROM handler_invocations AS r WHERE TRUE
               AND NOT EXISTS (SELECT 1 FROM stele_held_invocation AS h WHERE h.id = r.id)                     -- @has holds
               ORDER BY r.execution_start_dtme, r.id LIMIT :limit);

-- @method telemetry.delete_oldest_executions  none  write  private
-- Delete the oldest runs of jobs.
-- @param  limit    int           this many
-- @result deleted  int changed   runs deleted
DELETE FROM job_executions
 WHERE id IN (SELECT r.id FROM job_executions AS r WHERE TRUE
               AND NOT EXISTS (SELECT 1 FROM stele_held_execution AS h WHERE h.id = r.id)                      -- @has holds
               ORDER BY r.execution_start_dtme, r.id LIMIT :limit);

-- @method telemetry.checkpoint_wal  one  admin
-- Copy the write-ahead log of the SQLite file into the file. The store does this by itself while it
-- writes; call it with truncate to give the log's space back. PostgreSQL: UNSUPPORTED.
-- @param  mode                text(passive|full|restart|truncate) = "passive"   as SQLite names them
-- @result busy                bool   a reader or writer was in the way, and not all was done
-- @result log_pages           int    pages in the log
-- @result checkpointed_pages  int    of these, pages now in the file
-- @native st_telemetry_checkpoint_wal outside

-- @method telemetry.check_health  one  read
-- Can the store be read? True, or the call fails and says why.
-- @result ok  bool   always true
SELECT COUNT(*) >= 0 AS ok FROM (SELECT id FROM sessions LIMIT 1) AS newest;

-- ---- Queries ----

-- @method telemetry.get_listener_summary  many  read
-- The listeners of an app instance, each with the figures of its calls. A listener that was never
-- called is listed with zeros. Calls that were timed_out or skipped count in the total only.
-- @param  app_key                text           the app
-- @param  instance_index         int            which instance of it
-- @param  session                int optional   only calls of this session
-- @param  except_session         int optional   no calls of this session
-- @result listener_id            int     the listener's number
-- @result app_key                text    the app
-- @result instance_index         int     which instance of it
-- @result handler_method         text    the handler
-- @result topic                  text    what it listens to
-- @result debounce               real?   seconds
-- @result throttle               real?   seconds
-- @result once                   bool    removed after its first call
-- @result priority               int     order among listeners
-- @result predicate_description  text?   its condition, for people
-- @result source_location        text    "file:line" of the registration
-- @result registration_source    text?   the code of the registration
-- @result first_registered_at    time    its first registration
-- @result last_registered_at     time    its latest registration
-- @result total_invocations      int     calls
-- @result successful             int     of these, status success
-- @result failed                 int     of these, status error
-- @result di_failures            int     of the failed, those whose error_type begins with Dependency
-- @result cancelled              int     of all, status cancelled
-- @result total_duration_ms      real    sum of durations
-- @result avg_duration_ms        real    mean duration
-- @result min_duration_ms        real    shortest
-- @result max_duration_ms        real    longest
-- @result last_invoked_at        time?   start of the latest call
-- @result last_error_type        text?   of the latest failed call
-- @result last_error_message     text?   of the latest failed call
-- @for sqlite
-- One pass over the whole table (stele_group, src/engine/sqlite_group.c) beats looking up the calls
-- of these listeners one by one as soon as they are an eighth of all; counting up to there is cheap.
WITH size AS (
  SELECT COALESCE((SELECT MAX(id) FROM handler_invocations)
                  - (SELECT MIN(id) FROM handler_invocations), 0) / 8 AS eighth),
figures AS MATERIALIZED (
  SELECT value ->> 0 AS listener_id, value ->> 1 AS status, substr(value ->> 2, 1, 10) = 'Dependency' AS injection,
         value ->> 3 AS calls, value ->> 4 AS duration_ms, value ->> 5 AS min_ms, value ->> 6 AS max_ms,
         value ->> 7 AS last_at, value ->> 8 AS last_id
    FROM json_each(CASE
      WHEN (SELECT COUNT(*) FROM (SELECT 1 FROM handler_invocations
                                   WHERE listener_id IN (SELECT id FROM listeners
                                                          WHERE app_key = :app_key AND instance_index = :instance_index)
                                   LIMIT (SELECT eighth FROM size) + 1)) <= (SELECT eighth FROM size)
      THEN (SELECT stele_group(i.listener_id, i.status, i.error_type, i.duration_ms, i.execution_start_dtme, i.id)
              FROM handler_invocations AS i
             WHERE i.listener_id IN (SELECT id FROM listeners
                                      WHERE app_key = :app_key AND instance_index = :instance_index)
               AND +i.session_id = :session                    -- @if session
               AND +i.session_id <> :except_session            -- @if except_session
           )
      ELSE (SELECT stele_group(i.listener_id, i.status, i.error_type, i.duration_ms, i.execution_start_dtme, i.id)
              FROM handler_invocations AS i NOT INDEXED
             WHERE TRUE
               AND i.session_id = :session                     -- @if session
               AND i.session_id <> :except_session             -- @if except_session
           ) END)),
calls AS (
  SELECT listener_id,
         SUM(calls) AS total_invocations,
         SUM(calls) FILTER (WHERE status = 'success') AS successful,
         SUM(calls) FILTER (WHERE status = 'error') AS failed,
         SUM(calls) FILTER (WHERE status = 'error' AND injection) AS di_failures,
         SUM(calls) FILTER (WHERE status = 'cancelled') AS cancelled,
         SUM(duration_ms) AS total_duration_ms,
         SUM(duration_ms) / SUM(calls) AS avg_duration_ms,
         MIN(min_ms) AS min_duration_ms,
         MAX(max_ms) AS max_duration_ms,
         MAX(last_at) AS last_invoked_at,
         MAX(last_at) FILTER (WHERE status = 'error') AS last_error_at
    FROM figures GROUP BY listener_id)
SELECT l.id AS listener_id, l.app_key, l.instance_index, l.handler_method, l.topic,
       l.debounce, l.throttle, l.once, l.priority, l.predicate_description,
       l.source_location, l.registration_source, l.first_registered_at, l.last_registered_at,
       COALESCE(c.total_invocations, 0) AS total_invocations,
       COALESCE(c.successful, 0) AS successful,
       COALESCE(c.failed, 0) AS failed,
       COALESCE(c.di_failures, 0) AS di_failures,
       COALESCE(c.cancelled, 0) AS cancelled,
       COALESCE(c.total_duration_ms, 0.0) AS total_duration_ms,
       COALESCE(c.avg_duration_ms, 0.0) AS avg_duration_ms,
       COALESCE(c.min_duration_ms, 0.0) AS min_duration_ms,
       COALESCE(c.max_duration_ms, 0.0) AS max_duration_ms,
       c.last_invoked_at,
       e.error_type AS last_error_type,
       e.error_message AS last_error_message
  FROM listeners AS l
  LEFT JOIN calls AS c ON c.listener_id = l.id
  LEFT JOIN handler_invocations AS e
    ON e.id = (SELECT f.last_id FROM figures AS f
                WHERE f.listener_id = c.listener_id AND f.last_at = c.last_error_at
                  AND f.status = 'error'
                ORDER BY f.last_id DESC LIMIT 1)
 WHERE l.app_key = :app_key AND l.instance_index = :instance_index
 ORDER BY l.handler_method, l.topic, l.id;
-- @for postgres
WITH calls AS (
  SELECT i.listener_id,
         COUNT(*) AS total_invocations,
         COUNT(*) FILTER (WHERE i.status = 'success') AS successful,
         COUNT(*) FILTER (WHERE i.status = 'error') AS failed,
         COUNT(*) FILTER (WHERE i.status = 'error'
                            AND substr(i.error_type, 1, 10) = 'Dependency') AS di_failures,
         COUNT(*) FILTER (WHERE i.status = 'cancelled') AS cancelled,
         SUM(i.duration_ms) AS total_duration_ms,
         AVG(i.duration_ms) AS avg_duration_ms,
         MIN(i.duration_ms) AS min_duration_ms,
         MAX(i.duration_ms) AS max_duration_ms,
         MAX(i.execution_start_dtme) AS last_invoked_at,
         MAX(CASE WHEN i.status = 'error' THEN i.execution_start_dtme END) AS last_error_at
    FROM handler_invocations AS i
   WHERE i.listener_id IN (SELECT id FROM listeners
                            WHERE app_key = :app_key AND instance_index = :instance_index)
     AND i.session_id = :session                             -- @if session
     AND i.session_id <> :except_session                     -- @if except_session
   GROUP BY i.listener_id)
SELECT l.id AS listener_id, l.app_key, l.instance_index, l.handler_method, l.topic,
       l.debounce, l.throttle, l.once, l.priority, l.predicate_description,
       l.source_location, l.registration_source, l.first_registered_at, l.last_registered_at,
       COALESCE(c.total_invocations, 0) AS total_invocations,
       COALESCE(c.successful, 0) AS successful,
       COALESCE(c.failed, 0) AS failed,
       COALESCE(c.di_failures, 0) AS di_failures,
       COALESCE(c.cancelled, 0) AS cancelled,
       COALESCE(c.total_duration_ms, 0.0) AS total_duration_ms,
       COALESCE(c.avg_duration_ms, 0.0) AS avg_duration_ms,
       COALESCE(c.min_duration_ms, 0.0) AS min_duration_ms,
       COALESCE(c.max_duration_ms, 0.0) AS max_duration_ms,
       c.last_invoked_at,
       e.error_type AS last_error_type,
       e.error_message AS last_error_message
  FROM listeners AS l
  LEFT JOIN calls AS c ON c.listener_id = l.id
  -- The latest error is found by its time, one seek per listener: never a walk through its calls.
  LEFT JOIN handler_invocations AS e
    ON e.id = (SELECT x.id FROM handler_invocations AS x
                WHERE x.listener_id = c.listener_id
                  AND x.execution_start_dtme = c.last_error_at
                  AND x.status = 'error'
                  AND x.session_id = :session                -- @if session
                  AND x.session_id <> :except_session        -- @if except_session
                ORDER BY x.id DESC LIMIT 1)
 WHERE l.app_key = :app_key AND l.instance_index = :instance_index
 ORDER BY l.handler_method, l.topic, l.id;
-- @for both

-- @method telemetry.get_job_summary  many  read
-- The scheduled jobs of an app instance, each with the figures of its runs. A job that never ran is
-- listed with zeros. Runs that were timed_out or skipped count in the total only.
-- @param  app_key              text           the app
-- @param  instance_index       int            which instance of it
-- @param  session              int optional   only runs of this session
-- @param  except_session       int optional   no runs of this session
-- @result job_id               int     the job's number
-- @result app_key              text    the app
-- @result instance_index       int     which instance of it
-- @result job_name             text    unique within the instance
-- @result handler_method       text    what it runs
-- @result trigger_type         text?   cron, interval; null: runs once
-- @result trigger_value        text?   the cron line, or the interval in seconds
-- @result repeat               bool    it runs again and again
-- @result args_json            text    its arguments, as JSON text
-- @result kwargs_json          text    its named arguments, as JSON text
-- @result source_location      text    "file:line" of the registration
-- @result registration_source  text?   the code of the registration
-- @result first_registered_at  time    its first registration
-- @result last_registered_at   time    its latest registration
-- @result total_executions     int     runs
-- @result successful           int     of these, status success
-- @result failed               int     of these, status error
-- @result cancelled            int     of these, status cancelled
-- @result total_duration_ms    real    sum of durations
-- @result avg_duration_ms      real    mean duration
-- @result min_duration_ms      real    shortest
-- @result max_duration_ms      real    longest
-- @result last_executed_at     time?   start of the latest run
-- @result last_error_type      text?   of the latest failed run
-- @result last_error_message   text?   of the latest failed run
WITH runs AS (
  SELECT r.job_id,
         COUNT(*) AS total_executions,
         COUNT(*) FILTER (WHERE r.status = 'success') AS successful,
         COUNT(*) FILTER (WHERE r.status = 'error') AS failed,
         COUNT(*) FILTER (WHERE r.status = 'cancelled') AS cancelled,
         SUM(r.duration_ms) AS total_duration_ms,
         AVG(r.duration_ms) AS avg_duration_ms,
         MIN(r.duration_ms) AS min_duration_ms,
         MAX(r.duration_ms) AS max_duration_ms,
         MAX(r.execution_start_dtme) AS last_executed_at,
         MAX(CASE WHEN r.status = 'error' THEN r.execution_start_dtme END) AS last_error_at
    FROM job_executions AS r
   WHERE r.job_id IN (SELECT id FROM scheduled_jobs
                       WHERE app_key = :app_key AND instance_index = :instance_index)
     AND r.session_id = :session                             -- @if session
     AND r.session_id <> :except_session                     -- @if except_session
   GROUP BY r.job_id)
SELECT j.id AS job_id, j.app_key, j.instance_index, j.job_name, j.handler_method,
       j.trigger_type, j.trigger_value, j.repeat, j.args_json, j.kwargs_json,
       j.source_location, j.registration_source, j.first_registered_at, j.last_registered_at,
       COALESCE(c.total_executions, 0) AS total_executions,
       COALESCE(c.successful, 0) AS successful,
       COALESCE(c.failed, 0) AS failed,
       COALESCE(c.cancelled, 0) AS cancelled,
       COALESCE(c.total_duration_ms, 0.0) AS total_duration_ms,
       COALESCE(c.avg_duration_ms, 0.0) AS avg_duration_ms,
       COALESCE(c.min_duration_ms, 0.0) AS min_duration_ms,
       COALESCE(c.max_duration_ms, 0.0) AS max_duration_ms,
       c.last_executed_at,
       e.error_type AS last_error_type,
       e.error_message AS last_error_message
  FROM scheduled_jobs AS j
  LEFT JOIN runs AS c ON c.job_id = j.id
  LEFT JOIN job_executions AS e
    ON e.id = (SELECT x.id FROM job_executions AS x
                WHERE x.job_id = c.job_id
                  AND x.execution_start_dtme = c.last_error_at
                  AND x.status = 'error'
                  AND x.session_id = :session                -- @if session
                  AND x.session_id <> :except_session        -- @if except_session
                ORDER BY x.id DESC LIMIT 1)
 WHERE j.app_key = :app_key AND j.instance_index = :instance_index
 ORDER BY j.job_name, j.id;

-- @method telemetry.get_global_summary  one  read
-- The figures of the whole store, both halves from one moment.
-- @param  session         int optional   only runs of this session
-- @param  except_session  int optional   no runs of this session
-- @result listeners       json   total_listeners (registered), invoked_listeners (called at least once),
--     total_invocations, total_errors, total_di_failures, avg_duration_ms
-- @result jobs            json   total_jobs (registered), executed_jobs (run at least once),
--     total_executions, total_errors
SELECT json_object('total_listeners', l.registered,
                   'invoked_listeners', i.invoked,
                   'total_invocations', i.total,
                   'total_errors', i.errors,
                   'total_di_failures', i.di_failures,
                   'avg_duration_ms', i.avg_duration_ms) AS listeners,
       json_object('total_jobs', j.registered,
                   'executed_jobs', r.executed,
                   'total_executions', r.total,
                   'total_errors', r.errors) AS jobs
  FROM (SELECT COUNT(*) AS registered FROM listeners) AS l,
       (SELECT COUNT(*) AS registered FROM scheduled_jobs) AS j,
       (SELECT COUNT(DISTINCT listener_id) AS invoked,
               COUNT(*) AS total,
               COUNT(*) FILTER (WHERE status = 'error') AS errors,
               COUNT(*) FILTER (WHERE status = 'error'
                                  AND substr(error_type, 1, 10) = 'Dependency') AS di_failures,
               COALESCE(AVG(duration_ms), 0.0) AS avg_duration_ms
          FROM handler_invocations
         WHERE TRUE
           AND session_id = :session                         -- @if session
           AND session_id <> :except_session                 -- @if except_session
       ) AS i,
       (SELECT COUNT(DISTINCT job_id) AS executed,
               COUNT(*) AS total,
               COUNT(*) FILTER (WHERE status = 'error') AS errors
          FROM job_executions
         WHERE TRUE
           AND session_id = :session                         -- @if session
           AND session_id <> :except_session                 -- @if except_session
       ) AS r;

-- @method telemetry.get_handler_invocations  many  read
-- The calls of one listener, newest first, with traceback.
-- @param  listener_id           int                  whose calls
-- @param  limit                 int(1..10000) = 50   at most this many
-- @param  session               int optional         only calls of this session
-- @param  except_session        int optional         no calls of this session
-- @result id                    int     the record's number
-- @result session_id            int     in which session
-- @result execution_start_dtme  time    when it started
-- @result duration_ms           real    how long it took, in milliseconds
-- @result status                text    how it ended
-- @result error_type            text?   class of the error
-- @result error_message         text?   what it said
-- @result error_traceback       text?   where it happened
-- @else NOTFOUND listener_id
SELECT id FROM listeners WHERE id = :listener_id;
SELECT id, session_id, execution_start_dtme, duration_ms, status,
       error_type, error_message, error_traceback
  FROM handler_invocations
 WHERE listener_id = :listener_id
   AND session_id = :session                                 -- @if session
   AND session_id <> :except_session                         -- @if except_session
 ORDER BY execution_start_dtme DESC, id DESC LIMIT :limit;

-- @method telemetry.get_job_executions  many  read
-- The runs of one job, newest first, with traceback.
-- @param  job_id                int                  whose runs
-- @param  limit                 int(1..10000) = 50   at most this many
-- @param  session               int optional         only runs of this session
-- @param  except_session        int optional         no runs of this session
-- @result id                    int     the record's number
-- @result session_id            int     in which session
-- @result execution_start_dtme  time    when it started
-- @result duration_ms           real    how long it took, in milliseconds
-- @result status                text    how it ended
-- @result error_type            text?   class of the error
-- @result error_message         text?   what it said
-- @result error_traceback       text?   where it happened
-- @else NOTFOUND job_id
SELECT id FROM scheduled_jobs WHERE id = :job_id;
SELECT id, session_id, execution_start_dtme, duration_ms, status,
       error_type, error_message, error_traceback
  FROM job_executions
 WHERE job_id = :job_id
   AND session_id = :session                                 -- @if session
   AND session_id <> :except_session                         -- @if except_session
 ORDER BY execution_start_dtme DESC, id DESC LIMIT :limit;

-- @method telemetry.get_recent_errors  many  read
-- The runs that ended in status error after a time, handlers and jobs together, newest first.
-- @param  since                 time                 only those that started later than this
-- @param  limit                 int(1..10000) = 50   at most this many, of both kinds together
-- @param  session               int optional         only runs of this session
-- @param  except_session        int optional         no runs of this session
-- @http GET /v1/process-errors
-- @result kind                  text    handler or job
-- @result id                    int     the record's number, among its kind
-- @result listener_id           int?    of a handler
-- @result job_id                int?    of a job
-- @result session_id            int     in which session
-- @result app_key               text    the app
-- @result instance_index        int     which instance of it
-- @result handler_method        text    what was run
-- @result topic                 text?   of a handler
-- @result job_name              text?   of a job
-- @result execution_start_dtme  time    when it started
-- @result duration_ms           real    how long it took, in milliseconds
-- @result error_type            text?   class of the error
-- @result error_message         text?   what it said
-- @result error_traceback       text?   where it happened
SELECT kind, id, listener_id, job_id, session_id, app_key, instance_index, handler_method, topic,
       job_name, execution_start_dtme, duration_ms, error_type, error_message, error_traceback
  FROM (SELECT 'handler' AS kind, i.id, i.listener_id, CAST(NULL AS BIGINT) AS job_id, i.session_id,
               l.app_key, l.instance_index, l.handler_method, l.topic,
               CAST(NULL AS TEXT) AS job_name, i.execution_start_dtme, i.duration_ms,
               i.error_type, i.error_message, i.error_traceback
          FROM (SELECT id, listener_id, session_id, execution_start_dtme, duration_ms,
                       error_type, error_message, error_traceback
                  FROM handler_invocations
                 WHERE status = 'error' AND execution_start_dtme > :since
                   AND session_id = :session                 -- @if session
                   AND session_id <> :except_session         -- @if except_session
                 ORDER BY execution_start_dtme DESC, id DESC LIMIT :limit) AS i
          JOIN listeners AS l ON l.id = i.listener_id
        UNION ALL
        SELECT 'job', r.id, CAST(NULL AS BIGINT), r.job_id, r.session_id,
               j.app_key, j.instance_index, j.handler_method, CAST(NULL AS TEXT),
               j.job_name, r.execution_start_dtme, r.duration_ms,
               r.error_type, r.error_message, r.error_traceback
          FROM (SELECT id, job_id, session_id, execution_start_dtme, duration_ms,
                       error_type, error_message, error_traceback
                  FROM job_executions
                 WHERE status = 'error' AND execution_start_dtme > :since
                   AND session_id = :session                 -- @if session
                   AND session_id <> :except_session         -- @if except_session
                 ORDER BY execution_start_dtme DESC, id DESC LIMIT :limit) AS r
          JOIN scheduled_jobs AS j ON j.id = r.job_id) AS errors
 ORDER BY execution_start_dtme DESC, kind, id DESC LIMIT :limit;

-- @method telemetry.get_slow_handlers  many  read
-- The calls of handlers that took longer than a threshold, slowest first.
-- @param  threshold_ms          real(0..)            only those that took longer than this
-- @param  limit                 int(1..10000) = 50   at most this many
-- @param  session               int optional         only calls of this session
-- @param  except_session        int optional         no calls of this session
-- @param  since                 time optional        only calls that started at this time or later
-- @http GET /v1/slow-handlers
-- @result id                    int     the record's number
-- @result listener_id           int     whose handler
-- @result session_id            int     in which session
-- @result app_key               text    the app
-- @result instance_index        int     which instance of it
-- @result handler_method        text    the handler
-- @result topic                 text    what it listens to
-- @result execution_start_dtme  time    when it started
-- @result duration_ms           real    how long it took, in milliseconds
-- @result status                text    how it ended
-- @result error_type            text?   class of the error
SELECT i.id, i.listener_id, i.session_id, l.app_key, l.instance_index, l.handler_method, l.topic,
       i.execution_start_dtme, i.duration_ms, i.status, i.error_type
  FROM (SELECT id, listener_id, session_id, execution_start_dtme, duration_ms, status, error_type
          FROM handler_invocations
         WHERE duration_ms > :threshold_ms
           AND session_id = :session                         -- @if session
           AND session_id <> :except_session                 -- @if except_session
           AND execution_start_dtme >= :since                -- @if since
         ORDER BY duration_ms DESC, execution_start_dtme DESC, id DESC LIMIT :limit) AS i
  JOIN listeners AS l ON l.id = i.listener_id
 ORDER BY i.duration_ms DESC, i.execution_start_dtme DESC, i.id DESC;

-- @method telemetry.get_slow_jobs  many  read
-- The runs of jobs that took longer than a threshold, slowest first.
-- @param  threshold_ms          real(0..)            only those that took longer than this
-- @param  limit                 int(1..10000) = 50   at most this many
-- @param  session               int optional         only runs of this session
-- @param  except_session        int optional         no runs of this session
-- @param  since                 time optional        only runs that started at this time or later
-- @http GET /v1/slow-jobs
-- @result id                    int     the record's number
-- @result job_id                int     which job
-- @result session_id            int     in which session
-- @result app_key               text    the app
-- @result instance_index        int     which instance of it
-- @result job_name              text    unique within the instance
-- @result handler_method        text    what it runs
-- @result execution_start_dtme  time    when it started
-- @result duration_ms           real    how long it took, in milliseconds
-- @result status                text    how it ended
-- @result error_type            text?   class of the error
SELECT r.id, r.job_id, r.session_id, j.app_key, j.instance_index, j.job_name, j.handler_method,
       r.execution_start_dtme, r.duration_ms, r.status, r.error_type
  FROM (SELECT id, job_id, session_id, execution_start_dtme, duration_ms, status, error_type
          FROM job_executions
         WHERE duration_ms > :threshold_ms
           AND session_id = :session                         -- @if session
           AND session_id <> :except_session                 -- @if except_session
           AND execution_start_dtme >= :since                -- @if since
         ORDER BY duration_ms DESC, execution_start_dtme DESC, id DESC LIMIT :limit) AS r
  JOIN scheduled_jobs AS j ON j.id = r.job_id
 ORDER BY r.duration_ms DESC, r.execution_start_dtme DESC, r.id DESC;

-- @method telemetry.get_session_list  many  read
-- The sessions, newest first.
-- @param  limit              int(1..10000) = 20   at most this many
-- @http GET /v1/process-sessions
-- @result id                 int     the session's number
-- @result started_at         time    when it started
-- @result stopped_at         time?   when it stopped; null while it runs
-- @result last_heartbeat_at  time    when it was last known alive
-- @result status             text    running, success, error, unknown
-- @result error_type         text?   class of the error that ended it
-- @result error_message      text?   what it said
-- @result error_traceback    text?   where it happened
-- @result duration_seconds   real    from its start to its stop, or to its last heartbeat
SELECT id, started_at, stopped_at, last_heartbeat_at, status,
       error_type, error_message, error_traceback,
       COALESCE(stopped_at, last_heartbeat_at) - started_at AS duration_seconds
  FROM sessions
 ORDER BY started_at DESC, id DESC LIMIT :limit;

-- @method telemetry.get_current_session_summary  one  read
-- The newest running session with the figures of its runs, or null when none is running. With
-- session: that one, whatever its status, for a process that shares the store with others.
-- @param  session            int optional   this session instead of the newest
-- @result session_id         int    the session's number
-- @result status             text   running; with session: its status
-- @result started_at         time   when it started
-- @result last_heartbeat_at  time   when it was last known alive
-- @result duration_seconds   real   from its start to its stop, or to its last heartbeat
-- @result invocations        int    calls of handlers
-- @result invocation_errors  int    of these, status error
-- @result executions         int    runs of jobs
-- @result execution_errors   int    of these, status error
SELECT s.id AS session_id, s.status, s.started_at, s.last_heartbeat_at, s.duration_seconds,
       (SELECT COUNT(*) FROM handler_invocations AS i
         WHERE i.session_id = s.id) AS invocations,
       (SELECT COUNT(*) FROM handler_invocations AS i
         WHERE i.session_id = s.id AND i.status = 'error') AS invocation_errors,
       (SELECT COUNT(*) FROM job_executions AS r
         WHERE r.session_id = s.id) AS executions,
       (SELECT COUNT(*) FROM job_executions AS r
         WHERE r.session_id = s.id AND r.status = 'error') AS execution_errors
  FROM (SELECT id, status, started_at, last_heartbeat_at,
               COALESCE(stopped_at, last_heartbeat_at) - started_at AS duration_seconds
          FROM sessions
         WHERE (status = 'running' OR id = :session)         -- an absent session is NULL: running only
           AND id = :session                                 -- @if session
         ORDER BY started_at DESC, id DESC LIMIT 1) AS s;

-- @method telemetry.get_session_totals  many  read
-- The sessions, newest first, each with the number of its runs and errors.
-- @param  limit              int(1..10000) = 20   at most this many
-- @result session_id         int     the session's number
-- @result started_at         time    when it started
-- @result stopped_at         time?   when it stopped; null while it runs
-- @result status             text    running, success, error, unknown
-- @result invocations        int     calls of handlers
-- @result invocation_errors  int     of these, status error
-- @result executions         int     runs of jobs
-- @result execution_errors   int     of these, status error
WITH newest AS (
  SELECT id, started_at, stopped_at, status FROM sessions
   ORDER BY started_at DESC, id DESC LIMIT :limit),
calls AS (
  SELECT session_id, COUNT(*) AS total, COUNT(*) FILTER (WHERE status = 'error') AS errors
    FROM handler_invocations WHERE session_id IN (SELECT id FROM newest)
   GROUP BY session_id),
runs AS (
  SELECT session_id, COUNT(*) AS total, COUNT(*) FILTER (WHERE status = 'error') AS errors
    FROM job_executions WHERE session_id IN (SELECT id FROM newest)
   GROUP BY session_id)
SELECT s.id AS session_id, s.started_at, s.stopped_at, s.status,
       COALESCE(c.total, 0) AS invocations,
       COALESCE(c.errors, 0) AS invocation_errors,
       COALESCE(r.total, 0) AS executions,
       COALESCE(r.errors, 0) AS execution_errors
  FROM newest AS s
  LEFT JOIN calls AS c ON c.session_id = s.id
  LEFT JOIN runs AS r ON r.session_id = s.id
 ORDER BY s.started_at DESC, s.id DESC;

-- @method telemetry.get_time_buckets  many  read
-- Runs and errors over time, for a plot: the time from since up to, not including, until is cut into
-- equal buckets, and every bucket is listed, empty or not. No bucket if until is not after since.
-- @param  since              time                 where the first bucket starts
-- @param  until              time = now           where the last bucket ends
-- @param  buckets            int(1..2000) = 60    how many
-- @param  session            int optional         only runs of this session
-- @param  except_session     int optional         no runs of this session
-- @param  app_key            text optional        only runs of this app
-- @result start              time   start of the bucket
-- @result invocations        int    calls of handlers that started in it
-- @result invocation_errors  int    of these, status error
-- @result executions         int    runs of jobs that started in it
-- @result execution_errors   int    of these, status error
WITH RECURSIVE bucket (n) AS (
  SELECT CAST(0 AS BIGINT) WHERE :since < :until
  UNION ALL
  SELECT n + 1 FROM bucket WHERE n + 1 < :buckets),
span AS (
  -- Each bucket ends where the next one starts, computed by the same expression.
  SELECT :since + n * (:until - :since) / :buckets AS start,
         CASE WHEN n + 1 = :buckets THEN :until
              ELSE :since + (n + 1) * (:until - :since) / :buckets END AS stop
    FROM bucket)
SELECT b.start,
       (SELECT COUNT(*) FROM handler_invocations AS i
         WHERE i.execution_start_dtme >= b.start AND i.execution_start_dtme < b.stop
           AND +i.session_id = :session                       -- @if session
           AND +i.session_id <> :except_session               -- @if except_session
           AND i.listener_id IN (SELECT id FROM listeners WHERE app_key = :app_key)      -- @if app_key
       ) AS invocations,
       (SELECT COUNT(*) FROM handler_invocations AS i
         WHERE i.status = 'error'
           AND i.execution_start_dtme >= b.start AND i.execution_start_dtme < b.stop
           AND +i.session_id = :session                       -- @if session
           AND +i.session_id <> :except_session               -- @if except_session
           AND i.listener_id IN (SELECT id FROM listeners WHERE app_key = :app_key)      -- @if app_key
       ) AS invocation_errors,
       (SELECT COUNT(*) FROM job_executions AS r
         WHERE r.execution_start_dtme >= b.start AND r.execution_start_dtme < b.stop
           AND +r.session_id = :session                       -- @if session
           AND +r.session_id <> :except_session               -- @if except_session
           AND r.job_id IN (SELECT id FROM scheduled_jobs WHERE app_key = :app_key)      -- @if app_key
       ) AS executions,
       (SELECT COUNT(*) FROM job_executions AS r
         WHERE r.status = 'error'
           AND r.execution_start_dtme >= b.start AND r.execution_start_dtme < b.stop
           AND +r.session_id = :session                       -- @if session
           AND +r.session_id <> :except_session               -- @if except_session
           AND r.job_id IN (SELECT id FROM scheduled_jobs WHERE app_key = :app_key)      -- @if app_key
       ) AS execution_errors
  FROM span AS b
 ORDER BY b.start;

-- @method telemetry.get_latency  many  read
-- How long calls of handlers took over time, for a plot: of each bucket, as get_time_buckets cuts them, the time within
-- which half of its calls ended, 95 of a hundred, and 99. Each is the duration of a call, not a mean of two.
-- @param  since              time                 where the first bucket starts
-- @param  until              time = now           where the last bucket ends
-- @param  buckets            int(1..2000) = 60    how many
-- @param  app_key            text optional        only calls of this app
-- @result start              time    start of the bucket
-- @result calls              int     calls of handlers that started in it
-- @result p50_ms             real?   half of them took no longer; null: there were none
-- @result p95_ms             real?   95 of a hundred took no longer
-- @result p99_ms             real?   99 of a hundred took no longer
WITH RECURSIVE bucket (n) AS (
  SELECT CAST(0 AS BIGINT) WHERE :since < :until
  UNION ALL
  SELECT n + 1 FROM bucket WHERE n + 1 < :buckets),
span AS (
  SELECT :since + n * (:until - :since) / :buckets AS start,
         CASE WHEN n + 1 = :buckets THEN :until
              ELSE :since + (n + 1) * (:until - :since) / :buckets END AS stop
    FROM bucket),
counted AS MATERIALIZED (
  -- Counting reads an index alone; a window that counted would keep every call twice.
  SELECT start, stop,
         (SELECT COUNT(*) FROM handler_invocations AS i
           WHERE i.execution_start_dtme >= span.start AND i.execution_start_dtme < span.stop
             AND i.listener_id IN (SELECT id FROM listeners WHERE app_key = :app_key)    -- @if app_key
         ) AS calls
    FROM span),
ranked AS (
  SELECT c.start, c.calls, i.duration_ms,
         ROW_NUMBER() OVER (PARTITION BY c.start ORDER BY i.duration_ms) AS place
    FROM counted AS c
    JOIN handler_invocations AS i ON i.execution_start_dtme >= c.start AND i.execution_start_dtme < c.stop
     AND i.listener_id IN (SELECT id FROM listeners WHERE app_key = :app_key)            -- @if app_key
),
picked AS (
  SELECT start,
         MAX(CASE WHEN place = (calls * 50 + 99) / 100 THEN duration_ms END) AS p50_ms,
         MAX(CASE WHEN place = (calls * 95 + 99) / 100 THEN duration_ms END) AS p95_ms,
         MAX(CASE WHEN place = (calls * 99 + 99) / 100 THEN duration_ms END) AS p99_ms
    FROM ranked
   WHERE place IN ((calls * 50 + 99) / 100, (calls * 95 + 99) / 100, (calls * 99 + 99) / 100)
   GROUP BY start)
SELECT c.start, c.calls, p.p50_ms, p.p95_ms, p.p99_ms
  FROM counted AS c LEFT JOIN picked AS p ON p.start = c.start
 ORDER BY c.start;
