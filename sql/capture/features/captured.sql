-- @probe stele_captured
-- Permanent. How far transcripts were taken in, and the segment of each that was open at its end: it is gone on with when the file
-- grows.
CREATE TABLE stele_captured (
    path       TEXT PRIMARY KEY,    -- absolute
    device     INTEGER NOT NULL,
    inode      INTEGER NOT NULL,
    size       INTEGER NOT NULL,    -- when it was last read; -1: it was not read to its end
    modified   INTEGER NOT NULL,    -- its time then, in nanoseconds
    consumed   INTEGER NOT NULL,    -- bytes that need not be read again
    checked    INTEGER NOT NULL,    -- hash of the bytes around their start and before their end
    state      TEXT,                -- JSON: the open segment
    updated_at INTEGER NOT NULL
);
