-- Approvals: actions that wait for the user's word. Whoever executes one claims it first; a second claim fails.

-- @method assistant.save_pending_action  one  write
-- Keep an action until the user has decided. An id that is there already is refused: what was decided stays so.
-- @param  id                     text = new            the action's id
-- @param  tool_name              text                  which tool is to run
-- @param  action_type            text                  what kind: task, note, email, database, plan, ...
-- @param  payload                jsontext              what the executor gets
-- @param  preview_text           text                  what the user is shown
-- @param  chat_id                text                  where the user is asked
-- @param  message_id             int? = null           the message that asks
-- @param  status                 text(pending|confirmed|cancelled|expired|failed) = "pending"   where it stands
-- @param  notified               bool = false          the user has been told that it expired
-- @param  edit_count             int(0..) = 0          how often it was edited
-- @param  original_user_message  text? = null          what the user had said
-- @param  trace_id               text? = null          the trace it belongs to
-- @param  created_at             time = now            when it was asked for
-- @param  expires_at             time? = null          until when it can be confirmed; null: for 30 minutes
-- @result id                     text                  the action's id
-- @else INVALID id
INSERT INTO pending_actions (id, tool_name, action_type, payload, preview_text, chat_id, message_id, status, notified,
                             edit_count, original_user_message, trace_id, created_at, expires_at)
VALUES (:id, :tool_name, :action_type, :payload, :preview_text, :chat_id, :message_id, :status, :notified,
        :edit_count, :original_user_message, :trace_id, :created_at,
-- @for sqlite
        COALESCE(:expires_at, strftime('%Y-%m-%dT%H:%M:%S', substr(:created_at, 1, 19), '+30 minutes') || substr(:created_at, 20)))
-- @for postgres
        COALESCE(:expires_at, :created_at + INTERVAL '30 minutes'))
-- @for both
ON CONFLICT (id) DO NOTHING
RETURNING id;

-- @method assistant.get_pending_action  one  read
-- An action, or null.
-- @param  id                     text         which
-- @result id                     text         the action's id
-- @result tool_name              text         which tool is to run
-- @result action_type            text         what kind
-- @result payload                jsontext     what the executor gets
-- @result preview_text           text         what the user is shown
-- @result chat_id                text         where the user is asked
-- @result message_id             int?         the message that asks
-- @result status                 text         pending, confirmed, cancelled, expired or failed
-- @result notified               bool         the user has been told that it expired
-- @result edit_count             int          how often it was edited
-- @result original_user_message  text?        what the user had said
-- @result trace_id               text?        the trace it belongs to
-- @result created_at             time         when it was asked for
-- @result expires_at             time         until when it can be confirmed
SELECT id, tool_name, action_type, payload, preview_text, chat_id, message_id, status, notified, edit_count,
       original_user_message, trace_id, created_at, expires_at
  FROM pending_actions WHERE id = :id;

-- @method assistant.get_pending_actions_for_chat  many  read
-- The actions of a chat in one status, the newest first.
-- @param  chat_id  text               which chat
-- @param  status   text = "pending"   which status
-- @results assistant.get_pending_action
SELECT id, tool_name, action_type, payload, preview_text, chat_id, message_id, status, notified, edit_count,
       original_user_message, trace_id, created_at, expires_at
  FROM pending_actions WHERE chat_id = :chat_id AND status = :status
 ORDER BY created_at DESC, id;

-- @method assistant.list_pending_actions  many  read
-- The actions in one status, of all chats, the newest first.
-- @param  status   text(pending|confirmed|cancelled|expired|failed) = "pending"   which status
-- @param  since    time optional      only those that were asked for at this time or later
-- @param  limit    int(1..1000) = 100   at most this many
-- @results assistant.get_pending_action
SELECT id, tool_name, action_type, payload, preview_text, chat_id, message_id, status, notified, edit_count,
       original_user_message, trace_id, created_at, expires_at
  FROM pending_actions WHERE status = :status
   AND created_at >= :since                                  -- @if since
 ORDER BY created_at DESC, id
 LIMIT :limit;

-- @method assistant.list_expired_pending_actions  many  read
-- Actions that are pending and can no longer be confirmed, those that expired first at the top.
-- @param  now  time = now   at this time
-- @results assistant.get_pending_action
SELECT id, tool_name, action_type, payload, preview_text, chat_id, message_id, status, notified, edit_count,
       original_user_message, trace_id, created_at, expires_at
  FROM pending_actions WHERE status = 'pending' AND expires_at <= :now
 ORDER BY expires_at, id;

-- @method assistant.expire_pending_actions  many  write
-- Mark as expired what can no longer be confirmed. The reply is every expired action whose user has not been told,
-- so that one that was marked before a crash is told after it; note it by update_pending_action with notified.
-- @param  now  time = now   at this time
-- @results assistant.get_pending_action
UPDATE pending_actions SET status = 'expired' WHERE status = 'pending' AND expires_at <= :now;
SELECT id, tool_name, action_type, payload, preview_text, chat_id, message_id, status, notified, edit_count,
       original_user_message, trace_id, created_at, expires_at
  FROM pending_actions WHERE status = 'expired' AND NOT notified
 ORDER BY expires_at, id;

-- @method assistant.update_pending_action  none  write
-- Write what is named of an action, whatever its status; the rest stays. To decide an action, use claim_, cancel_ or
-- fail_pending_action instead, which check. What it was asked for (tool, kind, chat, time) cannot be changed.
-- @param  id                     text              which action
-- @param  payload                jsontext optional what the executor gets
-- @param  preview_text           text optional     what the user is shown
-- @param  message_id             int? optional     the message that asks
-- @param  status                 text(pending|confirmed|cancelled|expired|failed) optional   where it stands
-- @param  notified               bool optional     the user has been told that it expired
-- @param  edit_count             int(0..) optional how often it was edited
-- @param  original_user_message  text? optional    what the user had said
-- @param  trace_id               text? optional    the trace it belongs to
-- @param  expires_at             time optional     until when it can be confirmed
-- @result updated                int changed       1, or 0 if there is none of that id
UPDATE pending_actions
   SET id = id
     , payload = :payload                                    -- @if payload
     , preview_text = :preview_text                          -- @if preview_text
     , message_id = :message_id                              -- @if message_id
     , status = :status                                      -- @if status
     , notified = :notified                                  -- @if notified
     , edit_count = :edit_count                              -- @if edit_count
     , original_user_message = :original_user_message        -- @if original_user_message
     , trace_id = :trace_id                                  -- @if trace_id
     , expires_at = :expires_at                              -- @if expires_at
 WHERE id = :id;

-- @method assistant.claim_pending_action  one  write
-- Confirm an action that is pending and has not expired, and reply with it: execute it now. Of several claims one
-- succeeds. The others fail, NOTFOUND or INVALID, the field saying why: status (it is confirmed, cancelled, expired or
-- failed already) or expires_at (its time is over).
-- @param  id   text         which action
-- @param  now  time = now   at this time
-- @results assistant.get_pending_action
-- @native st_assistant_claim_pending_action

-- @method assistant.cancel_pending_action  one  write
-- Cancel an action that is pending, and reply with it. Fails as claim_pending_action does.
-- @param  id   text   which action
-- @results assistant.get_pending_action
-- @native st_assistant_cancel_pending_action

-- @method assistant.fail_pending_action  one  write
-- Note that a confirmed action could not be executed, and reply with it. Fails as claim_pending_action does.
-- @param  id   text   which action
-- @results assistant.get_pending_action
-- @native st_assistant_fail_pending_action

-- @method assistant.edit_pending_action  one  write
-- Change an action that is pending and has not expired, count the edit, and reply with it. Fails as
-- claim_pending_action does.
-- @param  id            text               which action
-- @param  now           time = now         at this time
-- @param  payload       jsontext optional  what the executor gets from now on
-- @param  preview_text  text optional      what the user is shown from now on
-- @param  expires_at    time optional      until when it can be confirmed
-- @results assistant.get_pending_action
-- @native st_assistant_edit_pending_action

-- @method assistant.move_pending_action  one  write  private
-- Give an action another status, if it has a certain one and, where a time is named, has not expired.
-- @param  id      text            which action
-- @param  now     time optional   only one that can be confirmed at this time
-- @param  was     text            the status it has
-- @param  status  text            the status it gets
-- @results assistant.get_pending_action
UPDATE pending_actions SET status = :status
 WHERE id = :id AND status = :was
   AND expires_at > :now                                     -- @if now
RETURNING id, tool_name, action_type, payload, preview_text, chat_id, message_id, status, notified, edit_count,
          original_user_message, trace_id, created_at, expires_at;

-- @method assistant.write_pending_edit  one  write  private
-- Write an edit of an action that is pending and has not expired.
-- @param  id            text               which action
-- @param  now           time               at this time
-- @param  payload       jsontext optional  what the executor gets from now on
-- @param  preview_text  text optional      what the user is shown from now on
-- @param  expires_at    time optional      until when it can be confirmed
-- @results assistant.get_pending_action
UPDATE pending_actions
   SET edit_count = edit_count + 1
     , payload = :payload                                    -- @if payload
     , preview_text = :preview_text                          -- @if preview_text
     , expires_at = :expires_at                              -- @if expires_at
 WHERE id = :id AND status = 'pending' AND expires_at > :now
RETURNING id, tool_name, action_type, payload, preview_text, chat_id, message_id, status, notified, edit_count,
          original_user_message, trace_id, created_at, expires_at;

-- @method assistant.delete_old_pending_actions  none  write
-- Delete actions that are decided (confirmed, cancelled, expired or failed) and older than some days. Those that are
-- pending stay.
-- @param  days     int(0..36500) = 7   older than this
-- @param  now      time = now          at this time
-- @result deleted  int changed         how many
DELETE FROM pending_actions
 WHERE status IN ('confirmed', 'cancelled', 'expired', 'failed')
   AND created_at < strftime('%Y-%m-%dT%H:%M:%S', substr(:now, 1, 19), '-' || :days || ' days') || substr(:now, 20) -- @for sqlite
   AND created_at < :now - :days * INTERVAL '24 hours'       -- @for postgres
   AND NOT EXISTS (SELECT 1 FROM stele_held_pending_action AS h WHERE h.id = pending_actions.id)               -- @has holds
;
