-- Reminders: messages that go out at a set time.

-- @method assistant.create_reminder  one  write
-- Note what to remind of. One that is there under the same id stays as it is: the first wins.
-- @param  id          text = new                                      the reminder's id
-- @param  user_id     text                                            whom to remind
-- @param  chat_id     text                                            where to deliver it
-- @param  message     text                                            of what
-- @param  remind_at   time                                            when
-- @param  status      text(pending|sent|cancelled) = "pending"        what became of it
-- @param  channel     text = "telegram"                               telegram or whatsapp
-- @param  created_at  time = now                                      when it was noted
-- @result id          text                                            the reminder's id
INSERT INTO reminders (id, user_id, chat_id, message, remind_at, status, channel, created_at)
VALUES (:id, :user_id, :chat_id, :message, :remind_at, :status, :channel, :created_at)
ON CONFLICT (id) DO UPDATE SET id = excluded.id
RETURNING id;

-- @method assistant.list_reminders  many  read
-- All reminders, the newest first.
-- @param  user_id     text optional   only those of this user
-- @param  status      text optional   only those of this status
-- @param  limit       int = -1        at most this many; negative: all
-- @param  offset      int(0..) = 0    after leaving out this many
-- @http GET /v1/reminders
-- @result id          text   the reminder's id
-- @result user_id     text   whom to remind
-- @result chat_id     text   where to deliver it
-- @result message     text   of what
-- @result remind_at   time   when
-- @result status      text   pending, sent or cancelled
-- @result channel     text   telegram or whatsapp
-- @result created_at  time   when it was noted
SELECT id, user_id, chat_id, message, remind_at, status, channel, created_at FROM reminders
 WHERE TRUE
   AND user_id = :user_id                                    -- @if user_id
   AND status = :status                                      -- @if status
 ORDER BY created_at DESC, id
 LIMIT :limit                                                -- @for sqlite
 LIMIT CASE WHEN :limit < 0 THEN NULL ELSE :limit END        -- @for postgres
OFFSET :offset;

-- @method assistant.get_due_reminders  many  read
-- The reminders whose time has come and that were neither sent nor cancelled, the first due first. Mark one as
-- sent once it is delivered: then none is lost, and at worst one is delivered twice.
-- @param  now         time = now   what time it is
-- @results assistant.list_reminders
SELECT id, user_id, chat_id, message, remind_at, status, channel, created_at FROM reminders
 WHERE status = 'pending' AND remind_at <= :now ORDER BY remind_at, id;

-- @method assistant.update_reminder_status  none  write
-- Note what became of a reminder.
-- @param  id          text                            which reminder
-- @param  status      text(pending|sent|cancelled)    what became of it; pending: it is to be sent again
-- @result updated     int changed                     1, or 0 if there is no such reminder
UPDATE reminders SET status = :status WHERE id = :id;

-- @method assistant.cancel_reminder  none  write
-- Cancel a reminder that was not sent yet.
-- @param  id          text          which reminder
-- @result updated     int changed   1, or 0 if there is no such reminder, or it is no longer pending
UPDATE reminders SET status = 'cancelled' WHERE id = :id AND status = 'pending';
