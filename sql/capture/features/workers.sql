-- @probe stele_workers
-- Permanent. What workers expect, as they said last. One that was not seen for a day is forgotten.
CREATE TABLE stele_workers (
    worker  TEXT NOT NULL PRIMARY KEY,
    expects INTEGER NOT NULL,   -- the version of this store
    seen_at INTEGER NOT NULL
);
