-- Workers, and the version of the store that each expects.

-- @method capture.handshake  one  write
-- A worker says which version of this store it expects, and hears whether that is the one that there is. What it says is kept: a
-- server does not start while a worker that runs expects another version, and the checkup tells it.
-- @param  worker   text              who
-- @param  expects  int(1..1000000)   the version that it works with
-- @param  now      time = now        when
-- @result file     int               the version of the file
-- @result library  int               what this program works with
-- @result server   int?              what the running server works with; null: none runs, or it does not say
-- @result agree    bool              the worker may work
-- @result cause    text?             why it may not
-- @result fix      text?             what to do about it
-- @feature workers
-- @native st_capture_handshake

-- @method capture.note_worker  none  write  private
-- What a worker expects.
-- @param  worker   text   who
-- @param  expects  int    the version that it works with
-- @param  now      time   when
-- @feature workers
DELETE FROM stele_workers WHERE seen_at < :now - 86400000;
INSERT INTO stele_workers (worker, expects, seen_at) VALUES (:worker, :expects, :now)
ON CONFLICT (worker) DO UPDATE SET expects = excluded.expects, seen_at = excluded.seen_at;
