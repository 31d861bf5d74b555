-- @probe stele_drops
-- Permanent. What was lost on its way in, by the minute.
CREATE TABLE stele_drops (
    source  TEXT NOT NULL,     -- the way in
    cause   TEXT NOT NULL,     -- why it was lost
    minute  INTEGER NOT NULL,  -- when: the beginning of the minute
    dropped INTEGER NOT NULL,  -- how much
    PRIMARY KEY (source, cause, minute)
);
