-- Intentions: what the user said they would do, and when to ask about it.

-- @method assistant.create_intention  one  write
-- Keep what the user said they would do. What is there under the same id stays as it is.
-- @param  id                 text = new           the intention's id
-- @param  text               text                 what they said
-- @param  mentioned_at       time = now           when they said it
-- @param  follow_up_days     int(0..36500) = 3    ask after this many days
-- @param  follow_up_at       time? = null         when to ask; null: follow_up_days after it was mentioned
-- @param  status             text(pending|snoozed|resolved|dismissed) = "pending"   where it stands
-- @param  last_follow_up_at  time? = null         when they were last asked
-- @param  created_at         time = now           when it was kept
-- @result id                 text                 the intention's id
INSERT INTO pending_intentions (id, text, mentioned_at, follow_up_days, follow_up_at, status, last_follow_up_at, created_at)
VALUES (:id, :text, :mentioned_at, :follow_up_days,
-- @for sqlite
        COALESCE(:follow_up_at, strftime('%Y-%m-%dT%H:%M:%S', substr(:mentioned_at, 1, 19), '+' || :follow_up_days || ' days')
                                || substr(:mentioned_at, 20)),
-- @for postgres
        COALESCE(:follow_up_at, :mentioned_at + :follow_up_days * INTERVAL '24 hours'),
-- @for both
        :status, :last_follow_up_at, :created_at)
ON CONFLICT (id) DO UPDATE SET id = excluded.id
RETURNING id;

-- @method assistant.list_intentions  many  read
-- Intentions, the newest first.
-- @param  status             text(pending|snoozed|resolved|dismissed) optional   only those that stand so
-- @http GET /v1/intentions
-- @result id                 text     the intention's id
-- @result text               text     what the user said
-- @result mentioned_at       time     when they said it
-- @result follow_up_days     int      ask after this many days
-- @result follow_up_at       time     when to ask next
-- @result status             text     pending, snoozed, resolved or dismissed
-- @result last_follow_up_at  time?    when they were last asked
-- @result created_at         time     when it was kept
SELECT id, text, mentioned_at, follow_up_days, follow_up_at, status, last_follow_up_at, created_at
  FROM pending_intentions
 WHERE status = :status                                      -- @if status
 ORDER BY created_at DESC, id;

-- @method assistant.get_due_intentions  many  read
-- Intentions that are pending or snoozed and to be asked about, those that have waited longest first.
-- @param  now  time = now   at this time
-- @results assistant.list_intentions
SELECT id, text, mentioned_at, follow_up_days, follow_up_at, status, last_follow_up_at, created_at
  FROM pending_intentions
 WHERE status IN ('pending', 'snoozed') AND follow_up_at <= :now
 ORDER BY follow_up_at, id;

-- @method assistant.update_intention  none  write
-- Write what is named of an intention; the rest stays.
-- @param  id                 text                       which intention
-- @param  text               text optional              what the user said
-- @param  follow_up_days     int(0..36500) optional     ask after this many days
-- @param  follow_up_at       time optional              when to ask next
-- @param  status             text(pending|snoozed|resolved|dismissed) optional   where it stands
-- @param  last_follow_up_at  time? optional             when they were last asked
-- @result updated            int changed                1, or 0 if there is none of that id
UPDATE pending_intentions
   SET id = id
     , text = :text                                          -- @if text
     , follow_up_days = :follow_up_days                      -- @if follow_up_days
     , follow_up_at = :follow_up_at                          -- @if follow_up_at
     , status = :status                                      -- @if status
     , last_follow_up_at = :last_follow_up_at                -- @if last_follow_up_at
 WHERE id = :id;

-- @method assistant.count_followups_today  one  read
-- How many intentions the user was last asked about today.
-- @param  timezone   timezone = "UTC"   where the day begins and ends
-- @param  now        time = now         at this time
-- @result followups  int                how many
-- @native st_assistant_count_followups_today

-- @method assistant.count_followups_between  one  read  private
-- How many intentions were last asked about in a stretch of time.
-- @param  since      time   from this time
-- @param  until      time   up to, but not including, this one
-- @result followups  int    how many
SELECT COUNT(*) AS followups FROM pending_intentions WHERE last_follow_up_at >= :since AND last_follow_up_at < :until;
