-- Learnings: what may become a fact, once a curator has judged it.

-- @method planner.save_learning  one  write
-- Keep what was learned, for a curator to judge. What is empty, or holds a secret (by the rules of redaction,
-- or 32 hexadecimal digits in a row), is not kept: its number is then 0, and the reply says why.
-- @param  content   text           what was learned
-- @param  session   text           where
-- @param  user      text? = null   with whom
-- @param  now       time = now     when
-- @result id        int            its number; 0: it was not kept
-- @result rejected  text?          why it was not kept: empty or secret
-- @native st_planner_save_learning

-- @method planner.insert_learning  one  write  private
-- Write what was learned.
-- @param  content  text    what
-- @param  session  text    where
-- @param  user     text?   with whom
-- @param  now      time    when
-- @result id       int     its number
INSERT INTO learnings (content, session, "user", status, created_at)
VALUES (:content, :session, :user, 'pending', :now)
RETURNING id;

-- @method planner.get_pending_learnings  many  read
-- What is to be judged, oldest first.
-- @param  limit       int(1..) = 50   at most this many
-- @param  session     text optional   only of this session
-- @param  after       int = 0         only those numbered above this
-- @result id          int     its number
-- @result content     text    what was learned
-- @result session     text    where
-- @result user        text?   with whom
-- @result status      text    pending
-- @result created_at  time?   when
SELECT id, content, session, "user", status, created_at
  FROM learnings WHERE status = 'pending' AND id > :after
   AND session = :session                                    -- @if session
 ORDER BY id LIMIT :limit;

-- @method planner.update_learning  none  write
-- Write what became of a learning. What is promoted or asked about is better left to promote_learning and
-- ask_learning, which do it together with what follows.
-- @param  id      int                                  which
-- @param  status  text(pending|promoted|discarded)     what became of it
-- @else NOTFOUND id
UPDATE learnings SET status = :status WHERE id = :id;

-- @method planner.look_learning  one  read  private
-- What other methods need to know of a learning.
-- @param  id       int    which
-- @result content  text   what was learned
-- @result session  text   where
-- @result status   text   what became of it
SELECT content, session, status FROM learnings WHERE id = :id;

-- @method planner.promote_learning  one  write
-- Make a fact of a learning that is to be judged, in one transaction.
-- @param  id          int                which learning
-- @param  content     text optional      the fact, if it says it in other words
-- @param  category    text = "general"   project, user, tool or general; a user fact belongs to the learning's session
-- @param  confidence  real(0..1) = 1.0   how much it is trusted
-- @param  source      text = "curator"   who says so
-- @param  link        bool = false       do not keep twice what is known in the same words
-- @param  now         time = now         when
-- @result fact_id     int                the fact's number
-- @result existing    bool               it was known already
-- @native st_planner_promote_learning

-- @method planner.ask_learning  one  write
-- Ask the user about a learning that is to be judged, in one transaction: the question is open in the
-- learning's session, and the learning counts as promoted.
-- @param  id          int                which learning
-- @param  question    text               what is to be asked
-- @param  source      text = "curator"   who asks
-- @param  now         time = now         when
-- @result pending_id  int                the question's number
-- @native st_planner_ask_learning
