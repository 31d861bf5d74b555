-- Pending items: open questions and unresolved issues, for all sessions or for one.

-- @method planner.save_pending_item  one  write
-- Keep something that is open.
-- @param  content  text         what
-- @param  scope    text         "global", or a session
-- @param  source   text         who asks: curator, planner or reviewer
-- @param  now      time = now   when
-- @result id       int          its number
INSERT INTO pending (content, scope, source, status, created_at)
VALUES (:content, :scope, :source, 'open', :now)
RETURNING id;

-- @method planner.get_pending_items  many  read
-- What is open for a session: its own, and what is open for all.
-- @param  session     text                which session
-- @param  after       int = 0             only those numbered above this
-- @param  limit       int(1..) optional   at most this many
-- @http GET /v1/planner/pending/{session}
-- @result id          int     its number
-- @result content     text    what
-- @result scope       text    "global", or the session
-- @result source      text    who asks
-- @result status      text    open
-- @result created_at  time?   since when
SELECT id, content, scope, source, status, created_at
  FROM pending WHERE status = 'open' AND scope IN ('global', :session) AND id > :after
 ORDER BY id
 LIMIT :limit                                                -- @if limit
;

-- @method planner.resolve_pending  none  write
-- Note that something is no longer open.
-- @param  id  int   which
-- @else NOTFOUND id
UPDATE pending SET status = 'resolved' WHERE id = :id;
