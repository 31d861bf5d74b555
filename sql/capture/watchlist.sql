-- Pushed commits whose workflows are followed until they end, and somebody has been told.

-- @method capture.watch_sha  one  write
-- Follow a commit. One that is followed already is followed for longer, and keeps all the rest.
-- @param  sha         text               the commit
-- @param  repo        text               owner/name
-- @param  ttl         duration = 1200    for how long
-- @param  now         time = now         from when on
-- @result expires_at  time               until when
INSERT INTO sha_watchlist (sha, repo, created_at, expires_at) VALUES (:sha, :repo, :now, CAST(:now + :ttl * 1000 AS BIGINT))
ON CONFLICT (sha, repo) DO UPDATE SET expires_at = excluded.expires_at
RETURNING expires_at;

-- @method capture.finish_watch  none  write
-- The workflows of a commit have ended. If they failed or were cancelled, that waits to be told; otherwise there is nothing to tell, and the
-- commit is followed no more, unless something else of it has failed.
-- @param  sha              text            the commit
-- @param  repo             text            owner/name
-- @param  terminal_status  text            how they ended: failure, cancelled, success, ...
-- @result updated          int changed     1, or 0 if nothing changed
UPDATE sha_watchlist SET terminal_status = :terminal_status
 WHERE sha = :sha AND repo = :repo AND :terminal_status IN ('failure', 'cancelled');
DELETE FROM sha_watchlist
 WHERE sha = :sha AND repo = :repo AND :terminal_status NOT IN ('failure', 'cancelled') AND terminal_status IS NULL;

-- @method capture.list_watched  many  read
-- Commits that are followed, those that end first coming first.
-- @param  state            text(running|ended|all) = "running"   running: still followed; ended: to be told; all: told ones and expired ones too
-- @param  repo             text optional   only of this repository
-- @param  now              time = now      the time to look from
-- @result sha              text            the commit
-- @result repo             text            owner/name
-- @result created_at       time            since when
-- @result expires_at       time            until when
-- @result terminal_status  text?           how it ended; null while it runs
-- @result notified         bool            whether somebody was told
SELECT sha, repo, created_at, expires_at, terminal_status, notified FROM sha_watchlist
 WHERE (:state = 'all'
        OR :state = 'running' AND terminal_status IS NULL AND expires_at > :now
        OR :state = 'ended' AND terminal_status IS NOT NULL AND NOT notified)
   AND repo = :repo                                          -- @if repo
 ORDER BY expires_at, repo, sha;

-- @method capture.mark_notified  none  write
-- Somebody was told how the workflows of a commit ended.
-- @param  sha      text          the commit
-- @param  repo     text          owner/name
-- @result updated  int changed   1, or 0 if there was nothing to tell
UPDATE sha_watchlist SET notified = TRUE WHERE sha = :sha AND repo = :repo AND terminal_status IS NOT NULL AND NOT notified;

-- @method capture.cleanup_watchlist  none  write
-- Forget commits whose time is over, except those of which there is still something to tell.
-- @param  now      time = now    the time to look from
-- @result deleted  int changed   how many there were
DELETE FROM sha_watchlist WHERE expires_at <= :now AND (terminal_status IS NULL OR notified);
