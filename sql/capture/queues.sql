-- Queues: what waits to be learned from. A ticket stands for one event, segment of a session, page or run. Whoever claims
-- tickets gets a token, and settles each with it: complete, skip or fail. After the lock timeout a ticket is taken back,
-- and the token is worth nothing from then on.

-- @method capture.list_queue  many  read
-- Tickets, those that changed last first; with the status failed, the ones that were given up.
-- @param  queue         text(agentic|browser|shell|workflow) optional                  only those of this queue
-- @param  id            int optional                                                   only this ticket
-- @param  status        text(pending|processing|done|failed|skipped) optional          only those
-- @param  locked_until  time optional       only those whose lock is not newer than this
-- @param  limit         int(1..1000) = 100  at most this many
-- @result queue         text                its queue
-- @result id            int                 the ticket
-- @result source_id     int                 what it stands for: an event, a segment (agentic_sessions.id), a page, a run
-- @result status        text                pending, processing, done, failed or skipped
-- @result priority      int                 the lower, the sooner
-- @result retry_count   int                 how often it failed
-- @result max_retries   int                 after so many failures it is given up
-- @result error_message text?               why it failed or was skipped
-- @result locked_at     time?               since when it is being processed,
-- @result locked_by     text?               and by whom
-- @result enqueued_at   time                when it came
-- @result updated_at    time                when it last changed
SELECT queue, id, source_id, status, priority, retry_count, max_retries, error_message, locked_at, locked_by, enqueued_at,
       updated_at
  FROM (SELECT 'agentic' AS queue, q.id AS id, q.session_id AS source_id, q.status, q.priority, q.retry_count, q.max_retries,
               q.error_message, q.locked_at, q.locked_by, q.enqueued_at AS enqueued_at, q.updated_at
          FROM agentic_enrichment_queue AS q JOIN agentic_sessions AS s ON s.id = q.session_id AND s.probe_tag IS NULL
        UNION ALL
        SELECT 'browser' AS queue, q.id AS id, q.browser_event_id AS source_id, q.status, q.priority, q.retry_count, q.max_retries,
               q.error_message, q.locked_at, q.locked_by, q.created_at AS enqueued_at, q.updated_at
          FROM browser_enrichment_queue AS q JOIN browser_events AS s ON s.id = q.browser_event_id AND s.probe_tag IS NULL
        UNION ALL
        SELECT 'shell' AS queue, q.id AS id, q.event_id AS source_id, q.status, q.priority, q.retry_count, q.max_retries,
               q.error_message, q.locked_at, q.locked_by, q.created_at AS enqueued_at, q.updated_at
          FROM enrichment_queue AS q JOIN events AS s ON s.id = q.event_id AND s.probe_tag IS NULL
        UNION ALL
        SELECT 'workflow' AS queue, q.run_id AS id, q.run_id AS source_id, q.status, q.priority, q.retry_count, q.max_retries,
               q.error_message, q.locked_at, q.locked_by, q.enqueued_at AS enqueued_at, q.updated_at
          FROM workflow_enrichment_queue AS q) AS tickets
 WHERE TRUE
   AND queue = :queue                                        -- @if queue
   AND id = :id                                              -- @if id
   AND status = :status                                      -- @if status
   AND COALESCE(locked_at, 0) <= :locked_until               -- @if locked_until
 ORDER BY updated_at DESC, queue, id LIMIT :limit;

-- @method capture.queue_depth  many  read
-- How much is in each queue.
-- @result queue      text    its name
-- @result pending    int     tickets that wait,
-- @result processing int     are being processed,
-- @result done       int     were learned from,
-- @result failed     int     were given up,
-- @result skipped    int     or held nothing to learn
-- @result waits_since time?  when the oldest of those that wait came
SELECT names.queue,
       COUNT(CASE WHEN status = 'pending' THEN 1 END) AS pending,
       COUNT(CASE WHEN status = 'processing' THEN 1 END) AS processing,
       COUNT(CASE WHEN status = 'done' THEN 1 END) AS done,
       COUNT(CASE WHEN status = 'failed' THEN 1 END) AS failed,
       COUNT(CASE WHEN status = 'skipped' THEN 1 END) AS skipped,
       MIN(CASE WHEN status = 'pending' THEN enqueued_at END) AS waits_since
  FROM (SELECT 'agentic' AS queue UNION ALL SELECT 'browser' UNION ALL SELECT 'shell' UNION ALL SELECT 'workflow') AS names
  LEFT JOIN (
             SELECT 'agentic' AS queue, q.status, q.enqueued_at AS enqueued_at FROM agentic_enrichment_queue AS q
               JOIN agentic_sessions AS s ON s.id = q.session_id AND s.probe_tag IS NULL
             UNION ALL SELECT 'browser' AS queue, q.status, q.created_at AS enqueued_at FROM browser_enrichment_queue AS q
               JOIN browser_events AS s ON s.id = q.browser_event_id AND s.probe_tag IS NULL
             UNION ALL SELECT 'shell' AS queue, q.status, q.created_at AS enqueued_at FROM enrichment_queue AS q
               JOIN events AS s ON s.id = q.event_id AND s.probe_tag IS NULL
             UNION ALL SELECT 'workflow' AS queue, q.status, q.enqueued_at AS enqueued_at FROM workflow_enrichment_queue AS q) AS tickets
    ON tickets.queue = names.queue
 GROUP BY names.queue
 ORDER BY names.queue;

-- @method capture.claim  many  write
-- Take tickets to work on: those of the lowest priority number first, then the oldest. Before that, tickets whose lock is
-- older than the timeout are taken back as by reap, and segments that were learned from as they are now are done.
-- Commands are given once the newest that waits of their session is old enough, and a session's stay together; pages once
-- they are old enough themselves. A ticket is held by one claim at a time.
-- @param  queue         text(agentic|browser|shell|workflow)   which queue
-- @param  worker        text                      who claims
-- @param  limit         int(1..100) = 10          at most this many
-- @param  lock_timeout  int(0..1000000000) = 600  in seconds: what is locked for so long is taken back
-- @param  idle          int(0..1000000000) optional   in seconds: how old commands (120) and pages (60) must be
-- @param  harness       text(claude-code|opencode|codex|cursor) optional   only segments of this agent
-- @param  expects       int(1..1000000) optional  the version of this store that the worker works with: if it is another, nothing
--     is claimed, and the call fails, DENIED
-- @param  now           time = now                at this time
-- @param  reap          bool = true               take back what is locked for too long; who claims again and again need not ask each time
-- @result id            int                       the ticket
-- @result source_id     int                       what it stands for: an event, a segment (agentic_sessions.id), a page, a run
-- @result content_hash  text?                     what that was when it was claimed, if it has one
-- @result token         text                      shows that the ticket is held
-- @feature claims
-- @native st_capture_claim

-- @method capture.complete  one  write
-- A ticket was learned from. Of a segment it is noted from which content, unless that has changed since. Fails, DENIED, if
-- the ticket is not held with this token any more: then somebody else has it, and what was done must be dropped.
-- @param  queue   text(agentic|browser|shell|workflow)   which queue
-- @param  id      int          the ticket
-- @param  token   text         as claim told
-- @param  now     time = now   at this time
-- @result status  text         done
-- @feature claims
-- @native st_capture_complete

-- @method capture.skip  one  write
-- A ticket holds nothing to learn from. Otherwise as complete.
-- @param  queue   text(agentic|browser|shell|workflow)   which queue
-- @param  id      int          the ticket
-- @param  token   text         as claim told
-- @param  reason  text         why
-- @param  now     time = now   at this time
-- @result status  text         skipped
-- @feature claims
-- @native st_capture_skip

-- @method capture.fail  one  write
-- Learning from a ticket failed: it waits again, or is given up after max_retries failures. The content of a segment
-- that was given up is not tried again; a changed one is. DENIED as with complete.
-- @param  queue        text(agentic|browser|shell|workflow)   which queue
-- @param  id           int                     the ticket
-- @param  token        text                    as claim told
-- @param  error        text                    what went wrong
-- @param  max_retries  int(1..1000) optional   give up after so many failures; the ticket's own number if absent
-- @param  now          time = now              at this time
-- @result status       text                    pending or failed
-- @feature claims
-- @native st_capture_fail

-- @method capture.release  one  write
-- Give a ticket back: nothing was learned from it, and nothing is wrong with it. It waits again, and it is no failure. DENIED as with
-- complete.
-- @param  queue   text(agentic|browser|shell|workflow)   which queue
-- @param  id      int            the ticket
-- @param  token   text           as claim told
-- @param  reason  text? = null   why
-- @param  now     time = now     at this time
-- @result status  text           pending
-- @feature claims
-- @native st_capture_release

-- @method capture.extend_claims  none  write
-- Whoever works for long says so: the tickets that are held with a token are held from now on, as if they had just been claimed.
-- @param  queue  text(agentic|browser|shell|workflow)   which queue
-- @param  token  text           as claim told
-- @param  now    time = now     at this time
-- @result held   int changed 5  how many tickets are still held; the others were settled, taken back or given to somebody else
-- @feature claims
UPDATE agentic_enrichment_queue SET locked_at = :now, updated_at = :now
 WHERE :queue = 'agentic' AND status = 'processing'
   AND EXISTS (SELECT 1 FROM stele_claims AS c WHERE c.queue = 'agentic' AND c.token = :token AND c.ticket = agentic_enrichment_queue.id
                  AND c.claimed_at = agentic_enrichment_queue.locked_at AND c.worker = agentic_enrichment_queue.locked_by);
UPDATE browser_enrichment_queue SET locked_at = :now, updated_at = :now
 WHERE :queue = 'browser' AND status = 'processing'
   AND EXISTS (SELECT 1 FROM stele_claims AS c WHERE c.queue = 'browser' AND c.token = :token AND c.ticket = browser_enrichment_queue.id
                  AND c.claimed_at = browser_enrichment_queue.locked_at AND c.worker = browser_enrichment_queue.locked_by);
UPDATE enrichment_queue SET locked_at = :now, updated_at = :now
 WHERE :queue = 'shell' AND status = 'processing'
   AND EXISTS (SELECT 1 FROM stele_claims AS c WHERE c.queue = 'shell' AND c.token = :token AND c.ticket = enrichment_queue.id
                  AND c.claimed_at = enrichment_queue.locked_at AND c.worker = enrichment_queue.locked_by);
UPDATE workflow_enrichment_queue SET locked_at = :now, updated_at = :now
 WHERE :queue = 'workflow' AND status = 'processing'
   AND EXISTS (SELECT 1 FROM stele_claims AS c WHERE c.queue = 'workflow' AND c.token = :token AND c.ticket = workflow_enrichment_queue.run_id
                  AND c.claimed_at = workflow_enrichment_queue.locked_at AND c.worker = workflow_enrichment_queue.locked_by);
UPDATE stele_claims SET claimed_at = :now
 WHERE queue = :queue AND token = :token
   AND ticket IN (SELECT id FROM agentic_enrichment_queue AS q
                   WHERE :queue = 'agentic' AND q.status = 'processing' AND q.locked_at = :now AND q.locked_by = stele_claims.worker
                  UNION ALL SELECT id FROM browser_enrichment_queue AS q
                   WHERE :queue = 'browser' AND q.status = 'processing' AND q.locked_at = :now AND q.locked_by = stele_claims.worker
                  UNION ALL SELECT id FROM enrichment_queue AS q
                   WHERE :queue = 'shell' AND q.status = 'processing' AND q.locked_at = :now AND q.locked_by = stele_claims.worker
                  UNION ALL SELECT run_id FROM workflow_enrichment_queue AS q
                   WHERE :queue = 'workflow' AND q.status = 'processing' AND q.locked_at = :now AND q.locked_by = stele_claims.worker);

-- @method capture.reap  one  write
-- Take back tickets that are locked for too long, at most 100 in a call. Each counts as a failure.
-- @param  lock_timeout  int(0..1000000000) = 600  in seconds
-- @param  now           time = now                at this time
-- @result reaped        int                       how many were taken back,
-- @result failed        int                       and how many of these were given up
-- @feature claims
-- @native st_capture_reap

-- @method capture.take_tickets  none  write  private
-- Give tickets that wait to a token.
-- @param  queue    text            which queue
-- @param  token    text            the token
-- @param  worker   text            who claims
-- @param  limit    int             at most this many
-- @param  settled  time            commands and pages that are not newer than this
-- @param  harness  text optional   only segments of this agent
-- @param  now      time            at this time
-- @feature claims
UPDATE agentic_enrichment_queue SET status = 'done', error_message = NULL, updated_at = :now
 WHERE :queue = 'agentic' AND status = 'pending'
   AND EXISTS (SELECT 1 FROM agentic_sessions AS s
                WHERE s.id = agentic_enrichment_queue.session_id AND s.content_hash = s.last_enriched_content_hash);

INSERT INTO stele_claims (queue, ticket, token, worker, claimed_at, source_id, content_hash, position)
  WITH first AS                              -- the thousand that come first, as with commands
       (SELECT q.id, s.content_hash, s.cwd, s.start_time
          FROM agentic_enrichment_queue AS q JOIN agentic_sessions AS s ON s.id = q.session_id
         WHERE :queue = 'agentic' AND q.status = 'pending' AND s.probe_tag IS NULL
           AND s.harness = :harness                          -- @if harness
         ORDER BY q.priority, q.id LIMIT 1000)
SELECT 'agentic', id, :token, :worker, :now, session_id, content_hash,
       row_number() OVER (ORDER BY priority, first_start, cwd, start_time, id)
  FROM (SELECT q.id, q.session_id, q.priority, first.content_hash, first.cwd, first.start_time, same.first_start
          FROM first CROSS JOIN agentic_enrichment_queue AS q   -- in this order: q has all that wait
          JOIN (SELECT cwd, MIN(start_time) AS first_start FROM first GROUP BY cwd) AS same   -- what was done in one place stays together
            ON same.cwd = first.cwd
         WHERE q.id = first.id AND q.status = 'pending'
         ORDER BY q.priority, same.first_start, first.cwd, first.start_time, q.id LIMIT :limit
           FOR UPDATE OF q SKIP LOCKED                       -- @for postgres
       ) AS picked;
INSERT INTO stele_claims (queue, ticket, token, worker, claimed_at, source_id, content_hash, position)
SELECT 'browser', id, :token, :worker, :now, browser_event_id, content_hash,
       row_number() OVER (ORDER BY priority, created_at, id)
  FROM (SELECT q.id, q.browser_event_id, q.priority, q.created_at, s.content_hash
          FROM browser_enrichment_queue AS q JOIN browser_events AS s ON s.id = q.browser_event_id
         WHERE :queue = 'browser' AND q.status = 'pending' AND s.probe_tag IS NULL AND s.timestamp <= :settled
         ORDER BY q.priority, q.created_at, q.id LIMIT :limit
           FOR UPDATE OF q SKIP LOCKED                       -- @for postgres
       ) AS picked;
INSERT INTO stele_claims (queue, ticket, token, worker, claimed_at, source_id, position)
  WITH first AS                              -- the thousand that come first: what a claim costs does not grow with the others
       (SELECT q.id, s.session_id, s.timestamp
          FROM enrichment_queue AS q JOIN events AS s ON s.id = q.event_id
         WHERE :queue = 'shell' AND q.status = 'pending' AND s.probe_tag IS NULL
           AND s.session_id NOT IN (SELECT newer.session_id FROM events AS newer CROSS JOIN enrichment_queue AS waits   -- in this order: there are few
                                     WHERE newer.timestamp > :settled AND newer.probe_tag IS NULL
                                       AND waits.event_id = newer.id AND waits.status = 'pending')
         ORDER BY q.priority, q.id LIMIT 1000)
SELECT 'shell', id, :token, :worker, :now, event_id,
       row_number() OVER (ORDER BY priority, oldest, session_id, timestamp, id)
  FROM (SELECT q.id, q.event_id, q.priority, first.session_id, first.timestamp, waiting.oldest
          FROM first CROSS JOIN enrichment_queue AS q   -- in this order: q has all that wait
          JOIN (SELECT session_id, MIN(timestamp) AS oldest FROM first GROUP BY session_id) AS waiting
            ON waiting.session_id = first.session_id
         WHERE q.id = first.id AND q.status = 'pending'
         ORDER BY q.priority, waiting.oldest, first.session_id, first.timestamp, q.id LIMIT :limit
           FOR UPDATE OF q SKIP LOCKED                       -- @for postgres
       ) AS picked;
INSERT INTO stele_claims (queue, ticket, token, worker, claimed_at, source_id, position)
SELECT 'workflow', run_id, :token, :worker, :now, run_id, row_number() OVER (ORDER BY priority, enqueued_at, run_id)
  FROM (SELECT q.run_id, q.priority, q.enqueued_at FROM workflow_enrichment_queue AS q
         WHERE :queue = 'workflow' AND q.status = 'pending'
         ORDER BY q.priority, q.enqueued_at, q.run_id LIMIT :limit
           FOR UPDATE OF q SKIP LOCKED                       -- @for postgres
       ) AS picked;
UPDATE agentic_enrichment_queue SET status = 'processing', locked_at = :now, locked_by = :worker, updated_at = :now
 WHERE id IN (SELECT ticket FROM stele_claims WHERE queue = 'agentic' AND token = :token);
UPDATE browser_enrichment_queue SET status = 'processing', locked_at = :now, locked_by = :worker, updated_at = :now
 WHERE id IN (SELECT ticket FROM stele_claims WHERE queue = 'browser' AND token = :token);
UPDATE enrichment_queue SET status = 'processing', locked_at = :now, locked_by = :worker, updated_at = :now
 WHERE id IN (SELECT ticket FROM stele_claims WHERE queue = 'shell' AND token = :token);
UPDATE workflow_enrichment_queue SET status = 'processing', locked_at = :now, locked_by = :worker, updated_at = :now
 WHERE run_id IN (SELECT ticket FROM stele_claims WHERE queue = 'workflow' AND token = :token);

-- @method capture.list_taken_tickets  many  read  private
-- The tickets of a token, as claim replies them.
-- @param  queue         text   which queue
-- @param  token         text   the token
-- @result id            int    the ticket
-- @result source_id     int    what it stands for
-- @result content_hash  text?  what that was when it was claimed
-- @result token         text   the token
-- @feature claims
SELECT ticket AS id, source_id, content_hash, token FROM stele_claims WHERE queue = :queue AND token = :token ORDER BY position;

-- @method capture.read_claim  one  read  private
-- The newest claim of a ticket, or that of a token.
-- @param  queue         text            which queue
-- @param  id            int             the ticket
-- @param  token         text optional   the token
-- @result worker        text            who claimed it,
-- @result claimed_at    time            and when
-- @result content_hash  text?           what the source was then
-- @feature claims
SELECT worker, claimed_at, content_hash FROM stele_claims
 WHERE queue = :queue AND ticket = :id
   AND token = :token                                        -- @if token
 ORDER BY claimed_at DESC LIMIT 1;

-- @method capture.settle_ticket  none  write  private
-- Take a ticket out of its worker's hands. It changes nothing if the lock is not this one.
-- @param  queue         text    which queue
-- @param  id            int     the ticket
-- @param  locked_at     time?   the lock,
-- @param  locked_by     text?   and whose it is
-- @param  status        text    where it stands from now on
-- @param  retry_count   int     how often it failed
-- @param  error         text?   why it failed or was skipped
-- @param  now           time    at this time
-- @result settled       int changed   0 or 1
UPDATE agentic_enrichment_queue
   SET status = :status, retry_count = :retry_count, error_message = :error, locked_at = NULL, locked_by = NULL, updated_at = :now
 WHERE :queue = 'agentic' AND id = :id AND status = 'processing'
   AND COALESCE(locked_at, 0) = COALESCE(:locked_at, 0) AND COALESCE(locked_by, '') = COALESCE(:locked_by, '');
UPDATE browser_enrichment_queue
   SET status = :status, retry_count = :retry_count, error_message = :error, locked_at = NULL, locked_by = NULL, updated_at = :now
 WHERE :queue = 'browser' AND id = :id AND status = 'processing'
   AND COALESCE(locked_at, 0) = COALESCE(:locked_at, 0) AND COALESCE(locked_by, '') = COALESCE(:locked_by, '');
UPDATE enrichment_queue
   SET status = :status, retry_count = :retry_count, error_message = :error, locked_at = NULL, locked_by = NULL, updated_at = :now
 WHERE :queue = 'shell' AND id = :id AND status = 'processing'
   AND COALESCE(locked_at, 0) = COALESCE(:locked_at, 0) AND COALESCE(locked_by, '') = COALESCE(:locked_by, '');
UPDATE workflow_enrichment_queue
   SET status = :status, retry_count = :retry_count, error_message = :error, locked_at = NULL, locked_by = NULL, updated_at = :now
 WHERE :queue = 'workflow' AND run_id = :id AND status = 'processing'
   AND COALESCE(locked_at, 0) = COALESCE(:locked_at, 0) AND COALESCE(locked_by, '') = COALESCE(:locked_by, '');

-- @method capture.drop_claims  none  write  private
-- Whatever tokens a ticket was claimed with, they are worth nothing from now on.
-- @param  queue  text   which queue
-- @param  id     int    the ticket
-- @feature claims
DELETE FROM stele_claims WHERE queue = :queue AND ticket = :id;

-- @method capture.mark_enriched  none  write  private
-- What a ticket stands for was looked at.
-- @param  queue      text   which queue
-- @param  source_id  int    what it stands for
UPDATE agentic_sessions SET enriched = TRUE WHERE :queue = 'agentic' AND id = :source_id;
UPDATE browser_events SET enriched = TRUE WHERE :queue = 'browser' AND id = :source_id;
UPDATE events SET enriched = TRUE WHERE :queue = 'shell' AND id = :source_id;
UPDATE workflow_runs SET enriched = TRUE WHERE :queue = 'workflow' AND id = :source_id;

-- @method capture.close_segment  none  write  private
-- A segment is not to be learned from again while it is what it was when it was claimed.
-- @param  source_id     int   the segment
-- @param  content_hash  text  what it was
UPDATE agentic_sessions SET last_enriched_content_hash = :content_hash
 WHERE id = :source_id AND content_hash = :content_hash;
