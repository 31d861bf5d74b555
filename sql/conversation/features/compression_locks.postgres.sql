-- @probe compression_locks
CREATE TABLE compression_locks (
    session_id            TEXT COLLATE "C" PRIMARY KEY,
    holder                TEXT COLLATE "C" NOT NULL,
    acquired_at           DOUBLE PRECISION NOT NULL,
    expires_at            DOUBLE PRECISION NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_compression_locks_expires ON compression_locks(expires_at);
