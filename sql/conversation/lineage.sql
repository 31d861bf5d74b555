-- Lineage: sessions that came from others.
--
-- What a child is, its parent's end tells: a child that started when its parent had ended with
-- "compression" continues it; with "branched" it is a branch; any other is a subagent.

-- @method conversation.resolve_session_id  one  read
-- The session with this id, or the only one whose id begins with it, whatever the case of ASCII
-- letters; null if there is none, or more than one. A session whose id is that of its parent and more (PARENT:agent-1)
-- does not count beside its parent.
-- @param  session_id  text   an id or its beginning
-- @result session_id  text   the whole id
-- @feature session_names
SELECT id AS session_id FROM sessions WHERE id = :session_id
UNION ALL
SELECT MIN(id)
  FROM sessions
 WHERE lower(id) >= lower(:session_id) AND lower(id) < lower(:session_id) || char(1114111)                               -- @for sqlite
 WHERE lower(id) >= lower(:session_id COLLATE "C") AND lower(id) < lower(:session_id COLLATE "C") || chr(1114111)        -- @for postgres
   AND NOT EXISTS (SELECT 1 FROM sessions WHERE id = :session_id)
   AND NOT EXISTS (SELECT 1 FROM sessions AS p
                    WHERE p.id = sessions.parent_session_id AND length(:session_id) <= length(p.id)
                      AND substr(sessions.id, 1, length(p.id) + 1) = p.id || ':')
HAVING COUNT(*) = 1;

-- @method conversation.get_compression_tip  one  read
-- The session that continues this one after all its compressions: of several continuations the one
-- that started last, and so on, at most 100 times. An unknown or uncompressed session is its own tip.
-- @param  session_id  text   which session
-- @result session_id  text   the tip
WITH RECURSIVE chain (id, step) AS (
  SELECT id, 0 FROM sessions WHERE id = :session_id
  UNION ALL
  SELECT (SELECT k.id FROM sessions AS k
           WHERE k.parent_session_id = p.id AND k.started_at >= p.ended_at
           ORDER BY k.started_at DESC, k.id DESC LIMIT 1), c.step + 1
    FROM chain AS c JOIN sessions AS p ON p.id = c.id
   WHERE p.end_reason = 'compression' AND c.step < 100
)
SELECT COALESCE((SELECT id FROM chain WHERE id IS NOT NULL ORDER BY step DESC LIMIT 1),
                :session_id) AS session_id;

-- @method conversation.resolve_resume_session_id  one  read
-- The session to resume when this one is asked for: itself if it has messages, otherwise the first
-- with messages among its child that started last, that one's child, and so on, at most 32 times;
-- if none has any, itself.
-- @param  session_id  text   which session
-- @result session_id  text   the one to resume
WITH RECURSIVE walk (id, step) AS (
  SELECT id, 0 FROM sessions WHERE id = :session_id
  UNION ALL
  SELECT (SELECT k.id FROM sessions AS k
           WHERE k.parent_session_id = w.id ORDER BY k.started_at DESC, k.id DESC LIMIT 1), w.step + 1
    FROM walk AS w
   WHERE w.id IS NOT NULL AND w.step < 32
     AND NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = w.id)
)
SELECT COALESCE((SELECT w.id FROM walk AS w
                  WHERE EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = w.id)
                  ORDER BY w.step LIMIT 1), :session_id) AS session_id;

-- @method conversation.get_lineage  many  read
-- A session and the sessions it came from, up to the first.
-- @param  session_id         text    which session
-- @http GET /v1/sessions/{session_id}/lineage
-- @result id                 text    a session
-- @result title              text?   its title
-- @result started_at         time    when it started
-- @result parent_session_id  text?   the session it came from
-- @result end_reason         text?   why it ended
-- @result message_count      int?    messages counted
-- @result depth              int     0 for the session itself, 1 for its parent, and so on
-- @result kind               text    root, continuation, branch or subagent
WITH RECURSIVE up (id, parent_session_id, depth) AS (
  SELECT id, parent_session_id, 0 FROM sessions WHERE id = :session_id
  UNION ALL
  SELECT s.id, s.parent_session_id, u.depth + 1
    FROM up AS u JOIN sessions AS s ON s.id = u.parent_session_id
   WHERE u.depth < 10000
)
SELECT s.id, s.title, s.started_at, s.parent_session_id, s.end_reason, s.message_count, l.depth,
       CASE WHEN p.id IS NULL THEN 'root'
            WHEN p.end_reason = 'compression' AND s.started_at >= p.ended_at THEN 'continuation'
            WHEN p.end_reason = 'branched' AND s.started_at >= p.ended_at THEN 'branch'
            ELSE 'subagent' END AS kind
  -- Above a loop of parents, which only a damaged file can have, everybody is met again and again.
  FROM (SELECT id, MIN(depth) AS depth FROM up GROUP BY id) AS l
  JOIN sessions AS s ON s.id = l.id
  LEFT JOIN sessions AS p ON p.id = s.parent_session_id
 ORDER BY l.depth;

-- @method conversation.get_descendants  many  read
-- A session and all that came from it, level by level.
-- @param  session_id         text    which session
-- @result id                 text    a session
-- @result title              text?   its title
-- @result started_at         time    when it started
-- @result parent_session_id  text?   the session it came from
-- @result end_reason         text?   why it ended
-- @result message_count      int?    messages counted
-- @result depth              int     0 for the session itself, 1 for its children, and so on
-- @result kind               text    root, continuation, branch or subagent
WITH RECURSIVE down (id, depth) AS (
  SELECT id, 0 FROM sessions WHERE id = :session_id
  UNION ALL
  -- A loop of parents can only be entered where it began.
  SELECT s.id, d.depth + 1
    FROM down AS d JOIN sessions AS s ON s.parent_session_id = d.id
   WHERE s.id <> :session_id
)
SELECT s.id, s.title, s.started_at, s.parent_session_id, s.end_reason, s.message_count, d.depth,
       CASE WHEN p.id IS NULL THEN 'root'
            WHEN p.end_reason = 'compression' AND s.started_at >= p.ended_at THEN 'continuation'
            WHEN p.end_reason = 'branched' AND s.started_at >= p.ended_at THEN 'branch'
            ELSE 'subagent' END AS kind
  FROM down AS d
  CROSS JOIN sessions AS s -- in this order: SQLite cannot know how few there are below
  LEFT JOIN sessions AS p ON p.id = s.parent_session_id
 WHERE s.id = d.id
 ORDER BY d.depth, s.started_at, s.id;
