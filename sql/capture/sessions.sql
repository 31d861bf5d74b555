-- Sessions of shells.

-- @method capture.start_session  one  write
-- The session of a terminal: the newest one it has, or a new one.
-- @param  terminal    text        the session's UUID, as the shell knows it
-- @param  shell       text        zsh, bash, fish, ...
-- @param  hostname    text        where it runs
-- @param  username    text = ""   whose it is
-- @param  start_time  time = now  when it began; one that is there keeps its own
-- @param  now         time = now  when this is written
-- @result id          int         the session's number
-- @native st_capture_start_session

-- @method capture.open_session  none  write  private
-- Make a session if its terminal has none.
-- @param  terminal    text           the session's UUID, as the shell knows it
-- @param  shell       text           zsh, bash, fish, ...
-- @param  hostname    text           where it runs
-- @param  username    text           whose it is
-- @param  start_time  time           when it began; one that is there keeps its own
-- @param  now         time           when this is written
INSERT INTO sessions (terminal, shell, hostname, username, start_time, created_at)
SELECT :terminal, :shell, :hostname, :username, :start_time, :now
 -- A terminal that writes is among the newest sessions: they are looked at first.
 WHERE (SELECT id FROM sessions WHERE terminal = :terminal ORDER BY id DESC LIMIT 1) IS NULL;

-- @method capture.find_session  one  read  private
-- The newest session of a terminal.
-- @param  terminal    text   which one
-- @result id          int    the session's number
SELECT id FROM sessions WHERE terminal = :terminal ORDER BY id DESC LIMIT 1;

-- @method capture.end_session  none  write
-- A shell has ended. What it sent before may still come in afterwards.
-- @param  id          int            which session
-- @param  end_time    time = now     when
-- @param  summary     text optional  what was done in it
-- @result updated     int changed    1, or 0 if there is no such session
UPDATE sessions SET end_time = :end_time
     , summary = :summary                                    -- @if summary
 WHERE id = :id;

-- @method capture.list_sessions  many  read
-- Sessions, the newest first, without those in which only probes ran.
-- @param  since       time optional       that began at this time or later
-- @param  limit       int(1..1000) = 50   at most this many
-- @result id          int                 the session's number
-- @result start_time  time                when it began
-- @result end_time    time?               when it ended
-- @result terminal    text?               its UUID, as the shell knows it
-- @result shell       text                zsh, bash, fish, ...
-- @result hostname    text                where it ran
-- @result username    text                whose it was
-- @result summary     text?               what was done in it
-- @result events      int                 how many commands ran in it
SELECT id, start_time, end_time, terminal, shell, hostname, username, summary,
       (SELECT COUNT(*) FROM events WHERE events.session_id = sessions.id AND events.probe_tag IS NULL) AS events
  FROM sessions
 WHERE (EXISTS (SELECT 1 FROM events WHERE events.session_id = sessions.id AND events.probe_tag IS NULL)
        OR NOT EXISTS (SELECT 1 FROM events WHERE events.session_id = sessions.id))
   AND start_time >= :since                                  -- @if since
 ORDER BY start_time DESC, id DESC LIMIT :limit;
