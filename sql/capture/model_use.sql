-- Language models that learn: what they were asked, what it cost, and what is left of the hour's budget. docs/enrichment.md says how.

-- @method capture.model_use  many  read
-- What language models were asked when they learned, and what it cost: one row for each model, the most expensive first.
-- @param  since              time optional   only from then on, to within five minutes
-- @result model              text   the model
-- @result calls              int    requests that were sent,
-- @result failed             int    and those of them that came to nothing
-- @result prompt_tokens      int    tokens of what was asked,
-- @result completion_tokens  int    and of what was answered
-- @result cost               real   by the prices of then
-- @result first_at           time   when it was first asked,
-- @result last_at            time   and last, to within five minutes
SELECT model, CAST(SUM(calls) AS BIGINT) AS calls, CAST(SUM(failed) AS BIGINT) AS failed, CAST(SUM(prompt_tokens) AS BIGINT) AS prompt_tokens,
       CAST(SUM(completion_tokens) AS BIGINT) AS completion_tokens, CAST(SUM(cost) AS DOUBLE PRECISION) AS cost, MIN(slot) AS first_at, MAX(slot) AS last_at
  FROM stele_model_use                                                                                              -- @has model_use
  FROM (SELECT '' AS model, 0 AS slot, 0 AS calls, 0 AS failed, 0 AS prompt_tokens, 0 AS completion_tokens, 0.0 AS cost WHERE FALSE) AS none   -- @lacks model_use
 WHERE TRUE
   AND slot > :since - 300000                                -- @if since
 GROUP BY model ORDER BY SUM(cost) DESC, SUM(calls) DESC, model;

-- @method capture.read_hour_use  one  read  private
-- What all models were asked in an hour, and in the five minutes in which it began.
-- @param  now     time   the end of the hour
-- @result calls   int    requests
-- @result tokens  int    tokens of questions and answers
-- @feature model_use
SELECT CAST(COALESCE(SUM(calls), 0) AS BIGINT) AS calls, CAST(COALESCE(SUM(prompt_tokens + completion_tokens), 0) AS BIGINT) AS tokens
  FROM stele_model_use WHERE slot > :now - 3900000;

-- @method capture.count_model_use  none  write  private
-- Add to what a model was asked; what is put right is taken away.
-- @param  model              text   the model
-- @param  slot               time   the beginning of five minutes
-- @param  calls              int    so many more,
-- @param  failed             int    and so on
-- @param  prompt_tokens      int    likewise
-- @param  completion_tokens  int    likewise
-- @param  cost               real   likewise
-- @feature model_use
INSERT INTO stele_model_use (model, slot, calls, failed, prompt_tokens, completion_tokens, cost)
VALUES (:model, :slot, :calls, :failed, :prompt_tokens, :completion_tokens, :cost)
ON CONFLICT (model, slot) DO UPDATE
   SET calls = stele_model_use.calls + excluded.calls, failed = stele_model_use.failed + excluded.failed,
       prompt_tokens = stele_model_use.prompt_tokens + excluded.prompt_tokens,
       completion_tokens = stele_model_use.completion_tokens + excluded.completion_tokens, cost = stele_model_use.cost + excluded.cost;

-- @method capture.read_ticket_calls  one  read  private
-- How often a model was asked about the ticket of these that it was asked about most, as they are now; and how many are held.
-- @param  queue    text    which queue
-- @param  tickets  int[]   which of those that are held
-- @param  token    text    with this token,
-- @param  since    time    since then, or later
-- @result calls    int     so often
-- @result held     int     so many
-- @feature claims
-- @feature model_use
SELECT CAST(COALESCE(MAX(asked.calls), 0) AS BIGINT) AS calls, COUNT(*) AS held
  FROM stele_claims AS held
  LEFT JOIN stele_ticket_calls AS asked
    ON asked.queue = held.queue AND asked.ticket = held.ticket AND asked.content_hash = COALESCE(held.content_hash, '')
 WHERE held.queue = :queue AND held.token = :token AND held.claimed_at >= :since
   AND held.ticket IN :tickets;

-- @method capture.count_ticket_calls  none  write  private
-- A model is asked about these tickets once more; or, with -1, was not asked after all.
-- @param  queue    text    which queue
-- @param  tickets  int[]   which of those that are held
-- @param  token    text    with this token
-- @param  calls    int     how many more
-- @feature claims
-- @feature model_use
INSERT INTO stele_ticket_calls (queue, ticket, content_hash, calls)
SELECT queue, ticket, COALESCE(content_hash, ''), :calls FROM stele_claims
 WHERE queue = :queue AND token = :token AND ticket IN :tickets
ON CONFLICT (queue, ticket) DO UPDATE
   SET calls = CASE WHEN stele_ticket_calls.content_hash = excluded.content_hash THEN stele_ticket_calls.calls ELSE 0 END + excluded.calls,
       content_hash = excluded.content_hash;

-- @method capture.forget_ticket_calls  none  write  private
-- Tickets that are settled for good are not counted any more.
-- @param  queue    text    which queue
-- @param  tickets  int[]   which
-- @feature model_use
DELETE FROM stele_ticket_calls WHERE queue = :queue AND ticket IN :tickets;

-- @method capture.forget_failed_calls  none  write  private
-- Tickets that were given up, and wait again, are counted anew.
-- @param  queue   text           which queue
-- @param  ticket  int optional   only this one
-- @feature model_use
DELETE FROM stele_ticket_calls
 WHERE queue = :queue
   AND ticket = :ticket                                      -- @if ticket
   AND ticket IN (SELECT id FROM agentic_enrichment_queue WHERE :queue = 'agentic' AND status = 'failed'
                  UNION ALL SELECT id FROM browser_enrichment_queue WHERE :queue = 'browser' AND status = 'failed'
                  UNION ALL SELECT id FROM enrichment_queue WHERE :queue = 'shell' AND status = 'failed'
                  UNION ALL SELECT run_id FROM workflow_enrichment_queue WHERE :queue = 'workflow' AND status = 'failed');
