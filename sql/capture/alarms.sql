-- Alarms: promises of capturing that were broken. The ledger keeps them all; an alarm is active until somebody acknowledges it,
-- or until the watchdog has found nothing wrong twice in a row.

-- @method capture.list_alarms  many  read
-- Alarms that nobody has acknowledged: the active ones, the oldest first; then those that were resolved.
-- @param  state         text(open|active|resolved|acked) = "open"   open: whatever is not acknowledged
-- @param  invariant_id  text optional        only of this promise
-- @param  source        text optional        only of this way in
-- @param  limit         int(1..1000) = 100   at most this many
-- @result id            int    the alarm
-- @result state         text   active, resolved or acked
-- @result invariant_id  text   which promise: I-1, ...
-- @result source        text?  which way in
-- @result since_ms      time?  since when it is broken
-- @result details       text?  in which way
-- @result raised_at     time   when that was noticed
-- @result clean_ticks   int    how often in a row the watchdog has found nothing wrong since
-- @result resolved_at   time?  when that was often enough
-- @result acked_at      time?  when somebody acknowledged it,
-- @result ack_note      text?  and what was said
SELECT id, state, invariant_id, source, since_ms, details, raised_at, clean_ticks, resolved_at, acked_at, ack_note
  FROM (SELECT id, invariant_id, raised_at, clean_ticks, resolved_at, acked_at, ack_note,
               CASE WHEN acked_at IS NOT NULL THEN 'acked' WHEN resolved_at IS NOT NULL THEN 'resolved' ELSE 'active' END AS state,
               CASE WHEN json_valid(details_json) THEN CAST(json_extract(details_json, '$.source') AS TEXT) END AS source,          -- @for sqlite
               CASE WHEN json_valid(details_json) THEN CAST(json_extract(details_json, '$.since_ms') AS INTEGER) END AS since_ms,   -- @for sqlite
               COALESCE(CASE WHEN json_valid(details_json) THEN CAST(json_extract(details_json, '$.details') AS TEXT) END,          -- @for sqlite
               CASE WHEN details_json LIKE '{%' THEN CAST(details_json AS JSON) ->> 'source' END AS source,                         -- @for postgres
               CASE WHEN details_json LIKE '{%' THEN CAST(CAST(details_json AS JSON) ->> 'since_ms' AS BIGINT) END AS since_ms,     -- @for postgres
               COALESCE(CASE WHEN details_json LIKE '{%' THEN CAST(details_json AS JSON) ->> 'details' END,                         -- @for postgres
                        details_json) AS details
          FROM capture_alarms) AS ledger
 WHERE (state = :state OR :state = 'open' AND state <> 'acked')
   AND invariant_id = :invariant_id                          -- @if invariant_id
   AND source = :source                                      -- @if source
 ORDER BY state, CASE WHEN state = 'active' THEN raised_at ELSE -raised_at END, id LIMIT :limit;

-- @method capture.ack_alarm  one  write
-- Acknowledge an alarm. One that is acknowledged already stays as it is.
-- @param  id        int            which
-- @param  note      text? = null   why it needs no more attention
-- @param  now       time = now     when
-- @result id        int            the alarm
-- @result acked_at  time           when it was first acknowledged,
-- @result ack_note  text?          and what was said then
-- @else NOTFOUND id
UPDATE capture_alarms
   SET ack_note = CASE WHEN acked_at IS NULL THEN :note ELSE ack_note END, acked_at = COALESCE(acked_at, :now)
 WHERE id = :id
RETURNING id, acked_at, ack_note;

-- @method capture.prune_alarms  none  write
-- Acknowledge what was resolved. Nothing is deleted.
-- @param  now     time = now    when
-- @result acked   int changed   how many there were
UPDATE capture_alarms SET acked_at = :now, ack_note = 'auto-resolved' WHERE resolved_at IS NOT NULL AND acked_at IS NULL;

-- @method capture.count_alarms  one  read
-- How many alarms there are that nobody has acknowledged.
-- @result active    int   those that still hold,
-- @result resolved  int   and those that do not any more
SELECT COUNT(CASE WHEN resolved_at IS NULL THEN 1 END) AS active, COUNT(resolved_at) AS resolved
  FROM capture_alarms WHERE acked_at IS NULL;

-- @method capture.list_standing_alarms  many  read  private
-- Alarms that are not resolved: all that nobody has acknowledged, and the newer of the others.
-- @param  raised_after  time   of those that were acknowledged, only what was raised later than this
-- @result id            int    the alarm
-- @result invariant_id  text   which promise
-- @result source        text?  which way in
-- @result raised_at     time   when
-- @result clean_ticks   int    how often in a row nothing was wrong
SELECT id, invariant_id,
       CASE WHEN json_valid(details_json) THEN CAST(json_extract(details_json, '$.source') AS TEXT) END AS source,   -- @for sqlite
       CASE WHEN details_json LIKE '{%' THEN CAST(details_json AS JSON) ->> 'source' END AS source,                  -- @for postgres
       raised_at, clean_ticks
  FROM capture_alarms
 WHERE resolved_at IS NULL AND (acked_at IS NULL OR raised_at > :raised_after)
 ORDER BY id;

-- @method capture.tick_alarm  none  write  private
-- Note how an alarm fares.
-- @param  id           int    the alarm
-- @param  clean_ticks  int    how often in a row nothing was wrong
-- @param  resolved_at  time?  when that was often enough
UPDATE capture_alarms SET clean_ticks = :clean_ticks, resolved_at = :resolved_at WHERE id = :id;

-- @method capture.raise_alarm  one  write  private
-- Write an alarm.
-- @param  invariant_id  text   which promise
-- @param  details_json  text   which way in, since when, in which way
-- @param  now           time   when it was noticed
-- @result id            int    the alarm
INSERT INTO capture_alarms (invariant_id, raised_at, details_json) VALUES (:invariant_id, :now, :details_json)
RETURNING id;
