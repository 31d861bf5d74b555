-- Sessions: one per conversation, with a rolling summary.

-- @method planner.get_session  one  read
-- A session, or null.
-- @param  session      text    which
-- @result session      text    its id
-- @result connector    text?   the connector that created it
-- @result webhook      text?   where messages for it are delivered
-- @result description  text?   a label for people
-- @result summary      text?   what was said so far, in short
-- @result created_at   time?   when it was created
-- @result updated_at   time?   when something last happened in it
SELECT session, connector, webhook, description, summary, created_at, updated_at
  FROM sessions WHERE session = :session;

-- @method planner.create_session  one  write
-- Create a session, and reply with it. One that exists already stays as it is: the first wins.
-- @param  session      text           which
-- @param  connector    text? = null   the connector that creates it
-- @param  webhook      text? = null   where messages for it are delivered
-- @param  description  text? = null   a label for people
-- @param  now          time = now     when
-- @result session      text    its id
-- @result connector    text?   the connector that created it
-- @result webhook      text?   where messages for it are delivered
-- @result description  text?   a label for people
-- @result summary      text?   what was said so far, in short
-- @result created_at   time?   when it was created
-- @result updated_at   time?   when something last happened in it
INSERT INTO sessions (session, connector, webhook, description, created_at, updated_at)
VALUES (:session, :connector, :webhook, :description, :now, :now)
ON CONFLICT (session) DO NOTHING;
SELECT session, connector, webhook, description, summary, created_at, updated_at
  FROM sessions WHERE session = :session;

-- @method planner.upsert_session  one  write
-- Create a session, or change what is named of one that exists, and reply with it. What is not named stays;
-- null erases.
-- @param  session      text             which
-- @param  connector    text? optional   the connector that speaks for it
-- @param  webhook      text? optional   where messages for it are delivered
-- @param  description  text? optional   a label for people
-- @param  now          time = now       when
-- @result session      text    its id
-- @result connector    text?   the connector
-- @result webhook      text?   where messages for it are delivered
-- @result description  text?   a label for people
-- @result summary      text?   what was said so far, in short
-- @result created_at   time?   when it was created
-- @result updated_at   time?   when something last happened in it
-- @result created      int changed 1   1 if there was none before, else 0
INSERT INTO sessions (session, connector, webhook, description, created_at, updated_at)
VALUES (:session, :connector, :webhook, :description, :now, :now)
ON CONFLICT (session) DO NOTHING;
UPDATE sessions
   SET updated_at = :now
     , connector = :connector                                -- @if connector
     , webhook = :webhook                                    -- @if webhook
     , description = :description                            -- @if description
 WHERE session = :session;
SELECT session, connector, webhook, description, summary, created_at, updated_at
  FROM sessions WHERE session = :session;

-- @method planner.get_all_sessions  many  read
-- All sessions, the last active first.
-- @param  limit        int = -1       at most this many; negative: all
-- @param  offset       int(0..) = 0   after leaving out this many
-- @http GET /v1/planner-sessions
-- @result session      text    its id
-- @result connector    text?   the connector that created it
-- @result webhook      text?   where messages for it are delivered
-- @result description  text?   a label for people
-- @result summary      text?   what was said so far, in short
-- @result created_at   time?   when it was created
-- @result updated_at   time?   when something last happened in it
SELECT session, connector, webhook, description, summary, created_at, updated_at
  FROM sessions
 ORDER BY updated_at DESC NULLS LAST, session
 LIMIT :limit                                                -- @for sqlite
 LIMIT CASE WHEN :limit < 0 THEN NULL ELSE :limit END        -- @for postgres
OFFSET :offset;

-- @method planner.get_sessions_for_user  many  read
-- The sessions in which a user has said something, the last active first.
-- @param  user         text                    who
-- @param  limit        int = -1       at most this many; negative: all
-- @param  offset       int(0..) = 0   after leaving out this many
-- @result session      text    its id
-- @result connector    text?   the connector that created it
-- @result webhook      text?   where messages for it are delivered
-- @result description  text?   a label for people
-- @result summary      text?   what was said so far, in short
-- @result created_at   time?   when it was created
-- @result updated_at   time?   when something last happened in it
SELECT session, connector, webhook, description, summary, created_at, updated_at
  FROM sessions
 WHERE session IN (SELECT m.session FROM messages AS m WHERE m."user" = :user)
 ORDER BY updated_at DESC NULLS LAST, session
 LIMIT :limit                                                -- @for sqlite
 LIMIT CASE WHEN :limit < 0 THEN NULL ELSE :limit END        -- @for postgres
OFFSET :offset;

-- @method planner.update_summary  none  write
-- Replace the summary of a session.
-- @param  session  text         which
-- @param  summary  text         what was said so far, in short
-- @param  now      time = now   when
-- @else NOTFOUND session
UPDATE sessions SET summary = :summary, updated_at = :now WHERE session = :session;
