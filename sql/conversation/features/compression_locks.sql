-- @probe compression_locks
-- Who is compressing a session. The table of version 14.
CREATE TABLE compression_locks (
    session_id            TEXT PRIMARY KEY,
    holder                TEXT NOT NULL,      -- who has it
    acquired_at           REAL NOT NULL,
    expires_at            REAL NOT NULL       -- from then on anybody may take it
);
CREATE INDEX IF NOT EXISTS idx_compression_locks_expires ON compression_locks(expires_at);
